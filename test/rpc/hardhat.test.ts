// Errors that only Hardhat 2's client gets, for mined sends that failed. test/clients/hardhat.test.ts runs the client itself;
// with `accounts` in its configuration it signs transactions itself.
import { expect, test } from 'vitest'
import { testChain } from '../support/chain.ts'

/** Creation code that reverts with the word 0x2a: PUSH1 2a PUSH0 MSTORE PUSH1 20 PUSH0 REVERT. */
const REVERTING = '0x602a5f5260205ffd'
const WORD = `0x${'2a'.padStart(64, '0')}`
const HARDHAT = 'hardhat 2.22.19'

async function chainOf(overrides: Parameters<typeof testChain>[0] = {}) {
  const chain = await testChain(overrides)
  const ask = async (userAgent: string, method: string, ...params: unknown[]) => {
    const response = await fetch(`${chain.url}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': userAgent },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return (await response.json()) as { result?: string; error?: { code: number; message: string; data: string } }
  }
  const signed = async (nonce: number, gas = 30_000_000n) =>
    chain.alice.signTransaction({
      chainId: chain.viem.chain?.id ?? 125,
      nonce,
      data: REVERTING,
      gas,
      type: 'legacy' as const,
      gasPrice: 10n ** 12n,
    })
  return { ...chain, ask, signed }
}

test('a failed send is an error for Hardhat’s client, whoever signed it, and a hash for other clients', async () => {
  const { ask, signed, alice } = await chainOf()
  const call = { from: alice.address, data: REVERTING, gas: '0x1000000' }
  const reverted = { code: 3, message: 'execution reverted', data: WORD }
  expect((await ask(HARDHAT, 'eth_sendTransaction', call)).error).toEqual(reverted)
  expect((await ask(HARDHAT, 'eth_sendRawTransaction', await signed(1))).error).toEqual(reverted)
  expect((await ask('viem', 'eth_sendTransaction', call)).result).toMatch(/^0x[0-9a-f]{64}$/)
  expect((await ask('viem', 'eth_sendRawTransaction', await signed(3))).result).toMatch(/^0x[0-9a-f]{64}$/)
  expect((await ask(HARDHAT, 'eth_getTransactionCount', alice.address, 'latest')).result).toBe('0x4')
})

// Tests that wait for a failed receipt do this, on any network: cosmos/evm's suite of reverts.
test('a failed send with a gas limit chosen by the test is a hash for Hardhat’s client too', async () => {
  const { ask, signed, alice } = await chainOf()
  const call = { from: alice.address, data: REVERTING, gas: '0x989680' }
  expect((await ask(HARDHAT, 'eth_sendTransaction', call)).result).toMatch(/^0x[0-9a-f]{64}$/)
  expect((await ask(HARDHAT, 'eth_sendRawTransaction', await signed(1, 1_000_000n))).result).toMatch(/^0x[0-9a-f]{64}$/)
})

test('a send that is not yet mined has not failed', async () => {
  const { ask, signed } = await chainOf({ automine: false })
  expect((await ask(HARDHAT, 'eth_sendRawTransaction', await signed(0))).result).toMatch(/^0x[0-9a-f]{64}$/)
})
