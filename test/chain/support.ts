// A small chain without native modules: a few funded keys, and contracts whose whole code is here, so that the effect of a
// transaction can be worked out by hand.
import { privateKeyToAddress } from 'viem/accounts'
import { onTestFinished } from 'vitest'
import { BlockChain } from '../../src/chain/block-chain.ts'
import type { CanonicalChain } from '../../src/chain/canonical-chain.ts'
import { checkChain } from '../../src/chain/check.ts'
import { createChain } from '../../src/chain/open.ts'
import { completeAttributes } from '../../src/chain/payload-attributes.ts'
import type { EngineChoice } from '../../src/evm/machine.ts'
import { indexer } from '../../src/indexer/indexer.ts'
import { type Address, bigToFixed, EMPTY_BYTES, fromHex, type Hash, hexToAddress, toHex } from '../../src/lib/hex.ts'
import { signTransaction } from '../../src/primitives/transaction.ts'
import type { Transaction } from '../../src/primitives/types.ts'
import { executeBlock } from '../../src/runtime/execute-block.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import type { ExecutedBlock } from '../../src/runtime/types.ts'
import { type ChainSpec, type GenesisSpec, withoutAllocation } from '../../src/spec/chain-spec.ts'
import { parseGenesis } from '../../src/spec/genesis-file.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import type { KvStore } from '../../src/state/types.ts'
import { systemAlloc } from '../support/plain-spec.ts'

export const GWEI = 10n ** 9n
export const ETHER = 10n ** 18n
export const CHAIN_ID = 1337n

const at = (n: number): Address => hexToAddress(`0x${n.toString(16).padStart(40, '0')}`)

/** Four test keys: the numbers 1 to 4. */
export const KEYS: readonly { readonly address: Address; readonly privateKey: Uint8Array }[] = [1n, 2n, 3n, 4n].map(
  (n) => {
    const privateKey = bigToFixed(n, 32)
    return { address: hexToAddress(privateKeyToAddress(toHex(privateKey))), privateKey }
  },
)

/** LOG0 to LOG4: two logs per call, with the topics from words 0 and 1 of the input on, without data. */
export const LOGGERS: readonly Address[] = [0xc0, 0xc1, 0xc2, 0xc3, 0xc4].map(at)
/** SSTORE(word 0, word 1). */
export const KEEPER = at(0xd0)
/** Creates CHILD with CREATE2, whose constructor stores 1 in slot 0. */
export const FACTORY = at(0xd1)
/** With input like KEEPER; without input it self-destructs. */
export const CHILD_CODE = '0x36600657' + '33ff' + '5b60203560003555' + '00'
/** Always reverts. */
export const REVERTER = at(0xd2)
/** Burns all its gas. */
export const BURNER = at(0xd3)

const CHILD_INIT = `60016000556e${CHILD_CODE.slice(2)}600052600f6011f3`
const loggerCode = (topics: number): string => {
  const word = (n: number) => `60${(n * 32).toString(16).padStart(2, '0')}35`
  const log = (from: number) =>
    Array.from({ length: topics }, (_, i) => word(from + topics - 1 - i))
      .join('')
      .concat(`60006000a${topics}`)
  return `0x${log(0)}${log(1)}00`
}
const CODES: readonly [Address, string][] = [
  ...LOGGERS.map((address, topics): [Address, string] => [address, loggerCode(topics)]),
  [KEEPER, '0x602035600035' + '5500'],
  [FACTORY, `0x7c${CHILD_INIT}6000526000601d60036000f500`],
  [REVERTER, '0x60006000fd'],
  [BURNER, '0xfe'],
]

/** Keys with 1,000 ether each; `until` is the last fork (all forks are active from block 0). */
export function smallSpec(until: 'shanghai' | 'prague' | 'amsterdam' = 'prague', gasLimit = 30_000_000n): GenesisSpec {
  const blocks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul']
  return parseGenesis({
    config: {
      chainId: Number(CHAIN_ID),
      ...Object.fromEntries([...blocks, 'berlin', 'london'].map((fork) => [`${fork}Block`, 0])),
      terminalTotalDifficulty: 0,
      shanghaiTime: 0,
      ...(until !== 'shanghai' && { cancunTime: 0, pragueTime: 0 }),
      ...(until === 'amsterdam' && { osakaTime: 0, amsterdamTime: 0 }),
      ...(until !== 'shanghai' && {
        blobSchedule: {
          cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 },
          prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
        },
      }),
    },
    difficulty: '0x0',
    gasLimit: `0x${gasLimit.toString(16)}`,
    timestamp: '0x1',
    baseFeePerGas: '0x3b9aca00',
    alloc: Object.fromEntries([
      ...(until === 'shanghai' ? [] : Object.entries(systemAlloc(until))),
      ...KEYS.map(({ address }) => [address, { balance: `0x${(1_000n * ETHER).toString(16)}` }]),
      ...CODES.map(([address, code]) => [address, { code, balance: '0x0' }]),
    ]),
  })
}

