// Executes block 0 on a view, for tests that need no chain on disk.
import { fromHex } from '../../src/lib/hex.ts'
import { executeGenesis } from '../../src/runtime/genesis.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import type { GenesisSpec } from '../../src/spec/chain-spec.ts'
import type { StateView } from '../../src/state/types.ts'

/** Writes the accounts of a genesis to an empty view and executes block 0. */
export function genesisOn(view: StateView, spec: GenesisSpec) {
  let supply = 0n
  for (const [address, { balance, nonce, code, storage }] of spec.genesis.alloc) {
    view.setBalance(address, balance)
    view.setNonce(address, nonce)
    view.setCode(address, code)
    for (const [slot, word] of storage) view.setWord(address, slot, fromHex(word))
    supply += balance
  }
  const runtime = new Runtime(spec)
  return { runtime, header: executeGenesis(runtime, view, supply).block.header }
}
