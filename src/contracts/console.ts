// The console of Solidity: `console.log` of Hardhat and forge-std is a call of an address without code, whose input is the
// text. What Hardhat's and Foundry's formats do differently is in docs/debugging.md.
import type { AbiParameter } from 'abitype'
import { checksummed } from '../lib/checksummed.ts'
import { type Address, type Hash, hexToAddress, toHex } from '../lib/hex.ts'
import { keccak256 } from '../lib/keccak.ts'
import type { LineBelow } from '../lib/log.ts'
import type { Shape } from '../primitives/abi-decoder.ts'
import { type ContractsContext, contractName } from './abi.ts'
import { decodeAs } from './abi-decoding.ts'
import { ifHere } from './words.ts'

/** The ASCII text `console.log`. */
export const CONSOLE = hexToAddress('0x000000000000000000636f6e736f6c652e6c6f67')

/** A call of the console. */
export type ConsoleCall = {
  /** The account whose code has called it. */
  readonly by: Address
  readonly input: Uint8Array
}

export type ConsoleLog = {
  readonly address: Address
  /** Name of the contract; undefined: none is known. */
  readonly name: string | undefined
  /** As the contract wrote it; may have line ends and control characters. */
  readonly text: string
}

type Frame = {
  readonly from: Address
  readonly to: Address | null
  readonly input: Uint8Array
  readonly calls: readonly Frame[]
}

/** The calls of the console in a call tree, in order. */
export function* consoleCalls(root: Frame): Generator<ConsoleCall> {
  for (const frame of root.calls) {
    // Within a creation that failed the code has no other address.
    if (frame.to === CONSOLE) yield { by: root.to ?? frame.from, input: frame.input }
    else if (frame.calls.length > 0) yield* consoleCalls(frame)
  }
}

/** Runs a mined transaction again, or reads its recording; `chain.traces` does. */
type Replays = {
  replayTransaction(
    hash: Hash,
    detail: { opcodes: false; signal?: AbortSignal },
  ): Promise<{
    readonly frames: readonly (Omit<Frame, 'calls'> & { readonly traceAddress: readonly number[] })[]
  }>
}

/** What contracts have printed in a mined transaction, also if it failed. Throws as the replay. */
export async function consoleLogs(
  known: ContractsContext,
  traces: Replays,
  hash: Hash,
  signal?: AbortSignal,
): Promise<ConsoleLog[]> {
  const { frames } = await traces.replayTransaction(hash, { opcodes: false, ...(signal && { signal }) })
  const codes = new Map(frames.map(({ traceAddress, to }) => [traceAddress.join(), to]))
  return frames.flatMap(({ from, to, input, traceAddress }) => {
    const text = to === CONSOLE && traceAddress.length > 0 ? consoleText(input) : undefined
    if (text === undefined) return []
    const address = codes.get(traceAddress.slice(0, -1).join()) ?? from
    return [{ address, name: ifHere(() => contractName(known, address)), text }]
  })
}

/** Most lines of a transaction or call that are printed. */
const MOST_LINES = 100

/** The first lines that calls print, and the number of the others. */
export type PrintedLines = { readonly first: readonly string[]; readonly more: number }

/** What calls print. `uncollected`: calls after these. */
export function printedLines(calls: Iterable<ConsoleCall>, uncollected = 0): PrintedLines {
  const first: string[] = []
  let more = uncollected
  for (const { input } of calls) {
    const text = first.length < MOST_LINES ? consoleText(input) : undefined
    if (text !== undefined) first.push(...text.split(/\r?\n/, MOST_LINES))
    else if (first.length >= MOST_LINES) more++
  }
  more += first.splice(MOST_LINES).length
  return { first, more }
}

/** For the terminal: below the transaction or call. */
export function printedBelow({ first, more }: PrintedLines): LineBelow[] {
  const lines = first.map((text): LineBelow => ({ text: `console.log: ${text}`, colour: 'blue' }))
  return more === 0 ? lines : [...lines, { text: `… ${more.toLocaleString('en-US')} more lines`, colour: 'blue' }]
}

