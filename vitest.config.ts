// The projects of the test suite. `npm test` runs `unit`, `chain` and `fresh`; each of the others has a command of its own in
// package.json. `npx vitest run FILE` runs a file in the project that it belongs to.
import { configDefaults, defineConfig } from 'vitest/config'
import { LongFilesFirst, unitTests } from './test/support/cost.ts'

/** Tests that count how a module is used, or see it used first: they need modules that no other test has loaded. */
const FRESH = ['test/evm/crypto/curve-loading.test.ts', 'test/chain/block-cost.test.ts']
/** Without a node, another program, a compiler or a browser, and one chain to see that the parts fit together. */
const UNIT = ['test/smoke.test.ts', ...unitTests()].filter((file) => !FRESH.includes(file))

/** Each file runs a network of its own, whose clocks are real: one file at a time. `timeout` in milliseconds. */
const network = (name: string, timeout: number) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/${name}/*.test.ts`],
    fileParallelism: false,
    testTimeout: timeout,
    hookTimeout: timeout,
  },
})

export default defineConfig({
  test: {
    globalSetup: ['test/support/engine-built.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    // A test that asserts nothing fails: its loop was empty, or its condition never came true.
    // What a test waits for may take as long on a busy machine as a test may; the default is a second.
    expect: { requireAssertions: true, poll: { timeout: 60_000 } },
    sequence: { sequencer: LongFilesFirst },
    // The default leaves a core idle, which is half of a machine with two.
    maxWorkers: '100%',
    // Far above what a test needs (below 5 s on two quiet cores, with few exceptions): a busy machine is no failure.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    projects: [
      // Below a minute on two cores (`npm run test:fast`). The files of a worker share their modules: loading them for each
      // file took half of the time.
      { extends: true, test: { name: 'unit', include: UNIT, isolate: false } },
      {
        extends: true,
        test: {
          name: 'chain',
          include: ['test/**/*.test.ts'],
          exclude: [
            ...configDefaults.exclude,
            ...['clients', 'network', 'operators', 'hostile', 'frontend', 'cosmos-evm'].map(
              (name) => `test/${name}/**`,
            ),
            ...UNIT,
            ...FRESH,
          ],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'fresh', include: FRESH } },
      // Networks of real processes with the consensus engine that COMETBFT names. Without it every test says that it is skipped.
      network('network', 240_000),
      // Counts the blocks that validators miss, so nothing else may run beside it.
      network('operators', 240_000),
      // What a stranger or a byzantine validator can send to such a network.
      network('hostile', 400_000),
      // Blockscout's frontend, built in the folder that FRONTEND names. Without it the test says that it is skipped.
      { extends: true, test: { name: 'frontend', include: ['test/frontend/*.test.ts'], hookTimeout: 180_000 } },
      // Suites of cosmos/evm, of a checkout that COSMOS_EVM names. Without it every test says that it is skipped.
      { extends: true, test: { name: 'cosmos-evm', include: ['test/cosmos-evm/*.test.ts'], testTimeout: 900_000 } },
      // Other people's tools against a running node; they are installed from the package registry.
      {
        extends: true,
        test: {
          name: 'clients',
          include: ['test/clients/*.test.ts'],
          globalSetup: ['test/clients/install.ts'],
          testTimeout: 180_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
