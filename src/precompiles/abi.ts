// The codec of ABI values as this program represents them (lower-case addresses, bigint for every integer, hex for bytes).
// Decoding is as strict as Solidity's. Encoding is viem's.
import type { AbiEvent, AbiParameter } from 'abitype'
import { encodeAbiParameters, toEventSignature } from 'viem'
import { memo } from '../lib/caches.ts'
import { type Address, fromHex, type Hex, toHash } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { decodeAbi } from '../primitives/abi-decoder.ts'
import type { Log } from '../primitives/types.ts'

/** The value of one parameter, by its ABI type; a tuple is a record. */
export type ValueOf<P> = P extends { type: `${infer T}[]`; components: infer C }
  ? readonly ValueOf<{ type: T; components: C }>[]
  : P extends { type: `${infer T}[]` }
    ? readonly ValueOf<{ type: T }>[]
    : P extends { type: 'tuple'; components: infer C extends readonly AbiParameter[] }
      ? { readonly [E in C[number] as E['name'] & string]: ValueOf<E> }
      : P extends { type: 'address' }
        ? Address
        : P extends { type: 'bool' }
          ? boolean
          : P extends { type: 'string' }
            ? string
            : P extends { type: `uint${string}` | `int${string}` }
              ? bigint
              : P extends { type: `bytes${string}` }
                ? Hex
                : never

export type ValuesOf<P extends readonly AbiParameter[]> = { readonly [I in keyof P]: ValueOf<P[I]> }

/** Strictly decoded; a tuple is a record. Throws ChainError `invalid calldata: <why>`. */
export const decodeValues = (parameters: readonly AbiParameter[], data: Uint8Array): readonly unknown[] =>
  decodeAbi<unknown>(parameters, data, 'strict', {
    scalar: (_type, value) => value,
    array: (values) => values,
    tuple: (components, values) => Object.fromEntries(components.map(({ name }, i) => [name, values[i]])),
  })

// viem infers value types from literal ABIs; here ABI and values are known only at run time and were checked at their source.
const encode = (parameters: readonly AbiParameter[], values: readonly unknown[]): Uint8Array =>
  fromHex(encodeAbiParameters(parameters, values as never))

export { encode as encodeValues }

/** Revert data of Solidity's `revert(reason)`: `Error(string)`. */
export const errorString = (reason: string): Uint8Array =>
  Buffer.concat([fromHex('0x08c379a0'), encode([{ type: 'string' }], [reason])])

/** The arguments of an event that are in the data of its log. */
export type DataOf<E extends AbiEvent> = {
  readonly [P in E['inputs'][number] as P extends { readonly indexed: true } ? never : P['name'] & string]: ValueOf<P>
}

/** What `encodeLog` has put into the data of a log. */
export function decodeLogData<E extends AbiEvent>(event: E, { data }: Log): DataOf<E> {
  const unindexed = event.inputs.filter((input) => input.indexed !== true)
  const values = decodeValues(unindexed, data)
  // The values have the types of the event's parameters, which were checked when the log was made.
  return Object.fromEntries(unindexed.map(({ name }, i) => [name, values[i]])) as DataOf<E>
}

/** The first topic of an event, and its parameters in topics and in data. */
const shapeOf = memo(200, (event: AbiEvent) => ({
  selector: keccakHash(Buffer.from(toEventSignature(event))),
  indexed: event.inputs.filter((input) => input.indexed === true),
  unindexed: event.inputs.filter((input) => input.indexed !== true),
}))

/** A log with the event's topics and data; indexed strings are replaced by their hashes. */
export function encodeLog(address: Address, event: AbiEvent, args: Readonly<Record<string, unknown>>): Log {
  const { selector, indexed, unindexed } = shapeOf(event)
  const argument = ({ name = '' }: AbiParameter) => args[name]
  const topics = indexed.map((parameter) =>
    parameter.type === 'string'
      ? keccakHash(Buffer.from(String(argument(parameter))))
      : toHash(encode([parameter], [argument(parameter)])),
  )
  return { address, topics: [selector, ...topics], data: encode(unindexed, unindexed.map(argument)) }
}
