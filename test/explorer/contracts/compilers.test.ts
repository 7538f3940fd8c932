import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { toolFolders } from '../../../src/explorer/contracts/compiler-files.ts'
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
    // The version comes from the package.
    expect(versions).toEqual([compilerVersion(), 'v0.8.9+commit.e5eed63a'])
    expect((await compilers.find('v0.8.9+commit.e5eed63a')).file).toContain(path)
    expect((await compilers.find('0.8.9')).version).toBe('v0.8.9+commit.e5eed63a')
    await expect(compilers.find('0.8.8')).rejects.toMatchObject({ code: 'invalid-params' })
    await expect(compilers.find('0.8')).rejects.toMatchObject({ code: 'invalid-params' })
  })

  it('read no files, and ignore settings that omit the code', async () => {
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

  /** Runs `body` in the compiler's process, like code that a hostile source could execute. */
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

  it('run with an empty environment and a low priority', async () => {
    const report = '{ env: process.env, priority: require("os").getPriority() }'
    const { message } = await compiling(`require('fs').writeSync(2, JSON.stringify(${report})); process.exit(3)`).then(
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

  it('include those that other tools have downloaded for this user', async () => {
    const home = await folder()
    const says = (version: string) => `#!/bin/sh\necho "Version: ${version}.Linux.g++"`
    // File names of svm (Foundry), Hardhat, solc-select and vvm.
    const files: Record<string, string> = {
      '.svm/0.8.10/solc-0.8.10': says('0.8.10+commit.fc410830'),
      '.local/share/svm/0.8.11/solc-0.8.11': says('0.8.11+commit.d7f03943'),
      '.cache/hardhat-nodejs/compilers-v2/linux-amd64/solc-linux-amd64-v0.8.12+commit.f00d7308':
        says('0.8.12+commit.f00d7308'),
      '.cache/hardhat-nodejs/compilers-v2/linux-amd64/list.json': '{}',
      '.cache/hardhat-nodejs/compilers-v2/wasm/soljson-v0.8.13+commit.abaa5c0e.js': '',
      '.cache/hardhat-nodejs/compilers-v2/wasm/soljson-v0.8.10+commit.fc410830.js': '',
      '.solc-select/artifacts/solc-0.8.14/solc-0.8.14': says('0.8.14+commit.80d49f37'),
      '.vvm/vyper-0.3.10': '#!/bin/sh\necho 0.3.10+commit.91361694',
      // A binary for another platform.
      '.svm/0.8.15/solc-0.8.15': '\x7fELF',
    }
    await programs(home, files)
    const compilers = await new Compilers({ folders: toolFolders(home, {}) }).installed()
    const found = compilers.map(({ version, language, kind }) => [version, language, kind])
    expect(found).toEqual([
      [compilerVersion(), 'solidity', 'javascript'],
      ['v0.8.14+commit.80d49f37', 'solidity', 'native'],
      ['v0.8.13+commit.abaa5c0e', 'solidity', 'javascript'],
      ['v0.8.12+commit.f00d7308', 'solidity', 'native'],
      ['v0.8.11+commit.d7f03943', 'solidity', 'native'],
      // A native one is preferred.
      ['v0.8.10+commit.fc410830', 'solidity', 'native'],
      ['v0.3.10+commit.91361694', 'vyper', 'native'],
    ])
  })
})

async function programs(home: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(home, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
    await chmod(file, 0o755)
  }
}

describe('a native compiler', () => {
  const hoarding = 'const kept = []; for (let i = 0; i < 40; i++) kept.push(Buffer.alloc(1e7, 1))'
  const compiling = async (script: string, limits: Partial<CompilerLimits> = {}) => {
    const home = await folder()
    await programs(home, { 'solc-0.8.9': script })
    const compiler = { file: join(home, 'solc-0.8.9'), language: 'solidity', kind: 'native' } as const
    return new Compilers({ folders: [] }, limits).compile(compiler, {
      ...input,
      sources: { 'a.sol': { content: 'A' } },
    })
  }

  it('gets standard JSON and returns the code', async () => {
    const wrapper = JSON.stringify(createRequire(import.meta.url).resolve('solc'))
    const script = `#!${process.execPath}
const input = require('node:fs').readFileSync(0, 'utf8')
process.stdout.write(process.argv[2] === '--standard-json' ? require(${wrapper}).compile(input) : '')`
    const { errors } = await compiling(script)
    // `A` is no Solidity.
    expect(errors).toMatchObject([{ severity: 'error', formattedMessage: expect.stringContaining('a.sol:1:1') }])
  })

  it('runs in an empty folder, without the environment', async () => {
    const script =
      '#!/bin/sh\n(cd .. && basename "$OLDPWD"; ls -A "$OLDPWD"; env | sed s/=.*//) | tr "\\n" " " >&2; exit 3'
    const { message } = await compiling(script).then(
      () => new Error('it did not fail'),
      (error: Error) => error,
    )
    expect(message).toMatch(/^the compiler broke down: (?:kestrel-compiler-\w+) (?:(?:OLDPWD|PWD|PATH|SHLVL|_) ?)+$/)
    expect(message).not.toContain('HOME')
  })

  it('does not reveal the folder in which it ran', async () => {
    const script = `#!/bin/sh\necho "{\\"errors\\":[{\\"severity\\":\\"error\\",\\"formattedMessage\\":\\"not in $PWD/x\\"}]}"`
    expect((await compiling(script)).errors).toMatchObject([{ formattedMessage: 'not in /x' }])
  })

  it('is stopped when it takes too long, with its child processes', async () => {
    const words = { code: 'limit-exceeded', message: expect.stringMatching(/one run may take 1 seconds/) }
    await expect(compiling('#!/bin/sh\nwhile :; do :; done', { time: 1000 })).rejects.toMatchObject(words)
    // It sleeps, and a child process keeps the pipe open.
    const sleeping = compiling('#!/bin/sh\nsleep 100 & wait', { time: 1000 })
    await expect(sleeping).rejects.toMatchObject(words)
  })

  // Memory of a process is known only on Linux.
  it.runIf(process.platform === 'linux')('is stopped when it or its child processes use too much memory', async () => {
    const hoard = `#!${process.execPath}\n${hoarding}; setTimeout(() => {}, 60000)`
    const words = { code: 'limit-exceeded', message: expect.stringMatching(/it may use 200 MB of memory/) }
    await expect(compiling(hoard, { memory: 200 })).rejects.toMatchObject(words)
    const child = `#!/bin/sh\n${JSON.stringify(process.execPath)} -e '${hoarding}; setTimeout(() => {}, 60000)'; true`
    await expect(compiling(child, { memory: 200 })).rejects.toMatchObject(words)
  })

  it('is stopped when its output is too large', async () => {
    const words = { code: 'limit-exceeded', message: expect.stringMatching(/answer is too large/) }
    await expect(compiling('#!/bin/sh\nhead -c 100000000 /dev/zero')).rejects.toMatchObject(words)
  })
})
