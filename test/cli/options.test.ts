// Uses of the table of options: docs/cli.md, the package's type `StartOptions`, and equal checks of flags and `startNode`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { startOptionsType, withOptionTables } from '../../scripts/option-texts.ts'
import { entries, readStartFlags, withStartFlags } from '../../src/cli/start-flags.ts'
import { startNode } from '../../src/library.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/cli.md'), 'utf8')
const read = (...words: string[]) => readStartFlags(withStartFlags(new Command()).parse(words, { from: 'user' }).opts())

it('docs/cli.md lists the options of the table (npm run cli-docs writes it)', () => {
  expect(withOptionTables(page)).toBe(page)
  expect(page).toContain('| `--port PORT` | `8545` | port to listen on; 0 is any free one |')
})

it('each option is a field of StartOptions, with a description and a type', () => {
  const text = startOptionsType()
  const fields = [...text.matchAll(/ {2}\/\*\* [A-Z].*\. \*\/\n {2}readonly (\w+)\?: (.+)\n/g)]
  expect(fields.map(([, name]) => name)).toEqual(
    Object.keys(entries).filter((name) => !['dev', 'silent', 'verbose'].includes(name)),
  )
  expect(text).toContain('  readonly chainId?: Integer\n')
  expect(text).toContain('  readonly proposal?: readonly string[]\n')
  expect(text).toContain("  readonly nftMetadata?: 'chain' | 'fetch'\n")
  expect(text).not.toContain('undefined')
})

it('development switches follow --production unless they are given', () => {
  expect(read()).toMatchObject({ metrics: true, jsTracers: true, allowUnprotected: true })
  expect(read('--production', '--metrics')).toMatchObject({ metrics: true, jsTracers: false, allowUnprotected: false })
  expect(read('--no-metrics')).toMatchObject({ metrics: false, jsTracers: true })
  expect(read('--consensus', 'cometbft')).toMatchObject({ production: true, metrics: false })
})

it('blocks are synced late in development, and before they are announced in production', () => {
  expect(read().durable).toBe(100)
  expect(read('--durable', '5').durable).toBe(5)
  expect(read('--durable', 'block').durable).toBe('block')
  expect(read('--production').durable).toBe('block')
  expect(read('--production', '--durable', '1000').durable).toBe(1000)
  expect(read('--consensus', 'cometbft').durable).toBe('block')
})

describe('a wrong value is refused in the same words by the command and by startNode', () => {
  it.each<[string[], object, string]>([
    [['--port', '65536'], { port: 65_536 }, '--port: expected a whole number from 0 to 65535, not "65536"'],
    [['--port', '1.5'], { port: 1.5 }, '--port: expected a whole number from 0 to 65535, not "1.5"'],
    [['--gas-limit', '10'], { gasLimit: 10 }, '--gas-limit: expected an integer from 5000 to'],
    [
      ['--balance', '1e3'],
      { balance: '1e3' },
      '--balance: expected an amount of coins such as 10000 or 0.5, not "1e3"',
    ],
    [['--engine', 'evm'], { engine: 'evm' }, '--engine: expected one of'],
    [['--peers', 'x,y'], { peers: ['x', 'y'] }, '--peers: expected ID@HOST:PORT'],
    [['--unlock', '0x1'], { unlock: ['0x1'] }, '--unlock: expected an address (0x and 40 hex digits), not "0x1"'],
    [['--prune', '1'], { prune: 1 }, '--prune: expected a whole number from 128 to 1000000000, not "1"'],
    [['--vyper', ''], { vyper: '' }, '--vyper: expected a path'],
    [
      ['--durable', '0'],
      { durable: 0, inMemory: false },
      '--durable: expected block, or a whole number of milliseconds from 1 to 60000, not "0"',
    ],
    [
      ['--consensus', 'cometbft', '--durable', '100'],
      { consensus: 'cometbft', durable: 100, inMemory: false },
      '--durable: not with --consensus: a block of a network is synced before it is announced',
    ],
    [['--retain-blocks', '9'], { retainBlocks: 9 }, '--retain-blocks: only with --consensus cometbft, or --home'],
    [
      ['--consensus', 'cometbft', '--no-mining'],
      { consensus: 'cometbft', mining: false, inMemory: false },
      '--no-mining: not with --consensus: the validators make the blocks',
    ],
    [
      ['--consensus', 'cometbft', '--chain-id', '5'],
      { consensus: 'cometbft', chainId: 5, inMemory: false },
      '--chain-id: not with --consensus: a network begins with a genesis file',
    ],
  ])('%j, %j', async (words, options, message) => {
    expect(() => read(...words)).toThrow(message)
    await expect(startNode(options)).rejects.toThrow(message)
  })

  it('a value of a wrong type, and an unknown option', async () => {
    const refusals = [
      [{ prot: 1 }, 'prot: there is no such option'],
      [{ toString: 1 }, 'toString: there is no such option'],
      [{ metrics: 'yes' }, 'metrics: expected a boolean'],
      [{ genesis: 5 }, '--genesis: expected a path'],
      [{ port: {} }, '--port: expected a whole number from 0 to 65535'],
      [{ accounts: null }, '--accounts: expected a whole number from 0 to 1000'],
      [{ proposal: [1] }, '--proposal: expected a path'],
      [{ mining: false, blockTime: 1 }, "option '--no-mining' cannot be used with option '--block-time <seconds>'"],
    ] as const
    for (const [options, message] of refusals)
      await expect(startNode(JSON.parse(JSON.stringify(options))), message).rejects.toThrow(message)
  })
})
