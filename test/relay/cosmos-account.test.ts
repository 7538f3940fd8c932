// Transactions on a Cosmos chain against those of simd (ibc-go v11's simapp, Cosmos SDK v0.55.0): `simd tx bank send --generate-only`, `simd tx
// sign --offline -a 7 -s 3 --sign-mode direct`, `simd tx encode`, with the key of the mnemonic `abandon … about`.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fromBinary } from '@bufbuild/protobuf'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Remote } from '../../src/fork/remote.ts'
import { toHex } from '../../src/lib/hex.ts'
import { AuthInfoSchema, TxBodySchema, TxRawSchema } from '../../src/protobuf/generated/cosmos/tx/v1beta1/tx_pb.ts'
import { CosmosAccount } from '../../src/relay/cosmos-account.ts'

const SIGNED =
  'Co0BCooBChwvY29zbW9zLmJhbmsudjFiZXRhMS5Nc2dTZW5kEmoKLWNvc21vczE5cmw0Y20yaG1yOGFmeTRrbGRweHozZmthNGpndXEwYXVxZGFsNBItY29z' +
  'bW9zMTRmbHZ3MHg4ZnN0emx5Nzl0YWNnc3VseHZrcHY4NThxZnpxZXJuGgoKBXN0YWtlEgExElgKUApGCh8vY29zbW9zLmNyeXB0by5zZWNwMjU2azEuUHVi' +
  'S2V5EiMKIQJPTirZnDTWC5umKDyUMahBivhnMhKWH5ene2N3/NBbYhIECgIIARgDEgQQgIl6GkDO9PBZgVPXzwnzRU8ztuBMIeJl2XYkORprXQn+VQsNRjXa' +
  'kDJdWq6JSPAC46coQICm6MMyVsvcsVgX6LDs+kC4'

const key =
  HDKey.fromMasterSeed(mnemonicToSeedSync(`${'abandon '.repeat(11)}about`)).derive("m/44'/118'/0'/0/0").privateKey ??
  new Uint8Array(32)
const accountAt = (url: string, { price, perDay }: { readonly price: number; readonly perDay: bigint }) => {
  const remote = new Remote({ urls: [new URL(url)], retries: 0 })
  onTestFinished(() => remote.close())
  const of = { name: 'a', remote, key: privateKeyToAccount(toHex(key)), prefix: 'cosmos', chainId: 'simd-1', perDay }
  return new CosmosAccount({ ...of, gas: { price, denom: 'stake' } })
}
/** Signing asks nobody. */
const offline = () => accountAt('http://127.0.0.1:1', { price: 0, perDay: 0n })

it('an account of Cosmos has the address of its key there', () => {
  expect(offline().address).toBe('cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4')
})

it('an account of Cosmos signs a transaction to the byte as simd does', async () => {
  const { bodyBytes } = fromBinary(TxRawSchema, Buffer.from(SIGNED, 'base64'))
  const [message] = fromBinary(TxBodySchema, bodyBytes).messages
  expect(message?.typeUrl).toBe('/cosmos.bank.v1beta1.MsgSend')
  if (message === undefined) throw new Error('no message')
  const raw = await offline().signed([message], { number: 7n, sequence: 3n }, { gas: 2_000_000n, amount: 0n })
  expect(Buffer.from(raw).toString('base64')).toBe(SIGNED)
})

/**
 * A node that takes each transaction into a block at once, and keeps it in `sent`. `simulation`: the gas of a transaction, or the log of why it
 * fails. `log`: of a failure in the block.
 */
async function node({ simulation, log = '' }: { readonly simulation: string | number; readonly log?: string }) {
  const sent: Uint8Array[] = []
  const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes).toString('base64')
  const answer = (method: string, [first]: readonly string[]): unknown => {
    if (method === 'broadcast_tx_sync') sent.push(Buffer.from(first ?? '', 'base64'))
    if (method === 'broadcast_tx_sync') return { code: 0, log: '' }
    if (method === 'tx') return { tx_result: { code: log === '' ? 0 : 1, log } }
    // An account with number 7 and sequence 3: a message in field 1 with the fields 3 and 4.
    if (first !== '/app/simulate')
      return { response: { code: 0, log: '', value: base64(Uint8Array.of(10, 4, 24, 7, 32, 3)) } }
    if (typeof simulation === 'string') return { response: { code: 1, log: simulation } }
    const value = JSON.stringify({ gas_info: { gas_wanted: '0', gas_used: String(simulation) }, result: {} })
    return { response: { code: 0, log: '', value: base64(value) } }
  }
  const server = createServer(async (request, response) => {
    const asked = JSON.parse(await text(request))
    const one = ({ id, method, params }: { id: number; method: string; params: string[] }) => ({
      ...{ jsonrpc: '2.0', id, result: answer(method, params) },
    })
    response.end(JSON.stringify(Array.isArray(asked) ? asked.map(one) : one(asked)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent }
}

describe('a transaction of Cosmos', () => {
  it('pays for the simulated gas and three tenths more, at most the limit of a day', async () => {
    const { url, sent } = await node({ simulation: 100_000 })
    // 130,000 gas at 0.01 are 1,300; two are 2,600.
    const account = accountAt(url, { price: 0.01, perDay: 2_600n })
    for (const _ of [1, 2]) expect(await account.transact([])).toEqual({ status: 'done', cost: 1_300n })
    await expect(account.transact([])).rejects.toThrow('may cost 1300, but 0 is left of the limit of a day')
    expect(sent.length).toBe(2)
    const { authInfoBytes } = fromBinary(TxRawSchema, sent[0] ?? new Uint8Array(0))
    const { fee } = fromBinary(AuthInfoSchema, authInfoBytes)
    expect(fee).toMatchObject({ gasLimit: 130_000n, amount: [{ denom: 'stake', amount: '1300' }] })
  })

  it.each([
    ['failed to simulate tx: failed to execute message; message index: 3: proof is invalid', 3],
    // What a stranger writes into a packet names no message.
    ['failed to simulate tx: memo failed to execute message; message index: 3: and more', undefined],
    ['out of gas in location: ReadFlat; account sequence mismatch', undefined],
  ])('that fails in a simulation is not sent, and names the message: %s', async (simulation, place) => {
    const { url, sent } = await node({ simulation })
    const done = await accountAt(url, { price: 0.01, perDay: 0n }).transact([])
    expect(done).toEqual({ status: 'refused', reason: simulation, cost: 0n, place })
    expect(sent).toEqual([])
  })

  it('that fails in a block has cost its fee', async () => {
    const { url } = await node({ simulation: 100, log: 'failed to execute message; message index: 0: late' })
    const done = await accountAt(url, { price: 1, perDay: 1_000n }).transact([])
    expect(done).toMatchObject({ status: 'refused', cost: 130n, place: 0 })
  })

  it('waits while another one of the account is in no block', async () => {
    const simulation = 'failed to simulate tx: account sequence mismatch, expected 4, got 3: incorrect account sequence'
    const { url } = await node({ simulation })
    await expect(accountAt(url, { price: 0, perDay: 0n }).transact([])).rejects.toThrow('waits for its block')
  })
})
