// One instance of the engine's WebAssembly module, with its own memory. It runs one transaction at a time; loaded code
// stays in memory until the area for code is full.
import { ChainError } from '../../lib/errors.ts'
import type { Hash } from '../../lib/hex.ts'
import type { StateGasLevels } from '../gas/state-gas.ts'
import type { BlockContext } from '../message.ts'
import { CompiledCodes } from './compiled-codes.ts'
import type { HotCodeCompiler } from './compiler.ts'
import { type FrameStart, type LoadedCode, memoryOf, writeFrame } from './frame-header.ts'
import {
  CODE_HEADER,
  CODE_PADDING,
  CODES,
  CODES_END,
  CURRENT,
  DELAY,
  EPOCH,
  F_MEMORY,
  F_MEMORY_SIZE,
  F_RESERVOIR,
  FRAMES,
  HASH_DELAY,
  LOG_GAS,
  LOG_REFUND,
  LOG_SPILLED,
  MARKS,
  MAY_CALL,
  OPCODES,
  PARAMETERS,
  PAUSED,
  PLAIN,
  RECORDS,
  REFUND,
  RESERVOIR,
  SPILLED,
  STRETCH,
  STRETCH_GAS,
  TURN,
  TURN_GAS,
  UNPAID,
  WORK,
} from './layout.ts'
import { aligned, Memory } from './memory.ts'
import type { EngineExports } from './module-interface.ts'
import { hostImports, type OpcodeHost } from './module-interface.ts'
import type { EngineRules } from './rules.ts'
import { SlotTable } from './slot-table.ts'
import { type Stress, stress } from './stress.ts'

export const outOfMemory = (): ChainError =>
  new ChainError('limit-exceeded', 'execution aborted: the call needs more memory than this node has')

const UNLIMITED = 1n << 60n // More gas than any memory costs.

export class Instance extends Memory {
  /** The end of the memory in use: the next frame begins here. */
  top = FRAMES
  host: OpcodeHost | undefined
  readonly #exports: EngineExports
  /** The compiled codes that are installed in this instance. */
  readonly compiled: CompiledCodes
  readonly #codes = new Map<Hash, LoadedCode>()
  /** The table of storage slots. */
  readonly slots: SlotTable
  #free = CODES
  #rules: EngineRules | undefined
  #block: BlockContext | undefined

  constructor(module: WebAssembly.Module) {
    super()
    // The module is our own: these are what assembly/index.ts exports.
    this.#exports = new WebAssembly.Instance(module, { host: hostImports(this) as Record<string, never> })
      .exports as EngineExports
    this.setBuffer(this.#exports.memory.buffer)
    this.compiled = new CompiledCodes(this.#exports, this)
    this.slots = new SlotTable(this)
    this.#setTurn(TURN_GAS, HASH_DELAY, STRETCH_GAS)
  }

  /** Size of the linear memory in bytes. */
  get size(): number {
    return this.bytes.length
  }

  /** Runs the current frame until the host is needed; a reason of the layout, or an opcode. */
  run(): number {
    if (stress !== undefined) this.#shake(stress)
    this.#follow()
    const reason = this.#exports.run()
    this.refresh()
    if (reason !== PAUSED) this.flushStores()
    return reason
  }

  /** Sets the gas of a turn, its extension at a KECCAK256, and the interpreter's gas after a side exit. */
  #setTurn(turn: number, delay: number, stretch: number): void {
    this.limbs[TURN >>> 3] = BigInt(turn)
    this.limbs[DELAY >>> 3] = BigInt(delay)
    this.limbs[STRETCH >>> 3] = BigInt(stretch)
  }

  /** For the stress build: a random length of the next turn; compiled codes, values and warm slots are dropped at random. */
  #shake({ upTo, pick }: Stress): void {
    this.#setTurn(upTo(TURN_GAS), upTo(HASH_DELAY) - 1, upTo(STRETCH_GAS))
    this.compiled.stress(pick)
    if (pick(16)) {
      this.flushStores()
      this.slots.forget()
    }
    if (pick(16)) {
      this.host?.adoptFrames()
      this.host?.takeSlots()
    }
  }

  /** Runs one opcode of the current frame. Returns PAUSED if the frame can continue, else as `run`. */
  step(): number {
    this.#follow()
    const reason = this.#exports.step()
    this.refresh()
    return reason
  }

  /** Runs and logs up to `most` opcodes of the current frame: see `step-log.ts`. */
  logSteps(most: number): number {
    this.#follow()
    const reason = this.#exports.logSteps(most)
    this.refresh()
    return reason
  }

  /** Opcodes before which `runToMarked` stops. */
  mark(opcodes: ReadonlySet<number>): void {
    this.bytes.fill(0, MARKS, MARKS + 256)
    for (const opcode of opcodes) this.bytes[MARKS + opcode] = 1
  }

  /** Runs up to `most` opcodes of the current frame, none of them marked. */
  runToMarked(most: number): number {
    this.#follow()
    const reason = this.#exports.runToMarked(most)
    this.refresh()
    return reason
  }

