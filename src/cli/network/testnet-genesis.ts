// The genesis of a network that `kestrel testnet` makes: from a preset with the requested number of validators, or from a file
// whose validators get the new keys.
import { readFileSync } from 'node:fs'
import { ChainError } from '../../lib/errors.ts'
import type { Address, Hash } from '../../lib/hex.ts'
import {
  type ChainSpec,
  DEFAULT_NETWORK,
  type GenesisAllocation,
  type GenesisSpec,
  type GenesisValidator,
  type NativeSpec,
} from '../../spec/chain-spec.ts'
import { parseExactly, parseGenesis } from '../../spec/genesis-file.ts'
import { devKeys } from '../../spec/presets.ts'
import { walletOfMnemonic } from '../../wallet/mnemonic.ts'
import { type ChainFlags, knownOperators, newChain, withActivated } from '../choose-chain.ts'

/** Consensus keys of the validators in their order in the genesis file. */
export type Keys = readonly Hash[]

const COIN = 10n ** 18n
const SELF_DELEGATION = 1_000n * COIN
/** Coins of an operator besides its stake, for gas. */
const OPERATOR_COINS = 10n * COIN
/** Default floor of the base fee in wei per gas: 0.1 gwei, a tenth of EIP-1559's initial base fee. */
export const MIN_BASE_FEE = 100_000_000n
/** Index of the first operator among the accounts of a mnemonic; those before it are funded accounts. */
export const FIRST_OPERATOR = 10

/** The public mnemonic of the development accounts. */
const publicMnemonic = devKeys.kestrel[0]?.mnemonic ?? ''

/** Mnemonic of the validators' operators, whose accounts are numbers 10, 11, …; `isPublic`: it is the public one. */
export const operatorMnemonic = ({ mnemonic }: ChainFlags): { readonly words: string; readonly isPublic: boolean } => ({
  words: mnemonic ?? publicMnemonic,
  isPublic: mnemonic === undefined || mnemonic === publicMnemonic,
})

/** Flags for a network's genesis besides those of its chain. */
type NetworkFlags = Pick<ChainFlags, 'activate'> & { readonly minBaseFee?: bigint | undefined }
/** `ibc`: whether the chain has IBC; a genesis file says it itself. */
type PresetFlags = NetworkFlags & { readonly ibc: boolean }

/** The spec of a network from a preset. Throws as `newChain`. */
export async function presetNetwork(
  flags: ChainFlags & PresetFlags,
  keys: Keys,
  blockTimeMs: bigint,
): Promise<GenesisSpec<GenesisAllocation>> {
  const spec = await newChain({ ...flags, genesis: undefined })
  if (spec.native === undefined) throw new ChainError('invalid-genesis', 'a network needs the section "kestrel"')
  const known = new Set(knownOperators())
  const validators = validatorsOf(flags, spec, spec.native, keys, known)
  const alloc = new Map<
    Address,
    { balance: bigint; nonce: bigint; code: Uint8Array; storage: ReadonlyMap<Hash, Hash> }
  >()
  for await (const [address, account] of spec.genesis.alloc) alloc.set(address, account)
  // The preset's operators get no coins, because they may not be operators here; this network's operators get theirs below.
  const isOperator = (address: Address) => validators.some(({ operator }) => operator === address)
  for (const { operator } of spec.native.validators)
    if (!isOperator(operator) && known.has(operator)) alloc.delete(operator)
  for (const { operator, selfDelegation } of validators) {
    const account = alloc.get(operator) ?? { balance: 0n, nonce: 0n, code: new Uint8Array(0), storage: new Map() }
    const needed = selfDelegation + OPERATOR_COINS
    alloc.set(operator, { ...account, balance: account.balance < needed ? account.balance + needed : account.balance })
  }
  const modules = { ...spec.native.modules, ...(flags.ibc && { ibc: {} }) }
  const native = { ...spec.native, validators, modules, consensus: { ...DEFAULT_NETWORK, blockTimeMs } }
  return withFloor({ ...spec, genesis: { ...spec.genesis, alloc }, native }, flags)
}

/**
 * The preset's validators whose keys are not public (none if a mnemonic is given), then operators of the mnemonic, by default
 * the public one, for the remaining keys.
 */
