// The genesis file as a two-way schema: geth's format (hex or decimal numbers, addresses with or without 0x) and the section
// `kestrel`, which is strict. Every message says what was expected; the path says where. The descriptions of values are in
// docs/genesis.md.
import { z } from 'zod'
import { ChainError } from '../lib/errors.ts'
import {
  type Address,
  bigToFixed,
  fromHex,
  type Hash,
  type Hex,
  hexToAddress,
  hexToHash,
  toHex,
  toQuantity,
} from '../lib/hex.ts'
import { BLOB_FORKS, DEFAULT_NETWORK, NATIVE_INTERFACES, TIME_FORKS } from './chain-spec.ts'
import { checkProposalList } from './proposal-name.ts'

/** One value on the wire. `read` throws a TypeError whose message says what it expected. */
const value = <T>(read: (wire: unknown) => T, write: (value: T) => unknown) =>
  z.codec(z.unknown(), z.custom<T>(), {
    decode(wire, context) {
      try {
        return read(wire)
      } catch (error) {
        context.issues.push({
          code: 'custom',
          message: error instanceof Error ? error.message : String(error),
          input: wire,
        })
        return z.NEVER
      }
    },
    encode: (parsed) => write(parsed),
  })

const shown = (wire: unknown): string => {
  const text = wire === undefined ? 'nothing' : (JSON.stringify(wire) ?? typeof wire)
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}
const expected = (what: string, wire: unknown) => new TypeError(`expected ${what}, got ${shown(wire)}`)

/** Decimal or 0x hex, as a string or an exact JSON number; the empty string is zero, as in geth. */
function readInteger(wire: unknown, bits: number): bigint {
  const what = `a whole number of up to ${bits} bits, decimal or 0x hex`
  if (typeof wire === 'number' && Number.isInteger(wire) && !Number.isSafeInteger(wire))
    throw expected('a number this large as a string, to be exact', wire)
  const text = typeof wire === 'number' ? String(wire) : wire
  if (typeof text !== 'string' || !/^(0[xX][0-9a-fA-F]+|\d*)$/.test(text)) throw expected(what, wire)
  const integer = BigInt(text)
  if (integer >> BigInt(bits) !== 0n) throw expected(what, wire)
  return integer
}

const hexDigits = (wire: unknown): string | undefined =>
  typeof wire === 'string' ? /^(?:0[xX])?([0-9a-fA-F]*)$/.exec(wire)?.[1] : undefined

const u64 = value((wire) => readInteger(wire, 64), toQuantity).describe('number, 64 bits')
const u256 = value((wire) => readInteger(wire, 256), toQuantity).describe('number, 256 bits')

/** In `config` geth reads only JSON numbers; a number that JavaScript cannot represent exactly is written as a string. */
const configNumber = value(
  (wire) => readInteger(wire, 256),
  (integer) => (integer <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(integer) : integer.toString()),
).describe('number')

const bytes = value<Uint8Array>((wire) => {
  const digits = hexDigits(wire)
  if (digits === undefined || digits.length % 2 !== 0) throw expected('hex of whole bytes', wire)
  return fromHex(`0x${digits}`)
}, toHex).describe('hex')

const fixed = <T extends Hex>(size: number, brand: (hex: string) => T) =>
  value<T>(
    (wire) => {
      const digits = hexDigits(wire)
      if (digits?.length !== size * 2) throw expected(`${size} bytes of hex`, wire)
      return brand(`0x${digits}`)
    },
    (hex) => hex,
  ).describe(`hex, ${size} bytes`)
const address = fixed<Address>(20, hexToAddress)
const hash = fixed<Hash>(32, hexToHash)

/** The header's nonce: a number in the file, 8 bytes in the header. */
const blockNonce = value<Hex>(
  (wire) => toHex(bigToFixed(readInteger(wire, 64), 8)),
  (nonce) => nonce,
).describe('number, 64 bits')

/** Keys and values of genesis storage may be short; they are padded on the left. */
function readWord(wire: unknown): Hash {
  const digits = hexDigits(wire)
  if (digits === undefined || digits.length > 64) throw expected('a storage word of up to 32 bytes', wire)
  return hexToHash(`0x${digits.padStart(64, '0')}`)
}

/** Slots with nonzero values. */
const storage = value<ReadonlyMap<Hash, Hash>>(
  (wire) => {
    if (typeof wire !== 'object' || wire === null || Array.isArray(wire))
      throw expected('an object of storage slots', wire)
    const slots = Object.entries(wire).map(([slot, word]) => [readWord(slot), readWord(word)] as const)
    return new Map(slots.filter(([, word]) => BigInt(word) !== 0n))
  },
  (slots) => Object.fromEntries(slots),
).describe('object of storage words by slot')

