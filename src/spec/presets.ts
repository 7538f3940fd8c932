// The presets of chains, as data. Other files name only the default, `kestrel`.
import { type Address, EMPTY_BYTES, type Hex, hexToAddress, ZERO_ADDRESS, ZERO_HASH } from '../lib/hex.ts'
import type {
  BlobParams,
  ChainSpec,
  Fork,
  GenesisAccount,
  GenesisSpec,
  GenesisValidator,
  NativeSpec,
} from './chain-spec.ts'
import { forkRules } from './fork-rules.ts'
import { fromGenesis, MAINNET_BLOBS } from './forks.ts'
import { FACTORIES, genesisContract, systemContracts } from './preinstalls.ts'

export type PresetOptions = {
  readonly chainId?: bigint | undefined
  /** Accounts with coins, instead of the preset's own. */
  readonly accounts?: readonly Address[] | undefined
  /** Balance of each account, in base units. */
  readonly balance?: bigint | undefined
  readonly gasLimit?: bigint | undefined
  /** Chain id as Cosmos writes it; default `NAME_CHAINID-1`, or the preset's. */
  readonly textChainId?: string | undefined
  readonly bech32Prefix?: string | undefined
  readonly denom?: string | undefined
  /** Default: the preset's, or that of `denom`. */
  readonly symbol?: string | undefined
  /** Wei per gas of the first block; default 10^9, or the preset's. */
  readonly baseFee?: bigint | undefined
  /** Of the first block; default 0. */
  readonly number?: bigint | undefined
  readonly codeSizeLimit?: number | undefined
  /** Most gas of a transaction; default: only the block's gas limit bounds it. */
  readonly transactionGasCap?: bigint | undefined
  /** Ethereum's newest fork of the chain, from block 0 on; default BPO2. */
  readonly hardfork?: Fork | undefined
  /** Whether genesis has the deployment factories; default true. It always has the system contracts. */
  readonly preinstalls?: boolean | undefined
  /** Timestamp of block 0 in Unix seconds; default 2026-01-01. A command that creates a chain sets it. */
  readonly timestamp?: bigint | undefined
}

/**
 * The keys of a public mnemonic from index `first` on, path m/44'/60'/0'/0. They are constants, because deriving them takes a
 * tenth of a node's start. Never use them if coins have a value.
 */
export type DevKeys = { readonly mnemonic: string; readonly first: number; readonly keys: readonly Hex[] }

type Preset = {
  readonly name: string
  readonly chainId: bigint
  readonly keys: readonly DevKeys[]
  /** Addresses of `keys` with the balance of each. */
  readonly accounts: readonly (readonly [Address, bigint])[]
  /** Keys of the validators' operators that are not in `keys`. */
  readonly validatorKeys: readonly DevKeys[]
  /** Default 10^9. */
  readonly baseFee?: bigint
  readonly native: Omit<NativeSpec, 'textChainId'> & Partial<Pick<NativeSpec, 'textChainId'>>
}

const COIN = 10n ** 18n
/** Coins of a validator's operator in addition to its self-delegation, for the gas of its votes. */
const OPERATOR_COINS = 10n * COIN

/** Active on Ethereum mainnet since January 2026. */
const NEWEST: Fork = 'bpo2'
const GAS_LIMIT = 36_000_000n
const BASE_FEE = 1_000_000_000n
/** 2026-01-01: a constant, so that a preset does not depend on the clock. */
const GENESIS_TIME = 1_767_225_600n

const validator = (operator: string, moniker: string, selfDelegation: bigint): GenesisValidator => ({
  operator: hexToAddress(operator),
  consensusKey: undefined,
  moniker,
  commission: { rate: COIN / 10n, maxRate: COIN / 5n, maxChangeRate: COIN / 100n },
  selfDelegation,
  minSelfDelegation: 1n,
})

const JUNK = 'test test test test test test test test test test test junk'

