// Calls every function of every precompile in every way. The calls come from `matrix-samples.ts`; what is allowed follows from
// the function's mutability and from who may act for whom.
import {
  type Abi,
  type AbiFunction,
  type Address,
  decodeErrorResult,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseAbi,
  type TransactionReceipt,
  toFunctionSignature,
} from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Node, startNode } from '../../src/node.ts'
import type { Precompile } from '../../src/precompiles/define.ts'
import { PRECOMPILES } from '../../src/precompiles/index.ts'
import { presets } from '../../src/spec/presets.ts'
import { account, nodeOptions } from '../support/chain.ts'
import { attempter } from '../support/forwarder.ts'
import { type Clients, clientsOf } from '../support/process.ts'
import { provenAccount } from '../support/proofs.ts'
import {
  contractOf,
  FIXTURE_MODULES,
  type Fixture,
  OWNER,
  openFixture,
  type Role,
  type Rule,
  STRANGER,
  sampleOf,
} from './matrix-samples.ts'

const GAS = 3_000_000n
const isQuery = ({ stateMutability }: AbiFunction) => stateMutability === 'view' || stateMutability === 'pure'
const functionsOf = (abi: Abi) => abi.flatMap((entry) => (entry.type === 'function' ? [entry] : []))

type Case = {
  readonly signature: string
  readonly of: Precompile
  readonly from: number
  readonly rule: Rule | undefined
  readonly never: RegExp | undefined
  readonly constant: string | undefined
  data(): Hex
}

const CASES: readonly (Case & { readonly isQuery: boolean })[] = PRECOMPILES.flatMap((of) =>
  functionsOf(of.abi).map((entry) => {
    const signature = toFunctionSignature(entry)
    const sample = sampleOf(of.name, entry.name, signature)
    const { args, from = OWNER, rule, never, constant } = sample
    const data = () => {
      const given = entry.name === 'cancelUnbondingDelegation' ? [...args.slice(0, -1), fixture.undelegated] : args
      return encodeFunctionData({ abi: [entry], functionName: entry.name, args: given })
    }
    return { signature: `${of.name}.${signature}`, of, from, rule, never, constant, data, isQuery: isQuery(entry) }
  }),
)
const QUERIES = CASES.filter((of) => of.isQuery)
const TRANSACTIONS = CASES.filter((of) => !of.isQuery && of.never === undefined)
const IMPOSSIBLE = CASES.filter((of) => of.never !== undefined)
/** Functions that a contract with grants can call. */
const isDirect = ({ rule }: Case) => rule === 'subject' || rule === 'creator'
const THROUGH_CONTRACTS = TRANSACTIONS.filter((of) => !isDirect(of))
const ONLY_DIRECT = TRANSACTIONS.filter(isDirect)

let node: Node
let chain: Clients
let fixture: Fixture
/** Results of the queries when block `past` was the head. */
const resultsAtPast = new Map<string, Hex>()

beforeAll(async () => {
  const spec = presets.kestrel()
  if (spec.native === undefined) throw new Error('the preset has no native modules')
  node = await startNode(nodeOptions({ spec: { ...spec, native: { ...spec.native, modules: FIXTURE_MODULES } } }))
  chain = clientsOf(node.url)
  fixture = await openFixture(chain, async () => {
    for (const of of QUERIES) resultsAtPast.set(of.signature, await answer(of))
  })
}, 60_000)
afterAll(() => node.close())

type Way = { readonly to?: Address; readonly from?: number; readonly value?: bigint }

const requestOf = (of: Case, { to = of.of.address, from = of.from, value = 0n }: Way) => ({
  from: account(from).address,
  to,
  data: of.data(),
  value: numberToHex(value),
})

/** The result of a call. */
const answer = async (of: Case, way: Way = {}, block: bigint | 'latest' = 'latest'): Promise<Hex> =>
  (await chain.rpc('eth_call', requestOf(of, way), block === 'latest' ? block : numberToHex(block))) as Hex

