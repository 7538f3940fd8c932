// Indexes user operations (ERC-4337). A contract counts as the entry point of an operation if it was called with the operation, called
// the sender's `validateUserOp` with the operation's hash, and logged the event with that hash. So an operation is shown only if its
// sender has accepted it. A stranger's contracts can be entry point and sender of their own operations; only the entry points of the
// authors of ERC-4337 replace an operation with the same hash. Operations that do not fit are left out, and never fail a block.
import { type Address, fromHex, type Hash } from '../lib/hex.ts'
import { forEachYielding } from '../lib/scheduler.ts'
import type { Receipt } from '../primitives/types.ts'
import {
  type Bundle,
  type BundledOperation,
  decodeBundle,
  ENTRY_POINTS,
  factoryOf,
  OPERATION_TOPIC,
  type OperationEvent,
  operationEvent,
  validatedHash,
} from '../primitives/user-operation.ts'
import type { CallTree } from '../runtime/types.ts'
import type { Overlay } from '../tables/overlay.ts'
import { moveMember, orderBy } from '../tables/ranking.ts'
import { type IndexingContext, visitCalls } from './indexing-context.ts'
import { RECORD } from './records.ts'
import { firstSeenEntry, LIST, operationEntry, type Part, RANKING, sequenceEntry } from './tables.ts'

/** Gas of a byte of calldata that is zero. A transaction's bundles have no more bytes than it has paid for at this price. */
const GAS_PER_BYTE = 4

/** Maximum bytes of an aggregator's signature that each of its operations keeps; one of BLS has 64. */
const KEPT_SIGNATURE = 4096

type Executed = { readonly event: OperationEvent; readonly log: number }
type FoundBundle = Omit<Bundle, 'operations'> & {
  readonly entryPoint: Address
  readonly operations: readonly (Executed & { readonly operation: BundledOperation })[]
}

/** Lists the user operations of a block. Call it after `indexTransactions`. */
export async function indexOperations({ executed }: IndexingContext, overlay: Overlay): Promise<void> {
  const { block, receipts, callTrees } = executed
  const totals = new Totals(overlay)
  await forEachYielding(receipts.entries(), ([i, receipt]) => {
    const root = callTrees[i]
    if (root === undefined || !receipt.logs.some(({ topics }) => topics[0] === OPERATION_TOPIC.operation)) return
    const transaction = overlay.length(LIST.transactions) - block.transactions.length + i
    const deployed = deployments(receipt)
    for (const [number, bundle] of bundlesIn(root, receipt).entries())
      addBundle(bundle, { transaction, bundle: number }, deployed, totals, overlay)
  })
  totals.write()
}

/** The accounts that entry points say to have deployed, each with its operation's hash: `emitter hash`. */
const deployments = ({ logs }: Receipt): ReadonlySet<string> =>
  new Set(
    logs.flatMap(({ address, topics: [topic, hash] }) =>
      topic === OPERATION_TOPIC.accountDeployed ? [`${address} ${hash}`] : [],
    ),
  )

/** The bundles of a transaction in the order of their calls. */
function bundlesIn(root: CallTree, { logs, gasUsed }: Receipt): FoundBundle[] {
  const events = new Map<Address, Executed[]>()
  for (const [log, of] of logs.entries()) {
    const event = operationEvent(of)
    if (event === undefined) continue
    const known = events.get(of.address)
    if (known === undefined) events.set(of.address, [{ event, log }])
    else known.push({ event, log })
  }
  const calls: { readonly entryPoint: Address; readonly bundle: Bundle }[] = []
  const accepted = new Set<string>()
  let bytes = Number(gasUsed) / GAS_PER_BYTE
  for (const { call, isUndone } of visitCalls(root)) {
    const { type, from, to, input, output, error } = call
    if (isUndone || error !== undefined || type !== 'CALL' || to === null) continue
    const hash = events.has(from) && output.length >= 32 ? validatedHash(input) : undefined
    if (hash !== undefined) accepted.add(acceptance(from, to, hash))
    if (!events.has(to) || input.length > bytes) continue
    const bundle = decodeBundle(input)
    if (bundle === undefined) continue
    bytes -= input.length
    calls.push({ entryPoint: to, bundle })
  }
  return calls.flatMap(({ entryPoint, bundle }) => {
    const operations = executedOf(entryPoint, bundle, events.get(entryPoint) ?? [], accepted)
    return operations.length === 0 ? [] : [{ ...bundle, entryPoint, operations }]
  })
}

const acceptance = (entryPoint: Address, sender: Address, hash: Hash): string => `${entryPoint} ${sender} ${hash}`

