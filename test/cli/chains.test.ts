// Chains as files: init, import, export, genesis.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RLP } from '@ethereumjs/rlp'
import { keccak256 } from 'viem'
import { expect, test } from 'vitest'
import { request } from '../support/chain.ts'
import { folder, ONE_LINE, run, start } from './support.ts'

const CONFORMANCE = join(import.meta.dirname, '../conformance/execution-apis')
const GENESIS = join(CONFORMANCE, 'genesis.json')
const CHAIN = join(CONFORMANCE, 'chain.rlp')
// From go-ethereum (execution-apis, tests/headfcu.json and the parent of block 1).
const GENESIS_HASH = '0x44fd89d504659cd58f48f4796b77a7e7012cf296a2409afa2f6c3cb99b5b3d99'
const HEAD_HASH = '0xd226371d0b1551adb03fb52b71f08e3e11247fe9b1af994768af8cdaa8e7dcd7'

test('import and export keep the chain of another client byte for byte', async () => {
  const cwd = await folder()
  expect(await run(cwd, 'init', '--genesis', GENESIS)).toMatchObject({
    code: 0,
    stdout: `${GENESIS_HASH}\n`,
    stderr: '',
  })

  const imported = await run(cwd, 'import', CHAIN)
  expect(imported).toMatchObject({ code: 0, stdout: '' })
  expect(imported.stderr).toMatch(
    /imported 54 blocks in [\d.]+ s \(\d+ blocks\/s, \d+ tx\/s, [\d.]+ Mgas\/s\); the head/,
  )
  expect(imported.stderr).toContain(`the head is block 54 ${HEAD_HASH}`)

  const exported = await run(cwd, 'export', 'copy.rlp')
  expect(exported).toMatchObject({ code: 0, stdout: '' })
  expect((await readFile(join(cwd, 'copy.rlp'))).equals(await readFile(CHAIN))).toBe(true)

  // Without flags `start` continues this chain, without keys.
  const node = await start(cwd, '--no-mining')
  expect(await request(node.url, 'eth_chainId')).toBe('0xc72dd9d5e883e')
  expect(await request(node.url, 'eth_accounts')).toEqual([])
  expect((await node.stop()).code).toBe(0)

  // Repeating both commands changes nothing.
  expect((await run(cwd, 'init', '--genesis', GENESIS)).stdout).toBe(`${GENESIS_HASH}\n`)
  expect((await run(cwd, 'import', CHAIN)).stderr).toMatch(/^imported 0 blocks/)
  expect((await run(cwd, 'export', 'copy.rlp')).stderr).toBe('kestrel: copy.rlp: exists already\n')
})

test('import names the system contracts that a Prague chain lacks', async () => {
  const cwd = await folder()
  const { config, ...genesis } = JSON.parse(await readFile(GENESIS, 'utf8'))
  // EIP-7002's and EIP-7251's contracts.
  const [withdrawals, consolidations] = [
    '00000961ef480eb55e80d19ad83579a64c007002',
    '0000bbddc7ce488642fb579f8b00f3a590007251',
  ]
  const without = (...addresses: readonly string[]) =>
    Object.fromEntries(
      Object.entries(genesis.alloc).filter(([of]) => !addresses.includes(of.toLowerCase().replace('0x', ''))),
    )
  const posFromGenesis = {
    ...Object.fromEntries(Object.keys(config).map((field) => [field, /Block$|Time$/.test(field) ? 0 : config[field]])),
    terminalTotalDifficulty: 0,
  }
  const file = { ...genesis, difficulty: '0x0', config: posFromGenesis, alloc: without(withdrawals, consolidations) }
  await writeFile(join(cwd, 'genesis.json'), JSON.stringify(file))
  const init = await run(cwd, 'init', '--genesis', 'genesis.json')
  expect(init.code).toBe(0)
  expect(init.stderr).toContain(`there is no code at 0x${withdrawals} (EIP-7002): from Prague on no block can be made`)
  expect(init.stderr).toContain(
    `there is no code at 0x${consolidations} (EIP-7251): from Prague on no block can be made`,
  )

  const node = await start(cwd, '--no-mining')
  const mined = request(node.url, 'evm_mine')
  await expect(mined).rejects.toThrow(`empty system contract: no code at 0x${withdrawals}`)
  expect(await request(node.url, 'eth_blockNumber')).toBe('0x0')
  expect((await node.stop()).code).toBe(0)

  // A genesis that lacks the other contract only.
  await writeFile(join(cwd, 'other.json'), JSON.stringify({ ...file, alloc: without(consolidations) }))
  const other = await run(cwd, 'init', '--genesis', 'other.json', '--datadir', 'other')
  expect(other.stderr).not.toContain(withdrawals)
  expect(other.stderr).toContain(consolidations)
})