const kestrel: Preset = {
  name: 'kestrel',
  chainId: 125n,
  keys: [
    {
      mnemonic: JUNK,
      first: 0,
      keys: [
        '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
        '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
        '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
        '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
        '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
        '0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba',
        '0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e',
        '0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356',
        '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97',
        '0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6',
      ],
    },
  ],
  accounts: [
    ...[
      '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
      '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
      '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
      '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc',
      '0x976EA74026E726554dB657fA54763abd0C3a0aa9',
      '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955',
      '0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f',
      '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720',
    ].map((account) => [hexToAddress(account), 10_000n * COIN] as const),
  ],
  // Separate from `keys`, so that the accounts have round balances.
  validatorKeys: [
    {
      mnemonic: JUNK,
      first: 10,
      keys: [
        '0xf214f2b2cd398c806f84e317254e0f0b801d0643303237d97a22a48e01628897',
        '0x701b615bbdfb9de65240bc28bd21bbc0d996645a3dd57e7b12bc2bdf6f192c82',
        '0xa267530f49f8280200edf313ee7af6b827f2a8bce2897751d06a843f644967b1',
      ],
    },
  ],
  native: {
    denom: 'akest',
    symbol: 'KEST',
    bech32Prefix: 'kest',
    feeMarket: { burnBaseFee: false, minBaseFee: 0n },
    clock: 'non-decreasing',
    transactionGasCap: undefined,
    boundedWork: true,
    nativeGas: 2,
    authz: { granter: 'caller' },
    compat: { allowanceOrder: 'owner-first', entriesAsStruct: false, decCoinRaw: false, distributionGrants: true },
    proposals: [],
    params: { activeProposals: [] },
    upgrades: [],
    validators: [
      validator('0xBcd4042DE499D14e55001CcbB24a551F3b954096', 'kestrel-0', 1_000n * COIN),
      validator('0x71bE63f3384f5fb98995898A86B02Fb2426c5788', 'kestrel-1', 1_000n * COIN),
      validator('0xFABB0ac9d68B0B445fB7357272Ff202C5651694a', 'kestrel-2', 1_000n * COIN),
    ],
    modules: {
      distribution: { version: 2 },
      slashing: { version: 2 },
      staking: { version: 2 },
      gov: { version: 2 },
      transfer: { version: 2 },
    },
  },
}

/** Key and account of the validator that `local_node.sh` of Evmos and of cosmos/evm make. */
const localValidator: DevKeys = {
  mnemonic:
    'gesture inject test cycle original hollow east ridge hen combine junk child bacon zero hope comfort vacuum milk pitch cage oppose unhappy lunar seat',
  first: 0,
  keys: ['0xe9b1d63e8acd7fe676acb43afb390d4b0202dab61abec9cf2a561e4becb147de'],
}
const localValidatorAccount = [hexToAddress('0x7cB61D4117AE31a12E393a1Cfa3BaC666481D02E'), 100_000_000n * COIN] as const

/** Keys and accounts dev0 to dev3 of the same scripts. */
const localKeys: readonly DevKeys[] = [
  {
    mnemonic:
      'copper push brief egg scan entry inform record adjust fossil boss egg comic alien upon aspect dry avoid interest fury window hint race symptom',
    first: 0,
    keys: ['0x88cbead91aee890d27bf06e003ade3d4e952427e88f88d31d61d3ef5e5d54305'],
  },
  {
    mnemonic:
      'maximum display century economy unlock van census kite error heart snow filter midnight usage egg venture cash kick motor survey drastic edge muffin visual',
    first: 0,
    keys: ['0x741de4f8988ea941d3ff0287911ca4074e62b7d45c991a51186455366f10b544'],
  },
  {
    mnemonic:
      'will wear settle write dance topic tape sea glory hotel oppose rebel client problem era video gossip glide during yard balance cancel file rose',
    first: 0,
    keys: ['0x3b7955d25189c99a7468192fcbc6429205c158834053ebe3f78f4512ab432db9'],
  },
  {
    mnemonic:
      'doll midnight silk carpet brush boring pluck office gown inquiry duck chief aim exit gain never tennis crime fragile ship cloud surface exotic patch',
    first: 0,
    keys: ['0x8a36c69d940a92fcea94b36d0f2928c7a0ee19a90073eda769693298dfa9603b'],
  },
]
const localAccounts: Preset['accounts'] = [
  [hexToAddress('0xC6Fe5D33615a1C52c08018c47E8Bc53646A0E101'), 1_000n * COIN],
  [hexToAddress('0x963EBDf2e1f8DB8707D05FC75bfeFFBa1B5BaC17'), 1_000n * COIN],
  [hexToAddress('0x40a0cb1C63e026A81B55EE1308586E21eec1eFa9'), 1_000n * COIN],
  [hexToAddress('0x498B5AeC5D439b733dC2F58AB489783A23FB26dA'), 1_000n * COIN],
]

