// A disk that lies: copies of one chain's folder are damaged at random, and each of them is either refused, or answers
// errors, or answers everything as the original does. No answer is another one.
// `KESTREL_DAMAGES=100 npx vitest run test/e2e/damage.test.ts` makes a hundred and prints what became of them.
import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEther } from 'viem'
import { expect, test } from 'vitest'
import { createLogger } from '../../src/lib/log.ts'
import { type Node, startNode } from '../../src/node.ts'
import { findAllDamage } from '../../src/state/disk-check.ts'
import { play, spec } from '../explorer/full/script.ts'
import { scenarioOn } from '../explorer/scenario.ts'
import { account, nodeOptions, rawRequest } from '../support/chain.ts'
import { temporaryFolder } from '../support/process.ts'

const RUNS = Number(process.env.KESTREL_DAMAGES ?? 12)
const SEED = Number(process.env.KESTREL_SEED ?? 1)

const start = (datadir: string): Promise<Node> =>
  startNode(nodeOptions({ datadir, spec: spec(), log: createLogger({ level: 'error', json: false }) }))

/** A chain with some of everything in tables and some more in the log, as `kill -9` leaves it. */
async function makeChain(folder: string): Promise<ReadonlyMap<string, string>> {
  const alive = join(folder, 'alive')
  let node = await start(alive)
  await play(scenarioOn(node))
  for (let part = 0; part < 5; part++) {
    await node.close()
    node = await start(alive)
    const on = scenarioOn(node)
    for (let i = 0; i < 8; i++) await on.send(i % 4, account(5 + (i % 3)).address, parseEther('0.01'))
  }
  const answers = await answersOf(node)
  cpSync(alive, join(folder, 'original'), { recursive: true })
  await node.close()
  return answers
}

const LISTS = [
  'transactions',
  'blocks',
  'tokens',
  'token-transfers',
  'internal-transactions',
  'withdrawals',
  'addresses',
]
const OF_ADDRESS = [
  ...['', '/transactions', '/token-transfers', '/internal-transactions', '/logs', '/coin-balance-history'],
  ...['/tokens', '/token-balances', '/counters'],
]

/** Everything that the chain tells about its past, by question. An error is told by its code alone. */
async function answersOf(node: Node): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>()
  const ask = async (method: string, ...params: unknown[]): Promise<unknown> => {
    const { result, error } = await rawRequest(node.url, method, params)
    answers.set(JSON.stringify([method, params]), error ? `error ${error.code}` : JSON.stringify(result))
    return result
  }
  const get = async (path: string): Promise<void> => {
    const response = await fetch(`${node.url}/api/v2/${path}`)
    answers.set(path, response.status >= 500 ? `error ${response.status}` : await response.text())
  }
  const head = Number(await ask('eth_blockNumber'))
  const hex = (number: number) => `0x${number.toString(16)}`
  for (let number = 0; number <= head; number++) {
    await ask('eth_getBlockByNumber', hex(number), true)
    await ask('eth_getBlockReceipts', hex(number))
  }
  await ask('eth_getLogs', { fromBlock: '0x0', toBlock: hex(head) })
  await ask('debug_dumpBlock', hex(head))
  await ask('debug_dumpBlock', hex(head >> 1))
  for (let index = 0; index < 7; index++) {
    const { address } = account(index)
    await ask('eth_getProof', address, ['0x0'], hex(head - index * 3))
    for (const part of OF_ADDRESS) await get(`addresses/${address}${part}`)
  }
  for (const list of LISTS) await get(list)
  return answers
}

/** Numbers below a bound, the same for the same seed (a linear congruential generator, Numerical Recipes). */
function randomFrom(seed: number): (bound: number) => number {
  let state = seed >>> 0
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

const kindOf = (file: string): string => /\.\w+$|^[A-Za-z]+/.exec(file)?.[0] ?? file

/** Damages one file of a folder; returns the kind of file, and what was done to it. */
function damage(folder: string, below: (bound: number) => number): [kind: string, what: string] {
  const files = readdirSync(folder).sort()
  const kinds = [...new Set(files.map(kindOf))].flatMap((kind) => (/ldb|log/.test(kind) ? [kind, kind, kind] : [kind]))
  const kind = kinds[below(kinds.length)] ?? ''
  const candidates = files.filter((file) => kindOf(file) === kind)
  const file = candidates[below(candidates.length)] ?? ''
  const path = join(folder, file)
  const { size } = statSync(path)
  const at = below(size)
  const bytes = readFileSync(path)
  const overwrite = (count: number): string => {
    bytes.fill(0, at, Math.min(at + count, size))
    writeFileSync(path, bytes)
    return `${count} zeros at ${at}`
  }
  const acts: (() => string)[] = [
    () => {
      bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8))
      writeFileSync(path, bytes)
      return `a bit at ${at}`
    },
    () => {
      truncateSync(path, at)
      return `cut at ${at}`
    },
    () => {
      rmSync(path)
      return 'removed'
    },
    () => overwrite(512),
    () => overwrite(4096),
    () => {
      writeFileSync(path, Buffer.concat([bytes, Buffer.alloc(1 + below(5000), below(256))]))
      return 'garbage behind it'
    },
  ]
  // Bits are what is hardest to notice.
  const act = acts[Math.max(0, below(acts.length + 3) - 3)]
  return [kind, `${file}: ${act?.() ?? ''}`]
}

type Outcome = 'refused' | 'error' | 'same' | 'WRONG'

/** What becomes of a damaged chain. */
async function outcomeOf(folder: string, answers: ReadonlyMap<string, string>): Promise<[Outcome, string]> {
  const isFound = findAllDamage(folder, () => undefined).length > 0
  let node: Node
  try {
    node = await start(folder)
  } catch (error) {
    return [isFound ? 'refused' : 'error', String(error)]
  }
  try {
    let outcome: Outcome = 'same'
    const found = await answersOf(node)
    for (const [question, answer] of answers) {
      const other = found.get(question)
      if (other === answer) continue
      if (!other?.startsWith('error')) return ['WRONG', `${question}: ${other}, not ${answer}`]
      outcome = 'error'
    }
    return [outcome, '']
  } finally {
    await node.close()
  }
}

test(`${RUNS} damages, and no wrong answer`, { timeout: 60_000 + RUNS * 20_000 }, async () => {
  const { path, remove } = await temporaryFolder()
  try {
    const answers = await makeChain(path)
    const below = randomFrom(SEED)
    const counts = new Map<string, Record<Outcome, number>>()
    const wrong: string[] = []
    for (let run = 0; run < RUNS; run++) {
      const folder = join(path, `damaged ${run}`, 'chain')
      cpSync(join(path, 'original'), folder, { recursive: true })
      const [kind, what] = damage(folder, below)
      const [outcome, words] = await outcomeOf(folder, answers)
      if (process.env.KESTREL_DAMAGES) console.log(`${run} ${what}: ${outcome} ${words.slice(0, 200)}`)
      const count = counts.get(kind) ?? { refused: 0, error: 0, same: 0, WRONG: 0 }
      counts.set(kind, { ...count, [outcome]: count[outcome] + 1 })
      if (outcome === 'WRONG') wrong.push(`${what}: ${words}`)
      rmSync(join(path, `damaged ${run}`), { recursive: true })
    }
    if (process.env.KESTREL_DAMAGES) console.table(Object.fromEntries(counts))
    expect(wrong).toEqual([])
  } finally {
    await remove()
  }
})
