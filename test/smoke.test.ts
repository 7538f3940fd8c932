import { parseEther } from 'viem'
import { expect, test } from 'vitest'
import { testChain } from './support/chain.ts'

test('transfers coins and keeps the receipt', async () => {
  const { rpc, viem, walletOf, bob } = await testChain()
  expect(await rpc('eth_chainId')).toBe('0x7d')
  const hash = await walletOf(0).sendTransaction({ to: bob.address, value: parseEther('1') })
  const receipt = await viem.waitForTransactionReceipt({ hash })
  expect(receipt.status).toBe('success')
  expect(receipt.gasUsed).toBe(21000n)
  expect(await viem.getBalance({ address: bob.address })).toBe(parseEther('10001'))
  expect(await viem.getBlockNumber()).toBe(1n)
})
