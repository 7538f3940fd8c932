// The sample calls of the IBC contract, and the calls before them: two clients of a chain that `IbcPeer` plays, and packets both ways.
import { encodeFunctionData, toHex } from 'viem'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { acknowledgementCommitment, PACKET_KEY, type Packet, packetCommitment } from '../../src/modules/ibc/packets.ts'
import type { Precompile } from '../../src/precompiles/define.ts'
import { ibc, shownPacket } from '../../src/precompiles/ibc.ts'
import { ics20 } from '../../src/precompiles/ics20.ts'
import { account } from '../support/chain.ts'
import { IbcPeer } from '../support/ibc-peer.ts'
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

const peer = new IbcPeer('peer-1', [
  [PACKET_KEY.acknowledgement(COUNTERPARTY, 1n), acknowledgementCommitment([ACKNOWLEDGEMENT])],
  [PACKET_KEY.commitment(COUNTERPARTY, 1n), packetCommitment(received(1n))],
  [PACKET_KEY.commitment(COUNTERPARTY, 2n), packetCommitment(received(2n))],
])
const height = (revisionHeight: number) => ({ revisionNumber: 1n, revisionHeight: BigInt(revisionHeight) })
const proof = (key: Uint8Array) => toHex(peer.proof(key))
const pathOf = (key: Uint8Array) => [toHex('ibc'), toHex(key)]
const { client, consensus } = peer.states
const states = [toHex(client), toHex(consensus)] as const
/** To the heights 2, at whose time the packets have timed out, and 3. */
const [toSecond, toThird] = [peer.next(TIMEOUT), peer.next()].map((update) => toHex(update))

export const IBC_SAMPLES: Readonly<Record<string, Sample>> = {
  createClient: { args: states, rule: 'self' },
  registerCounterparty: { args: [WITHOUT, PREFIX, COUNTERPARTY], rule: 'creator' },
  updateClient: { args: [CLIENT, toThird], rule: 'anyone' },
  verifyMembership: {
    args: [
      CLIENT,
      proof(PACKET_KEY.commitment(COUNTERPARTY, 2n)),
      height(1),
      pathOf(PACKET_KEY.commitment(COUNTERPARTY, 2n)),
      toHex(packetCommitment(received(2n))),
    ],
    constant: 'a height of the other chain does not change',
  },
  verifyNonMembership: {
    args: [
      CLIENT,
      proof(PACKET_KEY.receipt(COUNTERPARTY, 2n)),
      height(1),
      pathOf(PACKET_KEY.receipt(COUNTERPARTY, 2n)),
    ],
    constant: 'a height of the other chain does not change',
  },
  getClientState: { args: [CLIENT] },
  getConsensusState: { args: [CLIENT, height(1)], constant: 'a height of the other chain does not change' },
  getClient: { args: [CLIENT] },
  getClients: { args: [{ key: '0x', offset: 0n, limit: 10n, countTotal: true, reverse: false }] },
  getPacketCommitment: { args: [CLIENT, 2n] },
  getPacketAcknowledgement: { args: [CLIENT, 1n] },
  recvPacket: {
    args: [shownPacket(received(2n)), proof(PACKET_KEY.commitment(COUNTERPARTY, 2n)), height(1)],
    rule: 'anyone',
  },
  acknowledgePacket: {
    args: [
      shownPacket(sent(1n)),
      [toHex(ACKNOWLEDGEMENT)],
      proof(PACKET_KEY.acknowledgement(COUNTERPARTY, 1n)),
      height(1),
    ],
    rule: 'anyone',
  },
  timeoutPacket: {
    args: [shownPacket(sent(2n)), proof(PACKET_KEY.receipt(COUNTERPARTY, 2n)), height(2)],
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
    step(ibc, 'updateClient', [CLIENT, toSecond]),
    step(ibc, 'recvPacket', [shownPacket(received(1n)), proof(PACKET_KEY.commitment(COUNTERPARTY, 1n)), height(1)]),
  ],
}
