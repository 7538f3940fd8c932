// A transaction whose execution makes the program fail (an internal error, not a refusal): its hash was answered, so it stays
// visible, and it costs no other transaction its block.
import { expect, it, onTestFinished, vi } from 'vitest'
import { Machine } from '../../src/evm/machine.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { createLogger } from '../../src/lib/log.ts'
import { testChain } from '../support/chain.ts'

/** Outer messages to this account make the engine throw. */
const BROKEN = hexToAddress('0x00000000000000000000000000000000000bad00')
const quiet = { log: createLogger({ level: 'silent', json: false }) }
const GWEI = 10n ** 9n

function breakEngine(): void {
  const { run } = Machine.prototype
  const spy = vi.spyOn(Machine.prototype, 'run').mockImplementation(function (this: Machine, message) {
    if (message.to === BROKEN) throw new TypeError('a bug of the engine')
    return run.call(this, message)
  })
  onTestFinished(() => spy.mockRestore())
}

it('is held in the pool, and the block is made without it', async () => {
  breakEngine()
  const { rpc, walletOf, viem, mine, dev, alice, bob } = await testChain(quiet)
  await dev.setAutomine(false)
  const pay = { to: bob.address, value: 1n, gas: 21_000n, maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI }
  // It has the highest tip, so a block begins with it.
  const broken = { ...pay, to: BROKEN, maxPriorityFeePerGas: 2n * GWEI } as const
  const faulty = await walletOf(0).sendTransaction({ ...broken, nonce: 0 })
  const next = await walletOf(0).sendTransaction({ ...pay, nonce: 1 })
  const other = await walletOf(1).sendTransaction({ ...pay, nonce: 0 })
  await mine()
  expect((await viem.getBlock()).transactions).toEqual([other])
  const waits = { hash: faulty, blockNumber: null, nonce: '0x0' }
  expect(await rpc('eth_getTransactionByHash', faulty)).toMatchObject(waits)
  expect(await rpc('eth_getTransactionByHash', next)).toMatchObject({ blockNumber: null })
  expect(await rpc('txpool_status')).toEqual({ pending: '0x2', queued: '0x0' })

  // The block of the tag `pending` and the next one leave it out as well.
  expect(await rpc('eth_getBlockByNumber', 'pending', false)).toMatchObject({ transactions: [] })
  await mine()
  expect((await viem.getBlock()).number).toBe(2n)

  // Its sender goes on by a replacement, as with any transaction that waits.
  const replacement = await walletOf(0).sendTransaction({
    ...pay,
    nonce: 0,
    maxPriorityFeePerGas: 3n * GWEI,
    maxFeePerGas: 200n * GWEI,
  })
  await mine()
  expect((await viem.getBlock()).transactions).toEqual([replacement, next])
  expect(await viem.getTransactionCount({ address: alice.address })).toBe(2)
  expect(await rpc('eth_getTransactionByHash', faulty)).toBeNull()
})

it('does not stop automatic blocks', async () => {
  breakEngine()
  const { rpc, walletOf, viem, bob } = await testChain(quiet)
  const faulty = await walletOf(0).sendTransaction({ to: BROKEN, gas: 21_000n })
  expect(await rpc('eth_getTransactionByHash', faulty)).toMatchObject({ blockNumber: null })
  const hash = await walletOf(1).sendTransaction({ to: bob.address, gas: 21_000n })
  expect((await viem.getTransactionReceipt({ hash })).blockNumber).toBe(1n)
})
