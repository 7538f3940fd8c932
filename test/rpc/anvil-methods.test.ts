// Methods that anvil has beside those of Hardhat: signatures for ecrecover, blobs, codes, and other names. Answers are those of anvil
// 1.7.1, of Tenderly's and reth's documentation, and of EIP-7966.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { concat, type Hex, hashMessage, keccak256, pad, parseGwei, parseSignature, toBlobs, toHex } from 'viem'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startNode } from '../../src/node.ts'
import { viemKzg } from '../support/blobs.ts'
import { account, nodeOptions, testChain, withClients } from '../support/chain.ts'
import { plainSpec } from '../support/plain-spec.ts'

const from = account(0).address
const to = account(1).address
const stranger = '0x00000000000000000000000000000000000000aa'
const contract = '0x00000000000000000000000000000000000000cc'
/** Passes its input to ecrecover, stores the first word of the answer in slot 0 and returns it. */
const RECOVERING = '0x365f5f3760205f365f60015afa505f515f5560205ff3'

describe('anvil_impersonateSignature', () => {
  const message = hashMessage('a permit')
  const asWord = (value: Hex) => pad(value, { size: 32 }).toLowerCase()

  async function signature(): Promise<{ bytes: Hex; input: Hex }> {
    const bytes = await account(2).signMessage({ message: 'a permit' })
    const { r, s, v } = parseSignature(bytes)
    return { bytes, input: concat([message, pad(toHex(v ?? 0n), { size: 32 }), r, s]) }
  }

  it.each(['compiled', 'library'] as const)(
    'holds for calls, transactions and traces on the engine %s',
    async (engine) => {
      const { rpc } = await testChain({ engine })
      const { bytes, input } = await signature()
      await rpc('anvil_setCode', contract, RECOVERING)
      const call = { from, to: contract, data: input, gas: '0x100000' }
      const signer = asWord(account(2).address)
      expect(await rpc('eth_call', call, 'latest')).toBe(signer)
      const before = await rpc('evm_snapshot')
      await rpc('anvil_impersonateSignature', bytes, stranger)
      expect(await rpc('eth_call', call, 'latest')).toBe(asWord(stranger))
      // The signature counts, whatever was signed.
      const forged = { ...call, data: concat([keccak256('0x00'), `0x${input.slice(66)}`]) }
      expect(await rpc('eth_call', forged, 'latest')).toBe(asWord(stranger))
      const hash = await rpc('eth_sendTransaction', call)
      expect(await rpc('eth_getStorageAt', contract, '0x0', 'latest')).toBe(asWord(stranger))
      const { gasUsed } = (await rpc('eth_getTransactionReceipt', hash)) as { gasUsed: Hex }
      expect(await rpc('debug_traceTransaction', hash, { tracer: 'callTracer' })).toMatchObject({
        gasUsed,
        calls: [{ to: `0x${'0'.repeat(39)}1`, output: asWord(stranger), gasUsed: '0xbb8' }],
      })
      await rpc('anvil_impersonateSignature', bytes, `0x${'00'.repeat(20)}`)
      expect(await rpc('eth_call', call, 'latest')).toBe(signer)
      expect(await rpc('eth_call', call, '0x1')).toBe(signer)
      await rpc('evm_revert', before)
      expect(await rpc('eth_call', call, 'latest')).toBe(signer)
    },
  )

  it('is seen by read threads, and outlives a restart', async () => {
    const datadir = mkdtempSync(join(tmpdir(), 'kestrel-signature-'))
    onTestFinished(() => rmSync(datadir, { recursive: true }))
    const { bytes, input } = await signature()
    const call = { from, to: contract, data: input }
    for (const isFirst of [true, false]) {
      const node = await startNode(nodeOptions({ datadir, readThreads: 1, ...(!isFirst && { spec: undefined }) }))
      try {
        const { rpc } = withClients(node)
        if (isFirst) {
          await rpc('anvil_setCode', contract, RECOVERING)
          await rpc('anvil_impersonateSignature', bytes, stranger)
        }
        const answers = Array.from({ length: 20 }, () => rpc('eth_call', call, 'latest'))
        expect(new Set(await Promise.all(answers))).toEqual(new Set([asWord(stranger)]))
      } finally {
        await node.close()
      }
    }
  })

  it('refuses what is no signature of 65 bytes', async () => {
    const { raw } = await testChain()
    expect((await raw('anvil_impersonateSignature', '0x1234', stranger)).error?.code).toBe(-32602)
  })
})

