// The transaction pool: pending transactions by sender and nonce. It admits and orders them; the producer makes blocks. It
// follows the chain only through `reset`, and every hash in it belongs to exactly one nonce of one sender.
import type { Address, Hash } from '../lib/hex.ts'
import { effectiveTip } from '../primitives/gas.ts'
import type { BlobSidecar, Transaction } from '../primitives/types.ts'
import { type AdmissionRules, checkAdmission, checkSidecar, gasCap, rejected } from './admission.ts'
import { NonceQueue, type PoolEntry } from './nonce-queue.ts'
import { inOrder, isBetter, isPayable, type Order, type RankedEntry, rank } from './order.ts'
import type { PoolHead, TxPool } from './types.ts'

/** Limits of the pool. A replacement needs no new place, only bytes. */
export type PoolLimits = {
  /** Executable and gapped transactions of one sender. */
  readonly accountPending: number
  readonly accountQueued: number
  /** Executable transactions of all senders, then gapped ones. */
  readonly pending: number
  readonly queued: number
  /** Bytes of all transactions with their blobs. */
  readonly bytes: number
}

export const DEFAULT_LIMITS: PoolLimits = {
  accountPending: 16_384,
  accountQueued: 4_096,
  pending: 50_000,
  queued: 10_000,
  bytes: 1 << 28,
}

/** Per cent by which a replacement must raise every fee; 100 for blob transactions, as in geth. */
const PRICE_BUMP = 10n
const BLOB_PRICE_BUMP = 100n

export class Pool implements TxPool {
  readonly #limits: PoolLimits
  readonly #rulesAt: (head: PoolHead) => AdmissionRules
  readonly #queues = new Map<Address, NonceQueue>()
  readonly #entries = new Map<Hash, PoolEntry>()
  readonly #held = new Set<Hash>()
  readonly #onPending: ((transaction: Transaction) => void)[] = []
  readonly #onRemoved: ((transaction: Transaction) => void)[] = []
  #head: PoolHead
  #rules: AdmissionRules
  #pending = 0
  #bytes = 0
  #arrivals = 0

  /** `rulesAt` returns the rules of the block after a head; it is called once per head. */
  constructor(head: PoolHead, rulesAt: (head: PoolHead) => AdmissionRules, limits: Partial<PoolLimits> = {}) {
    this.#head = head
    this.#rulesAt = rulesAt
    this.#rules = rulesAt(head)
    this.#limits = { ...DEFAULT_LIMITS, ...limits }
  }

  /** Whether blob transactions are admitted. */
  get takesBlobs(): boolean {
    return this.#rules.takesBlobs
  }

  get order(): Order {
    return this.#rules.order ?? 'fees'
  }

