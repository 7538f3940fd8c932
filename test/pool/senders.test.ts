// Expected senders are ethers' wallets.
import { Wallet } from 'ethers'
import { expect, test } from 'vitest'
import { fromHex, hexToAddress } from '../../src/lib/hex.ts'
import { rememberSenders } from '../../src/pool/senders.ts'
import { decodeTransaction } from '../../src/primitives/transaction.ts'
import { hash } from './support.ts'

const wallets = [1, 2, 3].map((n) => new Wallet(hash(n)))
const signed = async (wallet: Wallet, nonce: number) =>
  decodeTransaction(
    fromHex(
      await wallet.signTransaction({
        type: 2,
        chainId: 125,
        nonce,
        to: wallet.address,
        gasLimit: 21_000,
        maxFeePerGas: 2,
        maxPriorityFeePerGas: 1,
      }),
    ),
  )

test('each signature recovers to its own sender, cached or not', async () => {
  const { of: senderOf } = rememberSenders(2)
  for (const nonce of [0, 0, 1]) {
    for (const wallet of wallets) {
      expect(senderOf(await signed(wallet, nonce))).toBe(hexToAddress(wallet.address))
    }
  }
})

test('a cached transaction is not recovered again, an evicted one is', async () => {
  const { of: senderOf } = rememberSenders(1)
  const [first, second] = await Promise.all(wallets.slice(0, 2).map((wallet) => signed(wallet, 0)))
  if (!first || !second) throw new Error('two wallets make two transactions')
  // With r = 0 recovery fails: only the cache can answer.
  const unrecoverable = { ...first, r: 0n }
  const sender = senderOf(first)
  expect(senderOf(unrecoverable)).toBe(sender)
  senderOf(second)
  expect(() => senderOf(unrecoverable)).toThrow('invalid sender')
  expect(senderOf(first)).toBe(sender)
})
