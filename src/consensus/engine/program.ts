// Where the engine's program is, and whether it is one that this node can work with.
import { execFile } from 'node:child_process'
import { constants, createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { ChainError } from '../../lib/errors.ts'

const run = promisify(execFile)

/** The version that the project is tested with. */
export const ENGINE_VERSION = '0.40.0'
/** Speak the same ABCI; v0.38 without transactions from the node's own pool. */
const SUPPORTED = /^v?0\.(38|40)\./
const INSTALL = `go install github.com/cometbft/cometbft/cmd/cometbft@v${ENGINE_VERSION}`

export type EngineProgramFile = {
  readonly path: string
  readonly version: string
  /** Whether the engine can ask the node for transactions. */
  readonly hasAppMempool: boolean
}

/**
 * The engine: the file given, that of the environment variable COMETBFT, or `cometbft` in the path. Throws ChainError
 * `invalid-params` with a line that says how to get one.
 */
export async function findEngine(given: string | undefined): Promise<EngineProgramFile> {
  const path = given ?? process.env.COMETBFT ?? 'cometbft'
  const version = await versionOf(path)
  if (!SUPPORTED.test(version))
    throw new ChainError(
      'invalid-params',
      `${path} is CometBFT ${version}; this node works with 0.38.x and 0.40.x: ${INSTALL}`,
    )
  return { path, version, hasAppMempool: !/^v?0\.38\./.test(version) }
}

async function versionOf(path: string): Promise<string> {
  try {
    const { stdout } = await run(path, ['version'], { timeout: 20_000 })
    const printed = stdout.trim().split(/[\s+]/)[0] ?? ''
    // The program of v0.40.0 prints 0.39.0; v0.39 itself cannot exchange transactions over a socket.
    return printed.startsWith('0.39.') ? ((await moduleVersion(await inPath(path))) ?? printed) : printed
  } catch {
    throw new ChainError(
      'invalid-params',
      `the engine ${path} cannot be run; get it by ${INSTALL}, or name it by --cometbft`,
    )
  }
}

/** What Go writes into a program about the module that it was built from. */
const MODULE = /mod\tgithub\.com\/cometbft\/cometbft\tv(\d+\.\d+\.\d+)/
/** Bytes that the parts of the file overlap by. */
const OVERLAP = 200

/** The version of the module that a program was built from; undefined: it does not say. */
async function moduleVersion(file: string): Promise<string | undefined> {
  let end = ''
  for await (const part of createReadStream(file, { encoding: 'latin1', highWaterMark: 1 << 20 })) {
    const found = MODULE.exec(end + part)?.[1]
    if (found !== undefined) return found
    end = String(part).slice(-OVERLAP)
  }
  return undefined
}

/** The file that a program's name stands for. */
async function inPath(name: string): Promise<string> {
  if (name.includes('/')) return name
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const file = join(folder, name)
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return file
  }
  return name
}
