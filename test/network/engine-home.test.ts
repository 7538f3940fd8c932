// Homes that kestrel creates, with the real CometBFT: it reads keys and configuration, waits for its application, ends with it,
// and runs again after both were killed.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cometBftVersion, findCometBft } from '../../src/consensus/cometbft/program.ts'
import { PROGRAM } from '../support/process.ts'
import { NO_ENGINE, TestNetwork } from './support.ts'

const run = promisify(execFile)
/** The mempool type of the CometBFT that COMETBFT names. */
const mempool = async () => ((await cometBftVersion(findCometBft(undefined))).hasAppMempool ? 'app' : 'flood')
const output = async (...args: string[]) => (await run(findCometBft(undefined), args)).stdout.trim()
const key = async (...args: string[]) =>
  (await run(process.execPath, [PROGRAM, 'validator', 'key', ...args])).stdout.trim()

/** Whether a process has ended; until its parent has waited for it, it is a zombie (`Z`). */
async function hasEnded(processId: number): Promise<boolean> {
  const { stdout } = await run('ps', ['-o', 'stat=', '-p', String(processId)]).catch(() => ({ stdout: '' }))
  return stdout.trim() === '' || stdout.trim().startsWith('Z')
}

describe.skipIf(NO_ENGINE !== undefined)(`a home that kestrel creates ${NO_ENGINE ?? ''}`, () => {
  it('has keys that CometBFT reads', async () => {
    const network = await TestNetwork.prepare({ validators: 1, flags: ['--mempool', await mempool()] })
    const home = network.home(0)
    const engine = join(home, 'engine')
    expect(await output('show-node-id', '--home', engine)).toBe(await key('--home', home, '--node-id'))
    expect(JSON.parse(await output('show-validator', '--home', engine)).value).toBe(await key('--home', home))
  })

  it('has a configuration with which CometBFT waits for its application', async () => {
    const network = await TestNetwork.prepare({ validators: 1, flags: ['--mempool', await mempool()] })
    const engine = join(network.home(0), 'engine')
    const child = spawn(findCometBft(undefined), ['start', '--home', engine], { stdio: ['ignore', 'pipe', 'pipe'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    let text = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        text += chunk
      })
    await network.eventually(
      'an attempt to connect to the socket',
      async () => /failed to connect to unix:/.test(text),
      30_000,
    )
    expect(text).toContain(join(network.home(0), 'data/abci.sock'))
    expect(child.exitCode).toBeNull()
  })

  it('has a CometBFT that ends with its node, and is restarted when it alone was killed', async () => {
    const network = await TestNetwork.start({ validators: 1, flags: ['--mempool', await mempool()] })
    const first = (await network.enginePid(0)) ?? 0
    await network.killEngine(0)
    await network.eventually('another engine', async () => (await network.enginePid(0)) !== first)
    await network.reach((await network.head(0)) + 1n)

    // A hanging CometBFT does not notice that its node has ended: the next start ends it.
    const second = (await network.enginePid(0)) ?? 0
    await network.freezeEngine(0, true)
    await network.killApplication(0)
    expect(await hasEnded(second)).toBe(false)
    network.start(0)
    await network.eventually('a third engine', async () => (await network.enginePid(0)) !== second)
    expect(await hasEnded(second)).toBe(true)
    await network.reach((await network.head(0)) + 2n)

    const third = (await network.enginePid(0)) ?? 0
    await network.killApplication(0)
    await network.eventually('the end of CometBFT', () => hasEnded(third), 10_000)
    expect(await hasEnded(third)).toBe(true)
  })

  it('cannot be used by two nodes at once', async () => {
    const network = await TestNetwork.start({ validators: 1, flags: ['--mempool', await mempool()] })
    const other = await TestNetwork.prepare({ validators: 1 })
    const flags = ['--engine-home', join(network.home(0), 'engine'), '--genesis', join(network.home(0), 'genesis.json')]
    const child = spawn(process.execPath, [PROGRAM, 'start', '--home', other.home(0), ...flags], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let text = ''
    child.stderr.on('data', (chunk) => {
      text += chunk
    })
    const [code] = await once(child, 'exit')
    expect(text).toMatch(/engine is in use by the node with process id \d+/)
    expect(code).toBe(1)
    await network.reach((await network.head(0)) + 1n)
  })
})
