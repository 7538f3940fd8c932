// The sample calls of the IBC contract, and the calls before them: two clients of a chain that `Peer` plays, and packets both ways.
import { encodeFunctionData, toHex } from 'viem'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { acknowledgementCommitment, PACKET_KEY, type Packet, packetCommitment } from '../../src/modules/ibc/packets.ts'
import type { Precompile } from '../../src/precompiles/define.ts'
import { ibc, shownPacket } from '../../src/precompiles/ibc.ts'
import { ics20 } from '../../src/precompiles/ics20.ts'
import { account } from '../support/chain.ts'
import { Peer } from '../support/ibc-peer.ts'
import type { Sample } from './matrix-samples.ts'

/** The first client of the chain, its counterparty, and a client that has none yet. */
const [CLIENT, COUNTERPARTY, WITHOUT] = ['07-tendermint-0', '07-tendermint-7', '07-tendermint-1']
const owner = account(0).address
/** Unix seconds of the timeouts of packets that this chain sends: at most a day after its blocks. */
export const TIMEOUT = BigInt(Math.floor(Date.now() / 1_000) + 7_200)
const AMOUNT = 5n
const ACKNOWLEDGEMENT = Buffer.from('{"result":"AQ=="}')
const PREFIX = [toHex('ibc'), '0x'] as const
const NO_HEIGHT = { revisionNumber: 0n, revisionHeight: 0n }

const payload = (data: Readonly<Record<string, string>>) => ({
  sourcePort: 'transfer',
  destPort: 'transfer',
  version: 'ics20-1',
  encoding: 'application/json',
  value: new Uint8Array(Buffer.from(JSON.stringify(data))),
})
const sent = (sequence: bigint): Packet => ({
  sequence,
  sourceClient: CLIENT,
  destClient: COUNTERPARTY,
  timeoutTimestamp: TIMEOUT,
  payloads: [
    payload({
      amount: String(AMOUNT),
      denom: 'akest',
      receiver: 'peer1receiver',
      sender: toBech32('kest', hexToAddress(owner)),
    }),
  ],
})
const received = (sequence: bigint): Packet => ({
  sequence,
  sourceClient: COUNTERPARTY,
  destClient: CLIENT,
  timeoutTimestamp: 2n ** 40n,
  payloads: [payload({ amount: '7', denom: 'upeer', receiver: owner, sender: 'peer1sender' })],
})

const peer = new Peer('peer-1')
const prove = (key: Uint8Array) => toHex(peer.prove(key))
const COMMITMENT = PACKET_KEY.commitment(COUNTERPARTY, 2n)
const RECEIPT = PACKET_KEY.receipt(COUNTERPARTY, 2n)
/** Height 1, on 2023-01-01, before the first block of any test. */
const first = peer.next(1_672_531_200n, [
  [PACKET_KEY.acknowledgement(COUNTERPARTY, 1n), acknowledgementCommitment([ACKNOWLEDGEMENT])],
  [PACKET_KEY.commitment(COUNTERPARTY, 1n), packetCommitment(received(1n))],
  [COMMITMENT, packetCommitment(received(2n))],
])
const atFirst = {
  acknowledgement: prove(PACKET_KEY.acknowledgement(COUNTERPARTY, 1n)),
  earlier: prove(PACKET_KEY.commitment(COUNTERPARTY, 1n)),
  commitment: prove(COMMITMENT),
  absence: prove(RECEIPT),
}
/** The client trusts for a century, and takes headers of any time. */
const YEAR = 31_536_000n
const periods = { trusting: 100n * YEAR, unbonding: 101n * YEAR, drift: 100n * YEAR }
const states = [toHex(peer.clientState(first, periods)), toHex(peer.consensusState(first))] as const
/** At the time of height 2 the packets that this chain sends have timed out. */
const second = peer.next(TIMEOUT)
const absenceAtSecond = prove(RECEIPT)
const third = peer.next(TIMEOUT + 1n)
const update = (height: number) => toHex(peer.update(height, first))
const pathOf = (key: Uint8Array) => [toHex('ibc'), toHex(key)]

export const IBC_SAMPLES: Readonly<Record<string, Sample>> = {
  createClient: { args: states, rule: 'self' },
  registerCounterparty: { args: [WITHOUT, PREFIX, COUNTERPARTY], rule: 'creator' },
  updateClient: { args: [CLIENT, update(third)], rule: 'anyone' },
  verifyMembership: {
    args: [CLIENT, atFirst.commitment, peer.height(first), pathOf(COMMITMENT), toHex(packetCommitment(received(2n)))],
    constant: 'a height of the other chain does not change',
  },
  verifyNonMembership: {
    args: [CLIENT, atFirst.absence, peer.height(first), pathOf(RECEIPT)],
    constant: 'a height of the other chain does not change',
  },
  getClientState: { args: [CLIENT] },
  getConsensusState: { args: [CLIENT, peer.height(first)], constant: 'a height of the other chain does not change' },
  getClient: { args: [CLIENT] },
  getClients: { args: [{ key: '0x', offset: 0n, limit: 10n, countTotal: true, reverse: false }] },
  getPacketCommitment: { args: [CLIENT, 2n] },
  getPacketAcknowledgement: { args: [CLIENT, 1n] },
  recvPacket: {
    args: [shownPacket(received(2n)), atFirst.commitment, peer.height(first)],
    rule: 'anyone',
  },
  acknowledgePacket: {
    args: [shownPacket(sent(1n)), [toHex(ACKNOWLEDGEMENT)], atFirst.acknowledgement, peer.height(first)],
    rule: 'anyone',
  },
  timeoutPacket: {
    args: [shownPacket(sent(2n)), absenceAtSecond, peer.height(second)],
    rule: 'anyone',
  },
}

const transfer = ['', CLIENT, 'akest', AMOUNT, owner, 'peer1receiver', NO_HEIGHT, TIMEOUT, ''] as const
const step = (to: Precompile, functionName: string, args: readonly unknown[]) => ({
  to: to.name,
  data: encodeFunctionData({ abi: to.abi, functionName, args }),
})

/** Calls by the owner, in order: those of the first half of the set-up, and those of the second. `to`: the contract's name. */
export const IBC_STEPS = {
  first: [
    step(ibc, 'createClient', states),
    step(ibc, 'registerCounterparty', [CLIENT, PREFIX, COUNTERPARTY]),
    step(ibc, 'createClient', states),
    step(ics20, 'transfer', transfer),
  ],
  second: [
    step(ics20, 'transfer', transfer),
    step(ibc, 'updateClient', [CLIENT, update(second)]),
    step(ibc, 'recvPacket', [shownPacket(received(1n)), atFirst.earlier, peer.height(first)]),
  ],
}
