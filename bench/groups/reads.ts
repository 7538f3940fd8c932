// Common read requests over persistent connections, on a chain with a token, one block of 100 transfers and several
// blocks of one transfer.
import type { Hex } from 'viem'
import type { Bench, Group, Row } from '../bench.ts'
import { callData, deployToken, mineTransfers, sendAndWait, tokenTransfer } from '../contracts.ts'
import { bodyOf, rateOf } from '../requests.ts'
import { senders } from '../senders.ts'
import type { Target } from '../target.ts'

const CONNECTIONS = 16
const FULL_BLOCK = 100
const SMALL_BLOCKS = 20
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

export const reads: Group = {
  name: 'reads',
  title: `Reads, ${CONNECTIONS} connections`,
  of: 'both',
  async rows(contender, bench) {
    const target = await contender.start()
    const { token, fullBlock, smallBlock } = await fill(target)
    const to = (of: Hex) => ({ to: token, data: callData('Token', 'balanceOf', [of]) })
    const logs = { address: token, fromBlock: '0x0', toBlock: 'latest', topics: [TRANSFER_TOPIC] }
    return [
      await row(target, bench, 'eth_blockNumber', [[]], String),
      await row(
        target,
        bench,
        'eth_getBalance',
        senders.map((of) => [of, 'latest']),
        (balance) => typeof balance,
      ),
      await row(
        target,
        bench,
        'eth_call',
        senders.map((of) => [to(of), 'latest']),
        String,
        ' balanceOf',
      ),
      await row(target, bench, 'eth_getBlockByNumber', [[smallBlock, true]], countTransactions, ' of 1, full'),
      await row(
        target,
        bench,
        'eth_getBlockByNumber',
        [[fullBlock, true]],
        countTransactions,
        ` of ${FULL_BLOCK}, full`,
      ),
      await row(
        target,
        bench,
        'eth_getLogs',
        [[logs]],
        count,
        ` of ${senders.length + 1 + FULL_BLOCK + SMALL_BLOCKS} logs`,
      ),
    ]
  },
}

/** Deploys a token and makes transfers. */
async function fill(target: Target): Promise<{ token: Hex; fullBlock: unknown; smallBlock: unknown }> {
  const token = await deployToken(target)
  const { block: fullBlock } = await mineTransfers(target, token, FULL_BLOCK)
  for (let index = 0; index < SMALL_BLOCKS; index++) {
    await sendAndWait(target, tokenTransfer(token, FULL_BLOCK + index))
  }
  return { token, fullBlock, smallBlock: await target.rpc('eth_blockNumber') }
}

/** Requests per second of one method with several parameters in turn; `digest` extracts the result to compare. */
async function row(
  target: Target,
  { generator, size }: Bench,
  method: string,
  parameters: readonly (readonly unknown[])[],
  digest: (result: unknown) => string,
  what = '',
): Promise<Row> {
  const bodies = parameters.map((params, id) => bodyOf(method, params, id))
  const rate = (seconds: number) => rateOf(target, { generator, bodies, connections: CONNECTIONS, seconds })
  const answer = digest(await target.rpc(method, ...(parameters[0] ?? [])))
  await rate(size(1, 0.2))
  return {
    name: method + what,
    unit: 'requests/s',
    better: 'more',
    isLoad: true,
    answer,
    run: () => rate(size(3, 0.5)),
  }
}

const count = (list: unknown): string => `${Array.isArray(list) ? list.length : 'no'} entries`
const countTransactions = (block: unknown): string =>
  typeof block === 'object' && block !== null && 'transactions' in block ? count(block.transactions) : 'no block'
