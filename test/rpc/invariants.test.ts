// The invariants of the native modules on a running node, and the supply when a development method edits balances.
import { parseAbi, parseEther, toHex } from 'viem'
import { expect, test } from 'vitest'
import { testChain } from '../support/chain.ts'

const BANK = '0x0000000000000000000000000000000000000804'
const abi = parseAbi(['function supplyOf(address erc20Address) view returns (uint256 totalSupply)'])
const EMPTY_ACCOUNT = `0x${'ab'.repeat(20)}` as const
const ZERO = `0x${'00'.repeat(20)}` as const

test('invariants hold, and edits of balances change the supply by the same amount', async () => {
  const { rpc, viem, walletOf, bob, mine } = await testChain()
  const supply = () => viem.readContract({ address: BANK, abi, functionName: 'supplyOf', args: [ZERO] })
  const genesis = await supply()
  // Ten accounts with 10,000 KEST, three operators with 1,010.
  expect(genesis).toBe(parseEther('103030'))
  await walletOf(0).sendTransaction({ to: bob.address, value: parseEther('1') })
  await mine(2)
  expect([await supply(), await rpc('dev_invariants')]).toEqual([genesis, []])

  await rpc('anvil_setBalance', EMPTY_ACCOUNT, toHex(parseEther('5')))
  expect([await supply(), await rpc('dev_invariants')]).toEqual([genesis + parseEther('5'), []])
  await rpc('anvil_setBalance', EMPTY_ACCOUNT, toHex(parseEther('2')))
  expect([await supply(), await rpc('dev_invariants')]).toEqual([genesis + parseEther('2'), []])
})

test('dev_invariants reports a supply that is too small', async () => {
  const { rpc } = await testChain()
  await rpc('anvil_setStorageAt', BANK, '0x0', `0x${'00'.repeat(32)}`)
  expect(await rpc('dev_invariants')).toEqual([`bank: accounts hold ${parseEther('103030')}, and the supply is 0`])
})

test('the largest balance can be set', async () => {
  const { rpc } = await testChain()
  const most = toHex(2n ** 256n - 1n)
  await rpc('hardhat_setBalance', EMPTY_ACCOUNT, most)
  expect(await rpc('eth_getBalance', EMPTY_ACCOUNT, 'latest')).toBe(most)
})
