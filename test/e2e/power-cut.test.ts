// A power cut of a node that syncs its blocks late: it starts with a block that was its head after the last sync, and nothing is
// damaged. The log is cut at the end of each record, within records, and at pages that the system had not written.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEther } from 'viem'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openChain } from '../../src/node.ts'
import { surveyDatabase } from '../../src/state/leveldb/database.ts'
import { readLog } from '../../src/state/leveldb/log-file.ts'
import { runHere } from '../cli/support.ts'
import { nodeOptions, testChain } from '../support/chain.ts'
import { copyAfterPowerCut, listeningDisk } from '../support/power-cut.ts'
import { temporaryFolder } from '../support/process.ts'

const PAGE = 4096
/** Creates a contract that emits a log in its constructor and stores a word: LOG0 of nothing, SSTORE(1, 1). */
const CONTRACT = '0x60006000a060016001555f5ff3'

/** A node whose log has blocks that are synced and later changes that are not, with the heads that it had since the sync. */
async function chainWithUnsyncedBlocks(path: string) {
  const disk = await listeningDisk()
  const original = join(path, 'original')
  const { url, rpc, mine, walletOf, dev, viem, bob } = await testChain({ datadir: original, durable: 100 })
  const heads = new Set<string>()
  const noted = async () => {
    const { hash } = await viem.getBlock()
    heads.add(hash)
  }
  const send = async (value: string) => {
    const hash = await walletOf(0).sendTransaction({ to: bob.address, value: parseEther(value) })
    await viem.waitForTransactionReceipt({ hash })
    await noted()
  }
  for (const value of ['1', '2', '3']) await send(value)
  const unsynced = async () =>
    ((await (await fetch(`${url}/health`)).json()) as { disk: { durable: number; unsynced: number } }).disk
  expect(await unsynced()).toEqual({ durable: 100, unsynced: expect.any(Number) })
  await vi.waitUntil(async () => (await unsynced()).unsynced === 0, { timeout: 30_000 })
  heads.clear()
  await noted()
  const [file = ''] = surveyDatabase(original).logs.map((log) => log.file)
  const synced = disk.synced(join(original, file))
  const acknowledged = readFileSync(join(original, 'acknowledged'))
  await send('4')
  await walletOf(1).sendTransaction({ data: CONTRACT, gas: 200_000n })
  await noted()
  const id = await dev.snapshot()
  await send('5')
  await dev.setBalance({ address: bob.address, value: 7n })
  await dev.revert({ id })
  await noted()
  await mine()
  await noted()
  await mine()
  await noted()
  for (const value of ['6', '7']) await send(value)
  expect(await rpc('eth_blockNumber')).toBe('0x9')
  const log = readFileSync(join(original, file))
  const copy = join(path, 'copy')
  /** Makes a copy with this log, as if the syncs since then had not reached the disk. */
  const leave = (content: Uint8Array) => {
    const directory = join(copy, 'chain')
    expect(copyAfterPowerCut(original, directory, disk, () => content)).toBeDefined()
    writeFileSync(join(directory, 'acknowledged'), acknowledged)
  }
  return { log, synced, heads, copy, leave }
}

/** What a power cut may leave of a log: its name, and the content. */
function* cutsOf(log: Buffer, synced: number): Generator<[string, Uint8Array]> {
  const { ends } = readLog(log)
  let start = synced
  for (const end of ends.filter((at) => at >= synced)) {
    const middle = Math.floor((start + end) / 2)
    for (const at of [middle, end]) yield [`cut at ${at}`, log.subarray(0, at)]
    yield [`zeros from ${middle}`, Buffer.concat([log.subarray(0, middle), Buffer.alloc(log.length - middle)])]
    start = end
  }
  for (let page = Math.ceil(synced / PAGE); page < Math.ceil(log.length / PAGE); page += 5) {
    const content = Buffer.from(log)
    content.fill(page % 2 === 0 ? 0 : 0xa5, page * PAGE, Math.min(log.length, (page + 1) * PAGE))
    yield [`page ${page}`, content]
  }
}

test('after a power cut a node starts with a head that it had since the last sync, and nothing is damaged', {
  timeout: 300_000,
}, async () => {
  const { path, remove } = await temporaryFolder()
  onTestFinished(remove)
  const { log, synced, heads, copy, leave } = await chainWithUnsyncedBlocks(path)
  const found = new Set<string>()
  let count = 0
  for (const [name, content] of cutsOf(log, synced)) {
    leave(content)
    const check = async () => {
      const { code, stdout } = await runHere('check', '--datadir', copy)
      expect([code, stdout], name).toEqual([0, ''])
    }
    // Each fourth copy before and after the start.
    if (count % 4 === 0) await check()
    const chain = await openChain(nodeOptions({ datadir: join(copy, 'chain'), spec: undefined }))
    const { hash } = chain.head
    await chain.close()
    expect(heads, name).toContain(hash)
    found.add(hash)
    if (count++ % 4 === 0) await check()
  }
  // The prefixes show every head.
  expect(found).toEqual(heads)
})
