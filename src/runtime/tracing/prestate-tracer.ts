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
import { create2Address, createAddress } from '../../primitives/create-address.ts'
import { delegationOf } from '../../primitives/delegation.ts'
import { recoverAuthority } from '../../primitives/transaction.ts'
import { EMPTY_CODE_HASH, NEW_ACCOUNT } from '../../state/accounts.ts'
import type { Account, StateView } from '../../state/types.ts'
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
  /** Accounts that were accessed, each with its accessed slots and their words before the transaction. */
  readonly #accessed = new Map<Address, Map<Hash, Uint8Array>>()
  readonly #created = new Set<Address>()
  readonly #deleted = new Set<Address>()
  /** Accounts that were changed, as before. */
  readonly #changed = new Map<Address, Account | undefined>()
  #now: StateView | undefined
  #env: BlockEnv | undefined

  constructor(options: PrestateOptions) {
    this.#options = options
  }

  start({ machine, env, message, feeRecipient }: TraceContext): void {
    this.#now = machine.view
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
      if (!diffMode) pre[of] = this.#account(of, slots)
      else this.#compare(of, slots, pre, post)
    }
    return diffMode ? { post, pre } : pre
  }

  // --- accessed accounts and slots

  #addAccount(of: Address): Map<Hash, Uint8Array> {
    const known = this.#accessed.get(of)
    if (known !== undefined) return known
    const slots = new Map<Hash, Uint8Array>()
    this.#accessed.set(of, slots)
    return slots
  }

  #addSlot(of: Address, key: Hash): void {
    const slots = this.#addAccount(of)
    if (!this.#options.disableStorage && !slots.has(key)) slots.set(key, this.#view().originalWord(of, key))
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
    for (const { address, before, slots } of this.#view().transactionDiff()) {
      this.#addAccount(address)
      this.#changed.set(address, before)
      if (!this.#deleted.has(address)) for (const { key } of slots) this.#addSlot(address, key)
    }
  }

  // --- the result

  #view(): StateView {
    if (this.#now === undefined) throw new Error('the tracer was not started')
    return this.#now
  }

  /** The account before the transaction. */
  #before(of: Address): Account | undefined {
    return this.#changed.has(of) ? this.#changed.get(of) : this.#view().account(of)
  }

  #wasEmpty(of: Address): boolean {
    const account = this.#before(of)
    if (account === undefined) return true
    return account.nonce === 0n && account.balance === 0n && account.codeHash === EMPTY_CODE_HASH
  }

  #account(of: Address, slots: Words): WireAccount {
    const { nonce, balance, codeHash } = this.#before(of) ?? NEW_ACCOUNT
    const hasCode = codeHash !== EMPTY_CODE_HASH
    return {
      balance: toQuantity(balance),
      ...(hasCode && !this.#options.disableCode && { code: toHex(this.#view().codeWith(codeHash)) }),
      ...(hasCode && { codeHash }),
      ...(nonce > 0n && { nonce: Number(nonce) }),
      ...(slots.size > 0 && { storage: storageOf(slots) }),
    }
  }

  /** Adds a changed account to `pre` and `post`; a deleted one only to `pre`, a new one only to `post`. */
  #compare(of: Address, slots: Words, pre: Record<Address, WireAccount>, post: Record<Address, WireAccount>): void {
    const isNew = this.#wasEmpty(of) && !this.#options.includeEmpty
    if (this.#deleted.has(of)) {
      if (!isNew) pre[of] = this.#account(of, slots)
      return
    }
    const view = this.#view()
    const before = this.#before(of) ?? NEW_ACCOUNT
    const now = view.account(of) ?? NEW_ACCOUNT
    const after: WireAccount = {}
    if (now.balance !== before.balance) after.balance = toQuantity(now.balance)
    if (now.nonce !== before.nonce) after.nonce = Number(now.nonce)
    if (now.codeHash !== before.codeHash) {
      after.codeHash = now.codeHash
      if (!this.#options.disableCode) after.code = toHex(view.codeWith(now.codeHash))
    }
    const changed = [...slots].filter(([key, word]) => !equalBytes(word, view.word(of, key)))
    if (changed.length === 0 && Object.keys(after).length === 0) return
    const written = changed.map(([key]) => [key, view.word(of, key)] as const).filter(isNonZero)
    if (written.length > 0) after.storage = storageOf(written)
    post[of] = after
    if (!isNew) pre[of] = this.#account(of, new Map(changed.filter(isNonZero)))
  }
}

/** Storage words by key, without leading zeros. */
type Words = ReadonlyMap<Hash, Uint8Array>

const isNonZero = ([, word]: readonly [Hash, Uint8Array]): boolean => word.length > 0

const storageOf = (words: Iterable<readonly [Hash, Uint8Array]>): Record<Hash, Hash> =>
  Object.fromEntries([...words].map(([key, word]) => [key, toHash(padLeft(word, 32))]))

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