/** The operations of a bundle with their events, which an entry point logs in their order. Takes the events out of the list. */
function executedOf(entryPoint: Address, bundle: Bundle, events: Executed[], accepted: ReadonlySet<string>) {
  const found = events.splice(0, bundle.operations.length)
  return bundle.operations.flatMap((operation, i) => {
    const of = found[i]
    const isOwn = of !== undefined && of.event.sender === operation.sender && of.event.nonce === operation.nonce
    return isOwn && accepted.has(acceptance(entryPoint, operation.sender, of.event.hash)) ? [{ ...of, operation }] : []
  })
}

type Place = { readonly transaction: number; readonly bundle: number }

function addBundle(
  { entryPoint, beneficiary, isPacked, operations }: FoundBundle,
  place: Place,
  deployed: ReadonlySet<string>,
  totals: Totals,
  overlay: Overlay,
): void {
  const first = sequenceEntry.encode({ sequence: overlay.length(LIST.operations) })
  const number = sequenceEntry.encode({ sequence: overlay.append(LIST.bundles, first) })
  overlay.append(LIST.bundlesOf(beneficiary, 'bundler'), number)
  overlay.append(LIST.bundlesOf(entryPoint, 'entry_point'), number)
  for (const [index, { operation, event, log }] of operations.entries()) {
    const factory = factoryOf(operation)
    const entry = operationEntry.encode({ ...place, log, index, bundler: beneficiary, factory, isPacked })
    const sequence = overlay.append(LIST.operations, entry)
    const isDeployed = deployed.has(`${entryPoint} ${event.hash}`)
    addAccount(operation.sender, sequence, isDeployed ? factory : undefined, totals, overlay)
    totals.before('bundler', beneficiary)
    if (event.paymaster !== undefined) totals.before('paymaster', event.paymaster)
    const parties: readonly (readonly [Part, Address | undefined])[] = [
      ['sender', operation.sender],
      ['bundler', beneficiary],
      ['paymaster', event.paymaster],
      ['factory', factory],
      ['entry_point', entryPoint],
    ]
    for (const [part, of] of parties) {
      if (of !== undefined) overlay.append(LIST.operationsOf(of, part), sequenceEntry.encode({ sequence }))
    }
    const isKnown = !ENTRY_POINTS.has(entryPoint) && RECORD.operation.get(overlay, event.hash) !== undefined
    if (isKnown) continue
    const aggregatorSignature = operation.aggregatorSignature.subarray(0, KEPT_SIGNATURE)
    RECORD.operation.set(overlay, { ...operation, aggregatorSignature, operation: sequence }, event.hash)
  }
}

/** Lists a sender with its first operation. `factory`: the operation has deployed it. */
function addAccount(
  sender: Address,
  sequence: number,
  factory: Address | undefined,
  totals: Totals,
  overlay: Overlay,
): void {
  const known = RECORD.smartAccount.get(overlay, sender)
  const entry = firstSeenEntry.encode({ number: sequence, address: sender })
  if (known === undefined) overlay.append(LIST.smartAccounts, entry)
  const isCreated = factory !== undefined && known?.creation === undefined
  if (isCreated) {
    totals.before('factory', factory)
    overlay.append(LIST.smartAccountsOf(factory), entry)
  }
  if (known === undefined || isCreated)
    RECORD.smartAccount.set(overlay, { creation: isCreated ? sequence : undefined }, sender)
}

/** The parts that have a ranking. */
type Operator = 'bundler' | 'paymaster' | 'factory'

/** The number by which an operator is ranked is the length of this list. */
const countedList = (part: Operator, of: Address) =>
  part === 'factory' ? LIST.smartAccountsOf(of) : LIST.operationsOf(of, part)

/** Moves operators in their rankings once for each block. */
class Totals {
  readonly #overlay: Overlay
  readonly #before = new Map<string, { readonly part: Operator; readonly of: Address; readonly count: number }>()

  constructor(overlay: Overlay) {
    this.#overlay = overlay
  }

  /** Call it before the operator's list grows. */
  before(part: Operator, of: Address): void {
    const key = `${part} ${of}`
    if (this.#before.has(key)) return
    this.#before.set(key, { part, of, count: this.#overlay.length(countedList(part, of)) })
  }

  write(): void {
    for (const { part, of, count } of this.#before.values()) {
      const after = this.#overlay.length(countedList(part, of))
      const last = fromHex(of)
      moveMember(this.#overlay, RANKING.operators(part), orderBy(BigInt(count), last), orderBy(BigInt(after), last))
    }
  }
}
