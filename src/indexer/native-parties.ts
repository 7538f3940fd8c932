// Indexes what the native modules' state does not enumerate: who granted to whom, who voted and deposited, and every packet. It
// follows from the logs of the native contracts and, for packets over channels, from the outbox after the block.
import { decodeBech32, readAddress } from '../lib/bech32.ts'
import { ChainError } from '../lib/errors.ts'
import { type Address, bytesToBig, fromHex, type Hash, toAddress, ZERO_ADDRESS } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { endName, transferLayout } from '../modules/transfer/layout.ts'
import { decodePacketData } from '../modules/transfer/packets.ts'
import { ibcLog } from '../precompiles/ibc-logs.ts'
import type { Log } from '../primitives/types.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import type { Overlay } from '../tables/overlay.ts'
import { indexIbcLog } from './ibc.ts'
import type { IndexingContext } from './indexing-context.ts'
import { RECORD } from './records.ts'
import { ballotEntry, LIST, packetEntry, partyEntry, sequenceEntry } from './tables.ts'

const topicOf = (signature: string): Hash => keccakHash(Buffer.from(signature, 'latin1'))

/** Topics of the indexed events. Other events of the native contracts are indexed as ordinary logs. */
export const NATIVE_EVENT = {
  /** owner, spender */
  approval: topicOf('Approval(address,address,string[],uint256)'),
  /** grantee, granter */
  vestingApproval: topicOf('Approval(address,address,string)'),
  /** grantee, granter */
  transferApproval: topicOf('IBCTransferAuthorization(address,address,string,string,(string,uint256)[])'),
  submission: topicOf('SubmitProposal(address,uint64)'),
  deposit: topicOf('Deposit(address,uint64,(string,uint256)[])'),
  vote: topicOf('Vote(address,uint64,uint8)'),
  weightedVote: topicOf('VoteWeighted(address,uint64,(uint8,string)[])'),
  creation: topicOf('CreateValidator(address,uint256)'),
  transfer: topicOf('IBCTransfer(address,string,string,string,string,uint256,string)'),
} as const

/** A log of a native contract with its place and the two addresses in its first indexed arguments. */
type NativeLog = {
  readonly log: Log
  readonly number: number
  readonly index: number
  readonly first: Address
  readonly second: Address
}

/** The writer for each log, by emitter and topic. */
const WRITERS: ReadonlyMap<string, (of: NativeLog, overlay: Overlay) => void> = new Map([
  [NATIVE_CONTRACT.authorization + NATIVE_EVENT.approval, (of, overlay) => addGrant(of, of.first, of.second, overlay)],
  [NATIVE_CONTRACT.vesting + NATIVE_EVENT.vestingApproval, (of, overlay) => addGrant(of, of.second, of.first, overlay)],
  [NATIVE_CONTRACT.ics20 + NATIVE_EVENT.transferApproval, (of, overlay) => addGrant(of, of.second, of.first, overlay)],
  [NATIVE_CONTRACT.gov + NATIVE_EVENT.submission, addDeposit],
  [NATIVE_CONTRACT.gov + NATIVE_EVENT.deposit, addDeposit],
  [NATIVE_CONTRACT.gov + NATIVE_EVENT.vote, addVote],
  [NATIVE_CONTRACT.gov + NATIVE_EVENT.weightedVote, addVote],
])

