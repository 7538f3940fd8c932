// A scenario as a state test in Ethereum's format, as both programs read it: accounts, one transaction with lists of data,
// gas limits and values, and an entry for each of their combinations under each fork.
import { z } from 'zod'
import { toHex, toQuantity } from '../../src/lib/hex.ts'
import { gasBounds } from '../../src/primitives/gas.ts'
import { signTransaction, type TransactionFields } from '../../src/primitives/transaction.ts'
import type { TransactionType } from '../../src/primitives/types.ts'
import { forkRules } from '../../src/spec/fork-rules.ts'
import { isSince, NEW_FORKS, OLD_FORKS, Random } from './code.ts'
import {
  AUTHORITIES,
  COINBASE,
  CONTRACTS,
  type ExtraAccount,
  type Scenario,
  SENDER,
  SENDER_KEY,
  settingOf,
} from './scenario.ts'
import { KINDS, type NamedKind } from './scenarios/index.ts'

const account = z.object({
  balance: z.string(),
  nonce: z.string(),
  code: z.string(),
  storage: z.record(z.string(), z.string()),
})
const subtest = z.object({
  hash: z.string(),
  logs: z.string(),
  txbytes: z.string(),
  indexes: z.object({ data: z.number(), gas: z.number(), value: z.number() }),
  expectException: z.string().optional(),
})
/** One test of a file; `hash` and `logs` are blank until it has run. */
export const stateTest = z.object({
  env: z.record(z.string(), z.string()),
  pre: z.record(z.string(), account),
  transaction: z.record(z.string(), z.unknown()),
  post: z.record(z.string(), z.array(subtest)),
})
export type StateTest = z.infer<typeof stateTest>
export type Subtest = z.infer<typeof subtest>

const BASE_FEE = 7n
const GAS_PRICE = 10n

/** The test of a seed; the same seed gives the same test. `only`: the name of one kind of scenario. */
export function testOfSeed(seed: number, only?: string): { readonly kind: string; readonly test: StateTest } {
  const random = new Random(seed)
  const isNew = random.below(4) > 0
  const forks = isNew ? pickNew(random) : pickOld(random)
  const oldest = forks[0] ?? 'Osaka'
  const kinds = KINDS.filter(({ since, name }) => (only === undefined ? isSince(oldest, since) : name === only))
  const kind = pickKind(random, kinds.length > 0 ? kinds : KINDS)
  const scenario = kind.make(settingOf(random, oldest))
  return { kind: kind.name, test: write(random, scenario, forks) }
}

/** Usually the newest fork; one test in three also runs on another. */
function pickNew(random: Random): string[] {
  const newest = random.below(3) > 0 ? 'Amsterdam' : random.pick(NEW_FORKS)
  const other = random.oneIn(3) ? random.pick(NEW_FORKS) : newest
  return NEW_FORKS.filter((fork) => fork === newest || fork === other)
}

function pickOld(random: Random): string[] {
  const one = random.pick(OLD_FORKS)
  const other = random.pick(OLD_FORKS)
  return OLD_FORKS.filter((fork) => fork === one || fork === other)
}

function pickKind(random: Random, kinds: readonly NamedKind[]): NamedKind {
  let left = random.below(kinds.reduce((sum, { weight }) => sum + weight, 0))
  for (const kind of kinds) {
    left -= kind.weight
    if (left < 0) return kind
  }
  throw new RangeError('no kind of scenario')
}

function write(random: Random, made: Scenario, forks: readonly string[]): StateTest {
  const isMerged = isSince(forks[0] ?? '', 'Paris')
  const type = made.type ?? pickType(random, forks[0] ?? '')
  const fields = fieldsOf(random, made, type, isSince(forks[0] ?? '', 'EIP158'))
  const hasStateGas = isSince(forks.at(-1) ?? '', 'Amsterdam')
  const scenario = { ...made, gasLimits: limitsOf(random, made, fields, hasStateGas) }
  return {
    env: {
      currentCoinbase: coinbaseOf(random, forks[0] ?? ''),
      currentGasLimit: toQuantity(2n ** 53n),
      currentNumber: toQuantity(random.pick([1, 7, 1000])),
      currentTimestamp: toQuantity(1000 + random.below(1_000_000)),
      currentBaseFee: toQuantity(BASE_FEE),
      currentDifficulty: isMerged ? '0x0' : '0x20000',
      currentExcessBlobGas: toQuantity(random.pick([0, 0, 10_000_000])),
      ...(hasStateGas && { slotNumber: toQuantity(random.below(1_000_000)) }),
      ...(isMerged && { currentRandom: `0x${'11'.repeat(32)}` }),
    },
    pre: accountsOf(random, scenario),
    transaction: transactionOf(scenario, fields),
    post: Object.fromEntries(forks.map((fork) => [fork, subtestsOf(scenario, fields)])),
  }
}

