// Nodes that hand requests over to read threads: every response equals that of a node without them. A client that knows of a
// block finds it on every thread, a rewind leaves no stale data, and a crashing thread fails only its own requests.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startNode } from '../../src/node.ts'
import { methods } from '../../src/rpc/methods/index.ts'
import { revertingWith } from '../support/assembler.ts'
import { nodeOptions, rawRequest, testChain, withClients } from '../support/chain.ts'
import { encodeInnerCall } from '../support/inner-call.ts'

// Threads that accept connections have tests of their own (`accepting.test.ts`).
vi.mock('../../src/readers/read-threads.ts', async (original) => ({
  ...(await original<typeof import('../../src/readers/read-threads.ts')>()),
  canSharePort: () => false,
}))

/** Creates a contract that increments slot 0 when called with data, and returns it when called without. */
const COUNTER = '0x60168060095f395ff33615600d575f546001015f55005b5f545f5260205ff3'
/** OpenZeppelin's `EnforcedPause()`. */
const ENFORCED_PAUSE = '0xd93c0665'
const HEAD_SLOT = `0x${'0'.repeat(64)}`

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'kestrel-readers-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

/** A chain on disk whose heavy reads are answered by threads, once the first one has started. */
async function threadedChain(threads = 1, prune?: number) {
  const datadir = await folder()
  const chain = await testChain({ datadir, readThreads: threads, metrics: true, prune })
  const answeredByThreads = () => answered(chain.url)
  const threaded = async (method: string, ...params: unknown[]) => {
    await untilThreadAnswers(chain)
    return rawRequest(chain.url, method, params)
  }
  return { ...chain, threaded, answeredByThreads }
}

const metric = async (url: string, name: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}
const answered = (url: string): Promise<number> => metric(url, 'kestrel_read_thread_answers_total')

/** A busy main thread starts a thread; until that is ready, the main thread answers. */
async function untilThreadAnswers({ url, rpc, bob }: Awaited<ReturnType<typeof testChain>>): Promise<void> {
  const isAnswered = async () => {
    const before = await answered(url)
    await rpc('eth_call', { to: bob.address }, 'latest')
    return (await answered(url)) > before
  }
  await vi.waitUntil(isAnswered, { timeout: 20_000, interval: 1 })
}

