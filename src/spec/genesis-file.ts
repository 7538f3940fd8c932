// Converts between genesis file and chain spec. `parseGenesis(formatGenesis(spec))` gives the same spec. Missing fields get
// geth's defaults, so that the genesis hash is geth's. `genesis-stream.ts` reads files of any size.
import type { z } from 'zod'
import { ChainError } from '../lib/errors.ts'
import {
  type Address,
  EMPTY_BYTES,
  fromHex,
  type Hash,
  hexToAddress,
  toHex,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '../lib/hex.ts'
import {
  BLOB_FORKS,
  type BlobParams,
  type ChainSpec,
  type Fork,
  type ForkActivation,
  type GenesisAccount,
  type GenesisEntry,
  type GenesisSpec,
  isBlobParameterFork,
  type NativeSpec,
  TIME_FORKS,
  withoutAllocation,
} from './chain-spec.ts'
import { forkRules } from './fork-rules.ts'
import { genesisFork, MAINNET_BLOBS } from './forks.ts'
import { genesisAccount, type SpecFile, specFile } from './genesis-schema.ts'
import { isProposalName } from './proposal-name.ts'

type Config = SpecFile['config']

/** Forks by block, in order, with geth's name. geth permits leaving out the optional ones. */
const BLOCK_FORKS = [
  { fork: 'homestead', field: 'homesteadBlock' },
  { fork: 'dao', field: 'daoForkBlock', optional: true },
  { fork: 'tangerineWhistle', field: 'eip150Block' },
  { fork: 'spuriousDragon', field: 'eip158Block' },
  { fork: 'byzantium', field: 'byzantiumBlock' },
  { fork: 'constantinople', field: 'constantinopleBlock' },
  { fork: 'petersburg', field: 'petersburgBlock' },
  { fork: 'istanbul', field: 'istanbulBlock' },
  { fork: 'muirGlacier', field: 'muirGlacierBlock', optional: true },
  { fork: 'berlin', field: 'berlinBlock' },
  { fork: 'london', field: 'londonBlock' },
  { fork: 'arrowGlacier', field: 'arrowGlacierBlock', optional: true },
  { fork: 'grayGlacier', field: 'grayGlacierBlock', optional: true },
] as const satisfies readonly { fork: Fork; field: keyof Config; optional?: true }[]

/** Forks by timestamp, in order. As in geth those after Osaka may be left out; the others require the ones before. */
const TIMES = TIME_FORKS.map((fork) => ({ fork, field: `${fork}Time` as const, optional: forkRules(fork).bpo1 }))

/** Gas of a plain transfer: with a lower cap no transaction is possible. */
const TRANSFER_GAS = 21_000n

const refuse = (field: string, problem: string) => new ChainError('invalid-genesis', `${field}: ${problem}`)

/**
 * A genesis in geth's format, with or without our section `kestrel`.
 * Throws ChainError `invalid-genesis` with one line that begins with the field: `config.chainId: expected …`.
 */
export function parseGenesis(json: unknown): GenesisSpec {
  const spec = parseSpec(json)
  const alloc = new Map<Address, GenesisAccount>()
  for (const [key, account] of Object.entries(membersOfAlloc(json))) {
    const [address, parsed] = parseAccount(key, account)
    if (alloc.has(address)) throw repeatedAddress(key)
    alloc.set(address, parsed)
  }
  return { ...spec, genesis: { ...spec.genesis, alloc } }
}

const hasAlloc = (json: unknown): json is { alloc: object } =>
  typeof json === 'object' && json !== null && 'alloc' in json && isRecord(json.alloc)
const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function membersOfAlloc(json: unknown): object {
  if (hasAlloc(json)) return json.alloc
  throw noAllocation()
}

export const noAllocation = (): ChainError => refuse('alloc', 'expected an object with the accounts by address')
export const repeatedAddress = (key: string): ChainError => refuse(`alloc.${key}`, 'expected each address once')

/** A genesis without its accounts. Throws as `parseGenesis`. */
export function parseSpec(json: unknown): ChainSpec {
  const parsed = specFile.safeDecode(json as z.input<typeof specFile>)
  if (!parsed.success) throw firstProblem(parsed.error)
  const file = parsed.data
  const { config } = file
  if (config.chainId === 0n) throw refuse('config.chainId', 'expected a number above 0')

  const forks = readForks(config)
  const terminal = terminalDifficulty(config)
  const opposedDaoFork = config.daoForkSupport ? undefined : (config.daoForkBlock ?? undefined)
  const spec: ChainSpec = {
    name: file.kestrel?.name ?? 'ethereum',
    chainId: config.chainId,
    forks,
    terminalTotalDifficulty: terminal === 0n ? undefined : terminal,
    mergeNetsplitBlock: config.mergeNetsplitBlock ?? undefined,
    ...(opposedDaoFork !== undefined && { opposedDaoForkBlock: opposedDaoFork }),
    blobSchedule: readBlobSchedule(config, forks),
    depositContract: config.depositContractAddress ?? ZERO_ADDRESS,
    ...(config.contractSizeLimit != null && { codeSizeLimit: Number(config.contractSizeLimit) }),
    genesis: {
      ...(file.number && { number: file.number }),
      parentHash: file.parentHash ?? ZERO_HASH,
      coinbase: file.coinbase ?? ZERO_ADDRESS,
      timestamp: file.timestamp ?? 0n,
      gasLimit: file.gasLimit === 0n ? 4_712_388n : file.gasLimit, // geth's and Yellow Paper's first limit
      gasUsed: file.gasUsed ?? 0n,
      difficulty: file.difficulty,
      extraData: toHex(file.extraData ?? EMPTY_BYTES),
      mixHash: file.mixHash ?? ZERO_HASH,
      nonce: file.nonce ?? '0x0000000000000000',
      baseFeePerGas: undefined,
      blobGasUsed: undefined,
      excessBlobGas: undefined,
    },
    native: file.kestrel && readNative(file.kestrel, config.chainId),
  }
  const rules = forkRules(genesisFork(spec))
  if (spec.native?.consensus !== undefined && !rules.cancun)
    throw refuse('kestrel.consensus', 'expected Cancun from genesis on: headers of a network need its fields')
  if (spec.native?.consensus !== undefined && file.number)
    throw refuse('number', 'expected 0: a network begins with block 0')
  const floor = spec.native?.feeMarket.minBaseFee
  if (floor !== undefined && !rules.paris)
    throw refuse('kestrel.feeMarket.minBaseFee', 'expected a chain that begins with proof of stake')
  if (floor !== undefined && (file.baseFeePerGas ?? floor) < floor)
    throw refuse('baseFeePerGas', `expected at least kestrel.feeMarket.minBaseFee, ${floor}`)
  return {
    ...spec,
    genesis: {
      ...spec.genesis,
      ...(rules.london && { baseFeePerGas: file.baseFeePerGas ?? firstBaseFee(floor) }),
      ...(rules.cancun && { blobGasUsed: file.blobGasUsed ?? 0n, excessBlobGas: file.excessBlobGas ?? 0n }),
      ...(rules.amsterdam && { slotNumber: file.slotNumber ?? 0n }),
    },
  }
}

/** EIP-1559's initial base fee, or the floor if it is higher. */
const firstBaseFee = (floor = 0n): bigint => (floor > 1_000_000_000n ? floor : 1_000_000_000n)

/**
 * As `parseGenesis`, from the file's text: numbers that JavaScript would round (a terminal total difficulty, a balance) stay
 * exact.
 */
export const parseGenesisText = (text: string): GenesisSpec => parseGenesis(parseExactly(text))

/** JSON with numbers beyond 15 digits as strings, so that they stay exact. Throws ChainError `invalid-genesis`. */
export function parseExactly(text: string): unknown {
  const exact = text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    /^\d{16,}$/.test(token) ? `"${token}"` : token,
  )
  try {
    return JSON.parse(exact)
  } catch (error) {
    throw notJson(error)
  }
}

