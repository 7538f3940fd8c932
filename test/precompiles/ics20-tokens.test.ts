// Coins of a token pair that return are converted to tokens at the end of the block, after a refund or a transfer back.

import { getAddress } from 'viem'
import { expect, it } from 'vitest'
import { traceHash } from '../../src/modules/transfer/denoms.ts'
import { MODULE_ACCOUNT } from '../../src/spec/addresses.ts'
import { token } from '../support/contracts.ts'
import { ICS20, ics20Chain, other, owner, TOKEN, textOf, transfer, UNUSED } from './ics20-support.ts'

it('coins of a token pair that are refunded or returned are paid out as tokens', async () => {
  const chain = await ics20Chain()
  const hash = await chain.walletOf(0).deployContract({ ...token, args: ['Token', 1000n] })
  await chain.viem.waitForTransactionReceipt({ hash })

  // channel-3 refuses; the next block refunds.
  await chain.send(transfer({ denom: TOKEN, amount: 100n, channel: 'channel-3' }))
  expect(await chain.tokenBalance(owner)).toBe(900n)
  await chain.mine()
  expect(await chain.tokenBalance(owner)).toBe(1000n)

  // Over the loopback, and a part of it back to another account.
  await chain.send(transfer({ denom: TOKEN, amount: 100n }))
  await chain.mine()
  const voucher = `ibc/${traceHash(`transfer/channel-1/erc20/${TOKEN}`).slice(2).toUpperCase()}`
  const home = { denom: voucher, channel: 'channel-1', amount: 60n, sender: other, receiver: textOf(other) }
  await chain.send(transfer(home), { from: 1 })
  await chain.mine()
  expect([await chain.tokenBalance(owner), await chain.tokenBalance(other)]).toEqual([900n, 60n])
  expect(await chain.rpc('dev_invariants')).toEqual([])
})

it('48: a transfer of a registered token by its address escrows it and logs the token’s event first; a disabled pair is refused', async () => {
  const chain = await ics20Chain()
  const hash = await chain.walletOf(0).deployContract({ ...token, args: ['Token', 1000n] })
  await chain.viem.waitForTransactionReceipt({ hash })
  const { events, logs } = await chain.send(transfer({ denom: TOKEN, amount: 100n }))
  expect(events.map(({ eventName }) => eventName)).toEqual(['Transfer', 'IBCTransfer'])
  expect(logs.map(({ address }) => getAddress(address))).toEqual([getAddress(TOKEN), getAddress(ICS20)])
  expect(events[1]?.args).toMatchObject({ denom: `erc20/${getAddress(TOKEN)}`, amount: 100n })
  expect([await chain.tokenBalance(owner), await chain.tokenBalance(MODULE_ACCOUNT.erc20)]).toEqual([900n, 100n])
  expect(await chain.refusal(transfer({ denom: UNUSED }))).toBe('erc20 token pair is disabled')
})
