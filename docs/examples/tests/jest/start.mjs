// One node for the run, started before the first file. The files find it by the environment.
import { startNode } from 'kestrel-evm'

export default async function start() {
  globalThis.node = await startNode()
  process.env.RPC_URL = globalThis.node.rpcUrl
}
