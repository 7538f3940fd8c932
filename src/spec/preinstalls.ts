// Contracts that stand at their well-known addresses from block 0: the protocol's own (EIPs 4788, 2935, 7002, 7251)
// and the factories that deployment tools count on. The codes are in preinstalls.json; a test knows their hashes.
import { type Address, fromHex, hexToAddress } from '../lib/hex.ts'
import type { Fork, GenesisAccount } from './chain-spec.ts'
import { atLeast } from './forks.ts'
import codes from './preinstalls.json' with { type: 'json' }

export type Preinstall = { readonly name: string; readonly address: Address; readonly code: Uint8Array }

const read = ({ name, address, code }: { name: string; address: string; code: string }): Preinstall => ({
  name,
  address: hexToAddress(address),
  code: fromHex(code),
})

/**
 * The factories. Permit2's code is mainnet's, with mainnet's chain id and EIP-712 domain separator as immutables; it
 * compares the chain id on every use and derives the separator anew where they differ, so signatures made for another
 * chain stay worthless here. The others depend on no chain.
 */
export const FACTORIES: readonly Preinstall[] = codes.factories.map(read)

/** The system contracts that a fork calls. */
export const systemContracts = (fork: Fork): readonly Preinstall[] =>
  codes.systemContracts.filter(({ since }) => atLeast(fork, since as Fork)).map(read)

/** A contract as genesis has it: nonce 1 as after a deployment (EIP-161), no balance, empty storage. */
export const genesisContract = ({ code }: Preinstall): GenesisAccount => ({
  balance: 0n,
  nonce: 1n,
  code,
  storage: new Map(),
})
