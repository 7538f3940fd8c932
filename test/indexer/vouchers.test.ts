// Tokens that IBC packets move at the end of a block without a log in any receipt still have the right holders.
import { parseAbi } from 'viem'
import { expect, it } from 'vitest'
import { traceHash } from '../../src/modules/transfer/denoms.ts'
import { api } from '../explorer/support.ts'
import { ics20Chain, other, owner, TOKEN, textOf, transfer } from '../precompiles/ics20-support.ts'
import { token } from '../support/contracts.ts'

const erc20 = parseAbi(['function balanceOf(address) view returns (uint256)'])

it('the index has the holders of vouchers and of tokens that are converted back', async () => {
  const chain = await ics20Chain()
  const hash = await chain.walletOf(0).deployContract({ ...token, args: ['Token', 1000n] })
  await chain.viem.waitForTransactionReceipt({ hash })
  const { read } = api(chain.url)
  const holders = async (of: string) => {
    const { items } = await read(`/tokens/${of}/holders`)
    return items.map(({ address, value }: { address: { hash: string }; value: string }) => [address.hash, value])
  }
  await chain.send(transfer({ denom: TOKEN, amount: 100n }))
  await chain.mine()
  const trace = traceHash(`transfer/channel-1/erc20/${TOKEN}`)
  const voucher = `0x${trace.slice(-40)}` as const
  const balance = await chain.viem.readContract({
    address: voucher,
    abi: erc20,
    functionName: 'balanceOf',
    args: [other],
  })
  expect(balance).toBe(100n)
  expect(await holders(voucher)).toEqual([[other, '100']])
  expect(await read(`/tokens/${voucher}`)).toMatchObject({ total_supply: '100', holders: 1, holders_count: '1' })

  const home = { denom: `ibc/${trace.slice(2).toUpperCase()}`, channel: 'channel-1', amount: 60n, sender: other }
  await chain.send(transfer({ ...home, receiver: textOf(other) }), { from: 1 })
  await chain.mine()
  expect(await holders(voucher)).toEqual([[other, '40']])
  const held = Object.fromEntries(await holders(TOKEN))
  expect([held[owner], held[other]]).toEqual(['900', '60'])
})