  writeHead(cost: bigint, errorLength: number): void {
    this.#exports.writeHead(cost, errorLength)
  }

  endRecord(moreRefund: bigint): void {
    this.#exports.endRecord(moreRefund)
  }

  /** The refund so far, for the step log. */
  set loggedRefund(refund: number) {
    this.limbs[LOG_REFUND >>> 3] = BigInt(refund)
  }

  /** Gas before the opcode of the record. */
  get loggedGas(): bigint {
    return this.limbs[LOG_GAS >>> 3] ?? 0n
  }

  /** Grows a frame's memory to a size in bytes, for which gas has been charged. */
  growMemory(frame: number, bytes: bigint): void {
    if (this.#exports.touch(frame, bytes, UNLIMITED) < 0n) throw outOfMemory()
    this.refresh()
  }

  /** To be called when the memory may have grown. */
  refresh(): void {
    if (this.words.length === 0) this.setBuffer(this.#exports.memory.buffer)
  }

  /** Throws ChainError `limit-exceeded` when the computer has no such memory. */
  reserve(end: number): void {
    if (end <= this.bytes.length) return
    if (this.#exports.reserve(BigInt(end)) === 0) throw outOfMemory()
    this.refresh()
  }

  /** For a new transaction: the fork's rules, room for code, contents of storage. `compiler`: of hot code; undefined: none is compiled. */
  beginTransaction(rules: EngineRules, compiler: HotCodeCompiler | undefined, storageId: number): void {
    this.top = FRAMES
    this.slots.begin(storageId)
    // Until EIP-6780 an account that is deleted may have storage: the view lists the slots that were read as changed.
    if (!rules.forks.cancun) this.slots.forget()
    this.limbs[REFUND >>> 3] = 0n
    this.invalidateCache()
    this.compiled.begin(compiler)
    const isFull = this.#free > CODES + (CODES_END - CODES) * 0.75
    if (this.#rules !== rules || isFull || stress?.pick(8) === true) {
      this.#codes.clear()
      this.#free = CODES
      this.compiled.clear(rules.compiled)
    }
    if (this.#rules === rules) return
    this.#rules = rules
    this.#block = undefined
    this.bytes.set(rules.opcodes, OPCODES)
    this.limbs.set(rules.parameters, PARAMETERS / 8)
    this.bytes.set(new Uint8Array(rules.unpaid.buffer), UNPAID)
    this.words[PLAIN >>> 2] = rules.isPlain ? 1 : 0
  }

  // --- state gas (EIP-8037)

  get stateGas(): StateGasLevels {
    return this.#levels(RESERVOIR)
  }

  set stateGas({ reservoir, used, spilled }: StateGasLevels) {
    this.limbs.set([reservoir, used, spilled], RESERVOIR >>> 3)
  }

  get spilled(): bigint {
    return this.limbs[SPILLED >>> 3] ?? 0n
  }

  /** What had spilled before the opcode of the record. */
  get loggedSpilled(): bigint {
    return this.limbs[LOG_SPILLED >>> 3] ?? 0n
  }

  /** The levels at the start of a frame. */
  stateGasAt(frame: number): StateGasLevels {
    return this.#levels(frame + F_RESERVOIR)
  }

  #levels(at: number): StateGasLevels {
    const [reservoir = 0n, used = 0n, spilled = 0n] = this.limbs.subarray(at >>> 3, (at >>> 3) + 3)
    return { reservoir, used, spilled }
  }

  /** Charges state gas to the reservoir, then to a frame's gas. Returns the gas left; below zero, nothing was charged. */
  chargeState(gas: number, cost: number): number {
    return Number(this.#exports.chargeState(BigInt(gas), BigInt(cost)))
  }

  /** Takes back the end of a called frame: what the reservoir can repay to the gas of the frame. */
  repay(frame: number): void {
    if (this.limbs[RESERVOIR >>> 3] === 0n) return
    this.setGas(frame, this.gas(frame) + Number(this.#exports.repaid(frame)))
  }

  /** Gives state gas back to the frame that has paid it. */
  refundState(frame: number, cost: number): void {
    this.setGas(frame, Number(this.refundedState(frame, BigInt(this.gas(frame)), BigInt(cost))))
  }

  /** The same for a frame whose gas is not in its header. Returns the gas left. */
  refundedState(frame: number, gas: bigint, cost: bigint): bigint {
    return this.#exports.refundState(frame, gas, cost)
  }

  /** Whether the host is told what the transaction reads of the state (EIP-7928). */
  set records(does: boolean) {
    this.words[RECORDS >>> 2] = does ? 1 : 0
  }

  /** Unpaid work that the transaction may still do (`gas/unpaid-work.ts`). */
  get work(): bigint {
    return this.limbs[WORK >>> 3] ?? 0n
  }

  set work(left: bigint) {
    this.limbs[WORK >>> 3] = left
  }

  /** Whether ENVIRONMENT holds another block than this. Blocks are compared by identity, under the same rules. */
  moveToBlock(block: BlockContext): boolean {
    const isAnother = this.#block !== block
    this.#block = block
    return isAnother
  }

  // --- accounts and slots

  /** Caches the code of a warm account, so that calls to it need no host. `at`: the stack word with its address. */
  cacheAccount(at: number, code: LoadedCode, account: number): void {
    if (code.at < CODES_END) this.#exports.cacheAccount(at, code.at, code.length, code.jumps, account)
  }

  /** Writes all dirty slots to the host. They belong to the innermost frame that it knows, so call this before that changes. */
  flushStores(): void {
    const { host } = this
    if (host !== undefined && this.slots.flush(host)) this.flushRefund(host)
  }

  #follow(): void {
    if (this.host !== undefined) this.slots.follow(this.host.storageId)
  }

  flushRefund(host: OpcodeHost): void {
    const refund = this.limbs[REFUND >>> 3] ?? 0n
    if (refund === 0n) return
    host.addRefund(Number(BigInt.asIntN(64, refund)))
    this.limbs[REFUND >>> 3] = 0n
    this.limbs[LOG_REFUND >>> 3] = (this.limbs[LOG_REFUND >>> 3] ?? 0n) + refund
  }

  /** Invalidates what the journal and the accounts' codes may have changed: cached accounts, by a new epoch, and warm slots. */
  invalidateCache(): void {
    this.slots.forgetWarmth()
    this.words[EPOCH >>> 2] = ((this.words[EPOCH >>> 2] ?? 0) + 1) >>> 0
  }

  set mayCall(may: boolean) {
    this.words[MAY_CALL >>> 2] = may ? 1 : 0
  }

  /** The frame that runs. */
  get current(): number {
    return this.words[CURRENT >>> 2] ?? 0
  }

  set current(frame: number) {
    this.words[CURRENT >>> 2] = frame
  }

  // --- code

  /** Loads deployed code into CODES, or, if that is full, to the top of the memory for one frame. */
  load(hash: Hash, code: Uint8Array): LoadedCode {
    const known = this.#codes.get(hash)
    if (known !== undefined) return known
    if (this.#free + CODE_HEADER + 2 * code.length + 2 * CODE_PADDING > CODES_END) return this.place(code)
    const at = this.#free + CODE_HEADER
    this.bytes.set(code, at)
    const { loaded, end } = this.#analysed(at, code.length)
    this.#free = end
    this.#codes.set(hash, loaded)
    this.compiled.onLoaded(at, hash, code)
    return loaded
  }

  /** Allocates bytes in CODES, which live until the loaded codes are cleared; undefined: the area is full. */
  allocate(length: number): number | undefined {
    const at = this.#free
    if (at + length > CODES_END) return undefined
    this.#free = aligned(at + length)
    return at
  }

  /** Places code for one frame at the top of the memory. */
  place(code: Uint8Array): LoadedCode {
    return this.placeRange(this.input(code), code.length)
  }

  /** The same from a range of the engine's own memory. */
  placeRange(from: number, length: number): LoadedCode {
    const at = this.top + CODE_HEADER
    this.reserve(at + 2 * length + 4 * CODE_PADDING)
    this.bytes.copyWithin(at, from, from + length)
    const { loaded, end } = this.#analysed(at, length)
    this.top = end
    return loaded
  }

  /** Pads code in memory with zeros and finds its jump destinations. */
  #analysed(at: number, length: number): { loaded: LoadedCode; end: number } {
    const jumps = aligned(at + length + CODE_PADDING)
    this.bytes.fill(0, at + length, jumps)
    this.compiled.onPlaced(at)
    this.#exports.analyse(at, length, jumps)
    return { loaded: { at, length, jumps }, end: aligned(jumps + (length >>> 3) + 8) }
  }

  /** Copies the input of a message to the top of the memory. Returns its address. */
  input(data: Uint8Array): number {
    const at = this.top
    this.reserve(at + data.length + 64)
    this.write(data, at)
    this.top = aligned(at + data.length)
    return at
  }

  // --- frames

  /** Opens a frame at the top of the memory and returns its address. Call `setAccounts` next. */
  openFrame(start: FrameStart): number {
    const frame = this.top
    const end = memoryOf(frame) + 65_536
    if (end > this.bytes.length) this.reserve(end)
    writeFrame(this.words, frame, start)
    this.limbs.copyWithin((frame + F_RESERVOIR) >>> 3, RESERVOIR >>> 3, (RESERVOIR >>> 3) + 3)
    this.current = frame
    this.setGas(frame, start.gas)
    return frame
  }

  /** Call it before a call opcode: the next frame begins at the current end of this frame's memory. */
  suspendFrame(frame: number): void {
    this.top = aligned(this.field(frame, F_MEMORY) + this.field(frame, F_MEMORY_SIZE))
  }
}
