// `kestrel snapshot` on chains of one node: the copy is the chain, and files that are not whole, hostile or of another chain leave
// nothing behind. Networks: test/network/snapshot.test.ts.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { parseEther } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { account, request } from '../support/chain.ts'
import { folder, launch, ONE_LINE, run, start } from './support.ts'

const BOB = account(1).address
const NOBODY = '0x000000000000000000000000000000000000dEaD'

/** A chain of two blocks with a transfer in each, in `chain` of a folder, and its snapshot, made while the node runs. */
async function exported() {
  const dir = await folder()
  const node = await start(dir, '--datadir', 'chain')
  const rpc = (method: string, ...params: unknown[]) => request(node.url, method, params)
  for (const value of [1n, 2n]) await rpc('eth_sendTransaction', transfer(value))
  const made = await run(dir, 'snapshot', 'export', '--datadir', 'chain', '--output', 'file')
  expect(made).toMatchObject({ code: 0, stderr: '' })
  const block = (await rpc('eth_getBlockByNumber', '0x2', false)) as { hash: string }
  return { dir, rpc, block, node, file: join(dir, 'file'), made }
}

const transfer = (value: bigint) => ({ from: account(0).address, to: BOB, value: `0x${value.toString(16)}` })

const importInto = (dir: string, into: string, ...flags: string[]) =>
  run(dir, 'snapshot', 'import', 'file', '--datadir', into, ...flags)

/** Runs an import that must be refused in one line; nothing of it remains. */
async function refusal(dir: string, into: string, ...flags: string[]): Promise<string> {
  const { code, stderr } = await importInto(dir, into, ...flags)
  expect(stderr).toMatch(ONE_LINE)
  expect(code).toBe(1)
  expect(existsSync(join(dir, into)) ? await readdir(join(dir, into)) : []).toEqual([])
  return stderr
}

describe('a chain of one node', () => {
  it('goes on in a copy, from the same block with the same state', async () => {
    const { dir, rpc, block, node, made } = await exported()
    expect(made.stdout).toContain(`block 2, hash ${block.hash}`)
    // The node was not disturbed.
    await rpc('eth_sendTransaction', transfer(3n))
    expect(await rpc('eth_blockNumber')).toBe('0x3')
    await node.stop()

    const imported = await importInto(dir, 'copy', '--trust-hash', block.hash)
    expect(imported).toMatchObject({ code: 0, stderr: '' })
    expect(imported.stdout).toContain('its hash is the one that you trust')
    const copy = await start(dir, '--datadir', 'copy')
    const there = (method: string, ...params: unknown[]) => request(copy.url, method, params)
    expect(await there('eth_getBlockByNumber', 'latest', false)).toEqual(block)
    expect(await there('eth_getBalance', BOB, 'latest')).toBe(`0x${(parseEther('10000') + 3n).toString(16)}`)
    expect(await there('dev_invariants')).toEqual([])
    await there('eth_sendTransaction', transfer(4n))
    expect(await there('eth_blockNumber')).toBe('0x3')
    await copy.stop()
    // A copy can be exported again, at its own newest block.
    expect(await run(dir, 'snapshot', 'export', '--datadir', 'copy', '--output', 'again')).toMatchObject({ code: 0 })
    expect((await run(dir, 'check', '--datadir', 'copy')).code).toBe(0)
  })

  it('says what is trusted when no hash is given, and refuses another hash, genesis or place', async () => {
    const { dir, block } = await exported()
    const without = await importInto(dir, 'copy')
    expect(without.stdout).toContain(`begins at block 2, hash ${block.hash}\nnothing but this file says`)
    expect((await importInto(dir, 'copy')).stderr).toBe('kestrel: copy is not empty: it has chain\n')
    expect(await refusal(dir, 'other', '--trust-hash', `0x${'11'.repeat(32)}`)).toContain('not the trusted one')
    const genesis = await run(dir, 'genesis', '--balance', '5')
    await writeFile(join(dir, 'genesis.json'), genesis.stdout)
    expect(await refusal(dir, 'other', '--genesis', 'genesis.json')).toContain('of another chain than genesis.json')
    const own = await run(dir, 'genesis', '--datadir', 'copy')
    await writeFile(join(dir, 'own.json'), own.stdout)
    expect((await importInto(dir, 'third', '--genesis', 'own.json')).code).toBe(0)
    await mkdir(join(dir, 'pictures'))
    await writeFile(join(dir, 'pictures/cat.png'), '')
    expect((await importInto(dir, 'pictures')).stderr).toBe('kestrel: pictures is not empty: it has cat.png\n')
    const exists = await run(dir, 'snapshot', 'export', '--datadir', 'copy', '--output', 'file')
    expect(exists).toMatchObject({ code: 1, stderr: 'kestrel: file: exists already\n' })
  })

  it('has no snapshot before its first block, nor right after an edit that no block explains', async () => {
    const dir = await folder()
    const node = await start(dir, '--datadir', 'chain')
    const rpc = (method: string, ...params: unknown[]) => request(node.url, method, params)
    const attempt = () => run(dir, 'snapshot', 'export', '--datadir', 'chain', '--output', 'file')
    expect((await attempt()).stderr).toContain('the chain has no block yet')
    await rpc('evm_mine')
    await rpc('anvil_setBalance', NOBODY, '0x7')
    expect((await attempt()).stderr).toContain('let the node make two blocks first')
    await rpc('evm_mine')
    expect((await attempt()).stderr).toContain('let the node make two blocks first')
    await rpc('evm_mine')
    expect(await attempt()).toMatchObject({ code: 0 })
    expect(await readdir(dir)).toEqual(['chain', 'file'])
    expect(await readdir(join(dir, 'chain'))).not.toContain('snapshot-export')
  })

  it('that was killed during the import does not start, and the next import begins anew', async () => {
    const { dir, node } = await exported()
    await node.stop()
    const { child, ended } = launch(dir, ['snapshot', 'import', 'file', '--datadir', 'copy'])
    await vi.waitUntil(() => existsSync(join(dir, 'copy/snapshot-import.unfinished')), { interval: 1, timeout: 30_000 })
    child.kill('SIGKILL')
    await ended
    expect(await readdir(join(dir, 'copy'))).toContain('snapshot-import.unfinished')
    const started = await run(dir, 'start', '--port', '0', '--datadir', 'copy')
    expect(started).toMatchObject({ code: 1, stderr: expect.stringContaining('has not come to its end') })
    expect(await importInto(dir, 'copy')).toMatchObject({ code: 0, stderr: '' })
    expect(await readdir(join(dir, 'copy'))).toEqual(['chain'])
  })
})

