// ABIs indexed by selectors of functions and errors, and first topics of events.
import type { Abi, AbiEventParameter, AbiParameter } from 'abitype'
import { type Hash, type Hex, toHash, toHex } from '../lib/hex.ts'
import { keccak256 } from '../lib/keccak.ts'
import { componentsOf } from '../primitives/abi-decoder.ts'

/** A function, error or event of an ABI. */
export type AbiEntry = {
  readonly name: string
  /** `transfer(address,uint256)` */
  readonly signature: string
  /** `transfer(address to, uint256 value)`, `Transfer(address indexed from, …)` */
  readonly declaration: string
  readonly inputs: readonly AbiEventParameter[]
  /** Of functions. */
  readonly outputs?: readonly AbiParameter[]
}

/** A selector has several entries if signatures collide; they are in the ABI's order. */
export type AbiIndex = {
  readonly functions: ReadonlyMap<Hex, readonly AbiEntry[]>
  readonly errors: ReadonlyMap<Hex, readonly AbiEntry[]>
  readonly events: ReadonlyMap<Hash, readonly AbiEntry[]>
}

const indexes = new WeakMap<Abi, AbiIndex>()

/** The index of an ABI; computed once for each ABI object. */
export function indexOf(abi: Abi): AbiIndex {
  const known = indexes.get(abi)
  if (known !== undefined) return known
  const index = { functions: new Map(), errors: new Map(), events: new Map() }
  for (const item of abi) {
    if (item.type !== 'function' && item.type !== 'error' && item.type !== 'event') continue
    const { name, inputs } = item
    const described: AbiEntry = {
      name,
      inputs,
      ...(item.type === 'function' && { outputs: item.outputs }),
      signature: `${name}(${typesOf(inputs)})`,
      declaration: declarationOf(name, inputs),
    }
    const hash = keccak256(Buffer.from(described.signature))
    if (item.type !== 'event') add(index[`${item.type}s`], toHex(hash.subarray(0, 4)), described)
    else if (item.anonymous !== true) add(index.events, toHash(hash), described)
  }
  indexes.set(abi, index)
  return index
}

/** Adds an entry unless an equal one exists: merged ABIs contain equal entries. */
function add<K>(to: Map<K, AbiEntry[]>, key: K, described: AbiEntry): void {
  const there = to.get(key)
  if (there === undefined) to.set(key, [described])
  else if (!there.some(({ declaration: call }) => call === described.declaration)) there.push(described)
}

/** The canonical type: tuples by their components, `(address,uint256)[]`. */
export function typeOf(parameter: AbiParameter): string {
  const { type } = parameter
  return type.startsWith('tuple') ? `(${typesOf(componentsOf(parameter))})${type.slice('tuple'.length)}` : type
}

const typesOf = (parameters: readonly AbiParameter[]): string => parameters.map(typeOf).join(',')

const declarationOf = (name: string, inputs: readonly AbiEventParameter[]): string =>
  `${name}(${inputs
    .map((input) => [typeOf(input), ...(input.indexed === true ? ['indexed'] : []), input.name ?? ''].join(' ').trim())
    .join(', ')})`
