// One node for the run, started before the first file and stopped after the last.
import { startNode } from 'kestrel-evm'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    rpcUrl: string
  }
}

export default async function start(project: TestProject) {
  const node = await startNode()
  project.provide('rpcUrl', node.rpcUrl)
  return () => node.stop()
}