test('export writes blocks that other libraries read', async () => {
  const cwd = await folder()
  const node = await start(cwd)
  for (let i = 0; i < 4; i++) await request(node.url, 'evm_mine')
  const hashes: unknown[] = []
  for (const number of ['0x2', '0x3']) {
    const block = (await request(node.url, 'eth_getBlockByNumber', [number, false])) as { hash: string }
    hashes.push(block.hash)
  }
  await node.stop()
  expect((await run(cwd, 'export', 'some.rlp', '--first', '2', '--last', '3')).code).toBe(0)
  expect(await headerHashes(join(cwd, 'some.rlp'))).toEqual(hashes)

  // The genesis file lets another folder import the blocks.
  const genesis = await run(cwd, 'genesis', '--datadir', 'kestrel-data')
  await writeFile(join(cwd, 'genesis.json'), genesis.stdout)
  await run(cwd, 'init', '--genesis', 'genesis.json', '--datadir', 'copy')
  const gap = await run(cwd, 'import', 'some.rlp', '--datadir', 'copy')
  expect(gap.code).toBe(1)
  expect(gap.stderr).toMatch(ONE_LINE)
  await run(cwd, 'export', 'all.rlp')
  expect((await run(cwd, 'import', 'all.rlp', '--datadir', 'copy')).stderr).toContain('the head is block 4 ')
})

test('a chain keeps the timestamp of its block 0 whatever flags are given', async () => {
  const cwd = await folder()
  const latest = async (url: string) => {
    const block = (await request(url, 'eth_getBlockByNumber', ['latest', false])) as { timestamp: string }
    return Number(block.timestamp)
  }
  const date = 1_700_000_000
  const node = await start(cwd, '--timestamp', String(date))
  expect(await latest(node.url)).toBe(date)
  await node.stop()
  expect(JSON.parse((await run(cwd, 'genesis', '--datadir', 'kestrel-data')).stdout).timestamp).toBe(
    `0x${date.toString(16)}`,
  )

  // With the same flag the clock continues from the chain; without it the clock is the machine's.
  const again = await start(cwd, '--timestamp', String(date))
  await request(again.url, 'evm_mine')
  expect(await latest(again.url)).toBeLessThan(date + 3600)
  await again.stop()
  const { code, stderr } = await run(cwd, 'start', '--timestamp', '1700000001')
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      /^kestrel: --timestamp: kestrel-data holds .* began with the timestamp 1700000000;.*\n$/,
    ),
  })
  const wall = await start(cwd)
  const before = Math.floor(Date.now() / 1000)
  await request(wall.url, 'evm_mine')
  expect(await latest(wall.url)).toBeGreaterThanOrEqual(before)
  await wall.stop()

  // A genesis file has a fixed timestamp: that of its creation.
  const written = await run(cwd, 'genesis')
  const fixed = await run(cwd, 'genesis', '--timestamp', '0')
  expect(Number(JSON.parse(written.stdout).timestamp)).toBeGreaterThanOrEqual(before)
  expect(Number(JSON.parse(fixed.stdout).timestamp)).toBe(0)
})

