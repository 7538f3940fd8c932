// Waits during slow requests: while one connection sends a slow request, another polls the block number; the result is the
// longest of its waits.
import { numberToHex } from 'viem'
import type { Bench, Group, Row } from '../bench.ts'
import { callData, deploy, deployToken, mineTransfers, transact } from '../contracts.ts'
import { openConnection, post } from '../load/http.ts'
import { senders } from '../senders.ts'
import type { Target } from '../target.ts'

const BATCH = 1000
/** JUMPDEST PUSH1 0 JUMP: runs until its gas is used up. */
const ENDLESS = '0x5b600056'
const EMPTY_ACCOUNT = numberToHex(0xc0de0, { size: 20 })

export const waits: Group = {
  name: 'waits',
  title: 'Longest wait of a short request beside a slow one',
  of: 'both',
  async rows(contender, bench) {
    const target = await contender.start()
    const token = await deployToken(target)
    const compute = await deploy(target, 'Compute')
    const many = BigInt(bench.size(600, 20))
    const calls = callData('Compute', 'calls', [many * 15n])
    const called = await transact(target, { to: compute, data: calls, gas: 16_000_000n })
    const { block: full } = await mineTransfers(target, token, bench.size(300, 50))
    const balance = (index: number) => ({
      to: token,
      data: callData('Token', 'balanceOf', [senders[index % senders.length] ?? EMPTY_ACCOUNT]),
    })
    const endless = [{ to: EMPTY_ACCOUNT }, 'latest', { [EMPTY_ACCOUNT]: { code: ENDLESS } }]
    const blocks = Array.from({ length: 100 }, (_, index) => ({ calls: [{ from: senders[0], ...balance(index) }] }))
    const one = (method: string, ...params: readonly unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params })
    const slow: readonly (readonly [name: string, request: unknown])[] = [
      ['eth_call of an endless loop', one('eth_call', ...endless)],
      ['eth_estimateGas of an endless loop', one('eth_estimateGas', ...endless)],
      [
        `callTracer, ${many * 15n} calls`,
        one('debug_traceTransaction', called.transactionHash, { tracer: 'callTracer' }),
      ],
      ['a full block with its transactions', one('eth_getBlockByNumber', full, true)],
      ['receipts of a full block', one('eth_getBlockReceipts', full)],
      ['eth_getLogs of a full block', one('eth_getLogs', { fromBlock: full, toBlock: full })],
      [
        `a batch of ${BATCH} eth_call`,
        Array.from({ length: BATCH }, (_, index) => one('eth_call', balance(index), 'latest')),
      ],
      ['eth_simulateV1 of 100 blocks', one('eth_simulateV1', { blockStateCalls: blocks }, 'latest')],
    ]
    // anvil has struct logs only with this flag, which slows its other tracers.
    const recording = await contender.start({ flags: { anvil: ['--steps-tracing'] } })
    const slots = await deploy(recording, 'Slots')
    const fill = { to: slots, data: callData('Slots', 'fill', [0n, many]), gas: 16_000_000n }
    const { transactionHash: filled } = await transact(recording, fill)
    return [
      ...slow.map(([name, request]) => row(target, bench, name, request)),
      row(recording, bench, `struct logger, ${many} new slots`, one('debug_traceTransaction', filled, {})),
    ]
  },
}

function row(target: Target, bench: Bench, name: string, request: unknown): Row {
  const slow = post(target.url, JSON.stringify(request))
  const short = post(target.url, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }))
  const once = async (): Promise<number> => {
    const asking = await openConnection(target.url)
    const waiting = await openConnection(target.url)
    try {
      await waiting.ask(short)
      let isRunning = true
      const answered = asking.ask(slow).finally(() => {
        isRunning = false
      })
      let longest = 0
      while (isRunning) {
        const began = performance.now()
        await waiting.ask(short)
        longest = Math.max(longest, performance.now() - began)
      }
      await answered
      return longest
    } finally {
      asking.close()
      waiting.close()
    }
  }
  return {
    name,
    unit: 'ms',
    better: 'less',
    // Other programs of the machine cause waits too, so take the minimum over the rounds of the longest wait.
    async run() {
      let least = await once()
      for (let count = 1; count < bench.size(3, 1); count++) least = Math.min(least, await once())
      return { value: least }
    },
  }
}
