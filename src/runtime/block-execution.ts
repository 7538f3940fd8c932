// The steps of a block in order: begin, transactions, end, header. Building, importing and replaying run the same steps; they
// differ in the source of the transactions and in the checks.
import type { Machine } from '../evm/machine.ts'
import type { OpcodeTable } from '../evm/opcode-table.ts'
import { callFromProtocol } from '../evm/run-native.ts'
import { StateAccesses } from '../evm/state-accesses.ts'
import type { MessageTracer } from '../evm/tracer.ts'
import { wallDeadline } from '../lib/deadline.ts'
import { ChainError } from '../lib/errors.ts'
import { type Hash, toHash } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts'
import { type Pause, yieldToEventLoop } from '../lib/scheduler.ts'
import { beginBlock, endBlock, type Modules } from '../modules/index.ts'
import { installContracts } from '../precompiles/index.ts'
import { returnTokens } from '../precompiles/tokens.ts'
import { encodeWithdrawal } from '../primitives/block.ts'
import { checkBlockAccessList, encodeBlockAccessList } from '../primitives/block-access-list.ts'
import { GAS_PER_BLOB } from '../primitives/gas.ts'
import { sealHeader } from '../primitives/header.ts'
import { encodeReceipt, logsBloom, mergeBlooms } from '../primitives/receipt.ts'
import type { Block, CommitInfo, Header, Receipt, Transaction, Withdrawal } from '../primitives/types.ts'
import { completelyHere, untilComplete } from '../state/partial-state.ts'
import { ListTrie, orderedListRoot } from '../state/trie.ts'
import type { StateView, TransactionDiff } from '../state/types.ts'
import { BlockAccesses } from './block-accesses.ts'
import type { BlockEnv } from './block-env.ts'
import { moveDaoFunds } from './dao-fork.ts'
import { createdContract, executeMessage, type MessageResult } from './execute-message.ts'
import type { BlockHashes, Runtime } from './runtime.ts'
import { beginSystemCalls, collectRequests, payRewards, payWithdrawals, type RunStep, requestsHash } from './system.ts'
import { MessageRecorder } from './tracing/message-recorder.ts'
import type { BlockRecording, CallTree, FrameNote } from './types.ts'
import type { MessageMode } from './validity.ts'
import { checkEnvelope } from './validity.ts'

/** Bytes of the inputs and outputs of inner messages of a block that are recorded. */
const MAX_RECORDED = 6 * 1024 * 1024

/** A block during execution. After `begin`, `apply` runs one transaction at a time; `finish` or `seal` ends it. */
export class BlockExecution {
  readonly env: BlockEnv
  readonly machine: Machine
  readonly transactions: Transaction[] = []
  readonly receipts: Receipt[] = []
  readonly callTrees: CallTree[] = []
  readonly diffs: TransactionDiff[] = []
  readonly #notes: (readonly FrameNote[])[] = []
  readonly #recorded = { left: MAX_RECORDED }
  /** The state before the first transaction. */
  #start: StateView | undefined
  readonly #runtime: Runtime
  readonly #header: Header
  readonly #commit: CommitInfo | undefined
  readonly #view: StateView
  readonly #modules: Modules | undefined
  readonly #blockHash: BlockHashes
  readonly #pause: Pause
  readonly #transactionTrie = new ListTrie()
  readonly #receiptTrie = new ListTrie()
  /** The opcode table of the block's transactions: the fork's table with the active proposals. */
  #table: OpcodeTable | undefined
  /** Number of transactions already in the two tries. */
  #hashed = 0
  /** Gas that the transactions have paid for, the sum in the receipts. */
  #gasUsed = 0n
  /** The two dimensions of the block's gas (EIP-8037); before Amsterdam the first is all of it. */
  #executionGas = 0n
  #stateGas = 0n
  #blobGasUsed = 0n
  /** Unpaid work of the transactions, if the chain bounds it. */
  #unpaidWork = 0n
  /** undefined before Amsterdam. */
  readonly #accesses: BlockAccesses | undefined

