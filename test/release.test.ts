// `npm run release` refuses what must not be published, before it builds anything, and the workflow that publishes runs commands
// that exist with the fewest rights.
import { execFileSync, spawnSync } from 'node:child_process'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { temporaryFolder } from './support/process.ts'

const root = join(import.meta.dirname, '..')
const REPOSITORY = { repository: 'github:someone/kestrel' }

/** A repository of two files with the script, all committed; `git` and `release` run in it. */
async function repository(manifest: object, changelog: string) {
  const { path, remove } = await temporaryFolder()
  onTestFinished(remove)
  await mkdir(join(path, 'scripts'))
  await cp(join(root, 'scripts/release.ts'), join(path, 'scripts/release.ts'))
  await symlink(join(root, 'node_modules'), join(path, 'node_modules'))
  await writeFile(join(path, 'package.json'), JSON.stringify({ type: 'module', version: '1.2.3', ...manifest }))
  await writeFile(join(path, 'CHANGELOG.md'), changelog)
  await writeFile(join(path, '.gitignore'), 'node_modules\n')
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.org']
  const git = (...args: string[]) => execFileSync('git', [...identity, ...args], { cwd: path, stdio: 'ignore' })
  git('init')
  git('add', '.')
  git('commit', '-m', 'first')
  const release = () => {
    const tsx = join(root, 'node_modules/tsx/dist/cli.mjs')
    const { status, stderr } = spawnSync(process.execPath, [tsx, 'scripts/release.ts'], { cwd: path, encoding: 'utf8' })
    return { status, lines: stderr.split('\n').filter((line) => line.startsWith('release: ')) }
  }
  return { path, git, release }
}

describe('npm run release refuses', () => {
  it('a dirty tree, a version without notes, and a package without a repository', async () => {
    const { path, release } = await repository({}, '# Changelog\n\n## 1.2.2 (2026-01-01)\n\n- Old.\n')
    await writeFile(join(path, 'more'), '')
    expect(release()).toEqual({
      status: 1,
      lines: [
        'release: there are changes that are not committed',
        'release: CHANGELOG.md has no notes below `## 1.2.3 (DATE)`',
        'release: package.json names no `repository`, which npm compares with the provenance',
      ],
    })
  })

  it('notes without a date, and an empty section', async () => {
    const undated = await repository(REPOSITORY, '## 1.2.3 (unreleased)\n\n- New.\n')
    const needsDate = 'release: CHANGELOG.md: `## 1.2.3 (unreleased)` needs the date of the release'
    expect(undated.release()).toEqual({ status: 1, lines: [needsDate] })
    const empty = await repository(REPOSITORY, '## 1.2.3 (2026-01-02)\n\n## 1.2.2 (2026-01-01)\n\n- Old.\n')
    expect(empty.release().lines).toEqual(['release: CHANGELOG.md has no notes below `## 1.2.3 (DATE)`'])
  })

  it('a version whose tag is another commit, of both kinds of tags; not one that is tagged here', async () => {
    const { git, release } = await repository(REPOSITORY, '## 1.2.3 (2026-01-02)\n\n- New.\n')
    git('tag', '-a', 'v1.2.3', '-m', 'here')
    // It goes on to pack the package, which is not there.
    expect(release()).toEqual({ status: 1, lines: [] })
    git('commit', '--allow-empty', '-m', 'second')
    expect(release().lines).toEqual(['release: the tag v1.2.3 is another commit'])
    git('tag', '-f', 'v1.2.3', 'HEAD~1')
    expect(release().lines).toEqual(['release: the tag v1.2.3 is another commit'])
  })
})

describe('the workflow of releases', async () => {
  type Job = { permissions: Record<string, string>; environment?: string; steps: { uses?: string; run?: string }[] }
  const text = await readFile(join(root, '.github/workflows/release.yml'), 'utf8')
  const workflow: { on: object; permissions: object; jobs: Record<'build' | 'publish', Job> } = parse(text)
  const { build, publish } = workflow.jobs
  const steps = [...build.steps, ...publish.steps]

  it('starts by hand only, and only the approved job may write', () => {
    expect(workflow.on).toEqual({ workflow_dispatch: null })
    expect(workflow.permissions).toEqual({})
    expect(build.permissions).toEqual({ contents: 'read' })
    expect(publish).toMatchObject({
      environment: 'signed-off',
      permissions: { contents: 'write', 'id-token': 'write' },
    })
    expect(JSON.stringify(build)).not.toContain('secrets.')
  })

  it('pins each action by a commit, and runs scripts that exist', async () => {
    const actions = steps.flatMap(({ uses }) => uses ?? [])
    expect(actions).toHaveLength(5)
    for (const action of actions) expect(action).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40}$/)
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const names = steps.flatMap(({ run = '' }) => [...run.matchAll(/npm run (\S+)/g)].map(([, name = '']) => name))
    expect(names).toEqual(['check', 'unused', 'release'])
    for (const name of names) expect(scripts).toHaveProperty(name)
  })
})
