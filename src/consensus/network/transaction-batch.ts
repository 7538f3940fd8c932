// Several transactions in one message of CometBFT's gossip: a zero byte, which begins no transaction (EIP-2718), and the RLP list of
// their encodings. CometBFT gives the application one message at a time (InsertTx) and waits for the answer, which takes both
// programs more CPU than a transfer needs in the pool. Blocks contain no batches.
import { fromHex } from '../../lib/hex.ts'
import { concatBytes, encodeRlp, Malformed, RlpReader, reading } from '../../primitives/rlp.ts'

const BATCH = fromHex('0x00')
/** Bounds of a batch, so that a peer can neither make it costly nor delay the messages of others by it: about 10 ms of CPU. */
const MOST_TRANSACTIONS = 100
const MOST_BYTES = 65_536

/** The bytes of one message, and how many transactions it has. */
export type GossipMessage = { readonly bytes: Uint8Array; readonly size: number }

/** The messages for these transactions, in their order. A transaction that has no others beside it is sent as it is. */
export function messagesOf(raws: readonly Uint8Array[]): GossipMessage[] {
  const messages: GossipMessage[] = []
  let batch: Uint8Array[] = []
  let bytes = 0
  const end = () => {
    const [only] = batch
    if (only === undefined) return
    messages.push({ bytes: batch.length === 1 ? only : concatBytes([BATCH, encodeRlp(batch)]), size: batch.length })
    batch = []
    bytes = 0
  }
  for (const raw of raws) {
    // An RLP string has at most four further bytes here, and so has the list.
    if (batch.length === MOST_TRANSACTIONS || bytes + raw.length + 10 > MOST_BYTES) end()
    batch.push(raw)
    bytes += raw.length + 4
  }
  end()
  return messages
}

/**
 * The transactions of a message, as views of it: those of a batch, or the one that the message is; they are not decoded. Throws
 * ChainError `transaction-rejected` for a batch that is malformed or exceeds the bounds.
 */
export function transactionsOf(message: Uint8Array): Uint8Array[] {
  if (message[0] !== BATCH[0]) return [message]
  return reading('transaction-rejected', () => {
    const reader = new RlpReader(message, BATCH.length)
    const raws: Uint8Array[] = []
    const end = message.length > MOST_BYTES ? -1 : reader.enter()
    while (reader.at < end && raws.length < MOST_TRANSACTIONS) raws.push(reader.string())
    const isWhole = reader.at === message.length && end === message.length
    if (raws.length === 0 || !isWhole) throw new Malformed('malformed batch')
    return raws
  })
}
