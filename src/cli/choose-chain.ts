// Chooses the chain to open: the one in the data directory, or else a new one that the flags describe. An existing chain
// is never changed: given flags must agree with it, and flags that were not given take its values.
import { createReadStream } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { StoredAllocation } from '../chain/genesis.ts'
import { ChainError } from '../lib/errors.ts'
import { type Address, fromHex } from '../lib/hex.ts'
import { unixNow } from '../lib/unix-time.ts'
import {
  type ChainSpec,
  findAccounts,
  type GenesisAllocation,
  type GenesisSpec,
  type NamedProposal,
  sameGenesisAccount,
} from '../spec/chain-spec.ts'
import { firstBlock, genesisFork } from '../spec/forks.ts'
import { formatSpec, parseGenesisText } from '../spec/genesis-file.ts'
import { FACTORIES } from '../spec/preinstalls.ts'
import { type DevKeys, devKeys, devOperatorKeys, devValidatorKeys, isPreset, presets } from '../spec/presets.ts'
import { ETHEREUM_PATH, Wallet } from '../wallet/wallet.ts'
import { type chainOptions, DEFAULT_ACCOUNTS, MAX_GAS_LIMIT } from './chain-options.ts'
import type { StoredChain } from './datadir.ts'
import { refuseFlag, wrongFlag } from './flags.ts'
import type { StartFlags } from './start-flags.ts'

/** The options that describe a chain (options.ts). */
export type ChainFlags = Pick<StartFlags, Exclude<(typeof chainOptions)[number], 'proposal'>> & {
  readonly genesis?: string | undefined
  /** Text of kestrel's genesis in CometBFT's genesis file. */
  readonly appState?: string | undefined
}

/** Bytes of a genesis file per read. */
const PART = 1 << 18

/**
 * The spec of a new chain. Its genesis timestamp is the present time unless flags or file say otherwise. Throws ChainError
 * `invalid-genesis`, `invalid-params` or Node's file error.
 */
export async function newChain(flags: ChainFlags): Promise<GenesisSpec<GenesisAllocation>> {
  const { preset = 'kestrel', genesis, appState } = flags
  if (appState !== undefined) return parseGenesisText(appState)
  if (genesis !== undefined) return withActivated(await readGenesis(genesis), flags.activate)
  const accounts = (await walletOfFlags(flags, preset))?.addresses()
  // Clients use the newest block's timestamp as the present time for deadlines, which fail after an old block 0.
  const timestamp = flags.timestamp ?? unixNow()
  const gasLimit = flags.disableBlockGasLimit ? MAX_GAS_LIMIT : flags.gasLimit
  const spec = presets[preset]({ ...flags, accounts, gasLimit, timestamp })
  return withActivated(spec, flags.activate)
}

/** The spec with more opcode proposals active from block 0. Throws ChainError `invalid-params` without native modules. */
export function withActivated<S extends ChainSpec>(spec: S, names: readonly string[] = []): S {
  const { native } = spec
  if (names.length === 0) return spec
  if (native === undefined) throw refuseFlag('activate', 'a genesis without the section "kestrel" has no proposals')
  const { activeProposals: before } = native.params
  const activeProposals = [...before, ...names.filter((name) => !before.includes(name))]
  return { ...spec, native: { ...native, params: { ...native.params, activeProposals } } }
}

/** Reads a genesis file of kestrel or geth. Throws ChainError `invalid-genesis`: `FILE: field: …`. */
export async function readGenesis(file: string): Promise<GenesisSpec<GenesisAllocation>> {
  const { streamGenesis } = await import('../spec/genesis-stream.ts')
  try {
    return await streamGenesis(() => createReadStream(file, { highWaterMark: PART }))
  } catch (error) {
    if (error instanceof ChainError) throw new ChainError(error.code, `${file}: ${error.message}`)
    throw error
  }
}

