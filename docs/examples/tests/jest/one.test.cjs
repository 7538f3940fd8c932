const { parseEther } = require('viem')
const { client } = require('./chain.cjs')

test('sends a coin on a chain of its own', async () => {
  const [account, to] = await client.getAddresses()
  expect(await client.getBalance({ address: to })).toBe(parseEther('10000'))
  const hash = await client.sendTransaction({ account, to, value: parseEther('1'), chain: null })
  await client.waitForTransactionReceipt({ hash })
  expect(await client.getBalance({ address: to })).toBe(parseEther('10001'))
})
