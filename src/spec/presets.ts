// The presets of chains, as data. Other files name only the default, `kestrel`.
import { type Address, EMPTY_BYTES, hexToAddress, ZERO_ADDRESS, ZERO_HASH } from '../lib/hex.ts'
import {
  type BlobParams,
  FORKS,
  type Fork,
  type GenesisAccount,
  type GenesisSpec,
  type GenesisValidator,
  type NativeSpec,
} from './chain-spec.ts'
import { forkRules } from './fork-rules.ts'
import { MAINNET_BLOBS } from './forks.ts'
import { FACTORIES, genesisContract, systemContracts } from './preinstalls.ts'

export type PresetOptions = {
  readonly chainId?: bigint | undefined
  /** Accounts with coins, instead of the preset's own. */
  readonly accounts?: readonly Address[] | undefined
  /** Balance of each account, in base units. */
  readonly balance?: bigint | undefined
  readonly gasLimit?: bigint | undefined
  /** Whether genesis has the deployment factories; default true. It always has the system contracts. */
  readonly preinstalls?: boolean | undefined
  /** Timestamp of block 0 in Unix seconds; default 2026-01-01. A command that creates a chain sets it. */
  readonly timestamp?: bigint | undefined
}

/** `count` accounts of a public mnemonic from index `first`, path m/44'/60'/0'/0. Never use them if coins have a value. */
export type DevKeys = { readonly mnemonic: string; readonly first: number; readonly count: number }

type Preset = {
  readonly name: string
  readonly chainId: bigint
  readonly keys: readonly DevKeys[]
  /** Addresses of `keys` with the balance of each. */
  readonly accounts: readonly (readonly [Address, bigint])[]
  /** Keys of the validators' operators that are not in `keys`. */
  readonly validatorKeys: readonly DevKeys[]
  readonly native: Omit<NativeSpec, 'textChainId'>
}

const COIN = 10n ** 18n
/** Coins of a validator's operator in addition to its self-delegation, for the gas of its votes. */
const OPERATOR_COINS = 10n * COIN

/** The newest fork that the library calls stable, active on Ethereum mainnet since January 2026. */
const NEWEST = forkRules('bpo2')
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
  keys: [{ mnemonic: JUNK, first: 0, count: 10 }],
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
  validatorKeys: [{ mnemonic: JUNK, first: 10, count: 3 }],
  native: {
    denom: 'akest',
    symbol: 'KEST',
    bech32Prefix: 'kest',
    feeMarket: { burnBaseFee: false, minBaseFee: 0n },
    clock: 'non-decreasing',
    transactionGasCap: undefined,
    boundedWork: true,
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
    modules: { slashing: { version: 2 } },
  },
}

/** Evmos' local preset: the accounts, balances and validator of its `local_node.sh`, so that its suites run here. */
const evmos: Preset = {
  name: 'evmos',
  chainId: 9000n,
  keys: [
    'gesture inject test cycle original hollow east ridge hen combine junk child bacon zero hope comfort vacuum milk pitch cage oppose unhappy lunar seat',
    'copper push brief egg scan entry inform record adjust fossil boss egg comic alien upon aspect dry avoid interest fury window hint race symptom',
    'maximum display century economy unlock van census kite error heart snow filter midnight usage egg venture cash kick motor survey drastic edge muffin visual',
    'will wear settle write dance topic tape sea glory hotel oppose rebel client problem era video gossip glide during yard balance cancel file rose',
    'doll midnight silk carpet brush boring pluck office gown inquiry duck chief aim exit gain never tennis crime fragile ship cloud surface exotic patch',
  ].map((mnemonic) => ({ mnemonic, first: 0, count: 1 })),
  accounts: [
    [hexToAddress('0x7cB61D4117AE31a12E393a1Cfa3BaC666481D02E'), 100_000_000n * COIN],
    [hexToAddress('0xC6Fe5D33615a1C52c08018c47E8Bc53646A0E101'), 1_000n * COIN],
    [hexToAddress('0x963EBDf2e1f8DB8707D05FC75bfeFFBa1B5BaC17'), 1_000n * COIN],
    [hexToAddress('0x40a0cb1C63e026A81B55EE1308586E21eec1eFa9'), 1_000n * COIN],
    [hexToAddress('0x498B5AeC5D439b733dC2F58AB489783A23FB26dA'), 1_000n * COIN],
  ],
  validatorKeys: [],
  native: {
    denom: 'aevmos',
    symbol: 'EVMOS',
    bech32Prefix: 'evmos',
    feeMarket: { burnBaseFee: false, minBaseFee: 0n },
    clock: 'non-decreasing',
    transactionGasCap: undefined,
    boundedWork: true,
    authz: { granter: 'origin' },
    // As in evmosd v14.1.
    compat: { allowanceOrder: 'grantee-first', entriesAsStruct: false, decCoinRaw: false, distributionGrants: false },
    proposals: [],
    params: { activeProposals: [] },
    upgrades: [],
    validators: [validator('0x7cB61D4117AE31a12E393a1Cfa3BaC666481D02E', 'localtestnet', 1_000n * COIN)],
    modules: { slashing: { version: 2 }, staking: { params: { minCommissionRate: '0.05' } } },
  },
}

