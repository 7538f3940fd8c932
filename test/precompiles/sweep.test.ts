// One million gas must not buy more than 50 ms of work, however large the state: calls every function of every precompile on a
// grown state. Functions come from the registry and calls from `matrix-samples.ts`, so new functions are included.
//
// Time depends on the machine, so reads and changes of the state are asserted instead. Measured on two cores shared with six
// other processes: 20,000 reads of mapping slots took 4 µs each; 20,000 changes took 23 µs each, 11 for the change and 12 for
// the state root. An idle core is several times faster. The rest of a call's time is proportional to its input, which is paid
// by the byte, and to its reads. One million gas may therefore buy r reads and c changes with 4 r + 23 c <= 50,000 µs. The time
// taken is printed.
import { type AbiFunction, encodeFunctionData, hexToBytes, toFunctionSignature } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NativeResult } from '../../src/evm/native-call.ts'
import { toBech32 } from '../../src/lib/bech32.ts'
import { PRECOMPILES } from '../../src/precompiles/index.ts'
import type { StateView } from '../../src/state/types.ts'
import { account } from '../support/chain.ts'
import { nativeCall } from '../support/native.ts'
import { addressOf, type Grown, grownSpec, grownState, SIZE, START, voucherHash } from './grown-state.ts'
import { OWNER, sampleOf } from './matrix-samples.ts'

const READ_US = 4
const CHANGE_US = 23
/** 50 ms for 1,000,000 gas. */
const US_PER_GAS = 50_000 / 1_000_000

const COIN = 10n ** 18n
const HOSTILE_TEXT = 'transfer/channel-1/'.repeat(1_000)
const coins = (amount: bigint) => [{ denom: 'akest', amount }]
const receivers = Array.from({ length: 400 }, (_, index) => `kest1receiver${index}`.padEnd(43, 'q'))
const allocation = { sourcePort: 'transfer', sourceChannel: 'channel-0', spendLimit: coins(COIN), allowList: receivers }
const period = { length: 1n, amount: coins(COIN) }
const owner = account(0).address
const funded = account(8).address
const spender = `0x${'5e'.repeat(20)}` as const
const methods = ['MSG_DELEGATE', 'MSG_UNDELEGATE', 'MSG_REDELEGATE', 'MSG_CANCEL_UNDELEGATION']

/** Arguments that cause more work than the sample, by `precompile.function`. */
const HARDER: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  'authorization.approve': [[spender, COIN, [...methods, ...methods, ...methods]]],
  'staking.redelegations': [[`0x${'00'.repeat(20)}`, operator(10), '', pageOf({ limit: 1_000n })]],
  'staking.validators': [['BOND_STATUS_UNBONDED', pageOf({ limit: 1n })]],
  'ics20.approve': [
    [spender, [allocation]],
    [spender, [{ ...allocation, allowedPacketData: receivers }]],
  ],
  'ics20.denomTrace': [[voucherHash]],
  'ics20.denomHash': [[HOSTILE_TEXT]],
  // Starts before all existing periods, so that every step of both schedules moves.
  'vesting.fundVestingAccount': [
    [owner, funded, START - 10n, [period], [period]],
    [owner, account(7).address, START, Array(900).fill(period), Array(900).fill({ length: 1n, amount: coins(COIN) })],
  ],
  'gov.getProposals': [[0, `0x${'00'.repeat(20)}`, owner, pageOf({ limit: 1n })]],
  'gov.getMessages': [[3n]],
  'distribution.claimRewards': [[owner, SIZE.validators]],
  'bech32.hexToBech32': [[owner, 'k'.repeat(10_000)]],
  'bech32.bech32ToHex': [[`kest1${'q'.repeat(50_000)}`]],
}

function operator(index: number): string {
  return toBech32('kestvaloper', addressOf(index))
}
function pageOf(change: object) {
  return { key: '0x', offset: 0n, limit: 100n, countTotal: true, reverse: false, ...change }
}
const isPage = (argument: unknown): boolean =>
  typeof argument === 'object' && argument !== null && 'countTotal' in argument