describe('read threads', { timeout: 60_000 }, () => {
  it('give the same answers as the main thread for every committed method, through blocks, reverts and pruning', async () => {
    const { rpc, url, alice, bob, mine, threaded, answeredByThreads, node } = await threadedChain(1, 128)
    const created = await rpc('eth_sendTransaction', { from: alice.address, data: COUNTER })
    const receipt = (await rpc('eth_getTransactionReceipt', created)) as { contractAddress: string; blockHash: string }
    const counter = receipt.contractAddress
    const bump = { from: alice.address, to: counter, data: '0x01' }
    const second = await rpc('eth_sendTransaction', bump)
    const snapshot = await rpc('evm_snapshot')
    await rpc('eth_sendTransaction', bump)
    await rpc('evm_revert', snapshot)
    const last = await rpc('eth_sendTransaction', bump)
    const raw = await rpc('eth_getRawTransactionByHash', last)
    const call = { to: counter }
    const requests: [string, ...unknown[]][] = [
      ['eth_call', call, 'latest'],
      ['eth_call', call, '0x1'],
      ['eth_call', call, { blockHash: receipt.blockHash }],
      ['eth_call', { to: counter, gas: '0x1' }, 'latest'],
      ['eth_call', call, '0x999'],
      ['eth_getProof', counter, [HEAD_SLOT], 'latest'],
      ['eth_getLogs', { fromBlock: 'earliest' }],
      ['eth_getBlockReceipts', 'latest'],
      ['eth_feeHistory', '0x3', 'latest', [50]],
      ['eth_simulateV1', { blockStateCalls: [{ calls: [{ from: bob.address, to: counter, data: '0x01' }] }] }, '0x1'],
      ['debug_traceTransaction', second, { tracer: 'callTracer' }],
      ['debug_traceTransaction', last],
      ['debug_traceBlockByNumber', '0x2', {}],
      ['debug_traceBlockByHash', receipt.blockHash, {}],
      ['debug_traceCall', call, 'latest', { tracer: 'prestateTracer' }],
      ['debug_traceCallMany', [{ transactions: [call, bump, call] }]],
      ['eth_callMany', [{ transactions: [call, bump, call] }, { transactions: [call] }]],
      ['eth_callBundle', { txs: [raw], blockNumber: '0x3', stateBlockNumber: '0x2' }],
      ['debug_executionWitness', '0x2'],
      ['debug_intermediateRoots', receipt.blockHash],
      ['kestrel_getNativeContracts', 'latest'],
      ['kestrel_innerCall', encodeInnerCall()],
      ['debug_getRawBlock', '0x1'],
      ['debug_getRawReceipts', '0x1'],
      ['debug_getRawBlockAccessList', '0x1'],
      ['eth_getBlockAccessListRaw', '0x1'],
      ['eth_getBlockAccessList', '0x1'],
      ['eth_getBlockAccessListByBlockHash', receipt.blockHash],
      ['eth_getBlockAccessListByBlockNumber', '0x1'],
      ['debug_getRawTransactions', receipt.blockHash],
      ['debug_storageRangeAt', receipt.blockHash, 0, counter, '0x00', 10],
      ['debug_dumpBlock', '0x1'],
      ['debug_getModifiedAccountsByNumber', '0x1', '0x2'],
      ['erigon_getBlockReceiptsByBlockHash', receipt.blockHash],
      ['erigon_getLogsByHash', receipt.blockHash],
      ['erigon_getLogs', { fromBlock: 'earliest' }],
      ['ots_getBlockTransactions', 1, 0, 10],
      ['ots_traceTransaction', second],
      ['ots_getInternalOperations', second],
      ['ots_getTransactionError', second],
      ['ots_getContractCreator', counter],
      ['ots_searchTransactionsBefore', alice.address, 0, 10],
      ['ots_searchTransactionsAfter', alice.address, 0, 10],
      ['trace_block', '0x2'],
      ['trace_transaction', second],
      ['trace_get', second, ['0x0']],
      ['trace_filter', { fromBlock: '0x1', toBlock: 'latest' }],
      ['trace_replayTransaction', second, ['trace', 'stateDiff']],
      ['trace_replayBlockTransactions', '0x2', ['trace']],
      ['trace_call', call, ['trace'], 'latest'],
      ['trace_callMany', [[call, ['trace']]], 'latest'],
    ]
    const compare = async () => {
      await threaded('eth_call', call, 'latest')
      for (const [method, ...params] of requests) {
        const before = await answeredByThreads()
        const byThread = await rawRequest(url, method, params)
        expect([method, await answeredByThreads()]).toEqual([method, before + 1])
        const isHere = vi.spyOn(node.readers ?? { answer: () => undefined }, 'answer').mockReturnValue(undefined)
        const byMain = await rawRequest(url, method, params)
        isHere.mockRestore()
        expect([method, byThread]).toEqual([method, byMain])
      }
    }
    await compare()
    // The main thread has words for errors.
    const reverted = await rawRequest(url, 'eth_call', [{ data: revertingWith(ENFORCED_PAUSE) }, 'latest'])
    expect(reverted.error).toEqual({ code: 3, message: 'execution reverted: EnforcedPause()', data: ENFORCED_PAUSE })
    const heavy = [...methods].filter(([, { heavy, committed }]) => heavy && committed).map(([name]) => name)
    const asked = new Set(requests.map(([method]) => method))
    const unasked = [
      'debug_traceBlock',
      'debug_accountRange',
      'debug_getModifiedAccountsByHash',
      'erigon_getLatestLogs',
    ]
    expect(heavy.filter((name) => !asked.has(name)).sort()).toEqual(unasked.sort())
    // Far enough for the first states to be pruned: errors are compared too.
    await mine(140)
    await rpc('eth_sendTransaction', bump)
    await compare()
    expect(await rawRequest(url, 'eth_call', [call, '0x1'])).toMatchObject({ error: { message: /were pruned/ } })
  })

  it('show a client each block that it has been notified of, over any connection', async () => {
    const { rpc, alice, threaded } = await threadedChain(2)
    const created = await rpc('eth_sendTransaction', { from: alice.address, data: COUNTER })
    const { contractAddress } = (await rpc('eth_getTransactionReceipt', created)) as { contractAddress: string }
    await threaded('eth_call', { to: contractAddress }, 'latest')
    const bump = { from: alice.address, to: contractAddress, data: '0x01' }
    for (let count = 1; count <= 40; count++) {
      await rpc('eth_sendTransaction', bump)
      const reads = Array.from({ length: 8 }, () => rpc('eth_call', { to: contractAddress }, 'latest'))
      expect(new Set((await Promise.all(reads)).map(Number))).toEqual(new Set([count]))
    }
  })

  it('show nothing of rewound blocks', async () => {
    const { rpc, alice, threaded, answeredByThreads } = await threadedChain(2)
    const created = await rpc('eth_sendTransaction', { from: alice.address, data: COUNTER })
    const { contractAddress } = (await rpc('eth_getTransactionReceipt', created)) as { contractAddress: string }
    const call = { to: contractAddress }
    const bump = { from: alice.address, to: contractAddress, data: '0x01' }
    await threaded('eth_call', call, 'latest')
    const before = await answeredByThreads()
    let isRunning = true
    const seen = new Set<unknown>()
    const beside = Array.from({ length: 4 }, async () => {
      while (isRunning) seen.add(await rpc('eth_call', call, 'latest').catch((error: Error) => error.message))
    })
    for (let round = 0; round < 10; round++) {
      const snapshot = await rpc('evm_snapshot')
      await rpc('eth_sendTransaction', bump)
      expect(Number(await rpc('eth_call', call, 'latest'))).toBe(1)
      await rpc('evm_revert', snapshot)
      expect(Number(await rpc('eth_call', call, 'latest'))).toBe(0)
    }
    isRunning = false
    await Promise.all(beside)
    expect([...seen].map(Number).sort()).toEqual([0, 1])
    expect(await answeredByThreads()).toBeGreaterThan(before + 20)
  })

  it('leave requests about the pool to the main thread, even if the tag is escaped', async () => {
    const { rpc, url, alice, bob, threaded } = await threadedChain()
    await rpc('evm_setAutomine', false)
    await threaded('eth_call', { to: bob.address }, 'latest')
    // Returns its own balance.
    await rpc('anvil_setCode', '0x00000000000000000000000000000000000000aa', '0x4760005260206000f3')
    await rpc('eth_sendTransaction', {
      from: alice.address,
      to: '0x00000000000000000000000000000000000000aa',
      value: '0x5',
    })
    const body = `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"0x00000000000000000000000000000000000000aa"},"PENDING"]}`
    const ask = async (tag: string) => {
      const response = await fetch(url, { method: 'POST', body: body.replace('PENDING', tag) })
      return Number(((await response.json()) as { result: string }).result)
    }
    expect(await ask('latest')).toBe(0)
    expect(await ask('pending')).toBe(5)
    expect(await ask('\\u0070ending')).toBe(5)
  })

  it('leave JavaScript tracers to their own threads', async () => {
    const { url, rpc, alice, bob, threaded, answeredByThreads } = await threadedChain()
    const hash = await rpc('eth_sendTransaction', { from: alice.address, to: bob.address, value: '0x1' })
    await threaded('eth_call', { to: bob.address }, 'latest')
    const before = await answeredByThreads()
    const traced = (tracer: string) => {
      const name = JSON.stringify(tracer)
      const body = `{"jsonrpc":"2.0","id":1,"method":"debug_traceTransaction","params":["${hash}",{"tracer" : ${name}}]}`
      return fetch(url, { method: 'POST', body }).then((response) => response.json())
    }
    expect(await traced('{ fault() {}, result() { return 7 } }')).toMatchObject({ result: 7 })
    expect(await answeredByThreads()).toBe(before)
    expect(await traced('callTracer')).toMatchObject({ result: { value: '0x1' } })
    expect(await answeredByThreads()).toBe(before + 1)
  })

  it('answer batches of committed methods completely, with the errors of single requests', async () => {
    const { url, bob, threaded, answeredByThreads } = await threadedChain()
    await threaded('eth_call', { to: bob.address }, 'latest')
    const before = await answeredByThreads()
    const one = (id: number, method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id, method, params })
    const entries = [
      one(1, 'eth_blockNumber'),
      one(2, 'eth_call', { to: bob.address }, 'latest'),
      one(3, 'eth_call', 5),
      one(4, 'eth_getBalance', bob.address, 'latest'),
    ]
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(entries) })
    expect(await response.json()).toMatchObject([
      { id: 1, result: '0x0' },
      { id: 2, result: '0x' },
      { id: 3, error: { code: -32602 } },
      { id: 4, result: '0x21e19e0c9bab2400000' }, // 10,000 coins of 18 digits
    ])
    expect(await answeredByThreads()).toBe(before + 1)
  })

  it('that crash fail their own requests with an internal error, and are replaced', async () => {
    const { node, url, bob, threaded } = await threadedChain()
    await threaded('eth_call', { to: bob.address }, 'latest')
    // Millions of struct logs: a plain call may finish before the test sees it.
    const endless = rawRequest(url, 'debug_traceCall', [{ data: '0x5b5f56', gas: '0x2faf080' }, 'latest'])
    await vi.waitUntil(() => node.readers?.load.requests === 1)
    await node.readers?.kill()
    expect(await endless).toMatchObject({ error: { code: -32603 } })
    expect(await threaded('eth_call', { to: bob.address }, 'latest')).toMatchObject({ result: '0x' })
  })

  it('end the work of a closed connection', async () => {
    const { node, url, bob, threaded } = await threadedChain()
    await threaded('eth_call', { to: bob.address }, 'latest')
    const controller = new AbortController()
    const params = [{ data: '0x5b5f56', gas: '0x2faf080' }, 'latest']
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_traceCall', params })
    const asked = fetch(url, { method: 'POST', body, signal: controller.signal })
    await vi.waitUntil(() => node.readers?.load.requests === 1)
    controller.abort()
    await expect(asked).rejects.toThrow()
    await expect.poll(() => node.readers?.load.requests).toBe(0)
  })

  it('close the database when the node is closed', async () => {
    const datadir = await folder()
    const options = nodeOptions({ datadir, readThreads: 2, metrics: true })
    const node = await startNode(options)
    await untilThreadAnswers(withClients(node))
    await expect(startNode(options)).rejects.toThrow(/is in use/)
    await node.close()
    const { rpc } = await testChain({ datadir })
    expect(await rpc('eth_blockNumber')).toBe('0x0')
  })
})
