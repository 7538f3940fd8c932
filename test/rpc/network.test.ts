// JSON-RPC of a network's node: reports of the consensus engine, disabled methods, and that all methods work although the
// consensus engine makes the blocks.
import {
  blobsToCommitments,
  commitmentsToVersionedHashes,
  createPublicClient,
  createWalletClient,
  http,
  toBlobs,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { commitInfoHash } from '../../src/primitives/commit-info.ts'
import { methods } from '../../src/rpc/methods/index.ts'
import { viemKzg } from '../support/blobs.ts'
import { account, testChain } from '../support/chain.ts'
import { commitInfo, decide, networkChain, networkFaces, signerOf, votes } from '../support/network-faces.ts'
import { openSocket } from '../support/wire.ts'

const open = async () => networkFaces({ chain: await networkChain() })

describe('a network’s node reports', () => {
  it('the progress of syncing, in the form of the execution API', async () => {
    const { rpc, status } = await open()
    expect(await rpc('eth_syncing')).toBe(false)
    status.progress = { startingBlock: 2n, currentBlock: 16n, highestBlock: 255n }
    expect(await rpc('eth_syncing')).toEqual({ startingBlock: '0x2', currentBlock: '0x10', highestBlock: '0xff' })
  })

  it('the number of peers, and whether peers can connect', async () => {
    const { rpc, status } = await open()
    expect(await rpc('net_peerCount')).toBe('0x3')
    expect(await rpc('net_listening')).toBe(true)
    status.peers = 0
    expect(await rpc('net_peerCount')).toBe('0x0')
  })

  it('no peers and no known progress while the consensus engine does not answer', async () => {
    const { rpc, status, chain } = await open()
    await decide(chain, commitInfo())
    status.isReachable = false
    expect(await rpc('eth_syncing')).toEqual({ startingBlock: '0x1', currentBlock: '0x1', highestBlock: '0x1' })
    expect(await rpc('net_peerCount')).toBe('0x0')
    expect(await rpc('net_listening')).toBe(false)
  })

  it('to subscribers when it begins to catch up and when it has caught up', async () => {
    const { url, status } = await open()
    const socket = await openSocket(`${url.replace('http', 'ws')}/rpc`)
    const next = async () => JSON.parse(await socket.next())
    status.progress = { startingBlock: 0n, currentBlock: 0n, highestBlock: 9n }
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['syncing'] }))
    const { result: subscription } = await next()
    expect((await next()).params).toEqual({
      subscription,
      result: { syncing: true, status: { startingBlock: '0x0', currentBlock: '0x0', highestBlock: '0x9' } },
    })
    status.progress = false
    expect((await next()).params).toEqual({ subscription, result: false })
    socket.close()
  })
})

describe('a chain of one node', () => {
  it('is never syncing, has no peers, and has no commits', async () => {
    const { rpc, raw } = await testChain()
    expect(await rpc('eth_syncing')).toBe(false)
    expect(await rpc('net_peerCount')).toBe('0x0')
    expect(await rpc('net_listening')).toBe(true)
    expect((await raw('kestrel_getCommit', '0x0')).error).toEqual({
      code: -32601,
      message: 'kestrel_getCommit: this chain is no network',
    })
  })
})

describe('kestrel_getCommit', () => {
  const evidence = { type: 1, address: signerOf(2), height: 1n, power: 1000n, time: 1_767_225_600_000_000_000n }

  it('returns the votes and evidence of a block, with the operators', async () => {
    const { rpc, chain, status } = await open()
    await decide(chain, commitInfo({ votes: [] }))
    const commit = commitInfo({ round: 2n, votes: votes(2, 1, 3), evidence: [evidence] })
    const { header } = await decide(chain, commit)
    status.proofs.set(2n, { signed_header: { header: { app_hash: 'AB' } }, validators: [] })
    const [one, two, three] = chain.spec.native?.validators.map(({ operator }) => operator) ?? []
    expect(header.parentBeaconBlockRoot).toBe(commitInfoHash(commit))
    expect(await rpc('kestrel_getCommit', '0x2')).toEqual({
      number: '0x2',
      hash: header.hash,
      appHash: null,
      proof: { signed_header: { header: { app_hash: 'AB' } }, validators: [] },
      commitInfo: {
        round: '0x2',
        // 2026-01-01T00:00:05Z in nanoseconds
        time: `0x${1_767_225_605_000_000_000n.toString(16)}`,
        votes: [
          { address: signerOf(0), operator: one, power: '0x3e8', vote: 'commit' },
          { address: signerOf(1), operator: two, power: '0x3e8', vote: 'absent' },
          { address: signerOf(2), operator: three, power: '0x3e8', vote: 'nil' },
        ],
        evidence: [
          {
            address: signerOf(2),
            operator: three,
            power: '0x3e8',
            type: 'duplicate_vote',
            height: '0x1',
            time: `0x${1_767_225_600_000_000_000n.toString(16)}`,
          },
        ],
      },
    })
  })

  it('returns no proof of the newest block yet, and no votes for block 0', async () => {
    const { rpc, raw, chain, status } = await open()
    await decide(chain, commitInfo())
    expect(await rpc('kestrel_getCommit', 'latest')).toMatchObject({ number: '0x1', proof: null })
    expect(await rpc('kestrel_getCommit', 0)).toMatchObject({ number: '0x0', commitInfo: null })
    expect((await raw('kestrel_getCommit', '0x2')).error).toEqual({ code: -32000, message: 'header not found' })
    expect((await raw('kestrel_getCommit', 'x')).error?.code).toBe(-32602)
    status.isReachable = false
    expect((await raw('kestrel_getCommit', '0x1')).error?.code).toBe(-32005)
  })
})