/** A section as the file has it: kind, both lengths, hash, bytes. */
function section(kind: number, bytes: Buffer, stored: Buffer = bytes, length = bytes.length): Buffer {
  const fixed = Buffer.alloc(9)
  fixed.writeUInt8(kind)
  fixed.writeUInt32BE(length, 1)
  fixed.writeUInt32BE(stored.length, 5)
  return Buffer.concat([fixed, createHash('sha256').update(bytes).digest(), stored])
}

describe('a file that is not what export has written is refused, and nothing remains:', () => {
  it('truncated anywhere, damaged anywhere, with more at its end', async () => {
    const { dir, file } = await exported()
    const whole = await readFile(file)
    for (const part of [0, 0.1, 0.5, 0.999]) {
      await writeFile(file, whole.subarray(0, Math.floor(whole.length * part)))
      expect(await refusal(dir, 'copy')).toMatch(/file is truncated/)
    }
    for (const part of [0.01, 0.3, 0.6, 0.99]) {
      const damaged = Buffer.from(whole)
      const at = Math.floor(whole.length * part)
      damaged[at] = (damaged[at] ?? 0) ^ 1
      await writeFile(file, damaged)
      expect(await refusal(dir, 'copy')).toMatch(/file is (damaged|truncated)/)
    }
    await writeFile(file, whole)
    await appendFile(file, 'x')
    expect(await refusal(dir, 'copy')).toContain('file has bytes after its end')
    await writeFile(file, 'not a snapshot, but long enough for its first line')
    expect(await refusal(dir, 'copy')).toContain('file is no snapshot of kestrel')
  })

  it('hostile: bombs, huge lengths, parts in another order, a state that is not the block’s', async () => {
    const { dir, file } = await exported()
    const whole = await readFile(file)
    const magic = whole.subarray(0, whole.indexOf('\n') + 1)
    const zeros = Buffer.alloc(8 << 20)
    const bomb = deflateSync(zeros)
    const cases: readonly (readonly [Buffer, RegExp])[] = [
      // 8 MB in 8 KB.
      [section(0, zeros, bomb), /is damaged/],
      // More bytes than it says.
      [section(0, zeros, bomb, bomb.length * 2), /is damaged/],
      [section(0, Buffer.from('{}'), Buffer.from('{}'), 0xffff_ffff), /is damaged/],
      [section(9, Buffer.from('{}')), /is damaged/],
      [section(3, Buffer.from('{}')), /parts in another order/],
      [section(0, Buffer.from('{"block":"1"}')), /unknown form/],
    ]
    for (const [bytes, words] of cases) {
      await writeFile(file, Buffer.concat([magic, bytes]))
      expect(await refusal(dir, 'copy')).toMatch(words)
    }
    // The chunks of another state, with hashes that fit.
    const parts: Buffer[] = []
    for (let at = magic.length; at < whole.length; ) {
      const length = 41 + whole.readUInt32BE(at + 5)
      parts.push(whole.subarray(at, at + length))
      at += length
    }
    const kinds = parts.map((part) => part[0])
    expect(kinds).toEqual([0, 1, 3, 3, 4])
    const [head, genesis, first] = parts
    const rows = Buffer.from(`d794${'11'.repeat(20)}0101`, 'hex')
    const forged = [head, genesis, first, section(3, rows)].map((part) => part ?? Buffer.alloc(0))
    const hashes = Buffer.concat(forged.map((part) => part.subarray(9, 41)))
    const end = section(4, createHash('sha256').update(hashes).digest())
    await writeFile(file, Buffer.concat([magic, ...forged, end]))
    expect(await refusal(dir, 'copy')).toMatch(/its state has the root/)
  })
})
