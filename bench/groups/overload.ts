// Overload: latency of short requests while 200 connections send endless calls, and the time of a block while 32 do.
import { setTimeout as sleep } from 'node:timers/promises'
import { numberToHex } from 'viem'
import type { Bench, Group, Row } from '../bench.ts'
import type { Contender } from '../contenders.ts'
import { type Connection, openConnection, post } from '../load/http.ts'
import { recipient, senders, sign } from '../senders.ts'
import type { Target } from '../target.ts'

const CALLERS = 200
const CALLERS_BESIDE_BLOCKS = 32
const TRANSFERS = 200
/** anvil's and Hardhat's limit of a block. */
const CALL_GAS = 30_000_000
/** Milliseconds between two short requests. */
const BETWEEN = 5
const EMPTY_ACCOUNT = numberToHex(0xc0de0, { size: 20 })

/** Bytecode that runs until its gas is used up. */
const ENDLESS = [
  // JUMPDEST PUSH1 0 JUMP
  ['a warm loop', '0x5b600056'],
  // JUMPDEST GAS SLOAD POP PUSH1 0 JUMP
  ['cold SLOADs', '0x5b5a5450600056'],
] as const

export const overload: Group = {
  name: 'overload',
  title: 'Short requests and blocks beside endless calls',
  of: 'both',
  async rows(contender, bench) {
    const short = ENDLESS.map(([name, code]) => shortRequests(contender, bench, name, code))
    const [, cold] = ENDLESS[1]
    return [
      ...short,
      blocks(contender, bench, `a block of ${TRANSFERS} transfers, alone`),
      blocks(contender, bench, `the same beside ${CALLERS_BESIDE_BLOCKS} endless calls`, cold),
    ]
  },
}

/**
 * Measures on a separate node, which is killed afterwards: calls of closed connections that still run must not affect the next
 * measurement.
 */
async function onOwnNode(
  contender: Contender,
  callers: number,
  code: string | undefined,
  measure: (target: Target) => Promise<number>,
): Promise<number> {
  const target = await contender.start()
  const stop = code === undefined ? undefined : await callEndlessly(target, callers, code)
  try {
    return await measure(target)
  } finally {
    stop?.()
    await target.stop()
  }
}

/** The 99th percentile of a short request's time. */
function shortRequests(contender: Contender, bench: Bench, name: string, code: string): Row {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
  const time = bench.size(5000, 300)
  let words = ''
  const measure = async ({ url }: Target): Promise<number> => {
    const connection = await openConnection(url)
    const short = post(url, body)
    const times: number[] = []
    for (const end = performance.now() + time; performance.now() < end; ) {
      const began = performance.now()
      await connection.ask(short)
      times.push(performance.now() - began)
      await sleep(BETWEEN)
    }
    connection.close()
    times.sort((a, b) => a - b)
    const at = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0
    words = `median ${at(0.5).toFixed(1)}, longest ${at(1).toFixed(0)}`
    return at(0.99)
  }
  return {
    name: `99th percentile of eth_blockNumber beside ${CALLERS} calls: ${name}`,
    unit: 'ms',
    better: 'less',
    run: async () => ({ value: await onOwnNode(contender, CALLERS, code, measure) }),
    note: () => words,
  }
}

/** Time to make a block of the waiting transactions; `code`, if given, runs in endless calls at the same time. */
function blocks(contender: Contender, bench: Bench, name: string, code?: string): Row {
  const measure = async (target: Target): Promise<number> => {
    const nonces = { next: 0 }
    await target.rpc('evm_setAutomine', false)
    // Warm-up: V8 compiles the block code during the first block.
    await mine(target, nonces)
    let total = 0
    const count = bench.size(5, 1)
    for (let block = 0; block < count; block++) total += await mine(target, nonces)
    return total / count
  }
  return {
    name,
    unit: 'ms',
    better: 'less',
    run: async () => ({ value: await onOwnNode(contender, CALLERS_BESIDE_BLOCKS, code, measure) }),
  }
}

/** Milliseconds that a node takes for a block with this number of transfers. */
async function mine(target: Target, nonces: { next: number }): Promise<number> {
  const requests = Array.from({ length: TRANSFERS }, (_, id) => {
    const from = senders[id % senders.length] ?? EMPTY_ACCOUNT
    const nonce = nonces.next + Math.floor(id / senders.length)
    const raw = sign(from, nonce, { to: recipient(id), value: 1n, gas: 21_000n })
    return { jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [raw] }
  })
  const answers: unknown = JSON.parse(String(await target.ask(post(target.url, JSON.stringify(requests)))))
  const last = Array.isArray(answers) ? (answers.at(-1) as { readonly result?: unknown }) : undefined
  nonces.next += Math.ceil(TRANSFERS / senders.length)
  const began = performance.now()
  await target.rpc('evm_mine')
  const took = performance.now() - began
  if ((await target.rpc('eth_getTransactionReceipt', last?.result)) === null) throw new Error('not in the block')
  return took
}

/** Opens connections that repeat the call, with the gas limit that other nodes give a call. The result closes them. */
async function callEndlessly({ url }: Target, callers: number, code: string): Promise<() => void> {
  const call = [{ to: EMPTY_ACCOUNT, gas: numberToHex(CALL_GAS) }, 'latest', { [EMPTY_ACCOUNT]: { code } }]
  const request = post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: call }))
  const connections = await Promise.all(Array.from({ length: callers }, () => openConnection(url)))
  let isOver = false
  const ask = async (connection: Connection): Promise<void> => {
    // A connection that is closed during its request ends the loop.
    while (!isOver) await connection.ask(request).catch(() => undefined)
  }
  for (const connection of connections) void ask(connection)
  // Wait until all calls have been sent before anything is measured.
  await sleep(100)
  return () => {
    isOver = true
    for (const connection of connections) connection.close()
  }
}
