// Which program runs as CometBFT: where it is searched, and which versions are accepted.
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cometBftVersion, findCometBft } from '../../../src/consensus/cometbft/program.ts'
import { temporaryFolder } from '../../support/process.ts'

async function folder(): Promise<string> {
  const { path, remove } = await temporaryFolder()
  onTestFinished(remove)
  return path
}

/** A program that prints a text; `more` is appended to its file. */
async function program(prints: string, more = ''): Promise<string> {
  const path = join(await folder(), 'cometbft')
  await writeFile(path, `#!/bin/sh\necho '${prints}'\nexit 0\n${more}\n`)
  await chmod(path, 0o755)
  return path
}

/** The module version as Go embeds it in a program. */
const built = (version: string) => `path\tgithub.com/x\nmod\tgithub.com/cometbft/cometbft\t${version}\th1:abc\n`

describe('CometBFT’s program', () => {
  it('is the given one, else that of the variable COMETBFT, else the one on PATH', async () => {
    const [given, named, onPath] = await Promise.all([program('0.40.0'), program('0.40.0'), program('0.40.0')])
    const PATH = ['/nowhere', join(onPath, '..')].join(delimiter)
    expect(findCometBft(given, { COMETBFT: named, PATH })).toBe(given)
    expect(findCometBft(undefined, { COMETBFT: named, PATH })).toBe(named)
    expect(findCometBft(undefined, { COMETBFT: '', PATH })).toBe(onPath)
    expect(findCometBft('cometbft', { PATH })).toBe(onPath)
  })

  it('causes, if missing, one line that says how to get it', async () => {
    const how = 'go install github.com/cometbft/cometbft/cmd/cometbft@v0.40.0'
    expect(() => findCometBft('./none', {})).toThrow(`--cometbft: ./none: no such program; ${how}`)
    expect(() => findCometBft(undefined, { COMETBFT: '/none' })).toThrow(`COMETBFT: /none: no such program; ${how}`)
    expect(() => findCometBft(undefined, { PATH: '' })).toThrow(`no cometbft on PATH; ${how}`)
    const isFolder = join(await folder(), 'cometbft')
    await mkdir(isFolder)
    expect(() => findCometBft(isFolder, {})).toThrow('no such program')
  })

  it.each([
    ['0.40.0', { version: '0.40.0', hasAppMempool: true }],
    ['v0.40.3+abc', { version: '0.40.3+abc', hasAppMempool: true }],
    ['0.38.26', { version: '0.38.26', hasAppMempool: false }],
  ])('may be of version %s', async (text, expected) => {
    expect(await cometBftVersion(await program(text))).toEqual(expected)
  })

  // `go install …@v0.40.0` builds a program that prints 0.39.0.
  it('may print 0.39.0 if Go has embedded another version', async () => {
    const path = await program('0.39.0', built('v0.40.0'))
    expect(await cometBftVersion(path)).toEqual({ version: '0.40.0', hasAppMempool: true })
  })

  it.each([
    ['0.39.0', ''],
    ['0.39.0', built('v0.39.0')],
    ['0.37.2', ''],
    ['1.0.1', ''],
  ])('is refused for version %s (%j)', async (text, more) => {
    await expect(cometBftVersion(await program(text, more))).rejects.toThrow(
      `is cometbft ${text}: this node needs 0.40 or 0.38`,
    )
  })

  it('is refused if it is not CometBFT', async () => {
    await expect(cometBftVersion(await program('hello'))).rejects.toThrow('is no cometbft')
    const failing = join(await folder(), 'failing')
    await writeFile(failing, '#!/bin/sh\nexit 3\n')
    await chmod(failing, 0o755)
    await expect(cometBftVersion(failing)).rejects.toThrow('does not tell its version (3)')
  })
})