/** The reason of a call's refusal; undefined if it succeeds. */
async function refusal(of: Case, way: Way = {}): Promise<string | undefined> {
  const { error } = await chain.raw('eth_call', requestOf(of, way), 'latest')
  if (error === undefined) return undefined
  if (typeof error.data !== 'string' || error.data === '0x') return error.message
  return decodeErrorResult({ abi: parseAbi(['error Error(string)']), data: error.data as Hex }).args[0]
}

async function send(of: Case, { to = of.of.address, from = of.from, value = 0n }: Way = {}, gas = GAS) {
  const hash = await chain.walletOf(from).sendTransaction({ to, data: of.data(), value, gas })
  return chain.viem.waitForTransactionReceipt({ hash })
}

/**
 * Runs `work` and rewinds the blocks that it made. Its blocks are later than the head, because a set time moves the clock for good: a
 * grant that a block of the same second renews keeps its expiration, which costs less gas.
 */
async function undone(work: () => Promise<void>): Promise<void> {
  const { timestamp } = await chain.viem.getBlock()
  const snapshot = await chain.rpc('evm_snapshot')
  await chain.rpc('evm_setNextBlockTimestamp', numberToHex(timestamp + 1n))
  try {
    await work()
  } finally {
    await chain.rpc('evm_revert', snapshot)
  }
}

type Frame = {
  readonly type: string
  readonly from: Hex
  readonly to: Hex
  readonly input: Hex
  readonly output?: Hex
  readonly error?: string
  readonly gasUsed: Hex
  readonly calls?: readonly Frame[]
  readonly logs?: readonly { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex }[]
}

const trace = async ({ transactionHash }: TransactionReceipt): Promise<Frame> =>
  (await chain.rpc('debug_traceTransaction', transactionHash, {
    tracer: 'callTracer',
    tracerConfig: { withLog: true },
  })) as Frame

type Accounts = Readonly<Record<Hex, { readonly storage?: Readonly<Record<Hex, Hex>> }>>

/** Storage slots that a transaction changed, by account. Cleared slots are in `pre` only. */
async function written({ transactionHash }: TransactionReceipt): Promise<ReadonlyMap<Hex, readonly Hex[]>> {
  const tracer = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }
  const diff = (await chain.rpc('debug_traceTransaction', transactionHash, tracer)) as { pre: Accounts; post: Accounts }
  const changed = new Map<Hex, readonly Hex[]>()
  for (const [address, { storage = {} }] of [...Object.entries(diff.pre), ...Object.entries(diff.post)]) {
    const slots = [...(changed.get(address as Hex) ?? []), ...(Object.keys(storage) as Hex[])]
    if (slots.length > 0) changed.set(address as Hex, slots)
  }
  return changed
}

const through = (of: Case, role: Role) => ({ to: contractOf(of.of.address, role) })

const NOT_THE_CREATOR = /^only the creator of client \S+ may register its counterparty$/

const REFUSED: Readonly<
  Record<'bare' | 'stranger' | 'strangerThroughGrantee', Readonly<Record<Rule, RegExp | undefined>>>
> = {
  bare: {
    grantee: /^authorization to \S+ for address \S+ does not exist or is expired$/,
    holder: /^authorization to \S+ for address \S+ does not exist or is expired$/,
    subject: /can only be called directly to the precompile, not from a smart contract$/,
    creator: NOT_THE_CREATOR,
    anyone: undefined,
    self: undefined,
  },
  stranger: {
    grantee: /^(tx )?origin address \S+ (is not the same as|does not match the) \S+ address \S+$/,
    holder: /^authorization to \S+ for address \S+ does not exist or is expired$/,
    subject: /origin address/,
    creator: NOT_THE_CREATOR,
    anyone: undefined,
    self: undefined,
  },
  strangerThroughGrantee: {
    grantee: /origin address/,
    // The contract changes its own grants, whoever calls it.
    holder: undefined,
    subject: /origin address|can only be called directly/,
    creator: NOT_THE_CREATOR,
    anyone: undefined,
    self: undefined,
  },
}

