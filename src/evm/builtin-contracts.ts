// What answers at an address without ordinary code: the fork's precompiles and native contracts. Machines share what they
// begin with; one that moves something has a copy of its own from then on.

import type { Address } from '../lib/hex.ts'
import { memoizeSlowPrecompiles, useFasterPrecompiles } from './crypto/precompiles.ts'
import type { Common } from './ethereumjs/library-types.ts'
import { libraryPrecompiles } from './ethereumjs/precompiles.ts'
import type { NativeContract, NativeContracts } from './native-call.ts'
import type { Precompile } from './precompile.ts'

type Precompiles = ReadonlyMap<Address, Precompile>
type Natives = ReadonlyMap<Address, NativeContract>

/** Precompiles of forks with their natives' addresses behind them. A Common and a set of natives are never changed. */
const known = new WeakMap<Common, WeakMap<NativeContracts, { precompiles: Precompiles; addresses: Set<Address> }>>()

function startOf(common: Common, natives: NativeContracts) {
  const starts = known.get(common) ?? new WeakMap()
  known.set(common, starts)
  const start = starts.get(natives) ?? makeStart(common, natives)
  starts.set(natives, start)
  return start
}

function makeStart(common: Common, natives: NativeContracts) {
  const precompiles = libraryPrecompiles(common)
  useFasterPrecompiles(precompiles, common)
  memoizeSlowPrecompiles(precompiles)
  return { precompiles, addresses: new Set([...precompiles.keys(), ...natives.keys()]) }
}

export class BuiltinContracts {
  /** What is warm from the start (EIP-2929), wherever it is moved later. */
  readonly addresses: ReadonlySet<Address>
  #precompiles: Precompiles
  #natives: Natives

  constructor(common: Common, natives: NativeContracts) {
    const { precompiles, addresses } = startOf(common, natives)
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

  /** As they stand now. */
  get precompiles(): Precompiles {
    return this.#precompiles
  }

  get natives(): Natives {
    return this.#natives
  }

  /** Moves what is there to another address; what was there is replaced. */
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
