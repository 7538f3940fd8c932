// Runs Ethereum's state tests by this node's state and execution, like geth's `evm statetest`. Standard output has one JSON
// object per subtest and nothing else, in the order of the files.
//   npx tsx test/conformance/statetest.ts [--fork Cancun] [--jobs 4] [--engine library] FILE...
import type { Command } from 'commander'
import { forkOf, TEST_FORKS } from './fork-names.ts'
import { runTestCommand, testCommand } from './test-command.ts'

export const statetest = (): Command =>
  testCommand({
    name: 'statetest',
    description: "run Ethereum's state tests; prints one line of JSON per subtest",
    help: `
Each subtest runs its transaction as in a block of this node, on its own state. The exit code is 1 if any failed.

Examples:
  npx tsx test/conformance/statetest.ts --fork Cancun stExample/*.json
  find GeneralStateTests -name '*.json' | npx tsx test/conformance/statetest.ts --jobs 4`,
    format: 'state',
    isFork: (name) => forkOf(name) !== undefined,
    forks: Object.keys(TEST_FORKS),
    line: ({ name, fork, index, pass, stateRoot, logsHash, error }) =>
      JSON.stringify({ name, fork, index, pass, stateRoot, logsHash, error }),
    isFailure: ({ pass }) => !pass,
  })

if (process.argv[1] === import.meta.filename) await runTestCommand(statetest())
