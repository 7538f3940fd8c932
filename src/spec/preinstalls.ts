// Contracts that genesis deploys at their well-known addresses: the protocol's own (EIPs 4788, 2935, 7002, 7251, 8282) and the
// factories that deployment tools rely on. Their code is in preinstalls.json; a test compares its hashes.
import { type Address, fromHex, hexToAddress } from '../lib/hex.ts'
import type { Fork, GenesisAccount } from './chain-spec.ts'
import { forkRules } from './fork-rules.ts'
import codes from './preinstalls.json' with { type: 'json' }

export type Preinstall = { readonly name: string; readonly address: Address; readonly code: Uint8Array }

const read = ({ name, address, code }: { name: string; address: string; code: string }): Preinstall => ({
  name,
  address: hexToAddress(address),
  code: fromHex(code),
})

/**
 * The factories. Permit2's code has mainnet's chain id and EIP-712 domain separator as immutables. It compares the chain id on
 * every use and derives another separator if it differs, so a signature for another chain is invalid here. The others do not
 * depend on the chain.
 */
export const FACTORIES: readonly Preinstall[] = codes.factories.map(read)

/** The system contracts that a fork calls. */
export const systemContracts = (fork: Fork): readonly Preinstall[] =>
  codes.systemContracts.filter(({ since }) => forkRules(fork)[since as Fork]).map(read)

/** The genesis account of a contract: nonce 1 as after a deployment (EIP-161), no balance, empty storage. */
export const genesisContract = ({ code }: Preinstall): GenesisAccount => ({
  balance: 0n,
  nonce: 1n,
  code,
  storage: new Map(),
})
