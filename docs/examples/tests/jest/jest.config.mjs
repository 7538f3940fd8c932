export default {
  globalSetup: './start.mjs',
  globalTeardown: './stop.mjs',
  setupFilesAfterEnv: ['./chain.cjs'],
  // The files share one node, and a snapshot is of the whole chain: one file at a time.
  maxWorkers: 1,
}