/** V8's message quotes the text, including line breaks. */
export function notJson(error: unknown): ChainError {
  const problem = error instanceof Error ? error.message : String(error)
  return refuse('genesis', `expected JSON: ${problem.replace(/\s+/g, ' ')}`)
}

/** The spec as a genesis file (plain JSON values) that geth reads too. */
export function formatGenesis(spec: GenesisSpec): unknown {
  return { ...formatSpec(spec), alloc: Object.fromEntries(Array.from(spec.genesis.alloc, formatAccount)) }
}

/** An account as a member of `alloc`. */
export const formatAccount = ([address, account]: GenesisEntry): [Address, unknown] => [
  address,
  genesisAccount.encode({ ...account, storage: new Map(account.storage) }),
]

/** As `formatGenesis`, without `alloc`. */
export function formatSpec(spec: ChainSpec): object {
  const { genesis, native } = withoutAllocation(spec)
  const activation = new Map(spec.forks.map(({ fork, block, time }) => [fork, block ?? time]))
  const alone = activation.get('amsterdamOpcodes')
  if (alone !== undefined) activation.set('bogota', alone)
  const file: SpecFile = {
    config: {
      chainId: spec.chainId,
      ...Object.fromEntries([...BLOCK_FORKS, ...TIMES].map(({ fork, field }) => [field, activation.get(fork)])),
      eip155Block: activation.get('spuriousDragon'),
      daoForkSupport: activation.has('dao') ? true : undefined,
      ...(spec.opposedDaoForkBlock !== undefined && { daoForkBlock: spec.opposedDaoForkBlock, daoForkSupport: false }),
      terminalTotalDifficulty: activation.get('paris') ?? spec.terminalTotalDifficulty,
      mergeNetsplitBlock: spec.mergeNetsplitBlock,
      depositContractAddress: spec.depositContract,
      contractSizeLimit: spec.codeSizeLimit === undefined ? undefined : BigInt(spec.codeSizeLimit),
      blobSchedule: spec.blobSchedule.size === 0 ? undefined : Object.fromEntries(spec.blobSchedule),
    },
    ...genesis,
    extraData: fromHex(genesis.extraData),
    ...(native && { kestrel: { name: spec.name, ...native } }),
  }
  // Through JSON, because undefined fields must be absent from a file.
  return JSON.parse(JSON.stringify(specFile.encode(file)))
}

