// What can be done with the data of a network's node while it is stopped: export and import elsewhere, reindex, check.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { account } from '../support/chain.ts'
import { NO_ENGINE, TestNetwork } from './support.ts'

const PROGRAM = join(import.meta.dirname, '../../dist/main.js')
const kestrel = async (...args: string[]): Promise<string> => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [PROGRAM, ...args])
  return stdout + stderr
}

describe.skipIf(NO_ENGINE !== undefined)(`data of a network's node ${NO_ENGINE ?? ''}`, () => {
  it('is exported, imported elsewhere, indexed anew and sound, and the node goes on', async () => {
    const network = await TestNetwork.start({ validators: 2 })
    for (let nonce = 0; nonce < 3; nonce++) {
      const hash = await network.wallet(nonce % 2).sendTransaction({ to: account(1).address, value: 1n, nonce })
      await network.viem(0).waitForTransactionReceipt({ hash })
    }
    await network.stop(0)
    const folder = await mkdtemp(join(tmpdir(), 'kestrel-copy-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const data = join(network.home(0), 'data')
    const [file, copy] = [join(folder, 'chain.rlp'), join(folder, 'copy')]
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
})
