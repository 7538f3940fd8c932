import { expect, it } from 'vitest'
import { RECORD } from '../../src/indexer/records.ts'
import { ibcChain, ibcPeer, REFUSED } from '../support/ibc-peer.ts'

it('x', async () => {
  const chain = await ibcChain()
  const peer = await ibcPeer(chain)
  const a = await peer.transfer()
  const b = await peer.transfer()
  const c = await peer.transfer({ seconds: 60 })
  await peer.transfer()
  await peer.acknowledge(a.packet)
  await peer.acknowledge(b.packet, REFUSED)
  await peer.deliver()
  await peer.deliver({ data: '0x1234', sequence: 2n ** 64n - 1n })
  await peer.timeout(c.packet)
  await peer.fork()
  const rows = chain.node.chain.store
  console.log(
    [1n, 2n, 3n, 4n].map((n) => RECORD.packet.get(rows, 0, 'sent', n)),
    RECORD.packet.get(rows, 0, 'received', 2n ** 64n - 1n),
  )
  expect(1).toBe(1)
})
