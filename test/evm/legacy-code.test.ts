// Init code that begins with 0xef00 is ordinary (bad) code: the creator's nonce rises (EIP-161) and the frame's gas,
// 63/64 of what was left (EIP-150), is gone with its invalid instruction.
import { expect, test } from 'vitest'
import { asm, playground } from '../support/assembler.ts'
import { testChain } from '../support/chain.ts'

test.each([
  ['CREATE', []],
  ['CREATE2', ['PUSH0']],
])('%s runs init code that looks like EOF', async (opcode, salt) => {
  const chain = await testChain()
  const { contract, send } = playground(chain)
  const prepare = [`PUSH32 0xef00${'00'.repeat(30)}`, 'PUSH0', 'MSTORE', ...salt]
  const creator = await contract(asm(...prepare, 'PUSH1 0x02', 'PUSH0', 'PUSH0', opcode, 'PUSH0', 'SSTORE', 'STOP'))
  const nonce = await chain.viem.getTransactionCount({ address: creator })
  const receipt = await chain.viem.getTransactionReceipt({ hash: await send(creator, { gas: 300_000 }) })
  expect(receipt.status).toBe('success')
  expect(await chain.viem.getTransactionCount({ address: creator })).toBe(nonce + 1)
  expect(await chain.viem.getStorageAt({ address: creator, slot: '0x0' })).toBe(`0x${'00'.repeat(32)}`)
  // 300,000 less 21,000, creation 32,000 and some: a 64th of what is left, about 3,860, remains; a no-op SSTORE takes 2,200.
  expect(receipt.gasUsed).toBeGreaterThan(297_000n)
})
