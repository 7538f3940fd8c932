// User operations (ERC-4337): the calls of entry point contracts that carry them, and their events. Events are the same in all versions.
// The struct of an operation has changed once: version 0.6 has its five limits and fees as fields, later ones pack four of them.
import type { AbiParameter } from 'abitype'
import { ChainError } from '../lib/errors.ts'
import {
  type Address,
  bytesToBig,
  EMPTY_BYTES,
  fromHex,
  type Hash,
  hexToAddress,
  toAddress,
  toHex,
  ZERO_ADDRESS,
} from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { decodeAbi, type Shape } from './abi-decoder.ts'
import type { Log } from './types.ts'

export const ENTRY_POINT_VERSIONS = ['v0.6', 'v0.7', 'v0.8', 'v0.9'] as const
type EntryPointVersion = (typeof ENTRY_POINT_VERSIONS)[number]

/** The entry points of the authors of ERC-4337. A deterministic deployment gives each the same address on every chain. */
export const ENTRY_POINTS: ReadonlyMap<Address, EntryPointVersion> = new Map([
  [hexToAddress('0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789'), 'v0.6'],
  [hexToAddress('0x0000000071727de22e5e9d8baf0edac6f37da032'), 'v0.7'],
  [hexToAddress('0x4337084d9e255ff0702461cf8895ce9e3b5ff108'), 'v0.8'],
  [hexToAddress('0x433709009b8330fda32311df1c2afa402ed8d009'), 'v0.9'],
])

const hashOf = (signature: string): Hash => keccakHash(Buffer.from(signature, 'latin1'))
const selectorOf = (signature: string): string => hashOf(signature).slice(0, 10)

/** Topics of an entry point's events. */
export const OPERATION_TOPIC = {
  operation: hashOf('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)'),
  revertReason: hashOf('UserOperationRevertReason(bytes32,address,uint256,bytes)'),
  postOpRevertReason: hashOf('PostOpRevertReason(bytes32,address,uint256,bytes)'),
  accountDeployed: hashOf('AccountDeployed(bytes32,address,address,address)'),
  beforeExecution: hashOf('BeforeExecution()'),
  deposited: hashOf('Deposited(address,uint256)'),
} as const

export type UserOperation = {
  readonly sender: Address
  readonly nonce: bigint
  /** Factory and its input; of an EIP-7702 account a marker; else empty. */
  readonly initCode: Uint8Array
  readonly callData: Uint8Array
  readonly callGasLimit: bigint
  readonly verificationGasLimit: bigint
  readonly preVerificationGas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** Paymaster, since 0.7 its two gas limits, and its data; empty without a paymaster. */
  readonly paymasterAndData: Uint8Array
  readonly signature: Uint8Array
}

/** An operation in a call of an entry point, with the aggregator that has verified its signature. */
export type BundledOperation = UserOperation & {
  readonly aggregator: Address | undefined
  readonly aggregatorSignature: Uint8Array
}

/** The call of an entry point with a bundle of operations. */
export type Bundle = {
  /** Who receives the fees. */
  readonly beneficiary: Address
  /** Whether the operations have the struct of 0.7 and later. */
  readonly isPacked: boolean
  readonly operations: readonly BundledOperation[]
}

// --- calls

const named = (type: string, ...names: readonly string[]): AbiParameter[] => names.map((name) => ({ name, type }))

const HEAD = [...named('address', 'sender'), ...named('uint256', 'nonce'), ...named('bytes', 'initCode', 'callData')]
const TAIL = named('bytes', 'paymasterAndData', 'signature')
const LIMITS = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas', 'maxFeePerGas', 'maxPriorityFeePerGas']
const PACKED_LIMITS = [
  ...named('bytes32', 'accountGasLimits'),
  ...named('uint256', 'preVerificationGas'),
  ...named('bytes32', 'gasFees'),
]
const structs = (components: readonly AbiParameter[]): AbiParameter => ({ type: 'tuple[]', components })

type Handler = {
  readonly parameters: readonly AbiParameter[]
  readonly isPacked: boolean
  readonly isAggregated: boolean
}

/** `handleOps` and `handleAggregatedOps` of both structs, by selector. */
const HANDLERS: ReadonlyMap<string, Handler> = new Map(
  [false, true].flatMap((isPacked) => {
    const limits = isPacked ? PACKED_LIMITS : named('uint256', ...LIMITS)
    const operations = structs([...HEAD, ...limits, ...TAIL])
    const aggregated = structs([operations, ...named('address', 'aggregator'), ...named('bytes', 'signature')])
    return [false, true].map((isAggregated) => {
      const parameters = [isAggregated ? aggregated : operations, ...named('address', 'beneficiary')]
      const name = isAggregated ? 'handleAggregatedOps' : 'handleOps'
      const signature = `${name}(${parameters.map(typeOf).join(',')})`
      return [selectorOf(signature), { parameters, isPacked, isAggregated }] as const
    })
  }),
)

/** A type as a signature has it. */
function typeOf(parameter: AbiParameter): string {
  if (!('components' in parameter)) return parameter.type
  return `(${parameter.components.map(typeOf).join(',')})${parameter.type.slice('tuple'.length)}`
}

