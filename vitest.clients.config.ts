// Other people's tools against a running node (`npm run test:clients`). Unlike `npm test` it needs the npm registry.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/clients/*.test.ts'],
    globalSetup: ['test/clients/install.ts'],
    maxWorkers: '100%',
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
})
