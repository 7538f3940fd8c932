// The parsed genesis file: everything that distinguishes one chain from another. The format is geth's genesis with an additional
// section, `kestrel`; without it the chain is plain Ethereum.
import { ChainError } from '../lib/errors.ts'
import { type Address, equalBytes, type Hash, type Hex } from '../lib/hex.ts'

/** Forks with blobs. They begin by timestamp: `cancunTime` of the genesis file, and their limits are in its `blobSchedule`. */
export const BLOB_FORKS = ['cancun', 'prague', 'osaka', 'bpo1', 'bpo2', 'bpo3', 'bpo4', 'bpo5'] as const
/** Forks that begin by timestamp. */
export const TIME_FORKS = ['shanghai', ...BLOB_FORKS, 'amsterdam', 'bogota'] as const
/**
 * Forks this node executes, oldest first, by @ethereumjs/common's names. `amsterdamOpcodes` is what `bogotaTime` without
 * `amsterdamTime` begins, as in the genesis of `geth --dev`: the instruction set of Amsterdam, and none of its other rules.
 */
export const FORKS = [
  'chainstart',
  'homestead',
  'dao',
  'tangerineWhistle',
  'spuriousDragon',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'muirGlacier',
  'berlin',
  'london',
  'arrowGlacier',
  'grayGlacier',
  'paris',
  'shanghai',
  ...BLOB_FORKS,
  'amsterdamOpcodes',
  'amsterdam',
  'bogota',
] as const
export type Fork = (typeof FORKS)[number]

/** Whether a fork changes only blob limits (EIP-7892). */
export const isBlobParameterFork = (fork: Fork): boolean => fork.startsWith('bpo')

/**
 * When a fork begins: by block up to the merge, by timestamp after it. `paris` begins by total difficulty and has neither,
 * except on a chain that begins with proof of stake, where it has block 0.
 */
export type ForkActivation = {
  readonly fork: Fork
  readonly block?: bigint | undefined
  readonly time?: bigint | undefined
}

export type BlobParams = { readonly target: bigint; readonly max: bigint; readonly baseFeeUpdateFraction: bigint }

export type GenesisAccount = {
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: Uint8Array
  readonly storage: ReadonlyMap<Hash, Hash>
}

export type GenesisBlock = {
  readonly parentHash: Hash
  readonly coinbase: Address
  readonly timestamp: bigint
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  readonly difficulty: bigint
  readonly extraData: Hex
  readonly mixHash: Hash
  readonly nonce: Hex
  readonly baseFeePerGas: bigint | undefined
  readonly blobGasUsed: bigint | undefined
  readonly excessBlobGas: bigint | undefined
  /** Left out: 0. */
  readonly number?: bigint | undefined
  readonly slotNumber?: bigint | undefined
}

export type GenesisEntry = readonly [Address, GenesisAccount]

/**
 * The accounts of block 0 in any order, without duplicates. They may be as many as a disk holds, so they are read one at a
 * time; `get` exists if an account can be found without reading all. Reading throws ChainError `invalid-genesis` for a bad
 * entry.
 */
export type GenesisAllocation = (Iterable<GenesisEntry> | AsyncIterable<GenesisEntry>) & {
  get?(of: Address): GenesisAccount | undefined
}

/** A validator that is bonded from the start; its self-delegation is taken from the operator's genesis balance. */
export type GenesisValidator = {
  readonly operator: Address
  /** 32-byte ed25519 public key; undefined: derived from the operator. */
  readonly consensusKey: Hash | undefined
  readonly moniker: string
  /** Fractions with 18 decimals: 10^17 is a tenth. */
  readonly commission: { readonly rate: bigint; readonly maxRate: bigint; readonly maxChangeRate: bigint }
  readonly selfDelegation: bigint
  readonly minSelfDelegation: bigint
}

/** A change of the chain's parameters that takes effect at the beginning of the block with this number. */
export type Upgrade = {
  readonly name: string
  readonly height: bigint
  /** Replaces all parameters of the EVM before proposals are added or removed. */
  readonly params?: EvmGenesisParams | undefined
  /** Appended to the list of active proposals. A proposal that is active already keeps its position. */
  readonly addProposals: readonly string[]
  readonly removeProposals: readonly string[]
}