function limitsOf(random: Random, made: Scenario, fields: Fields, hasStateGas: boolean): bigint[] {
  const { gasLimits, data, values } = made
  if (made.isAboveIntrinsic === true) {
    const message = { ...fields, from: SENDER, data: data[0] ?? new Uint8Array(0), value: values?.at(-1) ?? 0n }
    const { intrinsic, floor } = gasBounds(message, forkRules(hasStateGas ? 'amsterdam' : 'osaka'))
    const least = intrinsic > floor ? intrinsic : floor
    return gasLimits.map((gas) => least + gas)
  }
  // Sometimes omitted, so that some transactions cannot pay their upfront cost.
  const more = random.oneIn(20) ? 0n : gasOfLists(fields)
  return gasLimits.map((gas) => (hasStateGas ? withStateGas(random, gas) : gas) + more)
}

/** The most execution gas of a transaction (EIP-7825); what its limit has beyond that pays for state only (EIP-8037). */
const EXECUTION_GAS = 2n ** 24n

/** A limit for a fork in which new state costs ten times as much as before: often more, and around the most execution gas. */
function withStateGas(random: Random, gas: bigint): bigint {
  if (random.oneIn(3)) return gas
  // Rarely the most: the library needs seconds for a loop of so much gas.
  if (random.below(8) > 0) return gas * BigInt(2 + random.below(10))
  if (random.oneIn(4)) return EXECUTION_GAS + BigInt(random.below(3) - 1)
  return EXECUTION_GAS + BigInt(Math.floor(2 ** (random.next() * 26)))
}

/** Usually a type that the fork has. */
function pickType(random: Random, fork: string): TransactionType {
  const most = isSince(fork, 'London') ? 2 : isSince(fork, 'Berlin') ? 1 : 0
  const isBlob = isSince(fork, 'Cancun') && random.oneIn(10)
  if (isBlob) return 3
  return [0, 1, 2].map((type) => type as TransactionType)[random.below(most + 1 + (random.oneIn(30) ? 1 : 0))] ?? 0
}

/**
 * Sometimes a contract, but not before EIP-161: a state test ends with a reward of 0 wei. If the coinbase has self-destructed,
 * this creates an empty account again, except in geth since it commits once. Blocks have no such reward.
 */
const coinbaseOf = (random: Random, fork: string) =>
  random.oneIn(20) && isSince(fork, 'EIP158') ? (CONTRACTS[1] ?? COINBASE) : COINBASE

type Fields = Omit<TransactionFields, 'data' | 'gasLimit' | 'value'>

function fieldsOf(random: Random, scenario: Scenario, type: TransactionType, isProtected: boolean): Fields {
  const to = scenario.to === undefined ? (CONTRACTS[0] ?? null) : scenario.to
  const isList = type > 0 && random.oneIn(2)
  const keys = [0, 1, 2].map((slot) => `0x${slot.toString(16).padStart(64, '0')}`)
  const listed = [CONTRACTS[0], CONTRACTS[1], AUTHORITIES[0]].filter((of) => of !== undefined)
  return {
    type: type === 3 && to === null ? 2 : type,
    chainId: type > 0 || (isProtected && random.oneIn(2)) ? 1n : undefined,
    nonce: 0n,
    to,
    maxFeePerGas: GAS_PRICE,
    maxPriorityFeePerGas: type >= 2 ? random.pick([0n, 1n, GAS_PRICE]) : GAS_PRICE,
    accessList: isList
      ? listed.map((address) => ({ address, storageKeys: keys.slice(0, random.below(4)) as `0x${string}`[] as never }))
      : (scenario.accessList ?? []),
    blobVersionedHashes: type === 3 ? ([`0x01${'ab'.repeat(31)}`] as never) : [],
    maxFeePerBlobGas: type === 3 ? 1_000_000n : 0n,
    authorizationList: scenario.authorizations ?? [],
  }
}