/** Evmos' local preset: the accounts, balances and validator of its `local_node.sh`, so that its suites run here. */
const evmos: Preset = {
  name: 'evmos',
  chainId: 9000n,
  keys: [localValidator, ...localKeys],
  accounts: [localValidatorAccount, ...localAccounts],
  validatorKeys: [],
  native: {
    denom: 'aevmos',
    symbol: 'EVMOS',
    bech32Prefix: 'evmos',
    feeMarket: { burnBaseFee: false, minBaseFee: 0n },
    clock: 'non-decreasing',
    transactionGasCap: undefined,
    boundedWork: true,
    nativeGas: 2,
    authz: { granter: 'origin' },
    // As in evmosd v14.1.
    compat: { allowanceOrder: 'grantee-first', entriesAsStruct: false, decCoinRaw: false, distributionGrants: false },
    proposals: [],
    params: { activeProposals: [] },
    upgrades: [],
    validators: [validator('0x7cB61D4117AE31a12E393a1Cfa3BaC666481D02E', 'localtestnet', 1_000n * COIN)],
    modules: {
      distribution: { version: 2 },
      slashing: { version: 2 },
      gov: { version: 2 },
      staking: { version: 2, params: { minCommissionRate: '0.05' } },
      transfer: { version: 2 },
    },
  },
}

/**
 * Base units that x/mint of the Cosmos SDK mints in the first block of such a chain by its defaults: 13 % of the supply of
 * 100,004,000 coins in a year of 6,311,520 blocks.
 */
const MINTED_PER_BLOCK = (100_004_000n * COIN * 13n) / 100n / 6_311_520n

/** The local chain of cosmos/evm: ids, accounts, balances, validator, voting periods and inflation of its `local_node.sh`. */
const cosmosEvm: Preset = {
  name: 'cosmos-evm',
  chainId: 262_144n,
  keys: [...localKeys, localValidator],
  accounts: [...localAccounts, localValidatorAccount],
  validatorKeys: [],
  baseFee: 10_000_000n,
  native: {
    ...evmos.native,
    textChainId: '9001',
    denom: 'atest',
    symbol: 'TEST',
    coinName: 'Test Token',
    bech32Prefix: 'cosmos',
    interfaces: 'cosmos-evm',
    authz: { granter: 'caller' },
    compat: kestrel.native.compat,
    modules: {
      ...kestrel.native.modules,
      gov: { version: 2, params: { votingPeriod: 30, maxDepositPeriod: 30, expeditedVotingPeriod: 15 } },
      inflation: { perBlock: MINTED_PER_BLOCK.toString() },
    },
  },
}

const nativeOf = ({ name, native }: Preset, chainId: bigint): NativeSpec => ({
  textChainId: `${name}_${chainId}-1`,
  ...native,
})

/** The preset's native part with the names that the options give. */
function renamed(preset: Preset, chainId: bigint, options: PresetOptions): NativeSpec {
  const native = nativeOf(preset, chainId)
  const { textChainId = native.textChainId, bech32Prefix = native.bech32Prefix, denom = native.denom } = options
  const { symbol = denom === native.denom ? native.symbol : symbolOf(denom), transactionGasCap } = options
  const coinName = symbol === native.symbol ? native.coinName : undefined
  return { ...native, textChainId, bech32Prefix, denom, symbol, coinName, transactionGasCap }
}

/** `TEST` of `atest`, at most 32 characters. */
const symbolOf = (denom: string): string =>
  denom
    .replace(/^a(?=.)/, '')
    .slice(0, 32)
    .toUpperCase()

/**
 * The specification of a fork of another chain, with the native modules and the coin's names of the preset `kestrel`. Gas limits and
 * base fee stay as on the forked chain. Fees go to the validators, who have no other income.
 */
