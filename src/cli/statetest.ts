// `kestrel statetest`: runs Ethereum's state tests through this node's own state and execution, in the manner of geth's
// `evm statetest`. Standard output holds one JSON object per subtest and nothing else, in the order of the files.
import type { Command } from 'commander'
import { forkOf, TEST_FORKS } from '../conformance/networks.ts'
import { withTestFiles } from './test-command.ts'

export function register(program: Command): void {
  const command = program
    .command('statetest')
    .description("run Ethereum's state tests; prints one line of JSON per subtest")
    .addHelpText(
      'after',
      `
Each subtest runs its transaction as in a block of this node, on its own state. The exit code is 1 if any failed.

Examples:
  kestrel statetest --fork Cancun stExample/*.json
  find GeneralStateTests -name '*.json' | kestrel statetest --jobs 4`,
    )
  withTestFiles(command, {
    name: 'statetest',
    format: 'state',
    isFork: (name) => forkOf(name) !== undefined,
    forks: Object.keys(TEST_FORKS),
    line: ({ name, fork, index, pass, stateRoot, logsHash, error }) =>
      JSON.stringify({ name, fork, index, pass, stateRoot, logsHash, error }),
    isFailure: ({ pass }) => !pass,
  })
}