  /** `pause` yields to the event loop between transactions. `env` follows from the header, unless a simulation overrides it. */
  constructor(
    runtime: Runtime,
    view: StateView,
    { header, commit }: BlockInputs,
    blockHash: BlockHashes,
    pause: Pause = yieldToEventLoop('block'),
    env: BlockEnv = runtime.env(header),
  ) {
    this.#runtime = runtime
    this.#header = header
    this.#commit = commit
    this.#view = view
    this.env = env
    this.#blockHash = blockHash
    this.#pause = pause
    this.machine = runtime.machine(view, env, blockHash, pause)
    this.#modules = runtime.modules(view, env, 'write', commit)
    if (env.rules.amsterdam) this.#accesses = new BlockAccesses()
  }

  /**
   * The largest gas limit that another transaction may have. It reserves all of it as state gas, and as execution gas what may be that
   * (EIP-8037). Unpaid work of proposals is bounded by the block's gas limit too.
   */
  get gasLeft(): bigint {
    const { gasLimit, executionGasCap: cap } = this.env
    const execution = gasLimit - this.#executionGas
    const left = min(gasLimit - this.#stateGas, gasLimit - this.#unpaidWork)
    return cap !== undefined && execution >= cap ? left : min(left, execution)
  }

  /** undefined: there were no transactions, or their messages were too large to be recorded. */
  get recording(): BlockRecording | undefined {
    if (this.#start === undefined || this.#table === undefined || this.#recorded.left < 0) return undefined
    return { start: this.#start, table: this.#table, contracts: this.machine.contracts, notes: this.#notes }
  }

  /** Whether the block has gas and blobs left for the transaction. */
  hasRoomFor(transaction: Transaction): boolean {
    const blobs = BigInt(transaction.blobVersionedHashes.length)
    const blobsLeft = (this.env.blobs?.max ?? 0n) - this.#blobGasUsed / GAS_PER_BLOB
    return transaction.gasLimit <= this.gasLeft && blobs <= blobsLeft
  }

  /** The DAO fork's transfers, system calls, and the modules' begin hooks. */
  async begin(): Promise<void> {
    const { env, machine } = this
    const { parentHash, parentBeaconBlockRoot } = this.#header
    moveDaoFunds(this.#runtime.spec, machine, env.number)
    // System calls run on the fork's own table: a proposal that breaks their code must not stop the chain.
    machine.useTable(this.#runtime.forkTable(env))
    const run = this.#stepsAt(0)
    await beginSystemCalls(machine, env, run, parentHash, parentBeaconBlockRoot)
    const { native } = this.#runtime.spec
    const modules = this.#modules
    if (modules !== undefined && native !== undefined)
      await run(() => {
        installContracts(this.#view, native, env.number)
        beginBlock(modules)
      })
    // Read after the begin hooks: an upgrade applies to the transactions of its own block.
    this.#table = this.#runtime.table(this.#view, env)
    machine.useTable(this.#table)
  }

  /** Runs steps of the block outside of transactions, with their index in the block access list. */
  #stepsAt(index: number): RunStep {
    const { machine } = this
    const list = this.#accesses
    return async (step) => {
      if (list === undefined) return step(undefined)
      const accesses = new StateAccesses()
      machine.view.beginTransaction()
      machine.stateAccesses = accesses
      const result = await step(accesses)
      list.add(index, accesses, machine.view)
      return result
    }
  }

  /** Runs a transaction and records its receipt, call tree and diff. Throws ChainError when the block may not contain it. */
  apply(transaction: Transaction, application: ApplyOptions = {}): MaybePromise<MessageResult> {
    const pause = this.#pause()
    const apply = () =>
      this.#view.missing === undefined
        ? this.#apply(transaction, application)
        : this.#applyCompletely(transaction, application)
    return pause === undefined ? apply() : pause.then(apply)
  }

  /**
   * As `apply`, with a deadline (`performance.now()`): returns undefined if the transaction had not ended by then. The
   * transaction is then reverted, and the block continues without it. A precompile that runs at the deadline is not
   * interrupted.
   */
  async applyUntil(deadline: number, transaction: Transaction): Promise<MessageResult | undefined> {
    const { machine } = this
    machine.deadline = wallDeadline(deadline)
    try {
      return await this.#undoneOnError(() => this.apply(transaction))
    } catch (error) {
      if (error instanceof ChainError && error.code === 'limit-exceeded') return undefined
      throw error
    } finally {
      machine.deadline = undefined
    }
  }

  /** On a fork: fetches what the transaction misses, and runs it again. */
  #applyCompletely(transaction: Transaction, application: ApplyOptions): Promise<MessageResult> {
    const tryOut = (view: StateView) => {
      const machine = this.#runtime.machine(view, this.env, this.#blockHash, this.#pause)
      machine.useTable(this.machine.table)
      const { spec, fees } = this.#runtime
      return executeMessage(machine, this.env, spec.chainId, transaction, modeOf(transaction), fees)
    }
    return completelyHere(
      this.#view,
      () => this.#undoneOnError(async () => this.#apply(transaction, application)),
      tryOut,
      transaction,
    )
  }

  async #undoneOnError<T>(work: () => MaybePromise<T>): Promise<T> {
    const view = this.#view
    const outer = view.checkpoints
    view.checkpoint()
    try {
      const result = await work()
      view.commit()
      return result
    } catch (error) {
      while (view.checkpoints > outer) view.revert()
      this.machine.forgetMessage()
      throw error
    }
  }

  #apply(transaction: Transaction, { mode = modeOf(transaction), tracer }: ApplyOptions): MaybePromise<MessageResult> {
    const { spec, fees } = this.#runtime
    checkEnvelope(this.env, spec.chainId, transaction)
    if (!this.hasRoomFor(transaction)) throw new ChainError('transaction-rejected', 'gas limit reached')
    this.#start ??= this.#view.fork()
    const recorder = new MessageRecorder(this.#recorded)
    this.machine.tracer = tracer ?? recorder
    const accesses = this.#accesses && new StateAccesses()
    this.machine.stateAccesses = accesses
    return andThen(executeMessage(this.machine, this.env, spec.chainId, transaction, mode, fees), (result) => {
      this.machine.tracer = undefined
      this.#gasUsed += result.gasUsed
      this.#executionGas += result.executionGas
      this.#stateGas += result.stateGas
      if (this.#table?.boundsWork === true) this.#unpaidWork += this.machine.unpaidWork
      this.#blobGasUsed += result.blobGasUsed
      this.transactions.push(transaction)
      this.receipts.push(this.#receipt(transaction, result))
      if (recorder.root !== undefined) this.callTrees.push(recorder.root)
      this.#notes.push(recorder.notes)
      if (accesses !== undefined) this.#accesses?.add(this.transactions.length, accesses, this.#view)
      this.diffs.push(this.#view.transactionDiff())
      return result
    })
  }

  /** Adds the applied transactions and their receipts to the tries of both lists. `finish` does this too. */
  async hashApplied(): Promise<void> {
    for (; this.#hashed < this.transactions.length; this.#hashed++) {
      const pause = this.#pause()
      if (pause !== undefined) await pause
      const transaction = this.transactions[this.#hashed]
      const receipt = this.receipts[this.#hashed]
      if (transaction === undefined || receipt === undefined) return
      this.#transactionTrie.add(transaction.raw)
      this.#receiptTrie.add(encodeReceipt(receipt))
    }
  }

  /** Runs withdrawals, end hooks and requests; returns the header fields that follow from execution. */
  finish(withdrawals: readonly Withdrawal[], uncles: readonly Header[] = []): Promise<Finished> {
    const { missing } = this.#view
    const finish = () => this.#finish(withdrawals, uncles)
    return missing === undefined ? finish() : untilComplete(missing, () => this.#undoneOnError(finish))
  }

  async #finish(withdrawals: readonly Withdrawal[], uncles: readonly Header[]): Promise<Finished> {
    const { env, machine } = this
    const index = this.transactions.length + 1
    const run = this.#stepsAt(index)
    const withdrawn = env.rules.shanghai ? await run((accesses) => payWithdrawals(machine, withdrawals, accesses)) : 0n
    const requests = env.rules.prague ? await this.#collectRequests(run) : []
    payRewards(machine, env, uncles)
    const modules = this.#modules
    if (modules !== undefined)
      await run(async () => {
        if (withdrawn > 0n) modules.bank.adjustSupply(withdrawn)
        endBlock(modules)
        await returnTokens(modules, (message) => {
          // The call begins a transaction: take what has changed before it.
          this.#accesses?.add(index, new StateAccesses(), this.#view)
          return callFromProtocol(machine, env, message)
        })
      })
    const accessList = this.#accessList()
    await this.#pause()
    const stateRoot = this.#view.root()
    await this.hashApplied()
    return {
      requests,
      accessList,
      roots: {
        stateRoot,
        transactionsRoot: toHash(this.#transactionTrie.root()),
        receiptsRoot: toHash(this.#receiptTrie.root()),
        logsBloom: mergeBlooms(this.receipts.map(({ bloom }) => bloom)),
        gasUsed: this.#executionGas > this.#stateGas ? this.#executionGas : this.#stateGas,
        ...(env.rules.cancun && { blobGasUsed: this.#blobGasUsed }),
        ...(env.rules.prague && { requestsHash: requestsHash(requests) }),
        ...(accessList && { blockAccessListHash: keccakHash(accessList) }),
      },
    }
  }

  /** The block access list in RLP. The modules of a native chain access more than its gas limit would allow. */
  #accessList(): Uint8Array | undefined {
    const list = this.#accesses?.list()
    if (list === undefined) return undefined
    if (this.#modules === undefined) checkBlockAccessList(list, this.env.gasLimit, this.transactions.length)
    return encodeBlockAccessList(list)
  }

  /** EIP-7685's requests. Their system calls run on the fork's own table, like those of `begin`. */
  async #collectRequests(run: RunStep): Promise<Uint8Array[]> {
    this.machine.useTable(this.#runtime.forkTable(this.env))
    const requests = await collectRequests(this.machine, this.env, run, this.#runtime.spec, this.receipts)
    if (this.#table !== undefined) this.machine.useTable(this.#table)
    return requests
  }

  /** `finish` for a block that this node builds: also seals its header with the results. */
  async seal(withdrawals: readonly Withdrawal[]): Promise<{ block: Block } & Omit<Finished, 'roots'>> {
    const { roots, ...rest } = await this.finish(withdrawals)
    const isShanghai = this.#header.withdrawalsRoot !== undefined
    const header = sealHeader({
      ...this.#header,
      ...roots,
      ...(isShanghai && { withdrawalsRoot: toHash(orderedListRoot(withdrawals.map(encodeWithdrawal))) }),
    })
    const { transactions } = this
    const commit = this.#commit && { commit: this.#commit }
    const body = { transactions, uncles: [], withdrawals: isShanghai ? withdrawals : undefined, ...commit }
    return { block: { header, ...body }, ...rest }
  }

  #receipt(transaction: Transaction, result: MessageResult): Receipt {
    const isBlob = transaction.type === 3
    const byzantium = this.env.rules.byzantium
    return {
      type: transaction.type,
      status: byzantium ? (result.error === undefined ? 1 : 0) : undefined,
      root: byzantium ? undefined : this.#view.root(),
      cumulativeGasUsed: this.#gasUsed,
      gasUsed: result.gasUsed,
      bloom: logsBloom(result.logs),
      logs: result.logs,
      contractAddress: createdContract(transaction),
      effectiveGasPrice: result.gasPrice,
      blobGasUsed: isBlob ? result.blobGasUsed : undefined,
      blobGasPrice: isBlob ? this.env.blobBaseFee : undefined,
    }
  }
}

type Finished = {
  readonly roots: ExecutedRoots
  readonly requests: readonly Uint8Array[]
  /** The block access list in RLP (EIP-7928); undefined before Amsterdam. */
  readonly accessList: Uint8Array | undefined
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** The inputs of a block other than the state before it. */
export type BlockInputs = { readonly header: Header; readonly commit?: CommitInfo | undefined }

/** The mode, when it differs from what the signature implies; and a tracer that replaces the recorder of call trees. */
export type ApplyOptions = { readonly mode?: MessageMode; readonly tracer?: MessageTracer | undefined }

/** A transaction with r = s = 0 was made by this node's impersonation, because no decoder accepts such a signature. */
export const modeOf = ({ r, s }: Transaction): MessageMode => (r === 0n && s === 0n ? 'impersonated' : 'transaction')

/** The header fields that only execution determines. */
export type ExecutedRoots = Pick<
  Header,
  'stateRoot' | 'transactionsRoot' | 'receiptsRoot' | 'logsBloom' | 'gasUsed'
> & { blobGasUsed?: bigint; requestsHash?: Hash; blockAccessListHash?: Hash }
