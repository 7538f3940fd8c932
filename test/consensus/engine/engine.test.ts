// The engine as a child process, with a stand-in for its program: a shell script that does what a test wants.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { EngineProcess, type EngineSettings } from '../../../src/consensus/engine/engine.ts'
import { engineFiles } from '../../../src/consensus/engine/home.ts'
import { requireFree } from '../../../src/consensus/engine/ports.ts'
import { temporaryFolder } from '../../support/process.ts'

const WORDS = 'I[2026-01-01|00:00:00.000] service start module=proxy'

/** An engine whose program runs these lines of shell; each start adds a line to the file `starts`, its arguments. */
async function engine(script: string, given: Partial<EngineSettings> = {}) {
  const { path: home, remove } = await temporaryFolder()
  const program = join(home, 'cometbft')
  await mkdir(join(home, 'data'))
  await writeFile(program, `#!/bin/sh\necho "$@" >> ${home}/starts\n${script}\n`)
  await chmod(program, 0o755)
  const lines: string[] = []
  const log = (line: string) => lines.push(line)
  const checkPorts = async () => undefined
  const child = new EngineProcess({ program, home, socket: '/abci.sock', peers: undefined, checkPorts, log, ...given })
  onTestFinished(async () => {
    await child.stop()
    await remove()
  })
  const starts = async () => (await readFile(join(home, 'starts'), 'utf8')).trim().split('\n')
  return { home, child, lines, starts, program }
}

/** Runs until it is asked to end. `exec`, so that the signal reaches it. */
const RUNS = `echo '${WORDS}'\nexec sleep 1000`
const isAlive = (processId: number) => {
  try {
    return process.kill(processId, 0)
  } catch {
    return false
  }
}
const processIdIn = async (home: string) => Number((await readFile(engineFiles(home).processId, 'utf8')).split(' ')[0])

describe('the engine as a child', () => {
  it('is started with its home, the socket and the peers, and writes into its log', async () => {
    const { child, home, starts } = await engine(RUNS, { peers: ['ab@host:1', 'cd@host:2'] })
    await child.start()
    expect(await starts()).toEqual([
      `start --home ${home} --proxy_app unix:///abci.sock --p2p.persistent_peers ab@host:1,cd@host:2`,
    ])
    expect(await readFile(engineFiles(home).log, 'utf8')).toBe(`${WORDS}\n`)
    const processId = await processIdIn(home)
    expect(isAlive(processId)).toBe(true)
    await child.stop()
    expect(isAlive(processId)).toBe(false)
  })

  it('is started again when it ends', async () => {
    const { child, lines, home, starts } = await engine(RUNS)
    await child.start()
    process.kill(await processIdIn(home), 'SIGKILL')
    await vi.waitUntil(async () => (await starts()).length === 2, { timeout: 10_000 })
    expect(lines.join('\n')).toMatch(/the engine ended \(by SIGKILL\); it is started again in 1 s/)
  })

  it('refuses in one line an engine that ends at once, with its error', async () => {
    const { child } = await engine('echo "ERROR: error in config file: bad" >&2\nexit 1')
    await expect(child.start()).rejects.toThrow(
      /^the engine ended at once \(code 1\); error in config file: bad; its configuration is not valid; its log is/,
    )
  })

  it('refuses in one line a program that cannot be run', async () => {
    const { child } = await engine('', { program: '/nowhere/cometbft' })
    await expect(child.start()).rejects.toThrow('/nowhere/cometbft cannot be started')
  })

  it('gives up after a consensus failure, although the engine goes on running', async () => {
    const failure = `E[2026-01-01|00:00:00.000] CONSENSUS FAILURE!!! module=consensus err="wrong Block.Header.AppHash.  Expected AA, got BB" stack="x"`
    const { child, home, starts } = await engine(`echo '${WORDS}'\nsleep 0.3\necho '${failure}'\nexec sleep 1000`)
    await child.start()
    const line = await child.failed
    expect(line).toContain(
      'the engine stopped after a consensus failure; wrong Block.Header.AppHash.  Expected AA, got BB',
    )
    expect(line).toContain('begin again with an empty data directory')
    expect(line).not.toContain('\n')
    const processId = await processIdIn(home)
    await child.stop()
    expect(isAlive(processId)).toBe(false)
    expect(await starts()).toHaveLength(1)
  })

  it('gives up when chain and engine do not fit together', async () => {
    const error = 'failed to create node: error during handshake: app block height (28) is higher than core (21)'
    const { child } = await engine(`echo '${WORDS}'\nsleep 0.3\necho 'ERROR: ${error}' >&2\nexit 1`)
    await child.start()
    expect(await child.failed).toContain(`${error}; the engine's blocks end before the chain's: `)
  })

  it('is ended first where it has outlived its kestrel', async () => {
    const { child, home } = await engine(RUNS)
    // As a hanging engine: it does not hear SIGTERM.
    const deaf = "process.on('SIGTERM', () => 0); setInterval(() => 0, 1000); console.log('ready')"
    const still = spawn(process.execPath, ['-e', deaf, 'start', '--home', home], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => void still.kill('SIGKILL'))
    await once(still.stdout, 'data')
    const nobody = 2 ** 22 + 1
    await writeFile(engineFiles(home).processId, `${still.pid} ${nobody}\n`)
    const ended = once(still, 'exit')
    await child.start()
    expect((await ended)[1]).toBe('SIGKILL')
  })

  it('is refused while another kestrel runs it', async () => {
    const { child, home, starts } = await engine(RUNS)
    const shell = `"${process.execPath}" -e 'setInterval(() => 0, 1000)' start --home ${home} & echo $!; wait`
    const other = spawn('/bin/sh', ['-c', shell], { stdio: ['ignore', 'pipe', 'ignore'] })
    const [text] = await once(other.stdout, 'data')
    const theirs = Number(String(text))
    onTestFinished(() => {
      other.kill('SIGKILL')
      process.kill(theirs, 'SIGKILL')
    })
    await writeFile(engineFiles(home).processId, `${theirs} ${other.pid}\n`)
    // Before it runs its program it has the command line of the shell, in which the home is a part of a word.
    const words = async () => (await readFile(`/proc/${theirs}/cmdline`, 'utf8')).split('\0')
    await vi.waitUntil(async () => (await words()).includes(home))
    await expect(child.start()).rejects.toThrow(`${home} is in use by the node with process id ${other.pid}`)
    expect(isAlive(theirs)).toBe(true)
    await expect(starts()).rejects.toThrow('ENOENT')
  })

  it('leaves another process alone that has got the id', async () => {
    const { child, home } = await engine(RUNS)
    const other = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' })
    onTestFinished(() => void other.kill('SIGKILL'))
    await once(other, 'spawn')
    await writeFile(engineFiles(home).processId, `${other.pid} 1\n`)
    await child.start()
    expect(other.exitCode).toBeNull()
    expect(other.signalCode).toBeNull()
  })
})

it('a port that another program has is refused in one line', { timeout: 20_000 }, async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  await expect(requireFree('RPC', { host: '127.0.0.1', port }, 'laddr in config.toml')).rejects.toThrow(
    `the engine's RPC, 127.0.0.1:${port}, is in use by another program; stop that, or change laddr in config.toml`,
  )
})
