// Which denominations go over clients (ibc-go's transfer/v2): none whose base has a slash, because version 2 knows no form of ids by
// which every chain splits a path in the same way.
import { expect, it } from 'vitest'
import { ERROR_ACKNOWLEDGEMENT, PACKET_KEY, packetCommitment } from '../../../src/modules/ibc/packets.ts'
import { traceHash, voucherDenom } from '../../../src/modules/transfer/denoms.ts'
import { SUCCESS } from '../../../src/modules/transfer/packets.ts'
import { alice, bob, CLIENT, chainWithClient, free, ibcOf, packetTo } from './support.ts'

it('a coin whose base denomination has a slash is not sent over a client, and stays where it is', async () => {
  const { chain, send } = await chainWithClient()
  chain.modules.bank.mint(alice, 7n, 'factory/maker/coin')
  chain.modules.bank.mint(alice, 7n, 'factory:maker:coin')
  expect(chain.attempt(() => send('factory/maker/coin'))).toBe(
    'base denomination factory/maker/coin cannot contain slashes for IBC v2 packet: invalid denomination for cross-chain transfer',
  )
  expect(chain.modules.bank.balance(alice, 'factory/maker/coin')).toBe(7n)
  expect(send('factory:maker:coin')?.sequence).toBe(1n)
})

it('a coin that came over clients of any kind is a voucher with its path, and one with a slash in its base is refused', async () => {
  const { chain, peer, clients } = await chainWithClient()
  const trusted = peer.height
  chain.next()
  const arriving = ['transfer/client-3/uatom', 'transfer/client-3/gamm/pool/1'].map((denom, place) =>
    packetTo(bob, chain.time + 600n, denom, BigInt(place + 1)),
  )
  const keyOf = (sequence: bigint) => PACKET_KEY.commitment('07-tendermint-5', sequence)
  for (const packet of arriving) peer.set(keyOf(packet.sequence), packetCommitment(packet))
  const height = peer.block(chain.time)
  clients().update(CLIENT, peer.update(height, trusted), free)
  const answers = arriving.map((packet) =>
    ibcOf(chain).receive(packet, { bytes: peer.proof(keyOf(packet.sequence)), height: peer.heightOf(height) }),
  )
  expect(answers).toEqual([[SUCCESS], [ERROR_ACKNOWLEDGEMENT]])
  const hash = traceHash(`transfer/${CLIENT}/transfer/client-3/uatom`)
  expect(chain.modules.bank.balance(bob, voucherDenom(hash))).toBe(5n)
  expect(chain.modules.transfer.trace(hash)).toEqual({
    path: `transfer/${CLIENT}/transfer/client-3`,
    baseDenom: 'uatom',
  })
})
