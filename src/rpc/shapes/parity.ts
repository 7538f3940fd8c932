// Traces of the trace_ methods in Parity's format, which Erigon and Nethermind share: `action`, `result` or `error`, and the
// path in the tree of frames.
import type { Replayed } from '../../chain/types.ts'
import { type Address, bigToWord, type Hash, type Hex, toHex, toQuantity } from '../../lib/hex.ts'
import { parityError } from '../../primitives/parity-errors.ts'
import type { SealedHeader } from '../../primitives/types.ts'
import type { Reward } from '../../runtime/system.ts'
import type { AccountChange, ExecutionRecord } from '../../runtime/tracing/execution-recorder.ts'
import type { FlatFrame } from '../../runtime/tracing/flatten.ts'
import type { VmFrame, VmOperation } from '../../runtime/tracing/vm-trace.ts'

type Action = Readonly<Record<string, Hex | string | null>>

export type ParityTrace = {
  readonly action: Action
  /** Absent when the frame failed other than by a revert. */
  readonly result?: Readonly<Record<string, Hex | null>> | null
  readonly error?: string
  readonly subtraces: number
  readonly traceAddress: readonly number[]
  readonly type: 'call' | 'create' | 'suicide' | 'reward'
}

export type LocalizedTrace = ParityTrace & {
  readonly blockHash: Hash
  readonly blockNumber: number
  readonly transactionHash: Hash | null
  readonly transactionPosition: number | null
}

export function parityTrace(frame: FlatFrame): ParityTrace {
  const { error, traceAddress, subtraces } = frame
  const hasResult = error === undefined || error === 'execution reverted'
  const { type, action, result } = actionOf(frame)
  return {
    action,
    ...(error !== undefined && { error: parityError(error) }),
    ...(hasResult && { result }),
    subtraces,
    traceAddress,
    type,
  }
}

function actionOf(frame: FlatFrame): Required<Pick<ParityTrace, 'type' | 'action' | 'result'>> {
  const { from, to, value, gas, gasUsed, input, output, error } = frame
  if (frame.type === 'SELFDESTRUCT') {
    return { type: 'suicide', action: { address: from, balance: toQuantity(value), refundAddress: to }, result: null }
  }
  const paid = { from, gas: toQuantity(gas), value: toQuantity(value) }
  if (frame.type === 'CREATE' || frame.type === 'CREATE2') {
    const address = error === undefined ? to : null
    return {
      type: 'create',
      action: { ...paid, creationMethod: frame.type.toLowerCase(), init: toHex(input) },
      result: { address, code: toHex(output), gasUsed: toQuantity(gasUsed) },
    }
  }
  return {
    type: 'call',
    action: { ...paid, callType: frame.type.toLowerCase(), input: toHex(input), to },
    result: { gasUsed: toQuantity(gasUsed), output: toHex(output) },
  }
}

/** The frames of a mined transaction, each with block and transaction. */
export function localizedTraces({ frames, transaction, header, index }: Replayed): LocalizedTrace[] {
  const position = { transactionHash: transaction.hash, transactionPosition: index }
  return frames.map((frame) => ({ ...parityTrace(frame), ...blockPosition(header), ...position }))
}

/** The block and uncle rewards, as traces without a transaction. */
export const rewardTraces = (header: SealedHeader, rewards: readonly Reward[]): LocalizedTrace[] =>
  rewards.map(({ kind, author, value }) => ({
    action: { author, rewardType: kind, value: toQuantity(value) },
    result: null,
    subtraces: 0,
    traceAddress: [],
    type: 'reward',
    ...blockPosition(header),
    transactionHash: null,
    transactionPosition: null,
  }))

const blockPosition = ({ hash, number }: SealedHeader) => ({ blockHash: hash, blockNumber: Number(number) })

/** The parts of a replay that a request may ask for. */
export type TraceKind = 'trace' | 'stateDiff' | 'vmTrace'

/** A replay with the requested parts; the others are empty or null. */
export function parityReplay(recorded: ExecutionRecord, kinds: readonly TraceKind[]) {
  const { operations } = recorded
  return {
    output: toHex(recorded.output),
    stateDiff: kinds.includes('stateDiff') ? stateDiff(recorded.changes) : null,
    trace: kinds.includes('trace') ? recorded.frames.map(parityTrace) : [],
    vmTrace: kinds.includes('vmTrace') && operations !== undefined ? vmTrace(operations) : null,
  }
}

// --- stateDiff

type Delta = '=' | { '+': Hex } | { '-': Hex } | { '*': { from: Hex; to: Hex } }
type AccountDelta = { balance: Delta; code: Delta; nonce: Delta; storage: Record<Hash, Delta> }

const stateDiff = (changes: readonly AccountChange[]): Record<Address, AccountDelta> =>
  Object.fromEntries(changes.map((change) => [change.address, accountDelta(change)]))

function accountDelta({ before, after, codeBefore, codeAfter, slots }: AccountChange): AccountDelta {
  // A new account has no `before`, a deleted one no `after`.
  const delta = (from: Hex, to: Hex): Delta => {
    if (before === undefined) return { '+': to }
    if (after === undefined) return { '-': from }
    return from === to ? '=' : { '*': { from, to } }
  }
  return {
    balance: delta(toQuantity(before?.balance ?? 0n), toQuantity(after?.balance ?? 0n)),
    code: delta(toHex(codeBefore), toHex(codeAfter)),
    nonce: delta(toQuantity(before?.nonce ?? 0n), toQuantity(after?.nonce ?? 0n)),
    storage: Object.fromEntries(slots.map((slot) => [slot.key, delta(bigToWord(slot.before), bigToWord(slot.after))])),
  }
}

// --- vmTrace

type WireVmTrace = { readonly code: Hex; readonly ops: readonly unknown[] }

const vmTrace = ({ code, ops }: VmFrame): WireVmTrace => ({ code: toHex(code), ops: ops.map(vmOperation) })

const vmOperation = ({ pc, opcode, cost, ex, sub }: VmOperation) => ({
  cost: Number(cost),
  ex: ex
    ? {
        mem: ex.mem ? { data: toHex(ex.mem.data), off: ex.mem.off } : null,
        push: ex.push.map(toQuantity),
        store: ex.store ? { key: toQuantity(ex.store.key), val: toQuantity(ex.store.val) } : null,
        used: Number(ex.used),
      }
    : null,
  op: opcode.name,
  pc,
  sub: sub ? vmTrace(sub) : null,
})
