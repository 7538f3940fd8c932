// CSV files: their rows equal the exported lists; they execute nothing in a spreadsheet; their size and work are bounded.
import { type Hex, pad, parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import { csvStream } from '../../src/explorer/csv.ts'
import { account, testChain } from '../support/chain.ts'
import { type Scenario, scenario, scenarioOn } from './scenario.ts'

/** The cells of a file by RFC 4180. */
function cells(text: string): string[][] {
  expect(text.endsWith('\r\n')).toBe(true)
  const rows: string[][] = [[]]
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end === '\r\n') rows.push([])
  }
  return rows.slice(0, -1)
}

async function file(on: Pick<Scenario, 'url'>, path: string) {
  const response = await fetch(`${on.url}${path}`)
  const text = await response.text()
  expect({ path, status: response.status, text: response.status === 200 ? '' : text }).toMatchObject({ status: 200 })
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="[a-z-]+\.csv"$/)
  const [columns = [], ...rows] = cells(text)
  return rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i] ?? ''])))
}

const on = scenario(async (chain) => {
  const coin = await chain.deploy('Coin', ['=cmd|calc, "quoted"', '=SUM(A1)', 6, 1_000_000n])
  const frames = await chain.deploy('Frames')
  for (let i = 1; i <= 3; i++) await chain.call(coin, 'transfer', [account(i).address, BigInt(i)])
  await chain.send(0, account(1).address, parseEther('1'))
  await chain.send(1, account(0).address, 5n)
  return { coin, frames }
})
const me = account(0).address

describe('CSV files of an address', () => {
  it('have the transactions of the address’ list', async () => {
    const { readAll } = on()
    for (const side of ['', 'to', 'from']) {
      const items = await readAll(`/addresses/${me}/transactions?filter=${side}`)
      const filter = side === '' ? '' : `?filter_type=address&filter_value=${side}`
      const rows = await file(on(), `/api/v2/addresses/${me}/transactions/csv${filter}`)
      expect(rows.length).toBeGreaterThan(0)
      expect(rows).toEqual(
        items.map((of) => ({
          TxHash: of.hash,
          BlockNumber: String(of.block_number),
          UnixTimestamp: of.timestamp,
          FromAddress: of.from.hash,
          ToAddress: of.to?.hash ?? '',
          ContractAddress: of.created_contract?.hash ?? '',
          Type: of.from.hash === me ? 'OUT' : 'IN',
          Value: of.value,
          Fee: of.fee.value,
          Status: of.status,
          ErrCode: '',
          CurrentPrice: '',
          TxDateOpeningPrice: '',
          TxDateClosingPrice: '',
          MethodName: of.method ?? '',
        })),
      )
    }
  })

  it('have its token transfers, internal transactions and logs', async () => {
    const { readAll, made } = on()
    const transfers = await readAll(`/addresses/${me}/token-transfers`)
    const moved = await file(on(), `/api/v2/addresses/${me}/token-transfers/csv`)
    expect(moved.map((row) => [row.TxHash, row.TokensTransferred, row.TokenDecimals])).toEqual(
      transfers.map((of) => [of.transaction_hash, of.total.value, '6']),
    )
    const fees = await readAll(`/addresses/${me}/transactions`)
    const feeOf = new Map(fees.map(({ hash, fee }) => [hash, fee.value]))
    for (const { TxHash, TransactionFee } of moved) expect(TransactionFee).toBe(feeOf.get(TxHash))
    const logs = await readAll(`/addresses/${made.coin.address}/logs`)
    const emitted = await file(on(), `/api/v2/addresses/${made.coin.address}/logs/csv`)
    expect(emitted.length).toBeGreaterThan(3)
    expect(emitted.map((row) => [row.TxHash, row.Index, row.Data, row.FirstTopic, row.FourthTopic])).toEqual(
      logs.map((of) => [of.transaction_hash, String(of.index), of.data, of.topics[0], of.topics[3] ?? '']),
    )
    const [topic] = logs[0].topics
    const filtered = `filter_type=topic&filter_value=${topic}`
    expect(await file(on(), `/api/v2/addresses/${made.coin.address}/logs/csv?${filtered}`)).toHaveLength(
      logs.filter((of) => of.topics[0] === topic).length,
    )
    const calls = await readAll(`/addresses/${made.frames.address}/internal-transactions`)
    const inner = await file(on(), `/api/v2/addresses/${made.frames.address}/internal-transactions/csv`)
    expect(inner.map((row) => [row.TxHash, row.Index, row.Type, row.Value])).toEqual(
      calls.map((of) => [of.transaction_hash, String(of.index), of.type, of.value]),
    )
  })

  it('cover a period including both ends', async () => {
    const { node } = await testChain()
    const chain = scenarioOn(node)
    const { rpc, send, bob, readAll } = chain
    for (let i = 0; i < 4; i++) {
      await rpc('evm_increaseTime', 3600)
      await send(0, bob.address, BigInt(i + 1))
    }
    const all = await readAll(`/addresses/${me}/transactions`)
    const [fourth, third, second, first] = all.map(({ timestamp }) => timestamp)
    const values = async (query: string) =>
      (await file(chain, `/api/v2/addresses/${me}/transactions/csv?${query}`)).map(({ Value }) => Value)
    expect(await values('')).toEqual(['4', '3', '2', '1'])
    expect(await values(`from_period=${second}&to_period=${third}`)).toEqual(['3', '2'])
    expect(await values(`to_period=${first}`)).toEqual(['1'])
    expect(await values(`from_period=${fourth}`)).toEqual(['4'])
    const next = new Date(Date.parse(fourth) + 1000).toISOString()
    expect(await values(`from_period=${next}&to_period=2100-01-01`)).toEqual([])
    for (const query of ['from_period=yesterday', `from_period=${third}&to_period=${second}`]) {
      expect(await chain.get(`/addresses/${me}/transactions/csv?${query}`)).toMatchObject({ status: 422 })
    }
  })
})

