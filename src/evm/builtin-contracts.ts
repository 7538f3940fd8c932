// The contracts that are not EVM code: the fork's precompiles and the native contracts, by address. Machines share the initial
// maps; a machine that moves or removes a contract copies the map first. The library's precompiles, which run for curves and
// for failures, are loaded at their first use.

import { loadPart } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import type { ChainSpec, Fork } from '../spec/chain-spec.ts'
import type { ForkRules } from '../spec/fork-rules.ts'
import { memoizeSlowPrecompiles, useFasterPrecompiles } from './crypto/precompiles.ts'
import type { NativeContract, NativeContracts } from './native-call.ts'
import { type Precompile, precompileAddress } from './precompile.ts'

type Precompiles = ReadonlyMap<Address, Precompile>
type Natives = ReadonlyMap<Address, NativeContract>

/** The initial maps by native contracts and fork, which never change. A fork has the same precompiles on all chains. */
const known = new WeakMap<NativeContracts, Map<Fork, { precompiles: Precompiles; addresses: Set<Address> }>>()

function startOf(spec: ChainSpec, rules: ForkRules, natives: NativeContracts) {
  const starts = known.get(natives) ?? new Map()
  known.set(natives, starts)
  const start = starts.get(rules.fork) ?? makeStart(spec, rules, natives)
  starts.set(rules.fork, start)
  return start
}

/** The last digits of the precompiles' addresses, by the fork that adds them. */
const PRECOMPILES: readonly (readonly [Fork, readonly string[]])[] = [
  ['chainstart', ['1', '2', '3', '4']],
  ['byzantium', ['5', '6', '7', '8']],
  ['istanbul', ['9']],
  ['cancun', ['a']],
  ['prague', ['b', 'c', 'd', 'e', 'f', '10', '11']],
  ['osaka', ['100']],
]

/** The library's precompiles of a fork, by address. */
function libraryPrecompiles(spec: ChainSpec, rules: ForkRules): Map<Address, Precompile> {
  let library: Precompiles | undefined
  const load = async (): Promise<Precompiles> => {
    const ethereumjs = await loadPart(() => import('./ethereumjs/precompiles.ts'))
    library ??= ethereumjs.libraryPrecompiles(spec, rules.fork)
    return library
  }
  const run = (from: Precompiles, address: Address, input: Uint8Array, gas: bigint) => {
    const precompile = from.get(address)
    if (precompile === undefined) throw new Error(`${rules.fork} has no precompile ${address}`)
    return precompile(input, gas)
  }
  const addresses = PRECOMPILES.flatMap(([since, numbers]) => (rules[since] ? numbers.map(precompileAddress) : []))
  return new Map(
    addresses.map((address) => [
      address,
      (input, gas) =>
        library === undefined
          ? load().then((loaded) => run(loaded, address, input, gas))
          : run(library, address, input, gas),
    ]),
  )
}

function makeStart(spec: ChainSpec, rules: ForkRules, natives: NativeContracts) {
  const precompiles = libraryPrecompiles(spec, rules)
  useFasterPrecompiles(precompiles, rules)
  memoizeSlowPrecompiles(precompiles)
  return { precompiles, addresses: new Set([...precompiles.keys(), ...natives.keys()]) }
}

export class BuiltinContracts {
  /** The addresses that are warm when a transaction begins (EIP-2929): the initial ones, even after a move. */
  readonly addresses: ReadonlySet<Address>
  #precompiles: Precompiles
  #natives: Natives

  constructor(spec: ChainSpec, rules: ForkRules, natives: NativeContracts) {
    const { precompiles, addresses } = startOf(spec, rules, natives)
    this.addresses = addresses
    this.#precompiles = precompiles
    this.#natives = natives
  }

  precompileAt(address: Address): Precompile | undefined {
    return this.#precompiles.get(address)
  }

  nativeAt(address: Address): NativeContract | undefined {
    return this.#natives.get(address)
  }

  /** The current precompiles, after all moves. */
  get precompiles(): Precompiles {
    return this.#precompiles
  }

  get natives(): Natives {
    return this.#natives
  }

  /** Adds a native contract. */
  add(native: NativeContract): void {
    this.#natives = new Map(this.#natives).set(native.address, native)
  }

  /** Moves the contract at one address to another, and replaces a contract there. */
  move(from: Address, to: Address): void {
    const code = this.#precompiles.get(from)
    const native = this.#natives.get(from)
    this.remove(from)
    this.remove(to)
    if (code !== undefined) this.#precompiles = new Map(this.#precompiles).set(to, code)
    if (native !== undefined) this.#natives = new Map(this.#natives).set(to, native)
  }

  remove(address: Address): void {
    this.#precompiles = without(this.#precompiles, address)
    this.#natives = without(this.#natives, address)
  }
}

function without<T>(map: ReadonlyMap<Address, T>, address: Address): ReadonlyMap<Address, T> {
  if (!map.has(address)) return map
  const copy = new Map(map)
  copy.delete(address)
  return copy
}
