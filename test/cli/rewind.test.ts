// `kestrel rewind` from the command line.
import { join } from 'node:path'
import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { account } from '../support/chain.ts'
import { clientsOf } from '../support/process.ts'
import { folder, ONE_LINE, run, start } from './support.ts'

const CONFORMANCE = join(import.meta.dirname, '../conformance/execution-apis')
const WHOLE = /\nnothing is damaged\n$/

const transactions = async (url: string, address: string) =>
  (
    (await (await fetch(`${url}/api/v2/addresses/${address}/transactions`)).json()) as { items: { hash: Hex }[] }
  ).items.map(({ hash }) => hash)

describe('rewind', () => {
  test('removes blocks that can be imported again', async () => {
    const cwd = await folder()
    await run(cwd, 'init', '--genesis', join(CONFORMANCE, 'genesis.json'))
    const imported = await run(cwd, 'import', join(CONFORMANCE, 'chain.rlp'))
    const head = /the head is block 54 (0x\w{64})/.exec(imported.stderr)?.[1]
    expect(head).toBeDefined()
    const { code, stdout, stderr } = await run(cwd, 'rewind', '--to', '20')
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toMatch(/removed 34 blocks in \d+\.\d s; the head is block 20 0x\w{64}\n$/)
    expect((await run(cwd, 'check')).stderr).toMatch(WHOLE)
    expect((await run(cwd, 'import', join(CONFORMANCE, 'chain.rlp'))).stderr).toContain(`the head is block 54 ${head}`)
    expect((await run(cwd, 'rewind', '--to', '54')).stderr).toContain(`removed 0 blocks`)
  })

  test('restores state, index and clock of the block, and keeps pending transactions', async () => {
    const cwd = await folder()
    const to = account(7).address
    const before = await start(cwd)
    const one = clientsOf(before.url)
    const first = await one.walletOf(0).sendTransaction({ to, value: 5n })
    await one.walletOf(0).sendTransaction({ to, value: 70n })
    const waiting = await one.walletOf(0).sendTransaction({ to, value: 900n, nonce: 9 })
    // More blocks than are removed by one write.
    await one.dev.mine({ blocks: 600 })
    expect((await before.stop()).code).toBe(0)

    expect((await run(cwd, 'rewind', '--to', '1')).stderr).toContain('removed 601 blocks')
    expect((await run(cwd, 'check')).stderr).toMatch(WHOLE)

    const after = await start(cwd)
    const { viem, walletOf } = clientsOf(after.url)
    expect(await viem.getBlockNumber()).toBe(1n)
    const genesis = await viem.getBalance({ address: to, blockNumber: 0n })
    expect((await viem.getBalance({ address: to })) - genesis).toBe(5n)
    expect(await viem.getTransactionCount({ address: account(0).address })).toBe(1)
    expect(await transactions(after.url, to)).toEqual([first])
    expect((await viem.getTransaction({ hash: waiting })).blockNumber).toBeNull()
    // The chain continues from the block.
    const hash = await walletOf(0).sendTransaction({ to, value: 1n, nonce: 1 })
    expect((await viem.waitForTransactionReceipt({ hash })).blockNumber).toBe(2n)
    expect((await after.stop()).code).toBe(0)
  })

  test('is refused beyond the chain, without a chain, and while a node runs', async () => {
    const cwd = await folder()
    const refusal = async (...args: string[]) => {
      const { code, stderr } = await run(cwd, 'rewind', ...args)
      return [code, stderr]
    }
    expect(await refusal('--to', '0')).toEqual([1, expect.stringMatching(ONE_LINE)])
    await run(cwd, 'init', '--genesis', join(CONFORMANCE, 'genesis.json'))
    expect(await refusal('--to', '1')).toEqual([
      1,
      expect.stringContaining('--to: the chain ends with block 0: 1 is after it'),
    ])
    expect(await refusal()).toEqual([
      2,
      expect.stringMatching(/^error: required option '--to <block>' not specified\n$/),
    ])
    expect(await refusal('--to', '-1')).toEqual([2, expect.stringContaining('--to')])
    const node = await start(cwd)
    expect(await refusal('--to', '0')).toEqual([1, expect.stringContaining('is in use by another process')])
    expect((await node.stop()).code).toBe(0)
  })
})