export type EvmGenesisParams = {
  /** Active opcode proposals, in order of application: `kestrel_0`. */
  readonly activeProposals: readonly string[]
}

/** An opcode proposal of a user's module that a chain may use. */
export type NamedProposal = {
  /** `kestrel_9` */
  readonly name: string
  /** SHA-256 of the module file that defines it. */
  readonly sha256: Hash
  /** First block in which a list may name the proposal. */
  readonly since: bigint
}

/** A chain on which several nodes agree by CometBFT. */
export type NetworkSpec = {
  readonly engine: 'cometbft'
  /** Maximum bytes of a CometBFT block. */
  readonly maxBytes: bigint
  /** Milliseconds from a decided block to the next block proposal; left out: each node's own setting (`timeout_commit`). */
  readonly blockTimeMs?: bigint | undefined
  /** First block that CometBFT decides; one node made the blocks before it. */
  readonly initialHeight: bigint
  /** Consensus keys of a promoted chain's validators from that block on. */
  readonly keys: readonly { readonly operator: Address; readonly consensusKey: Hash }[]
}

/** The network of a genesis that only says that the chain is one. */
export const DEFAULT_NETWORK: NetworkSpec = {
  engine: 'cometbft',
  maxBytes: 4_194_304n,
  initialHeight: 1n,
  keys: [],
}

/** Throws ChainError `not-allowed` for a network: only CometBFT may decide its blocks. */
export function refuseNetwork({ name, native }: Pick<ChainSpec, 'name' | 'native'>): void {
  if (native?.consensus === undefined) return
  throw new ChainError('not-allowed', `${name} is a network: start it with --consensus ${native.consensus.engine}`)
}

/** The parts of the specification that a network has. Throws ChainError `not-allowed` for a chain of one node. */
export function requireNetwork({ name, native }: Pick<ChainSpec, 'name' | 'native'>): {
  readonly textChainId: string
  readonly consensus: NetworkSpec
} {
  if (native?.consensus === undefined)
    throw new ChainError('not-allowed', `${name} is a chain of one node: its genesis has no kestrel.consensus`)
  return { textChainId: native.textChainId, consensus: native.consensus }
}

/** Projects whose native contracts this node offers: Evmos, and its successor cosmos/evm. */
export const NATIVE_INTERFACES = ['evmos', 'cosmos-evm'] as const
export type NativeInterfaces = (typeof NATIVE_INTERFACES)[number]

/** The `kestrel` section: the native chain's additions to Ethereum. */
export type NativeSpec = {
  /** `kestrel_125-1` */
  readonly textChainId: string
  /** Base denomination, 18 decimals: `akest`. */
  readonly denom: string
  readonly symbol: string
  /** Name of the coin in its ERC-20 contract, which chains with cosmos/evm's interfaces have; left out: the symbol. */
  readonly coinName?: string | undefined
  /** Account prefix; validators add `valoper`, consensus keys `valcons`. */
  readonly bech32Prefix: string
  /** Whose ABIs and authority the native contracts have; left out: `evmos`. */
  readonly interfaces?: NativeInterfaces | undefined
  readonly feeMarket: {
    /** true: plain EIP-1559. false: base fee and tips go to the fee collector. */
    readonly burnBaseFee: boolean
    /**
     * Floor of the base fee in wei per gas from genesis on; governance may change it. undefined: none, and governance cannot
     * set one.
     */
    readonly minBaseFee?: bigint | undefined
  }
  /** `non-decreasing`: a block may have its parent's timestamp. `strictly-increasing`: Ethereum's rule. */
  readonly clock: 'non-decreasing' | 'strictly-increasing'
  /** Maximum gas limit of one transaction; undefined: only the block's gas limit bounds it. */
  readonly transactionGasCap: bigint | undefined
  /** Whether gas limits bound unpaid work of opcode proposals, and lists with a free cycle are refused. */
  readonly boundedWork: boolean
  /** Prices of the work of native calls; 1, or left out: without decoding and encoding. */
  readonly nativeGas?: 1 | 2 | undefined
  readonly authz: {
    /** The granter in `approve`: the caller, as in ERC-20, or the transaction's origin, as in Evmos. */
    readonly granter: 'caller' | 'origin'
  }
  /** Behaviour that differs between Evmos' releases under the same selectors. */
  readonly compat: {
    /** Arguments of the generic `allowance`: (owner, spender), or (grantee, granter) as since Evmos v14. */
    readonly allowanceOrder: 'owner-first' | 'grantee-first'
    /** `unbondingDelegation` and `redelegation` return a wrapping struct, as since Evmos v15. */
    readonly entriesAsStruct: boolean
    /** true: DecCoin amounts in units of 10^-18, as their precision says. false: in base units, as in Evmos. */
    readonly decCoinRaw: boolean
    /** true: a contract needs a grant for distribution messages. false: it may send them for the transaction's signer, as on Evmos. */
    readonly distributionGrants: boolean
  }
  /** Users' opcode proposals. A node needs the module files of all of them. */
  readonly proposals: readonly NamedProposal[]
  /** The EVM's parameters from genesis on. */
  readonly params: EvmGenesisParams
  /** In order of height. */
  readonly upgrades: readonly Upgrade[]
  readonly validators: readonly GenesisValidator[]
  /** The network; undefined: a chain of one node. */
  readonly consensus?: NetworkSpec | undefined
  /** Genesis of the native modules by module name, as JSON; each module checks its own. */
  readonly modules: Readonly<Record<string, unknown>>
}

