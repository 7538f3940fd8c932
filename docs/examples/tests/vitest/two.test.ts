import { parseEther } from 'viem'
import { expect, test } from 'vitest'
import { client } from './chain.ts'

test('sends a coin on a chain of its own', async () => {
  const [account, to] = await client.getAddresses()
  if (account === undefined || to === undefined) throw new Error('the node has no accounts')
  expect(await client.getBalance({ address: to })).toBe(parseEther('10000'))
  const hash = await client.sendTransaction({ account, to, value: parseEther('1'), chain: null })
  await client.waitForTransactionReceipt({ hash })
  expect(await client.getBalance({ address: to })).toBe(parseEther('10001'))
})