/** The sample, the sample with other pages if it has one, and the harder arguments. */
function callsOf(name: string, { name: fn, inputs }: AbiFunction, sample: readonly unknown[]): (readonly unknown[])[] {
  const pages = [
    { limit: 1n },
    { limit: 1_000n },
    { limit: 1_000n, reverse: true },
    { offset: 10n ** 6n },
    { offset: 150n, limit: 3n },
  ]
  const paged = sample.some(isPage)
    ? pages.map((page) => sample.map((argument) => (isPage(argument) ? pageOf(page) : argument)))
    : []
  const harder = (HARDER[`${name}.${fn}`] ?? []).filter((args) => isFor(args, inputs.length))
  return [sample, ...paged, ...harder]
}
const isFor = (args: readonly unknown[], length: number): boolean => args.length === length

const CASES = PRECOMPILES.flatMap((of) =>
  of.abi
    .flatMap((entry) => (entry.type === 'function' ? [{ of, entry }] : []))
    .flatMap(({ of, entry }) => {
      const signature = toFunctionSignature(entry)
      const { args, from = OWNER } = sampleOf(of.name, entry.name, signature)
      return callsOf(of.name, entry, args).flatMap((given, variant) => {
        const data = encoded(entry, given)
        return data === undefined
          ? []
          : [{ name: `${of.name}.${signature} #${variant}`, of, data, from: addressOf(from) }]
      })
    }),
)

/** Returns undefined if the arguments are those of an overload. */
function encoded(entry: AbiFunction, args: readonly unknown[]) {
  try {
    return encodeFunctionData({ abi: [entry], functionName: entry.name, args })
  } catch {
    return undefined
  }
}

/** A view that counts its reads and changes, including nested ones. */
function counting(view: StateView) {
  const counts = { reads: 0, changes: 0 }
  const READS = new Set(['account', 'balance', 'nonce', 'code', 'storage', 'word', 'originalWord', 'hasStorage'])
  const CHANGES = new Set(['setAccount', 'setBalance', 'setNonce', 'setCode', 'addBalance', 'deleteAccount'])
  const proxy: StateView = new Proxy(view, {
    get(target, name) {
      if (name === 'slots') {
        return (of: Parameters<StateView['slots']>[0]) => ({
          load: (slot: bigint) => proxy.storage(of, slot),
          store: (slot: bigint, word: bigint) => proxy.setStorage(of, slot, word),
        })
      }
      if (name === 'setStorage') {
        return (...[of, slot, word]: Parameters<StateView['setStorage']>) => {
          if (target.storage(of, slot) === word) counts.reads++
          else counts.changes++
          target.setStorage(of, slot, word)
        }
      }
      if (READS.has(String(name))) counts.reads++
      if (CHANGES.has(String(name))) counts.changes++
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  return { view: proxy, counts }
}

let grown: Grown
beforeAll(async () => {
  grown = await grownState()
}, 120_000)

const printed: string[] = []
afterAll(() =>
  console.info(['us for 1,000 gas: by count, as measured; call', ...printed.sort().reverse().slice(0, 25)].join('\n')),
)

const GAS = 30_000_000n

async function measured({ of, data, from }: (typeof CASES)[number], gasLimit: bigint) {
  const { view, counts } = counting(grown.view)
  const contract = of.on(grownSpec, (message, error) => expect.fail(`${message}: ${error}`))
  const call = nativeCall(view, hexToBytes(data), {
    caller: from,
    origin: from,
    gasLimit,
    block: { ...grown.block },
    callContract: () => Promise.resolve({ output: new Uint8Array(0), gasUsed: 0n, logs: [], error: undefined }),
  })
  grown.view.checkpoint()
  const began = performance.now()
  let result: NativeResult
  try {
    result = await contract.run(call)
  } finally {
    grown.view.revert()
  }
  const work = counts.reads * READ_US + counts.changes * CHANGE_US
  return { ...result, ...counts, work, us: (performance.now() - began) * 1_000 }
}

describe('a call on a grown state', () => {
  it.each(CASES)('pays for its work: $name', async (of) => {
    for (const gasLimit of [1_000_000n, GAS]) {
      const { gasUsed, work, us, reads, changes, error } = await measured(of, gasLimit)
      const per = (amount: number) => ((amount * 1_000) / Number(gasUsed)).toFixed(1).padStart(7)
      printed.push(
        `${per(work)} ${per(us)} ${of.name} ${gasUsed} gas, ${reads} reads, ${changes} changes ${error ?? ''}`,
      )
      expect(work, `${reads} reads, ${changes} changes for ${gasUsed} gas`).toBeLessThanOrEqual(
        Number(gasUsed) * US_PER_GAS,
      )
    }
  })
})