describe('blobs of mined transactions', () => {
  it('are found by transaction and by versioned hash, until their block is removed', async () => {
    const { rpc, walletOf } = await testChain({ spec: plainSpec(from) })
    const blobs = toBlobs({ data: '0x1234' })
    const wallet = walletOf(0)
    const hash = await wallet.sendTransaction({ blobs, kzg: viemKzg, to, maxFeePerBlobGas: parseGwei('30') })
    const { blobVersionedHashes } = (await rpc('eth_getTransactionByHash', hash)) as { blobVersionedHashes: Hex[] }
    expect(await rpc('eth_blockNumber')).toBe('0x1')
    expect(await rpc('anvil_getBlobsByTransactionHash', hash)).toEqual(blobs)
    expect(await rpc('anvil_getBlobByHash', blobVersionedHashes[0])).toBe(blobs[0])
    expect(await rpc('anvil_getBlobByHash', pad('0x01'))).toBeNull()
    const plain = await rpc('eth_sendTransaction', { from, to })
    expect(await rpc('anvil_getBlobsByTransactionHash', plain)).toBeNull()
    await rpc('anvil_rollback', 2)
    expect(await rpc('anvil_getBlobsByTransactionHash', hash)).toBeNull()
    expect(await rpc('anvil_getBlobByHash', blobVersionedHashes[0])).toBeNull()
  }, 60_000)
})

describe('sends that answer with the receipt', () => {
  it('eth_sendTransactionSync waits for the block, and at most the timeout', async () => {
    const { rpc, raw } = await testChain()
    expect(await rpc('eth_sendTransactionSync', { from, to, value: '0x1' })).toMatchObject({
      status: '0x1',
      blockNumber: '0x1',
      from: from.toLowerCase(),
    })
    await rpc('evm_setAutomine', false)
    const { error } = await raw('eth_sendTransactionSync', { from, to, value: '0x1' }, 50)
    const { transactionHash } = { transactionHash: error?.data as Hex }
    // EIP-7966: code 4, with the hash as data.
    expect(error?.code).toBe(4)
    expect(await rpc('eth_getTransactionByHash', transactionHash)).toMatchObject({ blockNumber: null })
  })
})

describe('other names', () => {
  it('eth_networkId, anvil_getGenesisTime, tenderly_setBalance, tenderly_addBalance', async () => {
    const { rpc, node } = await testChain()
    expect(await rpc('eth_networkId')).toBe(node.chain.spec.chainId.toString())
    const { timestamp } = (await rpc('eth_getBlockByNumber', '0x0', false)) as { timestamp: Hex }
    expect(await rpc('anvil_getGenesisTime')).toBe(Number(timestamp))
    expect(await rpc('tenderly_setBalance', [stranger, contract], '0x10')).toBeNull()
    expect(await rpc('tenderly_addBalance', stranger, '0x1')).toBeNull()
    const balances = await Promise.all([stranger, contract].map((of) => rpc('eth_getBalance', of, 'latest')))
    expect(balances).toEqual(['0x11', '0x10'])
  })

  it('debug_codeByHash and debug_dbGet find a code by its hash', async () => {
    const { rpc, raw } = await testChain()
    await rpc('anvil_setCode', contract, RECOVERING)
    const hash = keccak256(RECOVERING)
    expect(await rpc('debug_codeByHash', hash)).toBe(RECOVERING)
    expect(await rpc('debug_codeByHash', hash, 'latest')).toBe(RECOVERING)
    expect(await rpc('debug_codeByHash', pad('0x1'))).toBeNull()
    expect(await rpc('debug_dbGet', `0x63${hash.slice(2)}`)).toBe(RECOVERING)
    expect(await rpc('debug_dbGet', `0x63${'11'.repeat(32)}`)).toBeNull()
    for (const key of [hash, '0x63', 'x']) expect((await raw('debug_dbGet', key)).error?.code, key).toBe(-32602)
  })

  it('anvil_setStorageAt begins an account that does not exist', async () => {
    const { rpc } = await testChain()
    await rpc('anvil_setStorageAt', stranger, '0x0', pad('0x9'))
    expect(await rpc('eth_getStorageAt', stranger, '0x0', 'latest')).toBe(pad('0x9'))
  })
})