function readForks(config: Config): ForkActivation[] {
  if ((config.eip155Block ?? undefined) !== (config.eip158Block ?? undefined))
    throw refuse('config.eip155Block', 'expected the same block as eip158Block: both belong to Spurious Dragon')
  const blocks: Config = {
    ...config,
    petersburgBlock: config.petersburgBlock ?? config.constantinopleBlock, // as geth reads it
    daoForkBlock: config.daoForkSupport ? config.daoForkBlock : undefined, // without support no rules change there
  }
  const byBlock = inOrder(BLOCK_FORKS, blocks).map(({ fork, at }) => ({ fork, block: at }))
  const byTime = inOrder(TIMES, config).map(({ fork, at }): ForkActivation => {
    const isAlone = fork === 'bogota' && typeof config.amsterdamTime !== 'bigint'
    return { fork: isAlone ? 'amsterdamOpcodes' : fork, time: at }
  })

  const terminal = terminalDifficulty(config)
  if (terminal === undefined) {
    const [first] = inOrder(TIMES, config)
    if (first) throw refuse('config.terminalTotalDifficulty', `expected a value, because ${first.field} is set`)
    return [{ fork: 'chainstart', block: 0n }, ...byBlock]
  }
  const london = byBlock.find(({ fork }) => fork === 'london')
  if (!london) throw refuse('config.londonBlock', 'expected a value, because terminalTotalDifficulty is set')
  if (terminal === 0n && london.block !== 0n)
    throw refuse('config.londonBlock', 'expected 0, because the chain begins with proof of stake')
  const merge: ForkActivation = terminal === 0n ? { fork: 'paris', block: 0n } : { fork: 'paris' }
  return [{ fork: 'chainstart', block: 0n }, ...byBlock, merge, ...byTime]
}

const terminalDifficulty = (config: Config): bigint | undefined =>
  config.terminalTotalDifficulty ?? (config.terminalTotalDifficultyPassed ? 0n : undefined)

/**
 * The forks that are set. geth's rules: only optional ones may be left out before another, and none may precede an earlier one.
 */
function inOrder<F extends { fork: Fork; field: keyof Config; optional?: boolean }>(
  forks: readonly F[],
  config: Config,
) {
  const scheduled: { fork: Fork; field: F['field']; at: bigint }[] = []
  let missing: F['field'] | undefined
  for (const { fork, field, optional } of forks) {
    const at = config[field]
    const last = scheduled.at(-1)
    if (typeof at !== 'bigint') {
      if (!optional) missing ??= field
    } else if (missing !== undefined) {
      throw refuse(`config.${missing}`, `expected a value, because ${field} is set`)
    } else if (last && at < last.at) {
      throw refuse(`config.${field}`, `expected at least ${last.at}, where ${last.field} stands`)
    } else scheduled.push({ fork, field, at })
  }
  return scheduled
}

/**
 * Parameters of every scheduled blob fork. geth requires those of Cancun and Prague, which default to mainnet's here, and those of the
 * forks that change nothing else. Osaka has Prague's, as there.
 */
function readBlobSchedule(config: Config, forks: readonly ForkActivation[]): Map<Fork, BlobParams> {
  const schedule = new Map<Fork, BlobParams>()
  for (const fork of BLOB_FORKS) {
    if (!forks.some((activation) => activation.fork === fork)) continue
    const given = config.blobSchedule?.[fork]
    const inherited = fork === 'osaka' ? schedule.get('prague') : MAINNET_BLOBS.get(fork)
    const params = given ?? (isBlobParameterFork(fork) ? undefined : inherited)
    const field = `config.blobSchedule.${fork}`
    if (!params) throw refuse(field, 'expected target, max and baseFeeUpdateFraction')
    if (params.baseFeeUpdateFraction === 0n) throw refuse(`${field}.baseFeeUpdateFraction`, 'expected a number above 0')
    if (params.target > params.max) throw refuse(`${field}.target`, `expected at most max, ${params.max}`)
    schedule.set(fork, params)
  }
  return schedule
}

