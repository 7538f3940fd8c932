// geth's prestateTracer: the accounts that a transaction accessed, with the state before it; in diff mode only those that
// it changed, before and after.
import { opcodeOf } from '../../evm/opcodes.ts'
import { type FrameState, type Step, stackItem } from '../../evm/tracer.ts'
import {
  type Address,
  bigToFixed,
  bigToWord,
  equalBytes,
  type Hash,
  type Hex,
  padLeft,
  toAddress,
  toHash,
  toHex,
  toQuantity,
} from '../../lib/hex.ts'
import { keccakHash } from '../../lib/keccak.ts'
import { create2Address, createAddress } from '../../primitives/create-address.ts'
import { delegationOf } from '../../primitives/delegation.ts'
import { recoverAuthority } from '../../primitives/transaction.ts'
import type { StateView } from '../../state/types.ts'
import type { BlockEnv } from '../block-env.ts'
import { createdContract } from '../execute-message.ts'
import type { TraceContext, Tracer } from './tracer.ts'

export type PrestateOptions = {
  readonly diffMode: boolean
  readonly disableCode: boolean
  readonly disableStorage: boolean
  /** Includes accounts that did not exist before. */
  readonly includeEmpty: boolean
}

type WireAccount = {
  balance?: Hex
  code?: Hex
  codeHash?: Hash
  nonce?: number
  storage?: Record<Hash, Hash>
}

const EMPTY_CODE_HASH = keccakHash(new Uint8Array(0))
const SLOT = new Set(['SLOAD', 'SSTORE'])
const ACCOUNT = new Set(['BALANCE', 'EXTCODESIZE', 'EXTCODECOPY', 'EXTCODEHASH', 'SELFDESTRUCT'])
const CALL = new Set(['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'])

/** The opcodes of the sets above, and those that create. */
const STEPS: ReadonlySet<number> = new Set(
  Array.from({ length: 256 }, (_, code) => code).filter((code) => {
    const { name } = opcodeOf(code)
    return SLOT.has(name) || ACCOUNT.has(name) || CALL.has(name) || name === 'CREATE' || name === 'CREATE2'
  }),
)

export class PrestateTracer implements Tracer {
  readonly stepsOf = STEPS
  readonly #options: PrestateOptions
  /** Accounts that were accessed, each with its accessed slots. */
  readonly #accessed = new Map<Address, Set<Hash>>()
  readonly #created = new Set<Address>()
  readonly #deleted = new Set<Address>()
  #before: StateView | undefined
  #now: StateView | undefined
  #env: BlockEnv | undefined

  constructor(options: PrestateOptions) {
    this.#options = options
  }

  start({ machine, env, message, feeRecipient }: TraceContext): void {
    this.#now = machine.view
    this.#before = machine.view.fork()
    this.#env = env
    const created = createdContract(message)
    if (created !== null) this.#created.add(created)
    this.#addAccount(message.from)
    this.#addCallee(message.to ?? created ?? message.from)
    this.#addAccount(env.coinbase)
    this.#addAccount(feeRecipient)
    for (const authorization of message.authorizationList) {
      const authority = recoverAuthority(authorization)
      if (authority !== undefined) this.#addAccount(authority)
    }
  }

  step({ frame, opcode: { name, pops }, error }: Step): void {
    if (error !== undefined || pops === 0) return
    if (SLOT.has(name)) this.#addSlot(frame.address, bigToWord(stackItem(frame, 0)))
    else if (ACCOUNT.has(name)) this.#addAccount(lowAddress(stackItem(frame, 0)))
    else if (CALL.has(name)) this.#addCallee(lowAddress(stackItem(frame, 1)))
    else if (name === 'CREATE' || name === 'CREATE2') this.#addCreated(createdBy(frame, name, this.#now))
    if (name === 'SELFDESTRUCT') this.#destroy(frame.address)
  }

  result(): unknown {
    const { diffMode, includeEmpty } = this.#options
    this.#addChanged()
    const pre: Record<Address, WireAccount> = {}
    const post: Record<Address, WireAccount> = {}
    for (const [of, slots] of this.#accessed) {
      if (!includeEmpty && !diffMode && this.#wasEmpty(of)) continue
      if (!diffMode) pre[of] = this.#account(of, [...slots])
      else this.#compare(of, [...slots], pre, post)
    }
    return diffMode ? { post, pre } : pre
  }

  // --- accessed accounts and slots

  #addAccount(of: Address): Set<Hash> {
    const known = this.#accessed.get(of)
    if (known !== undefined) return known
    const slots = new Set<Hash>()
    this.#accessed.set(of, slots)
    return slots
  }

