// Forks of another chain. The other chain is an anvil of its own for both programs, behind proxies that delay each exchange; the
// table names the exchanges of one piece of work. Each measurement begins a new fork, which does work of the same kind several times:
// each time with other contracts and slots, of which the fork knows nothing yet.
import type { Hex } from 'viem'
import type { Bench, Group, Row, Sample } from '../bench.ts'
import { anvil, type Contender, findAnvil, temporaryFolder } from '../contenders.ts'
import { callData, deploy, deploySlots, deployToken, sendAndWait, transact } from '../contracts.ts'
import { openConnection, post } from '../load/http.ts'
import { type DelayingProxy, openProxy } from '../proxy.ts'
import { bodyOf, cpuOf, median, request } from '../requests.ts'
import { deployer, sign } from '../senders.ts'
import { formatValue } from '../statistics.ts'
import type { Target } from '../target.ts'

/** Milliseconds of an exchange with the other chain. */
const DELAYS = [20, 0]
const SLOTS = 300
const TOKENS = 50
/** Pieces of work on one fork. The first half is not measured: it finds a program that has never run its code. */
const PIECES = 24
/** Pieces of work that take long. */
const ROUNDS = 8

type Swap = { readonly to: Hex; readonly data: Hex }

type Remote = {
  readonly proxies: readonly { readonly delay: number; readonly proxy: DelayingProxy }[]
  /** A mapping with slots for each piece of work. */
  readonly slots: Hex
  /** For each round of calls. */
  readonly tokens: readonly (readonly Hex[])[]
  /** For each piece of work: a router and a swap of the deployer. */
  readonly swaps: readonly Swap[]
  /** The deployer's next nonce. */
  readonly firstNonce: number
  stop(): Promise<void>
}

let remote: Promise<Remote> | undefined

export const fork: Group = {
  name: 'fork',
  title: 'Forks of another chain',
  of: 'both',
  async rows(contender, bench) {
    remote ??= openRemote(bench)
    const forked = await remote
    const rows: Row[] = []
    for (const { delay, proxy } of forked.proxies) {
      const named = (row: Row): Row => ({ ...row, name: `${row.name}, ${delay} ms` })
      rows.push(...(await rowsOf(contender, forked, proxy)).map(named))
    }
    return rows
  },
  async close() {
    await (await remote)?.stop()
    remote = undefined
  },
}

async function openRemote({ size }: Bench): Promise<Remote> {
  const program = findAnvil()
  if (program === undefined) throw new Error('the chain to fork needs anvil (npm package @foundry-rs/anvil)')
  const contender = anvil(program)
  const target = await contender.start()
  const slots = await deploySlots(target, Math.ceil((SLOTS * PIECES) / 1000) * 1000)
  const tokens: Hex[][] = []
  for (let round = 0; round < ROUNDS; round++) {
    const some: Hex[] = []
    for (let count = 0; count < size(TOKENS, 6); count++) some.push(await deployToken(target))
    tokens.push(some)
  }
  const all = tokens.flat()
  const swaps: Swap[] = []
  for (let piece = 0; piece < PIECES; piece++)
    swaps.push(await deployExchange(target, all.slice(2 * piece, 2 * piece + 2)))
  const proxies = await Promise.all(DELAYS.map(async (delay) => ({ delay, proxy: await openProxy(target.url, delay) })))
  return {
    proxies,
    slots,
    tokens,
    swaps,
    firstNonce: Number(await target.rpc('eth_getTransactionCount', deployer, 'latest')),
    async stop() {
      for (const { proxy } of proxies) proxy.close()
      await contender.stopAll()
    },
  }
}

/** Deploys a pair of two tokens with reserves and a router, which may move the deployer's tokens. */
async function deployExchange(target: Target, tokens: readonly Hex[]): Promise<Swap> {
  const factory = await deploy(target, 'Factory')
  const router = await deploy(target, 'Router', [factory])
  const sorted = tokens.toSorted()
  const gas = 5_000_000n
  await transact(target, { to: factory, data: callData('Factory', 'createPair', sorted), gas })
  const found = await target.rpc('eth_call', { to: router, data: callData('Router', 'pairFor', sorted) }, 'latest')
  const pair: Hex = `0x${String(found).slice(-40)}`
  for (const token of tokens) {
    await transact(target, { to: token, data: callData('Token', 'transfer', [pair, 10n ** 21n]), gas })
    await transact(target, { to: token, data: callData('Token', 'approve', [router, 10n ** 24n]), gas })
  }
  await transact(target, { to: pair, data: callData('Pair', 'sync', []), gas })
  return { to: router, data: callData('Router', 'swap', [10n ** 18n, 1n, ...tokens]) }
}

