// Init code that begins with 0xef00 is ordinary invalid code: the creator's nonce is increased (EIP-161), and its invalid
// instruction consumes the frame's gas, 63/64 of the remaining (EIP-150).

import { hexToBytes, keccak256, numberToHex } from 'viem'
import { describe, expect, it, test } from 'vitest'
import { buildTable } from '../../src/evm/jump-table.ts'
import { type EngineChoice, Machine } from '../../src/evm/machine.ts'
import { hexToAddress, ZERO_ADDRESS } from '../../src/lib/hex.ts'
import { forkRules } from '../../src/spec/fork-rules.ts'
import { presets } from '../../src/spec/presets.ts'
import type { StateView } from '../../src/state/types.ts'
import { asm, playground } from '../support/assembler.ts'
import { testChain } from '../support/chain.ts'
import { messageTo } from '../support/messages.ts'
import { alice, bob, emptyView } from '../support/native.ts'

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
  // 300,000 minus 21,000, creation 32,000 and more: one 64th of the rest, about 3,860, remains; a no-op SSTORE takes 2,200.
  expect(receipt.gasUsed).toBeGreaterThan(297_000n)
})

const carol = hexToAddress(`0x${'ca'.repeat(20)}`)

// As in go-ethereum, EXTCODESIZE, EXTCODEHASH and EXTCODECOPY treat such code like any other (no EOF), and code with the prefix
// of a delegation but another length is not a delegation (EIP-7702).
describe.each(['library', 'wasm', 'compiled'] as const)('on %s, code that begins with 0xef', (engine) => {
  const codes = ['0xef00aabbcc', '0xef01', '0xef0100', `0xef0100${'11'.repeat(21)}`, '0xef'] as const

  it.each(codes)('is read unchanged by EXTCODE opcodes: %s', async (code) => {
    const view = await emptyView()
    view.setCode(bob, hexToBytes(code))
    // EXTCODESIZE and EXTCODEHASH as words, then 32 bytes of EXTCODECOPY.
    const size = [`PUSH20 ${bob}`, 'EXTCODESIZE', 'PUSH0', 'MSTORE']
    const hash = [`PUSH20 ${bob}`, 'EXTCODEHASH', 'PUSH1 0x20', 'MSTORE']
    const copy = ['PUSH1 0x20', 'PUSH0', 'PUSH1 0x40', `PUSH20 ${bob}`, 'EXTCODECOPY']
    view.setCode(carol, hexToBytes(asm(...size, ...hash, ...copy, 'PUSH1 0x60', 'PUSH0', 'RETURN')))
    const { output } = await machineOn(view, engine).run(messageTo(carol, { from: alice }))
    const padded = code.slice(2).padEnd(64, '0')
    const length = ((code.length - 2) / 2).toString(16).padStart(64, '0')
    expect(Buffer.from(output).toString('hex')).toBe(length + keccak256(code).slice(2) + padded)
  })

  // Beyond the code there are zeros, however far: also where an offset of 32 bits has a sign, or needs more bits.
  it.each([5n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 64n - 1n, 2n ** 160n, 2n ** 256n - 1n])(
    'is copied as zeros from offset %s on',
    async (offset) => {
      const view = await emptyView()
      view.setCode(bob, hexToBytes('0xef00aabbcc'))
      const fill = [`PUSH32 0x${'ff'.repeat(32)}`, 'PUSH0', 'MSTORE']
      const copy = [
        'PUSH1 0x40',
        `PUSH32 ${numberToHex(offset, { size: 32 })}`,
        'PUSH0',
        `PUSH20 ${bob}`,
        'EXTCODECOPY',
      ]
      view.setCode(carol, hexToBytes(asm(...fill, ...copy, 'PUSH1 0x40', 'PUSH0', 'RETURN')))
      const { output } = await machineOn(view, engine).run(messageTo(carol, { from: alice }))
      expect(Buffer.from(output).toString('hex')).toBe('00'.repeat(64))
    },
  )

  it.each(codes)('fails at its first opcode: %s', async (code) => {
    const view = await emptyView()
    view.setCode(bob, hexToBytes(code))
    const { failure, gasUsed } = await machineOn(view, engine).run(messageTo(bob, { from: alice, gasLimit: 50_000n }))
    expect([failure?.message, gasUsed]).toEqual(['invalid opcode: opcode 0xef not defined', 50_000n])
  })

  it('fails at a byte that Amsterdam makes an opcode with an operand (EIP-8024)', async () => {
    const view = await emptyView()
    view.setCode(bob, hexToBytes('0xe860'))
    const { failure } = await machineOn(view, engine).run(messageTo(bob, { from: alice, gasLimit: 50_000n }))
    expect(failure?.message).toBe('invalid opcode: EXCHANGE')
  })
})

const machineOn = (view: StateView, engine: EngineChoice): Machine => {
  const rules = forkRules('osaka')
  return new Machine({
    spec: presets.kestrel(),
    engine,
    view,
    natives: new Map(),
    blockHash: () => undefined,
    deadline: undefined,
    table: buildTable(rules),
    block: { number: 1n, timestamp: 1n, proposer: ZERO_ADDRESS },
  })
}
