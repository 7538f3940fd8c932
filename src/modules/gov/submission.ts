// A proposal's submission: one JSON text with messages, title, summary and metadata.

import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import type { Address } from '../../lib/hex.ts'
import type { NativeSpec } from '../../spec/chain-spec.ts'
import { reverted } from '../module.ts'
import { type ProposalMessage, readMessage } from './messages.ts'

export type ProposalSubmission = {
  readonly title: string
  readonly summary: string
  readonly metadata: string
  readonly isExpedited: boolean
  /** As JSON; `@type` is the type's printed name. */
  readonly messages: readonly string[]
  readonly parsedMessages: readonly ProposalMessage[]
}

/** Maximum bytes of the whole text. */
export const LONGEST_SUBMISSION = 100_000
/** Maximum bytes, as in the SDK. */
export const LONGEST_METADATA = 255
const LONGEST_SUMMARY = 40 * LONGEST_METADATA
const MOST_MESSAGES = 64

const envelope = z.strictObject({
  messages: z.array(z.unknown()).default([]),
  metadata: z.string().default(''),
  title: z.string().default(''),
  summary: z.string().default(''),
  expedited: z.boolean().default(false),
  /** Accepted because files for the SDK's commands have it, and ignored: the sent coins are the deposit. */
  deposit: z.unknown().optional(),
})

/** Reads and checks a submission. Throws ChainError. */
export function readSubmission(spec: NativeSpec, bytes: Uint8Array): ProposalSubmission {
  if (bytes.length > LONGEST_SUBMISSION) {
    throw reverted(`proposal of ${bytes.length} bytes is longer than ${LONGEST_SUBMISSION}: invalid request`)
  }
  const parsed = envelope.safeParse(jsonOf(bytes))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const unknown = issue?.code === 'unrecognized_keys' ? `unknown field ${issue.keys[0]}` : undefined
    const field = issue?.path.join('.') ?? ''
    throw reverted(`invalid proposal JSON: ${unknown ?? (field === '' ? 'expected an object' : `invalid ${field}`)}`)
  }
  const { messages, title, summary, metadata, expedited } = parsed.data
  if (title === '') throw reverted('proposal title cannot be empty: invalid request')
  if (summary === '') throw reverted('proposal summary cannot be empty: invalid request')
  requireLength('title', title, LONGEST_METADATA)
  requireLength('summary', summary, LONGEST_SUMMARY)
  requireLength('metadata', metadata, LONGEST_METADATA)
  if (messages.length > MOST_MESSAGES) throw reverted(`more than ${MOST_MESSAGES} messages: invalid request`)
  const parsedMessages = messages.map((json, index) => actOf(spec, json, index))
  return {
    title,
    summary,
    metadata,
    isExpedited: expedited,
    parsedMessages,
    messages: parsedMessages.map(({ type }, index) => JSON.stringify({ ...recordOf(messages[index]), '@type': type })),
  }
}

/** Parses a message of `ProposalSubmission.messages` from storage. */
export const readStored = (spec: NativeSpec, message: string): ProposalMessage => readMessage(spec, JSON.parse(message))

/** Contracts that the messages register as token pairs, without duplicates. */
export const tokensOf = ({ parsedMessages }: ProposalSubmission): readonly Address[] => [
  ...new Set(parsedMessages.flatMap(({ tokens }) => tokens)),
]

/** Number of lists of opcode proposals to check at submission. */
export const listsOf = ({ parsedMessages }: ProposalSubmission): number =>
  parsedMessages.reduce((sum, { lists }) => sum + lists, 0)

/** Throws ChainError `got <what> with length <n>: <what> too long`. */
export function requireLength(what: string, text: string, most: number): void {
  const length = Buffer.byteLength(text, 'utf8')
  if (length > most) throw reverted(`got ${what} with length ${length}: ${what} too long`)
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    // A fixed text: a contract may store the error, and JavaScript engines word it differently.
    throw reverted('invalid proposal JSON: malformed')
  }
}

function actOf(spec: NativeSpec, json: unknown, index: number): ProposalMessage {
  try {
    return readMessage(spec, json)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw reverted(`message ${index}: ${error.message}`)
  }
}

const recordOf = (json: unknown): object => (typeof json === 'object' && json !== null ? json : {})
