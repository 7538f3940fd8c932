// Converts messages, results, logs and failures between the library's types and ours.
import {
  type EVM,
  EVMError,
  type EVMResult,
  type EVMRunCallOpts,
  type ExecResult,
  type Log as LibLog,
  type Message as LibMessage,
} from '@ethereumjs/evm'
import { type Address, EMPTY_BYTES, fromHex, type Hash, toAddress, toHash, toHex } from '../../lib/hex.ts'
import type { Log } from '../../primitives/types.ts'
import { type Failure, type FailureCode, failureOf, opcodeFailure } from '../failure.ts'
import type { NativeOutcome } from '../host.ts'
import type { BlockContext, CallKind, Message, OuterMessage } from '../message.ts'
import type { Result } from '../result.ts'
import { Substate } from '../substate.ts'
import { addressOf, toLibAddress } from './state-adapter.ts'

const { errorMessages } = EVMError

const CODES: Readonly<Record<string, FailureCode>> = {
  [errorMessages.REVERT]: 'revert',
  [errorMessages.OUT_OF_GAS]: 'out of gas',
  [errorMessages.CODESTORE_OUT_OF_GAS]: 'code storage out of gas',
  [errorMessages.CODESIZE_EXCEEDS_MAXIMUM]: 'code size',
  [errorMessages.STACK_UNDERFLOW]: 'stack underflow',
  [errorMessages.STACK_OVERFLOW]: 'stack overflow',
  [errorMessages.INVALID_JUMP]: 'invalid jump',
  [errorMessages.INVALID_OPCODE]: 'invalid opcode',
  [errorMessages.STATIC_STATE_CHANGE]: 'write protection',
  [errorMessages.CREATE_COLLISION]: 'address collision',
  [errorMessages.INSUFFICIENT_BALANCE]: 'insufficient balance',
  [errorMessages.VALUE_OVERFLOW]: 'value overflow',
  [errorMessages.INVALID_BYTECODE_RESULT]: 'invalid code',
  [errorMessages.INITCODE_SIZE_VIOLATION]: 'initcode size',
  [errorMessages.OUT_OF_RANGE]: 'return data out of bounds',
}

/** An exceptional halt with one of our failures; the library does not interpret its text. */
export class Halt extends EVMError {
  readonly failure: Failure
  /** Gas that the opcode would have needed in addition to its price. */
  readonly wanted: bigint | undefined

  constructor(failure: Failure, wanted?: bigint) {
    super('exceptional halt' as EVMError['error'])
    this.failure = failure
    this.wanted = wanted
  }
}

/** The library's error for one of our failure codes. */
export function libErrorOf({ code, message: words }: Failure): EVMError {
  const known = Object.entries(CODES).find(([, ours]) => ours === code)
  return new EVMError((known === undefined ? words : known[0]) as EVMError['error'])
}

/** The library's text without the position that it appends for a bad jump. */
export const codeOfLibrary = (error: string): FailureCode | undefined => CODES[error.replace(/ at 0x.*/, '')]

/** The failure of a frame or precompile, with the opcode or stack that caused it; undefined on success. */
export function failureOfLibrary({ exceptionError, runState }: ExecResult): Failure | undefined {
  if (exceptionError === undefined) return undefined
  if (exceptionError instanceof Halt) return exceptionError.failure
  const { error } = exceptionError
  const code = codeOfLibrary(error)
  // A failure of a precompile.
  if (code === undefined) return failureOf(runState === undefined ? 'precompile' : 'other', error)
  if (runState === undefined) return failureOf(code)
  // Code ran to its end, but its deposit could not be paid.
  const { returnValue } = runState as typeof runState & { readonly returnValue?: Uint8Array }
  const isDeposit = code === 'out of gas' && returnValue !== undefined && returnValue.length > 0
  return isDeposit ? failureOf('code storage out of gas') : opcodeFailure(code, runState.opCode, runState.stack.length)
}

export const toLibLog = ({ address, topics, data }: Log): LibLog => [fromHex(address), topics.map(fromHex), data]

export const fromLibLog = ([address, topics, data]: LibLog): Log => ({
  address: toAddress(address),
  topics: topics.map(toHash),
  data,
})

/** Logs and coin transfers of native contracts, by the library's result that belongs to them. */
const nativeWork = new WeakMap<ExecResult, Pick<NativeOutcome, 'nativeLogs' | 'coinTransfers'>>()

