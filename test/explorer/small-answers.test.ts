// Edge cases of responses: URLs that cannot be decoded, changes of thousands of items, unknown values.
import { getAddress, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { account, testChain } from '../support/chain.ts'
import { compileSolidity } from '../support/solc.ts'
import { scenarioOn } from './scenario.ts'
import { api } from './support.ts'

const { contracts } = compileSolidity('test/explorer/solidity')

describe('a URL that cannot be decoded', () => {
  const MALFORMED = ['/%E0%A4%A', '/blocks/%zz', '/%']

  it('gets an error in the format of its interface', async () => {
    const { url } = await testChain()
    const answers = async (prefix: string) =>
      Promise.all(
        MALFORMED.map(async (path) => {
          const response = await fetch(url + prefix + path)
          return { status: response.status, body: await response.json() }
        }),
      )
    const all = (answer: unknown) => MALFORMED.map(() => answer)
    expect(await answers('/api/v2')).toEqual(all({ status: 400, body: { message: 'Bad request' } }))
    expect(await answers('/api')).toEqual(
      all({ status: 200, body: { status: '0', message: 'NOTOK', result: 'Error! The request cannot be read' } }),
    )
    const refused = { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.stringContaining('URL') } }
    for (const prefix of ['/rpc', '']) expect(await answers(prefix)).toEqual(all({ status: 400, body: refused }))
  })

  it('and a very long parameter get the same error as a short malformed one', async () => {
    const { url } = await testChain()
    const { get } = api(url)
    const short = await get('/transactions/0x12')
    const long = await get(`/transactions/0x${'12'.repeat(2000)}`)
    expect(long.status).toBe(422)
    expect(long.body).toEqual(short.body)
  })
})

describe('a block after the year 9999', () => {
  it('is shown with the last second of 9999', async () => {
    const { node, url, rpc } = await testChain()
    // One second after the last date of JavaScript.
    await rpc('evm_setNextBlockTimestamp', 8_640_000_000_001)
    await rpc('evm_mine')
    const { get } = api(url)
    const paths = ['/stats', '/blocks', '/main-page/blocks', '/stats/charts/transactions', '/blocks/1']
    expect(await Promise.all(paths.map(async (path) => (await get(path)).status))).toEqual(paths.map(() => 200))
    expect((await get('/blocks/1')).body.timestamp).toBe('9999-12-31T23:59:59.000000Z')
    expect((await fetch(`${node.url}/api/v1/pages/main`)).status).toBe(200)
  })
})

describe('state changes of many items', () => {
  it('are paginated in parts of fifty with consecutive balances', async () => {
    const { node } = await testChain()
    const { deploy, read, readAll, walletOf, receiptOf } = scenarioOn(node)
    const art = await deploy('Art', [false])
    const { abi, bytecode } = contracts.get('Minter') ?? { abi: [], bytecode: '0x' as Hex }
    const created = await receiptOf(await walletOf(0).deployContract({ abi, bytecode, gas: 2_000_000n }))
    const address = getAddress(created.contractAddress ?? '0x')
    const to = account(5).address
    const args = [art.address, to, 120n]
    const call = { address, abi, functionName: 'mintMany', args, gas: 12_000_000n }
    const { transactionHash, status } = await receiptOf(await walletOf(0).writeContract(call))
    expect(status).toBe('success')
    const path = `/transactions/${transactionHash}/state-changes`
    const { items } = await read(path)
    const parts = items.filter(({ type }: { type: string }) => type === 'token')
    expect(parts.map((part: { change: unknown[] }) => part.change.length)).toEqual([50, 50, 20])
    const balances = parts.map((part: Record<string, string>) => [part.balance_before, part.balance_after])
    expect(balances).toEqual([
      ['0', '50'],
      ['50', '100'],
      ['100', '120'],
    ])
    const ids = parts.flatMap((part: { change: { total: { token_id: string } }[] }) =>
      part.change.map(({ total }) => total.token_id),
    )
    expect(ids).toEqual(Array.from({ length: 120 }, (_, i) => String(i + 1)))
    expect(await readAll(path, 2)).toEqual(items)
    // An item takes less than a hundred bytes.
    expect(JSON.stringify(parts).length).toBeLessThan(120 * 100 + parts.length * 1500)
  })
})

describe('unknown values', () => {
  it('are null: the time that a transaction was pending', async () => {
    const { node } = await testChain()
    const { send, bob, read } = scenarioOn(node)
    const { transactionHash } = await send(0, bob.address, 1n)
    expect(await read(`/transactions/${transactionHash}`)).toMatchObject({ confirmation_duration: null })
    expect((await read('/transactions')).items[0]).toMatchObject({ confirmation_duration: null })
  })

  it('of user operations say that all of them are indexed, and there are none', async () => {
    const { url } = await testChain()
    const { read } = api(url)
    const status = await read('/proxy/account-abstraction/status')
    expect(status).toMatchObject({ finished_past_indexing: true, v06: { enabled: true }, v09: { live: true } })
    for (const list of ['operations', 'bundles', 'accounts', 'bundlers', 'paymasters', 'factories'])
      expect((await read(`/proxy/account-abstraction/${list}`)).items, list).toEqual([])
  })
})
