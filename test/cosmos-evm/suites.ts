// The suites of cosmos/evm that run with Node.js and Foundry: what each is called, how it is run, how many tests it has, and how its output
// is read. They run from a copy of the checkout (checkout.ts), against a node at a port.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COPY, compiler, environment, runProgram } from './checkout.ts'

/** Names of the tests that failed, each with the first line of its error. */
export type Outcome = { readonly passed: number; readonly failed: readonly string[] }

export type Suite = {
  readonly name: string
  /** Tests that the suite has. */
  readonly total: number
  /** What it needs and is not there; undefined: nothing. */
  readonly lacks?: () => string | undefined
  readonly run: (port: string) => Promise<Outcome>
}

const HARDHAT = 'node_modules/hardhat/internal/cli/bootstrap.js'

/** A suite of Hardhat or Truffle of tests/solidity. */
const ofSolidity = (name: string, total: number, program = 'truffle/build/cli.bundled.js'): Suite => ({
  name,
  total,
  run: (port) => {
    const folder = join(COPY, 'tests/solidity/suites', name)
    const args = [join('../../node_modules', program), 'test', '--network', 'cosmos']
    return mocha(folder, args, port)
  },
})

/** A project of tests/evm-tools-compatibility that runs with Node.js. */
const ofTools = (name: string, total: number, ...args: string[]): Suite => ({
  name,
  total,
  run: (port) => mocha(join(COPY, 'tests/evm-tools-compatibility', name), args, port),
})

export const SUITES: readonly Suite[] = [
  ofSolidity('basic', 9),
  ofSolidity('eip1559', 1),
  ofSolidity('exception', 1),
  ofSolidity('opcode', 3),
  ofSolidity('precompiles', 48, 'hardhat/internal/cli/bootstrap.js'),
  ofSolidity('revert_cases', 32, 'hardhat/internal/cli/bootstrap.js'),
  ofTools('hardhat', 24, HARDHAT, 'test', '--network', 'localhost'),
  ofTools('viem', 7, 'node_modules/mocha/bin/mocha.js', 'test/viemFunctions.test.js', '--timeout', '60000'),
  ofTools('web3.js', 7, 'node_modules/mocha/bin/mocha.js', 'test/web3js_compatibility.test.js', '--timeout', '60000'),
  foundry('foundry', '0.8.28', {
    'forge test': 'forge test --fork-url $CUSTOM_RPC --chain-id $CHAIN_ID',
    DeployERC20: script('DeployERC20'),
    NetworkInfo: script('NetworkInfo'),
    'get-network-info.sh': 'cd shellscripts && bash get-network-info.sh $CUSTOM_RPC',
    ReadState: script('ReadState'),
    'read_state.sh': 'cd shellscripts && bash read_state.sh $CONTRACT',
    Transfer: script('Transfer'),
    'transfer.sh': 'cd shellscripts && bash transfer.sh $CONTRACT $ACCOUNT_2 100000000000000000000',
    // Here forge has to see the transfer fail.
    TransferError: `${script('TransferError')} | tee output; grep 'Error: Simulated execution failed' output && grep 'Script ran successfully' output`,
    'transfer_error.sh': 'cd shellscripts && bash transfer_error.sh',
  }),
  foundry('foundry-uniswap-v3', '0.7.6', {
    DeployNFTDescriptor: script('DeployNFTDescriptor'),
    DeployUniswapV3: `${script('DeployUniswapV3')} --slow --private-key $PRIVATE_KEY --libraries lib/v3-periphery/contracts/libraries/NFTDescriptor.sol:NFTDescriptor:$LIBRARY_CONTRACT`,
  }),
]

function script(name: string): string {
  return `forge script script/${name}.s.sol:${name} --rpc-url $CUSTOM_RPC --broadcast --chain-id $CHAIN_ID 2>&1`
}

/** A project of Foundry: the steps that cosmos/evm's scripts/tests_compatibility_*.sh take, each of which has to succeed. */
function foundry(name: string, solc: string, steps: Readonly<Record<string, string>>): Suite {
  const folder = join(COPY, 'tests/evm-tools-compatibility', name)
  return {
    name,
    total: Object.keys(steps).length,
    lacks: () => (existsSync(join(folder, 'lib/forge-std/src')) ? undefined : 'the checkout is without its submodules'),
    run: async (port) => {
      const settings = join(folder, '.env')
      // The file that their README tells users to edit.
      writeFileSync(settings, readFileSync(settings, 'utf8').replace('127.0.0.1:8545', `127.0.0.1:${port}`))
      const env = { ...environment(port), SOLC: compiler(solc) }
      const failed: string[] = []
      for (const [step, command] of Object.entries(steps)) {
        const { code, output } = await runProgram('bash', ['-c', `set -a; . ./.env; set +a; ${command}`], folder, env)
        if (code !== 0) failed.push(`${step}: ${lastLine(output)}`)
      }
      return { passed: Object.keys(steps).length - failed.length, failed }
    },
  }
}

async function mocha(folder: string, args: readonly string[], port: string): Promise<Outcome> {
  const { output } = await runProgram(process.execPath, args, folder, environment(port))
  return readMocha(output)
}

/** Reads what mocha's reporter `spec` prints. A hook that failed stands among the tests that failed. */
function readMocha(output: string): Outcome {
  const [, passed] = /^ *(\d+) passing\b/m.exec(output) ?? []
  if (passed === undefined) throw new Error(`the suite did not run:\n${output}`)
  const [, listed = ''] = output.split(/^ *\d+ failing$/m)
  const failed = listed
    .split(/^ {2}\d+\) /m)
    .slice(1)
    .map(readFailure)
  return { passed: Number(passed), failed }
}

/** A title whose last line ends with a colon, then the error, with or without an empty line between them. */
function readFailure(text: string): string {
  const [, title = '', error = ''] = /^(.*?):\n\s*([^\n]*)/s.exec(text) ?? []
  return `${title.replaceAll(/\s+/g, ' ')}: ${error.trim()}`
}

const lastLine = (output: string) => output.trim().split('\n').at(-1) ?? ''
