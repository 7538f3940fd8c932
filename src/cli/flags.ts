// Kinds of option values. The command line gives text; `startNode` gives text, numbers, lists. A bad value is refused in one
// line that names the flag and what was expected.
import { z } from 'zod'
import { serverUrl } from '../fork/allowed-url.ts'
import { ANY, LOCAL } from '../http/access.ts'
import { isNetwork } from '../http/clients.ts'
import { ChainError } from '../lib/errors.ts'
import { type Address, hexToAddress, hexToHash } from '../lib/hex.ts'
import { WrongCommandLine } from './explain.ts'

const DIGITS = /^\d+$/
/** Scheme, host and port, without a path. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/
const HOST_NAME = /^[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?$/
/** A peer in CometBFT's notation. */
const PEER = /^[0-9a-f]{40}@(?:[a-z0-9._-]+|\[[0-9a-f:.]+\]):\d{1,5}$/
const INTEGER = /^(\d+|0x[0-9a-f]+)$/i

/** A whole number; a text is decimal or 0x hex. */
export type Integer = number | bigint | string

/** The types that `startNode` takes, by their TypeScript text, which is the schema's `meta().type`. */
type Given = { string: string; number: number; Integer: Integer; 'readonly string[]': readonly string[] }

/** A value that `read` makes of a text; undefined refuses the text. Numbers and lists are converted to text first. */
const value = <Type extends keyof Given, T>(type: Type, expected: string, read: (text: string) => T | undefined) =>
  textValue<Given[Type], T>(type, expected, read)

const textValue = <Input, T>(type: string, expected: string, read: (text: string) => T | undefined) =>
  z
    .custom<Input>()
    .transform((given: unknown, context) => {
      const text = Array.isArray(given) && given.length === 0 ? 'none' : String(given)
      const result = read(text.trim())
      if (result !== undefined) return result
      context.addIssue({ code: 'custom', message: `expected ${expected}, not "${text}"` })
      return z.NEVER
    })
    .meta({ type })

export const wholeNumber = (min: number, max: number) =>
  value('number', `a whole number from ${min} to ${max}`, (text) => {
    const value = Number(text)
    return DIGITS.test(text) && value >= min && value <= max ? value : undefined
  })

/** The path of a file or folder, unchanged. An empty one is refused, because it would mean the current folder. */
export const path = z.string('expected a path').min(1, 'expected a path').meta({ type: 'string' })

/** A text that matches; `what` describes it. */
export const matching = (pattern: RegExp, what: string) =>
  value('string', what, (text) => (pattern.test(text) ? text : undefined))

/** Any text. */
export const text = z.string('expected a text').meta({ type: 'string' })

export const host = z
  .string('expected a host name or address')
  .regex(/^[\w.:%-]+$/, 'expected a host name or address')
  .meta({ type: 'string' })

/** Files of an option that may be repeated. */
export const paths = z.array(path, 'expected paths').readonly().default([]).meta({ type: 'readonly string[]' })

/** Decimal, or hex with `0x`. */
export const integer = (min: bigint, max: bigint) =>
  value('Integer', `an integer from ${min} to ${max}`, (text) => {
    if (!INTEGER.test(text)) return undefined
    const value = BigInt(text)
    return value >= min && value <= max ? value : undefined
  })

/** When blocks are on disk: `block`, or the most milliseconds that a sync may come later. */
export const durable = textValue<'block' | number, 'block' | number>(
  "'block' | number",
  'block, or a whole number of milliseconds from 1 to 60000',
  (text) => {
    const milliseconds = Number(text)
    if (text === 'block') return text
    return DIGITS.test(text) && milliseconds >= 1 && milliseconds <= 60_000 ? milliseconds : undefined
  },
)

export const seconds = value('number', 'a number of seconds above 0', (text) => {
  const value = Number(text)
  return /^\d+(\.\d+)?$/.test(text) && value > 0 && value <= 86_400 ? value : undefined
})

/** Whole coins, with up to 18 decimals, to base coins. */
export const coins = value('Integer', 'an amount of coins such as 10000 or 0.5', (text) => {
  const [, whole, decimals = ''] = /^(\d{1,40})(?:\.(\d{1,18}))?$/.exec(text) ?? []
  return whole === undefined ? undefined : BigInt(whole + decimals.padEnd(18, '0'))
})

/** Names separated by commas; `none` is the empty list. */
export const list = value('readonly string[]', 'names separated by commas, or none', (text) => {
  const entries = text === 'none' ? [] : text.split(',').map((entry) => entry.trim())
  return entries.includes('') ? undefined : entries
})

/** Origins as browsers write them, and the words `local`, `null` and `*`. */
export const origins = listOf(
  `origins such as https://app.example or http://localhost:3000, ${LOCAL}, null or ${ANY}`,
  (text) => ([LOCAL, ANY, 'null'].includes(text) ? text : toOrigin(text)),
)

/** Host names without ports, and `*`. */
export const hosts = listOf(`host names without ports, or ${ANY}`, (text) =>
  text === ANY || HOST_NAME.test(text) ? text : undefined,
)

/** IP addresses, and networks in CIDR notation. */
export const networks = listOf('IP addresses or networks such as 10.0.0.0/8', (text) =>
  isNetwork(text) ? text : undefined,
)

export const heights = listOf('numbers of blocks', (text) => (/^\d{1,15}$/.test(text) ? text : undefined))

/** Nodes of a network, by their ids and addresses. */
export const peers = listOf('ID@HOST:PORT, where ID has 40 hex digits', (text) => (PEER.test(text) ? text : undefined))

