// The calls of a transaction as one tree, from what the node has: solidityTracer's description with internal calls, storage, events,
// moved coins and prints in their places, or, where debug methods are closed or the description is too large, the explorer's raw trace.
import type { Frame, MessageFrame, SolidityTrace } from '../../src/contracts/solidity-trace.ts'
import type { StorageFrame } from '../../src/contracts/storage-steps.ts'
import type { Trace } from '../api.ts'
import type { DecodeCall } from './call-names.ts'

export type Call = {
  readonly key: string
  /** `call`, `staticcall`, `create`, `internal`, `event`, `print`, `write`, `read`, `coins` … */
  readonly kind: string
  /** Of a message: the called, created or paid account; of an event or a write the contract; null: a creation failed. */
  readonly to?: string | null | undefined
  readonly from?: string | undefined
  /** Name of the contract at `to`. */
  readonly name?: string | undefined
  /** `put(amount: 77)`, an event, a printed text. */
  readonly words?: string | undefined
  /** What it returned: `total: 5`. */
  readonly returns?: string | undefined
  /** `contracts/Vault.sol:84:9` */
  readonly place?: string | undefined
  /** Quantities. */
  readonly value?: string | undefined
  readonly gas?: string | undefined
  readonly gasUsed?: string | number | undefined
  readonly input?: string | undefined
  readonly output?: string | undefined
  /** A read or write of a slot. */
  readonly storage?: StorageFrame | undefined
  /** Why it failed. */
  readonly failure?: string | undefined
  readonly calls: readonly Call[]
}

/** What a tree may leave out. What internal calls contain is then in their place. */
export type Hidden = { readonly internal: boolean; readonly writes: boolean; readonly reads: boolean }

/** The tree by solidityTracer. */
export function callsOf(trace: SolidityTrace, hidden: Hidden): Call {
  const within = (frames: readonly Frame[] | undefined, key: string): readonly Call[] =>
    (frames ?? []).flatMap((frame, i): Call | readonly Call[] => {
      const own = `${key}.${i}`
      switch (frame.type) {
        case 'EVENT':
          return { key: own, kind: 'event', to: frame.address, words: frame.event, calls: [] }
        case 'SSTORE':
          return hidden.writes ? [] : { key: own, kind: 'write', to: frame.address, storage: frame, calls: [] }
        case 'SLOAD':
          return hidden.reads ? [] : { key: own, kind: 'read', to: frame.address, storage: frame, calls: [] }
        case 'TRANSFER':
          return { key: own, kind: 'coins', from: frame.from, to: frame.to, value: frame.value, calls: [] }
        case 'INTERNAL': {
          const { calledAt: place, gasUsed, function: words } = frame
          if (frame.console !== undefined) return { key: own, kind: 'print', words: frame.console, calls: [] }
          if (hidden.internal) return within(frame.calls, own)
          return { key: own, kind: 'internal', words, place, gasUsed, calls: within(frame.calls, own) }
        }
        default:
          return frame.console === undefined
            ? { ...messageOf(frame, own), calls: within(frame.calls, own) }
            : { key: own, kind: 'print', words: frame.console, calls: [] }
      }
    })
  return { ...messageOf(trace, '0'), calls: within(trace.calls, '0') }
}

function messageOf(frame: MessageFrame, key: string): Omit<Call, 'calls'> {
  const { type, from, to = null, value, gas, gasUsed, input, output, returns, calledAt, reason, error } = frame
  const isCreation = type === 'CREATE' || type === 'CREATE2'
  const full = isCreation ? frame.function : frame.call
  const [name, words] = full === undefined ? [] : namedParts(full)
  const failure = error === undefined ? undefined : (reason ?? error)
  const sizes = type === 'SELFDESTRUCT' ? {} : { gas, gasUsed }
  const parts = { from, to, name, words, returns, place: calledAt, value, input, output, failure, ...sizes }
  return { key, kind: type.toLowerCase(), ...parts }
}

/** `Vault.put(amount: 77)` as its contract and the rest. */
function namedParts(words: string): readonly [name: string | undefined, rest: string] {
  const [, name, rest] = /^([^.(]+)\.(.*)$/s.exec(words) ?? []
  return name === undefined || rest === undefined ? [undefined, words] : [name, rest]
}

/** The tree by the raw trace, whose items contain their position ([0, 2] is the third call of the first call), in call order. */
export function callsOfRaw(traces: readonly Trace[], decode: DecodeCall): Call | undefined {
  const nodes = new Map<string, Call & { readonly calls: Call[] }>()
  for (const trace of traces) {
    const key = trace.traceAddress.join('.')
    const node = { key: `raw ${key}`, ...rawFields(trace, decode), failure: trace.error, calls: [] }
    nodes.set(key, node)
    if (trace.traceAddress.length > 0) nodes.get(trace.traceAddress.slice(0, -1).join('.'))?.calls.push(node)
  }
  return nodes.get('')
}

/** The common fields of all kinds of raw traces. */
function rawFields(trace: Trace, decode: DecodeCall): Omit<Call, 'key' | 'calls'> {
  switch (trace.type) {
    case 'call': {
      const { callType: kind, from, to, value, gas, input } = trace.action
      const words = to === null || input === '0x' ? undefined : (decode(to, input)?.text ?? input.slice(0, 10))
      return { kind, from, to, words, value, gas, input, gasUsed: trace.result?.gasUsed, output: trace.result?.output }
    }
    case 'create': {
      const { creationMethod: kind, from, value, gas, init: input } = trace.action
      const { result } = trace
      return {
        kind,
        from,
        to: result?.address ?? null,
        value,
        gas,
        input,
        gasUsed: result?.gasUsed,
        output: result?.code,
      }
    }
    case 'selfdestruct': {
      const { refundAddress: to, balance: value } = trace.action
      return { kind: 'selfdestruct', to, value }
    }
  }
}

/** Names of contracts by their addresses, as the calls have them. */
export function namesIn(root: Call): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { call } of rowsOf(root, () => true)) if (call.to && call.name) names.set(call.to, call.name)
  return names
}

// --- rows

/** A line of the tree. */
export type Row = {
  readonly call: Call
  readonly depth: number
  readonly isOpen: boolean
  /** Whether an enclosing call failed, so that what it did did not last. */
  readonly isUndone: boolean
}

/** The lines that are seen while some calls are folded. Walks without recursion: calls may be a thousand deep. */
export function rowsOf(root: Call, isOpen: (call: Call, depth: number) => boolean): readonly Row[] {
  const rows: Row[] = []
  const waiting = [{ call: root, depth: 0, isUndone: false }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { call, depth } = next
    const open = call.calls.length > 0 && isOpen(call, depth)
    rows.push({ ...next, isOpen: open })
    const isUndone = next.isUndone || call.failure !== undefined
    if (!open) continue
    for (let i = call.calls.length - 1; i >= 0; i--) {
      const inner = call.calls[i]
      if (inner !== undefined) waiting.push({ call: inner, depth: depth + 1, isUndone })
    }
  }
  return rows
}

/** Kinds that change something, so that a failure around them undoes them. */
export const hasEffect = ({ kind }: Call): boolean =>
  !['internal', 'print', 'read', 'staticcall', 'delegatecall'].includes(kind)
