// CometBFT as a child process, with a shell script of the test in place of the program.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { cometBftFiles } from '../../../src/consensus/cometbft/home.ts'
import { requireFree } from '../../../src/consensus/cometbft/ports.ts'
import { CometBftProcess, type CometBftSettings } from '../../../src/consensus/cometbft/process.ts'
import { temporaryFolder } from '../../support/process.ts'

const WORDS = 'I[2026-01-01|00:00:00.000] service start module=proxy'

/**
 * A CometBftProcess whose program runs this shell script in its home; each start appends its arguments to the file `starts`.
 */
async function engine(script: string, given: Partial<CometBftSettings> = {}) {
  const { path: home, remove } = await temporaryFolder()
  const program = join(home, 'cometbft')
  await mkdir(join(home, 'data'))
  await writeFile(program, `#!/bin/sh\ncd ${home}\necho "$@" >> starts\n${script}\n`)
  await chmod(program, 0o755)
  const lines: string[] = []
  const log = (line: string) => lines.push(line)
  const child = new CometBftProcess({
    program,
    home,
    socket: '/abci.sock',
    peers: undefined,
    blockTime: undefined,
    signer: undefined,
    checkPorts: async () => undefined,
    log,
    // The script has no RPC: it counts as answering once it has written this file.
    answers: async () => existsSync(join(home, 'answers')),
    ...given,
  })
  onTestFinished(async () => {
    await child.stop()
    await remove()
  })
  const starts = async () => (await readFile(join(home, 'starts'), 'utf8')).trim().split('\n')
  return { home, child, lines, starts, program }
}

/** Runs until it gets a signal. `exec`, so that the signal reaches it. */
const RUNS = `echo '${WORDS}'\ntouch answers\nexec sleep 1000`
const isAlive = (processId: number) => {
  try {
    return process.kill(processId, 0)
  } catch {
    return false
  }
}
const processIdIn = async (home: string) =>
  Number((await readFile(cometBftFiles(home).processId, 'utf8')).split(' ')[0])