/** A member of `alloc`. Throws ChainError `invalid-genesis`: `alloc.0x12: expected an address …`. */
export function parseAccount(key: string, json: unknown): GenesisEntry {
  const digits = /^(?:0[xX])?([0-9a-fA-F]{40})$/.exec(key)?.[1]
  if (digits === undefined) throw refuse(`alloc.${key}`, 'expected an address of 20 bytes of hex as key')
  const parsed = genesisAccount.safeDecode(json as z.input<typeof genesisAccount>)
  if (!parsed.success) throw firstProblem(parsed.error, ['alloc', key])
  const { balance = 0n, nonce = 0n, code = EMPTY_BYTES, storage = NO_STORAGE } = parsed.data
  return [hexToAddress(`0x${digits}`), { balance, nonce, code, storage }]
}
const NO_STORAGE: ReadonlyMap<Hash, Hash> = new Map()

function readNative(section: NonNullable<SpecFile['kestrel']>, chainId: bigint): NativeSpec {
  const { name, textChainId = `${name}_${chainId}-1`, transactionGasCap, consensus, ...native } = section
  if (transactionGasCap !== undefined && transactionGasCap < TRANSFER_GAS)
    throw refuse('kestrel.transactionGasCap', `expected at least ${TRANSFER_GAS}, the gas of a plain transfer`)
  native.validators.forEach(({ operator, commission }, index, all) => {
    const field = `kestrel.validators.${index}`
    if (all.findIndex((other) => other.operator === operator) !== index)
      throw refuse(`${field}.operator`, 'expected each operator once')
    if (commission.rate > commission.maxRate) throw refuse(`${field}.commission.rate`, 'expected at most maxRate')
    if (commission.maxChangeRate > commission.maxRate)
      throw refuse(`${field}.commission.maxChangeRate`, 'expected at most maxRate')
  })
  native.proposals.forEach(({ name }, index, all) => {
    const field = `kestrel.proposals.${index}.name`
    if (!isProposalName(name)) throw refuse(field, `EIP ${name} name is not valid`)
    if (all.findIndex((other) => other.name === name) !== index) throw refuse(field, 'expected each name once')
  })
  native.upgrades.forEach(({ name, height }, index, all) => {
    const field = `kestrel.upgrades.${index}`
    if (height === 0n) throw refuse(`${field}.height`, 'expected a block after genesis')
    if (height < (all[index - 1]?.height ?? 0n)) throw refuse(`${field}.height`, 'expected upgrades in order of height')
    if (all.findIndex((other) => other.name === name) !== index)
      throw refuse(`${field}.name`, 'expected each name once')
  })
  const validators = native.validators.map((validator) => ({ ...validator, consensusKey: validator.consensusKey }))
  const network = consensus && readNetwork(consensus, { validators, modules: native.modules })
  return { ...native, ...network, textChainId, transactionGasCap, validators }
}

/**
 * The rules of a network: its validators have explicit consensus keys, and it has the slashing module, whose genesis may be in
 * either section.
 */
function readNetwork(
  { slashing, ...consensus }: NonNullable<NonNullable<SpecFile['kestrel']>['consensus']>,
  { validators, modules }: Pick<NativeSpec, 'validators' | 'modules'>,
): Pick<NativeSpec, 'consensus' | 'modules'> {
  const isNew = consensus.initialHeight === 1n
  validators.forEach(({ consensusKey }, index) => {
    if (isNew && consensusKey === undefined)
      throw refuse(`kestrel.validators.${index}.consensusKey`, 'expected a key: everybody knows a derived one')
    // CometBFT would exit at each start, with its own message.
    const first = validators.findIndex((other) => other.consensusKey === consensusKey)
    if (consensusKey !== undefined && first !== index)
      throw refuse(`kestrel.validators.${index}.consensusKey`, `validator ${first} has the same key`)
  })
  if (isNew && consensus.keys.length > 0)
    throw refuse('kestrel.consensus.keys', 'expected none: the validators have theirs from genesis')
  if (slashing !== undefined && modules.slashing !== undefined)
    throw refuse('kestrel.consensus.slashing', 'expected either this or kestrel.modules.slashing')
  if (!isNew && modules.slashing === undefined)
    throw refuse('kestrel.consensus', 'expected kestrel.modules.slashing since genesis')
  return { consensus, modules: { ...modules, slashing: modules.slashing ?? slashing ?? {} } }
}

function firstProblem(error: z.ZodError, place: readonly string[] = []): ChainError {
  const issue = error.issues[0]
  if (!issue) return refuse('genesis', 'not acceptable')
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  const field = [...place, ...issue.path, ...unknown].join('.') || 'genesis'
  return refuse(field, unknown.length > 0 ? 'unknown field' : issue.message.replace(/^Invalid (input|option): /, ''))
}
