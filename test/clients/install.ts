// Installs the packages of the projects in this folder: third-party tools at pinned versions, each project with its own
// lockfile, because their versions conflict and users of the node do not need them.
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Runs `npm ci` in every project whose installed packages differ from its lockfile. Vitest calls it before the tests. */
export default async function install(): Promise<void> {
  for (const entry of readdirSync(import.meta.dirname, { withFileTypes: true })) {
    const folder = join(import.meta.dirname, entry.name)
    const lockfile = join(folder, 'package-lock.json')
    if (!entry.isDirectory() || !existsSync(lockfile)) continue
    const installed = join(folder, 'node_modules', 'installed-lockfile.json')
    if (existsSync(installed) && readFileSync(installed, 'utf8') === readFileSync(lockfile, 'utf8')) continue
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
    copyFileSync(lockfile, installed)
  }
}
