// viem's ways of sending: all transaction types, the node's accounts, bursts, batches; and signatures.
import {
  concatHex,
  createPublicClient,
  createWalletClient,
  type Hex,
  http,
  parseEther,
  parseGwei,
  recoverTypedDataAddress,
  stringToHex,
  toBlobs,
  toHex,
  verifyMessage,
  verifyTypedData,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { viemKzg, withCellProofs } from '../support/blobs.ts'
import { account } from '../support/chain.ts'
import { deployToken, token } from '../support/contracts.ts'
import { processForFile } from '../support/process.ts'

const clients = await processForFile()
const { viem, dev, walletOf, chain, rpc } = clients
const stranger = () => privateKeyToAccount(generatePrivateKey())
const mined = (hash: Hex) => viem.waitForTransactionReceipt({ hash })

describe('a transaction of type', () => {
  const to = stranger().address

  test('0 keeps its gas price, with and without a chain id', async () => {
    const gasPrice = parseGwei('3')
    const hash = await walletOf(0).sendTransaction({ to, value: 1n, gasPrice, type: 'legacy' })
    expect(await mined(hash)).toMatchObject({ status: 'success', type: 'legacy', effectiveGasPrice: gasPrice })
    const { v, chainId } = await viem.getTransaction({ hash })
    expect([125n * 2n + 35n, 125n * 2n + 36n]).toContain(v)
    expect(chainId).toBe(125)

    const unprotected = await account(1).signTransaction({
      to,
      value: 1n,
      gas: 21_000n,
      gasPrice,
      nonce: 0,
      type: 'legacy',
    })
    const bare = await viem.sendRawTransaction({ serializedTransaction: unprotected })
    expect(await mined(bare)).toMatchObject({ status: 'success', from: account(1).address.toLowerCase() })
  })

  test('1 pays for its access list', async () => {
    const accessList = [{ address: to, storageKeys: [`0x${'01'.repeat(32)}`] }] as const
    const hash = await walletOf(0).sendTransaction({ to, accessList, gasPrice: parseGwei('3'), type: 'eip2930' })
    // EIP-2930: 2400 for an address, 1900 for a key.
    expect(await mined(hash)).toMatchObject({ type: 'eip2930', gasUsed: 21_000n + 2_400n + 1_900n })
    expect((await viem.getTransaction({ hash })).accessList).toEqual([{ ...accessList[0], address: to.toLowerCase() }])
  })

  test('2 pays the base fee and its tip', async () => {
    const hash = await walletOf(0).sendTransaction({ to, maxFeePerGas: parseGwei('9'), maxPriorityFeePerGas: 5n })
    const receipt = await mined(hash)
    const { baseFeePerGas } = await viem.getBlock({ blockNumber: receipt.blockNumber })
    expect(receipt).toMatchObject({ type: 'eip1559', effectiveGasPrice: (baseFeePerGas ?? 0n) + 5n })
  })

  test.each(['one proof per blob', 'cell proofs'])('3 carries a blob with %s', async (proofs) => {
    const blobs = toBlobs({ data: stringToHex(`a blob with ${proofs}`) })
    const request = await walletOf(2).prepareTransactionRequest({
      to,
      blobs,
      kzg: viemKzg,
      maxFeePerBlobGas: parseGwei('10'),
      type: 'eip4844',
    })
    const signed = await walletOf(2).signTransaction(request)
    const serializedTransaction = proofs === 'cell proofs' ? withCellProofs(signed) : signed
    const hash = await viem.sendRawTransaction({ serializedTransaction })
    const receipt = await mined(hash)
    // EIP-4844: a blob is 2^17 gas; with an excess of 0 its price is 1 wei.
    expect(receipt).toMatchObject({ status: 'success', type: 'eip4844', blobGasUsed: 131_072n, blobGasPrice: 1n })
    const { blobVersionedHashes } = await viem.getTransaction({ hash })
    expect(blobVersionedHashes).toEqual(request.blobVersionedHashes)
    expect((await viem.getBlock({ blockNumber: receipt.blockNumber })).blobGasUsed).toBe(131_072n)
  })

  test('3 is refused with a proof of another blob', async () => {
    const signing = { to, kzg: viemKzg, maxFeePerBlobGas: parseGwei('10'), type: 'eip4844' } as const
    const one = toBlobs({ data: '0x01' })
    const other = toBlobs({ data: '0x02' })
    const request = await walletOf(2).prepareTransactionRequest({ ...signing, blobs: one })
    const signed = await walletOf(2).signTransaction(request)
    const [blob = '0x', wrong = '0x'] = [one[0], other[0]]
    const forged = signed.replace(blob.slice(2), wrong.slice(2)) as Hex
    expect(forged).not.toBe(signed)
    await expect(viem.sendRawTransaction({ serializedTransaction: forged })).rejects.toThrow('invalid')
  })

  test('4 sets the code of an account, and clears it (EIP-7702)', async () => {
    const { address } = await deployToken(clients, 3)
    const owner = privateKeyToAccount(generatePrivateKey())
    const authorization = await owner.signAuthorization({ address, chainId: 125, nonce: 0 })
    // Another account pays; the owner has no coins.
    const hash = await walletOf(3).sendTransaction({ to, authorizationList: [authorization] })
    expect(await mined(hash)).toMatchObject({ status: 'success', type: 'eip7702' })
    expect(await viem.getCode({ address: owner.address })).toBe(concatHex(['0xef0100', address]).toLowerCase())
    expect(await viem.getTransactionCount({ address: owner.address })).toBe(1)
    // The token's code uses the owner's empty storage.
    expect(await viem.readContract({ ...token, address: owner.address, functionName: 'totalSupply' })).toBe(0n)
    const { authorizationList } = await viem.getTransaction({ hash })
    // A quantity has no leading zeros; viem's signature has 32 bytes.
    const r = toHex(BigInt(authorization.r))
    expect(authorizationList).toMatchObject([{ address: address.toLowerCase(), chainId: 125, nonce: 0, r }])

    const end = await owner.signAuthorization({ address: `0x${'00'.repeat(20)}`, chainId: 0, nonce: 1 })
    await mined(await walletOf(3).sendTransaction({ to: owner.address, authorizationList: [end] }))
    expect(await viem.getCode({ address: owner.address })).toBeUndefined()
  })

  test('4 with its sender as authority increases the nonce twice', async () => {
    const { address } = await deployToken(clients, 3)
    const wallet = walletOf(4)
    const nonce = await viem.getTransactionCount({ address: account(4).address })
    const authorization = await wallet.signAuthorization({ contractAddress: address, executor: 'self' })
    expect(authorization.nonce).toBe(nonce + 1)
    await mined(await wallet.sendTransaction({ to, authorizationList: [authorization] }))
    expect(await viem.getTransactionCount({ address: account(4).address })).toBe(nonce + 2)
    // An account with a delegation can still send (EIP-7702 amends EIP-3607).
    expect(await mined(await wallet.sendTransaction({ to, value: 1n }))).toMatchObject({ status: 'success' })
  })
})

describe('the order of one account’s transactions', () => {
  const signed = (index: number, nonces: readonly number[]) =>
    Promise.all(
      nonces.map((nonce) =>
        account(index).signTransaction({
          chainId: 125,
          type: 'eip1559',
          to: account(0).address,
          value: 1n,
          gas: 21_000n,
          maxFeePerGas: parseGwei('20'),
          maxPriorityFeePerGas: 1n,
          nonce,
        }),
      ),
    )
  const shuffled = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => ({ item, at: Math.random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item)

  test('does not matter: 30 sent concurrently in any order are all mined', async () => {
    const raws = await signed(
      5,
      Array.from({ length: 30 }, (_, nonce) => nonce),
    )
    const hashes = await Promise.all(
      shuffled(raws).map((raw) => viem.sendRawTransaction({ serializedTransaction: raw })),
    )
    const receipts = await Promise.all(hashes.map(mined))
    expect(receipts.every(({ status }) => status === 'success')).toBe(true)
    expect(await viem.getTransactionCount({ address: account(5).address })).toBe(30)
  })

  test('is kept while a nonce is missing, and a replacement must pay more', async () => {
    const [first = '0x', second = '0x'] = await signed(6, [0, 1])
    const waiting = await viem.sendRawTransaction({ serializedTransaction: second })
    expect(await viem.getTransaction({ hash: waiting })).toMatchObject({ blockNumber: null, nonce: 1 })
    expect(await rpc('eth_getTransactionReceipt', waiting)).toBeNull()
    expect(await viem.getTransactionCount({ address: account(6).address, blockTag: 'pending' })).toBe(0)
    await expect(viem.sendRawTransaction({ serializedTransaction: second })).rejects.toThrow('already known')
    const rival = { to: account(0).address, nonce: 1, gas: 21_000n, maxPriorityFeePerGas: 1n }
    const send = (maxFeePerGas: bigint) => walletOf(6).sendTransaction({ ...rival, maxFeePerGas })
    await expect(send(parseGwei('20') + 1n)).rejects.toThrow('replacement transaction underpriced')
    const better = await walletOf(6).sendTransaction({
      ...rival,
      maxFeePerGas: parseGwei('22'),
      maxPriorityFeePerGas: 2n,
    })
    await viem.sendRawTransaction({ serializedTransaction: first })
    expect(await mined(better)).toMatchObject({ status: 'success' })
    expect(await rpc('eth_getTransactionByHash', waiting)).toBeNull()
    await expect(viem.sendRawTransaction({ serializedTransaction: first })).rejects.toThrow('nonce too low')
  })

  test('follows viem’s nonce manager when sends overlap', async () => {
    const wallet = walletOf(7)
    const hashes: Hex[] = []
    for (let i = 0; i < 5; i++) hashes.push(await wallet.sendTransaction({ to: account(0).address, value: BigInt(i) }))
    expect((await Promise.all(hashes.map(mined))).map(({ status }) => status)).toEqual(Array(5).fill('success'))
  })
})

describe('the node’s accounts', () => {
  const wallet = createWalletClient({ chain, transport: http(), account: account(8).address })

  test('send, also many transactions concurrently', async () => {
    expect(await wallet.getAddresses()).toContain(account(8).address)
    const to = stranger().address
    const hashes = await Promise.all(Array.from({ length: 10 }, () => wallet.sendTransaction({ to, value: 1n })))
    // When the hash is returned the receipt exists.
    const receipts = await Promise.all(hashes.map((hash) => viem.getTransactionReceipt({ hash })))
    expect(receipts.every(({ status }) => status === 'success')).toBe(true)
    expect(await viem.getBalance({ address: to })).toBe(10n)
    const unknown = createWalletClient({ chain, transport: http(), account: stranger().address })
    await expect(unknown.sendTransaction({ to, value: 1n, gas: 21_000n })).rejects.toThrow('unknown account')
  })

  test('sign messages and typed data that viem verifies', async () => {
    const address = account(8).address
    const message = 'Grüße, 世界'
    expect(await verifyMessage({ address, message, signature: await wallet.signMessage({ message }) })).toBe(true)
    const bytes = { raw: '0x00ff80' } as const
    const signature = await wallet.signMessage({ message: bytes })
    expect(await verifyMessage({ address, message: bytes, signature })).toBe(true)

    // The example of EIP-712.
    const mail = {
      domain: {
        name: 'Ether Mail',
        version: '1',
        chainId: 1,
        verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
      },
      types: {
        Person: [
          { name: 'name', type: 'string' },
          { name: 'wallet', type: 'address' },
        ],
        Mail: [
          { name: 'from', type: 'Person' },
          { name: 'to', type: 'Person' },
          { name: 'contents', type: 'string' },
        ],
      },
      primaryType: 'Mail',
      message: {
        from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
        to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
        contents: 'Hello, Bob!',
      },
    } as const
    const typed = await wallet.signTypedData(mail)
    expect(await verifyTypedData({ ...mail, address, signature: typed })).toBe(true)
    expect(await recoverTypedDataAddress({ ...mail, signature: typed })).toBe(address)
  })

  test('sign transactions without sending them', async () => {
    const serializedTransaction = await wallet.signTransaction(
      await wallet.prepareTransactionRequest({ to: stranger().address, value: 1n }),
    )
    const raw =
      typeof serializedTransaction === 'string' ? serializedTransaction : (serializedTransaction as { raw: Hex }).raw
    const hash = await viem.sendRawTransaction({ serializedTransaction: raw })
    expect(await mined(hash)).toMatchObject({ from: account(8).address.toLowerCase(), status: 'success' })
  })
})

test('a batch is answered in order', async () => {
  const batched = createPublicClient({ chain, transport: http(undefined, { batch: { wait: 5 } }) })
  const addresses = Array.from({ length: 10 }, (_, index) => account(index).address)
  const balances = await Promise.all(addresses.map((address) => batched.getBalance({ address, blockNumber: 0n })))
  expect(balances).toEqual(addresses.map(() => parseEther('10000')))
  const mixed = await Promise.allSettled([
    batched.getChainId(),
    batched.getBlock({ blockNumber: 10n ** 9n }),
    batched.getTransactionCount({ address: addresses[0] ?? '0x', blockNumber: 0n }),
  ])
  expect(mixed.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('filters report blocks and pending transactions', async () => {
  const [blocks, waiting] = await Promise.all([viem.createBlockFilter(), viem.createPendingTransactionFilter()])
  const hash = await walletOf(9).sendTransaction({ to: stranger().address, value: 1n })
  const { blockHash } = await mined(hash)
  expect(await viem.getFilterChanges({ filter: blocks })).toContain(blockHash)
  expect(await viem.getFilterChanges({ filter: waiting })).toContain(hash)
  await dev.mine({ blocks: 2 })
  expect(await viem.getFilterChanges({ filter: blocks })).toHaveLength(2)
  expect(await viem.getFilterChanges({ filter: waiting })).toEqual([])
})
