// Runs Ethereum's blockchain tests by this node's block import, like geth's `evm blocktest`. Prints one JSON object per test on
// standard output, in the order of the files, and the counts on standard error.
//   npx tsx test/conformance/blocktest.ts [--fork Prague] [--jobs 4] [--engine library] FILE...
import type { Command } from 'commander'
import { networkOf, TEST_FORKS } from './fork-names.ts'
import { runTestCommand, testCommand } from './test-command.ts'

export function blocktest(): Command {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  return testCommand({
    name: 'blocktest',
    description: "run Ethereum's blockchain tests; prints one line of JSON per test",
    help: `
Each test imports its blocks into a new chain in memory, with every check. Invalid blocks must be refused. Tests of
reorganisations are counted as skipped, because this chain never reorganises. Proof-of-work seals are not checked. The exit
code is 1 if any test failed.

Examples:
  npx tsx test/conformance/blocktest.ts --fork Prague,CancunToPragueAtTime15k fixtures/blockchain_tests/*.json
  find BlockchainTests -name '*.json' | npx tsx test/conformance/blocktest.ts --engine library`,
    format: 'block',
    isFork: (name) => networkOf(name) !== undefined,
    forks: [...Object.keys(TEST_FORKS), 'and their transitions'],
    line: (result) => {
      counts[result.skipped !== undefined ? 'skipped' : result.pass ? 'passed' : 'failed']++
      return JSON.stringify(result)
    },
    isFailure: ({ pass, skipped }) => !pass && skipped === undefined,
    summary: () => `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped as not applicable`,
  })
}

if (process.argv[1] === import.meta.filename) await runTestCommand(blocktest())
