// A transaction's calls with their events, as a tree, and the state that it changed, in lines of the terminal.
import { CONSOLE, consoleText } from '../../contracts/console.ts'
import {
  addressInWords,
  callAndValueInWords,
  coins,
  revertInWords,
  type WordedChain,
} from '../../contracts/message-words.ts'
import { eventInWords, ifHere } from '../../contracts/words.ts'
import type { LineBelow } from '../../lib/log.ts'
import type { Log } from '../../primitives/types.ts'
import type { CallTree, FrameNote } from '../../runtime/types.ts'
import type { AccountDiff, TransactionDiff } from '../../state/types.ts'

/** Most lines of a list. */
const MOST_LINES = 200

/** An event in words, with its contract. */
export function eventInLine(known: WordedChain, log: Log): string {
  const [topic] = log.topics
  const words = ifHere(() => eventInWords(known, log)) ?? (topic === undefined ? 'anonymous' : `${topic.slice(0, 10)}…`)
  return `event ${words} of ${addressInWords(known, log.address)}`
}

/** The calls of a transaction. `notes`: the events of the frames. */
export function callTreeLines(known: WordedChain, root: CallTree, notes: readonly FrameNote[]): LineBelow[] {
  const events = new Map<CallTree, { position: number; log: Log }[]>()
  for (const { frame, position, log } of notes) {
    if (log !== undefined) events.set(frame, [...(events.get(frame) ?? []), { position, log }])
  }
  const childrenOf = (of: CallTree | Log): (CallTree | Log)[] => {
    if (!('calls' in of)) return []
    const logs = events.get(of) ?? []
    return [...of.calls, undefined].flatMap((call, at) => [
      ...logs.flatMap(({ position, log }) => (position === at ? [log] : [])),
      ...(call === undefined ? [] : [call]),
    ])
  }
  return treeLines<CallTree | Log>(root, MOST_LINES, childrenOf, (of, start) =>
    'calls' in of ? frameLine(known, of, start) : { text: start + eventInLine(known, of) },
  )
}

/** A tree in at most so many lines; `lineOf` is given what a line begins with: the branches. */
export function treeLines<T>(
  root: T,
  most: number,
  childrenOf: (of: T) => readonly T[],
  lineOf: (of: T, start: string) => LineBelow,
): LineBelow[] {
  const lines: LineBelow[] = []
  let more = 0
  const walk = (of: T, first: string, below: string): void => {
    if (lines.length < most) lines.push(lineOf(of, first))
    else more++
    const children = childrenOf(of)
    for (const [i, child] of children.entries()) {
      if (i === children.length - 1) walk(child, `${below}└─ `, `${below}   `)
      else walk(child, `${below}├─ `, `${below}│  `)
    }
  }
  walk(root, '', '')
  return withRest(lines, more)
}

const SUFFIX: Readonly<Partial<Record<CallTree['type'], string>>> = {
  STATICCALL: ' [staticcall]',
  DELEGATECALL: ' [delegatecall]',
  CALLCODE: ' [callcode]',
}

function frameLine(known: WordedChain, frame: CallTree, start: string): LineBelow {
  const { type, to, value, input, output, error, gasUsed } = frame
  const printed = to === CONSOLE ? consoleText(input) : undefined
  if (printed !== undefined) return { text: `${start}console.log: ${printed}`, colour: 'blue' }
  if (type === 'SELFDESTRUCT')
    return { text: `${start}selfdestruct: ${coins(value, known.spec)} to ${addressIn(known, to)}` }
  const isCreation = type === 'CREATE' || type === 'CREATE2'
  const message = { to: isCreation ? null : to, value, input, created: isCreation ? (to ?? undefined) : undefined }
  const call = `${start}${callAndValueInWords(known, message)}${SUFFIX[type] ?? ''}  ${gasUsed.toLocaleString('en-US')} gas`
  if (error === undefined) return { text: call }
  return { text: `${call}  failed: ${revertInWords(known, to ?? undefined, output) ?? error}`, colour: 'red' }
}

const addressIn = (known: WordedChain, to: CallTree['to']): string =>
  to === null ? 'nobody' : addressInWords(known, to)

/** The accounts that a transaction changed, with their slots. */
export function stateLines(known: WordedChain, diff: TransactionDiff): LineBelow[] {
  const lines = diff.flatMap((account) => [
    `state of ${addressInWords(known, account.address)}`,
    ...changesOf(known, account).map((change) => `  ${change}`),
  ])
  return withRest(
    lines.slice(0, MOST_LINES).map((text) => ({ text })),
    Math.max(0, lines.length - MOST_LINES),
  )
}

function changesOf({ spec }: WordedChain, { before, after, slots }: AccountDiff): string[] {
  const money = (of: typeof before) => coins(of?.balance ?? 0n, spec)
  const hex = (word: bigint) => `0x${word.toString(16)}`
  return [
    ...((before?.balance ?? 0n) === (after?.balance ?? 0n) ? [] : [`balance ${money(before)} → ${money(after)}`]),
    ...(before?.nonce === after?.nonce ? [] : [`nonce ${before?.nonce ?? 0n} → ${after?.nonce ?? 0n}`]),
    ...(before?.codeHash === after?.codeHash ? [] : [after === undefined ? 'deleted' : `code ${after.codeHash}`]),
    ...slots.map(({ key, before, after }) => `slot ${hex(BigInt(key))}: ${hex(before)} → ${hex(after)}`),
  ]
}

const withRest = (lines: readonly LineBelow[], more: number): LineBelow[] =>
  more === 0 ? [...lines] : [...lines, { text: `… ${more.toLocaleString('en-US')} more lines` }]
