// Requests to CometBFT's JSON-RPC, against a server with answers recorded from CometBFT v0.40.0 in a network of four.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CometBftClient } from '../../../src/consensus/cometbft/client.ts'
import { ChainError } from '../../../src/lib/errors.ts'

type Request = { readonly id: number; readonly method: string; readonly params: Readonly<Record<string, string>> }

/** A server with answers by method, and the requests that it received. It never answers methods without one. */
async function engine(answers: Readonly<Record<string, (request: Request) => unknown>>) {
  const requests: (Request | Request[])[] = []
  const server = createServer(async (incoming, response) => {
    let text = ''
    for await (const part of incoming) text += part
    const body: Request | Request[] = JSON.parse(text)
    requests.push(body)
    const answer = (request: Request) => ({
      jsonrpc: '2.0',
      id: request.id,
      ...Object(answers[request.method]?.(request)),
    })
    if (!Array.isArray(body) && answers[body.method] === undefined) return
    response.end(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { client: new CometBftClient(`http://127.0.0.1:${port}`, 2), requests }
}

const status = {
  node_info: { id: 'd36c9d338fdd5f5475282855f12a3117a2e4533e', network: 'kestrel_125-1', version: '0.39.0' },
  sync_info: { latest_block_height: '242', catching_up: false },
  validator_info: { address: 'AE9188A938EF3775FE9F2272AF066EEA7D5E6FF8', voting_power: '1000' },
}
const tooHigh = (height: string) => ({
  error: {
    code: -32603,
    message: 'Internal error',
    data: `height ${height} must be less than or equal to the current blockchain height 243`,
  },
})

describe('the client of CometBFT', () => {
  it('returns CometBFT’s status, and sends one request for two concurrent calls', async () => {
    const { client, requests } = await engine({ status: () => ({ result: status }) })
    const expected = {
      catchingUp: false,
      height: 242n,
      version: '0.39.0',
      nodeId: 'd36c9d338fdd5f5475282855f12a3117a2e4533e',
      address: 'AE9188A938EF3775FE9F2272AF066EEA7D5E6FF8',
    }
    expect(await Promise.all([client.status(), client.status()])).toEqual([expected, expected])
    expect(requests).toHaveLength(1)
  })

  it('returns the key with which CometBFT or its signer signs', async () => {
    // The key of RFC 8032, 7.1, test 1.
    const key = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'
    const of = (value: string) => ({
      ...status,
      validator_info: { ...status.validator_info, pub_key: { type: '', value } },
    })
    const { client } = await engine({ status: () => ({ result: of(Buffer.from(key, 'hex').toString('base64')) }) })
    expect(await client.consensusKey()).toBe(`0x${key}`)
    const other = await engine({ status: () => ({ result: of('AAAA') }) })
    await expect(other.client.consensusKey()).rejects.toThrow('the consensus engine does not answer')
  })

  it('returns the number of peers and their highest block', async () => {
    const peer = (height: string) => ({ node_address: 'x', peer_state: { round_state: { height, round: 0 } } })
    const { client } = await engine({
      net_info: () => ({ result: { listening: true, listeners: ['Listener(@)'], n_peers: '3', peers: [] } }),
      dump_consensus_state: () => ({ result: { round_state: {}, peers: [peer('243'), peer('250'), peer('0')] } }),
    })
    expect(await client.peers()).toBe(3)
    expect(await client.isListening()).toBe(true)
    // A peer that is deciding block 250 has block 249.
    expect(await client.highestHeight()).toBe(249n)
  })

  it('returns no highest block without peers', async () => {
    const { client } = await engine({ dump_consensus_state: () => ({ result: { round_state: {}, peers: null } }) })
    expect(await client.highestHeight()).toBeUndefined()
  })

  it('returns the state of the vote, and the block that more than two thirds have voted for', async () => {
    // The node's block 15 differs from the others': CometBFT v0.40.0 stops its consensus at the precommit of block 16.
    const appHash = 'C09A3A486594E6E455D266B6E5969822EFB0301B1CC361D72343F1B1C44AFCA8'
    const valid_block = { header: { chain_id: 'kestrel_125-1', height: '16', app_hash: appHash }, data: { txs: [] } }
    const validators = { validators: [{}, {}, {}, {}], proposer: {} }
    const prevotes = (round: number, prevotes_bit_array: string) => ({ round, prevotes: [], prevotes_bit_array })
    const votes = [prevotes(0, 'BA{4:xxx_} 3000/4000 = 0.75'), prevotes(1, 'BA{4:x___} 1000/4000 = 0.25')]
    let state: object = { height: '16', round: 1, step: 6, validators, proposal_block: valid_block, valid_block, votes }
    const { client } = await engine({ dump_consensus_state: () => ({ result: { round_state: state, peers: [] } }) })
    const agreed = { height: 16n, appHash: `0x${appHash.toLowerCase()}` }
    const place = { height: 16n, round: 1, step: 6, validators: 4 }
    // `voting`: the fraction of the stake that voted in this round or the one before.
    expect(await client.rounds()).toEqual({ ...place, voting: 0.75, hasBlock: true, agreed })

    // A proposal without votes is not agreed; in the last step the proposed block is the decided one.
    const again = async (change: object) => {
      state = { ...state, ...change }
      const other = await engine({ dump_consensus_state: () => ({ result: { round_state: state, peers: [] } }) })
      return other.client.rounds()
    }
    expect(await again({ step: 4, valid_block: null })).toMatchObject({ hasBlock: true, agreed: undefined })
    expect(await again({ step: 8, round: 2 })).toMatchObject({ voting: 0.25, agreed })
    expect(await again({ step: 8, proposal_block: null })).toMatchObject({ hasBlock: false, agreed: undefined })
  })

  it('returns the signed header of a height with all pages of its validators', async () => {
    const all = Array.from({ length: 101 }, (_, index) => ({ address: String(index), voting_power: '1' }))
    const { client } = await engine({
      commit: ({ params }) => ({
        result: { signed_header: { header: { height: params.height, app_hash: 'AB' }, commit: {} }, canonical: true },
      }),
      validators: ({ params }) => ({
        result: {
          block_height: params.height,
          validators: all.slice(100 * (Number(params.page) - 1), 100 * Number(params.page)),
          count: '100',
          total: '101',
        },
      }),
    })
    expect(await client.commit(5n)).toEqual({
      signed_header: { header: { height: '5', app_hash: 'AB' }, commit: {} },
      canonical: true,
      validators: all,
    })
  })

  it('throws not-found for a height that is not decided', async () => {
    const { client } = await engine({ commit: ({ params }) => tooHigh(params.height ?? '') })
    const refusal = await client.commit(500_000n).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(ChainError)
    expect(refusal).toMatchObject({ code: 'not-found', message: 'the consensus engine has no commit of height 500000' })
  })

  it('broadcasts transactions in batches within CometBFT’s limit', async () => {
    const { client, requests } = await engine({ broadcast_tx_async: () => ({ result: { code: 0 } }) })
    await client.broadcast([Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)])
    const texts = requests.map((batch) => (Array.isArray(batch) ? batch.map(({ params }) => params.tx) : []))
    expect(texts).toEqual([['AQ==', 'Ag=='], ['Aw==']])
  })

  it('throws overloaded when CometBFT does not run', async () => {
    const client = new CometBftClient('http://127.0.0.1:1')
    await expect(client.status()).rejects.toMatchObject({
      code: 'overloaded',
      message: 'the consensus engine does not answer',
    })
    await expect(client.broadcast([Uint8Array.of(1)])).rejects.toThrow('the consensus engine does not answer')
  })

  it('times out when CometBFT hangs', { timeout: 10_000 }, async () => {
    const { client } = await engine({})
    await expect(client.peers()).rejects.toThrow('the consensus engine does not answer')
  })

  it('refuses malformed answers', async () => {
    const { client } = await engine({ status: () => ({ result: { node_info: {} } }), net_info: () => ({}) })
    await expect(client.status()).rejects.toThrow('the consensus engine does not answer')
    await expect(client.peers()).rejects.toThrow('the consensus engine does not answer')
  })
})
