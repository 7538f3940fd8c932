// Gas estimates of contracts whose work depends on the time, on pending transactions, or on the block number.
import { toHex } from 'viem'
import { describe, expect, test, vi } from 'vitest'
import { Machine } from '../../src/evm/machine.ts'
import { asm } from '../support/assembler.ts'
import { testChain } from '../support/chain.ts'

const TOUCH = `0x${'70c4'.repeat(10)}` as const
/** Stores the time of its last call in a slot; if time has passed since then, sets a new slot too. */
const touch = asm(
  ...['PUSH0', 'SLOAD', 'TIMESTAMP', 'GT', 'PUSH1 0x08', 'JUMPI', 'STOP', 'JUMPDEST'],
  ...['TIMESTAMP', 'PUSH0', 'SSTORE', 'PUSH1 0x01', 'TIMESTAMP', 'SSTORE', 'STOP'],
)
/**
 * 21000 for the transaction; a cold SLOAD 2100, changing a warm slot 2900, setting a cold slot 22100 (EIP-2929, EIP-2200); five
 * times 2 for PUSH0 and TIMESTAMP, three times 3 for GT and PUSH1, JUMPI 10, JUMPDEST 1.
 */
const DEAR = 21_000n + 2100n + 2900n + 22_100n + 5n * 2n + 3n * 3n + 10n + 1n

/** Creation code that succeeds only at timestamps from `from` to `to`. */
const onlyAt = (from: bigint, to: bigint) =>
  asm(
    ...[
      `PUSH8 ${toHex(from, { size: 8 })}`,
      'TIMESTAMP',
      'LT',
      `PUSH8 ${toHex(to, { size: 8 })}`,
      'TIMESTAMP',
      'GT',
      'OR',
    ],
    ...['PUSH1 0x1b', 'JUMPI', 'STOP', 'JUMPDEST', 'PUSH0', 'PUSH0', 'REVERT'],
  )

async function touching(overrides: Parameters<typeof testChain>[0] = {}) {
  const chain = await testChain(overrides)
  await chain.rpc('anvil_setCode', TOUCH, touch)
  const from = chain.alice.address
  return {
    ...chain,
    from,
    /** Sends from the node's account without a gas limit. */
    send: async () => {
      const hash = await chain.rpc('eth_sendTransaction', { from, to: TOUCH })
      return async () => (await chain.rpc('eth_getTransactionReceipt', hash)) as { status: string; gasUsed: string }
    },
    estimate: async (...block: unknown[]) =>
      BigInt((await chain.rpc('eth_estimateGas', { from, to: TOUCH }, ...block)) as string),
    time: async (tag = 'latest') => (await chain.viem.getBlock({ blockTag: tag as 'latest' })).timestamp,
  }
}

test('an estimate runs once if no opcode can observe the gas limit, otherwise again with the gas used', async () => {
  const { rpc, from } = await touching()
  const stranger = `0x${'70c5'.repeat(10)}`
  const run = vi.spyOn(Machine.prototype, 'run')
  const runsOf = (receiver: string) => run.mock.calls.filter(([message]) => message.to === receiver).length
  try {
    expect(await rpc('eth_estimateGas', { from, to: stranger, value: '0x1' })).toBe(toHex(21_000))
    expect(runsOf(stranger)).toBe(1)
    // The first slot is still zero: setting it costs 20000 instead of 2900.
    expect(await rpc('eth_estimateGas', { from, to: TOUCH })).toBe(toHex(DEAR + 20_000n - 2900n))
    expect(runsOf(TOUCH)).toBe(2)
    // Ten non-zero bytes: 21000 + 10 * 16 without opcodes is below the floor of 21000 + 10 * 40 (EIP-7623).
    expect(await rpc('eth_estimateGas', { from, to: stranger, data: `0x${'11'.repeat(10)}` })).toBe(toHex(21_400))
  } finally {
    run.mockRestore()
  }
})

test('sends without a gas limit succeed one after the other, and after pauses', async () => {
  const { walletOf, viem, rpc, send } = await touching()
  for (let i = 0; i < 4; i++) expect(await (await send())()).toMatchObject({ status: '0x1' })
  for (let i = 0; i < 4; i++) {
    const hash = await walletOf(1).sendTransaction({ to: TOUCH })
    expect((await viem.waitForTransactionReceipt({ hash })).status).toBe('success')
    if (i % 2 === 1) await rpc('evm_increaseTime', 10)
  }
})

