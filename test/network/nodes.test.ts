// Nodes that join, nodes with deviating settings, and a network made from a chain of one node.
import { type ExecFileException, execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseEther } from 'viem'
import { afterAll, describe, expect, it } from 'vitest'
import { account } from '../support/chain.ts'
import { PROGRAM, startProcess } from '../support/process.ts'
import { NO_ENGINE, TestNetwork } from './support.ts'

const run = promisify(execFile)
const AVERAGE = join(import.meta.dirname, '../../docs/examples/average.mjs')

const folders: string[] = []
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'kestrel-node-'))
  folders.push(made)
  return made
}

/** The exit code and the error line of a refused command. */
async function refusal(...args: string[]): Promise<{ readonly code: unknown; readonly line: string }> {
  try {
    await run(process.execPath, [PROGRAM, ...args], { timeout: 30_000 })
    throw new Error('the command was not refused')
  } catch (error) {
    const { code, stderr } = error as ExecFileException
    return { code, line: String(stderr).trim() }
  }
}

describe.skipIf(NO_ENGINE !== undefined)(`nodes of a network ${NO_ENGINE ?? ''}`, () => {
  it('refuse in one line flags and files that contradict the network', async () => {
    const network = await TestNetwork.prepare({ validators: 1 })
    network.start(0)
    await network.reach(2n)
    await network.stop(0)
    const home = network.home(0)
    const data = join(home, 'data')
    const other = join(await folder(), 'other.json')
    const genesis = JSON.parse(await readFile(join(home, 'genesis.json'), 'utf8'))
    await writeFile(other, JSON.stringify({ ...genesis, extraData: '0x01' }))
    const refused: [string[], RegExp][] = [
      [['start', '--datadir', data], /is a network: start it with --consensus cometbft/],
      [['start', '--home', home, '--gas-limit', '50000000'], /--gas-limit: /],
      [['start', '--home', home, '--block-time', '2'], /--block-time: /],
      [['start', '--home', home, '--no-mining'], /--no-mining: /],
      [['start', '--home', home, '--proposal', AVERAGE], /--proposal .*does not name/],
      [['start', '--home', home, '--genesis', other], /--genesis: .*another genesis/],
      [['start', '--home', home, '--cometbft', '/bin/true'], /cometbft|CometBFT/],
      [['start', '--home', join(home, 'nothing')], /node.json: no such file/],
      [['import', join(home, 'genesis.json'), '--datadir', data], /only cometbft adds blocks to it/],
      [['testnet', '--output', network.folder], /is not empty/],
      [['testnet', '--output', join(network.folder, 'x'), '--block-time', '0.5'], /--block-time: expected at least 1/],
    ]
    for (const [args, words] of refused) {
      const { code, line } = await refusal(...args)
      expect(line, args.join(' ')).toMatch(words)
      expect(line.split('\n').length, line).toBe(1)
      expect([1, 2]).toContain(code)
    }
    network.start(0)
    await network.reach(4n)
  })

  it('catch up from an empty data directory, then send transactions', async () => {
    const network = await TestNetwork.prepare({ validators: 2, readers: 1 })
    network.start(0)
    network.start(1)
    await network.reach(20n, [0, 1])
    network.start(2)
    await network.reach(20n)
    await network.eventually('the end of syncing', async () => (await network.rpc(2, 'eth_syncing')) === false)
    const hash = await network.wallet(2).sendTransaction({ to: account(1).address, value: 1n })
    const { status } = await network.viem(0).waitForTransactionReceipt({ hash })
    expect(status).toBe('success')
    expect(await network.differences()).toEqual([])
  })

  it("exchange transactions also by CometBFT's flood mempool", async () => {
    const network = await TestNetwork.start({ validators: 2, flags: ['--mempool', 'flood'] })
    for (const node of [0, 1, 0, 1]) {
      const hash = await network.wallet(node).sendTransaction({ to: account(1).address, value: 1n })
      for (const other of network.all) {
        const { status } = await network.viem(other).waitForTransactionReceipt({ hash })
        expect(status).toBe('success')
      }
    }
    expect(await network.differences()).toEqual([])
  })

  it('continue the chain of one node', async () => {
    const solo = await folder()
    const node = await startProcess(['--datadir', solo])
    const url = `${node.url}/rpc`
    const send = (method: string, params: unknown[]) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      }).then((response) => response.json() as Promise<{ result: string }>)
    const { address } = account(0)
    for (let i = 0; i < 3; i++)
      await send('eth_sendTransaction', [{ from: address, to: account(1).address, value: '0x1' }])
    const head = BigInt((await send('eth_blockNumber', [])).result)
    const before = (await send('eth_getBlockByNumber', ['0x1', false])).result
    await node.stop()
    const network = await TestNetwork.prepare({ validators: 3, flags: ['--from', solo] })
    for (const index of network.all) network.start(index)
    await network.reach(head + 3n)
    expect(await network.rpc(0, 'eth_getBlockByNumber', '0x1', false)).toEqual(before)
    const hash = await network.wallet(1).sendTransaction({ to: account(1).address, value: parseEther('1') })
    const { status } = await network.viem(2).waitForTransactionReceipt({ hash })
    expect(status).toBe('success')
    expect(await network.differences()).toEqual([])
    for (const index of network.all) expect(await network.rpc(index, 'dev_invariants', 'latest')).toEqual([])
  })
})
