// Commands on the data of a stopped node of a network: export, import elsewhere, reindex, check, rewind.
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { account } from '../support/chain.ts'
import { PROGRAM } from '../support/process.ts'
import { NO_ENGINE, TestNetwork } from './support.ts'

const kestrel = async (...args: string[]): Promise<string> => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [PROGRAM, ...args])
  return stdout + stderr
}

describe.skipIf(NO_ENGINE !== undefined)(`data of a network's node ${NO_ENGINE ?? ''}`, () => {
  it('can be exported, imported elsewhere, reindexed and checked, and the node continues', async () => {
    const network = await TestNetwork.start({ validators: 2 })
    for (let nonce = 0; nonce < 3; nonce++) {
      const hash = await network.wallet(nonce % 2).sendTransaction({ to: account(1).address, value: 1n, nonce })
      await network.viem(0).waitForTransactionReceipt({ hash })
    }
    await network.stop(0)
    const folder = await mkdtemp(join(tmpdir(), 'kestrel-copy-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const data = join(network.home(0), 'data')
    const file = join(folder, 'chain.rlp')
    const copy = join(folder, 'copy')
    await kestrel('export', file, '--datadir', data)
    await kestrel('init', '--genesis', join(network.home(0), 'genesis.json'), '--datadir', copy)
    const imported = await kestrel('import', file, '--datadir', copy)
    await kestrel('reindex', '--datadir', data)
    expect(await kestrel('check', '--datadir', data)).toMatch(/nothing is damaged/)
    network.start(0)
    await network.reach((await network.head(1)) + 2n, [0, 1])
    const [, head = '0', hash] = /the head is block (\d+) (0x[0-9a-f]{64})/.exec(imported) ?? []
    expect((await network.blocksAt(BigInt(head), [0, 1])).map((block) => block.hash)).toEqual([hash, hash])
  })

  it('gets its blocks again after a rewind, and can be rewound to an older or empty CometBFT', async () => {
    const network = await TestNetwork.start({ validators: 1, readers: 1 })
    const reader = 1
    const data = join(network.home(reader), 'data')
    const engine = join(network.home(reader), 'engine/data')
    const rewind = (to: bigint) => kestrel('rewind', '--to', String(to), '--datadir', data)
    const catchesUp = async () => {
      network.start(reader)
      await network.reach((await network.head(0)) + 2n)
      expect(await network.differences()).toEqual([])
    }
    await network.reach(6n)
    await network.stop(reader)
    expect(await rewind(2n)).toMatch(/the head is block 2 0x/)
    await catchesUp()

    await network.stop(reader)
    const older = join(network.folder, 'older')
    await cp(engine, older, { recursive: true })
    await catchesUp()
    await network.reach((await network.head(0)) + 3n)
    await network.stop(reader)
    await rm(engine, { recursive: true })
    await cp(older, engine, { recursive: true })
    network.start(reader)
    await network.eventually('the end of the node', async () => !network.isRunning(reader))
    const [, height] = /higher than core \((\d+)\).*kestrel rewind --to N/.exec(await network.log(reader)) ?? []
    await rewind(BigInt(height ?? ''))
    await catchesUp()

    // A CometBFT without blocks fetches them again. It keeps its signing state.
    await network.stop(reader)
    for (const entry of await readdir(engine))
      if (entry !== 'priv_validator_state.json') await rm(join(engine, entry), { recursive: true })
    network.start(reader)
    await network.eventually('the end of the node', async () => !network.isRunning(reader))
    expect(await network.log(reader)).toMatch(/has no blocks: .* \(kestrel rewind --to 0\)/)
    await rewind(0n)
    await catchesUp()
  })
})
