// Bursts: transactions are sent over all connections at once and timed until all are mined. kestrel runs with automine; anvil
// makes a block every second, because its automine leaves transactions unmined under concurrent sends.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import type { Bench, Group, Row, Sample } from '../bench.ts'
import { callData, deployToken } from '../contracts.ts'
import { bodyOf, cpuOf } from '../requests.ts'
import { type Call, recipient, senders, sign } from '../senders.ts'
import type { Target } from '../target.ts'

const CONNECTIONS = 32
/** Number of recipients: few of the transfers create an account. */
const RECIPIENTS = 1000
const POLL = 10
const LONGEST = 300_000
/** Milliseconds in which a node may finish what it left for after its answers; that CPU counts as well. */
const AFTER = 300

export const bursts: Group = {
  name: 'bursts',
  title: `Bursts from ${senders.length} senders, ${CONNECTIONS} connections, until all are mined`,
  of: 'both',
  async rows(contender, bench) {
    const flags = { anvil: ['--block-time', '1'] }
    const target = await contender.start({ flags })
    const token = await deployToken(target)
    const total = bench.size(10_000, 500)
    const sent = { count: 0 }

    const row = async (name: string, call: (to: Hex) => Call): Promise<Row> => {
      await burst(target, bench, sent, bench.size(1000, 100), call)
      const run = () => burst(target, bench, sent, total, call)
      return { name: `${total.toLocaleString('en')} ${name}`, unit: 'transactions/s', better: 'more', run }
    }
    const received = async () =>
      await target.rpc('eth_call', { to: token, data: callData('Token', 'balanceOf', [recipient(0)]) })
    const plain = await row('plain transfers', (to) => ({ to, value: 1n, gas: 21_000n }))
    const erc20 = await row('ERC-20 transfers', (to) => ({
      to: token,
      data: callData('Token', 'transfer', [to, 1n]),
      gas: 100_000n,
    }))
    const memory = async () => ({ value: target.residentMemory() / 1e6 })
    return [
      plain,
      { ...erc20, answer: String(await received()) },
      { name: 'resident memory afterwards', unit: 'MB', better: 'less', run: memory },
    ]
  },
}

/**
 * Transactions per second, from the first request until the last transaction is mined. `sent` counts those of earlier bursts,
 * which are spread equally over the senders.
 */
async function burst(
  target: Target,
  { generator }: Bench,
  sent: { count: number },
  total: number,
  call: (to: Hex) => Call,
): Promise<Sample> {
  const bodies: string[] = []
  for (let index = 0; index < total; index++) {
    const order = sent.count + index
    const from = senders[order % senders.length] ?? '0x'
    const raw = sign(from, Math.floor(order / senders.length), call(recipient(order % RECIPIENTS)))
    bodies.push(bodyOf('eth_sendRawTransaction', [raw], index))
  }
  sent.count += total

  let began = 0
  let took = 0
  const cpu = await cpuOf(target, async () => {
    await generator.run({ url: target.url, bodies, connections: CONNECTIONS, seconds: undefined }, () => {
      began = performance.now()
    })
    for (const [index, of] of senders.entries()) {
      const expected = Math.floor((sent.count - 1 - index) / senders.length) + 1
      while (Number(await target.rpc('eth_getTransactionCount', of, 'latest')) < expected) {
        if (performance.now() - began > LONGEST) throw new Error(`${of} still has transactions waiting`)
        await sleep(POLL)
      }
    }
    took = performance.now() - began
    await sleep(AFTER)
    return total
  })
  return { value: total / (took / 1000), cpu }
}
