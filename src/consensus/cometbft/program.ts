// Finds CometBFT's program and its version. Only release lines that this application was tested with are accepted.
import { execFile } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { ChainError } from '../../lib/errors.ts'

export type CometBftVersion = {
  /** `0.40.0` */
  readonly version: string
  /** Whether it can ask the application for transactions (`mempool.type = "app"`). */
  readonly hasAppMempool: boolean
}

const INSTALL = 'go install github.com/cometbft/cometbft/cmd/cometbft@v0.40.0 builds one'
/** Milliseconds in which a program must print its version. */
const PATIENCE = 20_000

/**
 * Path of CometBFT: the given one (`--cometbft`), else that of the environment variable COMETBFT, else `cometbft` on PATH.
 * Throws ChainError `not-found` with what to do.
 */
export function findCometBft(given: string | undefined, env: NodeJS.ProcessEnv = process.env): string {
  const named = given ?? (env.COMETBFT || undefined)
  if (named !== undefined) {
    const found = /[/\\]/.test(named) ? (isProgram(named) ? named : undefined) : onPath(named, env)
    const by = given === undefined ? 'COMETBFT' : '--cometbft'
    if (found === undefined) throw new ChainError('not-found', `${by}: ${named}: no such program; ${INSTALL}`)
    return found
  }
  const found = onPath('cometbft', env)
  if (found !== undefined) return found
  throw new ChainError(
    'not-found',
    `no cometbft on PATH; ${INSTALL}, --cometbft PATH or the variable COMETBFT names one`,
  )
}

const onPath = (name: string, { PATH = '' }: NodeJS.ProcessEnv): string | undefined =>
  PATH.split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isProgram)

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Version that a build of 0.40.0 by `go install` prints: the constant in its sources was not raised. */
const STALE_VERSION = '0.39.0'

/**
 * Version of a CometBFT program, which has to be 0.38 or 0.40. Throws ChainError `not-allowed` for other versions and programs.
 */
export async function cometBftVersion(program: string): Promise<CometBftVersion> {
  let text: string
  try {
    text = (await promisify(execFile)(program, ['version'], { timeout: PATIENCE })).stdout
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new ChainError('not-allowed', `${program} does not tell its version${reason}; ${INSTALL}`)
  }
  const printed = /^v?(\d+\.\d+\.\d+\S*)/m.exec(text.trim())?.[1]
  if (printed === undefined) throw new ChainError('not-allowed', `${program} is no cometbft; ${INSTALL}`)
  const version = printed === STALE_VERSION ? ((await builtVersion(program)) ?? printed) : printed
  if (/^0\.38\./.test(version)) return { version, hasAppMempool: false }
  if (/^0\.40\./.test(version)) return { version, hasAppMempool: true }
  throw new ChainError('not-allowed', `${program} is cometbft ${version}: this node needs 0.40 or 0.38; ${INSTALL}`)
}

/** The module version that Go embeds in a program; undefined if there is none, or for a build from a checkout. */
async function builtVersion(program: string): Promise<string | undefined> {
  const bytes = await readFile(program)
  const prefix = 'mod\tgithub.com/cometbft/cometbft\tv'
  const at = bytes.indexOf(prefix)
  if (at < 0) return undefined
  const line = bytes.subarray(at + prefix.length, at + prefix.length + 64).toString('latin1')
  return /^\d+\.\d+\.\d+[\w.+-]*/.exec(line)?.[0]
}
