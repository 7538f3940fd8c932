// ethers against the node, over HTTP and over a WebSocket.
import {
  type AbstractProvider,
  Contract,
  ContractFactory,
  concat,
  type EventLog,
  encodeBytes32String,
  getCreateAddress,
  HDNodeWallet,
  hexlify,
  isError,
  JsonRpcProvider,
  keccak256,
  NonceManager,
  parseEther,
  parseUnits,
  Transaction,
  TypedDataEncoder,
  verifyMessage,
  verifyTypedData,
  Wallet,
  WebSocketProvider,
} from 'ethers'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { scheme } from '../support/blobs.ts'
import { MNEMONIC } from '../support/chain.ts'
import compiled from '../support/contracts/contracts.json' with { type: 'json' }
import { processForFile } from '../support/process.ts'

const { url, wsUrl } = await processForFile()
const options = { staticNetwork: false, cacheTimeout: -1, pollingInterval: 20 } as const
const http = new JsonRpcProvider(`${url}/rpc`, undefined, options)
const socket = new WebSocketProvider(wsUrl, undefined, options)
afterAll(async () => {
  http.destroy()
  await socket.destroy()
})

const root = HDNodeWallet.fromPhrase(MNEMONIC, '', "m/44'/60'/0'/0")
const stranger = () => Wallet.createRandom().address
const { Token, Frames } = compiled.contracts

