// The contracts that are not EVM code: the fork's precompiles and the native contracts, by address. Machines share the
// initial maps; a machine that moves or removes a contract copies the map first.

import type { Address } from '../lib/hex.ts'
import { memoizeSlowPrecompiles, useFasterPrecompiles } from './crypto/precompiles.ts'
import type { Common } from './ethereumjs/library-types.ts'
import { libraryPrecompiles } from './ethereumjs/precompiles.ts'
import type { NativeContract, NativeContracts } from './native-call.ts'
import type { Precompile } from './precompile.ts'

type Precompiles = ReadonlyMap<Address, Precompile>
type Natives = ReadonlyMap<Address, NativeContract>

/** The initial maps by fork and native contracts, neither of which ever changes. An entry lives as long as its two keys. */
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
  /** The addresses that are warm when a transaction begins (EIP-2929): the initial ones, even after a move. */
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

  /** The current precompiles, after all moves. */
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
