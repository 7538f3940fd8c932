// The record of a mined transaction in the log: a line in words, and lines below it: what its contracts print, why it failed,
// and at higher verbosity its events, its calls and the state that it changed.
import { consoleCalls, printedBelow, printedLines } from '../../contracts/console.ts'
import { messageInWords, revertInWords, type WordedChain } from '../../contracts/message-words.ts'
import { type Colour, type LineBelow, lineWidth } from '../../lib/log.ts'
import type { CallTree, ExecutedBlock } from '../../runtime/types.ts'
import { callTreeLines, eventInLine, stateLines } from './call-tree-lines.ts'

/** Most events that are shown. */
const MOST_EVENTS = 50

/** What is shown of a transaction. */
export type Detail = {
  /** 0: the transaction; 1: with its events; 2: with its calls; 3: with the state that it changed. */
  readonly verbosity: number
  /** Whether to show what contracts print. */
  readonly prints: boolean
}

export type TransactionRecord = {
  readonly fields: Readonly<Record<string, unknown>>
  readonly text: string
  readonly lines: readonly LineBelow[]
  /** Why it failed; undefined: it did not. */
  readonly failure: string | undefined
}

/** `time`: milliseconds that the block took; undefined: of several transactions. */
export function transactionRecord(
  known: WordedChain,
  executed: ExecutedBlock,
  index: number,
  time: number | undefined,
  detail: Detail,
): TransactionRecord | undefined {
  const transaction = executed.block.transactions[index]
  const receipt = executed.receipts[index]
  const tree = executed.callTrees[index]
  if (transaction === undefined || receipt === undefined || tree === undefined) return undefined
  const { hash, from, to, value, data: input } = transaction
  const { number } = executed.block.header
  const message = { from, to, value, input, created: receipt.contractAddress ?? undefined }
  const gas = `block ${number}  ${receipt.gasUsed.toLocaleString('en-US')} gas`
  const width = lineWidth()
  const words = messageInWords(known, message, width - gas.length - 2)
  const text = longestThatFits([words, gas, time === undefined ? '' : `${time.toFixed(1)} ms`, hash], width)
  const isFailed = receipt.status === 0
  const printed = printedLines(detail.prints ? consoleCalls(tree) : [])
  const error = isFailed ? failureInWords(known, tree) : undefined
  const below = (line: string, colour: Colour): LineBelow => ({ text: line, colour })
  return {
    fields: {
      ...{ hash, from, to, gasUsed: receipt.gasUsed.toString(), status: receipt.status, block: number.toString() },
      ...(printed.first.length > 0 && { console: printed.first }),
      ...(error !== undefined && { error }),
    },
    text,
    lines: [
      ...[gas, hash].filter((piece) => !text.includes(piece)).map((piece) => below(piece, 'grey')),
      // The call tree has them in their places.
      ...(detail.verbosity < 2 ? printedBelow(printed) : []),
      ...linesOfDetail(known, executed, index, tree, detail),
    ],
    failure: error,
  }
}

/** The first piece with as many of the next ones as fit. */
function longestThatFits([first = '', ...rest]: readonly string[], width: number): string {
  let line = first
  for (const piece of rest) {
    if (piece === '') continue
    if (line.length + 2 + piece.length > width) break
    line += `  ${piece}`
  }
  return line
}

function linesOfDetail(
  known: WordedChain,
  { receipts, recording, diffs }: ExecutedBlock,
  index: number,
  tree: CallTree,
  { verbosity }: Detail,
): LineBelow[] {
  const lines: LineBelow[] = []
  const notes = verbosity >= 2 ? recording?.notes[index] : undefined
  if (verbosity >= 2) lines.push(...callTreeLines(known, tree, notes ?? []))
  if (verbosity >= 1 && notes === undefined) {
    const logs = receipts[index]?.logs ?? []
    lines.push(...logs.slice(0, MOST_EVENTS).map((log) => ({ text: eventInLine(known, log) })))
    if (logs.length > MOST_EVENTS) lines.push({ text: `… ${logs.length - MOST_EVENTS} more events` })
  }
  if (verbosity >= 3) lines.push(...stateLines(known, diffs[index] ?? []))
  return lines
}

/** Why a transaction failed: its revert data in words, by the contract that has made them, or geth's words. */
function failureInWords(known: WordedChain, root: CallTree): string {
  let origin = root
  for (;;) {
    const inner = origin.calls.findLast(({ output }) => output.length > 0 && Buffer.compare(output, root.output) === 0)
    if (inner === undefined || inner.error === undefined) break
    origin = inner
  }
  const words =
    root.error === 'execution reverted' ? revertInWords(known, origin.to ?? undefined, root.output) : undefined
  return words ?? root.error ?? 'reverted'
}
