// Blockchain tests of Ethereum's suites by the node's block import, and the command's handling of wrong files. The expected
// heads, states and refusals are the suites', recorded from go-ethereum.

import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type BlockTestResult, runBlockTests } from './block-test.ts'
import { blocktest } from './blocktest.ts'
import { networkOf } from './fork-names.ts'

const BLOCKS = join(import.meta.dirname, 'blocks')
const files = readdirSync(BLOCKS, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.json.gz'))
  .sort()
const read = (file: string): string => gunzipSync(readFileSync(join(BLOCKS, file))).toString()

async function resultsOf(text: string, forks?: readonly string[]): Promise<BlockTestResult[]> {
  const results: BlockTestResult[] = []
  for await (const result of runBlockTests(text, { forks })) results.push(result)
  return results
}

type Test = {
  blocks: { rlp: string; blockHeader?: { hash: string; parentHash: string }; expectException?: string }[]
  genesisBlockHeader: { hash: string }
  network: string
  postState: Record<string, { balance: string }>
  lastblockhash: string
}
type File = Record<string, Test>

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

describe('blockchain tests', () => {
  it('exist in this folder', () => {
    expect(files.length).toBeGreaterThan(300)
  })

  it.each(files)('%s', async (file) => {
    const tests: File = JSON.parse(read(file))
    const results = await resultsOf(read(file))
    expect(results.filter(({ pass }) => !pass)).toEqual([])
    const blocks = Object.values(tests).map((test) => test.blocks)
    expect(results.map(({ imported }) => imported)).toEqual(
      blocks.map((of) => of.filter(({ blockHeader }) => blockHeader !== undefined).length),
    )
    expect(results.map(({ refused }) => refused)).toEqual(
      blocks.map((of) => of.filter(({ blockHeader }) => blockHeader === undefined).length),
    )
  })
})

describe('a run of blockchain tests', () => {
  /** One valid block after the genesis. */
  const VALID = 'ethereum-tests/ValidBlocks/bcEIP1559/badBlocks.json.gz'
  const VALID_FILE = files.find((file) => file.includes('bcFrontierToHomestead')) ?? VALID
  const first = (): { name: string; test: Test } => {
    const [entry] = Object.entries<Test>(JSON.parse(read(VALID_FILE)))
    if (entry === undefined) throw new Error('the file is empty')
    return { name: entry[0], test: entry[1] }
  }
  const runOne = async (change: (test: Test) => void): Promise<BlockTestResult | undefined> => {
    const { name, test } = first()
    change(test)
    return (await resultsOf(JSON.stringify({ [name]: test })))[0]
  }

  it('fails when a block is accepted that must be refused', async () => {
    const result = await runOne((test) => {
      const [block] = test.blocks
      if (block !== undefined) delete block.blockHeader
      test.blocks = test.blocks.slice(0, 1)
    })
    expect(result).toMatchObject({ pass: false, error: 'blocks[0]: imported, but must be refused' })
  })

  it('fails when a block is refused that must be accepted', async () => {
    const result = await runOne((test) => {
      const [block] = test.blocks
      // Changes the last byte of an empty list of uncles.
      if (block !== undefined) block.rlp = `${block.rlp.slice(0, -2)}00`
    })
    expect(result).toMatchObject({ pass: false, error: expect.stringMatching(/^blocks\[0\]: refused: /) })
  })

  it('fails on a different genesis hash, last block hash and post state', async () => {
    const other = `0x${'12'.repeat(32)}`
    const genesis = await runOne((test) => {
      test.genesisBlockHeader.hash = other
      test.blocks = []
    })
    expect(genesis).toMatchObject({ pass: false, error: expect.stringContaining('genesis hash mismatch') })
    const end = await runOne((test) => {
      test.lastblockhash = other
    })
    expect(end).toMatchObject({ pass: false, error: expect.stringContaining('last block hash mismatch') })
    const world = await runOne((test) => {
      for (const account of Object.values(test.postState)) account.balance = '0x123456789'
    })
    expect(world).toMatchObject({ pass: false, error: expect.stringContaining('want 4886718345') })
  })

  it('skips reorganisations and unknown forks with a reason', async () => {
    const fork = await runOne((test) => {
      const [block] = test.blocks
      if (block !== undefined) test.blocks.push(block)
    })
    expect(fork).toMatchObject({ pass: false, skipped: 'not applicable: the chain never reorganises' })
    expect(fork?.error).toBeUndefined()
    const unknown = await runOne((test) => {
      test.network = 'Futurum'
    })
    expect(unknown).toMatchObject({ pass: false, skipped: 'unknown network Futurum' })
  })

  it('runs only the requested forks', async () => {
    const { network } = first().test
    expect(await resultsOf(read(VALID_FILE), ['Osaka'])).toEqual([])
    expect((await resultsOf(read(VALID_FILE), [network])).every(({ pass }) => pass)).toBe(true)
  })

  it.each([
    ['no JSON', 'blocks', 'not JSON'],
    ['another file', '{"test":{}}', 'not a blockchain test: test.network'],
  ])('refuses %s', async (_, text, words) => {
    await expect(resultsOf(text)).rejects.toMatchObject({
      code: 'invalid-params',
      message: expect.stringContaining(words),
    })
  })
})

describe('fork names of blockchain tests', () => {
  const startOf = (network: string, fork: string) => networkOf(network)?.forks.find((of) => of.fork === fork)

  it('of a single fork activate it at block or time 0', () => {
    expect(startOf('Berlin', 'berlin')).toEqual({ fork: 'berlin', block: 0n })
    expect(startOf('Berlin', 'london')).toBeUndefined()
    expect(startOf('Cancun', 'cancun')).toEqual({ fork: 'cancun', time: 0n })
    expect(networkOf('Cancun')?.terminalTotalDifficulty).toBe(0n)
    expect(networkOf('London')?.terminalTotalDifficulty).toBeUndefined()
  })

  // By go-ethereum's tests/init.go: block 5, timestamp 15,000, total difficulty 0xc0000.
  it('of a transition activate the second fork later', () => {
    expect(startOf('FrontierToHomesteadAt5', 'homestead')).toEqual({ fork: 'homestead', block: 5n })
    expect(startOf('HomesteadToDaoAt5', 'dao')).toEqual({ fork: 'dao', block: 5n })
    expect(startOf('HomesteadToEIP150At5', 'dao')).toBeUndefined()
    expect(startOf('ByzantiumToConstantinopleFixAt5', 'constantinople')).toEqual({ fork: 'constantinople', block: 5n })
    expect(startOf('ShanghaiToCancunAtTime15k', 'cancun')).toEqual({ fork: 'cancun', time: 15_000n })
    expect(startOf('ShanghaiToCancunAtTime15k', 'shanghai')).toEqual({ fork: 'shanghai', time: 0n })
    expect(startOf('BPO1ToBPO2AtTime15k', 'bpo2')).toEqual({ fork: 'bpo2', time: 15_000n })
    expect(startOf('ArrowGlacierToParisAtDiffC0000', 'paris')).toEqual({ fork: 'paris' })
    expect(networkOf('ArrowGlacierToParisAtDiffC0000')?.terminalTotalDifficulty).toBe(0xc0000n)
  })

  it.each(['Verkle', 'OsakaToVerkleAtTime15k', 'Dao', 'toString', ''])('do not include %j', (name) => {
    expect(networkOf(name)).toBeUndefined()
  })
})

describe('blocktest', () => {
  it('prints one JSON line per test, and the counts on standard error', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'blocktest-'))
    try {
      const file = files.find((name) => name.includes('bcFrontierToHomestead')) ?? ''
      const path = join(folder, 'tests.json')
      await writeFile(path, read(file))
      const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
      const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
      await blocktest().parseAsync(['--jobs', '1', '--engine', 'wasm', path, join(BLOCKS, file)], { from: 'user' })
      const lines = out.mock.calls
        .map(([text]) => String(text))
        .join('')
        .trim()
        .split('\n')
      const tests = Object.keys(JSON.parse(read(file)))
      expect(lines.map((line) => JSON.parse(line).name)).toEqual([...tests, ...tests])
      expect(err.mock.calls.map(([text]) => text).join('')).toBe(
        `blocktest: ${2 * tests.length} passed, 0 failed, 0 skipped as not applicable\n`,
      )
      expect(process.exitCode).toBeUndefined()
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('refuses unknown engines and forks', async () => {
    const run = (...args: string[]) => blocktest().parseAsync(args, { from: 'user' })
    await expect(run('--engine', 'steam', 'file')).rejects.toThrow('--engine: expected one of')
    await expect(run('--fork', 'Cancan', 'file')).rejects.toThrow('--fork: expected forks out of Frontier')
  })
})