const SCALE = 10n ** 18n
/** A fraction of one: `"0.05"`, 18 decimals at most. */
const fraction = value(
  (wire) => {
    const [, whole, decimals = ''] = (typeof wire === 'string' && /^([01])(?:\.(\d{1,18}))?$/.exec(wire)) || []
    const scaled = whole === undefined ? SCALE + 1n : BigInt(whole + decimals.padEnd(18, '0'))
    if (scaled > SCALE) throw expected('a decimal string from "0" to "1"', wire)
    return scaled
  },
  (scaled) => {
    const decimals = (scaled % SCALE).toString().padStart(18, '0').replace(/0+$/, '')
    return decimals === '' ? `${scaled / SCALE}` : `${scaled / SCALE}.${decimals}`
  },
).describe('decimal string from "0" to "1"')

const text = (pattern: RegExp, what: string) =>
  value<string>(
    (wire) => {
      if (typeof wire !== 'string' || !pattern.test(wire)) throw expected(what, wire)
      return wire
    },
    (string) => string,
  ).describe(what)

const blobParams = z.object({ target: configNumber, max: configNumber, baseFeeUpdateFraction: configNumber })
const blobForks = Object.fromEntries(BLOB_FORKS.map((fork) => [fork, blobParams.nullish()])) as {
  readonly [fork in (typeof BLOB_FORKS)[number]]: ReturnType<typeof blobParams.nullish>
}

const activation = configNumber.nullish()
const timeActivations = Object.fromEntries(TIME_FORKS.map((fork) => [`${fork}Time`, activation])) as {
  readonly [fork in (typeof TIME_FORKS)[number] as `${fork}Time`]: typeof activation
}
/** Later forks: refuse the chain now, because it could not continue when they begin. */
const unsupported = value<undefined>(
  (wire) => {
    if (wire !== undefined && wire !== null && wire !== false) throw new TypeError('this node cannot execute that fork')
    return undefined
  },
  () => undefined,
)
  .describe('not supported')
  .optional()

/** So that a creation of the longest init code still fits into a request. */
const MAX_CODE_SIZE = 1n << 31n

const config = z.object({
  chainId: configNumber,
  homesteadBlock: activation,
  daoForkBlock: activation,
  daoForkSupport: z.boolean().nullish(),
  eip150Block: activation,
  eip155Block: activation,
  eip158Block: activation,
  byzantiumBlock: activation,
  constantinopleBlock: activation,
  petersburgBlock: activation,
  istanbulBlock: activation,
  muirGlacierBlock: activation,
  berlinBlock: activation,
  londonBlock: activation,
  arrowGlacierBlock: activation,
  grayGlacierBlock: activation,
  mergeNetsplitBlock: activation,
  terminalTotalDifficulty: activation,
  terminalTotalDifficultyPassed: z.boolean().nullish(),
  ...timeActivations,
  ubtTime: unsupported,
  verkleTime: unsupported,
  enableVerkleAtGenesis: unsupported,
  enableUBTAtGenesis: unsupported,
  depositContractAddress: address.nullish(),
  blobSchedule: z.object(blobForks).nullish(),
  // Besu's name.
  contractSizeLimit: configNumber
    .refine((bytes) => bytes <= MAX_CODE_SIZE, `expected at most ${MAX_CODE_SIZE} bytes`)
    .nullish(),
})

/** An account of `alloc`. */
export const genesisAccount = z.object({
  balance: u256.optional(),
  nonce: u64.optional(),
  code: bytes.optional(),
  storage: storage.optional(),
})

const names = z.array(text(/^/, 'a proposal name such as "kestrel_0"')).readonly()

/** Names of proposals without duplicates. The runtime checks whether they exist. */
const proposals = names.superRefine((list, context) => {
  for (const [index, name] of list.entries()) {
    try {
      checkProposalList(list.slice(0, index + 1))
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      return context.addIssue({ code: 'custom', message: error.message, input: name, path: [index] })
    }
  }
})
const params = z.strictObject({ activeProposals: proposals })

const namedProposal = z.strictObject({
  name: text(/^/, 'a proposal name such as "kestrel_9"'),
  /** As `sha256sum` prints it. */
  sha256: value<Hash>(
    (wire) => {
      const digits = hexDigits(wire)
      if (digits?.length !== 64) throw expected('the SHA-256 of a file, 64 hex digits', wire)
      return hexToHash(`0x${digits.toLowerCase()}`)
    },
    (sha256) => sha256.slice(2),
  ).describe('64 hex digits'),
  since: u64.default(0n),
})

