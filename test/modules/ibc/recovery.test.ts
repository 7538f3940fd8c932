// Clients that have expired or are frozen, and their recovery by governance (ibc-go's MsgRecoverClient), over all native modules.
// The other chain is made of headers signed here. The rules are those of ibc-go's 02-client and 07-tendermint.
import { describe, expect, it } from 'vitest'
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
import { Peer } from '../../support/ibc-peer.ts'
import { delegator, GOV, type GovChain, govChain } from '../gov/support.ts'

const [alice, bob] = [delegator(0), delegator(1)]
const text = (of: Address) => toBech32('kest', of)
const free = () => undefined
const RECOVER = '/ibc.core.client.v1.MsgRecoverClient'
const recovery = (subject_client_id: string, substitute_client_id: string) => ({
  '@type': RECOVER,
  subject_client_id,
  substitute_client_id,
  signer: text(GOV),
})
const [SUBJECT, SUBSTITUTE] = ['07-tendermint-0', '07-tendermint-1']

const ibcOf = ({ modules: { ibc } }: GovChain) => {
  if (ibc === undefined) throw new Error('the chain has no IBC')
  return ibc
}

/** A chain with a client of the peer that trusts a header for 1,000 seconds. */
async function chainWithClient(peer: Peer = new Peer('peer-1')) {
  const chain = await govChain({}, undefined, {}, { ibc: {}, transfer: { loopback: [] } })
  const create = (of: Peer, periods: object = {}) => {
    const height = of.next(chain.time)
    const states = [of.clientState(height, { trusting: 1_000n, ...periods }), of.consensusState(height)] as const
    return ibcOf(chain).clients.create(alice, ...states)
  }
  expect(create(peer)).toBe(SUBJECT)
  ibcOf(chain).clients.registerCounterparty(alice, SUBJECT, [Buffer.from('ibc'), new Uint8Array(0)], '07-tendermint-5')
  return {
    chain,
    peer,
    create,
    clients: () => ibcOf(chain).clients,
    /** Runs a proposal to its end. */
    recover(subject = SUBJECT, substitute = SUBSTITUTE) {
      const id = chain.submit([recovery(subject, substitute)])
      chain.pass(id)
      return [chain.gov.proposal(id).status, chain.gov.texts(id).failure]
    },
    expire: () => chain.next(0n, 1_000n),
    /** The peer's newest header contradicts itself. */
    freeze() {
      const height = peer.next(chain.time)
      return ibcOf(chain).clients.update(SUBJECT, peer.misbehaviour(height, height - 1), free)
    },
    send: () =>
      chain.modules.transfer.send({
        source: { port: 'transfer', channel: SUBJECT },
        denom: 'akest',
        amount: 7n,
        sender: alice,
        receiver: text(bob),
        timeout: { height: { revisionNumber: 0n, revisionHeight: 0n }, timestamp: chain.time + 600n },
        memo: '',
      }).packet,
  }
}
type Scene = Awaited<ReturnType<typeof chainWithClient>>

/** Sends and receives over the client: the peer has acknowledged a packet, and has sent one. */
function transferBothWays({ chain, send, clients }: Scene, peer: Peer, trusted: number): void {
  const ibc = ibcOf(chain)
  const sent = send()
  if (sent === undefined) throw new Error('nothing was sent over the client')
  const value = encodePacketData({ amount: 5n, denom: 'peercoin', memo: '', receiver: text(bob), sender: 'peer1x' })
  const arriving: Packet = {
    sequence: sent.sequence,
    sourceClient: '07-tendermint-5',
    destClient: SUBJECT,
    timeoutTimestamp: chain.time + 600n,
    payloads: [
      { sourcePort: 'transfer', destPort: 'transfer', version: 'ics20-1', encoding: 'application/json', value },
    ],
  }
  const acknowledgement = PACKET_KEY.acknowledgement('07-tendermint-5', sent.sequence)
  const commitment = PACKET_KEY.commitment('07-tendermint-5', arriving.sequence)
  const height = peer.next(chain.time, [
    [acknowledgement, acknowledgementCommitment([SUCCESS])],
    [commitment, packetCommitment(arriving)],
  ])
  expect(clients().update(SUBJECT, peer.update(height, trusted), free)).toBe('update')
  const proof = (key: Uint8Array) => ({ bytes: peer.prove(key), height: peer.height(height) })
  expect(ibc.acknowledge(sent, [SUCCESS], proof(acknowledgement))).toBe(true)
  expect(ibc.receive(arriving, proof(commitment))).toEqual([SUCCESS])
  const denom = voucherDenom(traceHash(`transfer/${SUBJECT}/peercoin`))
  expect(chain.modules.bank.balance(bob, denom)).toBe(5n)
  // A proof needs the key itself: the peer has no receipt of the packet.
  expect(() =>
    clients().verify(
      SUBJECT,
      peer.height(height),
      peer.prove(commitment),
      merklePath([Buffer.from('ibc'), new Uint8Array(0)], acknowledgement),
      packetCommitment(arriving),
    ),
  ).toThrow()
}

