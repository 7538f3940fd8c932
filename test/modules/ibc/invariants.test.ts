// The invariants of IBC: they hold after every step of clients and packets, and each damage of a slot that other slots vouch for is
// found.
import { describe, expect, it } from 'vitest'
import { ibcLayout } from '../../../src/modules/ibc/layout.ts'
import { PACKET_KEY } from '../../../src/modules/ibc/packets.ts'
import { ProvableStore, provableStore } from '../../../src/modules/ibc/provable-store.ts'
import { escrowAddress } from '../../../src/modules/transfer/packets.ts'
import { NATIVE_CONTRACT } from '../../../src/spec/addresses.ts'
import { CLIENT, chainWithClient, free, ibcOf, transferBothWays } from './support.ts'

const PORT = { port: 'transfer', channel: CLIENT }
const bytes = (text: string) => new Uint8Array(Buffer.from(text))

/** A store of a few entries over a map of words. */
function filledStore() {
  const words = new Map<bigint, bigint>()
  const load = (slot: bigint) => words.get(slot) ?? 0n
  const store = (slot: bigint, word: bigint) => void (word === 0n ? words.delete(slot) : words.set(slot, word))
  const filled = new ProvableStore(provableStore.open({ load, store }))
  for (let number = 0; number < 12; number++) filled.set(bytes(`entry/${number}`), bytes(`value ${number}`))
  filled.endBlock()
  return { words, filled }
}

describe('the tree of the provable store', () => {
  it('is what its entries make; a change that waits for the end of the block is not in it', () => {
    const { filled } = filledStore()
    expect([...filled.faults()]).toEqual([])
    expect([...filled.entries()].map(({ key }) => Buffer.from(key).toString()).toSorted()).toEqual(
      Array.from({ length: 12 }, (_, number) => `entry/${number}`).toSorted(),
    )
    filled.delete(bytes('entry/3'))
    expect([...filled.faults()][0]).toBe('1 changes are not in the tree')
    filled.endBlock()
    expect([...filled.faults()]).toEqual([])
  })

  it('shows a wrong bit in any of its slots', () => {
    const { words, filled } = filledStore()
    const all = [...words]
    // Twelve leaves below at least eleven inner nodes, with two slots for each entry.
    expect(all.length).toBeGreaterThan(23 + 24)
    const faults = () => {
      try {
        return [...filled.faults()]
      } catch (error) {
        return [error]
      }
    }
    // In the first byte, or in the last one: Solidity leaves bytes between a short text and its length unused.
    for (const [index, [slot, word]] of all.entries())
      for (const bit of [index % 8, 248 + (index % 8)]) {
        words.set(slot, word ^ (1n << BigInt(bit)))
        expect(faults(), `bit ${bit} of slot ${slot}`).not.toEqual([])
        words.set(slot, word)
      }
    expect(faults()).toEqual([])
  })
})

describe('the invariants of a chain with IBC', () => {
  it('hold from the genesis on, with packets in flight, received and ended, and after a recovery', async () => {
    const scene = await chainWithClient()
    const { chain, peer, send, freeze, create, recover } = scene
    const broken = () => {
      chain.next(0n, 1n)
      return [...ibcOf(chain).invariants(), ...chain.modules.transfer.invariants()]
    }
    expect(broken()).toEqual([])
    transferBothWays(scene, peer, peer.height)
    expect(broken()).toEqual([])
    send()
    expect(broken()).toEqual([])
    freeze()
    create(peer)
    expect(recover()).toEqual(['passed', ''])
    expect(broken()).toEqual([])
  })

  it('show an escrow account that holds too little', async () => {
    const { chain, send } = await chainWithClient()
    send()
    const escrow = escrowAddress(PORT)
    expect(chain.view.balance(escrow)).toBe(7n)
    chain.view.setBalance(escrow, 6n)
    expect(chain.modules.transfer.invariants()).toEqual([`escrow of transfer/${CLIENT} holds 6akest, should be 7`])
  })

  it('show entries of packets that were not sent or not received, and foreign ones', async () => {
    const { chain, send } = await chainWithClient()
    send()
    const ibc = ibcOf(chain)
    const commitment = new Uint8Array(32).fill(1)
    for (const [key, value] of [
      [PACKET_KEY.commitment(CLIENT, 2n), commitment],
      [PACKET_KEY.commitment('07-tendermint-7', 1n), commitment],
      [PACKET_KEY.receipt(CLIENT, 4n), Uint8Array.of(2)],
      [PACKET_KEY.acknowledgement(CLIENT, 5n), commitment],
      [bytes('foreign'), commitment],
    ] as const)
      ibc.store.set(key, value)
    ibc.store.delete(bytes('ibc/version'))
    ibc.store.endBlock()
    expect(ibc.invariants().toSorted()).toEqual(
      [
        'the first entry of the provable store is missing',
        `entry commitment 2 of ${CLIENT} belongs to no packet`,
        'entry commitment 1 of 07-tendermint-7 belongs to no packet',
        `entry receipt 4 of ${CLIENT} belongs to no packet`,
        `entry acknowledgement 5 of ${CLIENT} belongs to no packet`,
        `entry ${Buffer.from('foreign').toString('hex')} belongs to no packet`,
      ].toSorted(),
    )
  })

  it('show headers that do not follow each other, and a client without its highest', async () => {
    const { chain, peer, clients } = await chainWithClient()
    const first = peer.height
    for (let count = 0; count < 3; count++) {
      chain.next()
      clients().update(CLIENT, peer.update(peer.block(chain.time), first), free)
    }
    chain.next()
    const ibc = ibcOf(chain)
    expect(ibc.invariants()).toEqual([])
    const state = ibcLayout.open(chain.view.slots(NATIVE_CONTRACT.ibc, 'write'))
    const headers = state.headers.at(CLIENT).at(1n)
    const damaged = (harm: () => void) => {
      chain.view.checkpoint()
      harm()
      const found = ibc.invariants()
      chain.view.revert()
      return found
    }
    expect(damaged(() => headers.at(3n).update({ lower: 1n }))).toEqual([
      `header 3 of client ${CLIENT} does not follow header 2`,
    ])
    expect(damaged(() => headers.at(2n).update({ time: 5n }))).toEqual([
      `header 2 of client ${CLIENT} does not follow header 1`,
    ])
    expect(damaged(() => headers.at(2n).update({ higher: 1n }))).toEqual([
      `header 1 of client ${CLIENT} does not follow header 2`,
    ])
    expect(damaged(() => headers.at(2n).update({ higher: 0n }))).toEqual([
      `headers of client ${CLIENT} end at 2, not at 4`,
    ])
    expect(damaged(() => headers.at(1n).clear())).toEqual([`header 1 of client ${CLIENT} does not follow header 0`])
    const client = clients().client(CLIENT)
    expect(damaged(() => state.clients.set(CLIENT, { ...client, highest: 3n }))).toEqual([
      `client ${CLIENT} has headers up to 3, its state says 4`,
      `headers of client ${CLIENT} end at 4, not at 3`,
    ])
  })
})