const NO_CACHE = { kestrel: ['--no-storage-caching'], anvil: ['--no-storage-caching'] }

/** Does a piece of work by its number. */
type Work = (target: Target, piece: number) => Promise<string>
type Start = () => Promise<Target>

async function rowsOf(contender: Contender, remote: Remote, proxy: DelayingProxy): Promise<Row[]> {
  const { slots, tokens, swaps, firstNonce } = remote
  const start = () => contender.start({ forkUrl: proxy.url, flags: NO_CACHE })
  // kestrel's cache and anvil's.
  const folder = temporaryFolder()
  const env = { XDG_CACHE_HOME: folder, HOME: folder }
  const startCached = () => contender.start({ forkUrl: proxy.url, env })

  const read: Work = (target, piece) => {
    const data = callData('Slots', 'readFrom', [BigInt(piece), BigInt(SLOTS), BigInt(PIECES)])
    return call(target, slots, data)
  }
  const swap: Work = async (target, piece) => {
    const raw = sign(deployer, firstNonce + piece, { ...swaps[piece], gas: 500_000n })
    const { status } = await sendAndWait(target, raw)
    return status
  }
  const held = callData('Token', 'balanceOf', [deployer])
  const balances: Work = async (target, piece) => {
    const found: string[] = []
    for (const token of tokens[piece] ?? []) found.push(await call(target, token, held))
    return found.join()
  }
  const balancesAtOnce: Work = async (target, piece) => {
    const asked = (tokens[piece] ?? []).map(async (to) => {
      const connection = await openConnection(target.url)
      const answer = await connection.ask(request(target, 'eth_call', [{ to, data: held }, 'latest']))
      connection.close()
      return answer.toString()
    })
    return (await Promise.all(asked)).join()
  }

  const balancesInBatch: Work = async (target, piece) => {
    const bodies = (tokens[piece] ?? []).map((to, id) => bodyOf('eth_call', [{ to, data: held }, 'latest'], id))
    return (await target.ask(post(target.url, `[${bodies}]`))).toString()
  }

  const filled = await startCached()
  await read(filled, 0)
  await filled.stop()
  const many = `${tokens[0]?.length} calls of different tokens`
  const works: readonly (readonly [name: string, Work, pieces: number])[] = [
    [`a call that reads ${SLOTS} slots`, read, ROUNDS],
    ['a swap, 4 contracts', swap, PIECES],
    [`${many}, one after the other`, balances, ROUNDS],
    [`${many} at once`, balancesAtOnce, ROUNDS],
    [`${many} in a batch`, balancesInBatch, ROUNDS],
  ]
  const rows = [
    starting('start until the first answer', proxy, start),
    starting('start from the cache', proxy, startCached),
  ]
  const target = await start()
  for (const [name, work, pieces] of works) rows.push(working(name, proxy, start, work, await work(target, 0), pieces))
  const fromCache = `first call of a new node: ${SLOTS} slots from the cache`
  rows.push(working(fromCache, proxy, startCached, read, await read(target, 0), 1))
  await target.stop()
  return rows
}

const call = async (target: Target, to: Hex, data: Hex): Promise<string> =>
  String(await target.rpc('eth_call', { to, data }, 'latest'))

/** A row that measures the start of a fork. */
function starting(name: string, proxy: DelayingProxy, start: Start): Row {
  let exchanges = 0
  const run = async (): Promise<Sample> => {
    proxy.exchanges = 0
    const target = await start()
    exchanges = proxy.exchanges
    const sample = { value: target.startedIn, cpu: target.cpuTime() }
    await target.stop()
    return sample
  }
  return { name, unit: 'ms', better: 'less', run, note: () => `${exchanges} exchanges` }
}

/** A row that measures work on a new fork. */
function working(name: string, proxy: DelayingProxy, start: Start, work: Work, answer: string, pieces: number): Row {
  let exchanges = 0
  const run = async (): Promise<Sample> => {
    const target = await start()
    const waits: number[] = []
    const first = Math.floor(pieces / 2)
    for (let piece = 0; piece < first; piece++) await work(target, piece)
    proxy.exchanges = 0
    const cpu = await cpuOf(target, async () => {
      for (let piece = first; piece < pieces; piece++) {
        const began = performance.now()
        await work(target, piece)
        waits.push(performance.now() - began)
      }
      return waits.length
    })
    exchanges = proxy.exchanges / waits.length
    await target.stop()
    return median({ waits, cpu })
  }
  return { name, unit: 'ms', better: 'less', answer, run, note: () => `${formatValue(exchanges)} exchanges` }
}