describe('a client that has expired', () => {
  it('carries no packets and takes no header, until governance gives it a newer one, and goes on from there', async () => {
    const scene = await chainWithClient()
    const { chain, peer, create, clients, expire, send, recover } = scene
    const first = peer.newest
    expire()
    expect(clients().status(SUBJECT)).toBe('Expired')
    expect(send).toThrow(`client (${SUBJECT}) status is Expired`)
    const height = peer.next(chain.time)
    expect(() => clients().update(SUBJECT, peer.update(height, first), free)).toThrow('status is Expired')
    expect(create(peer)).toBe(SUBSTITUTE)
    const newest = peer.newest
    expect(recover()).toEqual(['passed', ''])
    expect(clients().status(SUBJECT)).toBe('Active')
    expect(clients().client(SUBJECT)).toMatchObject({
      counterparty: '07-tendermint-5',
      creator: alice,
      lowest: 1n,
      highest: BigInt(newest),
    })
    expect(clients().consensusState(SUBJECT, peer.height(newest))).toEqual(
      clients().consensusState(SUBSTITUTE, peer.height(newest)),
    )
    transferBothWays(scene, peer, newest)
  })
})

describe('a client that is frozen', () => {
  it('carries no packets, until governance gives it a newer header', async () => {
    const scene = await chainWithClient()
    const { peer, create, clients, freeze, send, recover } = scene
    expect(freeze()).toBe('misbehaviour')
    expect(clients().status(SUBJECT)).toBe('Frozen')
    expect(send).toThrow(`client (${SUBJECT}) status is Frozen`)
    create(peer)
    const newest = peer.newest
    expect(recover()).toEqual(['passed', ''])
    expect(clients().status(SUBJECT)).toBe('Active')
    transferBothWays(scene, peer, newest)
  })

  it('is recovered for a chain that began again under the next revision, whose heights are lower', async () => {
    const scene = await chainWithClient(new Peer('peer-1', { height: 900 }))
    const { chain, create, clients, freeze, recover } = scene
    freeze()
    const restarted = new Peer('peer-2')
    create(restarted, { trusting: 2_000n })
    expect(recover()).toEqual(['passed', ''])
    expect(clients().client(SUBJECT)).toMatchObject({ lowest: 1n, highest: 1n })
    // Height 901 of the former revision is no height of this one, and stays for proofs.
    expect(clients().consensusState(SUBJECT, { revisionNumber: 1n, revisionHeight: 901n }).time).toBeGreaterThan(0n)
    expect(() => clients().consensusState(SUBJECT, { revisionNumber: 2n, revisionHeight: 901n })).toThrow(
      `client ${SUBJECT} has no consensus state of height 2-901`,
    )
    transferBothWays(scene, restarted, 1)
    expect(chain.modules.transfer.invariants()).toEqual([])
  })
})

describe('recovery is refused', () => {
  const refusal = ({ clients, chain }: Scene, subject = SUBJECT, substitute = SUBSTITUTE) =>
    chain.attempt(() => clients().recover(subject, substitute))

  it('for an active client', async () => {
    const scene = await chainWithClient()
    scene.create(scene.peer)
    expect(refusal(scene)).toBe(
      `cannot recover subject client (${SUBJECT}) with status Active: invalid recovery client`,
    )
    expect(scene.recover()).toEqual(['failed', 'message 0: the client is active'])
  })

  it('with a substitute that is not active', async () => {
    const scene = await chainWithClient()
    scene.create(scene.peer)
    scene.expire()
    expect(refusal(scene)).toBe(
      `cannot recover client using substitute client (${SUBSTITUTE}) with status Expired: client state is not active`,
    )
    expect(scene.recover()).toEqual([
      'failed',
      'message 0: the substitute is not a newer active client of the same chain',
    ])
  })

  it('with a substitute that is not newer', async () => {
    const scene = await chainWithClient()
    const { peer, chain, clients } = scene
    const height = peer.newest
    const states = [peer.clientState(height, { trusting: 5_000n }), peer.consensusState(height)] as const
    clients().create(alice, ...states)
    chain.next(0n, 1_000n)
    expect(refusal(scene)).toBe(
      'subject client state latest height is greater or equal to substitute client state latest height (1-1 >= 1-1): invalid height',
    )
  })

  it('with a substitute of a former revision, however high', async () => {
    const scene = await chainWithClient(new Peer('peer-2'))
    scene.freeze()
    scene.create(new Peer('peer-1', { height: 900 }))
    expect(refusal(scene)).toMatch(/\(2-1 >= 1-901\): invalid height$/)
  })

  it('with a substitute that trusts by other rules, and not because of its chain id or trusting period', async () => {
    const scene = await chainWithClient()
    scene.freeze()
    const other = new Peer('other-1', { height: 5 })
    scene.create(other, { unbonding: 300_001n })
    expect(refusal(scene)).toBe(
      'subject client state does not match substitute client state: invalid client state substitute',
    )
    // ibc-go compares neither; governance has to know the chain.
    expect(scene.create(other, { trusting: 1_001n })).toBe('07-tendermint-2')
    expect(refusal(scene, SUBJECT, '07-tendermint-2')).toBeUndefined()
  })

  it('at submission for unknown clients, one client twice, another authority, and on a chain without IBC', async () => {
    const scene = await chainWithClient()
    const submitted = (chain: GovChain, message: object) => chain.attempt(() => chain.submit([message]))
    expect(submitted(scene.chain, recovery('07-tendermint-9', SUBJECT))).toBe(
      'message 0: client 07-tendermint-9 not found',
    )
    expect(submitted(scene.chain, recovery(SUBJECT, SUBJECT))).toMatch(
      /subject and substitute clients must be different: invalid proposal message$/,
    )
    expect(submitted(scene.chain, { ...recovery(SUBJECT, SUBSTITUTE), signer: text(alice) })).toMatch(
      /expected gov account as only signer/,
    )
    expect(submitted(await govChain(), recovery(SUBJECT, SUBSTITUTE))).toMatch(`unable to resolve type URL ${RECOVER}`)
  })
})
