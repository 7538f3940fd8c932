// Records of the chain's activity: one for each transaction, and one for a block of several. A block with one transaction is
// one line. Empty blocks are logged at `debug`; of a full block only the first transactions are shown. Under load most
// transactions are only counted: a line in each second says how many. Lines stay in the order of the blocks, although stack
// traces are made in the background.
import type { ChainEvents } from '../../chain/types.ts'
import type { KnownContracts } from '../../contracts/abi.ts'
import type { AccountNames, WordedChain } from '../../contracts/message-words.ts'
import type { Hash } from '../../lib/hex.ts'
import type { LineBelow, Logger } from '../../lib/log.ts'
import type { ExecutedBlock } from '../../runtime/types.ts'
import type { ChainSpec } from '../../spec/chain-spec.ts'
import type { StateView } from '../../state/types.ts'
import { type Detail, type TransactionRecord, transactionRecord } from './transaction-record.ts'

/** Most transactions of a block that are shown. */
const MOST_OF_BLOCK = 10
/** Transactions of a second that are shown before the rest are only counted. */
const MOST_IN_SECOND = 20
const SECOND = 1_000
/** Stack traces of a second, and milliseconds that lines wait for one. */
const MOST_STACKS = 10
const STACK_WAIT = 2_000

export type ActivityOptions = Detail & {
  readonly contracts: KnownContracts
  /** `view`: the state after a block. */
  readonly nameOf: (of: Parameters<AccountNames>[0], view: StateView) => string | undefined
  /** Whether transactions are only counted under load; machines read them all. */
  readonly isBounded: boolean
  /** The stack trace of a failed transaction, innermost frame first; left out: none is shown. */
  readonly stackOf?: ((hash: Hash) => Promise<readonly string[] | undefined>) | undefined
}

type Counted = { transactions: number; blocks: number; gas: bigint; failed: number }
const NOTHING: Counted = { transactions: 0, blocks: 0, gas: 0n, failed: 0 }

/** Writes the records until the chain closes. Returns a function that writes what is still only counted. */
export function logActivity(
  chain: { readonly spec: ChainSpec; readonly events: ChainEvents },
  log: Logger,
  options: ActivityOptions,
): () => void {
  const activity = new Activity(chain, log, options)
  chain.events.on('block', (executed, { built, committed }) => activity.add(executed, built + committed))
  chain.events.on('removed', (blocks) => {
    log.info({ removed: blocks.length }, `removed ${blocks.length} block${blocks.length === 1 ? '' : 's'}`)
  })
  return () => activity.flush()
}

class Activity {
  readonly #chain: { readonly spec: ChainSpec }
  readonly #log: Logger
  readonly #options: ActivityOptions
  /** Transactions that were shown since `#second` began. */
  #shown = 0
  #stacks = 0
  #second = 0
  #counted: Counted = { ...NOTHING }
  #timer: NodeJS.Timeout | undefined
  /** Settles when the records before have been written; undefined: they have. */
  #before: Promise<void> | undefined

  constructor(chain: { readonly spec: ChainSpec }, log: Logger, options: ActivityOptions) {
    this.#chain = chain
    this.#log = log
    this.#options = options
  }