  #addSlot(of: Address, key: Hash): void {
    if (this.#options.disableStorage) this.#addAccount(of)
    else this.#addAccount(of).add(key)
  }

  /** A call's target, and the account that its code is delegated to (EIP-7702). */
  #addCallee(of: Address): void {
    this.#addAccount(of)
    const target = this.#env?.rules.prague ? delegationOf(this.#view().code(of)) : undefined
    if (target !== undefined) this.#addAccount(target)
  }

  #addCreated(of: Address): void {
    this.#addAccount(of)
    this.#created.add(of)
  }

  /** From Cancun on SELFDESTRUCT deletes only contracts that this transaction created (EIP-6780). */
  #destroy(of: Address): void {
    if (!this.#env?.rules.cancun || this.#created.has(of)) this.#deleted.add(of)
  }

  /** Adds accounts and slots that native contracts changed, because no opcode shows these changes. */
  #addChanged(): void {
    for (const { address, slots } of this.#view().transactionDiff()) {
      this.#addAccount(address)
      if (!this.#deleted.has(address)) for (const { key } of slots) this.#addSlot(address, key)
    }
  }

  // --- the result

  #view(view: StateView | undefined = this.#now): StateView {
    if (view === undefined) throw new Error('the tracer was not started')
    return view
  }

  #wasEmpty(of: Address): boolean {
    const account = this.#view(this.#before).account(of)
    if (account === undefined) return true
    return account.nonce === 0n && account.balance === 0n && account.codeHash === EMPTY_CODE_HASH
  }

  #account(of: Address, slots: readonly Hash[]): WireAccount {
    const before = this.#view(this.#before)
    const nonce = Number(before.nonce(of))
    const code = before.code(of)
    const entries = slots.map((key) => [key, wordOf(before, of, key)] as const)
    return {
      balance: toQuantity(before.balance(of)),
      ...(code.length > 0 && !this.#options.disableCode && { code: toHex(code) }),
      ...(code.length > 0 && { codeHash: keccakHash(code) }),
      ...(nonce > 0 && { nonce }),
      ...(entries.length > 0 && { storage: Object.fromEntries(entries) }),
    }
  }

  /** Adds a changed account to `pre` and `post`; a deleted one only to `pre`, a new one only to `post`. */
  #compare(
    of: Address,
    slots: readonly Hash[],
    pre: Record<Address, WireAccount>,
    post: Record<Address, WireAccount>,
  ): void {
    const before = this.#view(this.#before)
    const now = this.#view()
    const isNew = this.#wasEmpty(of) && !this.#options.includeEmpty
    if (this.#deleted.has(of)) {
      if (!isNew) pre[of] = this.#account(of, slots)
      return
    }
    const changed = slots.filter((key) => !equalBytes(before.word(of, key), now.word(of, key)))
    const after: WireAccount = {}
    if (now.balance(of) !== before.balance(of)) after.balance = toQuantity(now.balance(of))
    if (now.nonce(of) !== before.nonce(of)) after.nonce = Number(now.nonce(of))
    const codeHash = now.account(of)?.codeHash ?? EMPTY_CODE_HASH
    if (codeHash !== (before.account(of)?.codeHash ?? EMPTY_CODE_HASH)) {
      after.codeHash = codeHash
      if (!this.#options.disableCode) after.code = toHex(now.code(of))
    }
    if (changed.length === 0 && Object.keys(after).length === 0) return
    const written = changed.filter((key) => now.word(of, key).length > 0)
    if (written.length > 0) {
      after.storage = Object.fromEntries(written.map((key) => [key, wordOf(now, of, key)]))
    }
    post[of] = after
    const nonZero = changed.filter((key) => before.word(of, key).length > 0)
    if (!isNew) pre[of] = this.#account(of, nonZero)
  }
}

const wordOf = (view: StateView, of: Address, key: Hash): Hash => toHash(padLeft(view.word(of, key), 32))

const lowAddress = (value: bigint): Address => toAddress(bigToFixed(BigInt.asUintN(160, value), 20))

/** The address of the contract that a CREATE or CREATE2 is about to create. */
function createdBy(frame: FrameState, name: 'CREATE' | 'CREATE2', view: StateView | undefined): Address {
  const creator = frame.address
  if (name === 'CREATE') return createAddress(creator, view?.nonce(creator) ?? 0n)
  const offset = Number(stackItem(frame, 1))
  const length = Number(stackItem(frame, 2))
  const code = length === 0 ? new Uint8Array(0) : frame.memory(offset, length)
  return create2Address(creator, bigToFixed(stackItem(frame, 3), 32), code)
}
