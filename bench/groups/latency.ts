// Latency: the time from sending one transaction until its receipt is answered, with automine on both nodes. kestrel answers
// after the block is synced to disk.
import type { Hex } from 'viem'
import type { Group, Row } from '../bench.ts'
import { callData, deploy, deployToken, sendAndWait } from '../contracts.ts'
import { type Call, recipient, senders, sign } from '../senders.ts'
import { summarize } from '../statistics.ts'

const SLOTS = 300

export const latency: Group = {
  name: 'latency',
  title: 'Send and wait for the receipt',
  of: 'both',
  async rows(contender, bench) {
    const target = await contender.start()
    const token = await deployToken(target)
    const slots = await deploy(target, 'Slots')

    /** Median of several sequential sends. Each row has its own sender. */
    const row = async (
      name: string,
      from: Hex | undefined,
      times: number,
      call: (index: number) => Call,
    ): Promise<Row> => {
      let nonce = 0
      const run = async () => {
        const waits: number[] = []
        for (let count = 0; count < times; count++) {
          const raw = sign(from ?? '0x', nonce, call(nonce))
          nonce++
          const began = performance.now()
          await sendAndWait(target, raw)
          waits.push(performance.now() - began)
        }
        return summarize(waits).median
      }
      await run()
      return { name, unit: 'ms', better: 'less', run }
    }
    return [
      await row('plain transfer', senders[0], bench.size(50, 5), (nonce) => ({
        to: recipient(nonce),
        value: 1n,
        gas: 21_000n,
      })),
      await row('ERC-20 transfer', senders[1], bench.size(50, 5), (nonce) => ({
        to: token,
        data: callData('Token', 'transfer', [recipient(nonce), 1n]),
        gas: 100_000n,
      })),
      await row(`${SLOTS} new slots`, senders[2], bench.size(10, 2), (nonce) => ({
        to: slots,
        data: callData('Slots', 'fill', [BigInt(nonce * SLOTS), BigInt(SLOTS)]),
        gas: 8_000_000n,
      })),
    ]
  },
}