function expectRefusal(reason: string | undefined, of: Case, who: keyof typeof REFUSED): void {
  const expected = REFUSED[who][of.rule ?? 'self']
  if (expected === undefined) expect(reason).toBeUndefined()
  else expect(reason).toMatch(expected)
}

describe.each(TRANSACTIONS)('$signature', (of) => {
  it('succeeds for its owner, is traced, costs the estimated gas, and leaves provable storage', async () => {
    const estimate = BigInt((await chain.rpc('eth_estimateGas', requestOf(of, {}))) as Hex)
    await undone(async () => {
      const receipt = await send(of, {}, estimate)
      expect(receipt.status).toBe('success')
      expect(estimate).toBeLessThanOrEqual((receipt.gasUsed * 6n) / 5n)
      expect(receipt.logs.length).toBeGreaterThan(0)
      expect(new Set(receipt.logs.map(({ address }) => address))).toEqual(new Set([of.of.address]))

      const frame = await trace(receipt)
      expect(frame).toMatchObject({
        type: 'CALL',
        to: of.of.address,
        input: of.data(),
        gasUsed: numberToHex(receipt.gasUsed),
      })
      expect(frame.error).toBeUndefined()
      expect(frame.logs?.map(({ topics, data }) => ({ topics, data }))).toEqual(
        receipt.logs.map(({ topics, data }) => ({ topics, data })),
      )

      const changed = await written(receipt)
      expect(changed.size).toBeGreaterThan(0)
      for (const [address, slots] of [...changed].slice(0, 2)) {
        await provenAccount(chain, { address, slots: slots.slice(0, 2) }, receipt.blockNumber)
      }
    })
  })

  it('leaves no state when it runs out of gas halfway', async () => {
    await undone(async () => {
      let gasUsed = 0n
      await undone(async () => {
        gasUsed = (await send(of)).gasUsed
      })
      for (const gas of [gasUsed - 1n, gasUsed - 2_000n]) {
        const receipt = await send(of, {}, gas)
        expect(receipt).toMatchObject({ status: 'reverted', gasUsed: gas, logs: [] })
        expect(await written(receipt)).toEqual(new Map())
        expect((await trace(receipt)).error).toBe('out of gas')
      }
    })
  })

  it('refuses a value', async () => {
    expect(await refusal(of, { value: 1n })).toBe('extension methods do not accept value')
    await undone(async () => {
      const before = await chain.viem.getBalance({ address: of.of.address })
      const receipt = await send(of, { value: 1n })
      expect(receipt).toMatchObject({ status: 'reverted', logs: [] })
      expect(receipt.gasUsed).toBeLessThan(GAS / 10n)
      expect(await chain.viem.getBalance({ address: of.of.address })).toBe(before)
    })
  })

  it.each(['static', 'nestedStatic', 'delegate', 'callcode'] as const)('is refused in a %s call', async (role) => {
    expect(await refusal(of, through(of, role))).toBe('write protection')
  })

  it('is refused for a contract without a grant, unless the contract acts for itself', async () => {
    expectRefusal(await refusal(of, through(of, 'bare')), of, 'bare')
  })

  it('is refused in a transaction that another account signed', async () => {
    expectRefusal(await refusal(of, { from: STRANGER }), of, 'stranger')
    const way = { ...through(of, 'grantee'), from: STRANGER }
    expectRefusal(await refusal(of, way), of, 'strangerThroughGrantee')
  })
})