  add(executed: ExecutedBlock, time: number): void {
    const { spec } = this.#chain
    const { header, transactions } = executed.block
    const { number, hash } = header
    for (const { name, height } of spec.native?.upgrades ?? [])
      if (height === number) this.#write({ upgrade: name }, `block ${height}  upgrade ${name}`)
    const count = transactions.length
    const most = count === 0 ? 0 : Math.min(count, MOST_OF_BLOCK, this.#allowance())
    if (count === 0) this.#log.debug({ number: number.toString(), hash, transactions: 0 }, `block ${number}  empty`)
    else if (most === 0) this.#count(executed)
    else this.#showBlock(executed, time, most)
  }

  /** Shows the first transactions of a block. */
  #showBlock(executed: ExecutedBlock, time: number, most: number): void {
    const { spec } = this.#chain
    const { view, block } = executed
    const { number, hash, gasUsed } = block.header
    const count = block.transactions.length
    const facts = { number: number.toString(), hash, transactions: count }
    this.#shown += most
    const duration = `${time.toFixed(1)} ms`
    if (count > 1 || !this.#options.isBounded)
      this.#write(
        facts,
        `block ${number}  ${count} transaction${count === 1 ? '' : 's'}  ${gasUsed.toLocaleString('en-US')} gas  ${duration}`,
      )
    const { contracts, nameOf } = this.#options
    const known: WordedChain = { ...contracts, view, spec, nameOf: (of) => nameOf(of, view) }
    for (let index = 0; index < most; index++) {
      const record = transactionRecord(known, executed, index, count === 1 ? time : undefined, this.#options)
      if (record !== undefined) this.#show(record)
    }
    if (count > most) this.#write({}, `… and ${(count - most).toLocaleString('en-US')} more in block ${number}`)
  }

  /** Writes the line of what is only counted. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { transactions, blocks, gas, failed } = this.#counted
    this.#counted = { ...NOTHING }
    if (transactions === 0) return
    const number = (of: number | bigint) => of.toLocaleString('en-US')
    const some = `${number(transactions)} transaction${transactions === 1 ? '' : 's'}`
    const within = `in ${number(blocks)} block${blocks === 1 ? '' : 's'}`
    const failures = failed === 0 ? '' : `, ${number(failed)} failed`
    this.#write({ transactions, blocks, failed }, `… and ${some} ${within}, ${number(gas)} gas${failures}`)
  }

  /** Transactions that may be shown now. While there is load none are, until a second has as few as may be shown. */
  #allowance(): number {
    if (!this.#options.isBounded) return Number.POSITIVE_INFINITY
    if (this.#timer !== undefined) return 0
    const now = performance.now()
    if (now - this.#second > SECOND) {
      this.#second = now
      this.#shown = 0
      this.#stacks = 0
    }
    return Math.max(0, MOST_IN_SECOND - this.#shown)
  }

  #count({ block, receipts }: ExecutedBlock): void {
    const counted = this.#counted
    counted.transactions += receipts.length
    counted.blocks++
    counted.gas += block.header.gasUsed
    for (const { status } of receipts) if (status === 0) counted.failed++
    if (this.#timer === undefined) this.#countForSecond()
  }

  #countForSecond(): void {
    this.#timer = setTimeout(() => {
      const isLoad = this.#counted.transactions > MOST_IN_SECOND
      this.flush()
      if (isLoad) this.#countForSecond()
    }, SECOND).unref()
  }

  #show({ fields, text, lines, failure }: TransactionRecord): void {
    const { stackOf } = this.#options
    const hash = fields['hash']
    if (failure !== undefined && stackOf !== undefined && typeof hash === 'string' && this.#stacks++ < MOST_STACKS) {
      const stack = within(
        STACK_WAIT,
        stackOf(hash as Hash).catch(() => undefined),
      )
      this.#later(async () => {
        // Its first line begins with the reason.
        const [first = failure, ...outer] = (await stack) ?? []
        const below = outer.map((frame): LineBelow => ({ text: `  ${frame}`, colour: 'red' }))
        const withStack = first === failure ? fields : { ...fields, stack: [first, ...outer] }
        this.#log.warn({ ...withStack, lines: [...lines, failed(first), ...below] }, text)
      })
    } else if (failure === undefined) this.#write(fields, text, lines)
    else this.#write(fields, text, [...lines, failed(failure)], true)
  }

  #write(
    fields: Readonly<Record<string, unknown>>,
    text: string,
    lines: readonly LineBelow[] = [],
    isFailed = false,
  ): void {
    const write = () =>
      isFailed ? this.#log.warn({ ...fields, lines }, text) : this.#log.info({ ...fields, lines }, text)
    if (this.#before === undefined) write()
    else this.#later(async () => write())
  }

  /** Does something after all records before. */
  #later(work: () => Promise<void>): void {
    const mine: Promise<void> = (this.#before ?? Promise.resolve()).then(work).then(() => {
      if (this.#before === mine) this.#before = undefined
    })
    this.#before = mine
  }
}

const failed = (reason: string): LineBelow => ({ text: `failed: ${reason}`, colour: 'red' })

/** What a promise resolves to; undefined if that takes longer than `ms`. */
function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  return Promise.race([promise, new Promise<undefined>((resolve) => setTimeout(resolve, ms, undefined).unref())])
}
