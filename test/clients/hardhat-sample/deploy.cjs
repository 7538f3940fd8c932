// Deploys a lock and prints its address and the argument of its constructor.
const { deployLock } = require('./fixture.cjs')

async function main() {
  const { lock, unlockTime } = await deployLock()
  console.log(await lock.getAddress(), unlockTime)
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
