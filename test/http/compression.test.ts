// Compressed answers: which are compressed, how, and that they say the same as the others.
import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { parseEther } from 'viem'
import { expect, it } from 'vitest'
import { account, testChain } from '../support/chain.ts'

type Answer = { status: number; headers: Readonly<Record<string, unknown>>; body: Buffer }

/** Sends a request without the decompression of `fetch`. */
const ask = (url: string, headers: Record<string, string> = {}, body?: Buffer | string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method: body === undefined ? 'GET' : 'POST', headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.once('error', reject)
      response.once('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) })
      })
    })
    sent.once('error', reject)
    sent.end(body)
  })

async function chainWithTransfers() {
  const { url, rpc } = await testChain()
  for (let i = 0; i < 20; i++) {
    const to = account(i % 3).address
    await rpc('eth_sendTransaction', { from: account(5).address, to, value: `0x${parseEther('1').toString(16)}` })
  }
  return { url, rpc }
}

it('compresses what is above 1 KB with what the client accepts', async () => {
  const { url } = await chainWithTransfers()
  const csv = `/api/v2/addresses/${account(0).address}/transactions/csv?from_period=2020-01-01&to_period=2100-01-01`
  for (const path of [
    '/api/v2/transactions',
    '/web/main.css',
    `/api?module=account&action=txlist&address=${account(5).address}`,
  ]) {
    const plain = await ask(url + path)
    expect(plain.headers['content-encoding'], path).toBeUndefined()
    expect(plain.body.length).toBeGreaterThan(1024)
    // Caches must not give the compressed answer to a client that cannot read it.
    expect(plain.headers.vary).toMatch(/Accept-Encoding/)
    for (const [accepted, encoding, decode] of [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip;q=0.1', 'gzip', gunzipSync],
    ] as const) {
      const packed = await ask(url + path, { 'accept-encoding': accepted })
      expect(packed.headers, path).toMatchObject({ 'content-encoding': encoding, vary: plain.headers.vary })
      expect(Number(packed.headers['content-length'])).toBe(packed.body.length)
      expect(packed.body.length).toBeLessThan(plain.body.length / 2)
      expect(decode(packed.body).equals(plain.body)).toBe(true)
    }
    for (const accepted of ['identity', 'zstd', 'br;q=0']) {
      expect((await ask(url + path, { 'accept-encoding': accepted })).body.equals(plain.body)).toBe(true)
    }
  }
  const table = await ask(url + csv, { 'accept-encoding': 'br, gzip' })
  expect(table.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(table.body).equals((await ask(url + csv)).body)).toBe(true)
})

it('leaves small answers, answers to JSON-RPC and bodies of requests as they are', async () => {
  const { url } = await chainWithTransfers()
  const accepted = { 'accept-encoding': 'br, gzip' }
  expect((await ask(`${url}/api/v2/stats`, accepted)).headers['content-encoding']).toBeUndefined()
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: ['0x1', true] })
  // A header that the fast path does not read sends the request through Fastify.
  for (const through of [{}, { 'content-encoding': 'identity' }]) {
    const answer = await ask(`${url}/rpc`, { ...accepted, ...through, 'content-type': 'application/json' }, call)
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(JSON.parse(answer.body.toString()).result.number).toBe('0x1')
  }
  const packed = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  expect(
    (
      await ask(
        `${url}/api/v2/smart-contracts/${account(0).address}/verification/via/flattened-code`,
        packed,
        gzipSync('{}'),
      )
    ).status,
  ).toBe(400)
  // A client that has the answer gets none, whatever it accepts.
  const first = await ask(`${url}/api/v2/blocks`, accepted)
  const again = await ask(`${url}/api/v2/blocks`, { ...accepted, 'if-none-match': String(first.headers.etag) })
  expect([again.status, again.body.length]).toEqual([304, 0])
})