const SELECTOR = 4

type Value = bigint | boolean | string | readonly Value[]
const plain: Shape<Value> = {
  scalar: (_type, value) => value,
  array: (values) => values,
  tuple: (_of, values) => values,
}

/** The bundle in the input of a call; undefined: it is another call, or malformed. Its parts are not longer than the input together. */
export function decodeBundle(input: Uint8Array): Bundle | undefined {
  const handler = input.length < SELECTOR ? undefined : HANDLERS.get(toHex(input.subarray(0, SELECTOR)))
  if (handler === undefined) return undefined
  try {
    const [groups, beneficiary] = decodeAbi(handler.parameters, input.subarray(SELECTOR), 'strict', plain)
    const read = (of: Value) => (handler.isPacked ? packedOperation(list(of)) : operation(list(of)))
    const alone = { aggregator: undefined, aggregatorSignature: EMPTY_BYTES }
    const operations = list(groups).flatMap((of): BundledOperation[] => {
      if (!handler.isAggregated) return [{ ...read(of), ...alone }]
      const [own, aggregator, signature] = list(of)
      const by = { aggregator: addressOf(aggregator), aggregatorSignature: bytesOf(signature) }
      return list(own).map((each) => ({ ...read(each), ...by }))
    })
    return { beneficiary: addressOf(beneficiary), isPacked: handler.isPacked, operations }
  } catch (error) {
    if (error instanceof ChainError) return undefined
    throw error
  }
}

const isList = (value: Value | undefined): value is readonly Value[] => Array.isArray(value)
const list = (value: Value | undefined): readonly Value[] => (isList(value) ? value : [])
const bigOf = (value: Value | undefined): bigint => (typeof value === 'bigint' ? value : 0n)
const bytesOf = (value: Value | undefined): Uint8Array => fromHex(typeof value === 'string' ? value : '0x')
const addressOf = (value: Value | undefined): Address => hexToAddress(typeof value === 'string' ? value : ZERO_ADDRESS)

function operation([sender, nonce, initCode, callData, ...rest]: readonly Value[]): UserOperation {
  const [callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas, maxPriorityFeePerGas, ...tail] = rest
  return {
    sender: addressOf(sender),
    nonce: bigOf(nonce),
    initCode: bytesOf(initCode),
    callData: bytesOf(callData),
    callGasLimit: bigOf(callGasLimit),
    verificationGasLimit: bigOf(verificationGasLimit),
    preVerificationGas: bigOf(preVerificationGas),
    maxFeePerGas: bigOf(maxFeePerGas),
    maxPriorityFeePerGas: bigOf(maxPriorityFeePerGas),
    paymasterAndData: bytesOf(tail[0]),
    signature: bytesOf(tail[1]),
  }
}

function packedOperation([sender, nonce, initCode, callData, ...rest]: readonly Value[]): UserOperation {
  const [accountGasLimits, preVerificationGas, gasFees, ...tail] = rest
  const [verificationGasLimit, callGasLimit] = halvesOf(bytesOf(accountGasLimits))
  const [maxPriorityFeePerGas, maxFeePerGas] = halvesOf(bytesOf(gasFees))
  const limits = [callGasLimit, verificationGasLimit, bigOf(preVerificationGas), maxFeePerGas, maxPriorityFeePerGas]
  return operation([sender ?? '', nonce ?? 0n, initCode ?? '', callData ?? '', ...limits, ...tail])
}

/** Two numbers of 16 bytes. */
const halvesOf = (word: Uint8Array): [bigint, bigint] => [
  bytesToBig(word.subarray(0, 16)),
  bytesToBig(word.subarray(16, 32)),
]

const VALIDATIONS: ReadonlySet<string> = new Set(
  [named('uint256', ...LIMITS), PACKED_LIMITS].map((limits) =>
    selectorOf(`validateUserOp((${[...HEAD, ...limits, ...TAIL].map(typeOf).join(',')}),bytes32,uint256)`),
  ),
)

/** The hash of the operation that a call of `validateUserOp` asks an account to accept; undefined: it is another call. */
export function validatedHash(input: Uint8Array): Hash | undefined {
  const isValidation = input.length >= SELECTOR + 64 && VALIDATIONS.has(toHex(input.subarray(0, SELECTOR)))
  return isValidation ? (toHex(input.subarray(SELECTOR + 32, SELECTOR + 64)) as Hash) : undefined
}

// --- parts of an operation

const ADDRESS = 20
const addressAt = (bytes: Uint8Array): Address | undefined =>
  bytes.length < ADDRESS ? undefined : toAddress(bytes.subarray(0, ADDRESS))

/** The place of a factory in the initCode of an account of EIP-7702. */
const DELEGATION_MARKER = hexToAddress(`0x7702${'00'.repeat(18)}`)

/** The contract that is to deploy the sender. */
export function factoryOf({ initCode }: Pick<UserOperation, 'initCode'>): Address | undefined {
  const factory = addressAt(initCode)
  return factory === DELEGATION_MARKER ? undefined : factory
}