type Fields = Partial<
  Pick<Transaction, 'to' | 'value' | 'accessList' | 'data' | 'gasLimit' | 'maxFeePerGas' | 'maxPriorityFeePerGas'>
>

/** A transaction signed by a key: type 2, 200,000 gas, fee cap 100 gwei, tip 1 gwei by default. */
export function signed(key: number, nonce: bigint, fields: Fields = {}): Transaction {
  const { privateKey } = keyAt(key)
  return signTransaction(
    {
      type: 2,
      chainId: CHAIN_ID,
      nonce,
      to: at(0xee),
      value: 0n,
      data: EMPTY_BYTES,
      gasLimit: 200_000n,
      maxFeePerGas: 100n * GWEI,
      maxPriorityFeePerGas: GWEI,
      accessList: [],
      blobVersionedHashes: [],
      maxFeePerBlobGas: 0n,
      authorizationList: [],
      ...fields,
    },
    privateKey,
  )
}

export function keyAt(index: number): { readonly address: Address; readonly privateKey: Uint8Array } {
  const key = KEYS[index]
  if (key === undefined) throw new Error(`there is no key ${index}`)
  return key
}

export const word = (value: bigint): Hash => toHex(bigToFixed(value, 32)) as Hash
export const words = (...values: readonly bigint[]): Uint8Array =>
  fromHex(`0x${values.map((v) => word(v).slice(2)).join('')}`)

/** A chain in a separate store, closed after the test. */
export async function openSmallChain(options: { store?: KvStore; spec?: GenesisSpec; prune?: number } = {}) {
  const store = options.store ?? (await openMemoryStore())
  const spec = options.spec ?? smallSpec()
  await createChain(store, spec, indexer)
  const chain = reopen(store, spec, options.prune)
  onTestFinished(() => chain.close())
  return chain
}

/** Opens the chain in a store, as after a restart. */
export function reopen(
  store: KvStore,
  spec: ChainSpec,
  prune?: number,
  engine?: EngineChoice,
): BlockChain & { readonly errors: unknown[] } {
  const errors: unknown[] = []
  const chain = new BlockChain({
    store,
    runtime: new Runtime(spec, undefined, engine),
    indexer,
    limits: { gasCap: 50_000_000n, time: 5_000 },
    pool: { minTip: 0n, allowUnprotected: true },
    onError: (error) => errors.push(error),
    prune,
  })
  return Object.assign(chain, { errors })
}

/** Executes a block of these transactions on the head, one second after it, without committing it. */
export function blockOn(
  canonical: CanonicalChain,
  spec: ChainSpec,
  transactions: readonly Transaction[],
): Promise<ExecutedBlock> {
  const parent = canonical.head
  const draft = completeAttributes(spec, parent, { timestamp: parent.timestamp + 1n })
  return executeBlock(new Runtime(spec), canonical.view(), draft, transactions, canonical.ancestors(parent), {
    pause: () => undefined,
  })
}

/** Any value as text with sorted fields; bytes in hex, so that a Buffer equals an array of the same bytes. */
export const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === 'bigint') return `${item}n`
    if (item instanceof Uint8Array) return toHex(item)
    const isRecord = typeof item === 'object' && item !== null && !Array.isArray(item)
    return isRecord ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item
  })

/** The findings of `kestrel check`, one line each. */
export async function findings(store: KvStore, spec: GenesisSpec): Promise<string[]> {
  const found: string[] = []
  await checkChain(store, {
    runtime: new Runtime(withoutAllocation(spec)),
    indexer,
    scratch: await openMemoryStore(),
    report: (place, what) => found.push(`${place}: ${what}`),
    onPart: () => undefined,
    onBlock: () => undefined,
  })
  return found
}