test('an estimate right after a block suffices when the clock advances before the transaction is mined', async () => {
  const { rpc, send, estimate, from } = await touching()
  await send()
  const gas = await estimate()
  expect(gas).toBe(DEAR)
  await rpc('evm_increaseTime', 100)
  const hash = await rpc('eth_sendTransaction', { from, to: TOUCH, gas: toHex(gas) })
  expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1', gasUsed: toHex(DEAR) })
})

test('an estimate after pending transactions uses their state and a later block, and suffices however they are mined', async () => {
  const { rpc, mine, send, estimate, from } = await touching({ automine: false })
  const receipts = [await send()]
  expect(await estimate()).toBe(DEAR)
  // The first is mined alone, the second later.
  await mine()
  await rpc('evm_increaseTime', 5)
  receipts.push(await send())
  receipts.push(await send())
  await mine()
  for (const receipt of receipts) expect(await receipt()).toMatchObject({ status: '0x1' })
  const number = toHex(BigInt((await rpc('eth_blockNumber')) as string) + 1n)
  expect(await rpc('eth_getBlockByNumber', 'pending', false)).toMatchObject({ number })
  // Pending nonces count: the estimated transaction comes after them.
  await rpc('eth_sendTransaction', { from, to: from, value: '0x1' })
  expect(await estimate()).toBe(DEAR)
})

describe('the pending block of an estimate', () => {
  test('has the time of evm_setNextBlockTimestamp', async () => {
    const { rpc, time, from } = await touching()
    const at = (await time()) + 1000n
    await rpc('evm_setNextBlockTimestamp', toHex(at))
    await rpc('eth_estimateGas', { from, data: onlyAt(at, at) })
    await expect(rpc('eth_estimateGas', { from, data: onlyAt(at + 1n, at + 9n) })).rejects.toThrow('reverted')
  })

  test('has the time of the next block of interval mining', async () => {
    const { rpc, time, from, mine } = await touching({ automine: false, blockTime: 600 })
    await mine()
    const next = (await time()) + 600n
    expect(await rpc('eth_estimateGas', { from, data: onlyAt(next, next + 60n) })).toMatch(/^0x/)
    await expect(rpc('eth_estimateGas', { from, data: onlyAt(next - 600n, next - 1n) })).rejects.toThrow('reverted')
  })

  test('is one block after the pending block, whose hash is known', async () => {
    const { rpc, from } = await touching({ automine: false })
    const only = (number: bigint) =>
      asm(
        ...[
          'PUSH1 0x01',
          'NUMBER',
          'SUB',
          'BLOCKHASH',
          'ISZERO',
          `PUSH8 ${toHex(number, { size: 8 })}`,
          'NUMBER',
          'EQ',
        ],
        ...['ISZERO', 'OR', 'PUSH1 0x17', 'JUMPI', 'STOP', 'JUMPDEST', 'PUSH0', 'PUSH0', 'REVERT'],
      )
    await rpc('eth_estimateGas', { from, data: only(1n) })
    await rpc('eth_sendTransaction', { from, to: from })
    await rpc('eth_estimateGas', { from, data: only(2n) })
    await expect(rpc('eth_estimateGas', { from, data: only(1n) })).rejects.toThrow('reverted')
  })

  test('has the overrides of the request, or is the named block', async () => {
    const { rpc, time, from, mine } = await touching()
    await mine()
    const head = await time()
    await rpc('eth_estimateGas', { from, data: onlyAt(5n, 5n) }, 'pending', {}, { time: '0x5' })
    await rpc('eth_estimateGas', { from, data: onlyAt(head, head) }, 'latest')
    await expect(rpc('eth_estimateGas', { from, data: onlyAt(head, head) })).rejects.toThrow('reverted')
    await rpc('eth_createAccessList', { from, data: onlyAt(head + 1n, head + 60n) })
  })

  test('does not apply to eth_call, which runs on the newest block', async () => {
    const { rpc, time, mine } = await touching()
    await mine()
    const data = asm('TIMESTAMP', 'PUSH0', 'MSTORE', 'PUSH1 0x20', 'PUSH0', 'RETURN')
    expect(await rpc('eth_call', { data })).toBe(toHex(await time(), { size: 32 }))
  })
})

test('many estimates share the pending block, which is rebuilt after every transaction', async () => {
  const { rpc, estimate, from } = await touching({ automine: false })
  const estimates: Promise<bigint>[] = []
  for (let i = 0; i < 20; i++) {
    estimates.push(estimate())
    await rpc('eth_sendTransaction', { from, to: TOUCH, gas: '0x186a0' })
    expect(await rpc('eth_getBlockTransactionCountByNumber', 'pending')).toBe(toHex(i + 1))
  }
  for (const gas of await Promise.all(estimates)) expect(gas).toBeGreaterThan(21_000n)
})