/** The largest amount of gas that is charged for an operation. Version 0.6 verifies up to three times if a paymaster pays. */
export function gasLimitOf(of: UserOperation, isPacked: boolean): bigint {
  const { callGasLimit, verificationGasLimit, preVerificationGas, paymasterAndData: paid } = of
  if (!isPacked) return callGasLimit + verificationGasLimit * (paid.length < ADDRESS ? 1n : 3n) + preVerificationGas
  const [verification, postOp] = paid.length < ADDRESS + 32 ? [0n, 0n] : halvesOf(paid.subarray(ADDRESS, ADDRESS + 32))
  return callGasLimit + verificationGasLimit + preVerificationGas + verification + postOp
}

// --- events

export type OperationEvent = {
  readonly hash: Hash
  readonly sender: Address
  readonly paymaster: Address | undefined
  readonly nonce: bigint
  readonly isSuccess: boolean
  /** What sender or paymaster have paid, in wei. */
  readonly cost: bigint
  readonly gasUsed: bigint
}

/** The event of an executed operation; undefined: it is another one, or malformed. */
export function operationEvent({ topics, data }: Log): OperationEvent | undefined {
  const [topic, hash, sender, paymaster] = topics
  if (topic !== OPERATION_TOPIC.operation || hash === undefined || sender === undefined) return undefined
  if (paymaster === undefined || data.length < 128) return undefined
  const [nonce = 0n, success, cost = 0n, gasUsed = 0n] = [0, 32, 64, 96].map((at) =>
    bytesToBig(data.subarray(at, at + 32)),
  )
  const payer = addressIn(paymaster)
  return {
    hash,
    sender: addressIn(sender),
    paymaster: payer === ZERO_ADDRESS ? undefined : payer,
    nonce,
    isSuccess: success !== 0n,
    cost,
    gasUsed,
  }
}

/** The last 20 bytes of a topic. */
export const addressIn = (topic: Hash): Address => hexToAddress(`0x${topic.slice(26)}`)

/** The reason in the event of a failed call, or of a failure of the paymaster after it. */
export function revertReasonIn({ data }: Log): Uint8Array | undefined {
  const parameters = [...named('uint256', 'nonce'), ...named('bytes', 'revertReason')]
  try {
    return bytesOf(decodeAbi(parameters, data, 'lenient', plain)[1])
  } catch (error) {
    if (error instanceof ChainError) return undefined
    throw error
  }
}

// --- calls of accounts

/** Functions by which accounts run a call that their operation asks for; the first three parameters are target, coins and input. */
const EXECUTIONS: ReadonlySet<string> = new Set(
  [
    'execute(address,uint256,bytes)',
    'execute(address,uint256,bytes,uint8)',
    'execute(address,uint256,bytes,bytes)',
    'execute_ncC(address,uint256,bytes)',
    'executeAndRevert(address,uint256,bytes,uint8)',
    'executeCall(address,uint256,bytes)',
    'executeUserOp(address,uint256,bytes,uint8)',
    'exec(address,uint256,bytes)',
    'execFromEntryPoint(address,uint256,bytes)',
    'execFromEntryPointWithFee(address,uint256,bytes,(address,address,uint256))',
    'execTransactionFromEntrypoint(address,uint256,bytes)',
    'execTransactionFromEntrypoint(address,uint256,bytes,uint8)',
    'execTransactionFromEntrypoint(address,uint256,bytes,uint8,address,address,uint256)',
    'callContract(address,uint256,bytes,bool)',
    'send(address,uint256,bytes)',
  ].map(selectorOf),
)
const EXECUTION = [...named('address', 'target'), ...named('uint256', 'value'), ...named('bytes', 'input')]

/** The call that an account is asked to run; undefined if the function is not one of the usual ones. */
export function executedCall(
  callData: Uint8Array,
): { readonly target: Address; readonly value: bigint; readonly input: Uint8Array } | undefined {
  if (callData.length < SELECTOR || !EXECUTIONS.has(toHex(callData.subarray(0, SELECTOR)))) return undefined
  try {
    const [target, value, input] = decodeAbi(EXECUTION, callData.subarray(SELECTOR), 'lenient', plain)
    return { target: addressOf(target), value: bigOf(value), input: bytesOf(input) }
  } catch (error) {
    if (error instanceof ChainError) return undefined
    throw error
  }
}

/** Functions that came with a version, as code has them: PUSH4 and the selector. */
const SINCE = (
  [
    ['v0.9', 'getCurrentUserOpHash()'],
    ['v0.8', 'getPackedUserOpTypeHash()'],
  ] as const
).map(([version, signature]) => [version, Buffer.from(`63${selectorOf(signature).slice(2)}`, 'hex')] as const)

/** The version of an entry point: known by its address, or else by its struct and the functions in its code. */
export function entryPointVersion(entryPoint: Address, isPacked: boolean, code: Uint8Array): EntryPointVersion {
  if (!isPacked) return 'v0.6'
  const known = ENTRY_POINTS.get(entryPoint)
  if (known !== undefined && known !== 'v0.6') return known
  return SINCE.find(([, push]) => Buffer.from(code).includes(push))?.[0] ?? 'v0.7'
}