describe('a node of a network', () => {
  it('has no development and testing methods, whatever the options', async () => {
    const { raw, rpc, url } = await open()
    const closed = [...methods]
      .filter(([, { gate }]) => gate === 'development' || gate === 'testing')
      .map(([name]) => name)
    expect(closed).toEqual(expect.arrayContaining(['anvil_setBalance', 'evm_mine', 'miner_start', 'evm_increaseTime']))
    for (const method of [...closed, 'debug_setHead'])
      expect((await raw(method)).error, method).toEqual({
        code: -32601,
        message: `the method ${method} does not exist/is not available`,
      })
    // Invariants can be checked at every node of a network.
    expect(await rpc('dev_invariants')).toEqual([])
    expect(Object.keys(Object(await rpc('rpc_modules')))).not.toContain('anvil')
    expect(await rpc('web3_clientVersion')).toMatch(/^kestrel\//)
    const listed = (await (await fetch(`${url}/rpc/openrpc.json`)).json()) as { methods: { name: string }[] }
    expect(listed.methods.map(({ name }) => name)).toContain('kestrel_getCommit')
    expect(listed.methods.filter(({ name }) => closed.includes(name))).toEqual([])
    expect((await fetch(`${url}/dev`, { headers: { accept: 'text/html' } })).status).toBe(404)
  })

  it('has no method that fails because the node makes no blocks', async () => {
    const { raw, chain } = await open()
    await decide(chain, commitInfo())
    const enabled = [...methods].filter(([, { gate }]) => gate === undefined).map(([name]) => name)
    for (const name of enabled) {
      for (const params of [
        [],
        ['latest'],
        [account(0).address],
        [{ to: account(1).address }, 'pending'],
        ['0x1', '0x1'],
      ])
        expect((await raw(name, ...params)).error?.code, `${name} ${JSON.stringify(params)}`).not.toBe(-32603)
    }
    expect((await raw('eth_mining')).result).toBe(false)
    expect((await raw('eth_coinbase')).result).toMatch(/^0x[0-9a-f]{40}$/)
    expect((await raw('eth_accounts')).result).toEqual([])
    const estimate = await raw('eth_estimateGas', { from: account(0).address, to: account(1).address, value: '0x1' })
    expect(estimate.result).toBe('0x5208')
  })

  const clientOf = async (url: string) => {
    const chainId = await createPublicClient({ transport: http(`${url}/rpc`) }).getChainId()
    const nativeCurrency = { name: 'KEST', symbol: 'KEST', decimals: 18 }
    const chain = { id: chainId, name: 'kestrel', nativeCurrency, rpcUrls: { default: { http: [`${url}/rpc`] } } }
    return createWalletClient({ account: account(0), chain, transport: http(`${url}/rpc`) })
  }

  it('answers a send when the transaction is in the pool, before it is in a block', async () => {
    const { url, rpc } = await open()
    const hash = await (await clientOf(url)).sendTransaction({ to: account(1).address, value: 1n })
    expect(await rpc('eth_getTransactionByHash', hash)).toMatchObject({ hash, blockNumber: null })
    expect(await rpc('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
  })

  it('refuses a blob transaction, with and without its blobs', async () => {
    const { url, raw } = await open()
    const wallet = await clientOf(url)
    const message = {
      to: account(1).address,
      nonce: 0,
      gas: 21_000n,
      chainId: wallet.chain.id,
      maxFeePerGas: 2_000_000_000n,
      maxFeePerBlobGas: 1_000_000_000n,
      type: 'eip4844' as const,
    }
    const blobs = toBlobs({ data: '0x01' })
    const blobVersionedHashes = commitmentsToVersionedHashes({
      commitments: blobsToCommitments({ blobs, kzg: viemKzg }),
    })
    const refusal = {
      code: -32000,
      message: 'transaction type not supported: type 3 rejected, blocks of a network have no blobs',
    }
    const withBlobs = await account(0).signTransaction({ ...message, blobs, kzg: viemKzg })
    const without = await account(0).signTransaction({ ...message, blobVersionedHashes })
    // KZG proofs are expensive, so they are not checked: a wrong one is refused for the same reason.
    const forged = `${withBlobs.slice(0, -2)}${withBlobs.endsWith('00') ? '01' : '00'}` as const
    for (const signed of [withBlobs, without, forged])
      expect((await raw('eth_sendRawTransaction', signed)).error).toEqual(refusal)
  })
})