test('import refuses files without blocks, and blocks of another chain', async () => {
  const cwd = await folder()
  await writeFile(join(cwd, 'cut.rlp'), (await readFile(CHAIN)).subarray(0, 10_000))
  await writeFile(join(cwd, 'text.rlp'), 'no blocks here')
  await run(cwd, 'init', '--genesis', GENESIS)
  const own = await run(cwd, 'genesis')
  await writeFile(join(cwd, 'own.json'), own.stdout)

  const cut = await run(cwd, 'import', 'cut.rlp')
  expect(cut.code).toBe(1)
  expect(cut.stderr).toContain('the file ends within a block')
  const cases = [
    [['import', 'text.rlp'], 'text.rlp, byte 0: expected the beginning of a block'],
    [['import', CHAIN, '--datadir', 'nothing'], 'nothing holds no chain'],
    [['export', 'x.rlp', '--last', '99'], '--last: the head is block'],
    [['init', '--genesis', 'own.json'], 'kestrel-data holds another chain, ethereum'],
    [['start', '--genesis', 'own.json'], '--genesis: kestrel-data holds the chain ethereum'],
  ] as const
  for (const [args, words] of cases) {
    const { code, stderr } = await run(cwd, ...args)
    expect(code).toBe(1)
    expect(stderr).toMatch(ONE_LINE)
    expect(stderr).toContain(words)
  }
})

/** Hashes of the headers in a file, found without our own code. */
async function headerHashes(file: string): Promise<string[]> {
  const hashes: string[] = []
  for (let rest: Uint8Array = await readFile(file); rest.length > 0; ) {
    const { data, remainder } = RLP.decode(rest, true)
    const header = Array.isArray(data) ? data[0] : undefined
    hashes.push(keccak256(RLP.encode(header)))
    rest = remainder
  }
  return hashes
}

test.each([
  ['paris', 20, false],
  ['amsterdam', 28, true],
])('--hardfork %s begins a chain with the rules of the fork', async (fork, fields, hasLists) => {
  const cwd = await folder()
  const printed = await run(cwd, 'genesis', '--hardfork', fork, '--timestamp', '1790000000')
  expect(printed.code).toBe(0)
  await writeFile(join(cwd, 'genesis.json'), printed.stdout)
  const init = await run(cwd, 'init', '--genesis', 'genesis.json', '--datadir', 'from-file')
  expect(init).toMatchObject({ code: 0, stderr: '' })

  const first = await start(cwd, '--hardfork', fork, '--timestamp', '1790000000')
  const { hash } = (await request(first.url, 'eth_getBlockByNumber', ['0x0', false])) as { hash: string }
  expect(`${hash}\n`).toBe(init.stdout)
  const [from] = (await request(first.url, 'eth_accounts')) as string[]
  const sent = await request(first.url, 'eth_sendTransaction', [{ from, to: hash.slice(0, 42), value: '0x1' }])
  expect(await request(first.url, 'eth_getTransactionReceipt', [sent])).toMatchObject({ status: '0x1' })
  const block = (await request(first.url, 'eth_getBlockByNumber', ['0x1', false])) as object
  expect(Object.keys(block)).toHaveLength(fields)
  const list = request(first.url, 'eth_getBlockAccessList', ['0x1'])
  await (hasLists ? expect(list).resolves.toEqual(expect.any(Array)) : expect(list).rejects.toThrow('not found'))
  expect((await first.stop()).code).toBe(0)

  const again = await start(cwd)
  expect(await request(again.url, 'anvil_nodeInfo')).toMatchObject({ hardFork: fork })
  expect((await again.stop()).code).toBe(0)
  expect((await run(cwd, 'start', '--hardfork', 'osaka')).stderr).toContain(
    `, which began with ${fork}; leave the flag out`,
  )
  // Native modules need proof of stake.
  const { config, kestrel } = JSON.parse((await run(cwd, 'genesis', '--hardfork', 'london')).stdout)
  expect([config.londonBlock, config.shanghaiTime, kestrel]).toEqual([0, undefined, undefined])
})