/** EIP-2930: 2,400 for an address and 1,900 for a slot. EIP-7702: 25,000 for an authorization. */
const gasOfLists = ({ accessList, authorizationList }: Fields): bigint =>
  accessList.reduce((sum, { storageKeys }) => sum + 2400n + 1900n * BigInt(storageKeys.length), 0n) +
  25_000n * BigInt(authorizationList.length)

function transactionOf({ data, gasLimits, values = [0n] }: Scenario, fields: Fields): StateTest['transaction'] {
  const { type, to, nonce, maxFeePerGas, maxPriorityFeePerGas, accessList } = fields
  return {
    data: data.map(toHex),
    gasLimit: gasLimits.map(toQuantity),
    value: values.map(toQuantity),
    nonce: toQuantity(nonce),
    to: to ?? '',
    sender: SENDER,
    secretKey: toHex(SENDER_KEY),
    ...(type < 2
      ? { gasPrice: toQuantity(maxFeePerGas) }
      : { maxFeePerGas: toQuantity(maxFeePerGas), maxPriorityFeePerGas: toQuantity(maxPriorityFeePerGas) }),
    ...(type > 0 && { accessLists: data.map(() => accessList) }),
    ...(type === 3 && {
      blobVersionedHashes: fields.blobVersionedHashes,
      maxFeePerBlobGas: toQuantity(fields.maxFeePerBlobGas),
    }),
    ...(type === 4 && {
      authorizationList: fields.authorizationList.map(({ chainId, address, nonce, yParity, r, s }) => ({
        chainId: toQuantity(chainId),
        address,
        nonce: toQuantity(nonce),
        v: toQuantity(yParity),
        r: toQuantity(r),
        s: toQuantity(s),
      })),
    }),
  }
}

/** Every combination of data, gas limit and value, signed. */
function subtestsOf({ data, gasLimits, values = [0n] }: Scenario, fields: Fields): Subtest[] {
  return data.flatMap((input, ofData) =>
    gasLimits.flatMap((gasLimit, ofGas) =>
      values.map((value, ofValue) => ({
        hash: '',
        logs: '',
        txbytes: toHex(signTransaction({ ...fields, data: input, gasLimit, value }, SENDER_KEY).raw),
        indexes: { data: ofData, gas: ofGas, value: ofValue },
      })),
    ),
  )
}

function accountsOf(random: Random, { codes, extra = new Map(), nonce = 1n }: Scenario): StateTest['pre'] {
  const plain = (balance: bigint) => ({ balance: toQuantity(balance), nonce: '0x0', code: '0x', storage: {} })
  const contracts = codes.map((code, index) => {
    const storage = random.oneIn(2)
      ? {}
      : { '0x00': '0x01', '0x01': `0x${(1 + random.below(255)).toString(16).padStart(2, '0')}`, '0x02': '0x02' }
    return [
      CONTRACTS[index] ?? '',
      { balance: toQuantity(random.below(3) * 1000), nonce: toQuantity(nonce), code: toHex(withoutEf(code)), storage },
    ] as const
  })
  const others = [...extra].map(
    ([of, { code = new Uint8Array(0), nonce: own = 0n, balance = 0n }]: [string, ExtraAccount]) => [
      of,
      { ...plain(balance), nonce: toQuantity(own), code: toHex(code) },
    ],
  )
  return {
    [SENDER]: plain(10n ** 24n),
    ...(random.oneIn(2) && { [AUTHORITIES[0] ?? '']: plain(5n) }),
    ...Object.fromEntries(contracts),
    ...Object.fromEntries(others),
  }
}

/** Contract code must not begin with 0xef (EIP-3541), except a delegation. */
const withoutEf = (code: Uint8Array): Uint8Array => (code[0] === 0xef ? Uint8Array.of(0x5b, ...code.subarray(1)) : code)