/** Lists grants, votes, deposits and packets of a block. */
export function indexNativeParties({ executed }: IndexingContext, overlay: Overlay): void {
  const { block, receipts, view } = executed
  const number = Number(block.header.number)
  const transfers: NativeLog[] = []
  let index = 0
  for (const { logs } of receipts) {
    for (const [place, log] of logs.entries()) {
      const at = index++
      const [topic, first, second] = log.topics
      if (topic === undefined || !EMITTERS.has(log.address)) continue
      if (log.address === NATIVE_CONTRACT.ibc) indexIbcLog(log, { number, index: at }, overlay)
      const of = { log, number, index: at, first: addressIn(first), second: addressIn(second) }
      WRITERS.get(log.address + topic)?.(of, overlay)
      // A transfer over a client has logged its packet just before, and is not in the outbox.
      const before = logs[place - 1]
      const isOverClient = before !== undefined && ibcLog(before)?.event === 'SendPacket'
      if (topic === NATIVE_EVENT.transfer && log.address === NATIVE_CONTRACT.ics20 && !isOverClient) transfers.push(of)
    }
  }
  if (transfers.length > 0)
    indexPackets(transfers, transferLayout.open(view.slots(NATIVE_CONTRACT.ics20, 'read')), overlay)
}

const EMITTERS: ReadonlySet<Address> = new Set(Object.values(NATIVE_CONTRACT))

/** The last 20 bytes of a topic. */
const addressIn = (topic: Hash | undefined): Address =>
  topic === undefined ? ZERO_ADDRESS : toAddress(fromHex(topic).subarray(12))

/** The number of the proposal: the first word of each event's data. */
const proposalIn = ({ data }: Log): number => Number(bytesToBig(data.subarray(0, 32)))

/** Lists a pair once, at its first grant; whether a grant is still valid is read from the state. */
function addGrant({ number, index }: NativeLog, granter: Address, grantee: Address, overlay: Overlay): void {
  if (RECORD.grantPair.get(overlay, granter, grantee) !== undefined) return
  RECORD.grantPair.set(overlay, { number }, granter, grantee)
  overlay.append(LIST.grantees(granter), partyEntry.encode({ number, index, address: grantee }))
  overlay.append(LIST.granters(grantee), partyEntry.encode({ number, index, address: granter }))
}

function addDeposit({ log, number, index, first }: NativeLog, overlay: Overlay): void {
  overlay.append(LIST.depositsOn(proposalIn(log)), partyEntry.encode({ number, index, address: first }))
}

function addVote({ log, number, index, first }: NativeLog, overlay: Overlay): void {
  const proposal = proposalIn(log)
  overlay.append(LIST.votesOn(proposal), partyEntry.encode({ number, index, address: first }))
  overlay.append(LIST.votesOf(first), ballotEntry.encode({ number, index, proposal }))
}

/**
 * Lists the packets of a block: the newest in the outbox, which keeps them until the end of the next block. Each was sent by a
 * call that emitted one of these logs, in the same order.
 */
function indexPackets(
  transfers: readonly NativeLog[],
  state: ReturnType<typeof transferLayout.open>,
  overlay: Overlay,
) {
  const first = state.outbox.length - transfers.length
  for (const [place, { number, index, first: sender }] of transfers.entries()) {
    const packet = state.outbox.at(first + place)?.packet
    if (packet === undefined) continue
    const { source, destination, timeout, data } = packet
    const sequence = overlay.append(
      LIST.packets,
      packetEntry.encode({
        number,
        index,
        sequence: Number(packet.sequence),
        sourcePort: source.port,
        sourceChannel: source.channel,
        destinationPort: destination.port,
        destinationChannel: destination.channel,
        revision: timeout.height.revisionNumber,
        height: timeout.height.revisionHeight,
        time: timeout.timestamp,
        data,
      }),
    )
    const isLocal = state.channels.get(endName(source))?.peer === 'loopback'
    const receiver = isLocal ? receiverIn(data) : undefined
    for (const of of new Set([sender, receiver])) {
      if (of !== undefined) overlay.append(LIST.packetsOf(of), sequenceEntry.encode({ sequence }))
    }
  }
}

/** The receiver on this chain, written with the sender's prefix; undefined if it is not an account. */
function receiverIn(data: Uint8Array): Address | undefined {
  try {
    const { sender, receiver } = decodePacketData(data)
    return readAddress(decodeBech32(sender).prefix, receiver)
  } catch (error) {
    if (error instanceof ChainError) return undefined
    throw error
  }
}
