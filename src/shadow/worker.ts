// The program of the shadow thread: it runs one block after the other on its witness and says how each came out.
// It has no store. A row that the witness lacks is asked for, and the thread sleeps until the answer is there, because
// reads of the state are synchronous; so another engine may read other rows than the first one did.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'
import { decodeStoredBlock } from '../chain/blocks.ts'
import { loadModule } from '../cip/load.ts'
import { registryOf } from '../cip/modules.ts'
import { describeError } from '../lib/errors.ts'
import { type Hash, toHash } from '../lib/hex.ts'
import { Mutex } from '../lib/mutex.ts'
import { kzg } from '../primitives/blobs.ts'
import { rerunBlock } from '../runtime/rerun-block.ts'
import { Runtime } from '../runtime/runtime.ts'
import { View } from '../state/view.ts'
import { WitnessRecorder, WitnessRows } from '../state/witness.ts'
import type { Question, ShadowJob, ShadowReport, ShadowThreadData, StateAfter, WitnessAnswer } from './messages.ts'

const CACHED_CODES = 500

if (parentPort === null) throw new Error('this is the program of a worker thread')
const node = parentPort
const { spec, engine, proposalFiles, answers, answered }: ShadowThreadData = workerData
const answerCount = new Int32Array(answered)
const codes = new LRUCache<Hash, Uint8Array>({ max: CACHED_CODES })
let asked = 0

const modules = await Promise.all(proposalFiles.map(loadModule))
const runtime = new Runtime(spec, kzg, registryOf(spec, modules), engine)

const turn = new Mutex()
node.on('message', (job: ShadowJob) => void turn.run(() => run(job)))

async function run(job: ShadowJob): Promise<void> {
  const { id } = job
  try {
    const report = await check(job)
    node.postMessage(report)
  } catch (error) {
    const message = describeError(error)
    node.postMessage({ kind: 'fault', id, message } satisfies ShadowReport)
  }
}

async function check({ id, header, body, version, witness }: ShadowJob): Promise<ShadowReport> {
  const block = decodeStoredBlock(header, body)
  const { number, parentHash } = block.header
  const missing = {
    row: (key: Uint8Array) => ask(id, { kind: 'row', key }),
    code: (hash: Hash) => codeOf(id, hash),
  }
  const blockHash = (of: bigint): Hash | undefined => {
    if (of === number - 1n) return parentHash
    const hash = of < number ? ask(id, { kind: 'block-hash', number: of }) : undefined
    return hash && toHash(hash)
  }
  const rows = new WitnessRecorder(new WitnessRows(witness, missing))
  const view = new View(rows, version)
  const run = await rerunBlock(runtime, view, block, blockHash)
  if (run === undefined) return { kind: 'same', id }
  return { kind: 'differs', id, run: { ...run, after: stateAfter(rows, view) } }
}

/** Every account and slot that the run has read. It reads before it writes, so these are all that it has changed. */
function stateAfter(rows: WitnessRecorder, view: View): StateAfter {
  rows.stop()
  const read = [...rows.read()]
  return {
    accounts: read.map(({ of }) => [of, view.account(of)] as const),
    words: read.flatMap(({ of, keys }) => keys.map((key) => [of, key, view.word(of, key)] as const)),
  }
}

/** Codes are kept by their hash: the same contracts run in block after block. */
function codeOf(id: number, hash: Hash): Uint8Array | undefined {
  const known = codes.get(hash)
  if (known !== undefined) return known
  const code = ask(id, { kind: 'code', hash })
  if (code !== undefined) codes.set(hash, code)
  return code
}

/** Sleeps until the node has answered. Throws when the block is gone; nobody waits for its report then. */
function ask(id: number, question: Question): Uint8Array | undefined {
  node.postMessage({ kind: 'question', id, question } satisfies ShadowReport)
  const before = asked++
  while (Atomics.load(answerCount, 0) === before) Atomics.wait(answerCount, 0, before)
  const received: { message: WitnessAnswer } | undefined = receiveMessageOnPort(answers)
  if (received === undefined) throw new Error('an answer of the node was lost')
  const { message } = received
  if (message === 'gone') throw new Error('the block has been taken back')
  return message.value
}