/** Throws ChainError `invalid-params` when a flag contradicts the chain that `datadir` holds. */
export async function checkAgrees(flags: ChainFlags, stored: StoredChain, datadir: string): Promise<void> {
  const { preset, chainId, hardfork, genesis, appState, balance, preinstalls, activate = [] } = flags
  const holds = `${datadir} holds the chain ${stored.name} (id ${stored.chainId})`
  const refuse = (flag: keyof ChainFlags, difference: string) =>
    refuseFlag(flag, `${holds}${difference}; leave the flag out or choose another --datadir`)

  if (preset !== undefined && preset !== stored.name) throw refuse('preset', '')
  if (chainId !== undefined && chainId !== stored.chainId) throw refuse('chainId', '')
  if (hardfork !== undefined && hardfork !== genesisFork(stored))
    throw refuse('hardfork', `, which began with ${genesisFork(stored)}`)
  const begun: readonly (readonly [keyof ChainFlags, unknown, string])[] = [
    ['timestamp', stored.genesis.timestamp, 'the timestamp'],
    ['number', firstBlock(stored), 'the number'],
    ['baseFee', stored.genesis.baseFeePerGas, 'the base fee'],
    ['codeSizeLimit', stored.codeSizeLimit, 'the largest size of code'],
    ['textChainId', stored.native?.textChainId, "Cosmos' chain id"],
    ['bech32Prefix', stored.native?.bech32Prefix, 'the prefix'],
    ['denom', stored.native?.denom, 'the denomination'],
    ['symbol', stored.native?.symbol, 'the symbol'],
    ['transactionGasCap', stored.native?.transactionGasCap, 'the largest gas limit of a transaction'],
  ]
  for (const [flag, value, what] of begun)
    if (flags[flag] !== undefined && flags[flag] !== value)
      throw refuse(flag, `, which began with ${what} ${value ?? 'of the fork'}`)
  if (activate.some((name) => !stored.native?.params.activeProposals.includes(name)))
    throw refuse('activate', ', which began without these proposals')
  const isFile = genesis !== undefined || appState !== undefined
  if (isFile && !(await sameChain(await newChain(flags), stored)))
    throw refuse('genesis', ', which began with another genesis')

  const { alloc } = stored.genesis
  const accounts = (await developmentWallet(flags, stored)).addresses()
  if (!isFile && accounts.some((account) => alloc.get(account) === undefined))
    throw refuse(flags.mnemonic === undefined ? 'accounts' : 'mnemonic', ', which began without some of these accounts')
  // The balance of a validator's operator includes its stake.
  const operators = stored.native?.validators.map(({ operator }) => operator) ?? []
  const others = accounts.filter((account) => !operators.includes(account))
  if (balance !== undefined && others.some((account) => alloc.get(account)?.balance !== balance))
    throw refuse('balance', ', whose accounts began with another balance')
  const hasFactories = FACTORIES.some(({ address }) => alloc.get(address) !== undefined)
  if (!preinstalls && hasFactories) throw refuseFlag('no-preinstalls', `${holds}, which has them since genesis`)
}

/**
 * Whether two specs describe the same chain. Opcode proposals that only one of them names are ignored, because a chain may get
 * new ones later.
 */
export async function sameChain(one: GenesisSpec<GenesisAllocation>, other: StoredChain): Promise<boolean> {
  const isNamedByOther = ({ name }: NamedProposal) => other.native?.proposals.some((named) => named.name === name)
  const isNamedByOne = ({ name }: NamedProposal) => one.native?.proposals.some((named) => named.name === name)
  const first = withNames(one, isNamedByOther)
  const second = withNames(other, isNamedByOne)
  return (
    isDeepStrictEqual(formatSpec(first), formatSpec(second)) &&
    (await sameAllocation(one.genesis.alloc, other.genesis.alloc))
  )
}

/** Whether a stored chain began with the accounts of an allocation, which contains each account once. */
async function sameAllocation(alloc: GenesisAllocation, stored: StoredAllocation): Promise<boolean> {
  let count = 0
  for await (const [address, account] of alloc) {
    const other = stored.get(address)
    if (other === undefined || !sameGenesisAccount(account, other)) return false
    count++
  }
  for await (const _ of stored) count--
  return count === 0
}

