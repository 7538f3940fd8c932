// One message and all that it calls: frames on an explicit stack, run by the interpreter in turns. Opening and ending a
// message are the EVM's rules around code: checkpoints, transfers, collisions, deposits. No recursion, and a promise only
// where a precompile or native contract needs one or the clock says so.
import { EVMError, type EVMResult, type Message } from '@ethereumjs/evm'
import { generateAddress, generateAddress2 } from '@ethereumjs/util'
import { type Address, bigToBytes, EMPTY_BYTES, fromHex, toAddress } from '../../lib/hex.ts'
import { delegationOf } from '../../primitives/delegation.ts'
import { EMPTY_CODE_HASH } from '../../state/accounts.ts'
import { addressOf } from '../state-adapter.ts'
import type { Frame } from '../tracer.ts'
import { isEmpty, StateHost } from './host.ts'
import { type Instance, type Loaded, outOfMemory } from './instance.ts'
import {
  F_ADDRESS,
  F_CALLER,
  F_DATA,
  F_DATA_LENGTH,
  F_DEPTH,
  F_GAS_GIVEN,
  F_KIND,
  F_KNOWN,
  F_OPCODE,
  F_OUTPUT,
  F_OUTPUT_LENGTH,
  F_PARENT,
  F_STACK,
  F_STATIC,
  F_TOP,
  F_VALUE,
  INVALID_JUMP,
  INVALID_OPCODE,
  NO_MEMORY,
  OUT_OF_GAS,
  PAUSED,
  REFUND_EXHAUSTED,
  STACK_OVERFLOW,
  STACK_UNDERFLOW,
  STATIC_CHANGE,
  STOPPED,
  WORDS,
} from './layout.ts'
import { Ledger } from './ledger.ts'
import {
  type Call,
  type CallKind,
  type End,
  ended,
  isCreation,
  type Open,
  toLibMessage,
  toLibResult,
} from './message.ts'
import type { Rules } from './rules.ts'
import type { Surroundings } from './surroundings.ts'

const { errorMessages } = EVMError
const MAX_DEPTH = 1024
const MAX_BALANCE = (1n << 256n) - 1n
const MAX_NONCE = (1n << 64n) - 1n
const LONE_INVALID = 0xfe
/** How many messages may begin before the clock is looked at. */
const MESSAGES_PER_LOOK = 64

const REVERT = 0xfd
const RETURN = 0xf3
const SELFDESTRUCT = 0xff
const CREATE = 0xf0
const CREATE2 = 0xf5
const KINDS = new Map<number, CallKind>([
  [0xf1, 'CALL'],
  [0xf2, 'CALLCODE'],
  [0xf4, 'DELEGATECALL'],
  [0xfa, 'STATICCALL'],
])

const FAILURES = new Map<number, string>([
  [OUT_OF_GAS, errorMessages.OUT_OF_GAS],
  [STACK_UNDERFLOW, errorMessages.STACK_UNDERFLOW],
  [STACK_OVERFLOW, errorMessages.STACK_OVERFLOW],
  [INVALID_JUMP, errorMessages.INVALID_JUMP],
  [INVALID_OPCODE, errorMessages.INVALID_OPCODE],
  [STATIC_CHANGE, errorMessages.STATIC_STATE_CHANGE],
  [REFUND_EXHAUSTED, errorMessages.REFUND_EXHAUSTED],
])

/** Undefined: a frame was opened, and runs next. */
type Begun = End | Promise<End> | undefined

export class Execution {
  readonly #engine: Instance
  readonly #around: Surroundings
  readonly #rules: Rules
  readonly #ledger: Ledger
  readonly #blobHashes: readonly `0x${string}`[]
  readonly #host: StateHost
  /** Messages that have begun and not ended, the innermost last. */
  readonly #open: Open[] = []
  #begun = 0

  constructor(engine: Instance, around: Surroundings, rules: Rules, message: Message) {
    this.#engine = engine
    this.#around = around
    this.#rules = rules
    this.#blobHashes = (message.blobVersionedHashes ?? []) as `0x${string}`[]
    const { gasRefund, selfdestruct, createdAddresses } = message
    this.#ledger = new Ledger(Number(gasRefund), selfdestruct ?? new Map(), createdAddresses ?? new Set())
    const catchUp = () => this.#catchUp()
    this.#host = new StateHost(around, rules, this.#ledger, addressOf(message.caller), this.#blobHashes, catchUp)
  }

