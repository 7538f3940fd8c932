import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CompilerLimits } from '../../../src/explorer/contracts/compiler-process.ts'
import { Compilers } from '../../../src/explorer/contracts/compilers.ts'
import { temporaryFolder } from '../../support/process.ts'
import { compilerVersion } from './support.ts'

const bundled = createRequire(import.meta.url).resolve('solc/soljson.js')

async function folder(): Promise<string> {
  const { path, remove } = await temporaryFolder()
  onTestFinished(remove)
  return path
}

const input = { language: 'Solidity' as const, settings: {} }

describe('Solidity compilers', () => {
  it('are the bundled one and those of a folder, newest first', async () => {
    const path = await folder()
    await symlink(bundled, join(path, 'soljson-v0.8.9+commit.e5eed63a.js'))
    await mkdir(join(path, 'solc-0.8.30'))
    await symlink(bundled, join(path, 'solc-0.8.30', 'soljson.js'))
    await writeFile(join(path, 'soljson-broken.js'), 'this is no compiler')
    await writeFile(join(path, 'readme.txt'), '')
    const compilers = new Compilers({ folders: [path] })
    const versions = (await compilers.installed()).map(({ version }) => version)
    // The package says itself which compiler it holds.
    expect(versions).toEqual([compilerVersion(), 'v0.8.9+commit.e5eed63a'])
    expect((await compilers.find('v0.8.9+commit.e5eed63a')).file).toContain(path)
    expect((await compilers.find('0.8.9')).version).toBe('v0.8.9+commit.e5eed63a')
    await expect(compilers.find('0.8.8')).rejects.toMatchObject({ code: 'invalid-params' })
    await expect(compilers.find('0.8')).rejects.toMatchObject({ code: 'invalid-params' })
  })

  it('read no files, and ignore settings that leave the code out', async () => {
    const compilers = new Compilers({ folders: [await folder()] })
    const compiler = await compilers.find(compilerVersion())
    const secret = join(await folder(), 'secret.sol')
    await writeFile(secret, 'contract Secret {}')
    const output = await compilers.compile(compiler, {
      ...input,
      sources: { 'a.sol': { content: `import "${secret}"; contract A {}` } },
    })
    expect(output.errors.map(({ formattedMessage }) => formattedMessage).join()).toMatch(/not found/)
    const whole = await compilers.compile(compiler, {
      ...input,
      settings: { stopAfter: 'parsing' },
      sources: { 'a.sol': { content: 'contract A {}' } },
    })
    expect(whole.contracts['a.sol']?.A?.evm.deployedBytecode.object).toMatch(/^[0-9a-f]+$/)
  })

  /** Runs `body` where a hostile source would have a compiler run. */
  const compiling = async (body: string, limits: Partial<CompilerLimits> = {}) => {
    const file = join(await folder(), 'soljson-v0.8.9+commit.e5eed63a.js')
    await writeFile(file, body)
    const compiler = { file, language: 'solidity', kind: 'javascript' } as const
    return new Compilers({ folders: [] }, limits).compile(compiler, { ...input, sources: {} })
  }
  const answer = "process.on('uncaughtException', () => {}); process.stdout.write('x'.repeat(1e8))"
  const hoard = 'const kept = []; for (;;) kept.push(Buffer.alloc(1e7, 1))'

  it.each([
    ['endless', 'for (;;);', { time: 1000 }, /one run may take 1 seconds of processor time/],
    [
      'asleep',
      'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
      { time: 400 },
      /one run may take 0.4 seconds/,
    ],
    ['large outside of the heap', hoard, { memory: 200 }, /it may use 200 MB of memory/],
    ['large in WebAssembly', 'new WebAssembly.Memory({ initial: 4000 })', { memory: 200 }, /broke down/],
    ['large in their answers', answer, {}, /its answer is too large/],
    ['loud', "require('fs').writeSync(2, 'x'.repeat(1e6)); process.exit(3)", {}, /^the compiler broke down: x{500}$/],
  ])('are stopped when they are %s', async (_, body, limits, words) => {
    const refusal = { code: 'limit-exceeded', message: expect.stringMatching(words) }
    await expect(compiling(body, limits)).rejects.toMatchObject(refusal)
  })

  it('have an empty environment and a low priority', async () => {
    const told = '{ env: process.env, priority: require("os").getPriority() }'
    const { message } = await compiling(`require('fs').writeSync(2, JSON.stringify(${told})); process.exit(3)`).then(
      () => ({ message: '' }),
      (error: Error) => error,
    )
    expect(JSON.parse(message.replace('the compiler broke down: ', ''))).toEqual({
      env: {},
      priority: constants.priority.PRIORITY_BELOW_NORMAL,
    })
  })

  it('are stopped when they are closed', async () => {
    const compilers = new Compilers({ folders: [] })
    const compiler = { file: bundled, language: 'solidity', kind: 'javascript' } as const
    const running = compilers.compile(compiler, { ...input, sources: { 'a.sol': { content: 'contract A {}' } } })
    const stopped = expect(running).rejects.toMatchObject({ code: 'limit-exceeded' })
    compilers.close()
    await stopped
  })
})
