// A Hardhat 2 project on the network `localhost`, as its users have it. Nothing is downloaded: the compiler is the one that
// the environment names (`SOLJSON`, its version `SOLC_VERSION`), and so is the node (`NODE_URL`).
const { subtask } = require('hardhat/config')
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require('hardhat/builtin-tasks/task-names')
require('@nomicfoundation/hardhat-ethers')
require('@nomicfoundation/hardhat-chai-matchers')
// Not every version is tried with this plugin.
if (process.env.VERIFIES) require('@nomicfoundation/hardhat-verify')

const version = process.env.SOLC_VERSION

subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async () => ({
  compilerPath: process.env.SOLJSON,
  isSolcJs: true,
  version,
  longVersion: version,
}))

module.exports = {
  etherscan: { enabled: false },
  sourcify: {
    enabled: true,
    apiUrl: `${process.env.NODE_URL}/sourcify`,
    browserUrl: `${process.env.NODE_URL}/sourcify/repository`,
  },
  solidity: { version, settings: { optimizer: { enabled: true, runs: 200 } } },
  networks: {
    hardhat: process.env.LOCK ? { forking: { url: process.env.NODE_URL } } : {},
    localhost: { url: process.env.NODE_URL },
    // Gas is estimated there, as on `localhost` with this setting.
    estimating: { url: process.env.NODE_URL, gas: 'auto' },
  },
}
