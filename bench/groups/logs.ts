// Logs, receipts and transactions in 20,000 transactions in blocks of 200, half of them transfers of a token: queries that find
// few logs of many blocks, all logs, or none.
import type { Hex } from 'viem'
import type { Group, Row } from '../bench.ts'
import { A_BLOCK, extendChain, TOKEN, topicOf } from '../chain.ts'
import { median, oneByOne, type Repeat, request } from '../requests.ts'
import { recipient, senders } from '../senders.ts'
import type { Target } from '../target.ts'

const TOTAL = 20_000
const NOBODY = topicOf('0x1111111111111111111111111111111111111111')

export const logs: Group = {
  name: 'logs',
  title: `Logs in ${TOTAL.toLocaleString('en')} transactions, one connection`,
  of: 'both',
  async rows(contender, bench) {
    const target = await contender.start()
    const total = bench.size(TOTAL, 2000)
    await extendChain(target, total)
    const blocks = total / A_BLOCK
    const [one = '0x', other = '0x'] = senders.map(topicOf)
    const repeat = { times: bench.size(5, 1), time: bench.size(500, 0) }
    const hex = (block: number): Hex => `0x${block.toString(16)}`
    const full = hex(blocks / 2)
    const { transactions } = (await target.rpc('eth_getBlockByNumber', full, false)) as { transactions: string[] }
    const query = (filter: object, from = '0x0', to = 'latest') => [{ fromBlock: from, toBlock: to, ...filter }]
    const token = { address: TOKEN }
    const count = (of: number) => of.toLocaleString('en')
    const works: readonly (readonly [name: string, method: string, params: readonly unknown[]])[] = [
      [`one sender, ${count(total / 100)} logs`, 'eth_getLogs', query({ ...token, topics: [null, one] })],
      ['the same, of any contract', 'eth_getLogs', query({ topics: [null, one] })],
      ['two senders', 'eth_getLogs', query({ ...token, topics: [null, [one, other]] })],
      // Recipient 50 is the first whose transfer has nonce 1, which is one of the token.
      ['one recipient', 'eth_getLogs', query({ ...token, topics: [null, null, topicOf(recipient(50))] })],
      ['the whole token', 'eth_getLogs', query(token)],
      ['the token in the last 10 blocks', 'eth_getLogs', query(token, hex(blocks - 8))],
      ['the token in one block', 'eth_getLogs', query(token, full, full)],
      ['a topic that no log has', 'eth_getLogs', query({ topics: [null, NOBODY] })],
      ['a contract that has no logs', 'eth_getLogs', query({ address: recipient(1) })],
      ['a receipt', 'eth_getTransactionReceipt', [transactions[0]]],
      ['a transaction', 'eth_getTransactionByHash', [transactions[0]]],
      [`receipts of a block of ${A_BLOCK}`, 'eth_getBlockReceipts', [full]],
      [`a full block of ${A_BLOCK}`, 'eth_getBlockByNumber', [full, true]],
    ]
    const rows: Row[] = []
    for (const [name, method, params] of works) rows.push(await row(target, name, method, params, repeat))
    return rows
  },
}

async function row(
  target: Target,
  name: string,
  method: string,
  params: readonly unknown[],
  repeat: Repeat,
): Promise<Row> {
  const result = await target.rpc(method, ...params)
  const asked = request(target, method, params)
  return {
    name,
    unit: 'ms',
    better: 'less',
    answer: Array.isArray(result) ? `${result.length} entries` : typeof result,
    run: async () => median(await oneByOne(target, () => asked, repeat)),
  }
}
