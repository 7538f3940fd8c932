// The recording of an executed block, from which its transactions are traced without a replay: messages, logs, changes, and the
// state before the first transaction. It is played to tracers that need no opcodes; the others run a transaction on the recorded
// state. The results are equal to those of a replay.
import { NO_LOGS, type Result, resultWithoutCode } from '../../evm/result.ts'
import type { MessageTracer } from '../../evm/tracer.ts'
import { type Address, bigToBytes, type Hash } from '../../lib/hex.ts'
import type { Block, Receipt, Transaction } from '../../primitives/types.ts'
import type { StateView, TransactionDiff } from '../../state/types.ts'
import type { BlockEnv } from '../block-env.ts'
import type { BlockRecording, CallTree, ExecutedBlock, FrameNote } from '../types.ts'
import type { RecordedTracer, TraceOutcome } from './tracer.ts'

/** The recording of a committed block. */
export class RecordedBlock {
  readonly block: Block
  readonly recording: BlockRecording
  /** The state version of the parent. */
  readonly version: number
  /** Estimated bytes. */
  readonly size: number
  readonly #receipts: readonly Receipt[]
  readonly #trees: readonly CallTree[]
  readonly #diffs: readonly TransactionDiff[]
  /** Codes that a transaction gave an account or took from it: those that a later one deleted are not stored. */
  readonly #codes = new Map<Hash, Uint8Array>()

  constructor({ block, receipts, callTrees, diffs, view }: ExecutedBlock, recording: BlockRecording, version: number) {
    this.block = block
    this.recording = recording
    this.version = version
    this.#receipts = receipts
    this.#trees = callTrees
    this.#diffs = diffs
    for (const { before, after } of diffs.flat()) {
      if (before?.codeHash === after?.codeHash) continue
      for (const account of [before, after]) {
        if (account !== undefined) this.#codes.set(account.codeHash, view.codeWith(account.codeHash))
      }
    }
    this.size = this.#estimate()
  }

  /** Whether the given block has the recorded transactions; a client's block may claim any hash. */
  isOf(given: Block): boolean {
    if (given === this.block) return true
    const { header, transactions } = given
    const own = this.block.transactions
    return (
      header.hash === this.block.header.hash &&
      transactions.length === own.length &&
      transactions.every(({ hash }, index) => hash === own[index]?.hash)
    )
  }

