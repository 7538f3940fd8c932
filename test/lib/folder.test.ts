// makeFolder creates folders like node:fs, and throws in a case in which Node's recursive mkdir never returns.
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../../src/lib/folder.ts'
import { temporaryFolder } from '../support/process.ts'

async function folder(): Promise<string> {
  const { path, remove } = await temporaryFolder()
  onTestFinished(remove)
  return path
}

test('makeFolder creates missing parents that only the user may read, and keeps existing folders', async () => {
  const base = await folder()
  await mkdir(join(base, 'a'), { mode: 0o755 })
  makeFolder(join(base, 'a/b/c'))
  makeFolder(join(base, 'a/b/c'))
  const modes = await Promise.all(
    ['a', 'a/b', 'a/b/c'].map(async (name) => (await stat(join(base, name))).mode & 0o777),
  )
  expect(modes).toEqual([0o755, 0o700, 0o700])
})

test('makeFolder throws when a file has the name of a folder in the path', async () => {
  const base = await folder()
  await writeFile(join(base, 'file'), '')
  expect(() => makeFolder(join(base, 'file/a'))).toThrow(/ENOTDIR/)
})

test.runIf(process.platform === 'linux')('makeFolder throws where Linux makes no folders: in /proc', () => {
  expect(() => makeFolder('/proc/nope/nope')).toThrow(/ENOENT/)
})