export type ChainSpec = {
  /** Chain name, the prefix of its proposals: `kestrel`. */
  readonly name: string
  readonly chainId: bigint
  /** In order of activation; forks that never activate are left out. */
  readonly forks: readonly ForkActivation[]
  /** undefined: proof of stake from genesis when `paris` is listed at block 0, else never. */
  readonly terminalTotalDifficulty: bigint | undefined
  /** Used only in fork ids (EIP-2124). */
  readonly mergeNetsplitBlock: bigint | undefined
  /** `daoForkBlock` of a chain with `daoForkSupport: false`. A chain that supports the DAO fork has it among `forks`. */
  readonly opposedDaoForkBlock?: bigint | undefined
  /** Blob parameters of every scheduled fork from `cancun` on. */
  readonly blobSchedule: ReadonlyMap<Fork, BlobParams>
  readonly depositContract: Address
  /** Most bytes of a contract's code, twice that of its init code; left out: those of the fork (EIP-170, EIP-3860, EIP-7954). */
  readonly codeSizeLimit?: number | undefined
  /**
   * Whether this is a fork of another chain: as on anvil, its blocks may share a second, and a transaction may have more gas than
   * EIP-7825 allows. Left out: no.
   */
  readonly isFork?: boolean | undefined
  readonly genesis: GenesisBlock
  readonly native: NativeSpec | undefined
}

/**
 * The beginning of a new chain: its specification and the accounts of block 0, which the specification of a stored chain lacks.
 */
export type GenesisSpec<A extends GenesisAllocation = ReadonlyMap<Address, GenesisAccount>> = ChainSpec & {
  readonly genesis: { readonly alloc: A }
}

/** Whether the specification has the accounts of block 0. */
export const hasAllocation = (spec: ChainSpec): spec is GenesisSpec<GenesisAllocation> => 'alloc' in spec.genesis

/** The specification without the accounts of block 0. */
export function withoutAllocation(spec: ChainSpec | GenesisSpec<GenesisAllocation>): ChainSpec {
  if (!hasAllocation(spec)) return spec
  const { alloc: _, ...genesis } = spec.genesis
  return { ...spec, genesis }
}

/** Those of the given accounts that are in the allocation. */
export async function findAccounts(
  alloc: GenesisAllocation,
  wanted: readonly Address[],
): Promise<ReadonlyMap<Address, GenesisAccount>> {
  const found = new Map<Address, GenesisAccount>()
  if (alloc.get === undefined) {
    const names = new Set(wanted)
    for await (const [address, account] of alloc) if (names.has(address)) found.set(address, account)
    return found
  }
  for (const address of wanted) {
    const account = alloc.get(address)
    if (account !== undefined) found.set(address, account)
  }
  return found
}

export const sameGenesisAccount = (one: GenesisAccount, other: GenesisAccount): boolean =>
  one.balance === other.balance &&
  one.nonce === other.nonce &&
  equalBytes(one.code, other.code) &&
  one.storage.size === other.storage.size &&
  [...one.storage].every(([slot, word]) => other.storage.get(slot) === word)
