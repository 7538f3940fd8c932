// Ten tasks of operators on a network of four validators, each a command of kestrel (`npm run operators` prints commands, times
// and the blocks that each validator has missed). The governance of the network has version 2, the jail lasts 20 seconds.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { editGenesis, NO_ENGINE, TestNetwork } from '../network/support.ts'
import { MNEMONIC } from '../support/chain.ts'
import { PROGRAM } from '../support/process.ts'

const run = promisify(execFile)
/** The name of the upgrade that the second build knows. */
const UPGRADE = 'v2'
const root = join(import.meta.dirname, '../..')
/** The account of the mnemonic that operates the fifth validator; those of the four are accounts 10 to 13. */
const CAROL = 5

type Vote = { readonly validator_address: string; readonly block_id_flag: number }

describe.skipIf(NO_ENGINE !== undefined)(`operators of a network ${NO_ENGINE ?? ''}`, () => {
  let network: TestNetwork
  let folder: string
  let port: number
  const report: string[] = []
  /** Nodes besides those of the testnet. */
  const others = new Map<string, ChildProcess>()
  let proposals = 0

  const say = (line: string) => report.push(line)

  /** Runs one command, and notes it with its time. */
  async function kestrel(...args: string[]): Promise<string> {
    const began = performance.now()
    const { stdout } = await run(process.execPath, [PROGRAM, ...args])
    say(`  ${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  kestrel ${args.join(' ')}`)
    return stdout
  }

  /** Flags of the sender and the node of a command. */
  async function as(account: number): Promise<string[]> {
    const key = join(folder, `account-${account}`)
    const { privateKey } = mnemonicToAccount(MNEMONIC, { addressIndex: account }).getHdKey()
    await writeFile(key, toHex(privateKey ?? new Uint8Array(0)), { mode: 0o600 })
    return ['--private-key-file', key, '--rpc-url', network.url(0)]
  }

  /** Starts a node that `testnet` has not made. */
  function start(name: string, ...flags: string[]): void {
    say(`           kestrel start ${flags.join(' ')}`)
    const child = spawn(process.execPath, [PROGRAM, 'start', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] })
    const log = createWriteStream(join(folder, `${name}.log`), { flags: 'a' })
    for (const stream of [child.stdout, child.stderr]) stream.pipe(log, { end: false })
    others.set(name, child)
  }

  async function stop(name: string, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = others.get(name)
    if (child === undefined || child.exitCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }

  const rpc = async (at: number, method: string, ...params: unknown[]): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${at}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return ((await response.json()) as { result: unknown }).result
  }
  /** Waits until a node has caught up with node 0. */
  const caughtUp = (at: number) =>
    network.eventually('the newest block', async () => {
      const head = Number(await rpc(at, 'eth_blockNumber'))
      return head > 0 && head >= Number(await network.head(0)) - 1
    })

  const status = async (account: number) =>
    JSON.parse(
      (
        await run(process.execPath, [
          ...[PROGRAM, 'validator', 'status', '--json', '--rpc-url', network.url(0)],
          mnemonicToAccount(MNEMONIC, { addressIndex: account }).address,
        ])
      ).stdout,
    ) as Readonly<Record<string, unknown>>

  /** What CometBFT of node 0 answers, as soon as it does: a change of the block time restarts it. */
  async function engine(path: string): Promise<Record<string, unknown>> {
    let answer: Record<string, unknown> | undefined
    await network.eventually(`an answer to ${path}`, async () => {
      answer = await network.engine(0, path)
      return answer !== undefined
    })
    return answer ?? {}
  }

  /** Blocks that each validator has missed from one height to another, by consensus address. */
  async function missed(from: bigint, to: bigint): Promise<Map<string, number>> {
    const counts = new Map<string, number>()
    for (let height = from; height <= to; height++) {
      const { signed_header: header } = (await engine(`commit?height=${height}`)) as {
        signed_header: { commit: { signatures: Vote[] } }
      }
      const { validators } = (await engine(`validators?height=${height}&per_page=100`)) as {
        validators: { address: string }[]
      }
      const { signatures } = header.commit
      for (const { address } of validators) {
        const signed = signatures.some((vote) => vote.validator_address === address && vote.block_id_flag === 2)
        counts.set(address, (counts.get(address) ?? 0) + (signed ? 0 : 1))
      }
    }
    return counts
  }

  /** A proposal on which three of the four operators vote yes, until it has passed. */
  async function decide(...flags: string[]): Promise<void> {
    await kestrel('gov', 'submit', ...flags, ...(await as(0)))
    proposals++
    for (const operator of [10, 11, 12]) await kestrel('gov', 'vote', String(proposals), 'yes', ...(await as(operator)))
    await network.eventually('the end of the vote', async () => {
      const shown = [PROGRAM, 'gov', 'show', String(proposals), '--json', '--rpc-url', network.url(0)]
      return JSON.parse((await run(process.execPath, shown)).stdout).status === 'passed'
    })
  }

  /** Runs a task, and notes its time and the blocks that validators have missed meanwhile. */
  async function task(name: string, work: () => Promise<void>): Promise<Map<string, number>> {
    say(`${name}`)
    const began = performance.now()
    const from = await network.head(0)
    await work()
    const to = (await network.head(0)) - 1n
    const counts = from < 1n ? new Map<string, number>() : await missed(from, to)
    const blocks = [...counts].map(([address, count]) => `${address.slice(0, 8)} ${count}`).join(', ')
    say(`  ${((performance.now() - began) / 1000).toFixed(1)} s; missed of blocks ${from} to ${to}: ${blocks || '-'}`)
    return counts
  }

  const flagsOf = (name: string, offset: number) => [
    ...['--consensus', 'cometbft', '--datadir', join(folder, name), '--genesis', join(network.folder, 'genesis.json')],
    ...['--port', String(port + offset), '--engine-port-base', String(port + 60 + offset * 5)],
  ]

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kestrel-operators-'))
  })
  afterAll(async () => {
    for (const name of others.keys()) await stop(name, 'SIGKILL')
    await rm(folder, { recursive: true, force: true })
    process.stdout.write(`${report.join('\n')}\n`)
  })

  it('1: make a network of four validators', async () => {
    // `kestrel testnet`
    network = await TestNetwork.prepare({ validators: 4 })
    port = Number(new URL(network.url(0)).port) + 10
    await task('1: a network of four', async () => {
      await editGenesis(network, ({ kestrel: section }) => {
        section.modules = {
          ...section.modules,
          gov: { version: 2, params: { votingPeriod: 20, expeditedVotingPeriod: 10 } },
          slashing: { version: 2, signedBlocksWindow: 20, downtimeJailDuration: 20 },
        }
      })
      await cp(join(network.home(0), 'genesis.json'), join(network.folder, 'genesis.json'))
      for (const node of network.all) network.start(node)
      await network.reach(2n)
    })
    expect(await network.head(3)).toBeGreaterThanOrEqual(2n)
  })

  it('2: join a reader', async () => {
    await task('2: join a reader', async () => {
      const ids = await Promise.all(
        network.all.map(async (node) => {
          const { node_info: info } = (await network.engine(node, 'status')) as { node_info: { id: string } }
          return `${info.id}@${network.p2p(node)}`
        }),
      )
      start('carol', ...flagsOf('carol', 0), '--peers', ids.join(','))
      await caughtUp(port)
    })
    expect(await rpc(port, 'eth_syncing')).toBe(false)
  })

  it('3: make it a validator', async () => {
    await task('3: make it a validator', async () => {
      await kestrel(
        ...['validator', 'create', '700KEST', '--moniker', 'carol', '--datadir', join(folder, 'carol')],
        ...(await as(CAROL)),
      )
      await network.eventually('its vote', async () => (await status(CAROL)).lastVote === 'commit')
    })
    expect(await status(CAROL)).toMatchObject({ moniker: 'carol', status: 'bonded', power: '700' })
  })

  it('4 and 5: edit it, and bond more', async () => {
    await task('4: edit it', async () => {
      await kestrel('validator', 'edit', '--moniker', 'carol & sons', '--details', 'since 2026', ...(await as(CAROL)))
    })
    await task('5: bond more', async () => {
      await kestrel('validator', 'bond', '300KEST', ...(await as(CAROL)))
    })
    expect(await status(CAROL)).toMatchObject({ moniker: 'carol & sons', power: '1000' })
  })

  it('6: come back from the jail', async () => {
    await task('6: come back from the jail', async () => {
      await stop('carol')
      await network.eventually('the jail', async () => (await status(CAROL)).jailed === true)
      start('carol', ...flagsOf('carol', 0))
      await caughtUp(port)
      const sender = await as(CAROL)
      await network.eventually('the way back', async () => {
        await kestrel('validator', 'unjail', ...sender)
        return true
      })
      await network.eventually('its vote', async () => (await status(CAROL)).lastVote === 'commit')
    })
    expect(await status(CAROL)).toMatchObject({ jailed: false, status: 'bonded' })
  })

  it('7: begin a node with a snapshot', async () => {
    const file = join(folder, 'chain.snapshot')
    await task('7: begin a node with a snapshot', async () => {
      await kestrel('snapshot', 'export', '--home', network.home(3), '--output', file)
      const { node_info: info } = (await network.engine(0, 'status')) as { node_info: { id: string } }
      const peers = ['--peers', `${info.id}@${network.p2p(0)}`, '--engine-port-base', String(port + 65)]
      await kestrel('snapshot', 'import', file, '--datadir', join(folder, 'dave'), ...peers)
      start('dave', ...flagsOf('dave', 1))
      await caughtUp(port + 1)
    })
    // It may be a block behind, and says so.
    await expect.poll(() => rpc(port + 1, 'eth_syncing')).toBe(false)
  })

  it('8: change gas limit and block time by governance', async () => {
    await task('8: change gas limit and block time by governance', () =>
      decide('--block-gas-limit', '40000000', '--block-time', '5'),
    )
    await network.eventually('the gas limit', async () => (await network.viem(0).getBlock()).gasLimit > 36_000_000n)
    for (const node of network.all) expect(await network.log(node)).toContain('governance has set 5000 ms')
  })

  it('9: resync a damaged node, and leave the validators', async () => {
    await task('9: resync a damaged node, and leave the validators', async () => {
      await stop('dave')
      const chain = join(folder, 'dave/chain')
      const tables = (await readdir(chain)).filter((name) => /\.(?:ldb|log)$/.test(name))
      for (const name of tables) await truncate(join(chain, name), 100)
      await kestrel('resync', '--datadir', join(folder, 'dave'), '--discard')
      start('dave', ...flagsOf('dave', 1))
      await caughtUp(port + 1)
      await kestrel('validator', 'unbond', 'all', ...(await as(CAROL)))
      await network.eventually('the end of its term', async () => {
        const { validators } = (await network.engine(0, 'validators')) as { validators: unknown[] }
        return validators.length === 4
      })
    })
    const ours = await network.viem(0).getBlock({ blockTag: 'latest' })
    const theirs = () => rpc(port + 1, 'eth_getBlockByNumber', toHex(ours.number), false)
    await expect.poll(theirs).toMatchObject({ hash: ours.hash })
    for (const name of others.keys()) await stop(name)
  })

  it('10: upgrade the program of all nodes at a height', async () => {
    // The new version: the same sources, which know the name of the upgrade.
    const next = join(folder, 'next')
    const leftOut = new Set(['node_modules', 'dist', 'build', '.git', 'test', 'bench'].map((name) => join(root, name)))
    await cp(root, next, { recursive: true, filter: (path) => !leftOut.has(path) })
    await run('ln', ['-s', join(root, 'node_modules'), join(next, 'node_modules')])
    await run(process.execPath, ['build.js'], { cwd: next, env: { ...process.env, KESTREL_UPGRADES: UPGRADE } })
    const counts = await task('10: upgrade the program at a height', async () => {
      await decide('--upgrade', `${UPGRADE}@+12`)
      await network.eventually('the stop', async () => network.all.every((node) => !network.isRunning(node)))
      for (const node of network.all) network.start(node, [], join(next, 'dist/main.js'))
      const info = JSON.parse(await readFile(join(network.home(0), 'data/upgrade-info.json'), 'utf8'))
      await network.reach(BigInt(info.height) + 4n)
    })
    expect(counts.size).toBe(4)
    for (const count of counts.values()) expect(count).toBeLessThanOrEqual(1)
    expect(await network.differences()).toEqual([])
  })
})
