import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
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

describe('compilers', () => {
  it('are the one that is there, and those of a folder, newest first', async () => {
    const path = await folder()
    await symlink(bundled, join(path, 'soljson-v0.8.9+commit.e5eed63a.js'))
    await mkdir(join(path, 'solc-0.8.30'))
    await symlink(bundled, join(path, 'solc-0.8.30', 'soljson.js'))
    await writeFile(join(path, 'soljson-broken.js'), 'this is no compiler')
    await writeFile(join(path, 'readme.txt'), '')
    const compilers = new Compilers(path)
    const versions = (await compilers.installed()).map(({ version }) => version)
    // The package says itself which compiler it holds.
    expect(versions).toEqual([compilerVersion(), compilerVersion(), 'v0.8.9+commit.e5eed63a'])
    expect((await compilers.find('v0.8.9+commit.e5eed63a')).file).toContain(path)
    expect((await compilers.find('0.8.9')).version).toBe('v0.8.9+commit.e5eed63a')
    await expect(compilers.find('0.8.8')).rejects.toMatchObject({ code: 'invalid-params' })
    await expect(compilers.find('0.8')).rejects.toMatchObject({ code: 'invalid-params' })
  })

  it('read no files, and do not stop before there is code', async () => {
    const compilers = new Compilers(await folder())
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

  it('are stopped', async () => {
    const compilers = new Compilers(undefined)
    const compiler = { version: compilerVersion(), file: bundled }
    const running = compilers.compile(compiler, { ...input, sources: { 'a.sol': { content: 'contract A {}' } } })
    const stopped = expect(running).rejects.toMatchObject({ code: 'limit-exceeded' })
    compilers.close()
    await stopped
  })
})
