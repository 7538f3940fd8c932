// A debug session: the recording of a transaction or call with what is known of its sources, ready for moves and positions.

import type { Address } from '../../lib/hex.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import type { Recording } from '../../runtime/tracing/step-recorder.ts'
import type { StorageHistory } from '../../runtime/tracing/storage-history.ts'
import type { CallTree } from '../../runtime/types.ts'
import { CONSOLE, consoleText } from '../console.ts'
import { contractLayout } from '../contract-layout.ts'
import type { DebugContext } from '../debug-info.ts'
import { failureInWords } from '../failure-words.ts'
import { codesOf, debugOf, enumsOf, failedFrames, logsByFrame, messageName } from '../stack-trace.ts'
import { eventInWords, FULL } from '../words.ts'
import { Activations } from './activations.ts'
import type { Movable } from './moves.ts'
import { AccountStorage } from './stored-variables.ts'

/** A text that a step has added to the events or to the console; `until`: where a failure has undone it. */
type Said = { readonly step: number; readonly until: number; readonly text: string }

export type DebugSession = Movable & {
  /** The state behind it, for what it has not touched. */
  readonly known: DebugContext
  /** Storage by the names of variables, of accounts whose layout is known. */
  readonly stored: Map<Address, AccountStorage>
  /** Names of messages that are not known by their code. */
  readonly nameOf: (frame: CallTree) => string
  /** Why it failed. */
  readonly reason: string | undefined
  readonly storage: StorageHistory
  readonly events: readonly Said[]
  readonly console: readonly Said[]
  readonly files: readonly { readonly path: string; readonly text: string }[]
  readonly root: CallSummary
}

/** A message, with those that it has sent. */
export type CallSummary = {
  readonly function: string
  readonly address: CallTree['to']
  readonly step: number
  readonly end: number
  readonly error?: string
  readonly calls: readonly CallSummary[]
}

const LOG0 = 0xa0
const LOG4 = 0xa4
/** Most events; those before are left out. */
const MOST_EVENTS = 10_000
/** Most messages of a summary. */
const MOST_CALLS = 10_000

/** Prepares a recording that keeps values. */
export async function openSession(context: DebugContext, recording: Recording): Promise<DebugSession> {
  const { values, root, frames } = recording
  if (values === undefined) throw new Error('a recording without values')
  const find = debugOf(context, recording)
  const codes = await codesOf(recording, find)
  const known = { ...context, enums: enumsOf(context, recording.frames.keys(), codes) }
  const storage = await values.storage(yieldToEventLoop('heavy'))
  const activations = new Activations(recording, codes)
  const files = new Map<string, string>()
  for (const code of new Set(codes.values()))
    for (const { path, text } of code.files) files.set(path, text.bytes.toString('utf8'))
  const failed = (await failedFrames(recording, find)).at(-1)
  const names = new Map(
    [...frames.keys()].map((frame) => [frame, frame.to === CONSOLE ? 'console.log' : messageName(known, frame, FULL)]),
  )
  const nameOf = (frame: CallTree) => names.get(frame) ?? ''
  return {
    known,
    stored: new Map(),
    nameOf,
    recording,
    activations,
    storage,
    reason:
      root.error === undefined || failed === undefined ? undefined : failureInWords(known, recording, failed, FULL),
    failure: root.error === undefined ? undefined : failureStep(recording, failed?.frame ?? root),
    writesOf: (address, slot) => storage.writesOf(address, slot),
    events: eventsOf(known, recording, storage),
    console: consoleOf(recording),
    files: [...files].map(([path, text]) => ({ path, text })),
    root: summaryOf(nameOf, recording, activations),
  }
}

/** Most accounts whose layouts are looked for. */
const MOST_LAYOUTS = 64

/** Finds the layouts of the accounts that the session's codes run as. Throws MissingState on a fork; then it may be called again. */
export async function findLayouts({ known, storage, activations, stored }: DebugSession): Promise<void> {
  const accounts = new Set(activations.all.map(({ frame }) => storage.selfOf(frame)))
  for (const of of [...accounts].slice(0, MOST_LAYOUTS)) {
    if (of === null || stored.has(of)) continue
    const layout = await contractLayout(known, of)
    if (layout !== undefined) stored.set(of, new AccountStorage(layout.storage, storage, known.view, of))
  }
}

/** The last step of a frame; of one without steps, the step that called it. */
function failureStep({ steps, frames, root }: Recording, frame: CallTree): number {
  const own = frames.get(frame) ?? frames.get(root)
  const step = own === undefined ? 0 : own.end > own.first ? own.end - 1 : own.first - 1
  return Math.min(Math.max(step, steps.first), Math.max(steps.count - 1, 0))
}

function eventsOf(known: DebugContext, recording: Recording, storage: StorageHistory): Said[] {
  const { frames, steps } = recording
  const events: Said[] = []
  for (const [frame, emitted] of logsByFrame(recording.logs.slice(-MOST_EVENTS))) {
    const own = frames.get(frame)
    if (own === undefined) continue
    const until = storage.undoneAt(frame)
    const at = logSteps(recording, frame)
    for (const [i, { log }] of emitted.entries()) {
      const text = eventInWords(known, log, FULL) ?? `${log.address}: ${log.topics.join(', ')}`
      // Those before the first step that is kept.
      const step = at[i - emitted.length + at.length] ?? (at.length === 0 ? own.first - 1 : steps.first)
      events.push({ step, until, text })
    }
  }
  return events.sort((a, b) => a.step - b.step)
}

/** The steps of a frame that have emitted its logs. */
function logSteps({ steps, frames }: Recording, frame: CallTree): number[] {
  const own = frames.get(frame)
  const found: number[] = []
  if (own === undefined) return found
  let step = Math.max(own.first, steps.first)
  for (const inner of [...frame.calls, undefined]) {
    const ran = inner && frames.get(inner)
    if (inner !== undefined && ran === undefined) continue
    for (const end = ran?.first ?? own.end; step < end; step++) {
      const op = steps.op(step)
      // The last step of a failed frame has not been carried out.
      if (op >= LOG0 && op <= LOG4 && step + 1 < own.end) found.push(step)
    }
    if (ran !== undefined) step = Math.max(step, ran.end)
  }
  return found
}

function consoleOf({ frames }: Recording): Said[] {
  const lines: Said[] = []
  for (const [{ to, input }, { first }] of frames) {
    const text = to === CONSOLE ? consoleText(input) : undefined
    if (text !== undefined) lines.push({ step: first - 1, until: Number.POSITIVE_INFINITY, text })
  }
  return lines
}

function summaryOf(nameOf: DebugSession['nameOf'], recording: Recording, activations: Activations): CallSummary {
  const { frames } = recording
  let left = MOST_CALLS
  const names = new Map<CallTree, string>()
  for (const { frame, isMessage, entry, code } of activations.all) {
    const name = isMessage && entry ? code?.functionAt(entry.to)?.name : undefined
    if (name !== undefined) names.set(frame, name)
  }
  const enter = (frame: CallTree): CallSummary => {
    const { first = 0, end = 0 } = frames.get(frame) ?? {}
    const calls: CallSummary[] = []
    for (const inner of frame.calls) if (frames.has(inner) && left-- > 0) calls.push(enter(inner))
    return {
      function: names.get(frame) ?? nameOf(frame),
      address: frame.to,
      step: first,
      end,
      ...(frame.error !== undefined && { error: frame.error }),
      calls,
    }
  }
  return enter(recording.root)
}