/** Address at which a consensus engine waits for its signer, as CometBFT's `priv_validator_laddr`. */
export const signer = value('string', 'tcp://HOST:PORT, unix:///PATH or noise://PEER@HOST:PORT', (text) =>
  /^(?:tcp:\/\/[^/@]+:\d{1,5}|unix:\/\/\/.+|noise:\/\/\w+@[^/@]+:\d{1,5})$/.test(text) ? text : undefined,
)

export const address = value('string', 'an address (0x and 40 hex digits)', toAddress)

/** Repeated flags, each of which may hold several addresses. */
export const addresses = z
  .array(z.string('expected addresses'), 'expected addresses')
  .readonly()
  .transform((texts) => texts.flatMap((text) => text.split(',')))
  .pipe(z.array(address))
  .default([])
  .meta({ type: 'readonly string[]' })

/** A list in lower case, separated by commas; `none` is the empty list. */
function listOf(expected: string, read: (text: string) => string | undefined) {
  return value('readonly string[]', `${expected}, separated by commas; or none`, (text) => {
    if (text === 'none') return []
    const entries = text.split(',').map((entry) => read(entry.trim().toLowerCase()))
    return entries.every((entry) => entry !== undefined) ? entries : undefined
  })
}

/** An origin as browsers write it: without the scheme's default port. */
function toOrigin(text: string): string | undefined {
  if (!ORIGIN.test(text) || !URL.canParse(text)) return undefined
  const { origin } = new URL(text)
  // URL returns the origin `null` for other schemes, for example those of browser extensions.
  return origin === 'null' ? text : origin
}

/** URL of an IPFS gateway, with or without `/ipfs/`. */
export const ipfsGateway = value('string', 'an http(s) URL such as https://ipfs.io, or none', (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (text === 'none') return text
  return url !== undefined && /^https?:$/.test(url.protocol) && url.search + url.hash === '' ? url.href : undefined
})

/** URL of a server of sources. It may hold a key, so a refusal does not show it. */
export const sourcesUrl = z
  .string('expected a URL')
  .transform((text, context) => {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url !== undefined && /^https?:$/.test(url.protocol) && url.username + url.password === '') return url
    context.addIssue({ code: 'custom', message: 'expected an http(s) URL without a user name' })
    return z.NEVER
  })
  .meta({ type: 'string' })

/** Texts of an option that may be repeated. They may hold keys, so a refusal does not show them. */
const eachOf = <T>(all: string, expected: string, read: (text: string) => T | undefined) =>
  z
    .array(z.string(`expected ${all}`), `expected ${all}`)
    .readonly()
    .transform((texts, context) =>
      texts.map((text) => {
        const found = read(text)
        if (found !== undefined) return found
        context.addIssue({ code: 'custom', message: `expected ${expected}` })
        return z.NEVER
      }),
    )
    .default([])
    .meta({ type: 'readonly string[]' })

/** URLs of one chain, each with an optional `@BLOCK`; the block of the last one that has one counts. */
export const forkUrls = eachOf('URLs', 'an http, https, ws or wss URL, with or without @BLOCK', (text) => {
  const [, address = '', block] = /^(.*?)(?:@(\d+|latest))?$/.exec(text.trim()) ?? []
  // A name before the host has an @ too.
  const url = serverUrl(address)
  return url && { url, block: block === undefined || block === 'latest' ? undefined : BigInt(block) }
})

/** HTTP headers, as `Name: value`. */
export const headers = eachOf(
  'headers',
  'a header such as "Authorization: Bearer KEY"',
  (text): readonly [string, string] | undefined => {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*([\t\x20-\x7e]*)$/.exec(text) ?? []
    return name === undefined || value === undefined ? undefined : [name, value]
  },
)

/** 32 bytes in hex. */
export const hash = value('string', 'a hash (0x and 64 hex digits)', (text) =>
  /^0x[0-9a-fA-F]{64}$/.test(text) ? hexToHash(text.toLowerCase()) : undefined,
)

/** A block's number; a negative one counts from the head. */
export const blockNumber = value('Integer', 'a block number, or a negative number to count from the head', (text) =>
  /^-?\d{1,18}$/.test(text) ? BigInt(text) : undefined,
)

export const oneOf = <const T extends readonly string[]>(...words: T) =>
  textValue<T[number], T[number]>(words.map((word) => `'${word}'`).join(' | '), `one of ${words.join(', ')}`, (text) =>
    words.find((word): word is T[number] => word === text),
  )

function toAddress(text: string): Address | undefined {
  return /^0x[0-9a-fA-F]{40}$/.test(text) ? hexToAddress(text) : undefined
}

/** Checks what commander read. Throws WrongCommandLine: `--port: expected …`. */
export function readFlags<S extends z.ZodType>(schema: S, given: unknown): z.output<S> {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw wrongFlag(String(issue?.path[0] ?? 'flag'), issue?.message ?? 'is not valid')
}

/** The error for a flag (name in camel case) that contradicts files or the chain; the exit code is 1. */
export const refuseFlag = (name: string, problem: string): ChainError =>
  new ChainError('invalid-params', flagText(name, problem))

/** The error for a flag whose value is wrong or conflicts with other flags; the exit code is 2. */
export const wrongFlag = (name: string, problem: string): WrongCommandLine =>
  new WrongCommandLine('invalid-params', flagText(name, problem))

/**
 * Checks an operand; `name` is that on the help page. Throws WrongCommandLine: `<file>: expected …`.
 */
export function readOperand<S extends z.ZodType>(name: string, schema: S, given: unknown): z.output<S> {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw wrongOperand(name, parsed.error.issues[0]?.message ?? 'is not valid')
}

/** The error for an operand that is missing, wrong or conflicts with another. */
export const wrongOperand = (name: string, problem: string): WrongCommandLine =>
  new WrongCommandLine('invalid-params', `<${name}>: ${problem}`)

const flagText = (name: string, problem: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: ${problem}`