function create(preset: Preset, options: PresetOptions): GenesisSpec {
  const { chainId = preset.chainId, gasLimit = GAS_LIMIT, timestamp = GENESIS_TIME, preinstalls = true } = options
  const { accounts = preset.accounts.map(([account]) => account) } = options
  const presetBalance = new Map(preset.accounts)
  const [, first = 0n] = preset.accounts[0] ?? []

  const balances = new Map(accounts.map((account) => [account, options.balance ?? presetBalance.get(account) ?? first]))
  // A self-delegation is taken out of the operator's balance.
  for (const { operator, selfDelegation } of preset.native.validators) {
    const balance = balances.get(operator) ?? 0n
    const needed = selfDelegation + OPERATOR_COINS
    if (balance < needed) balances.set(operator, balance + needed)
  }
  const alloc = new Map<Address, GenesisAccount>()
  for (const [account, balance] of balances)
    alloc.set(account, { balance, nonce: 0n, code: EMPTY_BYTES, storage: new Map() })
  for (const contract of [...systemContracts(NEWEST.fork), ...(preinstalls ? FACTORIES : [])])
    alloc.set(contract.address, genesisContract(contract))

  return {
    name: preset.name,
    chainId,
    forks: FORKS.filter((fork) => fork !== 'dao' && NEWEST[fork]).map((fork) =>
      forkRules(fork).shanghai ? { fork, time: 0n } : { fork, block: 0n },
    ),
    terminalTotalDifficulty: undefined,
    mergeNetsplitBlock: undefined,
    blobSchedule: new Map<Fork, BlobParams>([...MAINNET_BLOBS].filter(([fork]) => NEWEST[fork])),
    depositContract: ZERO_ADDRESS,
    genesis: {
      parentHash: ZERO_HASH,
      coinbase: ZERO_ADDRESS,
      timestamp,
      gasLimit,
      gasUsed: 0n,
      difficulty: 0n,
      extraData: '0x',
      mixHash: ZERO_HASH,
      nonce: '0x0000000000000000',
      baseFeePerGas: BASE_FEE,
      blobGasUsed: 0n,
      excessBlobGas: 0n,
      alloc,
    },
    native: { textChainId: `${preset.name}_${chainId}-1`, ...preset.native },
  }
}

export const PRESET_NAMES = ['kestrel', 'evmos'] as const
export type PresetName = (typeof PRESET_NAMES)[number]

/** New chains by name. Options replace single values of the preset. */
export const presets: Readonly<Record<PresetName, (options?: PresetOptions) => GenesisSpec>> = {
  kestrel: (options = {}) => create(kestrel, options),
  evmos: (options = {}) => create(evmos, options),
}

export const isPreset = (name: string): name is PresetName => Object.hasOwn(presets, name)

/** The public mnemonics of a preset's accounts, in the order of the accounts. */
export const devKeys: Readonly<Record<PresetName, readonly DevKeys[]>> = { kestrel: kestrel.keys, evmos: evmos.keys }

/** The mnemonics of the presets' validators whose operators are not in `devKeys`. */
export const devValidatorKeys: readonly DevKeys[] = [...kestrel.validatorKeys, ...evmos.validatorKeys]