describe.each([
  ['HTTP', http, 0],
  ['a WebSocket', socket, 5],
] as const)('over %s', (_, provider: JsonRpcProvider | WebSocketProvider, first) => {
  const signer = (index: number) => root.deriveChild(first + index).connect(provider)
  /** Counts the requests by which listeners start, from now on; the returned function waits for this many. */
  const countListeners = (count: number) => {
    const send = vi.spyOn(provider, 'send')
    const begins = /^eth_(subscribe|newFilter|newPendingTransactionFilter|blockNumber)$/
    return async () => {
      await vi.waitUntil(() => {
        const { calls, settledResults } = send.mock
        const answered = calls.filter(([name], i) => begins.test(name) && settledResults[i]?.type === 'fulfilled')
        return answered.length >= count
      })
      send.mockRestore()
    }
  }
  const token = async (owner: HDNodeWallet) => {
    const factory = new ContractFactory(Token.abi, Token.bytecode, owner)
    const contract = await factory.deploy('Token', parseEther('1000'))
    await contract.waitForDeployment()
    return new Contract(await contract.getAddress(), Token.abi, owner)
  }

  test('the network, balances, blocks and fees', async () => {
    expect((await provider.getNetwork()).chainId).toBe(125n)
    expect(await provider.getBalance(signer(4).address)).toBe(parseEther('10000'))
    const latest = await provider.getBlock('latest', true)
    expect(await provider.getBlock(latest?.hash ?? '')).toMatchObject({ number: latest?.number, hash: latest?.hash })
    // ethers refuses a pending block without a number.
    expect((await provider.getBlock('pending'))?.number).toBe((latest?.number ?? 0) + 1)
    const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = await provider.getFeeData()
    expect(gasPrice).toBeGreaterThan(latest?.baseFeePerGas ?? 0n)
    expect(maxFeePerGas).toBeGreaterThan(maxPriorityFeePerGas ?? 0n)
  })

  test('a transfer and its receipt', async () => {
    const to = stranger()
    const before = await provider.getBalance(signer(0).address)
    const response = await signer(0).sendTransaction({ to, value: 77n })
    const receipt = await response.wait(1, 10_000)
    expect(receipt).toMatchObject({ status: 1, gasUsed: 21_000n, to, contractAddress: null, type: 2 })
    expect(await provider.getBalance(to)).toBe(77n)
    expect(await provider.getBalance(signer(0).address)).toBe(before - 77n - (receipt?.fee ?? 0n))
    const found = await provider.getTransaction(response.hash)
    if (found === null) throw new Error('the transaction is not found')
    expect(Transaction.from(found).serialized).toBe(Transaction.from(response).serialized)
    expect(keccak256(Transaction.from(response).serialized)).toBe(response.hash)
  })

  test('legacy, access list and set code transactions', async () => {
    const sender = signer(1)
    const to = stranger()
    const gasPrice = parseUnits('3', 'gwei')
    const accessList = [{ address: to, storageKeys: [encodeBytes32String('x')] }]
    const legacy = await (await sender.sendTransaction({ to, gasPrice, type: 0 })).wait()
    expect(legacy).toMatchObject({ type: 0, gasPrice })
    const listed = await (await sender.sendTransaction({ to, gasPrice, accessList, type: 1 })).wait()
    expect(listed).toMatchObject({ type: 1, gasUsed: 21_000n + 2_400n + 1_900n })

    const owner = Wallet.createRandom(provider)
    const { target } = await token(sender)
    const authorization = await owner.authorize({ address: String(target), nonce: 0 })
    const setCode = await (await sender.sendTransaction({ to, type: 4, authorizationList: [authorization] })).wait()
    expect(setCode).toMatchObject({ type: 4, status: 1 })
    expect(await provider.getCode(owner.address)).toBe(`0xef0100${String(target).slice(2).toLowerCase()}`)
  })

  test('blob transactions, with ethers’ proof and with cell proofs', async () => {
    const sender = signer(1)
    const maxFeePerBlobGas = parseUnits('10', 'gwei')
    // For the zero polynomial the commitment and every proof are the point at infinity.
    const data = hexlify(new Uint8Array(131_072))
    const commitment = `0xc0${'00'.repeat(47)}`
    const proof = concat(Array(128).fill(commitment))
    const kinds = [
      { blobs: [data], kzg: scheme },
      { blobs: [{ data, commitment, proof }], blobWrapperVersion: 1 },
    ]
    for (const kind of kinds) {
      const response = await sender.sendTransaction({ type: 3, to: stranger(), maxFeePerBlobGas, ...kind })
      expect(await response.wait()).toMatchObject({ type: 3, status: 1, blobGasUsed: 131_072n })
      expect((await provider.getTransaction(response.hash))?.blobVersionedHashes).toHaveLength(1)
    }
  })

  test('a contract: deployment, reads, writes, events', async () => {
    const owner = signer(2)
    const nonce = await owner.getNonce()
    const contract = await token(owner)
    expect(contract.target).toBe(getCreateAddress({ from: owner.address, nonce }))
    const to = stranger()
    const untilListening = countListeners(1)
    const transferred = new Promise<bigint>((resolve) => {
      contract.once('Transfer', (_from: string, _to: string, value: bigint) => resolve(value))
    })
    await untilListening()
    const receipt = await (await contract.getFunction('transfer')(to, 5n)).wait()
    expect(await transferred).toBe(5n)
    expect(await contract.getFunction('balanceOf')(to)).toBe(5n)
    expect(await contract.getFunction('balanceOf')(to, { blockTag: receipt.blockNumber - 1 })).toBe(0n)
    const events = await contract.queryFilter(contract.filters.Transfer?.(owner.address) ?? '*', 0)
    expect(events.map((event) => [...(event as EventLog).args])).toEqual([[owner.address, to, 5n]])
    expect(await provider.getLogs({ address: contract.target, fromBlock: 0 })).toHaveLength(2)
    // Solidity's layout: totalSupply is the second variable.
    expect(BigInt(await provider.getStorage(contract.target, 1))).toBe(parseEther('1000'))
  })

  test('reverts as CALL_EXCEPTION with reason, custom error and receipt', async () => {
    const contract = await token(signer(3))
    const poor = contract.connect(signer(4)) as Contract
    const refused = await exception(poor.getFunction('refuse')('not today'))
    expect(refused).toMatchObject({
      action: 'call',
      reason: 'not today',
      revert: { name: 'Error', args: ['not today'] },
    })
    const unpaid = await exception(poor.getFunction('transfer')(stranger(), 9n))
    expect(unpaid).toMatchObject({ action: 'estimateGas' })
    expect(contract.interface.parseError(unpaid.data ?? '0x')).toMatchObject({
      name: 'InsufficientBalance',
      args: [signer(4).address, 0n, 9n],
    })
    const sent = await poor.getFunction('transfer')(stranger(), 9n, { gasLimit: 100_000n })
    const failed = await exception(sent.wait())
    expect(failed.receipt).toMatchObject({ status: 0, hash: sent.hash })
  })

  const exception = async (call: Promise<unknown>) => {
    const error = await call.catch((error: unknown) => error)
    if (error instanceof Error && isError(error, 'CALL_EXCEPTION')) return error
    throw new Error('no CALL_EXCEPTION', { cause: error })
  }

  test('a gas estimate suffices for a call through many frames', async () => {
    const factory = new ContractFactory(Frames.abi, Frames.bytecode, signer(3))
    const frames = await (await factory.deploy()).waitForDeployment()
    const receipt = await (await new Contract(frames, Frames.abi, signer(3)).getFunction('descend')(30, 5)).wait()
    expect(receipt.status).toBe(1)
  })

  test('thirty transactions at once, counted by a NonceManager', async () => {
    const sender = new NonceManager(signer(3))
    const to = stranger()
    const sent = await Promise.all(
      Array.from({ length: 30 }, () => sender.sendTransaction({ to, value: 1n, gasLimit: 21_000n })),
    )
    await Promise.all(sent.map((response) => response.wait(1, 10_000)))
    expect(await provider.getBalance(to)).toBe(30n)
  })

  test('errors have ethers’ codes', async () => {
    const code = (call: Promise<unknown>) =>
      call.then(
        () => 'none',
        (error: { code?: string }) => error.code,
      )
    const sender = signer(1)
    const raw = await sender.signTransaction(await sender.populateTransaction({ to: stranger(), value: 1n }))
    await (await provider.broadcastTransaction(raw)).wait()
    expect(await code(provider.broadcastTransaction(raw))).toBe('NONCE_EXPIRED')
    const rich = { to: stranger(), value: parseEther('1000000'), gasLimit: 21_000n }
    expect(await code(sender.sendTransaction(rich))).toBe('INSUFFICIENT_FUNDS')
    const waiting = {
      to: stranger(),
      nonce: (await sender.getNonce()) + 1,
      gasLimit: 21_000n,
      maxFeePerGas: 10n ** 10n,
    }
    await sender.sendTransaction({ ...waiting, value: 1n })
    expect(await code(sender.sendTransaction({ ...waiting, value: 2n }))).toBe('REPLACEMENT_UNDERPRICED')
    await (await sender.sendTransaction({ to: stranger() })).wait()
  })

  test('listeners get blocks and pending transactions', async () => {
    const blocks: number[] = []
    const hashes: string[] = []
    const listening = provider as AbstractProvider
    const untilListening = countListeners(2)
    await listening.on('block', (number: number) => blocks.push(number))
    await listening.on('pending', (hash: string) => hashes.push(hash))
    await untilListening()
    const response = await signer(4).sendTransaction({ to: stranger(), value: 1n })
    const receipt = await response.wait()
    await expect.poll(() => blocks).toContain(receipt?.blockNumber)
    await expect.poll(() => hashes).toContain(response.hash)
    await listening.removeAllListeners()
  })

  test('the node’s accounts send and sign', async () => {
    const account = await provider.getSigner(signer(4).address)
    const response = await account.sendTransaction({ to: stranger(), value: 1n })
    expect(await response.wait()).toMatchObject({ status: 1, from: account.address })
    expect(verifyMessage('Grüße', await account.signMessage('Grüße'))).toBe(account.address)
    const domain = { name: 'kestrel', chainId: 125 }
    const types = {
      Order: [
        { name: 'amounts', type: 'uint256[]' },
        { name: 'note', type: 'string' },
      ],
    }
    const order = { amounts: [1n, 2n ** 255n], note: 'ok' }
    const signature = await account.signTypedData(domain, types, order)
    expect(verifyTypedData(domain, types, order, signature)).toBe(account.address)
    expect(TypedDataEncoder.hash(domain, types, order)).toMatch(/^0x[0-9a-f]{64}$/)
  })
})

test('every request of a batch of ethers is answered', async () => {
  const batching = new JsonRpcProvider(`${url}/rpc`, 125, { batchMaxCount: 50, batchStallTime: 5, staticNetwork: true })
  const wanted = Array.from({ length: 40 }, (_, index) => index % 4)
  const blocks = await Promise.all(wanted.map((number) => batching.getBlock(number)))
  expect(blocks.map((block) => block?.number)).toEqual(wanted)
  batching.destroy()
})
