import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEther } from 'viem'
import { client } from './chain.mjs'

for (const name of ['a test', 'another test'])
  test(`${name} sends a coin on a chain of its own`, async () => {
    const [account, to] = await client.getAddresses()
    assert.equal(await client.getBalance({ address: to }), parseEther('10000'))
    const hash = await client.sendTransaction({ account, to, value: parseEther('1'), chain: null })
    await client.waitForTransactionReceipt({ hash })
    assert.equal(await client.getBalance({ address: to }), parseEther('10001'))
  })