describe('a CSV file', () => {
  it('of holders has the balances of the token’s ranking', async () => {
    const { made, readAll, get } = on()
    const holders = await readAll(`/tokens/${made.coin.address}/holders`)
    const rows = await file(on(), `/api/v2/tokens/${made.coin.address}/holders/csv`)
    expect(rows).toEqual(holders.map((of) => ({ HolderAddress: of.address.hash, Balance: of.value })))
    expect(await get(`/tokens/${me}/holders/csv`)).toMatchObject({ status: 404, body: { message: 'Not found' } })
  })

  it('is also at the path of Blockscout’s former API', async () => {
    const now = await file(on(), `/api/v2/addresses/${me}/transactions/csv`)
    const form = { address_id: me, from_period: '2020-01-01T00:00:00.000Z', to_period: '2100-01-01T00:00:00.000Z' }
    const query = new URLSearchParams({ ...form, filter_type: 'null', filter_value: 'null', recaptcha_response: 'x' })
    expect(await file(on(), `/api/v1/transactions-csv?${query}`)).toEqual(now)
    for (const list of ['token-transfers', 'internal-transactions', 'logs']) {
      expect(await file(on(), `/api/v1/${list}-csv?${query}`)).toEqual(
        await file(on(), `/api/v2/addresses/${me}/${list}/csv`),
      )
    }
    const refused = await fetch(`${on().url}/api/v1/transactions-csv?address_id=0x12`)
    expect(refused.status).toBe(422)
  })

  it('executes nothing in a spreadsheet, and keeps commas and quotes', async () => {
    const rows = await file(on(), `/api/v2/addresses/${me}/token-transfers/csv`)
    expect(rows[0]?.TokenSymbol).toBe("'=SUM(A1)")
    const risky = ['=1+1', '+1', '-1', '@SUM', '\tx', 'a,"b"\r\nc', 'plain', null, 7]
    async function* read() {
      yield risky
    }
    const table = { columns: risky.map((_, i) => `c${i}`), rows: read() }
    const text = (await csvStream(table).toArray()).join('')
    expect(cells(text)[1]).toEqual(["'=1+1", "'+1", "'-1", "'@SUM", "'\tx", 'a,"b"\r\nc', 'plain', '', '7'])
  })

  it('is not continued when its client disconnects', async () => {
    let read = 0
    let isOver = false
    async function* endless(): AsyncGenerator<number[]> {
      try {
        for (;;) yield [read++]
      } finally {
        isOver = true
      }
    }
    const stream = csvStream({ columns: ['n'], rows: endless() })
    await new Promise((resolve) => stream.once('data', resolve))
    stream.destroy()
    await expect.poll(() => isOver).toBe(true)
    const before = read
    await new Promise((resolve) => setImmediate(resolve))
    expect(read).toBe(before)
  })

  it('has at most 10,000 rows, the newest', async () => {
    const { node } = await testChain()
    const chain = scenarioOn(node)
    // Emits 2,500 logs: for (n = 2500; n > 0; n--) log1(0, 0, n)
    const code: Hex = '0x6109c45b805f5fa160019003806003576000'
    const address = pad('0xc0de', { size: 20 })
    await chain.rpc('anvil_setCode', address, code)
    for (let i = 0; i < 5; i++) await chain.send(0, address, 0n, { gas: 4_000_000n })
    const head = await chain.viem.getBlockNumber({ cacheTime: 0 })
    const rows = await file(chain, `/api/v2/addresses/${address}/logs/csv`)
    expect(rows).toHaveLength(10_000)
    const numbers = rows.map(({ BlockNumber }) => Number(BlockNumber))
    expect([numbers[0], numbers.at(-1)]).toEqual([Number(head), Number(head) - 3])
    expect(rows[0]).toMatchObject({ Index: '2499', FirstTopic: pad('0x01') })
  })
})