function validatorsOf(
  flags: ChainFlags,
  { name }: ChainSpec,
  native: NativeSpec,
  keys: Keys,
  known: ReadonlySet<Address>,
): GenesisValidator[] {
  const own = flags.mnemonic === undefined ? native.validators.filter(({ operator }) => !known.has(operator)) : []
  const { words } = operatorMnemonic(flags)
  const operators = walletOfMnemonic(words, keys.length, FIRST_OPERATOR).addresses()
  return keys.map((consensusKey, index) => {
    const given = own[index]
    if (given !== undefined) return { ...given, consensusKey }
    const operator = operators[index - Math.min(own.length, index)]
    if (operator === undefined) throw new ChainError('invalid-params', 'too few operators')
    return {
      operator,
      consensusKey,
      moniker: `${name}-${index}`,
      commission: { rate: COIN / 10n, maxRate: COIN / 5n, maxChangeRate: COIN / 100n },
      selfDelegation: SELF_DELEGATION,
      minSelfDelegation: 1n,
    }
  })
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A genesis file before its validators have keys. */
export type GenesisFile = { readonly json: unknown; readonly validators: readonly unknown[]; readonly path: string }

/** Reads a genesis file. Throws ChainError `invalid-genesis` for one without validators, or Node's error. */
export function readGenesisFile(path: string): GenesisFile {
  const json = named(path, () => parseExactly(readFileSync(path, 'utf8')))
  const kestrel = isRecord(json) ? json.kestrel : undefined
  const validators = isRecord(kestrel) && Array.isArray(kestrel.validators) ? kestrel.validators : []
  if (validators.length === 0)
    throw new ChainError('invalid-genesis', `${path}: kestrel.validators: expected the validators of the network`)
  return { json, validators, path }
}

/**
 * The file's chain as a network: its first validators get the new keys, and the base fee a floor. `blockTimeMs` applies if the
 * file does not set it. Throws ChainError `invalid-genesis`.
 */
export function fileNetwork(file: GenesisFile, keys: Keys, flags: NetworkFlags, blockTimeMs: bigint) {
  const { json, path } = file
  const section = isRecord(json) && isRecord(json.kestrel) ? json.kestrel : {}
  const validators = file.validators.map((validator, index) =>
    isRecord(validator) && keys[index] !== undefined ? { ...validator, consensusKey: keys[index] } : validator,
  )
  const given = section.consensus ?? { engine: 'cometbft' }
  const consensus = isRecord(given) ? { blockTimeMs: Number(blockTimeMs), ...given } : given
  const modules = section.modules ?? {}
  const namesSlashing = isRecord(consensus) && 'slashing' in consensus
  // A new network has the newest rules, unless its file has a section for them.
  const version2 = { version: 2 }
  const newest = { distribution: version2, gov: version2, ...(!namesSlashing && { slashing: version2 }) }
  const withRules = isRecord(modules) ? { ...newest, ...modules } : modules
  const kestrel = { ...section, validators, consensus, modules: withRules }
  return named(path, () => {
    const spec = withActivated(parseGenesis({ ...(isRecord(json) ? json : {}), kestrel }), flags.activate)
    return withFloor(spec, flags)
  })
}

/** The chain with the floor of the command line, else of the file, else the default. Block 0's base fee is raised to it. */
function withFloor<S extends ChainSpec>(spec: S, flags: NetworkFlags): S {
  const { native, genesis } = spec
  if (native === undefined) return spec
  const { minBaseFee: own = 0n } = native.feeMarket
  const minBaseFee = flags.minBaseFee ?? (own === 0n ? MIN_BASE_FEE : own)
  const { baseFeePerGas = minBaseFee } = genesis
  const first = baseFeePerGas < minBaseFee ? minBaseFee : baseFeePerGas
  const feeMarket = { ...native.feeMarket, minBaseFee }
  return { ...spec, genesis: { ...genesis, baseFeePerGas: first }, native: { ...native, feeMarket } }
}

function named<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof ChainError) throw new ChainError(error.code, `${path}: ${error.message}`)
    throw error
  }
}
