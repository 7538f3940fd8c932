// The network helpers on a fork. The node forks the chain of `ORIGIN_URL`, on which the suite deploys first.
const { expect } = require('chai')
const { ethers, network } = require('hardhat')
const helpers = require('@nomicfoundation/hardhat-network-helpers')

const { LOCKED, YEAR } = require('../fixture.cjs')

const { loadFixture, time } = helpers
const ORIGIN = process.env.ORIGIN_URL
/** An account without a key that has coins on the forked chain. */
const HOLDER = '0x00000000000000000000000000000000000a11ce'

describe('a fork', () => {
  let lock
  let deployed
  let head

  before(async () => {
    const origin = new ethers.JsonRpcProvider(ORIGIN)
    const owner = await origin.getSigner(0)
    const { timestamp } = await origin.getBlock('latest')
    const Lock = await ethers.getContractFactory('Lock', owner)
    const created = await Lock.deploy(timestamp + YEAR, { value: LOCKED })
    deployed = await created.deploymentTransaction().wait()
    await origin.send('hardhat_setBalance', [HOLDER, '0x3039'])
    await origin.send('hardhat_mine', ['0x5'])
    // Not `getBlockNumber`, which ethers remembers for a quarter of a second.
    head = Number(await origin.send('eth_blockNumber', []))
    origin.destroy()
    lock = await ethers.getContractAt('Lock', created.target)
  })
  beforeEach(() => helpers.reset(ORIGIN))

  it('begins at the newest block, or at the one that is named (reset, latestBlock)', async () => {
    expect(await time.latestBlock()).to.equal(head)
    expect(await ethers.provider.getBalance(lock.target)).to.equal(LOCKED)
    await helpers.reset(ORIGIN, deployed.blockNumber - 1)
    expect(await time.latestBlock()).to.equal(deployed.blockNumber - 1)
    expect(await ethers.provider.getCode(lock.target)).to.equal('0x')
    await helpers.mine()
    expect(await ethers.provider.getCode(lock.target)).to.equal('0x')
  })

  it('has its contracts, clock and events (increaseTo, takeSnapshot)', async () => {
    const snapshot = await helpers.takeSnapshot()
    const unlockTime = await lock.unlockTime()
    await expect(lock.withdraw()).to.be.reverted
    await time.increaseTo(unlockTime)
    const [owner] = await ethers.getSigners()
    await expect(lock.withdraw()).to.changeEtherBalances([owner, lock], [LOCKED, -LOCKED])
    expect(await lock.queryFilter('Withdrawal', 0)).to.have.length(1)
    await snapshot.restore()
    expect(await time.latestBlock()).to.equal(head)
    expect(await time.latest()).to.be.below(unlockTime)
    expect(await ethers.provider.getBalance(lock.target)).to.equal(LOCKED)
    expect(await lock.queryFilter('Withdrawal', 0)).to.have.length(0)
  })

  it('has the blocks, transactions and balances of before', async () => {
    await helpers.mine(2)
    const { provider } = ethers
    expect((await provider.getTransactionReceipt(deployed.hash)).contractAddress).to.equal(lock.target)
    expect((await provider.getBlock(deployed.blockNumber)).hash).to.equal(deployed.blockHash)
    expect(await provider.getBalance(lock.target, deployed.blockNumber - 1)).to.equal(0n)
    expect(await provider.getBalance(lock.target, deployed.blockNumber)).to.equal(LOCKED)
  })

  it('sends for accounts without a key (impersonateAccount, setBalance)', async () => {
    expect(await ethers.provider.getBalance(HOLDER)).to.equal(12_345n)
    await helpers.setBalance(HOLDER, 10n ** 18n)
    await helpers.impersonateAccount(HOLDER)
    const [owner] = await ethers.getSigners()
    const signer = await ethers.getSigner(HOLDER)
    await expect(signer.sendTransaction({ to: owner.address, value: 5n })).to.changeEtherBalance(owner, 5n)
    await helpers.stopImpersonatingAccount(HOLDER)
    await expect(signer.sendTransaction({ to: owner.address, value: 5n })).to.be.rejected
  })

  it('goes back to a fixture', async () => {
    const fixture = async () => {
      const Lock = await ethers.getContractFactory('Lock')
      const other = await Lock.deploy((await time.latest()) + YEAR, { value: 7n })
      return { other, height: await time.latestBlock() }
    }
    const { other, height } = await loadFixture(fixture)
    await helpers.mine(3)
    const again = await loadFixture(fixture)
    expect(again.other.target).to.equal(other.target)
    expect(await time.latestBlock()).to.equal(height)
  })

  it('has code, storage and nonces that were set, also of the forked chain’s contracts', async () => {
    await helpers.setCode(lock.target, '0x5f5460005260206000f3')
    await helpers.setStorageAt(lock.target, 0, 77)
    expect(BigInt(await helpers.getStorageAt(lock.target, 0))).to.equal(77n)
    expect(BigInt(await ethers.provider.call({ to: lock.target }))).to.equal(77n)
    await helpers.setNonce(HOLDER, 9)
    expect(await ethers.provider.getTransactionCount(HOLDER)).to.equal(9)
  })

  it('goes forward by what is asked (mine, increase, setNextBlockTimestamp, dropTransaction)', async () => {
    const start = await time.latest()
    await time.increase(3600)
    expect((await time.latest()) - start).to.be.within(3600, 3630)
    await time.setNextBlockTimestamp(start + YEAR)
    await helpers.mine(10, { interval: 60 })
    expect(await time.latest()).to.equal(start + YEAR + 9 * 60)
    await helpers.mineUpTo(head + 20)
    expect(await time.latestBlock()).to.equal(head + 20)
    const [owner, other] = await ethers.getSigners()
    await network.provider.send('evm_setAutomine', [false])
    const sent = await owner.sendTransaction({ to: other.address, value: 1 })
    expect(await helpers.dropTransaction(sent.hash)).to.equal(true)
    expect(await ethers.provider.getTransaction(sent.hash)).to.equal(null)
    await network.provider.send('evm_setAutomine', [true])
  })
})