  /** Runs the message to its end. Rejects with what the machine's clock throws, and with faults of this program. */
  async run(message: Message): Promise<EVMResult> {
    const engine = this.#engine
    const outer = { top: engine.top, host: engine.host }
    engine.host = this.#host
    engine.mayCall = this.#around.tracer === undefined && this.#rules.keepsGas
    try {
      let begun = this.#begin(this.#first(message), message.data)
      for (;;) {
        const next = begun ?? this.#runFrame()
        const end = next instanceof Promise ? await next : next
        // A native contract may have run messages of its own in between.
        engine.host = this.#host
        engine.mayCall = this.#around.tracer === undefined && this.#rules.keepsGas
        const open = this.#open.pop()
        if (open === undefined) throw new Error('a message ended that had not begun')
        const result = this.#finish(open, end)
        const parent = this.#open.at(-1)
        if (parent === undefined) return result ?? this.#result(open, end)
        engine.top = open.base
        this.#resume(parent, open, end)
        begun = undefined
      }
    } finally {
      engine.top = outer.top
      engine.host = outer.host
    }
  }

  /** Runs frames until a message ends at once or something has to be awaited. */
  #runFrame(): End | Promise<End> {
    for (;;) {
      const reason = this.#engine.run()
      if (reason === PAUSED) {
        const pause = this.#around.turn()
        if (pause !== undefined) return pause.then(() => this.#runFrame())
        continue
      }
      this.#catchUp()
      const open = this.#open.at(-1)
      if (open === undefined) throw new Error('there is no frame to run')
      const begun = this.#react(open, reason)
      if (begun !== undefined) return begun
    }
  }

  /** Takes over the frames that the interpreter has opened by itself. */
  #catchUp(): void {
    const engine = this.#engine
    const known = this.#open.at(-1)?.frame ?? 0
    if (engine.current === known) return
    engine.tell()
    const frames: number[] = []
    for (let frame = engine.current; frame !== known; frame = engine.field(frame, F_PARENT)) frames.push(frame)
    for (const frame of frames.reverse()) {
      this.#around.warmth.open()
      if (this.#rules.transient) this.#around.transient.checkpoint()
      this.#open.push({ call: this.#callOf(frame), mark: this.#ledger.mark(), base: frame, frame })
      engine.setField(frame, F_KNOWN, 1)
    }
    const call = this.#open.at(-1)?.call
    if (call !== undefined) this.#host.enter(call.to)
  }

