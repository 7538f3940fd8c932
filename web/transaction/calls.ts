// The calls of a transaction as one tree, from what the node has: solidityTracer's description with internal calls, events and
// prints in their places, or, where debug methods are closed or the description is too large, the explorer's raw trace.
import type { Frame, SolidityTrace } from '../../src/contracts/solidity-trace.ts'
import type { Trace } from '../api.ts'
import type { DecodeCall } from './call-names.ts'

export type Call = {
  readonly key: string
  /** `call`, `staticcall`, `create`, `internal`, `event`, `print` … */
  readonly kind: string
  /** Of a message: the called, created or paid account; null: a creation failed. */
  readonly to?: string | null | undefined
  /** Name of the contract at `to`. */
  readonly name?: string | undefined
  /** `put(amount: 77)`, an event, a printed text. */
  readonly words?: string | undefined
  /** `contracts/Vault.sol:84:9` */
  readonly place?: string | undefined
  /** Quantities. */
  readonly value?: string | undefined
  readonly gas?: string | undefined
  readonly gasUsed?: string | number | undefined
  readonly input?: string | undefined
  readonly output?: string | undefined
  /** Why it failed. */
  readonly failure?: string | undefined
  readonly calls: readonly Call[]
}

/** The tree by solidityTracer. `hidesInternal`: internal calls are left out, and what they call is in their place. */
export function callsOf(trace: SolidityTrace, hidesInternal: boolean): Call {
  const within = (frames: readonly Frame[] | undefined, key: string): readonly Call[] =>
    (frames ?? []).flatMap((frame, i): Call | readonly Call[] => {
      const own = `${key}.${i}`
      if (frame.type === 'EVENT') return { key: own, kind: 'event', words: frame.event, calls: [] }
      if (frame.console !== undefined) return { key: own, kind: 'print', words: frame.console, calls: [] }
      if (frame.type !== 'INTERNAL') return message(frame, own)
      if (hidesInternal) return within(frame.calls, own)
      const { calledAt, gasUsed } = frame
      return {
        key: own,
        kind: 'internal',
        words: frame.function,
        place: calledAt,
        gasUsed,
        calls: within(frame.calls, own),
      }
    })
  const message = (frame: Exclude<Frame, { type: 'EVENT' | 'INTERNAL' }>, key: string): Call => {
    const { type, to = null, value, gas, gasUsed, input, output, calledAt, reason, error } = frame
    const isCreation = type === 'CREATE' || type === 'CREATE2'
    const full = isCreation ? frame.function : frame.call
    const [name, words] = full === undefined ? [] : namedParts(full)
    const failure = error === undefined ? undefined : (reason ?? error)
    const sizes = type === 'SELFDESTRUCT' ? {} : { gas, gasUsed }
    const parts = { to, name, words, place: calledAt, value, input, output, failure, ...sizes }
    return { key, kind: type.toLowerCase(), ...parts, calls: within(frame.calls, key) }
  }
  return message(trace, '0')
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
      const { callType: kind, to, value, gas, input } = trace.action
      const words = to === null || input === '0x' ? undefined : (decode(to, input)?.text ?? input.slice(0, 10))
      return { kind, to, words, value, gas, input, gasUsed: trace.result?.gasUsed, output: trace.result?.output }
    }
    case 'create': {
      const { creationMethod: kind, value, gas, init: input } = trace.action
      const { result } = trace
      return { kind, to: result?.address ?? null, value, gas, input, gasUsed: result?.gasUsed, output: result?.code }
    }
    case 'selfdestruct': {
      const { refundAddress: to, balance: value } = trace.action
      return { kind: 'selfdestruct', to, value }
    }
  }
}
