// Clients that have expired or are frozen, and their recovery by governance (ibc-go's MsgRecoverClient), over all native modules.
// The other chain is made of headers signed here. The rules are those of ibc-go's 02-client and 07-tendermint.
import { describe, expect, it } from 'vitest'
import { type GovChain, govChain } from '../gov/support.ts'
import {
  alice,
  CLIENT,
  chainWithClient,
  free,
  peerAt,
  RECOVER,
  recovery,
  type Scene,
  SUBSTITUTE,
  text,
  transferBothWays,
} from './support.ts'

describe('a client that has expired', () => {
  it('carries no packets and takes no header, until governance gives it a newer one, and goes on from there', async () => {
    const scene = await chainWithClient()
    const { chain, peer, create, clients, expire, send, recover } = scene
    const first = peer.height
    expire()
    expect(clients().status(CLIENT)).toBe('Expired')
    expect(send).toThrow(`client (${CLIENT}) status is Expired`)
    const height = peer.block(chain.time)
    expect(() => clients().update(CLIENT, peer.update(height, first), free)).toThrow('status is Expired')
    expect(create(peer)).toBe(SUBSTITUTE)
    const newest = peer.height
    expect(recover()).toEqual(['passed', ''])
    expect(clients().status(CLIENT)).toBe('Active')
    expect(clients().client(CLIENT)).toMatchObject({
      counterparty: '07-tendermint-5',
      creator: alice,
      lowest: 1n,
      highest: BigInt(newest),
    })
    expect(clients().consensusState(CLIENT, peer.heightOf(newest))).toEqual(
      clients().consensusState(SUBSTITUTE, peer.heightOf(newest)),
    )
    transferBothWays(scene, peer, newest)
  })
})

describe('a client that is frozen', () => {
  it('carries no packets, until governance gives it a newer header', async () => {
    const scene = await chainWithClient()
    const { chain, peer, create, clients, freeze, send, recover } = scene
    expect(freeze()).toBe('misbehaviour')
    expect(clients().status(CLIENT)).toBe('Frozen')
    expect(send).toThrow(`client (${CLIENT}) status is Frozen`)
    create(peer)
    const newest = peer.height
    expect(recover()).toEqual(['passed', ''])
    expect(clients().status(CLIENT)).toBe('Active')
    transferBothWays(scene, peer, newest)
    expect(chain.modules.transfer.invariants()).toEqual([])
  })

  it('forgets the headers from before its recovery: a deceiver has signed one, and they would freeze it again', async () => {
    const { peer, create, clients, freeze, recover } = await chainWithClient()
    const first = peer.height
    freeze()
    const forked = peer.height
    create(peer)
    const newest = peer.height
    expect(() => clients().consensusState(CLIENT, peer.heightOf(first))).not.toThrow()
    expect(recover()).toEqual(['passed', ''])
    const missing = `client ${CLIENT} has no consensus state of height 1-${first}`
    expect(() => clients().consensusState(CLIENT, peer.heightOf(first))).toThrow(missing)
    expect(() => clients().update(CLIENT, peer.misbehaviour(forked, first), free)).toThrow(missing)
    expect(clients().client(CLIENT)).toMatchObject({ lowest: BigInt(newest), highest: BigInt(newest) })
  })

  it('is recovered for a chain that began again under the next revision, whose heights are lower', async () => {
    const scene = await chainWithClient(peerAt('peer-1', 900))
    const { chain, create, clients, freeze, recover } = scene
    freeze()
    const restarted = peerAt('peer-2')
    create(restarted, { trusting: 2_000n })
    expect(recover()).toEqual(['passed', ''])
    expect(clients().client(CLIENT)).toMatchObject({ lowest: 1n, highest: 1n })
    // Height 901 of the former revision is no height of this one, and what it proved is proven by newer headers.
    for (const revisionNumber of [1n, 2n])
      expect(() => clients().consensusState(CLIENT, { revisionNumber, revisionHeight: 901n })).toThrow(
        `client ${CLIENT} has no consensus state of height ${revisionNumber}-901`,
      )
    transferBothWays(scene, restarted, 1)
    expect(chain.modules.transfer.invariants()).toEqual([])
  })
})

describe('recovery is refused', () => {
  const refusal = ({ clients, chain }: Scene, subject = CLIENT, substitute = SUBSTITUTE) =>
    chain.attempt(() => clients().recover(subject, substitute))

  it('for an active client', async () => {
    const scene = await chainWithClient()
    scene.create(scene.peer)
    expect(refusal(scene)).toBe(`cannot recover subject client (${CLIENT}) with status Active: invalid recovery client`)
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
    const height = peer.height
    const states = [peer.clientState(height, { trusting: 5_000n }), peer.consensusState(height)] as const
    clients().create(alice, ...states)
    chain.next(0n, 1_000n)
    expect(refusal(scene)).toBe(
      'subject client state latest height is greater or equal to substitute client state latest height (1-1 >= 1-1): invalid height',
    )
  })

  it('with a substitute of a former revision, however high', async () => {
    const scene = await chainWithClient(peerAt('peer-2'))
    scene.freeze()
    scene.create(peerAt('peer-1', 900))
    expect(refusal(scene)).toMatch(/\(2-1 >= 1-901\): invalid height$/)
  })

  it('with a substitute that trusts by other rules, and not because of its chain id or trusting period', async () => {
    const scene = await chainWithClient()
    scene.freeze()
    const other = peerAt('other-1', 5)
    scene.create(other, { unbonding: 300_001n })
    expect(refusal(scene)).toBe(
      'subject client state does not match substitute client state: invalid client state substitute',
    )
    // ibc-go compares neither; governance has to know the chain.
    expect(scene.create(other, { trusting: 1_001n })).toBe('07-tendermint-2')
    expect(refusal(scene, CLIENT, '07-tendermint-2')).toBeUndefined()
  })

  it('at submission for unknown clients, one client twice, another authority, and on a chain without IBC', async () => {
    const scene = await chainWithClient()
    const submitted = (chain: GovChain, message: object) => chain.attempt(() => chain.submit([message]))
    expect(submitted(scene.chain, recovery('07-tendermint-9', CLIENT))).toBe(
      'message 0: client 07-tendermint-9 not found',
    )
    expect(submitted(scene.chain, recovery(CLIENT, CLIENT))).toMatch(
      /subject and substitute clients must be different: invalid proposal message$/,
    )
    expect(submitted(scene.chain, { ...recovery(CLIENT, SUBSTITUTE), signer: text(alice) })).toMatch(
      /expected gov account as only signer/,
    )
    expect(submitted(await govChain(), recovery(CLIENT, SUBSTITUTE))).toMatch(`unable to resolve type URL ${RECOVER}`)
  })
})
