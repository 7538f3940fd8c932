// The recipes of docs/examples/tests, run by the test runners themselves with the package as built here: two files that expect an
// untouched chain and then change it. With the recipe's `evm_revert` taken away they fail, so they would notice each other.
import { spawnSync } from 'node:child_process'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../support/process.ts'

const root = join(import.meta.dirname, '../..')
const REVERT = 'client.revert({ id })'

/** A user's project with a recipe: its packages are the runners', and the package and what the project installs itself. */
async function project(recipe: string) {
  const { path, remove } = await temporaryFolder()
  onTestFinished(remove)
  const folder = join(path, 'project')
  await cp(join(root, 'docs/examples/tests', recipe), folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }')
  await symlink(join(import.meta.dirname, 'runners/node_modules'), join(path, 'node_modules'))
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules/kestrel-evm'))
  for (const name of ['vitest', 'viem'])
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  return folder
}

/** Runs a program of Node.js without what this test runner tells its children. */
function run(cwd: string, args: readonly string[]) {
  const { PATH = '' } = process.env
  const options = { cwd, env: { PATH, NO_COLOR: '1' }, encoding: 'utf8', timeout: 120_000 } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options)
  return { status, output: stdout + stderr }
}

describe.each([
  {
    recipe: 'vitest',
    chain: 'chain.ts',
    args: ['../project/node_modules/vitest/vitest.mjs', 'run'],
    passed: /Tests +2 passed/,
  },
  { recipe: 'jest', chain: 'chain.cjs', args: ['../node_modules/jest/bin/jest.js'], passed: /Tests: +2 passed/ },
  { recipe: 'mocha', chain: 'chain.mjs', args: ['../node_modules/mocha/bin/mocha.js'], passed: /\b4 passing/ },
  { recipe: 'node-test', chain: 'chain.mjs', args: ['--test'], passed: /\bpass 4\n/ },
])('the recipe for $recipe', ({ recipe, chain, args, passed }) => {
  it('gives each file a chain of its own and ends, and its files fail without evm_revert', async () => {
    const folder = await project(recipe)
    const good = run(folder, args)
    expect(good.output).toMatch(passed)
    expect(good.status).toBe(0)

    const source = await readFile(join(folder, chain), 'utf8')
    expect(source).toContain(REVERT)
    await writeFile(join(folder, chain), source.replace(REVERT, 'undefined'))
    const bad = run(folder, args)
    expect(bad.output).toContain('10001000000000000000000n')
    expect(bad.status).not.toBe(0)
  })
})