export const withNative = (spec: ChainSpec): ChainSpec => ({
  ...spec,
  name: kestrel.name,
  native: { ...nativeOf(kestrel, spec.chainId), feeMarket: { burnBaseFee: false } },
})

/** Coins that a validator's operator needs: its self-delegation, and the gas of its votes. */
export const operatorCoins = ({ selfDelegation }: GenesisValidator): bigint => selfDelegation + OPERATOR_COINS

function create(preset: Preset, options: PresetOptions): GenesisSpec {
  const { chainId = preset.chainId, gasLimit = GAS_LIMIT, timestamp = GENESIS_TIME, preinstalls = true } = options
  const { accounts = preset.accounts.map(([account]) => account), hardfork = NEWEST } = options
  const { number, codeSizeLimit, baseFee = preset.baseFee ?? BASE_FEE } = options
  const rules = forkRules(hardfork)
  const presetBalance = new Map(preset.accounts)
  const [, first = 0n] = preset.accounts[0] ?? []

  const balances = new Map(accounts.map((account) => [account, options.balance ?? presetBalance.get(account) ?? first]))
  // A self-delegation is taken out of the operator's balance.
  for (const validator of preset.native.validators) {
    const { operator } = validator
    const balance = balances.get(operator) ?? 0n
    const needed = operatorCoins(validator)
    if (balance < needed) balances.set(operator, balance + needed)
  }
  const alloc = new Map<Address, GenesisAccount>()
  for (const [account, balance] of balances)
    alloc.set(account, { balance, nonce: 0n, code: EMPTY_BYTES, storage: new Map() })
  for (const contract of [...systemContracts(hardfork), ...(preinstalls ? FACTORIES : [])])
    alloc.set(contract.address, genesisContract(contract))

  return {
    // Native modules need proof of stake; without them the chain is plain Ethereum.
    name: rules.paris ? preset.name : 'ethereum',
    chainId,
    forks: fromGenesis(hardfork),
    terminalTotalDifficulty: undefined,
    mergeNetsplitBlock: undefined,
    blobSchedule: new Map<Fork, BlobParams>([...MAINNET_BLOBS].filter(([fork]) => rules[fork])),
    depositContract: ZERO_ADDRESS,
    ...(codeSizeLimit !== undefined && { codeSizeLimit }),
    genesis: {
      ...(number && { number }),
      parentHash: ZERO_HASH,
      coinbase: ZERO_ADDRESS,
      timestamp,
      gasLimit,
      gasUsed: 0n,
      difficulty: 0n,
      extraData: '0x',
      mixHash: ZERO_HASH,
      nonce: '0x0000000000000000',
      baseFeePerGas: rules.london ? baseFee : undefined,
      blobGasUsed: rules.cancun ? 0n : undefined,
      excessBlobGas: rules.cancun ? 0n : undefined,
      alloc,
    },
    native: rules.paris ? renamed(preset, chainId, options) : undefined,
  }
}

export const PRESET_NAMES = ['kestrel', 'evmos', 'cosmos-evm'] as const
export type PresetName = (typeof PRESET_NAMES)[number]

/** New chains by name. Options replace single values of the preset. */
export const presets: Readonly<Record<PresetName, (options?: PresetOptions) => GenesisSpec>> = {
  kestrel: (options = {}) => create(kestrel, options),
  evmos: (options = {}) => create(evmos, options),
  'cosmos-evm': (options = {}) => create(cosmosEvm, options),
}

export const isPreset = (name: string): name is PresetName => Object.hasOwn(presets, name)

/** The public keys of a preset's accounts, in the order of the accounts. */
export const devKeys: Readonly<Record<PresetName, readonly DevKeys[]>> = {
  kestrel: kestrel.keys,
  evmos: evmos.keys,
  'cosmos-evm': cosmosEvm.keys,
}

/** The keys of the presets' validators whose operators are not in `devKeys`. */
export const devValidatorKeys: readonly DevKeys[] = [...kestrel.validatorKeys, ...evmos.validatorKeys]

/** The keys of all operators of the presets' validators. */
export const devOperatorKeys: readonly DevKeys[] = [...devValidatorKeys, localValidator]
