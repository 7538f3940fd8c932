import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: ['./node.ts'],
    setupFiles: ['./chain.ts'],
    // The files share one node, and a snapshot is of the whole chain: one file at a time.
    fileParallelism: false,
  },
})