describe('CometBFT as a child process', () => {
  it('is started with its home, the socket and the peers, and its output goes to the log', async () => {
    const { child, home, starts } = await engine(RUNS, { peers: ['ab@host:1', 'cd@host:2'] })
    await child.start()
    expect(await starts()).toEqual([
      `start --home ${home} --proxy_app unix:///abci.sock --p2p.persistent_peers ab@host:1,cd@host:2`,
    ])
    expect(await readFile(cometBftFiles(home).log, 'utf8')).toBe(`${WORDS}\n`)
    const processId = await processIdIn(home)
    expect(isAlive(processId)).toBe(true)
    await child.stop()
    expect(isAlive(processId)).toBe(false)
  })

  it('gets the block time of the genesis, which overrides its configuration', async () => {
    const { child, home } = await engine(`echo "$CMT_CONSENSUS_TIMEOUT_COMMIT" > time\n${RUNS}`, { blockTime: 1500 })
    await child.start()
    expect(await readFile(join(home, 'time'), 'utf8')).toBe('1500ms\n')
  })

  it('is started again without end while its signer is missing, and one line says so', async () => {
    // CometBFT ends with code 1 when no signer has connected for three seconds.
    const missing = 'if [ -e signer ]; then touch answers; exec sleep 1000; fi\nsleep 3.1\nexit 1'
    const signer = 'tcp://127.0.0.1:26659'
    const { child, home, lines, starts } = await engine(missing, { signer })
    await child.start()
    await vi.waitUntil(async () => (await starts()).length > 1, { timeout: 30_000 })
    const waiting = lines.filter((line) => line.startsWith(`waiting for the signer to connect to ${signer} `))
    expect(waiting).toHaveLength(1)
    await writeFile(join(home, 'signer'), '')
    await vi.waitUntil(() => lines.some((line) => line.startsWith('the signer is there')), { timeout: 30_000 })
    expect(lines.filter((line) => line.startsWith('waiting for the signer'))).toEqual(waiting)
  })

  it('is given up when it ends sooner than it would for its missing signer', async () => {
    const { child } = await engine('exit 1', { signer: 'tcp://127.0.0.1:26659' })
    await expect(child.start()).rejects.toThrow('CometBFT ended before it was ready (code 1)')
  })

  it('gets a free place for the socket of its signer', async () => {
    const { path, remove } = await temporaryFolder()
    onTestFinished(remove)
    // As a killed CometBFT leaves it: a socket at which nobody listens.
    const socket = join(path, 'signer.sock')
    const listening = spawn(process.execPath, ['-e', `require('net').createServer().listen('${socket}')`])
    await vi.waitUntil(() => existsSync(socket), { timeout: 30_000 })
    listening.kill('SIGKILL')
    await once(listening, 'exit')
    expect(existsSync(socket)).toBe(true)
    const { child } = await engine(RUNS, { signer: `unix://${socket}` })
    await child.start()
    expect(existsSync(socket)).toBe(false)
  })

  it('is restarted when it ends', async () => {
    const { child, lines, home, starts } = await engine(RUNS)
    await child.start()
    process.kill(await processIdIn(home), 'SIGKILL')
    await vi.waitUntil(async () => (await starts()).length === 2, { timeout: 10_000 })
    expect(lines.join('\n')).toMatch(/CometBFT ended \(by SIGKILL\); it is started again in 1 s/)
  })

  it('is given up with one line, which quotes its error, when it ends before it answers', async () => {
    const { child, starts } = await engine('echo "ERROR: error in config file: bad" >&2\nexit 1')
    await expect(child.start()).rejects.toThrow(
      /^CometBFT ended before it was ready \(code 1\); last error "ERROR: error in config file: bad"; its log is/,
    )
    expect(await starts()).toHaveLength(1)
  })

  it('is given up with one line when the program cannot be run', async () => {
    const { child } = await engine('', { program: '/nowhere/cometbft' })
    await expect(child.start()).rejects.toThrow('/nowhere/cometbft cannot be started')
  })

  it('is restarted when it was killed before it answered', async () => {
    const { child, starts } = await engine(
      'if test -e once; then touch answers; exec sleep 1000; fi\ntouch once\nkill -9 $$',
    )
    await child.start()
    await vi.waitUntil(async () => (await starts()).length === 2, { timeout: 10_000 })
    expect(await Promise.race([child.failed, 'runs'])).toBe('runs')
  })

  it('is restarted on request', async () => {
    const { child, starts, home } = await engine(RUNS)
    await child.start()
    const first = await processIdIn(home)
    await child.restart()
    expect(isAlive(first)).toBe(false)
    await vi.waitUntil(async () => (await starts()).length === 2, { timeout: 10_000 })
    await child.stop()
    await child.restart()
    expect(await starts()).toHaveLength(2)
  })

  it('is killed before the start if it has outlived its kestrel', async () => {
    const { child, home } = await engine(RUNS)
    // Like a hanging CometBFT, it ignores SIGTERM.
    const hanging = "process.on('SIGTERM', () => 0); setInterval(() => 0, 1000); console.log('ready')"
    const orphan = spawn(process.execPath, ['-e', hanging, 'start', '--home', home], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => void orphan.kill('SIGKILL'))
    await once(orphan.stdout, 'data')
    const unusedId = 2 ** 22 + 1
    await writeFile(cometBftFiles(home).processId, `${orphan.pid} ${unusedId}\n`)
    const ended = once(orphan, 'exit')
    await child.start()
    expect((await ended)[1]).toBe('SIGKILL')
  })

  it('does not start in a home whose CometBFT another kestrel runs', async () => {
    const { child, home, starts } = await engine(RUNS)
    const shell = `"${process.execPath}" -e 'setInterval(() => 0, 1000)' start --home ${home} & echo $!; wait`
    const other = spawn('/bin/sh', ['-c', shell], { stdio: ['ignore', 'pipe', 'ignore'] })
    const [text] = await once(other.stdout, 'data')
    const otherCometBft = Number(String(text))
    onTestFinished(() => {
      other.kill('SIGKILL')
      process.kill(otherCometBft, 'SIGKILL')
    })
    await writeFile(cometBftFiles(home).processId, `${otherCometBft} ${other.pid}\n`)
    // Wait for exec: before it the process has the shell's command line, in which the home is part of a word.
    const words = async () => (await readFile(`/proc/${otherCometBft}/cmdline`, 'utf8')).split('\0')
    await vi.waitUntil(async () => (await words()).includes(home))
    await expect(child.start()).rejects.toThrow(`${home} is in use by the node with process id ${other.pid}`)
    expect(isAlive(otherCometBft)).toBe(true)
    await expect(starts()).rejects.toThrow('ENOENT')
  })

  it('does not end an unrelated process that has reused the process id', async () => {
    const { child, home } = await engine(RUNS)
    const other = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' })
    onTestFinished(() => void other.kill('SIGKILL'))
    await once(other, 'spawn')
    await writeFile(cometBftFiles(home).processId, `${other.pid} 1\n`)
    await child.start()
    expect(other.exitCode).toBeNull()
    expect(other.signalCode).toBeNull()
  })
})