/** The text of a call's input; undefined: none of the console's functions has it. */
export function consoleText(input: Uint8Array): string | undefined {
  const types = functions().get(toHex(input.subarray(0, SELECTOR)))
  const values = types && decodeAs(VALUES, types, input.subarray(SELECTOR), 'lenient')
  return values && formatted(values)
}

// --- its functions

const SELECTOR = 4
const BASIC = ['uint256', 'string', 'bool', 'address']
const MOST_ARGUMENTS = 4

/** The signatures of all functions, with the types of their arguments. */
export function* consoleSignatures(): Generator<readonly [signature: string, types: readonly string[]]> {
  for (const types of argumentLists()) {
    const list = types.join()
    yield [`log(${list})`, types]
    // Early versions hashed `uint`, which is no type of the ABI.
    const legacy = list.replace(/\b(u?int)256\b/g, '$1')
    if (legacy !== list) yield [`log(${legacy})`, types]
  }
}

function* argumentLists(): Generator<readonly string[]> {
  yield []
  for (const type of ['int256', 'bytes']) yield [type]
  yield ['string', 'int256']
  for (let size = 1; size <= 32; size++) yield [`bytes${size}`]
  let lists: readonly (readonly string[])[] = [[]]
  for (let count = 1; count <= MOST_ARGUMENTS; count++) {
    lists = lists.flatMap((list) => BASIC.map((type) => [...list, type]))
    yield* lists
  }
}

let bySelector: ReadonlyMap<string, readonly AbiParameter[]> | undefined

/** Made at the first call: 700 hashes take a millisecond. */
function functions(): ReadonlyMap<string, readonly AbiParameter[]> {
  bySelector ??= new Map(
    [...consoleSignatures()].map(([signature, types]) => [
      toHex(keccak256(Buffer.from(signature)).subarray(0, SELECTOR)),
      types.map((type) => ({ type })),
    ]),
  )
  return bySelector
}

// --- formats

/** A number stays one, for the formats of numbers; everything else is text. */
type Value = { readonly type: string; readonly value: bigint | string }

const VALUES: Shape<Value> = {
  scalar(type, value) {
    if (typeof value === 'bigint') return { type, value }
    return { type, value: type === 'address' ? checksummed(hexToAddress(String(value))) : String(value) }
  },
  array: () => ({ type: 'array', value: '' }),
  tuple: () => ({ type: 'tuple', value: '' }),
}

const SPECIFIER = /%(?:%|([sdiox]|\d*e))/g
/** Foundry's bound of the decimals of `%18e`. */
const MOST_DECIMALS = 1024

/** The first text is a format for the values after it; those that it does not name follow it. */
function formatted(values: readonly Value[]): string {
  const [first, ...rest] = values
  if (first?.type !== 'string') return values.map(plain).join(' ')
  let next = 0
  const text = String(first.value).replace(SPECIFIER, (specifier, kind: string | undefined) => {
    if (kind === undefined) return '%'
    const value = rest[next]
    if (value === undefined) return specifier
    next++
    return as(kind, value)
  })
  const others = rest.slice(next).map(plain)
  return (text === '' ? others : [text, ...others]).join(' ')
}

const plain = ({ value }: Value): string => String(value)

/** A value by a specifier. One that does not fit it is printed as it is. */
function as(kind: string, value: Value): string {
  if (kind === 'o') return typeof value.value === 'bigint' ? plain(value) : `'${value.value}'`
  if (typeof value.value !== 'bigint' || 'sdi'.includes(kind)) return plain(value)
  if (kind === 'x') return `0x${BigInt.asUintN(256, value.value).toString(16)}`
  const sign = value.value < 0n ? '-' : ''
  const digits = (value.value < 0n ? -value.value : value.value).toString()
  if (kind === 'e') return `${sign}${decimal(digits, digits.length - 1)}e${digits.length - 1}`
  return sign + decimal(digits, Math.min(Number(kind.slice(0, -1)), MOST_DECIMALS))
}

/** A whole number divided by a power of ten, without zeros at the end. */
function decimal(digits: string, decimals: number): string {
  const padded = digits.padStart(decimals + 1, '0')
  const whole = padded.slice(0, padded.length - decimals)
  const fraction = padded.slice(whole.length).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
