// Installs the packages of the projects in this folder: third-party tools at pinned versions, each project with its own
// lockfile, because their versions conflict and users of the node do not need them.
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Installs the packages of every project of this folder. Vitest calls it before the tests. */
export default async function install(): Promise<void> {
  for (const entry of readdirSync(import.meta.dirname, { withFileTypes: true })) {
    const folder = join(import.meta.dirname, entry.name)
    if (entry.isDirectory() && existsSync(join(folder, 'package-lock.json'))) await installPackages(folder)
  }
}

/**
 * Runs `npm ci` in a project whose installed packages differ from its lockfile. `instead`: packages that take the place of those that
 * the lockfile names.
 */
export async function installPackages(folder: string, instead: readonly string[] = []): Promise<void> {
  const lockfile = join(folder, 'package-lock.json')
  const installed = join(folder, 'node_modules', 'installed-lockfile.json')
  if (existsSync(installed) && readFileSync(installed, 'utf8') === readFileSync(lockfile, 'utf8')) return
  const npm = (...args: string[]) =>
    promisify(execFile)('npm', [...args, '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
  await npm('ci', ...(instead.length > 0 ? ['--legacy-peer-deps'] : []))
  if (instead.length > 0) await npm('install', '--no-save', '--no-package-lock', '--legacy-peer-deps', ...instead)
  copyFileSync(lockfile, installed)
}
