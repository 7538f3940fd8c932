// What suites of Hardhat's users do on `localhost`: fixtures, the clock, impersonated accounts, errors, events, balances.
// Errors are looked for in calls here; `errors.cjs` has them in sends.
const { expect } = require('chai')
const { ethers, network } = require('hardhat')
const helpers = require('@nomicfoundation/hardhat-network-helpers')
const { anyValue } = require('@nomicfoundation/hardhat-chai-matchers/withArgs')

const { deployLock, LOCKED, YEAR } = require('../fixture.cjs')

const { loadFixture, time } = helpers

describe('Lock', () => {
  it('keeps what it was deployed with', async () => {
    const { lock, unlockTime, owner } = await loadFixture(deployLock)
    expect(await lock.unlockTime()).to.equal(unlockTime)
    expect(await lock.owner()).to.equal(owner.address)
    expect(await ethers.provider.getBalance(lock.target)).to.equal(LOCKED)
  })

  it('reverts with custom errors and panics', async () => {
    const { lock, unlockTime, other } = await loadFixture(deployLock)
    await expect(lock.withdraw.staticCall())
      .to.be.revertedWithCustomError(lock, 'TooEarly')
      .withArgs(anyValue, unlockTime)
    await expect(lock.withdraw()).to.be.reverted
    await time.increaseTo(unlockTime)
    await expect(lock.connect(other).withdraw.staticCall())
      .to.be.revertedWithCustomError(lock, 'NotOwner')
      .withArgs(other.address)
    await expect(lock.half(1, 0)).to.be.revertedWithPanic(0x12)
  })

  it('opens at its time and not a second before', async () => {
    const { lock, unlockTime } = await loadFixture(deployLock)
    await time.setNextBlockTimestamp(unlockTime - 1)
    await expect(lock.withdraw()).to.be.reverted
    await time.setNextBlockTimestamp(unlockTime)
    await expect(lock.withdraw()).to.emit(lock, 'Withdrawal').withArgs(LOCKED, unlockTime)
  })

  it('pays its owner', async () => {
    const { lock, unlockTime, owner } = await loadFixture(deployLock)
    await time.increaseTo(unlockTime)
    await expect(lock.withdraw()).to.changeEtherBalances([owner, lock], [LOCKED, -LOCKED])
  })
})

describe('the node', () => {
  it('takes deployments and calls of 30,000,000 gas', async () => {
    const { Lock, unlockTime } = await loadFixture(deployLock)
    const lock = await Lock.deploy(unlockTime, { value: 1, gasLimit: 30_000_000 })
    const receipt = await lock.deploymentTransaction().wait()
    expect(receipt.status).to.equal(1)
    expect(lock.deploymentTransaction().gasLimit).to.equal(30_000_000n)
    expect(await lock.half.staticCall(8, 2, { gasLimit: 30_000_000 })).to.equal(4)
  })

  it('goes forward by what is asked after many quick transfers', async () => {
    const { owner, other } = await loadFixture(deployLock)
    for (let i = 0; i < 50; i++) await owner.sendTransaction({ to: other.address, value: 1 })
    const before = await time.latest()
    expect(before).to.be.at.most(Math.floor(Date.now() / 1000))
    await network.provider.send('evm_increaseTime', [100])
    await network.provider.send('evm_mine')
    expect((await time.latest()) - before).to.be.within(100, 110)
    const latest = await time.latest()
    await time.increase(YEAR)
    expect((await time.latest()) - latest).to.be.within(YEAR, YEAR + 5)
  })

  it('goes back with a snapshot, time included', async () => {
    const { unlockTime } = await loadFixture(deployLock)
    const snapshot = await helpers.takeSnapshot()
    const [before, height] = [await time.latest(), await time.latestBlock()]
    await time.increaseTo(unlockTime + YEAR)
    await snapshot.restore()
    expect([await time.latest(), await time.latestBlock()]).to.deep.equal([before, height])
    await helpers.mine()
    expect((await time.latest()) - before).to.be.within(0, 30)
  })

  it('makes blocks an interval apart', async () => {
    const [start, height] = [await time.latest(), await time.latestBlock()]
    await helpers.mine(300)
    expect((await time.latestBlock()) - height).to.equal(300)
    expect((await time.latest()) - start).to.be.within(299, 330)
    const later = await time.latest()
    await helpers.mine(3, { interval: 60 })
    expect((await time.latest()) - later).to.be.within(120, 150)
    await helpers.mineUpTo(height + 310)
    expect(await time.latestBlock()).to.equal(height + 310)
  })

  it('sends from accounts without a key, with a balance that was set', async () => {
    const { lock, unlockTime } = await loadFixture(deployLock)
    const address = '0x00000000000000000000000000000000000c0ffe'
    await helpers.impersonateAccount(address)
    await helpers.setBalance(address, 10n ** 18n)
    const signer = await ethers.getSigner(address)
    await expect(signer.sendTransaction({ to: lock.target })).to.be.reverted
    await time.increaseTo(unlockTime)
    await expect(lock.connect(signer).withdraw()).to.be.reverted
    const [owner] = await ethers.getSigners()
    await expect(signer.sendTransaction({ to: owner.address, value: 5n })).to.changeEtherBalance(owner, 5n)
    await helpers.stopImpersonatingAccount(address)
  })

  it('has code, storage and nonces that were set, and the base fee and randomness of the next block', async () => {
    const address = '0x00000000000000000000000000000000000c0de5'
    await helpers.setCode(address, '0x5f5460005260206000f3')
    await helpers.setStorageAt(address, 0, 77)
    expect(BigInt(await helpers.getStorageAt(address, 0))).to.equal(77n)
    expect(BigInt(await ethers.provider.call({ to: address }))).to.equal(77n)
    await helpers.setNonce(address, 9)
    expect(await ethers.provider.getTransactionCount(address)).to.equal(9)
    await helpers.setNextBlockBaseFeePerGas(12_345_678_901n)
    await helpers.setPrevRandao(4_242)
    await helpers.setCoinbase(address)
    await helpers.mine()
    const block = await network.provider.send('eth_getBlockByNumber', ['latest', false])
    expect([Number(block.baseFeePerGas), Number(block.mixHash), block.miner]).to.deep.equal([
      12_345_678_901,
      4_242,
      address,
    ])
  })
})
