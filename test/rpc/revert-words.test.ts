// Every answer about a failed execution has its reason in words, and the data that clients decode themselves.
import { BaseError, ContractFunctionRevertedError, encodeErrorResult, parseAbi } from 'viem'
import { expect, it } from 'vitest'
import { revertingWith } from '../support/assembler.ts'
import { testChain } from '../support/chain.ts'

const abi = parseAbi([
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'function pay() view',
])
const who = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const data = encodeErrorResult({ abi, errorName: 'ERC20InsufficientBalance', args: [who, 0n, 5000n] })
const message = `execution reverted: ERC20InsufficientBalance(sender: ${who}, balance: 0, needed: 5000)`
const error = { code: 3, message, data }

const to = '0x1000000000000000000000000000000000000001'

it('in calls, estimates, sends, simulations and blocks', async () => {
  const { raw, rpc, alice, viem } = await testChain()
  await rpc('anvil_setCode', to, revertingWith(data))
  const call = { from: alice.address, to }
  expect((await raw('eth_call', call, 'latest')).error).toEqual(error)
  expect((await raw('eth_estimateGas', call)).error).toEqual(error)
  expect((await raw('eth_fillTransaction', call)).error).toEqual(error)
  expect((await raw('eth_sendTransaction', call)).error).toEqual(error)
  // Without an address it is creation code, whose revert has the same words.
  expect((await raw('eth_call', { from: alice.address, data: revertingWith(data) }, 'latest')).error).toEqual(error)
  const simulated = (await rpc('eth_simulateV1', { blockStateCalls: [{ calls: [call, {}] }] })) as {
    calls: { error: unknown }[]
  }[]
  expect(simulated[0]?.calls[0]?.error).toEqual(error)
  expect(simulated[0]?.calls[1]?.error).toBeUndefined()
  expect(await rpc('kestrel_decodeError', data)).toBe(message.slice('execution reverted: '.length))
  expect(await rpc('kestrel_decodeError', '0x12345678', to)).toBeNull()
  await rpc('evm_setAutomine', false)
  await rpc('eth_sendTransaction', { ...call, gas: '0x100000' })
  const blocks = (await rpc('anvil_mine_detailed')) as { transactions: { revertReason: string }[] }[]
  expect(blocks[0]?.transactions[0]?.revertReason).toBe(message.slice('execution reverted: '.length))
  // A client decodes the data as before.
  const failed = await viem.readContract({ abi, address: to, functionName: 'pay' }).catch((thrown: unknown) => thrown)
  const revert =
    failed instanceof BaseError ? failed.walk((cause) => cause instanceof ContractFunctionRevertedError) : null
  expect(revert).toMatchObject({ data: { errorName: 'ERC20InsufficientBalance', args: [who, 0n, 5000n] } })
})

it('is none for unknown errors', async () => {
  const { raw, rpc, alice } = await testChain()
  await rpc('anvil_setCode', to, revertingWith('0x12345678'))
  const unknown = { code: 3, message: 'execution reverted', data: '0x12345678' }
  expect((await raw('eth_call', { to }, 'latest')).error).toEqual(unknown)
  expect((await raw('eth_estimateGas', { from: alice.address, to })).error).toEqual(unknown)
})
