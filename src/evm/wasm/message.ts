// A message within the engine, and how it ended.
import { EVMError, type EVMResult, type ExecResult, Message } from '@ethereumjs/evm'
import type { Address } from '../../lib/hex.ts'
import { EngineResult } from '../logs.ts'
import { toLibAddress } from '../state-adapter.ts'
import type { RunState } from '../tables.ts'
import type { Frame } from '../tracer.ts'
import { type Ledger, type Mark, NONE_CREATED, NONE_DESTROYED } from './ledger.ts'

const { errorMessages } = EVMError

export type CallKind = Exclude<Frame['type'], 'SELFDESTRUCT'>

export type Call = {
  readonly kind: CallKind
  readonly caller: Address
  /** The account in whose name the code runs; of a creation what it makes. */
  readonly to: Address
  readonly codeAddress: Address
  /** Apparent value under DELEGATECALL. */
  readonly value: bigint
  readonly gas: number
  /** Where the input lies: data, or init code. */
  readonly data: number
  readonly dataLength: number
  readonly depth: number
  readonly isStatic: boolean
  readonly salt: Uint8Array | undefined
  /** The stack word that named the code's account; 0 if none did. */
  readonly word: number
}

/** A message that has begun: its frame, 0 while it has none, and what its failure takes back. */
export type Open = {
  readonly call: Call
  readonly mark: Mark
  /** Where the engine's memory was free before. */
  readonly base: number
  frame: number
}

/** How a message ended. The output is a range of the engine's memory, or bytes from elsewhere. */
export type End = {
  error: string | undefined
  gasUsed: number
  at: number
  length: number
  bytes: Uint8Array | undefined
  /** What a precompile or native contract answered. */
  work: ExecResult | undefined
  /** Of code that ran: the last opcode and the items on the stack. */
  opcode: number
  items: number
  hasRun: boolean
  /** Code that could not be deployed. */
  refused: Uint8Array | undefined
}

export const ended = (error?: string, gasUsed = 0): End => ({
  error,
  gasUsed,
  at: 0,
  length: 0,
  bytes: undefined,
  work: undefined,
  opcode: 0,
  items: 0,
  hasRun: false,
  refused: undefined,
})

export const isCreation = ({ kind }: Call): boolean => kind === 'CREATE' || kind === 'CREATE2'

/** The message as the library has it, for native contracts and for those who watch. */
export function toLibMessage(
  call: Call,
  input: Uint8Array,
  ledger: Ledger,
  blobHashes: readonly `0x${string}`[],
  isNew: boolean,
): Message {
  const { kind, caller, to, codeAddress, value, gas, depth, isStatic, salt } = call
  const creates = isCreation(call)
  return new Message({
    caller: toLibAddress(caller),
    ...(!creates && { to: toLibAddress(to) }),
    ...(codeAddress !== to && { codeAddress: toLibAddress(codeAddress) }),
    value,
    gasLimit: BigInt(gas),
    data: input,
    depth,
    isStatic,
    ...(salt !== undefined && { salt }),
    delegatecall: kind === 'DELEGATECALL',
    gasRefund: BigInt(ledger.refund),
    blobVersionedHashes: [...blobHashes],
    selfdestruct: new Map(ledger.destroyed),
    ...(isNew && { createdAddresses: new Set(ledger.created) }),
  })
}

/** The end as the library tells it. `output`: only what the message hands back. */
export function toLibResult(call: Call, end: End, output: Uint8Array, ledger: Ledger, mark: Mark): EVMResult {
  const { error, gasUsed, work, opcode, items, hasRun, refused } = end
  // Frontier's contract that could not pay for its code stands, and with it what it did.
  const failed = error !== undefined && error !== errorMessages.CODESTORE_OUT_OF_GAS
  const gathered = failed
    ? { gasRefund: 0n, selfdestruct: NONE_DESTROYED, createdAddresses: NONE_CREATED }
    : { gasRefund: BigInt(ledger.refund), selfdestruct: ledger.destroyed, createdAddresses: ledger.created }
  const logs = failed ? [] : ledger.logs.slice(mark.logs)
  const result = new EngineResult(logs, output, BigInt(gasUsed), gathered)
  if (error !== undefined) result.exceptionError = work?.exceptionError ?? new EVMError(error as EVMError['error'])
  if (hasRun) {
    // What is asked of it: the opcode, the height of the stack, and what was to be returned.
    const state = { opCode: opcode, stack: { length: items }, returnValue: refused }
    result.runState = state as unknown as RunState
  }
  const isUnborn = !hasRun && error === errorMessages.INITCODE_SIZE_VIOLATION
  // Tracers know a native contract's own result by its identity.
  const execResult = work === undefined ? result : Object.assign(work, result, { logs: result.logs })
  return isCreation(call) && !isUnborn ? { execResult, createdAddress: toLibAddress(call.to) } : { execResult }
}
