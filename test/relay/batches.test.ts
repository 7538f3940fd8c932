// Messages that share transactions, on a chain that does all messages of a transaction or none, and says which one fails.
import { describe, expect, it } from 'vitest'
import { inBatches, type Transacted } from '../../src/relay/batches.ts'
import type { Message } from '../../src/relay/end.ts'

const update = (clientId: string): Message => ({ type: 'updateClient', clientId, update: new Uint8Array(0) })
const packet = (clientId: string): Message => ({ type: 'registerCounterparty', clientId, prefix: [], counterparty: '' })
const nameOf = (message: Message): string => ('clientId' in message ? message.clientId : '')

/**
 * A chain that refuses messages named `bad…`, before a block for nothing or in one for 10, and transactions of more than `most` messages
 * without saying a place. A transaction that is done costs 100.
 */
function chain({ most = 100, cost = 0n } = {}) {
  const blocks: string[][] = []
  const transact = async (messages: readonly Message[]): Promise<Transacted> => {
    if (messages.length > most) return { status: 'refused', reason: 'too large', cost }
    const place = messages.findIndex((message) => nameOf(message).startsWith('bad'))
    if (place >= 0) return { status: 'refused', reason: 'bad', cost, place }
    blocks.push(messages.map(nameOf))
    return { status: 'done', cost: 100n }
  }
  const run = async (messages: readonly Message[]) => {
    const outcomes = await inBatches(messages, transact)
    expect(outcomes.length).toBe(messages.length)
    const paid = outcomes.reduce((sum, of) => sum + of.cost, 0n)
    return { done: outcomes.map(({ status }) => (status === 'done' ? 1 : 0)).join(''), paid, blocks }
  }
  return { run }
}

describe('messages in batches', () => {
  it('share a transaction', async () => {
    const { done, paid, blocks } = await chain().run([update('u'), packet('a'), packet('b')])
    expect({ done, paid, blocks }).toEqual({ done: '111', paid: 100n, blocks: [['u', 'a', 'b']] })
  })

  it('go on without those that fail', async () => {
    const { done, blocks } = await chain().run([packet('bad1'), packet('a'), packet('bad2'), packet('b')])
    expect({ done, blocks }).toEqual({ done: '0101', blocks: [['a', 'b']] })
  })

  it('count what a transaction that has failed in a block costs', async () => {
    const { done, paid } = await chain({ cost: 10n }).run([packet('a'), packet('bad'), packet('b')])
    expect({ done, paid }).toEqual({ done: '101', paid: 110n })
  })

  it('are sent in halves where a transaction does not fit', async () => {
    const { done, paid, blocks } = await chain({ most: 2, cost: 10n }).run('abcde'.split('').map(packet))
    // Five messages do not fit, nor the first three of them.
    expect({ done, paid }).toEqual({ done: '11111', paid: 320n })
    expect(blocks).toEqual([['a', 'b'], ['c'], ['d', 'e']])
  })

  it('stop after an update that is refused, whose packets cannot be proven', async () => {
    const { done, blocks } = await chain().run([update('u'), update('bad'), packet('a')])
    expect({ done, blocks }).toEqual({ done: '100', blocks: [['u']] })
    const halves = await chain({ most: 1 }).run([update('bad'), packet('a'), packet('b')])
    expect(halves).toMatchObject({ done: '000', blocks: [] })
    const many = await chain().run([update('bad'), ...Array.from({ length: 50 }, (_, i) => packet(`p${i}`))])
    expect(many.blocks).toEqual([])
  })

  it('keep their order over several transactions', async () => {
    const names = Array.from({ length: 45 }, (_, i) => `p${i}`)
    const { done, blocks } = await chain().run(names.map(packet))
    expect(done).toBe('1'.repeat(45))
    expect(blocks.flat()).toEqual(names)
    expect(blocks.length).toBe(3)
  })
})