/** The result of a precompile or native contract in the library's type. */
export function toExecResult(done: NativeOutcome, message?: LibMessage): ExecResult {
  const { output, gasUsed, logs, failure } = done
  const result: ExecResult = {
    returnValue: output,
    executionGasUsed: gasUsed,
    logs: logs.map(toLibLog),
    ...(failure !== undefined && { exceptionError: libErrorOf(failure) }),
    ...(message?.selfdestruct !== undefined && { selfdestruct: message.selfdestruct }),
    ...(message?.createdAddresses !== undefined && { createdAddresses: message.createdAddresses }),
  }
  nativeWork.set(result, done)
  return result
}

/** Converts a result of the library. `initialRefund`: see `LibraryHost`. */
export function fromLibResult({ execResult, createdAddress }: EVMResult, initialRefund = 0n): Result {
  const { returnValue, executionGasUsed, logs = [], selfdestruct, createdAddresses, gasRefund } = execResult
  const failure = failureOfLibrary(execResult)
  const work = nativeWork.get(execResult)
  return {
    failure,
    output: failure === undefined || failure.code === 'revert' ? returnValue : EMPTY_BYTES,
    gasUsed: executionGasUsed,
    logs: logs.map(fromLibLog),
    nativeLogs: work?.nativeLogs ?? [],
    coinTransfers: work?.coinTransfers,
    // The library drops the refunds of a failed message.
    refund: initialRefund + (gasRefund ?? 0n),
    destroyed: (selfdestruct ?? new Map()) as Map<Address, Address>,
    created: (createdAddresses ?? new Set()) as Set<Address>,
    createdAddress: createdAddress && toAddress(createdAddress.bytes),
  }
}

/** Converts a message of the library. `kind`: the opcode that called. */
export function fromLibMessage(message: LibMessage, kind: CallKind, input: Uint8Array): Message {
  const { caller, to, value, gasLimit, depth, isStatic } = message
  const codeAddress = addressOf(message.codeAddress)
  return {
    kind,
    sender: addressOf(caller),
    recipient: to === undefined ? codeAddress : addressOf(to),
    codeAddress,
    value,
    gas: gasLimit,
    input,
    depth,
    isStatic,
  }
}

/** The substate of a library message. */
export function substateOf({ gasRefund, selfdestruct, createdAddresses }: LibMessage): Substate {
  const substate = new Substate(Number(gasRefund))
  for (const [address, beneficiary] of selfdestruct ?? []) substate.destroy(address as Address, beneficiary as Address)
  for (const address of createdAddresses ?? []) substate.create(address as Address)
  return substate
}

/** Writes additions of native code back to the library's message. */
export function writeSubstate(message: LibMessage, { refund, destroyed, created }: Substate): void {
  message.gasRefund = BigInt(refund)
  for (const [address, beneficiary] of destroyed) message.selfdestruct?.set(address, beneficiary)
  for (const address of created) message.createdAddresses?.add(address)
}

/** The library's interface to a blockchain: only hashes of ancestors. */
export function chainOf(
  blockHash: (number: bigint) => Hash | undefined,
): NonNullable<ConstructorParameters<typeof EVM>[0]['blockchain']> {
  const chain = {
    getBlock: async (number: number) => {
      const hash = blockHash(BigInt(number))
      return { hash: () => (hash === undefined ? new Uint8Array(32) : fromHex(hash)) }
    },
    putBlock: async () => undefined,
    shallowCopy: () => chain,
  }
  return chain
}

/** The block in the form that the library's opcodes read. */
function toLibBlock(block: BlockContext): NonNullable<EVMRunCallOpts['block']> {
  return {
    header: {
      number: block.number,
      coinbase: toLibAddress(block.coinbase),
      timestamp: block.timestamp,
      difficulty: block.difficulty,
      prevRandao: fromHex(block.prevRandao),
      gasLimit: block.gasLimit,
      slotNumber: block.slotNumber,
      ...(block.baseFeePerGas !== undefined && { baseFeePerGas: block.baseFeePerGas }),
      getBlobGasPrice: () => block.blobBaseFee,
    },
  }
}

/** Converts an outer message to the library's type. */
export function toLibCall({ from, to, value, data, gasLimit, gasPrice, block, ...rest }: OuterMessage): EVMRunCallOpts {
  return {
    ...(block !== undefined && { block: toLibBlock(block) }),
    gasPrice,
    caller: toLibAddress(from),
    gasLimit,
    value,
    data,
    isStatic: rest.isStatic,
    ...(to !== null && { to: toLibAddress(to) }),
    blobVersionedHashes: [...rest.blobVersionedHashes],
    skipNonceIncrement: true,
  }
}

/** The address in a word. */
export const addressOfWord = (word: bigint): Address =>
  toHex(fromHex(`0x${BigInt.asUintN(160, word).toString(16).padStart(40, '0')}`)) as Address
