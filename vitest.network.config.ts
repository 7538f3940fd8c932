// Networks of real processes with the consensus engine that COMETBFT names (`npm run test:network`). Without it every test says
// that it is skipped.
import { defineConfig } from 'vitest/config'
import { common } from './vitest.config.ts'

export default defineConfig({
  test: {
    ...common,
    name: 'network',
    include: ['test/network/*.test.ts'],
    // Each file runs a network of its own, and their clocks are real: one at a time.
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
})
