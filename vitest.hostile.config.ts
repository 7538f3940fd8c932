// What a stranger or a byzantine validator can send to a network of real processes (`npm run test:hostile`), with the engine that
// COMETBFT names. Without it every test says that it is skipped.
import { defineConfig } from 'vitest/config'
import { common } from './vitest.config.ts'

export default defineConfig({
  test: {
    ...common,
    name: 'hostile',
    include: ['test/hostile/*.test.ts'],
    // Each file runs a network of its own, and their clocks are real: one at a time.
    fileParallelism: false,
    testTimeout: 400_000,
    hookTimeout: 400_000,
  },
})
