// Matchers of reasons on sends, as Hardhat's sample project has them.
const { expect } = require('chai')
const { loadFixture, time } = require('@nomicfoundation/hardhat-network-helpers')
const { anyValue } = require('@nomicfoundation/hardhat-chai-matchers/withArgs')
const { deployLock } = require('../fixture.cjs')

describe('a send that reverts', () => {
  it('tells its reason', async () => {
    const { Lock } = await loadFixture(deployLock)
    await expect(Lock.deploy((await time.latest()) - 1)).to.be.revertedWith('unlock time should be in the future')
  })

  it('tells its custom error', async () => {
    const { lock, unlockTime, other } = await loadFixture(deployLock)
    await expect(lock.withdraw()).to.be.revertedWithCustomError(lock, 'TooEarly').withArgs(anyValue, unlockTime)
    await time.increaseTo(unlockTime)
    await expect(lock.connect(other).withdraw()).to.be.revertedWithCustomError(lock, 'NotOwner').withArgs(other.address)
    await expect(lock.withdraw()).not.to.be.reverted
  })
})
