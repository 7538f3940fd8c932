// Decodes token transfers from logs. Pure: `token-detection.ts` decides whether the emitter is a token. A log that does not
// have exactly a known form is not a transfer.
import { type Address, type Hash, toHex, ZERO_ADDRESS } from '../lib/hex.ts'
import type { Log } from '../primitives/types.ts'
import type { TokenType } from './tables.ts'

/** `Transfer(address,address,uint256)`: ERC-20 and ERC-721, which differ in their indexed arguments. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef' as Hash
/** `TransferSingle(address,address,address,uint256,uint256)` */
const TRANSFER_SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62' as Hash
/** `TransferBatch(address,address,address,uint256[],uint256[])` */
const TRANSFER_BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb' as Hash
/** `Deposit(address,uint256)` and `Withdrawal(address,uint256)` of wrapped coins, which emit no Transfer for a mint or burn. */
const DEPOSIT = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c' as Hash
const WITHDRAWAL = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65' as Hash

/**
 * The form of a log. `unindexed` is a Transfer without indexed arguments, as old tokens emit it: its number is an amount or an
 * id. `wrapping` is a deposit or withdrawal of coins, which counts only if the contract is an ERC-20.
 */
export type LogForm = TokenType | 'unindexed' | 'wrapping'

export type LoggedTransfer = {
  readonly form: LogForm
  readonly from: Address
  readonly to: Address
  readonly id: bigint | undefined
  /** 1 for ERC-721. */
  readonly amount: bigint
}

const NONE: readonly LoggedTransfer[] = []
const WORD = 32

/** The transfers in a log: one for each id of a batch; none when it has another form or is malformed. */
export function transfersIn({ topics, data }: Log): readonly LoggedTransfer[] {
  switch (topics[0]) {
    case TRANSFER:
      return plainTransfer(topics, data)
    case TRANSFER_SINGLE:
      return singleTransfer(topics, data)
    case TRANSFER_BATCH:
      return batchTransfer(topics, data)
    case DEPOSIT:
    case WITHDRAWAL: {
      const of = addressIn(topics[1])
      if (topics.length !== 2 || data.length !== WORD || of === undefined) return NONE
      const [from, to] = topics[0] === DEPOSIT ? [ZERO_ADDRESS, of] : [of, ZERO_ADDRESS]
      return [{ form: 'wrapping', from, to, id: undefined, amount: wordAt(data, 0) }]
    }
    default:
      return NONE
  }
}

function plainTransfer(topics: readonly Hash[], data: Uint8Array): readonly LoggedTransfer[] {
  if (topics.length === 1 && data.length === 3 * WORD) {
    const from = addressAt(data, 0)
    const to = addressAt(data, WORD)
    if (from === undefined || to === undefined) return NONE
    return [{ form: 'unindexed', from, to, id: undefined, amount: wordAt(data, 2 * WORD) }]
  }
  const from = addressIn(topics[1])
  const to = addressIn(topics[2])
  if (from === undefined || to === undefined) return NONE
  if (topics.length === 3 && data.length === WORD) {
    return [{ form: 'ERC-20', from, to, id: undefined, amount: wordAt(data, 0) }]
  }
  const id = topics[3]
  if (id === undefined || data.length !== 0) return NONE
  return [{ form: 'ERC-721', from, to, id: BigInt(id), amount: 1n }]
}

function singleTransfer(topics: readonly Hash[], data: Uint8Array): readonly LoggedTransfer[] {
  const from = addressIn(topics[2])
  const to = addressIn(topics[3])
  if (topics.length !== 4 || data.length !== 2 * WORD || from === undefined || to === undefined) return NONE
  return [{ form: 'ERC-1155', from, to, id: wordAt(data, 0), amount: wordAt(data, WORD) }]
}

function batchTransfer(topics: readonly Hash[], data: Uint8Array): readonly LoggedTransfer[] {
  const from = addressIn(topics[2])
  const to = addressIn(topics[3])
  const ids = wordsAt(data, 0)
  const amounts = wordsAt(data, WORD)
  if (topics.length !== 4 || from === undefined || to === undefined) return NONE
  if (ids === undefined || amounts === undefined || ids.length !== amounts.length) return NONE
  return ids.map((id, i) => ({ form: 'ERC-1155', from, to, id, amount: amounts[i] ?? 0n }))
}

const PADDING = '0'.repeat(24)

/** An indexed address; undefined if the topic is not an address. */
const addressIn = (topic: Hash | undefined): Address | undefined =>
  topic?.startsWith(PADDING, 2) ? (`0x${topic.slice(26)}` as Address) : undefined

const addressAt = (data: Uint8Array, at: number): Address | undefined =>
  addressIn(toHex(data.subarray(at, at + WORD)) as Hash)

const wordAt = (data: Uint8Array, at: number): bigint => BigInt(toHex(data.subarray(at, at + WORD)))

/** The array of words whose offset is at a position; undefined if it is incomplete. */
function wordsAt(data: Uint8Array, at: number): bigint[] | undefined {
  const offset = sizeAt(data, at)
  const length = offset === undefined ? undefined : sizeAt(data, offset)
  if (offset === undefined || length === undefined || offset + WORD * (length + 1) > data.length) return undefined
  return Array.from({ length }, (_, i) => wordAt(data, offset + WORD * (i + 1)))
}

/** An offset or a length; undefined if it is missing or too large for any data. */
export function sizeAt(data: Uint8Array, at: number): number | undefined {
  if (at + WORD > data.length) return undefined
  const size = wordAt(data, at)
  return size <= 0xffff_ffffn ? Number(size) : undefined
}
