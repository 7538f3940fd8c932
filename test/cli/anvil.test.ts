// `kestrel anvil`: anvil's command line, compared with the help page of anvil 1.7.1 where it is installed.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { describe, expect, it, vi } from 'vitest'
import { findAnvil } from '../../bench/contenders.ts'
import { withAnvilTable } from '../../scripts/option-texts.ts'
import { anvilFlags, flagsOfAnvil, register } from '../../src/cli/anvil.ts'
import { request } from '../support/chain.ts'
import { startProcess } from '../support/process.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/anvil.md'), 'utf8')

/** What `start` gets of a command line of anvil. */
function read(...words: string[]) {
  const command = new Command('anvil').exitOverride().configureOutput({ writeErr: () => undefined })
  register(command)
  command.action(() => undefined).parse(words, { from: 'user' })
  return flagsOfAnvil(command.opts())
}

it('docs/anvil.md lists the flags of the table (npm run cli-docs writes it)', () => {
  expect(withAnvilTable(page)).toBe(page)
  expect(page).toContain('| `--fork-chain-id CHAIN` | `--chain-id` |')
})

describe('every flag of anvil', () => {
  const anvil = findAnvil()
  if (anvil === undefined) {
    it.skip('is in the table (skipped: anvil is not installed here)', () => undefined)
    return
  }
  const help = execFileSync(anvil, ['--help'], { encoding: 'utf8' })
  const flags = [...help.matchAll(/^ {2,6}(?:(-\w), )?(--[a-z0-9-]+)/gm)].map(
    ([, short, long]) => [short, long] as const,
  )
  const aliases = [...help.matchAll(/\[aliases: ([^\]]+)\]/g)].flatMap(([, list = '']) => list.split(', '))

  it('is in the table, with its letter and its aliases', () => {
    const known = new Map(anvilFlags.map(({ flag }) => [/--[a-z0-9-]+/.exec(flag)?.[0], /^(-\w), /.exec(flag)?.[1]]))
    expect(flags.length).toBeGreaterThan(60)
    for (const [short, long] of flags) {
      if (long === '--help' || long === '--version') continue
      expect(known.has(long), long).toBe(true)
      expect(known.get(long), long).toBe(short)
    }
    const others = new Set(anvilFlags.flatMap(({ aliases = [] }) => aliases))
    expect(aliases.filter((alias) => alias.startsWith('--') && !others.has(alias))).toEqual([])
  })
})

describe('flags of anvil', () => {
  it('begin with its defaults, which a fork and a genesis file replace', () => {
    expect(read()).toMatchObject({ inMemory: true, chainId: 31_337n, gasLimit: 30_000_000n, port: 8545 })
    for (const words of [
      ['-f', 'http://127.0.0.1:1@7'],
      ['--init', 'g.json'],
      ['--preset', 'cosmos-evm'],
    ]) {
      const { chainId, gasLimit } = read(...words)
      expect([chainId, gasLimit]).toEqual([undefined, undefined])
    }
    expect(read('--chain-id', '5', '--gas-limit', '9000000')).toMatchObject({ chainId: 5n, gasLimit: 9_000_000n })
  })

  it('have letters and aliases', () => {
    expect(read('-a', '3', '-p', '1', '-b', '2', '-q', '-m', 'x')).toMatchObject({
      accounts: 3,
      port: 1,
      blockTime: 2,
      silent: true,
      mnemonic: 'x',
    })
    expect(read('--blockTime', '2').blockTime).toBe(2)
    expect(read('--no-mine').mining).toBe(false)
    expect(read('--base-fee', '0').baseFee).toBe(0n)
    expect(read('--no-create2').preinstalls).toBe(false)
    expect(read('--no-console-log').consoleLog).toBe(false)
    expect(read('--rpc-url', 'http://127.0.0.1:1').forkUrl).toHaveLength(1)
    expect(read('-vvv').verbose).toBe(3)
    expect(read('--ipc').ipc).toBe('/tmp/anvil.ipc')
    expect(read('--ipcpath', '/tmp/x').ipc).toBe('/tmp/x')
  })

  it('are said in the words of `start`', () => {
    expect(read('--hardfork', 'latest').hardfork).toBeUndefined()
    expect(read('--hardfork', 'Cancun').hardfork).toBe('cancun')
    expect(read('--hardfork', 'merge').hardfork).toBe('paris')
    expect(read('--host', '0.0.0.0')).toMatchObject({ host: '0.0.0.0', unsafeExpose: true, hosts: ['*'] })
    expect(read('--host', '127.0.0.1')).toMatchObject({ unsafeExpose: false, hosts: [] })
    expect(read('--enable-tx-gas-limit').transactionGasCap).toBe(16_777_216n)
    expect(read('--allow-origin', '*').corsOrigins).toEqual(['*'])
    expect(read('--no-cors').corsOrigins).toEqual([])
    expect(read('--no-storage-caching').storageCaching).toBe(false)
  })

  it('that have no effect here are accepted, and what cannot be honoured is refused', () => {
    expect(read('--steps-tracing', '-j', '4', '--memory-limit', '5', '--prune-history', '--color', 'never')).toEqual(
      read(),
    )
    expect(() => read('--hardfork', 'nowhere')).toThrow('--hardfork: there is no fork nowhere')
    expect(() => read('--network', 'optimism')).toThrow('--network: optimism is not supported')
    expect(() => read('--celo')).toThrow('--celo: this node has no Celo')
    expect(() => read('--state', 'a', '--load-state', 'b')).toThrow("'--state <file>' cannot be used with")
    expect(() => read('--order', 'foo')).toThrow('--order: expected one of fees, fifo')
  })
})

it('the command prints what programs that start anvil wait for', { timeout: 60_000 }, async () => {
  const node = await startProcess(['--balance', '7'], {}, 'anvil')
  try {
    // It answers a little earlier.
    await vi.waitUntil(() => node.output().includes('Listening on'), 10_000)
    expect(node.output()).toContain('(0) 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 (7.000000000000000000 ETH)')
    expect(node.output()).toContain(`Listening on ${new URL(node.url).host}\n`)
    expect(await request(node.url, 'eth_chainId')).toBe('0x7a69')
  } finally {
    expect(await node.stop()).toBe(0)
  }
})
