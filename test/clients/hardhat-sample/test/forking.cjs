// Hardhat's own network, which forks the node of `NODE_URL`, itself a fork.
const { expect } = require('chai')
const { ethers } = require('hardhat')
const { mine, time } = require('@nomicfoundation/hardhat-network-helpers')

describe('a fork of a fork', () => {
  it('has blocks, balances and events of both', async () => {
    const node = new ethers.JsonRpcProvider(process.env.NODE_URL)
    const head = await node.getBlockNumber()
    expect(await time.latestBlock()).to.equal(head)
    // Hardhat calls nothing at a block of which it does not know the rules.
    await mine()
    for (const number of [1, head]) {
      const [block, theirs] = [await ethers.provider.getBlock(number), await node.getBlock(number)]
      expect(block.hash).to.equal(theirs.hash)
    }
    const lock = await ethers.getContractAt('Lock', process.env.LOCK)
    const withdrawn = await lock.queryFilter('Withdrawal', 0)
    expect(withdrawn.map(({ blockNumber }) => blockNumber)).to.deep.equal([head])
    expect(await lock.unlockTime()).to.equal((await node.getBlock(head)).timestamp)
    expect(await ethers.provider.getBalance(lock.target)).to.equal(0n)
    node.destroy()
  })
})
