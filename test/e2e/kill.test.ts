// `kill -9` under load at random moments: everything acknowledged to a client exists after the next start, nothing is partly
// written, and the chain continues.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Hex, parseGwei } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, expect, test } from 'vitest'
import { account } from '../support/chain.ts'
import { type Clients, clientsOf, startProcess, temporaryFolder } from '../support/process.ts'
import { provenAccount } from '../support/proofs.ts'

const ROUNDS = 6
const SENDERS = [0, 1, 2, 3]
const FOLDER = await temporaryFolder()
afterAll(() => FOLDER.remove())

/** Acknowledgements: hashes of accepted sends, and block hashes of those with a receipt. */
const accepted = new Set<Hex>()
const withReceipt = new Map<Hex, Hex>()
const recipient = privateKeyToAccount(generatePrivateKey()).address

/** Sends single wei from an account and reads each receipt, until the node ends. */
async function keepSending({ viem, rpc }: Clients, index: number): Promise<void> {
  const sender = account(index)
  let nonce = await viem.getTransactionCount({ address: sender.address, blockTag: 'pending' })
  for (;;) {
    const serializedTransaction = await sender.signTransaction({
      chainId: 125,
      type: 'eip1559',
      to: recipient,
      value: 1n,
      gas: 21_000n,
      maxFeePerGas: parseGwei('20'),
      maxPriorityFeePerGas: 1n,
      nonce: nonce++,
    })
    const hash = await viem.sendRawTransaction({ serializedTransaction })
    accepted.add(hash)
    for (;;) {
      const receipt = (await rpc('eth_getTransactionReceipt', hash)) as { blockHash: Hex } | null
      if (receipt === null) continue
      withReceipt.set(hash, receipt.blockHash)
      break
    }
  }
}

async function checkAcknowledged(clients: Clients): Promise<void> {
  const { viem, rpc } = clients
  for (const [hash, blockHash] of withReceipt) {
    const receipt = await viem.getTransactionReceipt({ hash })
    expect(receipt.blockHash, `block of ${hash}`).toBe(blockHash)
  }
  // Accepted transactions are mined, or still pending and mined soon.
  for (const hash of accepted) {
    await expect.poll(() => rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  }
  // So are those whose hash was not answered any more.
  await expect.poll(() => rpc('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })

  const head = await viem.getBlock()
  const senders = await Promise.all(SENDERS.map((index) => provenAccount(clients, account(index), head.number)))
  const { balance } = await provenAccount(clients, { address: recipient }, head.number)
  const sent = senders.reduce((sum, { nonce }) => sum + nonce, 0)
  expect(sent).toBeGreaterThanOrEqual(accepted.size)
  expect(balance).toBe(BigInt(sent))

  let count = 0
  for (let number = head.number, hash = head.hash; number > 0n; number--) {
    const block = await viem.getBlock({ blockNumber: number })
    expect(block.hash).toBe(hash)
    hash = block.parentHash
    count += block.transactions.length
  }
  expect(count).toBe(sent)
}

test(`the node survives ${ROUNDS} kills at random moments`, { timeout: 120_000 }, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const node = await startProcess(['--datadir', FOLDER.path])
    const clients = clientsOf(node.url)
    await checkAcknowledged(clients)
    const before = withReceipt.size
    const sending = Promise.allSettled(SENDERS.map((index) => keepSending(clients, index)))
    await expect.poll(() => withReceipt.size, { timeout: 20_000, interval: 5 }).toBeGreaterThan(before)
    // Time is the subject: the process is killed at a random moment of its work.
    await sleep(Math.random() * 600)
    await node.kill()
    await sending
  }
  const node = await startProcess(['--datadir', FOLDER.path])
  await checkAcknowledged(clientsOf(node.url))
  expect(await node.stop()).toBe(0)
})

test('the node survives a kill just after its start', { timeout: 60_000 }, async () => {
  const folder = await temporaryFolder()
  afterAll(() => folder.remove())
  for (const delay of [0, 0.2, 0.5, 0.8]) {
    const node = await startProcess(['--datadir', folder.path])
    // Time is the subject: the first 40 ms after the first answer.
    await sleep(delay * 50)
    await node.kill()
  }
  const node = await startProcess(['--datadir', folder.path])
  const { viem, walletOf } = clientsOf(node.url)
  const hash = await walletOf(0).sendTransaction({ to: recipient, value: 1n })
  expect(await viem.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success', blockNumber: 1n })
  expect(await node.stop()).toBe(0)
})
