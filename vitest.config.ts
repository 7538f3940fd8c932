import { configDefaults, defineConfig, type TestUserConfig } from 'vitest/config'
import { LongFilesFirst } from './test/support/cost.ts'

/** Tests of what happens when a module is first used: they need modules that no other test has loaded. */
export const FRESH = ['test/evm/crypto/curve-loading.test.ts']

/** What all runs have in common. */
export const common: TestUserConfig = {
  globalSetup: ['test/support/engine-built.ts'],
  // A test that asserts nothing fails: its loop was empty, or its condition never came true.
  expect: { requireAssertions: true },
  sequence: { sequencer: LongFilesFirst },
  // The default leaves a core idle, which is half of a machine with two.
  maxWorkers: '100%',
  testTimeout: 30_000,
  hookTimeout: 30_000,
}

export default defineConfig({
  test: {
    ...common,
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          // These need packages that `npm ci` does not install (vitest.clients.config.ts), or a consensus engine
          // (vitest.network.config.ts, vitest.hostile.config.ts).
          exclude: [...configDefaults.exclude, 'test/clients/**', 'test/network/**', 'test/hostile/**', ...FRESH],
          // The files of a worker share their modules: loading them for each file took half of the time.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'fresh', include: FRESH } },
    ],
  },
})
