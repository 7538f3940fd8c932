import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These need packages that `npm ci` does not install: vitest.clients.config.ts.
    exclude: [...configDefaults.exclude, 'test/clients/**'],
    globalSetup: ['test/support/engine-built.ts'],
    // The default leaves a core idle, which is half of a machine with two.
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
