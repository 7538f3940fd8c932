// The registry of methods: every export of these files is a method with the same name. Add new files here.
import type { RpcMethod } from '../define.ts'
import * as blocks from './blocks.ts'
import * as bundles from './bundles.ts'
import * as calls from './calls.ts'
import * as chain from './chain.ts'
import * as config from './config.ts'
import * as debug from './debug.ts'
import * as debugRaw from './debug-raw.ts'
import * as debugTrace from './debug-trace.ts'
import * as devBlocks from './dev-blocks.ts'
import * as devChain from './dev-chain.ts'
import * as devMining from './dev-mining.ts'
import * as devNative from './dev-native.ts'
import * as devReorg from './dev-reorg.ts'
import * as devState from './dev-state.ts'
import * as devTimeline from './dev-timeline.ts'
import * as erigon from './erigon.ts'
import * as filters from './filters.ts'
import * as kestrel from './kestrel.ts'
import * as kestrelDebugger from './kestrel-debugger.ts'
import * as kestrelNative from './kestrel-native.ts'
import * as logs from './logs.ts'
import * as memory from './memory.ts'
import * as net from './net.ts'
import * as ots from './ots.ts'
import * as personal from './personal.ts'
import * as simulate from './simulate.ts'
import * as state from './state.ts'
import * as subscriptions from './subscriptions.ts'
import * as testing from './testing.ts'
import * as trace from './trace.ts'
import * as transactions from './transactions.ts'
import * as txpool from './txpool.ts'
import * as wallet from './wallet.ts'

const families = {
  blocks,
  bundles,
  calls,
  chain,
  config,
  debug,
  debugRaw,
  debugTrace,
  devBlocks,
  devChain,
  devMining,
  devNative,
  devReorg,
  devState,
  devTimeline,
  erigon,
  filters,
  kestrel,
  kestrelDebugger,
  kestrelNative,
  logs,
  memory,
  net,
  ots,
  personal,
  simulate,
  state,
  subscriptions,
  testing,
  trace,
  transactions,
  txpool,
  wallet,
}

type ValueOf<F> = F extends unknown ? F[keyof F] : never
type AllOf<F> = F extends unknown ? (members: F) => void : never
/** Methods by wire name, each with its own types. */
export type RpcMethods = AllOf<ValueOf<typeof families>> extends (members: infer M) => void ? M : never

export const methods: ReadonlyMap<string, RpcMethod> = new Map([
  ...Object.values(families).flatMap((family) => Object.entries<RpcMethod>(family)),
  // The name in OpenRPC's specification, which no export can have.
  ['rpc.discover', net.rpc_discover],
])