const validator = z.strictObject({
  operator: address,
  consensusKey: hash.optional(),
  moniker: text(/^.{1,70}$/, 'a name of 1 to 70 characters'),
  commission: z.strictObject({ rate: fraction, maxRate: fraction, maxChangeRate: fraction }),
  selfDelegation: u256,
  minSelfDelegation: u256.default(1n),
})

const upgrade = z.strictObject({
  name: text(/^\S+$/, 'a name'),
  height: u64,
  params: params.optional(),
  addProposals: proposals.default([]),
  removeProposals: proposals.default([]),
})

const compat = z.strictObject({
  allowanceOrder: z.enum(['owner-first', 'grantee-first']).default('owner-first'),
  entriesAsStruct: z.boolean().default(false),
  decCoinRaw: z.boolean().default(false),
  distributionGrants: z.boolean().default(true),
})

/** Largest block that CometBFT allows. */
const MAX_BLOCK_BYTES = 104_857_600n

const consensus = z.strictObject({
  engine: z.literal('cometbft'),
  maxBytes: u64
    .refine((size) => size >= 65_536n && size <= MAX_BLOCK_BYTES, `expected 65536 to ${MAX_BLOCK_BYTES} bytes`)
    .default(DEFAULT_NETWORK.maxBytes),
  blockTimeMs: u64
    .refine((time) => time >= 1_000n && time <= 86_400_000n, 'expected 1000 to 86400000 milliseconds')
    .optional(),
  initialHeight: u64
    .refine((height) => height > 0n, 'expected a block after genesis')
    .default(DEFAULT_NETWORK.initialHeight),
  keys: z
    .array(z.strictObject({ operator: address, consensusKey: hash }))
    .readonly()
    .default([]),
  /** The same as `modules.slashing`. */
  slashing: z.unknown().optional(),
})

/** What a chain's names look like, and what is expected of one that does not. */
export const CHAIN_NAMES = {
  textChainId: [/^\S{1,50}$/, 'a chain id of 1 to 50 characters'],
  denom: [/^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/, 'a denomination such as "akest"'],
  symbol: [/^\S{1,32}$/, 'a symbol such as "KEST"'],
  bech32Prefix: [/^[a-z]{1,32}$/, 'a prefix of lower-case letters'],
} as const

const kestrel = z.strictObject({
  name: text(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'a name of lower-case letters and digits, with hyphens within'),
  textChainId: text(...CHAIN_NAMES.textChainId).optional(),
  denom: text(...CHAIN_NAMES.denom),
  symbol: text(...CHAIN_NAMES.symbol),
  coinName: text(/^\P{C}{1,64}$/u, 'a name of 1 to 64 characters').optional(),
  bech32Prefix: text(...CHAIN_NAMES.bech32Prefix),
  interfaces: z.enum(NATIVE_INTERFACES).optional(),
  feeMarket: z
    .strictObject({ burnBaseFee: z.boolean().default(false), minBaseFee: u64.optional() })
    .default({ burnBaseFee: false }),
  clock: z.enum(['non-decreasing', 'strictly-increasing']).default('non-decreasing'),
  transactionGasCap: u64.optional(),
  boundedWork: z.boolean().default(false),
  nativeGas: z.union([z.literal(1), z.literal(2)], { error: 'expected 1 or 2' }).optional(),
  authz: z.strictObject({ granter: z.enum(['caller', 'origin']) }).default({ granter: 'caller' }),
  compat: compat.prefault({}),
  proposals: z.array(namedProposal).readonly().default([]),
  params: params.default({ activeProposals: [] }),
  upgrades: z.array(upgrade).readonly().default([]),
  validators: z.array(validator).readonly().default([]),
  consensus: consensus.optional(),
  modules: z.record(z.string(), z.unknown()).default({}),
})

export const genesisFile = z.object({
  config,
  nonce: blockNonce.nullish(),
  timestamp: u64.nullish(),
  extraData: bytes.nullish(),
  gasLimit: u64,
  difficulty: u256,
  mixHash: hash.nullish(),
  coinbase: address.nullish(),
  alloc: z.record(z.string(), genesisAccount),
  number: u64.nullish(),
  gasUsed: u64.nullish(),
  parentHash: hash.nullish(),
  baseFeePerGas: u256.nullish(),
  excessBlobGas: u64.nullish(),
  slotNumber: u64.nullish(),
  blobGasUsed: u64.nullish(),
  kestrel: kestrel.optional(),
})

/** The genesis file, parsed: numbers as bigint, names as branded hex. */

/** The file without the accounts, which are read one at a time. */
export const specFile = genesisFile.omit({ alloc: true })
export type SpecFile = z.output<typeof specFile>