  /** Throws ChainError `transaction-rejected` with geth's message, and then changes nothing. */
  add(transaction: Transaction, sidecar: BlobSidecar | undefined): void {
    const { hash, from, nonce } = transaction
    if (this.#entries.has(hash)) throw rejected('already known')
    checkAdmission(transaction, this.#head, this.#rules)
    checkSidecar(transaction, sidecar)

    const queue = this.#queues.get(from) ?? new NonceQueue(from, this.#head.nonce(from))
    const entry: PoolEntry = { transaction, sidecar, arrival: this.#arrivals++, size: sizeOf(transaction, sidecar) }
    const old = queue.at(nonce)
    if (this.#bytes - (old?.size ?? 0) + entry.size > this.#limits.bytes) throw rejected('txpool is full')
    if (!old) this.#makeRoom(queue, entry)
    else if (!outbids(transaction, old.transaction)) throw rejected('replacement transaction underpriced')

    this.#queues.set(from, queue)
    this.#entries.set(hash, entry)
    this.#bytes += entry.size
    const executable = this.#on(queue, () => queue.put(entry))
    if (old) this.#forget(old)
    this.#trim()
    this.#announce(executable)
  }

  get(hash: Hash): Transaction | undefined {
    return this.#entries.get(hash)?.transaction
  }

  sidecar(hash: Hash): BlobSidecar | undefined {
    return this.#entries.get(hash)?.sidecar
  }

  ready(nonce?: (of: Address) => bigint): Iterable<Transaction> {
    const head = this.#head
    const mayRun = (transaction: Transaction) => this.#mayRun(transaction, head)
    return { [Symbol.iterator]: () => inOrder(this.order, this.#queues.values(), head, mayRun, nonce) }
  }

  hasReady(): boolean {
    for (const { pending } of this.#queues.values()) {
      if (pending[0] && this.#mayRun(pending[0].transaction, this.#head)) return true
    }
    return false
  }

  hold(hash: Hash): void {
    if (this.#entries.has(hash)) this.#held.add(hash)
  }

  get queued(): number {
    return this.#entries.size - this.#pending
  }

  get pending(): number {
    return this.#pending
  }

  nextNonce(of: Address): bigint {
    return this.#queues.get(of)?.next ?? this.#head.nonce(of)
  }

  content(): ReturnType<TxPool['content']> {
    const pending = new Map<Address, Transaction[]>()
    const queued = new Map<Address, Transaction[]>()
    for (const queue of this.#queues.values()) {
      if (queue.pending.length > 0) pending.set(queue.sender, queue.pending.map(transactionOf))
      if (queue.queued.size > 0) queued.set(queue.sender, [...queue.queued.values()].map(transactionOf).sort(byNonce))
    }
    return { pending, queued }
  }

  /** Costs one check for each sender in the pool, and one for each transaction that is removed or moved. */
  reset(head: PoolHead): void {
    this.#head = head
    this.#rules = this.#rulesAt(head)
    const bounds = { gasCap: gasCap(head, this.#rules), minBaseFee: head.minBaseFee }
    const executable: PoolEntry[] = []
    for (const queue of this.#queues.values()) {
      const { sender } = queue
      const { dropped, promoted } = this.#on(queue, () =>
        queue.advance(head.nonce(sender), { ...bounds, balance: head.balance(sender) }),
      )
      for (const entry of dropped) this.#forget(entry)
      executable.push(...promoted)
      if (queue.size === 0) this.#queues.delete(sender)
    }
    this.#trim()
    this.#announce(executable)
  }

  remove(hash: Hash): boolean {
    const entry = this.#entries.get(hash)
    if (entry) this.#remove(entry)
    return entry !== undefined
  }

  clear(): void {
    for (const entry of [...this.#entries.values()]) this.#remove(entry)
  }

  onPending(listener: (transaction: Transaction) => void): void {
    this.#onPending.push(listener)
  }

  /** Called with each transaction that leaves the pool: mined, replaced, dropped or removed. */
  onRemoved(listener: (transaction: Transaction) => void): void {
    this.#onRemoved.push(listener)
  }

  #mayRun(transaction: Transaction, head: PoolHead): boolean {
    return isPayable(transaction, head) && !this.#held.has(transaction.hash)
  }

  /**
   * Makes room for one more entry. A full pool evicts the worst transaction of another sender for a better one; otherwise it
   * throws.
   */
  #makeRoom(queue: NonceQueue, entry: PoolEntry): void {
    const executable = entry.transaction.nonce === queue.next
    const held = executable ? queue.pending.length : queue.queued.size
    const limits = this.#limits
    if (held >= (executable ? limits.accountPending : limits.accountQueued)) {
      throw rejected(`account limit exceeded: pooled ${queue.size} txs`)
    }
    const waiting = executable ? this.#pending : this.#entries.size - this.#pending
    if (waiting < (executable ? limits.pending : limits.queued)) return
    const worst = executable ? this.#worstPending(queue) : this.#worstQueued()
    if (!worst || worst.tip >= effectiveTip(entry.transaction, this.#head.baseFeePerGas)) {
      throw rejected('txpool is full')
    }
    this.#remove(worst.entry)
  }

  /** The worst of the senders' last executable transactions, which are the only ones whose removal opens no gap. */
  #worstPending(except?: NonceQueue): RankedEntry | undefined {
    let worst: RankedEntry | undefined
    for (const queue of this.#queues.values()) {
      const last = queue.pending.at(-1)
      if (!last || queue === except) continue
      const candidate = rank(queue, last, this.#head)
      if (!worst || isBetter(worst, candidate)) worst = candidate
    }
    return worst
  }

  #worstQueued(): RankedEntry | undefined {
    let worst: RankedEntry | undefined
    for (const queue of this.#queues.values()) {
      for (const entry of queue.queued.values()) {
        const candidate = rank(queue, entry, this.#head)
        if (!worst || isBetter(worst, candidate)) worst = candidate
      }
    }
    return worst
  }

  /** Enforces the limit of pending transactions: a closed nonce gap can make many executable at once. */
  #trim(): void {
    while (this.#pending > this.#limits.pending) {
      const worst = this.#worstPending()
      if (!worst) return
      this.#remove(worst.entry)
    }
  }

  #remove(entry: PoolEntry): void {
    const { from, nonce } = entry.transaction
    const queue = this.#queues.get(from)
    if (queue) {
      this.#on(queue, () => queue.remove(nonce))
      if (queue.size === 0) this.#queues.delete(from)
    }
    this.#forget(entry)
  }

  /** Changes a queue and updates the count of executable transactions. */
  #on<T>(queue: NonceQueue, change: () => T): T {
    const before = queue.pending.length
    const result = change()
    this.#pending += queue.pending.length - before
    return result
  }

  /** Updates the pool's indexes after an entry has left its queue. */
  #forget({ transaction, size }: PoolEntry): void {
    this.#entries.delete(transaction.hash)
    this.#held.delete(transaction.hash)
    this.#bytes -= size
    for (const listener of this.#onRemoved) listener(transaction)
  }

  #announce(entries: readonly PoolEntry[]): void {
    for (const { transaction } of entries) {
      if (!this.#entries.has(transaction.hash)) continue
      for (const listener of this.#onPending) listener(transaction)
    }
  }
}

/** geth's rule: every fee is higher, and at least by the bump's per cent, rounded down. */
function outbids(next: Transaction, old: Transaction): boolean {
  const blobs = next.type === 3 || old.type === 3
  const raises = (fee: bigint, before: bigint): boolean =>
    fee > before && fee >= (before * (100n + (blobs ? BLOB_PRICE_BUMP : PRICE_BUMP))) / 100n
  return (
    raises(next.maxFeePerGas, old.maxFeePerGas) &&
    raises(next.maxPriorityFeePerGas, old.maxPriorityFeePerGas) &&
    (next.type !== 3 || old.type !== 3 || raises(next.maxFeePerBlobGas, old.maxFeePerBlobGas))
  )
}

function sizeOf({ raw }: Transaction, sidecar: BlobSidecar | undefined): number {
  if (!sidecar) return raw.length
  const parts = [raw, ...sidecar.blobs, ...sidecar.commitments, ...sidecar.proofs]
  return parts.reduce((sum, part) => sum + part.length, 0)
}

const transactionOf = ({ transaction }: PoolEntry): Transaction => transaction
const byNonce = (a: Transaction, b: Transaction): number => (a.nonce < b.nonce ? -1 : 1)
