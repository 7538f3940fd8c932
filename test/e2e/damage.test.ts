// Damaged disks: copies of one chain's folder are damaged at random. Each copy is either refused, or answers with errors, or
// answers like the original; no answer is wrong.
// `KESTREL_DAMAGES=100 npx vitest run test/e2e/damage.test.ts` damages a hundred copies and prints the outcomes.
import {
  closeSync,
  cpSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEther } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { createLogger } from '../../src/lib/log.ts'
import { type Node, startNode } from '../../src/node.ts'
import { findAllDamage } from '../../src/state/disk-check.ts'
import { play, spec } from '../explorer/full/script.ts'
import { scenarioOn } from '../explorer/scenario.ts'
import { account, nodeOptions, rawRequest } from '../support/chain.ts'
import { startProcess, temporaryFolder } from '../support/process.ts'

const RUNS = Number(process.env.KESTREL_DAMAGES ?? 12)
/** Number of nodes whose tables are damaged while they run. */
const RUNNING = Number(process.env.KESTREL_RUNNING ?? 2)
const SEED = Number(process.env.KESTREL_SEED ?? 1)

const start = (datadir: string): Promise<Node> =>
  startNode(nodeOptions({ datadir, spec: spec(), log: createLogger({ level: 'error', json: false }) }))

/** A chain with all kinds of rows in tables and in the log, as after `kill -9`. */
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

/** The answer to a question: a method with its parameters as JSON, or a path of the explorer. */
async function answerTo(url: string, question: string): Promise<string> {
  if (question.startsWith('[')) {
    const [method, params] = JSON.parse(question) as [string, unknown[]]
    const { result, error } = await rawRequest(url, method, params)
    return error ? `error ${error.code}` : JSON.stringify(result)
  }
  const response = await fetch(`${url}/api/v2/${question}`)
  return response.status >= 500 ? `error ${response.status}` : response.text()
}

/** All answers about the chain's history, by request; of an error only the code. */
async function answersOf(node: Node): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>()
  const get = async (question: string): Promise<string> => {
    const answer = await answerTo(node.url, question)
    answers.set(question, answer)
    return answer
  }
  const ask = async (method: string, ...params: unknown[]): Promise<unknown> => {
    const answer = await get(JSON.stringify([method, params]))
    return answer.startsWith('error') ? undefined : JSON.parse(answer)
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

/** Pseudo-random numbers below a bound (linear congruential generator, Numerical Recipes). */
function randomFrom(seed: number): (bound: number) => number {
  let state = seed >>> 0
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

const kindOf = (file: string): string => /\.\w+$|^[A-Za-z]+/.exec(file)?.[0] ?? file

/** Damages one file of a folder; returns the kind of file, and the damage. */
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
  // Prefer flipped bits, which are hardest to detect.
  const act = acts[Math.max(0, below(acts.length + 3) - 3)]
  return [kind, `${file}: ${act?.() ?? ''}`]
}

type Outcome = 'refused' | 'error' | 'same' | 'WRONG'

/** The outcome of starting a damaged chain. */
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

let path: string
let answers: ReadonlyMap<string, string>

beforeAll(async () => {
  const folder = await temporaryFolder()
  path = folder.path
  answers = await makeChain(path)
  return folder.remove
}, 120_000)

test(`${RUNS} damaged databases give no wrong answer`, { timeout: 60_000 + RUNS * 20_000 }, async () => {
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
})

/** Flips bits of tables in place, like a failing disk under an open database. */
function flipBits(folder: string, count: number, below: (bound: number) => number): void {
  const tables = readdirSync(folder).filter((file) => file.endsWith('.ldb'))
  for (let i = 0; i < count; i++) {
    const file = openSync(join(folder, tables[below(tables.length)] ?? ''), 'r+')
    const at = below(fstatSync(file).size)
    const byte = new Uint8Array(1)
    readSync(file, byte, 0, 1, at)
    writeSync(file, Uint8Array.of((byte[0] ?? 0) ^ (1 << below(8))), 0, 1, at)
    closeSync(file)
  }
}

/** Waits until a node has verified all tables, so that its first round cannot find later damage. */
async function verified(url: string): Promise<void> {
  for (;;) {
    const text = await (await fetch(`${url}/metrics`)).text()
    if (/^kestrel_database_check_progress 1$/m.test(text)) return
    await sleep(20)
  }
}

test(`flipped bits in a running node's tables (${RUNNING} runs) give right answers or errors, and the node ends naming the file`, {
  timeout: 60_000 + RUNNING * 30_000,
}, async () => {
  const below = randomFrom(SEED)
  const totals = { right: 0, error: 0, WRONG: 0, ended: 0, aborted: 0 }
  const wrong: string[] = []
  for (let run = 0; run < RUNNING; run++) {
    const datadir = join(path, `running ${run}`)
    cpSync(join(path, 'original'), join(datadir, 'chain'), { recursive: true })
    const node = await startProcess(['--datadir', datadir, '--no-mining'])
    await verified(node.url)
    flipBits(join(datadir, 'chain'), 1 + below(300), below)
    for (const [question, answer] of answers) {
      const other = await answerTo(node.url, question).catch(() => 'error: it has ended')
      if (other === answer) totals.right++
      else if (other.startsWith('error')) totals.error++
      else {
        totals.WRONG++
        wrong.push(`${question}: ${other}, not ${answer}`)
      }
    }
    if (!node.isRunning()) {
      totals.ended++
      if (node.output().includes('Assertion')) totals.aborted++
      else expect(node.output()).toMatch(/chain\/\d+\.ldb: .*`kestrel check` says/)
      await expect(start(join(datadir, 'chain'))).rejects.toThrow(/^chain\/\d+\.ldb: /)
    }
    await node.kill()
    rmSync(datadir, { recursive: true })
  }
  if (process.env.KESTREL_RUNNING) console.log(totals, wrong)
  expect(wrong).toEqual([])
})
