// What one runs before a commit (`npm run test:fast`): the tests without a node, another program, a compiler or a browser, and one
// chain to see that the parts fit together. Below a minute on two cores; `npm test` runs everything.
import { defineConfig } from 'vitest/config'
import { unitTests } from './test/support/cost.ts'
import { common, FRESH } from './vitest.config.ts'

export default defineConfig({
  test: {
    ...common,
    projects: [
      {
        extends: true,
        test: { name: 'fast', include: ['test/smoke.test.ts', ...unitTests()], exclude: FRESH, isolate: false },
      },
    ],
  },
})
