// How a node stands more work than it can do: short requests beside 200 connections that ask for calls without an end, and
// blocks beside 32 of them.
import { setTimeout as sleep } from 'node:timers/promises'
import { numberToHex } from 'viem'
import type { Bench, Group, Row } from '../bench.ts'
import { openConnection, post } from '../load/http.ts'
import { recipient, senders, sign } from '../senders.ts'
import type { Target } from '../target.ts'

const CALLERS = 200
const CALLERS_BESIDE_BLOCKS = 32
const TRANSFERS = 200
/** Milliseconds between two short requests. */
const BETWEEN = 5
const NOBODY = numberToHex(0xc0de0, { size: 20 })

/** Codes that run until their gas is gone. */
const ENDLESS: readonly (readonly [name: string, code: string])[] = [
  // JUMPDEST PUSH1 0 JUMP
  ['a warm loop', '0x5b600056'],
  // JUMPDEST GAS SLOAD POP PUSH1 0 JUMP
  ['cold SLOADs', '0x5b5a5450600056'],
]

export const overload: Group = {
  name: 'overload',
  title: 'Short requests and blocks beside endless calls',
  of: 'both',
  async rows(contender, bench) {
    const target = await contender.start()
    await target.rpc('evm_setAutomine', false)
    const nonces = { next: 0 }
    const beside = ENDLESS.map(([name, code]) => shortRequests(target, bench, name, code))
    const [, cold = ''] = ENDLESS[1] ?? []
    return [
      ...beside,
      blocks(target, bench, `a block of ${TRANSFERS} transfers, alone`, nonces),
      blocks(target, bench, `the same beside ${CALLERS_BESIDE_BLOCKS} endless calls`, nonces, cold),
    ]
  },
}

/** The 99th percentile of a short request's time. */
function shortRequests(target: Target, bench: Bench, name: string, code: string): Row {
  const short = post(target.url, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }))
  const count = bench.size(600, 20)
  let words = ''
  return {
    name: `99th percentile of eth_blockNumber beside ${CALLERS} calls: ${name}`,
    unit: 'ms',
    better: 'less',
    async run() {
      const stop = await callEndlessly(target, CALLERS, code)
      const connection = await openConnection(target.url)
      const times: number[] = []
      try {
        for (let index = 0; index < count; index++) {
          const began = performance.now()
          await connection.ask(short)
          times.push(performance.now() - began)
          await sleep(BETWEEN)
        }
      } finally {
        connection.close()
        await stop()
      }
      times.sort((a, b) => a - b)
      const at = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0
      words = `median ${at(0.5).toFixed(1)}, longest ${at(1).toFixed(0)}`
      return at(0.99)
    },
    note: () => words,
  }
}

/** How long it takes to make a block of what waits, beside endless calls where a code for them is given. */
function blocks(target: Target, bench: Bench, name: string, nonces: { next: number }, code?: string): Row {
  return {
    name,
    unit: 'ms',
    better: 'less',
    async run() {
      const stop = code === undefined ? undefined : await callEndlessly(target, CALLERS_BESIDE_BLOCKS, code)
      try {
        let total = 0
        const count = bench.size(10, 1)
        for (let block = 0; block < count; block++) total += await mine(target, nonces)
        return total / count
      } finally {
        await stop?.()
      }
    },
  }
}

/** Milliseconds that a node takes for a block of so many transfers. */
async function mine(target: Target, nonces: { next: number }): Promise<number> {
  const hashes: unknown[] = []
  for (let index = 0; index < TRANSFERS; index++) {
    const from = senders[index % senders.length] ?? NOBODY
    const nonce = nonces.next + Math.floor(index / senders.length)
    const raw = sign(from, nonce, { to: recipient(index), value: 1n, gas: 21_000n })
    hashes.push(await target.rpc('eth_sendRawTransaction', raw))
  }
  nonces.next += Math.ceil(TRANSFERS / senders.length)
  const began = performance.now()
  await target.rpc('evm_mine')
  const took = performance.now() - began
  if ((await target.rpc('eth_getTransactionReceipt', hashes.at(-1))) === null) throw new Error('not in the block')
  return took
}

/** Opens connections that ask for the call again and again. The result closes them. */
async function callEndlessly(target: Target, callers: number, code: string): Promise<() => Promise<void>> {
  const call = [{ to: NOBODY }, 'latest', { [NOBODY]: { code } }]
  const request = post(target.url, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: call }))
  const connections = await Promise.all(Array.from({ length: callers }, () => openConnection(target.url)))
  let isOver = false
  const asking = connections.map(async (connection) => {
    try {
      while (!isOver) await connection.ask(request)
    } catch (error) {
      // A connection that is closed under its request is the end.
      if (!isOver) throw error
    }
  })
  // All calls are on their way before anything is measured beside them.
  await sleep(100)
  return async () => {
    isOver = true
    for (const connection of connections) connection.close()
    await Promise.all(asking)
  }
}
