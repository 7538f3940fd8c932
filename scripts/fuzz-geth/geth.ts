// go-ethereum's programs `evm` and `geth` at a pinned version: from the path, from the cache, or built there with Go.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export const GETH_VERSION = '1.17.10'
const run = promisify(execFile)

/** Path of the cached program of this version. */
const cache = (): string =>
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'kestrel', `geth-${GETH_VERSION}`)

/** Whether a program has the pinned version. */
async function isPinned(program: string): Promise<boolean> {
  try {
    return (await run(program, ['--version'])).stdout.includes(` ${GETH_VERSION}`)
  } catch {
    return false
  }
}

/**
 * The path of a program; undefined when there is none and it cannot be built here. `GETH_EVM` or `GETH` sets one; any other
 * must have the pinned version.
 */
export async function gethProgram(name: 'evm' | 'geth'): Promise<string | undefined> {
  const named = process.env[name === 'evm' ? 'GETH_EVM' : 'GETH']
  const kept = join(cache(), name)
  for (const program of [named, name, kept]) if (program !== undefined && (await isPinned(program))) return program
  const version = `github.com/ethereum/go-ethereum/cmd/${name}@v${GETH_VERSION}`
  try {
    await run('go', ['install', version], { env: { ...process.env, GOBIN: cache() }, timeout: 600_000 })
  } catch {
    return undefined
  }
  return existsSync(kept) ? kept : undefined
}
