// A burst of transfers from many accounts over many connections with automine: all must be mined.
import { Agent, request as httpRequest } from 'node:http'
import { type Address, type Hex, parseEther, parseGwei } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, expect, test } from 'vitest'
import { processForFile } from '../support/process.ts'

const SENDERS = 50
const EACH = 40
const CONNECTIONS = 32

const { url, viem, dev, rpc } = await processForFile()
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
afterAll(() => agent.destroy())

const newAccounts = (count: number) => Array.from({ length: count }, () => privateKeyToAccount(generatePrivateKey()))

const signTransfers = (sender: PrivateKeyAccount, to: Address, count: number): Promise<Hex[]> =>
  Promise.all(
    Array.from({ length: count }, (_, nonce) =>
      sender.signTransaction({
        chainId: 125,
        type: 'eip1559',
        to,
        value: BigInt(nonce) + 1n,
        gas: 21_000n,
        maxFeePerGas: parseGwei('20'),
        maxPriorityFeePerGas: 1n,
        nonce,
      }),
    ),
  )

/** One request over one of the agent's connections. */
const post = (body: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(`${url}/rpc`, { method: 'POST', agent }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      response.on('end', () => resolve(text)).on('error', reject)
    })
    request.on('error', reject).end(body)
  })

test(`${SENDERS * EACH} transfers over ${CONNECTIONS} connections are all mined`, { timeout: 120_000 }, async () => {
  const senders = newAccounts(SENDERS)
  const recipients = newAccounts(SENDERS).map(({ address }) => address)
  const coins = parseEther('10')
  for (const { address } of senders) await dev.setBalance({ address, value: coins })
  const signed = await Promise.all(senders.map((sender, i) => signTransfers(sender, recipients[i] ?? '0x', EACH)))
  // Interleaved, so that every account's transactions arrive over many connections and out of order.
  const order = Array.from({ length: EACH }, (_, nonce) => signed.map((raws) => raws[nonce])).flat()

  const began = performance.now()
  const answers = await Promise.all(
    order.map((raw, id) =>
      post(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [raw] })),
    ),
  )
  const hashes = answers.map((text): Hex => {
    const { result, error } = JSON.parse(text)
    if (error) throw new Error(`refused: ${error.message}`)
    return result
  })
  expect(new Set(hashes).size).toBe(SENDERS * EACH)
  await expect.poll(() => rpc('txpool_status'), { timeout: 60_000 }).toEqual({ pending: '0x0', queued: '0x0' })
  console.info(`${SENDERS * EACH} transfers in ${Math.round(performance.now() - began)} ms`)

  const receipts = await Promise.all(hashes.map((hash) => viem.getTransactionReceipt({ hash })))
  expect(receipts.every(({ status }) => status === 'success')).toBe(true)
  const head = Number(await viem.getBlockNumber({ cacheTime: 0 }))
  const blocks = await Promise.all(
    Array.from({ length: head + 1 }, (_, i) => viem.getBlock({ blockNumber: BigInt(i) })),
  )
  expect(blocks.flatMap(({ transactions }) => transactions).sort()).toEqual([...hashes].sort())

  // 1 + 2 + … + EACH wei each, plus the fees for the sender.
  const sum = BigInt((EACH * (EACH + 1)) / 2)
  for (const [i, { address }] of senders.entries()) {
    const fees = receipts
      .filter(({ from }) => from === address.toLowerCase())
      .reduce((total, { gasUsed, effectiveGasPrice }) => total + gasUsed * effectiveGasPrice, 0n)
    expect(await viem.getTransactionCount({ address })).toBe(EACH)
    expect(await viem.getBalance({ address })).toBe(coins - sum - fees)
    expect(await viem.getBalance({ address: recipients[i] ?? '0x' })).toBe(sum)
  }
})

test('1000 sends of one of the node’s accounts have consecutive nonces', { timeout: 60_000 }, async () => {
  const [from] = await (rpc('eth_accounts') as Promise<Address[]>)
  const to = newAccounts(1)[0]?.address
  const answers = await Promise.all(
    Array.from({ length: 1000 }, (_, id) =>
      post(
        JSON.stringify({
          jsonrpc: '2.0',
          id,
          method: 'eth_sendTransaction',
          params: [{ from, to, value: '0x1', gas: '0x5208' }],
        }),
      ),
    ),
  )
  const hashes = answers.map((text) => JSON.parse(text).result as Hex)
  const nonces = await Promise.all(hashes.map(async (hash) => (await viem.getTransaction({ hash })).nonce))
  expect(nonces.sort((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, nonce) => nonce))
  expect(await viem.getBalance({ address: to ?? '0x' })).toBe(1000n)
})
