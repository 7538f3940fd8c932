// What the suites begin with: a lock that opens in a year.
const { ethers } = require('hardhat')
const { time } = require('@nomicfoundation/hardhat-network-helpers')

const YEAR = 365 * 24 * 60 * 60
const LOCKED = 1_000_000_000n

async function deployLock() {
  const [owner, other] = await ethers.getSigners()
  const unlockTime = (await time.latest()) + YEAR
  const Lock = await ethers.getContractFactory('Lock')
  const lock = await Lock.deploy(unlockTime, { value: LOCKED })
  return { Lock, lock, unlockTime, owner, other }
}

module.exports = { deployLock, LOCKED, YEAR }
