// kestrel_getTimeline: what was done to a development chain, what a revert has undone, and what going back would lose.
import { type Hex, parseEther } from 'viem'
import { expect, it } from 'vitest'
import type { Timeline, TimelineEntry } from '../../src/rpc/development-timeline.ts'
import { testChain } from '../support/chain.ts'

const SOMEBODY = '0x00000000000000000000000000000000000000aa'

async function timedChain() {
  const chain = await testChain()
  const timeline = async () => (await chain.rpc('kestrel_getTimeline')) as Timeline
  /** Kinds, newest first. */
  const kinds = async () => (await timeline()).entries.map(({ kind }) => kind)
  return { ...chain, timeline, kinds }
}

const entry = <K extends TimelineEntry['kind']>({ entries }: Timeline, kind: K, index = 0) =>
  entries.filter((of): of is Extract<TimelineEntry, { kind: K }> => of.kind === kind)[index]

it('has edits with what they changed, blocks that follow each other as one entry, and calls of the clock', async () => {
  const { rpc, mine, walletOf, timeline, kinds } = await timedChain()
  await rpc('anvil_setBalance', SOMEBODY, '0x5')
  await rpc('anvil_setNonce', SOMEBODY, '0x7')
  await rpc('anvil_setCode', SOMEBODY, '0x6001')
  await rpc('anvil_setStorageAt', SOMEBODY, '0x2', `0x${'0'.repeat(63)}9`)
  await rpc('evm_increaseTime', 3600)
  await mine(2)
  await walletOf(0).sendTransaction({ to: SOMEBODY, value: 1n })
  await rpc('hardhat_impersonateAccount', SOMEBODY)
  expect(await kinds()).toEqual(['call', 'blocks', 'call', 'edit', 'edit', 'edit', 'edit'])
  const line = await timeline()
  const edits = [3, 2, 1, 0].map((index) => entry(line, 'edit', index)?.changes?.accounts)
  expect(edits).toEqual([
    [{ address: SOMEBODY, balance: ['0x0', '0x5'] }],
    [{ address: SOMEBODY, nonce: ['0x0', '0x7'] }],
    [{ address: SOMEBODY, code: 'set' }],
    [{ address: SOMEBODY, slots: [{ slot: `0x${'0'.repeat(63)}2`, before: '0x0', after: '0x9' }] }],
  ])
  expect(entry(line, 'blocks')).toMatchObject({ first: 1, last: 3, transactions: 1, block: 3 })
  expect(entry(line, 'blocks')?.changes?.accounts).toContainEqual({ address: SOMEBODY, balance: ['0x5', '0x6'] })
  expect(entry(line, 'call', 1)).toMatchObject({ method: 'evm_increaseTime', params: ['3600'] })
  expect(entry(line, 'call')).toMatchObject({ method: 'hardhat_impersonateAccount', params: [SOMEBODY] })
})

it('says what going back to each snapshot would lose, and what a revert has undone', async () => {
  const { rpc, mine, walletOf, timeline } = await timedChain()
  await rpc('anvil_setBalance', SOMEBODY, '0x1')
  const first = (await rpc('evm_snapshot')) as Hex
  await mine(12)
  await walletOf(0).sendTransaction({ to: SOMEBODY, value: 1n })
  await rpc('anvil_setBalance', SOMEBODY, '0x2')
  const second = (await rpc('evm_snapshot')) as Hex
  await rpc('anvil_setBalance', SOMEBODY, '0x3')
  await rpc('anvil_setBalance', SOMEBODY, '0x4')
  expect((await timeline()).snapshots).toMatchObject([
    { id: second, block: 13, lost: { blocks: 0, transactions: 0, edits: 2 } },
    { id: first, block: 0, lost: { blocks: 13, transactions: 1, edits: 3 } },
  ])

  expect(await rpc('evm_revert', second)).toBe(true)
  const after = await timeline()
  const revert = entry(after, 'revert')
  expect(revert).toMatchObject({ to: { snapshot: second }, lost: { blocks: 0, transactions: 0, edits: 2 } })
  expect(after.entries.filter(({ kind }) => kind === 'edit').map(({ undoneBy }) => undoneBy)).toEqual([
    revert?.id,
    revert?.id,
    undefined,
    undefined,
  ])
  expect(after.snapshots).toMatchObject([{ id: first, lost: { blocks: 13, transactions: 1, edits: 1 } }])

  expect(await rpc('evm_revert', first)).toBe(true)
  const back = await timeline()
  expect(entry(back, 'revert')).toMatchObject({ lost: { blocks: 13, transactions: 1, edits: 1 } })
  expect([back.snapshots, await rpc('eth_getBalance', SOMEBODY)]).toEqual([[], '0x1'])
  // A revert to what is not there changes nothing.
  expect(await rpc('evm_revert', first)).toBe(false)
  expect((await timeline()).entries).toHaveLength(back.entries.length)
})

it('counts what removed blocks and a reset undo', async () => {
  const { rpc, mine, timeline } = await timedChain()
  await rpc('anvil_setBalance', SOMEBODY, '0x1')
  const snapshot = (await rpc('evm_snapshot')) as Hex
  await mine(5)
  await rpc('anvil_setBalance', SOMEBODY, '0x2')
  await mine(1)
  await rpc('anvil_rollback', 3)
  const line = await timeline()
  // Block 6, then blocks 4 and 5 of the entry of blocks 1 to 5; the edit was made behind block 5.
  expect(entry(line, 'revert')).toMatchObject({ to: { block: 3 }, lost: { blocks: 3, transactions: 0, edits: 1 } })
  expect(line.snapshots).toMatchObject([{ id: snapshot, lost: { blocks: 3, transactions: 0, edits: 0 } }])
  await rpc('anvil_reset')
  expect(entry(await timeline(), 'revert')).toMatchObject({ to: 'beginning', lost: { blocks: 3, edits: 1 } })
  expect(await rpc('eth_getBalance', SOMEBODY)).toBe('0x0')
})

it('keeps the newest 500 entries, with exact counts all the same', async () => {
  const { rpc, timeline } = await timedChain()
  const snapshot = (await rpc('evm_snapshot')) as Hex
  for (let i = 1; i <= 510; i++) await rpc('anvil_setBalance', SOMEBODY, `0x${i.toString(16)}`)
  const { entries, dropped, snapshots } = await timeline()
  expect([entries.length, dropped]).toEqual([500, 11])
  expect(snapshots).toMatchObject([{ id: snapshot, lost: { blocks: 0, transactions: 0, edits: 510 } }])
})

it('lists 50 accounts and slots of an entry, and says that there are more', async () => {
  const { rpc, timeline, alice } = await timedChain()
  const balances = Array.from({ length: 60 }, (_, i) => `0x${(0xbb00 + i).toString(16).padStart(40, '0')}`)
  const accounts = Object.fromEntries(balances.map((of) => [of, { balance: '0x1', nonce: 0, code: '0x', storage: {} }]))
  await rpc('anvil_loadState', `0x${Buffer.from(JSON.stringify({ accounts })).toString('hex')}`)
  const changes = entry(await timeline(), 'edit')?.changes
  expect([changes?.accounts.length, changes?.isCut]).toEqual([50, true])
  expect(await rpc('eth_getBalance', alice.address)).toBe(`0x${parseEther('10000').toString(16)}`)
})

it('is not there in production', async () => {
  const { raw } = await testChain({ rpc: { development: false } })
  expect((await raw('kestrel_getTimeline')).error?.code).toBe(-32601)
})