  #estimate(): number {
    let size = BLOCK_BYTES + this.recording.start.size * SLOT_BYTES
    for (const transaction of this.block.transactions) size += bytesOfLists(transaction)
    for (const tree of this.#trees) size += bytesOfFrame(tree)
    for (const notes of this.recording.notes) for (const note of notes) size += bytesOfNote(note)
    for (const diff of this.#diffs) for (const { slots } of diff) size += ACCOUNT_BYTES + slots.length * SLOT_BYTES
    for (const { length } of this.#codes.values()) size += length
    return size
  }

  /** Moves a view from the state before one transaction to the state before a later one. Returns the gas that they used. */
  skip(view: StateView, from: number, to: number): bigint {
    for (const diff of this.#diffs.slice(from, to)) this.#apply(view, diff)
    return this.#receipts.slice(from, to).reduce((sum, { gasUsed }) => sum + gasUsed, 0n)
  }

  #apply(view: StateView, diff: TransactionDiff): void {
    for (const { address, before, after, slots } of diff) {
      if (after === undefined) {
        view.deleteAccount(address)
        continue
      }
      const code = before?.codeHash === after.codeHash ? undefined : this.#codes.get(after.codeHash)
      if (code !== undefined) view.setCode(address, code)
      view.setAccount(address, after)
      for (const { key, after } of slots) view.setWord(address, key, bigToBytes(after))
    }
  }

  /**
   * Reads the slots of accounts that a transaction deletes: the changes of a deleted account are its slots that the view knows,
   * and transactions before have read some of them.
   */
  readDeleted(view: StateView, index: number): void {
    for (const { address, after, slots } of this.#diffs[index] ?? [])
      if (after === undefined) for (const { key } of slots) view.word(address, key)
  }

  /** Plays a transaction to a tracer. */
  play(index: number, env: BlockEnv, feeRecipient: Address, tracer: RecordedTracer): TraceOutcome {
    const { header, transactions } = this.block
    const message = transactions[index]
    const root = this.#trees[index]
    const gasUsed = this.#receipts[index]?.gasUsed
    if (message === undefined || root === undefined || gasUsed === undefined) {
      throw new Error(`the block has no transaction ${index}`)
    }
    const { start, contracts, notes } = this.recording
    const machine = {
      isPrecompile: (address: Address) => contracts.precompileAt(address) !== undefined,
      view: {
        transactionDiff: () => this.#diffs[index] ?? [],
        codeWith: (hash: Hash) => this.#codes.get(hash) ?? start.codeWith(hash),
      },
    }
    const position = { blockHash: header.hash, blockNumber: header.number, transactionHash: message.hash, index }
    tracer.start?.({ machine, env, message, feeRecipient, position })
    playMessages(root, notes[index] ?? [], tracer)
    return { gasUsed, returnData: root.output, error: root.error }
  }
}

/** Calls a tracer as the engine did: the notes are in the order in which a walk through the tree comes to their places. */
function playMessages(root: CallTree, notes: readonly FrameNote[], tracer: MessageTracer): void {
  let next = 0
  const playNotes = (frame: CallTree, position: number): void => {
    for (;;) {
      const note = notes[next]
      if (note?.frame !== frame || note.position !== position) return
      next++
      if (note.log !== undefined) tracer.log?.(note.log)
      if (note.refused !== undefined) tracer.refuse?.(note.refused)
    }
  }
  const play = (frame: CallTree, depth: number): void => {
    const { type, from, to, value, gas, input, calls } = frame
    if (type === 'SELFDESTRUCT') {
      if (to !== null) tracer.selfdestruct?.(from, to, value)
      return
    }
    tracer.enter?.({ type, from, to: isCreation(frame) ? null : to, value, gas, input, depth })
    for (const [position, call] of calls.entries()) {
      playNotes(frame, position)
      play(call, depth + 1)
    }
    playNotes(frame, calls.length)
    tracer.exit?.(resultOf(frame), undefined)
  }
  play(root, 0)
}

const isCreation = ({ type }: CallTree): boolean => type === 'CREATE' || type === 'CREATE2'

/** The result of a message, without what only the engine reads. */
function resultOf(frame: CallTree): Result {
  const { gasUsed, output, error, to, coinTransfers } = frame
  return {
    ...resultWithoutCode(0n, error === undefined ? undefined : { code: 'other', message: error }),
    gasUsed,
    output,
    nativeLogs: NO_LOGS,
    coinTransfers,
    createdAddress: isCreation(frame) && to !== null ? to : undefined,
  }
}

/**
 * Estimated bytes of objects in the heap (Node 20): a block without transactions; a frame; a note without its log; a topic; an
 * account before and after a transaction, or an authorization; a slot, a key of an access list, or a value of the state before the
 * first transaction.
 */
const BLOCK_BYTES = 4_096
const FRAME_BYTES = 400
const NOTE_BYTES = 100
const TOPIC_BYTES = 90
const ACCOUNT_BYTES = 400
const SLOT_BYTES = 150

function bytesOfFrame({ input, output, calls }: CallTree): number {
  return calls.reduce((sum, call) => sum + bytesOfFrame(call), FRAME_BYTES + input.length + output.length)
}

function bytesOfNote({ log, refused }: FrameNote): number {
  const ofLog = log === undefined ? 0 : log.data.length + log.topics.length * TOPIC_BYTES
  return NOTE_BYTES + ofLog + (refused?.input.length ?? 0)
}

/** Of a transaction, without its data, which is the input of its first frame. */
const bytesOfLists = ({ accessList, authorizationList }: Transaction): number =>
  accessList.reduce((sum, { storageKeys }) => sum + SLOT_BYTES * (1 + storageKeys.length), 0) +
  authorizationList.length * ACCOUNT_BYTES
