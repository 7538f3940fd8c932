// The files of a relay: its configuration, which `kestrel relay init` writes, and beside it the cursor, from which a start looks for packets
// and which may be lost.
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { serverUrl } from '../../fork/allowed-url.ts'
import { ChainError } from '../../lib/errors.ts'
import { optionsOfHome } from '../network/node-home.ts'

/** Before the URL of the RPC of a chain of the Cosmos SDK. */
export const COSMOS = 'cosmos+'

/** A URL in its usual form, with the mark of its kind; undefined for another text. */
function endUrl(text: string): string | undefined {
  const kind = text.startsWith(COSMOS) ? COSMOS : ''
  const read = serverUrl(text.slice(kind.length))
  return read && `${kind}${read.href}`
}

const url = z.string().transform((text, context) => {
  const read = endUrl(text)
  if (read !== undefined) return read
  context.addIssue({ code: 'custom', message: 'expected a URL of a JSON-RPC server' })
  return z.NEVER
})
const end = z.strictObject({
  /** Nodes of the chain; the first one is asked until it fails. */
  urls: z.array(url).min(1).max(100),
  /** The client of the other chain on this one. */
  client: z.string().regex(/^07-tendermint-\d{1,19}$/, 'expected the id of a client'),
})
const config = z.strictObject({ a: end, b: end })

export type RelayConfig = z.output<typeof config>
export type EndConfig = Pick<RelayConfig['a'], 'urls'>

/** Throws ChainError `not-found` or `invalid-params`. */
export function readConfig(file: string): RelayConfig {
  if (!existsSync(file))
    throw new ChainError('not-found', `${file}: no such file; \`kestrel relay init A B\` writes it`)
  const parsed = config.safeParse(parsedJson(file))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new ChainError('invalid-params', `${file}: ${issue?.path.join('.')}: ${issue?.message}`)
}

/** Writes a file so that it is whole or unchanged. */
function replaceFile(file: string, value: unknown): void {
  const draft = `${file}.new`
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`)
  renameSync(draft, file)
}

export const writeConfig = (file: string, of: RelayConfig): void => replaceFile(file, of)

/**
 * The nodes that an operand of `kestrel relay init` names: a URL, or a folder of `kestrel testnet`. Throws ChainError `invalid-params`.
 */
export function urlsOf(operand: string): readonly string[] {
  const read = endUrl(operand)
  if (read !== undefined) return [read]
  const refuse = (problem: string) => new ChainError('invalid-params', `${operand}: ${problem}`)
  if (!existsSync(operand) || !statSync(operand).isDirectory())
    throw refuse('expected a URL of a JSON-RPC server, or a folder that `kestrel testnet` has made')
  const homes = readdirSync(operand)
    .filter((name) => /^node\d+$/.test(name) && existsSync(join(operand, name, 'node.json')))
    .sort((one, other) => Number(one.slice(4)) - Number(other.slice(4)))
  if (homes.length === 0) throw refuse('this folder has no homes of nodes')
  return homes.map((name) => {
    const { port } = optionsOfHome(join(operand, name))
    if (typeof port !== 'number') throw refuse(`${name}/node.json names no port`)
    return `http://127.0.0.1:${port}/rpc`
  })
}

const block = z
  .string()
  .regex(/^\d{1,19}$/)
  .transform(BigInt)
const cursor = z.object({ clients: z.tuple([z.string(), z.string()]), a: block, b: block })

/** The first blocks of both chains that may have sent packets which have not ended. */
export type Cursor = { readonly a: bigint; readonly b: bigint }

const cursorFile = (file: string): string => `${file}.cursor`

/** The cursor of these clients; from the first blocks on if there is none that can be read. */
export function readCursor(file: string, clients: readonly [string, string]): Cursor {
  const path = cursorFile(file)
  const parsed = existsSync(path) ? cursor.safeParse(parsedOrNothing(path)).data : undefined
  const isOurs = parsed?.clients.join() === clients.join()
  return isOurs && parsed !== undefined ? { a: parsed.a, b: parsed.b } : { a: 0n, b: 0n }
}

export const writeCursor = (file: string, clients: readonly [string, string], { a, b }: Cursor): void =>
  replaceFile(cursorFile(file), { clients, a: String(a), b: String(b) })

function parsedJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) throw new ChainError('invalid-params', `${file}: expected JSON`)
    throw error
  }
}

function parsedOrNothing(file: string): unknown {
  try {
    return parsedJson(file)
  } catch {
    return undefined
  }
}
