// The logs of a simulated block (eth_simulateV1), on request with transfers of value among them. Indices count on through
// the block and count every log that was written, also those that a revert undid: geth's numbering.
import type { Result } from '../evm/result.ts'
import type { EnterEvent, MessageTracer } from '../evm/tracer.ts'
import { type Address, bigToFixed, type Hash, hexToAddress, hexToHash } from '../lib/hex.ts'
import type { Log } from '../primitives/types.ts'

/** The address of the asset in a transfer's log (ERC-7528), and ERC-20's Transfer(address,address,uint256). */
const VALUE = hexToAddress('0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee')
const TRANSFER = hexToHash('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')

/** A log with its index in its block. */
export type IndexedLog = { readonly log: Log; readonly index: number }

/** A message while it runs. The receiver of a creation's value is known when the creation ends. */
type Frame = {
  readonly logs: IndexedLog[]
  readonly endowment: { readonly from: Address; readonly value: bigint; readonly index: number } | undefined
}

/** Traces the messages of one simulated block, call by call. */
export class SimulatedLogs implements MessageTracer {
  readonly #showsTransfers: boolean
  readonly #open: Frame[] = []
  #finished: IndexedLog[] = []
  /** Index of the next log in the block. */
  #next = 0

  constructor(showsTransfers: boolean) {
    this.#showsTransfers = showsTransfers
  }

  /** Logs of the call that has just ended, without those that were undone, in the order in which they were written. */
  take(): IndexedLog[] {
    const taken = this.#finished
    this.#finished = []
    return taken
  }

  enter({ type, from, to, value }: EnterEvent): void {
    // DELEGATECALL and CALLCODE name a value but move none.
    const moves = this.#showsTransfers && value > 0n && type !== 'DELEGATECALL' && type !== 'CALLCODE'
    const endowment = moves && to === null ? { from, value, index: this.#next++ } : undefined
    const logs = moves && to !== null ? [this.#indexed(transfer(from, to, value))] : []
    this.#open.push({ logs, endowment })
  }

  exit({ failure, nativeLogs, createdAddress }: Result): void {
    const frame = this.#open.pop()
    if (frame === undefined || failure !== undefined) return
    const around = this.#open.at(-1)?.logs ?? this.#finished
    const { endowment } = frame
    if (endowment !== undefined && createdAddress !== undefined) {
      const log = transfer(endowment.from, createdAddress, endowment.value)
      around.push({ log, index: endowment.index })
    }
    around.push(...frame.logs)
    // Native contracts run no opcodes: their logs come with the result.
    around.push(...nativeLogs.map((log) => this.#indexed(log)))
  }

  selfdestruct(from: Address, beneficiary: Address, balance: bigint): void {
    if (this.#showsTransfers && balance > 0n) this.log(transfer(from, beneficiary, balance))
  }

  log(log: Log): void {
    this.#open.at(-1)?.logs.push(this.#indexed(log))
  }

  #indexed(log: Log): IndexedLog {
    return { log, index: this.#next++ }
  }
}

const transfer = (from: Address, to: Address, value: bigint): Log => ({
  address: VALUE,
  topics: [TRANSFER, asTopic(from), asTopic(to)],
  data: bigToFixed(value, 32),
})

const asTopic = (address: Address): Hash => hexToHash(`0x${address.slice(2).padStart(64, '0')}`)
