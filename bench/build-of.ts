// Builds kestrel of another commit for comparison: a worktree in a temporary folder, with this checkout's packages if the
// lockfile is the same. Git's record of the worktree is removed with the folder when this process ends.
import { execFileSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './contenders.ts'

const ROOT = join(import.meta.dirname, '..')
const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()

/** `1a2b3c4d`, with `-dirty` if the files differ from the commit; undefined outside of a repository. */
export function commitHere(): string | undefined {
  try {
    return git('describe', '--always', '--dirty', '--exclude=*', '--abbrev=8')
  } catch {
    return undefined
  }
}

export type OtherBuild = { readonly commit: string; readonly main: string }

/** Throws when git does not have the commit, or when it does not build. */
export function buildOf(commit: string): OtherBuild {
  const name = git('rev-parse', '--verify', '--short=8', `${commit}^{commit}`)
  const folder = join(temporaryFolder(), name)
  git('worktree', 'add', '--detach', folder, name)
  // Exit handlers run in order: the temporary folder is removed first, and `prune` forgets the worktree.
  process.on('exit', () => git('worktree', 'prune'))
  const lockfile = (below: string) => readFileSync(join(below, 'package-lock.json'), 'utf8')
  if (lockfile(folder) === lockfile(ROOT)) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  else execFileSync('npm', ['ci'], { cwd: folder, stdio: 'ignore' })
  execFileSync(process.execPath, ['build.js'], { cwd: folder, stdio: 'ignore' })
  return { commit: name, main: join(folder, 'dist/main.js') }
}
