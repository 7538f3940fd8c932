// Logs of one transaction with its transfers of value among them, as eth_simulateV1 shows both: in the order in which
// they happened, and without those that were undone.
import { type Address, bigToFixed, type Hash, hexToAddress, hexToHash } from '../lib/hex.ts'
import type { Log } from '../primitives/types.ts'
import type { Result } from './result.ts'
import type { Entered, MessageTracer } from './tracer.ts'

/** The asset's address in the logs (ERC-7528), and ERC-20's Transfer(address,address,uint256). */
const VALUE = hexToAddress('0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee')
const TRANSFER = hexToHash('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')

/** A frame while it runs. A creation's transfer is known when its address is: at the end. */
type Frame = {
  readonly logs: Log[]
  readonly endowment: { readonly from: Address; readonly value: bigint } | undefined
}

export class TransferTracer implements MessageTracer {
  /** What has happened and stands; complete when the transaction is over. */
  readonly logs: Log[] = []
  readonly #open: Frame[] = []

  enter({ type, from, to, value }: Entered): void {
    // DELEGATECALL and CALLCODE only seem to carry value: it stays where it is.
    const moves = value > 0n && type !== 'DELEGATECALL' && type !== 'CALLCODE'
    this.#open.push({
      logs: moves && to !== null ? [transfer(from, to, value)] : [],
      endowment: moves && to === null ? { from, value } : undefined,
    })
  }

  exit({ failure, nativeLogs, createdAddress }: Result): void {
    const frame = this.#open.pop()
    if (frame === undefined || failure !== undefined) return
    const around = this.#open.at(-1)?.logs ?? this.logs
    const { endowment } = frame
    if (endowment !== undefined && createdAddress !== undefined) {
      around.push(transfer(endowment.from, createdAddress, endowment.value))
    }
    // Native contracts run no opcodes: their own logs come with the result.
    around.push(...frame.logs, ...nativeLogs)
  }

  selfdestruct(from: Address, beneficiary: Address, balance: bigint): void {
    if (balance > 0n) this.#open.at(-1)?.logs.push(transfer(from, beneficiary, balance))
  }

  log(log: Log): void {
    this.#open.at(-1)?.logs.push(log)
  }
}

const transfer = (from: Address, to: Address, value: bigint): Log => ({
  address: VALUE,
  topics: [TRANSFER, asTopic(from), asTopic(to)],
  data: bigToFixed(value, 32),
})

const asTopic = (address: Address): Hash => hexToHash(`0x${address.slice(2).padStart(64, '0')}`)