/** The spec with only the opcode proposals that `choose` accepts, sorted by name. */
function withNames(spec: ChainSpec, choose: (named: NamedProposal) => boolean | undefined): ChainSpec {
  const { native } = spec
  if (native === undefined) return spec
  const proposals = native.proposals.filter(choose).sort((a, b) => (a.name < b.name ? -1 : 1))
  return { ...spec, native: { ...native, proposals } }
}

/**
 * The development accounts of a chain: those of the flags, else those of the preset's accounts that genesis funded.
 * A chain with a custom genesis has none unless the flags name some.
 */
export async function developmentWallet(flags: ChainFlags, spec: GenesisSpec<GenesisAllocation>): Promise<Wallet> {
  const named = await walletOfFlags(flags, spec.name)
  if (named !== undefined) return named
  const wallet = new Wallet()
  const isPlain = flags.hardfork !== undefined && spec.native === undefined
  const preset = isPlain ? 'kestrel' : spec.name
  if (!isPreset(preset)) return wallet
  const candidates = devKeys[preset].map(walletOf)
  const funded = await findAccounts(
    spec.genesis.alloc,
    candidates.flatMap((keys) => keys.addresses()),
  )
  for (const keys of candidates)
    for (const account of keys.addresses()) if (funded.has(account)) wallet.add(keys.privateKey(account))
  return wallet
}

/** The development accounts of a fork: those of the flags, else the preset's. */
export const forkWallet = async (flags: ChainFlags): Promise<Wallet> =>
  (await walletOfFlags(flags, 'kestrel')) ?? walletOf(devKeys.kestrel[0] ?? { keys: [] })

function walletOf({ keys }: Pick<DevKeys, 'keys'>): Wallet {
  const wallet = new Wallet()
  for (const key of keys) wallet.add(fromHex(key))
  return wallet
}

/** Operators of the presets' validators, whose keys are public. */
export const knownOperators = (): Address[] => devOperatorKeys.flatMap((keys) => walletOf(keys).addresses())

/** Whether genesis funds operators with public keys. */
export async function fundsKnownOperators({ genesis }: GenesisSpec<GenesisAllocation>): Promise<boolean> {
  const found = await findAccounts(genesis.alloc, knownOperators())
  return [...found.values()].some(({ balance }) => balance > 0n)
}

/**
 * Adds the public development keys of the chain's validators to the wallet, so that they can vote; the wallet does not list
 * their accounts. Returns the operators' addresses.
 */
export function holdValidatorKeys(wallet: Wallet, { native }: ChainSpec): Address[] {
  const operators = new Set(native?.validators.map(({ operator }) => operator))
  if (operators.size === 0) return []
  return devValidatorKeys.flatMap((keys) => {
    const candidates = walletOf(keys)
    const operatorsHere = candidates.addresses().filter((account) => operators.has(account))
    return operatorsHere.map((account) => wallet.addUnlisted(candidates.privateKey(account)))
  })
}

/** Accounts of --mnemonic, --accounts and --derivation-path; undefined when none was given. Throws ChainError `invalid-params`. */
async function walletOfFlags(
  { mnemonic, accounts, derivationPath }: ChainFlags,
  chain: string,
): Promise<Wallet | undefined> {
  if (mnemonic === undefined && accounts === undefined && derivationPath === undefined) return undefined
  const known = devKeys[isPreset(chain) ? chain : 'kestrel'][0] ?? { mnemonic: '', first: 0, keys: [] }
  const phrase = mnemonic ?? known.mnemonic
  const count = accounts ?? DEFAULT_ACCOUNTS
  // Deriving keys takes a fifth of the start.
  const path = derivationPath?.replace(/\/$/, '')
  const hasKnownPath = path === undefined || path === ETHEREUM_PATH
  if (phrase === known.mnemonic && hasKnownPath && known.first === 0 && count <= known.keys.length)
    return walletOf({ keys: known.keys.slice(0, count) })
  const { walletOfMnemonic } = await import('../wallet/mnemonic.ts')
  try {
    return walletOfMnemonic(phrase, count, 0, path)
  } catch (error) {
    throw error instanceof ChainError
      ? wrongFlag(error.message === 'invalid mnemonic' ? 'mnemonic' : 'derivationPath', error.message)
      : error
  }
}