describe.each(THROUGH_CONTRACTS)('$signature, through a contract', (of) => {
  it('succeeds with a grant, and is traced as a call of the contract', async () => {
    await undone(async () => {
      const receipt = await send(of, through(of, 'grantee'))
      expect(receipt.status).toBe('success')
      expect(receipt.logs.length).toBeGreaterThan(0)
      expect(new Set(receipt.logs.map(({ address }) => address))).toEqual(new Set([of.of.address]))
      const inner = (await trace(receipt)).calls?.[0]
      const contract = contractOf(of.of.address, 'grantee').toLowerCase()
      expect(inner).toMatchObject({ type: 'CALL', from: contract, to: of.of.address, input: of.data() })
      expect(inner?.logs).toHaveLength(receipt.logs.length)
    })
  })

  it('leaves no state when it runs out of gas and its caller continues', async () => {
    await undone(async () => {
      let needed = 0n
      await undone(async () => {
        needed = BigInt((await trace(await send(of, through(of, 'grantee')))).calls?.[0]?.gasUsed ?? 0)
      })
      // The contract with the grants, but with a gas limit for its call.
      const way = through(of, 'reverting')
      await chain.dev.setCode({ address: way.to, bytecode: attempter(of.of.address, needed - 1n) })
      const receipt = await send(of, way)
      expect(receipt).toMatchObject({ status: 'success', logs: [] })
      expect((await trace(receipt)).calls?.[0]).toMatchObject({ to: of.of.address, error: 'out of gas' })
      expect(await written(receipt)).toEqual(new Map())

      await chain.dev.setCode({ address: way.to, bytecode: attempter(of.of.address, needed) })
      expect((await send(of, way)).logs.length).toBeGreaterThan(0)
    })
  })

  it('leaves no state when its caller reverts afterwards', async () => {
    await undone(async () => {
      const receipt = await send(of, through(of, 'attempting'))
      expect(receipt).toMatchObject({ status: 'success', logs: [] })
      const outer = (await trace(receipt)).calls?.[0]
      expect(outer?.error).toBe('execution reverted')
      // The inner call had succeeded.
      expect(outer?.calls?.[0]).toMatchObject({ to: of.of.address, input: of.data() })
      expect(outer?.calls?.[0]?.error).toBeUndefined()
      expect(await written(receipt)).toEqual(new Map())
    })
  })
})

describe.each(ONLY_DIRECT)('$signature', (of) => {
  it('is refused for contracts even with grants', async () => {
    expectRefusal(await refusal(of, through(of, 'grantee')), of, 'bare')
  })
})

describe.each(IMPOSSIBLE)('$signature', (of) => {
  it('is refused for every caller', async () => {
    for (const way of [{}, { from: STRANGER }, through(of, 'grantee')]) {
      expect(await refusal(of, way)).toMatch(of.never ?? /^$/)
    }
  })
})

describe.each(QUERIES)('$signature', (of) => {
  it('returns the same at an older block as when that block was the head', async () => {
    expect(await answer(of, {}, fixture.past)).toBe(resultsAtPast.get(of.signature))
    const isSame = (await answer(of)) === resultsAtPast.get(of.signature)
    expect(isSame, of.constant).toBe(of.constant !== undefined)
  })

  it('returns the same in every kind of call and to every caller', async () => {
    const expected = await answer(of)
    expect(expected.length).toBeGreaterThan(2)
    for (const role of ['bare', 'static', 'nestedStatic', 'delegate', 'callcode'] as const) {
      expect(await answer(of, through(of, role)), role).toBe(expected)
    }
    expect(await answer(of, { from: STRANGER })).toBe(expected)
  })

  it('refuses a value, and in a transaction changes nothing and costs the estimated gas', async () => {
    expect(await refusal(of, { value: 1n })).toBe('extension methods do not accept value')
    const estimate = BigInt((await chain.rpc('eth_estimateGas', requestOf(of, {}))) as Hex)
    await undone(async () => {
      const receipt = await send(of, {}, estimate)
      expect(receipt).toMatchObject({ status: 'success', logs: [] })
      expect(estimate).toBeLessThanOrEqual((receipt.gasUsed * 6n) / 5n)
      expect(await written(receipt)).toEqual(new Map())
    })
  })
})
