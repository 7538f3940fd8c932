// The registry: every export of these files is a method, under its own name. A new file gets a line here.
import type { RpcMethod } from '../define.ts'
import * as blocks from './blocks.ts'
import * as calls from './calls.ts'
import * as chain from './chain.ts'
import * as logs from './logs.ts'
import * as net from './net.ts'
import * as state from './state.ts'
import * as transactions from './transactions.ts'

const families = { blocks, calls, chain, logs, net, state, transactions }

export const methods: ReadonlyMap<string, RpcMethod> = new Map(
  Object.values(families).flatMap((family) => Object.entries<RpcMethod>(family)),
)
