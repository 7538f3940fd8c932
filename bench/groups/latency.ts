// Latency: the time from sending one presigned transaction until its receipt is answered, on one connection, with automine on
// both nodes. Nothing is signed, encoded or parsed while the time runs.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Hex, keccak256 } from 'viem'
import type { Group, Row } from '../bench.ts'
import { callData, deploy, deployToken } from '../contracts.ts'
import { errorIn, openConnection } from '../load/http.ts'
import { cpuOf, median, request, type Waits } from '../requests.ts'
import { type Call, recipient, senders, sign } from '../senders.ts'
import type { Target } from '../target.ts'

const SLOTS = 300
/** Sends before the first measurement, after which V8 has compiled what a block needs. */
const WARM_UP = 500
/**
 * Milliseconds between two requests for a receipt that is not there yet. anvil answers a send before its block: asking again
 * at once would take the processor from it and count as its CPU.
 */
const BETWEEN = 1
/** Milliseconds in which a node may finish what it left for after its answers; that CPU counts as well. */
const AFTER = 200

export const latency: Group = {
  name: 'latency',
  title: 'Send and wait for the receipt',
  of: 'both',
  async rows(contender, bench) {
    const target = await contender.start()
    const token = await deployToken(target)
    const slots = await deploy(target, 'Slots')

    /** Each row has its own sender. */
    const row = async (
      name: string,
      from: Hex | undefined,
      times: number,
      warmUp: number,
      call: (index: number) => Call,
    ): Promise<Row> => {
      let nonce = 0
      const some = (count: number) =>
        sendOneByOne(
          target,
          Array.from({ length: count }, () => sign(from ?? '0x', nonce, call(nonce++))),
        )
      await some(warmUp)
      return { name, unit: 'ms', better: 'less', run: async () => median(await some(times)) }
    }
    return [
      await row('plain transfer', senders[0], bench.size(100, 5), bench.size(WARM_UP, 5), (nonce) => ({
        to: recipient(nonce),
        value: 1n,
        gas: 21_000n,
      })),
      await row('ERC-20 transfer', senders[1], bench.size(100, 5), bench.size(100, 5), (nonce) => ({
        to: token,
        data: callData('Token', 'transfer', [recipient(nonce), 1n]),
        gas: 100_000n,
      })),
      await row(`${SLOTS} new slots`, senders[2], bench.size(10, 2), bench.size(10, 2), (nonce) => ({
        to: slots,
        data: callData('Slots', 'fill', [BigInt(nonce * SLOTS), BigInt(SLOTS)]),
        gas: 8_000_000n,
      })),
    ]
  },
}

/** From each send until its receipt. Throws when a transaction is refused or fails. */
export async function sendOneByOne(target: Target, transactions: readonly Hex[]): Promise<Waits> {
  const prepared = transactions.map((raw) => ({
    send: request(target, 'eth_sendRawTransaction', [raw]),
    receipt: request(target, 'eth_getTransactionReceipt', [keccak256(raw)]),
  }))
  const connection = await openConnection(target.url)
  const waits: number[] = []
  try {
    const cpu = await cpuOf(target, async () => {
      for (const { send, receipt } of prepared) {
        const began = performance.now()
        const error = errorIn(await connection.ask(send))
        if (error !== undefined) throw new Error(error)
        let answer = await connection.ask(receipt)
        while (answer.includes('"result":null')) {
          await sleep(BETWEEN)
          answer = await connection.ask(receipt)
        }
        waits.push(performance.now() - began)
        if (!answer.includes('"status":"0x1"')) throw new Error(`not done: ${answer}`)
      }
      await sleep(AFTER)
      return prepared.length
    })
    return { waits, cpu }
  } finally {
    connection.close()
  }
}