/** Chain ids or monikers that a peer may choose, which look like log lines of CometBFT. */
const HOSTILE = [
  'CONSENSUS FAILURE!!!',
  'CONSENSUS FAILURE!!! module=consensus err="wrong Block.Header.AppHash.  Expected AA, got BB" stack="x"',
  'ERROR: error during handshake: app block height (5) is higher than core (3)',
  'Error: error in config file: genesis doc hash does not match',
  'panic: runtime error',
  'E[2026-01-01|00:00:00.000] CONSENSUS FAILURE!!! module=consensus',
  '\u001b[2J\u001b]0;title\u0007\u202eeverything is lost\r\nFATAL: the disk is full',
  `CometBFT ended (code 1); its log is /etc/passwd`,
]

describe('text that peers write into the output of CometBFT', () => {
  it('does not end or restart a running CometBFT', async () => {
    const { child, home, lines, starts } = await engine(`cat hostile\ncat hostile >&2\ntouch answers\nexec sleep 1000`)
    const rejected = HOSTILE.map(
      (text) => `I[2026-01-01|00:00:00.000] Inbound Peer rejected err="Got ${text}, expected"`,
    )
    await writeFile(join(home, 'hostile'), [...HOSTILE, ...rejected, ''].join('\n'))
    await child.start()
    const log = cometBftFiles(home).log
    const written = async () => (await readFile(log, 'utf8')).split('Inbound Peer rejected').length - 1
    await vi.waitUntil(async () => (await written()) === 2 * HOSTILE.length)
    expect(await Promise.race([child.failed, 'runs'])).toBe('runs')
    expect(isAlive(await processIdIn(home))).toBe(true)
    expect(await starts()).toHaveLength(1)
    expect(lines).toEqual([expect.stringMatching(/^CometBFT runs as process \d+$/)])
  })

  it('does not change what happens when CometBFT ends', async () => {
    const ends = async (text: string) => {
      const { child, home, lines, starts } = await engine('touch answers\ncat hostile >&2\nsleep 0.3\nexit 1')
      await writeFile(join(home, 'hostile'), `panic: ${text}\n`)
      await child.start()
      await vi.waitUntil(async () => (await starts()).length === 2, { timeout: 20_000 })
      return { line: lines.find((line) => line.startsWith('CometBFT ended')) ?? '', log: cometBftFiles(home).log }
    }
    for (const { line, log } of await Promise.all(HOSTILE.map(ends))) {
      // The text is in quotes, on one line, without invisible characters; no advice follows from it.
      expect(line).toMatch(
        /^CometBFT ended \(code 1\); it is started again in 1 s; last error "panic: .*"; its log is /,
      )
      expect(line.endsWith(`; its log is ${log}`)).toBe(true)
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    }
  })

  it('is truncated when it is long', async () => {
    const { child, lines } = await engine(`touch answers\nprintf 'panic: %0100000d\\n' 1\nsleep 0.3\nexit 1`)
    await child.start()
    await vi.waitUntil(() => lines.some((line) => line.startsWith('CometBFT ended')), { timeout: 10_000 })
    expect(lines.at(-1)?.length).toBeLessThan(600)
  })
})

it('a port of CometBFT that another program uses is refused in one line', { timeout: 20_000 }, async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  await expect(requireFree('RPC', { host: '127.0.0.1', port }, 'laddr in config.toml')).rejects.toThrow(
    `CometBFT's RPC, 127.0.0.1:${port}, is in use by another program; stop that, or change laddr in config.toml`,
  )
})
