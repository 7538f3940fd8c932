// Live updates, received by the phoenix client that explorer frontends use.
import { Socket } from 'phoenix'
import { expect, it, onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { account, testChain } from '../support/chain.ts'

type Pushed = { topic: string; event: string; payload: Record<string, unknown> }

/** Joins topics with the official client; `next` waits for an event that was not returned yet. */
async function listen(url: string, topics: Readonly<Record<string, readonly string[]>>) {
  const socket = new Socket(`${url.replace('http', 'ws')}/socket/v2`, { transport: WebSocket })
  socket.connect()
  onTestFinished(() => socket.disconnect())
  const pushed: Pushed[] = []
  const waiting = new Set<() => void>()
  for (const [topic, events] of Object.entries(topics)) {
    const channel = socket.channel(topic, {})
    for (const event of events) {
      channel.on(event, (payload: Record<string, unknown>) => {
        pushed.push({ topic, event, payload })
        for (const resolve of waiting) resolve()
      })
    }
    await new Promise<void>((resolve, reject) => {
      channel.join().receive('ok', resolve).receive('error', reject).receive('timeout', reject)
    })
  }
  const next = async (topic: string, event: string): Promise<Record<string, unknown>> => {
    for (;;) {
      const at = pushed.findIndex((of) => of.topic === topic && of.event === event)
      const [found] = at < 0 ? [] : pushed.splice(at, 1)
      if (found !== undefined) return found.payload
      await new Promise<void>((resolve) => {
        waiting.add(resolve)
      })
    }
  }
  return { next }
}

it('the socket pushes blocks, transactions and balances in the format of the API', async () => {
  const { url, walletOf, viem } = await testChain()
  const from = account(0).address
  const to = account(1).address
  const own = `addresses:${to.toLowerCase()}`
  const { next } = await listen(url, {
    'blocks:new_block': ['new_block'],
    'transactions:new_transaction': ['transaction'],
    'transactions:new_pending_transaction': ['pending_transaction'],
    [own]: ['transaction', 'balance', 'coin_balance'],
    'something:nobody-knows': [],
  })
  const hash = await walletOf(0).sendTransaction({ to, value: 7n })
  await viem.waitForTransactionReceipt({ hash })

  const { block } = (await next('blocks:new_block', 'new_block')) as { block: { height: number } }
  expect(await (await fetch(`${url}/api/v2/blocks/${block.height}`)).json()).toMatchObject(block)
  expect(await next('transactions:new_transaction', 'transaction')).toEqual({ transaction: 1 })
  expect(await next('transactions:new_pending_transaction', 'pending_transaction')).toEqual({ pending_transaction: 1 })
  expect(await next(own, 'transaction')).toMatchObject({ transactions: [{ hash, from: { hash: from }, value: '7' }] })
  expect(await next(own, 'balance')).toMatchObject({
    balance: (await viem.getBalance({ address: to })).toString(),
    block_number: 1,
  })
  expect(await next(own, 'coin_balance')).toMatchObject({ coin_balance: { block_number: 1, delta: '7' } })
})

it('the socket announces removed blocks, and pushes the remaining head', async () => {
  const { url, rpc, mine } = await testChain()
  await mine(1)
  const snapshot = await rpc('evm_snapshot')
  await mine(2)
  const { next } = await listen(url, { 'blocks:new_block': ['new_block', 'removed_blocks'] })
  await rpc('evm_revert', snapshot)
  expect(await next('blocks:new_block', 'removed_blocks')).toEqual({ height: 1 })
  expect(await next('blocks:new_block', 'new_block')).toMatchObject({ block: { height: 1 } })
})

it('the socket announces every mined transaction, and pushes the newest of a hundred blocks', async () => {
  const { url, rpc, walletOf } = await testChain({ automine: false })
  const waiting = await walletOf(0).sendTransaction({ to: account(1).address, value: 1n })
  const topic = `transactions:${waiting}`
  const { next } = await listen(url, { 'blocks:new_block': ['new_block'], [topic]: ['collated'] })
  // One request mines them faster than they are rendered.
  await rpc('anvil_mine', '0x64')
  expect(await next(topic, 'collated')).toEqual({})
  const heights: unknown[] = []
  while (heights.at(-1) !== 100) {
    const { block } = (await next('blocks:new_block', 'new_block')) as { block: { height: number } }
    heights.push(block.height)
  }
  expect(heights).toEqual(heights.toSorted((a, b) => Number(a) - Number(b)))
})

it('the socket answers heartbeats and leaves, and ignores malformed frames', async () => {
  const { url } = await testChain()
  const socket = new WebSocket(`${url.replace('http', 'ws')}/socket/v2/websocket?vsn=2.0.0`)
  onTestFinished(() => socket.close())
  await new Promise((resolve) => socket.once('open', resolve))
  const answer = async (frame: unknown): Promise<unknown> => {
    const answered = new Promise((resolve) => socket.once('message', (text) => resolve(JSON.parse(String(text)))))
    socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
    return answered
  }
  for (const nonsense of ['', '{', '[]', '[1,2,3]', '{"a":1}']) socket.send(nonsense)
  const ok = { status: 'ok', response: {} }
  expect(await answer([null, '7', 'phoenix', 'heartbeat', {}])).toEqual([null, '7', 'phoenix', 'phx_reply', ok])
  expect(await answer(['3', '3', 'tokens:0x', 'phx_join', {}])).toEqual(['3', '3', 'tokens:0x', 'phx_reply', ok])
  expect(await answer(['3', '4', 'tokens:0x', 'phx_leave', {}])).toEqual(['3', '4', 'tokens:0x', 'phx_reply', ok])
  expect(await answer(['3', '5', 'tokens:0x', 'event', {}])).toMatchObject([
    '3',
    '5',
    'tokens:0x',
    'phx_reply',
    { status: 'error' },
  ])
})