  #callOf(frame: number): Call {
    const engine = this.#engine
    const to = engine.addressAt(frame + F_ADDRESS)
    return {
      kind: KINDS.get(engine.field(frame, F_KIND)) ?? 'CALL',
      caller: engine.addressAt(frame + F_CALLER),
      to,
      // Asked for when a message begins, which it has.
      codeAddress: to,
      value: engine.word(frame + F_VALUE),
      gas: engine.gas(frame, F_GAS_GIVEN),
      data: engine.field(frame, F_DATA),
      dataLength: engine.field(frame, F_DATA_LENGTH),
      depth: engine.field(frame, F_DEPTH),
      isStatic: engine.field(frame, F_STATIC) !== 0,
      salt: undefined,
      word: 0,
    }
  }

  #react(open: Open, reason: number): Begun {
    const { frame } = open
    switch (reason) {
      case STOPPED:
        return this.#left(open)
      case RETURN:
      case REVERT: {
        const end = this.#left(open, reason === REVERT ? errorMessages.REVERT : undefined)
        end.at = this.#engine.field(frame, F_OUTPUT)
        end.length = this.#engine.field(frame, F_OUTPUT_LENGTH)
        return end
      }
      case CREATE:
      case CREATE2:
        return this.#create(open, reason === CREATE2)
      case SELFDESTRUCT:
        return this.#destroy(open)
      case NO_MEMORY:
        throw outOfMemory()
    }
    const kind = KINDS.get(reason)
    if (kind !== undefined) return this.#call(open, kind)
    return this.#left(open, FAILURES.get(reason) ?? errorMessages.INTERNAL_ERROR)
  }

  /** The end of a frame; any error but a revert takes all its gas. */
  #left({ frame, call }: Open, error?: string): End {
    const engine = this.#engine
    const keeps = error === undefined || error === errorMessages.REVERT
    const end = ended(error, keeps ? call.gas - engine.gas(frame) : call.gas)
    end.opcode = engine.field(frame, F_OPCODE)
    end.items = (engine.field(frame, F_TOP) - engine.field(frame, F_STACK)) / 32
    end.hasRun = true
    return end
  }

  // --- opcodes that begin messages

  #call(open: Open, kind: CallKind): Begun {
    const engine = this.#engine
    const { view, warmth, tracer } = this.#around
    const { gas: price, warms, keepsGas } = this.#rules
    const { frame, call: around } = open
    const top = engine.field(frame, F_TOP)
    const codeAddress = engine.address()
    const carries = kind === 'CALL' || kind === 'CALLCODE'
    const hasValue = carries && !engine.isZero(top - 96)
    let cost = 0
    if (warms) {
      const isWarm = warmth.isWarm(codeAddress)
      cost += isWarm ? price.warm : price.cold
      if (!isWarm) warmth.warm(codeAddress)
    }
    if (hasValue) cost += price.value
    if (kind === 'CALL' && (hasValue || !this.#rules.clears) && this.#isNew(codeAddress)) cost += price.newAccount
    cost += this.#delegationPrice(codeAddress)
    const left = engine.gas(frame) - cost
    const asked = engine.small(top - 32)
    const most = keepsGas ? left - Math.floor(left / 64) : left
    if (left < 0 || (!keepsGas && asked > left)) return this.#left(open, errorMessages.OUT_OF_GAS)
    const stipend = hasValue ? price.stipend : 0
    const gas = Math.min(asked, most) + stipend
    engine.setGas(frame, left + stipend)

    const ranges = carries ? top - 128 : top - 96
    const dataLength = engine.small(ranges - 32)
    const self = around.to
    const isDelegate = kind === 'DELEGATECALL'
    const call: Call = {
      kind,
      caller: isDelegate ? around.caller : self,
      to: kind === 'CALL' || kind === 'STATICCALL' ? codeAddress : self,
      codeAddress,
      value: isDelegate ? around.value : hasValue ? engine.word(top - 96) : 0n,
      gas,
      data: dataLength === 0 ? 0 : this.#memory(frame) + engine.small(ranges),
      dataLength,
      depth: around.depth + 1,
      isStatic: around.isStatic || kind === 'STATICCALL',
      salt: undefined,
      word: top - 64,
    }
    engine.setReturn(0, 0)
    const isPoor = hasValue && view.balance(self) < call.value
    if (around.depth >= MAX_DEPTH || isPoor || this.#overspends(call)) {
      tracer?.refuse?.(this.#refused(call, around.depth >= MAX_DEPTH ? 'max call depth exceeded' : POOR))
      this.#answer(open, kind, 0)
      return undefined
    }
    engine.suspend(frame)
    return this.#begin(call)
  }

  #create(open: Open, isSalted: boolean): Begun {
    const engine = this.#engine
    const { view, tracer } = this.#around
    const { frame, call: around } = open
    const kind = isSalted ? 'CREATE2' : 'CREATE'
    const top = engine.field(frame, F_TOP)
    const dataLength = engine.small(top - 96)
    const salt = isSalted ? engine.slice(WORDS, 32) : undefined
    if (dataLength > this.#rules.maxInitCodeSize) return this.#left(open, errorMessages.INITCODE_SIZE_VIOLATION)
    engine.setReturn(0, 0)
    const left = engine.gas(frame)
    const gas = this.#rules.keepsGas ? left - Math.floor(left / 64) : left
    const value = engine.word(top - 32)
    const caller = around.to
    const data = dataLength === 0 ? 0 : this.#memory(frame) + engine.small(top - 64)
    const call: Call = {
      ...{ kind, caller, to: caller, codeAddress: caller, value, gas, data, dataLength },
      ...{ depth: around.depth + 1, isStatic: false, salt, word: 0 },
    }
    const refuse = (error: string): Begun => {
      tracer?.refuse?.(this.#refused(call, error))
      this.#answer(open, kind, 0)
      return undefined
    }
    if (around.depth >= MAX_DEPTH) return refuse('max call depth exceeded')
    if (view.balance(caller) < value) return refuse(POOR)
    const nonce = view.nonce(caller)
    if (nonce >= MAX_NONCE) return refuse('nonce uint64 overflow')
    view.setNonce(caller, nonce + 1n)
    this.#around.warmth.touch(caller)
    if (this.#overspends(call)) return refuse('nonce uint64 overflow')
    const to = this.#newAddress(caller, nonce, salt, data, dataLength)
    engine.suspend(frame)
    return this.#begin({ ...call, to, codeAddress: to })
  }

  #newAddress(caller: Address, nonce: bigint, salt: Uint8Array | undefined, data: number, length: number): Address {
    const bytes = fromHex(caller)
    if (salt === undefined) return toAddress(generateAddress(bytes, bigToBytes(nonce)))
    return toAddress(generateAddress2(bytes, salt, this.#engine.slice(data, length)))
  }

  #destroy(open: Open): End {
    const engine = this.#engine
    const { view, warmth, tracer } = this.#around
    const { gas: price, warms, clears, keepsGas, destroysOnlyNew } = this.#rules
    const { frame, call } = open
    const self = call.to
    const heir = engine.address()
    const balance = view.balance(self)
    let cost = 0
    if (clears) {
      if (balance > 0n && isEmpty(view.account(heir))) cost += price.newAccount
    } else if (keepsGas && view.account(heir) === undefined) cost += price.newAccount
    if (warms && !warmth.isWarm(heir)) {
      cost += price.cold
      warmth.warm(heir)
    }
    const left = engine.gas(frame) - cost
    if (left < 0) return this.#left(open, errorMessages.OUT_OF_GAS)
    engine.setGas(frame, left)
    if (heir !== self && this.#around.held(self) > 0n) return this.#left(open, errorMessages.INSUFFICIENT_BALANCE)
    tracer?.selfdestruct?.(self, heir, balance)
    if (!this.#ledger.destroyed.has(self)) this.#ledger.refund += price.destroyRefund
    this.#ledger.destroy(self, heir)
    if (heir !== self) {
      view.addBalance(heir, balance)
      warmth.touch(heir)
    }
    // Since EIP-6780 an older contract that names itself keeps what it has.
    if (!destroysOnlyNew || this.#ledger.created.has(self) || heir !== self) view.setBalance(self, 0n)
    return this.#left(open)
  }

  // --- the beginning of a message

  /** The message from outside as a call; its input goes to the engine's memory. */
  #first(message: Message): Call {
    const { caller: from, to: target, value, gasLimit, data, depth, isStatic, delegatecall } = message
    const caller = addressOf(from)
    const rest = { value, gas: Number(gasLimit), depth, isStatic, dataLength: data.length, salt: message.salt, word: 0 }
    if (target !== undefined) {
      const to = addressOf(target)
      const kind = delegatecall ? 'DELEGATECALL' : 'CALL'
      return { ...rest, kind, caller, to, codeAddress: addressOf(message.codeAddress), data: this.#engine.input(data) }
    }
    // The nonce has been raised already.
    const nonce = this.#around.view.nonce(caller) - 1n
    const to = toAddress(generateAddress(fromHex(caller), bigToBytes(nonce)))
    return { ...rest, kind: 'CREATE', caller, to, codeAddress: to, data: this.#engine.input(data) }
  }

  #begin(call: Call, input?: Uint8Array): Begun {
    const { around, engine } = { around: this.#around, engine: this.#engine }
    const { warmth } = around
    around.began(
      () => this.#message(call, input ?? engine.slice(call.data, call.dataLength)),
      input === undefined ? call.kind : undefined,
    )
    if (isCreation(call) && this.#rules.warms) warmth.warm(call.to)
    warmth.open()
    if (this.#rules.transient) around.transient.checkpoint()
    const open: Open = { call, mark: this.#ledger.mark(), base: engine.top, frame: 0 }
    this.#open.push(open)
    const pause = ++this.#begun % MESSAGES_PER_LOOK === 0 ? around.turn() : undefined
    if (pause === undefined) return this.#enter(open)
    return pause.then(() => this.#enter(open) ?? this.#runFrame())
  }

  #enter(open: Open): Begun {
    return isCreation(open.call) ? this.#enterCreation(open) : this.#enterCall(open)
  }

  #message(call: Call, input: Uint8Array): Message {
    return toLibMessage(call, input, this.#ledger, this.#blobHashes, this.#rules.destroysOnlyNew)
  }

  #enterCall(open: Open): Begun {
    const { call } = open
    const { view } = this.#around
    const { kind, caller, to, codeAddress, value } = call
    if (kind !== 'DELEGATECALL') {
      const fault = this.#transfer(caller, to, value)
      if (fault !== undefined) return ended(fault)
    }
    const native = this.#around.nativeAt(codeAddress)
    if (native !== undefined) return this.#runNative(call, native)
    const precompile = this.#around.precompileAt(codeAddress)
    if (precompile !== undefined) {
      const input = this.#engine.slice(call.data, call.dataLength)
      return this.#wait(() => this.#around.runPrecompile(precompile, input, BigInt(call.gas)))
    }
    let account = view.account(codeAddress)
    if (account === undefined || account.codeHash === EMPTY_CODE_HASH) return ended()
    let code = view.code(codeAddress)
    const delegate = this.#rules.delegates ? delegationOf(code) : undefined
    if (delegate !== undefined) {
      if (call.depth === 0) this.#around.warmth.addAlwaysWarmAddress(delegate)
      account = view.account(delegate)
      if (account === undefined || account.codeHash === EMPTY_CODE_HASH) return ended()
      code = view.code(delegate)
    }
    if (code.length === 1 && code[0] === LONE_INVALID) {
      const found = this.#around.findNative(codeAddress)
      if (found !== undefined) return this.#runNative(call, found)
    }
    const loaded = this.#engine.load(account.codeHash, code)
    if (delegate === undefined && call.word !== 0)
      this.#engine.remember(call.word, loaded, this.#engine.account(codeAddress))
    this.#openFrame(open, loaded)
    return undefined
  }

  #enterCreation(open: Open): Begun {
    const { call } = open
    const { view, warmth } = this.#around
    const { caller, to, value, dataLength } = call
    const purse = view.balance(caller)
    if (purse < value) throw new Error('a creation begins whose creator cannot pay for it')
    if (value > 0n) view.setBalance(caller, purse - value)
    this.#touch(caller)
    if (dataLength > this.#rules.maxInitCodeSize) return ended(errorMessages.INITCODE_SIZE_VIOLATION, call.gas)
    if (this.#rules.destroysOnlyNew) this.#ledger.create(to)
    const there = view.account(to)
    const isTaken = there !== undefined && (there.nonce > 0n || there.codeHash !== EMPTY_CODE_HASH)
    // EIP-7610: storage may be there without an account's own fields.
    if (isTaken || view.hasStorage(to)) return ended(errorMessages.CREATE_COLLISION, call.gas)
    warmth.touch(to)
    view.clearStorage(to)
    const balance = (there?.balance ?? 0n) + value
    if (balance > MAX_BALANCE) return ended(errorMessages.VALUE_OVERFLOW)
    view.setAccount(to, { nonce: this.#rules.clears ? 1n : 0n, balance, codeHash: EMPTY_CODE_HASH })
    if (dataLength === 0) return ended()
    this.#openFrame(open, this.#engine.placeRange(call.data, dataLength))
    return undefined
  }

  #openFrame(open: Open, code: Loaded): void {
    const { call } = open
    const creates = isCreation(call)
    const frame = this.#engine.open({
      code,
      data: creates ? 0 : call.data,
      dataLength: creates ? 0 : call.dataLength,
      gas: call.gas,
      isStatic: call.isStatic,
      depth: call.depth,
      account: this.#engine.account(call.to),
    })
    this.#engine.setAccounts(frame, call.to, call.caller, call.value)
    this.#engine.setReturn(0, 0)
    open.frame = frame
    this.#host.enter(call.to)
  }

  /** Moves value; why not, if it cannot be. Touches both even if there is none (EIP-161). */
  #transfer(from: Address, to: Address, value: bigint): string | undefined {
    const { view } = this.#around
    let fault: string | undefined
    if (value > 0n) {
      const purse = view.balance(from)
      if (purse < value) fault = errorMessages.INSUFFICIENT_BALANCE
      else view.setBalance(from, purse - value)
      const sum = view.balance(to) + value
      if (sum > MAX_BALANCE) fault = errorMessages.VALUE_OVERFLOW
      else view.setBalance(to, sum)
    } else {
      if (view.account(from) === undefined) view.setBalance(from, 0n)
      if (view.account(to) === undefined) view.setBalance(to, 0n)
    }
    this.#touch(from)
    this.#touch(to)
    return fault
  }

  /** An account with a nonce or code cannot become empty: whether it was touched does not matter. */
  #touch(address: Address): void {
    const account = this.#around.view.account(address)
    const stays = account !== undefined && (account.nonce > 0n || account.codeHash !== EMPTY_CODE_HASH)
    if (!stays) this.#around.warmth.touch(address)
  }

  // --- work that is not code

  #runNative(call: Call, native: NonNullable<ReturnType<Surroundings['nativeAt']>>): End | Promise<End> {
    const input = this.#engine.slice(call.data, call.dataLength)
    const message = this.#message(call, input)
    return this.#wait(
      () => this.#around.runNative(native, message),
      () => {
        // Contracts that it called may have destroyed and created.
        this.#ledger.refund = Number(message.gasRefund)
        for (const [address, heir] of message.selfdestruct ?? []) this.#ledger.destroy(address, heir)
        for (const address of message.createdAddresses ?? []) this.#ledger.create(address)
      },
    )
  }

  #wait(begin: () => ReturnType<Surroundings['runPrecompile']>, then?: () => void): End | Promise<End> {
    // The work may be long: the clock is looked at for each.
    const pause = this.#around.turn()
    const work = pause === undefined ? begin() : pause.then(begin)
    const settle = (result: Awaited<typeof work>): End => {
      const end = ended(result.exceptionError?.error, Number(result.executionGasUsed))
      end.bytes = result.returnValue
      end.length = result.returnValue.length
      end.work = result
      // Native contracts write past the interpreter.
      if (then !== undefined) this.#engine.forget()
      if (end.error === undefined) {
        then?.()
        for (const log of result.logs ?? []) this.#ledger.logs.push(log)
      }
      return end
    }
    return work instanceof Promise ? work.then(settle) : settle(work)
  }

  // --- the end of a message

  /** Keeps or undoes what the message did, and tells the tracer; the result, if it was made. */
  #finish(open: Open, end: End): EVMResult | undefined {
    const { call } = open
    const { warmth, transient, tracer } = this.#around
    if (isCreation(call) && end.error === undefined && end.hasRun) this.#deposit(open, end)
    if (call.depth === 0) transient.clear()
    // Frontier's contract that could not pay for its code stays, empty.
    const stands =
      end.error === undefined || (end.error === errorMessages.CODESTORE_OUT_OF_GAS && !this.#rules.homestead)
    if (stands) warmth.close()
    else {
      this.#ledger.undo(open.mark)
      warmth.undo()
      this.#engine.forget()
    }
    if (this.#rules.transient) {
      if (stands) transient.commit()
      else transient.revert()
    }
    if (tracer?.exit === undefined) return undefined
    const result = this.#result(open, end)
    this.#around.ended(result)
    return result
  }

  #result({ call, mark }: Open, end: End): EVMResult {
    const output = end.bytes ?? this.#engine.slice(end.at, end.length)
    return toLibResult(call, end, output, this.#ledger, mark)
  }

  /** Pays for the code that init code returned, and puts it in place. */
  #deposit({ call }: Open, end: End): void {
    const { homestead, gas, maxCodeSize, refusesEf } = this.#rules
    const code = this.#engine.slice(end.at, end.length)
    const price = code.length * gas.codeByte
    const fail = (error: string, gasUsed = call.gas): void => {
      end.error = error
      end.gasUsed = gasUsed
      end.length = 0
      end.refused = code
    }
    const fits = code.length <= maxCodeSize
    if (end.gasUsed + price > call.gas || !fits) {
      if (!homestead) fail(errorMessages.CODESTORE_OUT_OF_GAS, end.gasUsed)
      else fail(fits ? errorMessages.OUT_OF_GAS : errorMessages.CODESIZE_EXCEEDS_MAXIMUM)
      return
    }
    if (refusesEf && code[0] === 0xef) {
      fail(errorMessages.INVALID_BYTECODE_RESULT)
      return
    }
    end.gasUsed += price
    if (code.length > 0) this.#around.view.setCode(call.to, code)
  }

  /** Hands the end to the frame that called. */
  #resume(parent: Open, { call }: Open, end: End): void {
    const engine = this.#engine
    const { frame } = parent
    const { error } = end
    const isReverted = error === errorMessages.REVERT
    engine.setGas(frame, engine.gas(frame) - end.gasUsed)
    engine.current = frame
    this.#host.enter(parent.call.to)
    if (isCreation(call)) {
      engine.setReturn(end.at, isReverted ? end.length : 0, end.bytes)
      const isMade = error === undefined || error === errorMessages.CODESTORE_OUT_OF_GAS
      this.#answer(parent, call.kind, isMade ? call.to : 0)
      return
    }
    const length = error === undefined || isReverted ? end.length : 0
    engine.setReturn(end.at, length, end.bytes)
    const top = engine.field(frame, F_TOP)
    const ranges = call.kind === 'CALL' || call.kind === 'CALLCODE' ? top - 128 : top - 96
    const taken = Math.min(engine.small(ranges - 96), length)
    if (taken > 0) {
      const to = this.#memory(frame) + engine.small(ranges - 64)
      if (end.bytes === undefined) engine.bytes.copyWithin(to, end.at, end.at + taken)
      else engine.bytes.set(end.bytes.subarray(0, taken), to)
    }
    this.#answer(parent, call.kind, error === undefined ? 1 : 0)
  }

  /** Takes the opcode's items and leaves its answer. */
  #answer({ frame }: Open, kind: CallKind, answer: Address | 0 | 1): void {
    const engine = this.#engine
    const top = engine.field(frame, F_TOP) - ITEMS[kind] * 32
    if (typeof answer === 'string') engine.setAddress(top, answer)
    else engine.setSmall(top, answer)
    engine.setField(frame, F_TOP, top + 32)
  }

  // --- questions

  #memory(frame: number): number {
    return this.#engine.memory(frame)
  }

  /** Whether a call that goes there has to pay for a new account. */
  #isNew(address: Address): boolean {
    const account = this.#around.view.account(address)
    return this.#rules.clears ? isEmpty(account) : account === undefined
  }

  /** EIP-7702: the account whose code runs instead is touched as well. */
  #delegationPrice(address: Address): number {
    if (!this.#rules.delegates) return 0
    const { view, warmth } = this.#around
    const { gas } = this.#rules
    const account = view.account(address)
    if (account === undefined || account.codeHash === EMPTY_CODE_HASH) return 0
    const delegate = delegationOf(view.code(address))
    if (delegate === undefined) return 0
    if (warmth.isWarm(delegate)) return gas.warm
    warmth.warm(delegate)
    return gas.cold
  }

  #overspends({ kind, caller, to, value }: Call): boolean {
    if (value === 0n || kind === 'DELEGATECALL' || (to === caller && !this.#isCreationKind(kind))) return false
    const held = this.#around.held(caller)
    return held > 0n && this.#around.view.balance(caller) - value < held
  }

  #isCreationKind(kind: CallKind): boolean {
    return kind === 'CREATE' || kind === 'CREATE2'
  }

  #refused(call: Call, error: string): Frame {
    const { kind, caller, to, codeAddress, value, gas } = call
    return {
      type: kind,
      from: kind === 'DELEGATECALL' ? to : caller,
      to: isCreation(call) ? null : codeAddress,
      value,
      gas: BigInt(gas),
      gasUsed: 0n,
      input: call.dataLength === 0 ? EMPTY_BYTES : this.#engine.slice(call.data, call.dataLength),
      output: EMPTY_BYTES,
      error,
      calls: [],
    }
  }
}

const POOR = 'insufficient balance for transfer'

/** How many items an opcode takes. */
const ITEMS: Record<CallKind, number> = {
  CALL: 7,
  CALLCODE: 7,
  DELEGATECALL: 6,
  STATICCALL: 6,
  CREATE: 3,
  CREATE2: 4,
}
