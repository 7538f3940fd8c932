// A chain with IBC over an empty state, block by block, with all native modules and a client of another chain, which is made of
// headers signed here.
import { expect } from 'vitest'
import { toBech32 } from '../../../src/lib/bech32.ts'
import type { Address } from '../../../src/lib/hex.ts'
import {
  acknowledgementCommitment,
  merklePath,
  PACKET_KEY,
  type Packet,
  packetCommitment,
} from '../../../src/modules/ibc/packets.ts'
import { traceHash, voucherDenom } from '../../../src/modules/transfer/denoms.ts'
import { encodePacketData, SUCCESS } from '../../../src/modules/transfer/packets.ts'
import { IbcPeer } from '../../support/ibc-peer.ts'
import { delegator, GOV, type GovChain, govChain } from '../gov/support.ts'

export const [alice, bob] = [delegator(0), delegator(1)]
export const text = (of: Address) => toBech32('kest', of)
/** Signatures cost nothing here. */
export const free = () => undefined
export const RECOVER = '/ibc.core.client.v1.MsgRecoverClient'
export const recovery = (subject_client_id: string, substitute_client_id: string) => ({
  '@type': RECOVER,
  subject_client_id,
  substitute_client_id,
  signer: text(GOV),
})
/** The first client, and the next one. */
export const [CLIENT, SUBSTITUTE] = ['07-tendermint-0', '07-tendermint-1']

export const ibcOf = ({ modules: { ibc } }: GovChain) => {
  if (ibc === undefined) throw new Error('the chain has no IBC')
  return ibc
}

/** Its next header is that of height 1, or of another one. */
export const peerAt = (chainId: string, height = 0): IbcPeer => new IbcPeer(chainId, [], height)

/** A chain with a client of the peer that trusts a header for 1,000 seconds. */
export async function chainWithClient(peer: IbcPeer = peerAt('peer-1')) {
  const chain = await govChain({}, undefined, {}, { ibc: {}, transfer: { loopback: [] } })
  const create = (of: IbcPeer, periods: object = {}) => {
    const height = of.block(chain.time)
    const states = [of.clientState(height, { trusting: 1_000n, ...periods }), of.consensusState(height)] as const
    return ibcOf(chain).clients.create(alice, ...states)
  }
  expect(create(peer)).toBe(CLIENT)
  ibcOf(chain).clients.registerCounterparty(alice, CLIENT, [Buffer.from('ibc'), new Uint8Array(0)], '07-tendermint-5')
  return {
    chain,
    peer,
    create,
    clients: () => ibcOf(chain).clients,
    /** Runs a proposal to its end. */
    recover(subject = CLIENT, substitute = SUBSTITUTE) {
      const id = chain.submit([recovery(subject, substitute)])
      chain.pass(id)
      return [chain.gov.proposal(id).status, chain.gov.texts(id).failure]
    },
    expire: () => chain.next(0n, 1_000n),
    /** The peer's newest header contradicts itself. */
    freeze() {
      const height = peer.block(chain.time)
      return ibcOf(chain).clients.update(CLIENT, peer.misbehaviour(height, height - 1), free).result
    },
    /** Alice sends 7 units of a coin to bob. */
    send: (denom = 'akest') =>
      chain.modules.transfer.send({
        source: { port: 'transfer', channel: CLIENT },
        denom,
        amount: 7n,
        sender: alice,
        receiver: text(bob),
        timeout: { height: { revisionNumber: 0n, revisionHeight: 0n }, timestamp: chain.time + 600n },
        memo: '',
      }).packet,
  }
}
export type Scene = Awaited<ReturnType<typeof chainWithClient>>

/** A packet of the peer with 5 units of a coin. */
export function packetTo(receiver: Address, timeoutTimestamp: bigint, denom: string, sequence: bigint): Packet {
  const value = encodePacketData({ amount: 5n, denom, memo: '', receiver: text(receiver), sender: 'peer1x' })
  const form = { sourcePort: 'transfer', destPort: 'transfer', version: 'ics20-1', encoding: 'application/json' }
  return {
    sequence,
    sourceClient: '07-tendermint-5',
    destClient: CLIENT,
    timeoutTimestamp,
    payloads: [{ ...form, value }],
  }
}

/** Sends and receives over the client: the peer has acknowledged a packet, and has sent one. */
export function transferBothWays({ chain, send, clients }: Scene, peer: IbcPeer, trusted: number): void {
  const ibc = ibcOf(chain)
  const sent = send()
  if (sent === undefined) throw new Error('nothing was sent over the client')
  const arriving = packetTo(bob, chain.time + 600n, 'peercoin', sent.sequence)
  const acknowledgement = PACKET_KEY.acknowledgement('07-tendermint-5', sent.sequence)
  const commitment = PACKET_KEY.commitment('07-tendermint-5', arriving.sequence)
  peer.set(acknowledgement, acknowledgementCommitment([SUCCESS]))
  peer.set(commitment, packetCommitment(arriving))
  const height = peer.block(chain.time)
  expect(clients().update(CLIENT, peer.update(height, trusted), free).result).toBe('update')
  const proof = (key: Uint8Array) => ({ bytes: peer.proof(key), height: peer.heightOf(height) })
  expect(ibc.acknowledge(sent, [SUCCESS], proof(acknowledgement))).toBe(true)
  expect(ibc.receive(arriving, proof(commitment))).toEqual([SUCCESS])
  const denom = voucherDenom(traceHash(`transfer/${CLIENT}/peercoin`))
  expect(chain.modules.bank.balance(bob, denom)).toBe(5n)
  // A proof needs the key itself: the peer has no receipt of the packet.
  expect(() =>
    clients().verify(
      CLIENT,
      peer.heightOf(height),
      peer.proof(commitment),
      merklePath([Buffer.from('ibc'), new Uint8Array(0)], acknowledgement),
      packetCommitment(arriving),
    ),
  ).toThrow()
}
