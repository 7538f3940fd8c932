// A batch of sends: consecutive sends share a block, as sends on separate connections do, and each is answered after its block
// is committed. Other requests of the batch see the effects of the sends before them.
import { type Hex, parseGwei } from 'viem'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { account, testChain } from '../support/chain.ts'

type Entry = { readonly method: string; readonly params: readonly unknown[] }
type Answer = { readonly id: number; readonly result?: unknown; readonly error?: { readonly message: string } }
type Test = Awaited<ReturnType<typeof testChain>>

const alice = account(0).address
const bob = account(1).address
const send = (from: Hex): Entry => ({ method: 'eth_sendTransaction', params: [{ from, to: bob, gas: '0x5208' }] })
const numbered = (entries: readonly Entry[]) => entries.map((entry, id) => ({ jsonrpc: '2.0', id, ...entry }))

async function overHttp({ url }: Test, entries: readonly Entry[]): Promise<Answer[]> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(numbered(entries)) })
  return (await response.json()) as Answer[]
}

async function overSocket({ url }: Test, entries: readonly Entry[]): Promise<Answer[]> {
  const socket = new WebSocket(url.replace('http', 'ws'))
  try {
    await new Promise((resolve) => socket.once('open', resolve))
    const answer = new Promise((resolve) => socket.once('message', resolve))
    socket.send(JSON.stringify(numbered(entries)))
    return JSON.parse(String(await answer)) as Answer[]
  } finally {
    socket.close()
  }
}

/** Block numbers of the answered transactions, in order. */
const blocksOf = ({ viem }: Test, answers: readonly Answer[]): Promise<bigint[]> =>
  Promise.all(
    answers.map(async ({ result }) => (await viem.getTransactionReceipt({ hash: result as Hex })).blockNumber),
  )

/** Signed transfers of one account. */
async function signedTransfers(test: Test, count: number): Promise<Entry[]> {
  const { walletOf } = test
  const signing = Array.from({ length: count }, (_, nonce) =>
    walletOf(0).signTransaction({
      to: bob,
      nonce,
      gas: 21_000n,
      maxFeePerGas: parseGwei('100'),
      maxPriorityFeePerGas: 1n,
    }),
  )
  return (await Promise.all(signing)).map((raw) => ({ method: 'eth_sendRawTransaction', params: [raw] }))
}

describe.each([
  ['HTTP', overHttp],
  ['a WebSocket', overSocket],
])('batched sends over %s', (_, ask) => {
  it('signed sends of a batch share a block, and their receipts are available', async () => {
    const test = await testChain()
    const answers = await ask(test, await signedTransfers(test, 12))
    expect(await blocksOf(test, answers)).toEqual(Array(12).fill(1n))
  })

  it('sends of a batch that the node signs share a block, also with different senders', async () => {
    const test = await testChain()
    const answers = await ask(test, [send(alice), send(bob), send(alice), send(bob), send(alice)])
    expect(await blocksOf(test, answers)).toEqual(Array(5).fill(1n))
  })
})

describe('a batch', () => {
  it('of a hundred sends is answered when its block is committed', async () => {
    const test = await testChain()
    const answers = await overHttp(test, await signedTransfers(test, 100))
    expect(await blocksOf(test, answers)).toEqual(Array(100).fill(1n))
  })

  it('reads the state after its own sends, and does not wait for a refused send', async () => {
    const test = await testChain()
    const number: Entry = { method: 'eth_blockNumber', params: [] }
    const broke: Entry = send('0x00000000000000000000000000000000000000aa')
    const answers = await overHttp(test, [number, send(alice), broke, send(alice), number, send(bob), number])
    expect(answers.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect([0, 4, 6].map((id) => answers[id]?.result)).toEqual(['0x0', '0x1', '0x2'])
    expect(answers[2]?.error?.message).toBe('unknown account')
    const sent = answers.filter(({ id }) => [1, 3, 5].includes(id))
    expect(await blocksOf(test, sent)).toEqual([1n, 1n, 2n])
  })

  it('with sends that are no transaction, and entries that are no request, refuses only these', async () => {
    const test = await testChain()
    const raw = (text: unknown) => ({ method: 'eth_sendRawTransaction', params: [text] })
    const odd = [raw('0x12'), raw('0x1'), raw(7), raw(`0x${'02'.repeat(5000)}`), { method: 'eth_sendRawTransaction' }]
    const signed = await signedTransfers(test, 6)
    const entries = numbered([...signed.slice(0, 3), ...(odd as Entry[]), ...signed.slice(3)])
    const body = JSON.stringify([...entries.slice(0, 2), null, 'send', ...entries.slice(2)])
    const answers = (await (await fetch(test.url, { method: 'POST', body })).json()) as Answer[]
    const sent = answers.filter(({ error }) => error === undefined)
    expect(sent.map(({ id }) => id)).toEqual([0, 1, 2, 8, 9, 10])
    expect(answers.length).toBe(13)
    expect(await test.viem.getTransactionCount({ address: alice })).toBe(6)
  })

  it('does not wait for a block without automine', async () => {
    const test = await testChain({ automine: false })
    const answers = await overHttp(test, await signedTransfers(test, 3))
    expect(answers.map(({ error }) => error)).toEqual([undefined, undefined, undefined])
    expect(await test.rpc('txpool_status')).toEqual({ pending: '0x3', queued: '0x0' })
    await test.mine(1)
    expect(await blocksOf(test, answers)).toEqual([1n, 1n, 1n])
  })
})
