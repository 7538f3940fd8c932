// User operations in the index: of real entry points of ERC-4337, at their addresses and elsewhere, called by accounts and by contracts;
// and of contracts that only pretend to be one.
import { type Abi, concatHex, encodeFunctionData, type Hex, keccak256, parseEther, stringToHex, toHex } from 'viem'
import { entryPoint06Abi, entryPoint07Abi, getUserOperationHash } from 'viem/account-abstraction'
import { describe, expect, it } from 'vitest'
import { reindex } from '../../src/chain/reindex.ts'
import { indexer } from '../../src/indexer/indexer.ts'
import { RECORD } from '../../src/indexer/records.ts'
import { LIST, operationEntry } from '../../src/indexer/tables.ts'
import { hexToAddress, hexToHash } from '../../src/lib/hex.ts'
import { decodeBundle } from '../../src/primitives/user-operation.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import { entriesBetween, listLength } from '../../src/tables/list.ts'
import { accountAbstraction, executeData, GENEROUS, type Signed, VERSIONS } from '../support/account-abstraction.ts'
import { playground } from '../support/assembler.ts'
import { account, testChain } from '../support/chain.ts'
import { forwarder } from '../support/forwarder.ts'
import { compileSolidity } from '../support/solc.ts'
import { readerRows } from './actions.ts'

const BENEFICIARY = account(9).address
const bob = account(1).address
const lower = (of: string) => hexToAddress(of.toLowerCase())

/** A chain with a paymaster that pays for everybody. */
async function stage(version: (typeof VERSIONS)[number], options: { elsewhere?: boolean } = {}) {
  const chain = await testChain()
  const { store } = chain.node.chain
  const aa = await accountAbstraction(chain, version, options)
  const { contract } = playground(chain)
  const paymaster = await contract(GENEROUS)
  await aa.deposit(paymaster)
  const operationOf = (hash: Hex) => RECORD.operation.get(store, hexToHash(hash))
  const entries = () =>
    entriesBetween(store, LIST.operations, 0, listLength(store, LIST.operations)).map((row) =>
      operationEntry.decode(row),
    )
  return { ...chain, store, aa, contract, paymaster, operationOf, entries }
}

describe('a user operation', () => {
  it.each(VERSIONS)(
    'of the entry point %s has the hash of its event, of getUserOpHash, and of viem',
    async (version) => {
      const { aa, paymaster, operationOf, viem } = await stage(version)
      const { entryPoint } = aa
      const wanted = { owner: 2, paymaster, callData: executeData(bob, 0n) }
      const first = await aa.signed(wanted)
      const receipt = await aa.handle([first], BENEFICIARY)
      expect(aa.eventsOf(receipt).map(({ args }) => args.userOpHash)).toEqual([first.hash])
      expect(operationOf(first.hash)?.operation).toBe(0)
      expect(first.hash).toBe(
        getUserOperationHash({
          chainId: await viem.getChainId(),
          entryPointAddress: entryPoint,
          entryPointVersion: version,
          userOperation: first.forViem as never,
        }),
      )
    },
  )

  it('is found in the call of a contract, with bundles in the order of calls', async () => {
    const { aa, contract, paymaster, operationOf, entries } = await stage('0.7')
    const bundler = await contract(forwarder(aa.entryPoint))
    const of = (owner: number) => aa.signed({ owner, paymaster, callData: executeData(bob, 0n) })
    const [one, two, three] = [await of(2), await of(3), await of(4)]
    await aa.handle([one, two], BENEFICIARY, bundler)
    await aa.handle([three], BENEFICIARY, bundler)
    expect(entries()).toMatchObject([
      { bundle: 0, index: 0, bundler: lower(BENEFICIARY) },
      { bundle: 0, index: 1 },
      { bundle: 0, index: 0 },
    ])
    expect([one, two, three].map(({ hash }) => operationOf(hash)?.operation)).toEqual([0, 1, 2])
  })

  it.each(VERSIONS)('of the entry point %s at another address is listed', async (version) => {
    const { aa, paymaster, operationOf, entries } = await stage(version, { elsewhere: true })
    const signed = await aa.signed({ owner: 2, paymaster })
    await aa.handle([signed], BENEFICIARY)
    expect(operationOf(signed.hash)?.operation).toBe(0)
    expect(entries()).toMatchObject([{ isPacked: version !== '0.6', factory: lower(aa.factory) }])
  })
})

const { contracts } = compileSolidity('test/indexer/contracts')

describe('a contract that pretends to be an entry point', () => {
  /** Deploys the contract, and sends it a bundle. */
  async function pretend(on: Awaited<ReturnType<typeof stage>>, hash: Hex, asks: boolean, bundle: readonly Signed[]) {
    const { abi, bytecode } = contracts.get('Pretender') ?? { abi: [], bytecode: '0x' }
    const creation = await on.walletOf(0).deployContract({ abi, bytecode, args: [hash, asks] })
    const to = (await on.viem.waitForTransactionReceipt({ hash: creation })).contractAddress ?? '0x'
    const receipt = await on.aa.handle(bundle, BENEFICIARY, to)
    expect(receipt.status).toBe('success')
    expect(on.aa.eventsOf(receipt)).toHaveLength(bundle.length)
    return lower(to)
  }

  it('cannot show operations of an account that did not accept them from it', async () => {
    const on = await stage('0.7')
    const { aa, paymaster, store } = on
    const victim = await aa.signed({ owner: 2, paymaster })
    await aa.handle([victim], BENEFICIARY)
    const next = await aa.signed({ owner: 2, paymaster })
    for (const asks of [false, true]) await pretend(on, next.hash, asks, [next])
    expect(listLength(store, LIST.operations)).toBe(1)
    expect(on.operationOf(next.hash)).toBeUndefined()
  })

  it('is shown as the entry point of its own accounts, and does not replace the operation of a known one', async () => {
    const on = await stage('0.7')
    const { aa, paymaster, store } = on
    const { bytecode } = contracts.get('Obliging') ?? { bytecode: '0x' }
    const obliging = await on.walletOf(0).deployContract({ abi: [], bytecode })
    const sender = (await on.viem.waitForTransactionReceipt({ hash: obliging })).contractAddress ?? '0x'
    const real = await aa.signed({ owner: 2, paymaster })
    const fake = { ...real, struct: { ...real.struct, sender } }
    const before = await pretend(on, real.hash, true, [fake])
    expect(on.operationOf(real.hash)?.operation).toBe(0)
    await aa.handle([real], BENEFICIARY)
    expect(on.operationOf(real.hash)?.operation).toBe(1)
    const after = await pretend(on, real.hash, true, [fake])
    expect(on.operationOf(real.hash)?.operation).toBe(1)
    for (const of of [before, after]) expect(listLength(store, LIST.operationsOf(of, 'entry_point'))).toBe(1)
  })
})

describe('the index of user operations', () => {
  it('is undone with its block, and is the same when it is rebuilt', { timeout: 60_000 }, async () => {
    const { aa, paymaster, node, store } = await stage('0.8')
    const of = (owner: number) => aa.signed({ owner, paymaster, callData: executeData(bob, parseEther('0')) })
    await aa.handle([await of(2)], BENEFICIARY)
    const moment = { snapshot: node.chain.snapshot(), rows: await readerRows(store) }
    await aa.handle([await of(2), await of(3)], bob)
    expect(listLength(store, LIST.operations)).toBe(3)
    expect(await node.chain.rollback(moment.snapshot)).toBe(true)
    expect(await readerRows(store)).toEqual(moment.rows)
    await aa.handle([await of(2), await of(3)], bob)
    const live = await readerRows(store)
    await reindex(store, new Runtime(node.chain.spec), indexer, () => undefined)
    expect(await readerRows(store)).toEqual(live)
  })

  it('has no rows for blocks without operations', async () => {
    const { aa, paymaster, store, alice, rpc, mine } = await stage('0.7')
    // Pages, tails and rankings of the tables 0x50 to 0x55, and records.
    const tables = /^0x(40..5[0-5]|415[0-5]|4[23]..50|445[01])/
    const ofOperations = async () => (await readerRows(store)).filter((row) => tables.test(row))
    await rpc('eth_sendTransaction', { from: alice.address, to: bob, value: '0x1' })
    await mine(3)
    expect(await ofOperations()).toEqual([])
    await aa.handle([await aa.signed({ owner: 2, paymaster })], BENEFICIARY)
    const rows = await ofOperations()
    // Tails: operations, bundles, accounts, two of bundles, five of operations, one of the factory. Three rankings. Two records.
    expect(rows).toHaveLength(11 + 3 + 2)
    await mine(3)
    expect(await ofOperations()).toEqual(rows)
  })
})

describe('the input of a call of an entry point', () => {
  it.each([
    ['0.6', entryPoint06Abi],
    ['0.7', entryPoint07Abi],
  ])('%s with an aggregator has its operations', async (version, abi) => {
    const sender = `0x${'5e'.repeat(20)}` as const
    const aggregator = `0x${'a9'.repeat(20)}` as const
    const struct = {
      ...{ sender, nonce: 7n, initCode: '0x', callData: '0x1234', paymasterAndData: '0x', signature: '0x99' },
      ...{
        callGasLimit: 1n,
        verificationGasLimit: 2n,
        preVerificationGas: 3n,
        maxFeePerGas: 4n,
        maxPriorityFeePerGas: 5n,
      },
      ...{ accountGasLimits: concatHex([toHex(2n, { size: 16 }), toHex(1n, { size: 16 })]) },
      ...{ gasFees: concatHex([toHex(5n, { size: 16 }), toHex(4n, { size: 16 })]) },
    }
    const groups = [{ userOps: [struct, { ...struct, nonce: 8n }], aggregator, signature: '0xabcd' }]
    const args = [groups, BENEFICIARY]
    const data = encodeFunctionData({ abi: abi as Abi, functionName: 'handleAggregatedOps', args })
    const bundle = decodeBundle(Buffer.from(data.slice(2), 'hex'))
    expect(bundle).toMatchObject({ beneficiary: lower(BENEFICIARY), isPacked: version !== '0.6' })
    const one = {
      ...{ sender, callData: Uint8Array.of(0x12, 0x34), signature: Uint8Array.of(0x99) },
      ...{
        callGasLimit: 1n,
        verificationGasLimit: 2n,
        preVerificationGas: 3n,
        maxFeePerGas: 4n,
        maxPriorityFeePerGas: 5n,
      },
      ...{ aggregator, aggregatorSignature: Uint8Array.of(0xab, 0xcd) },
    }
    expect(bundle?.operations).toMatchObject([
      { ...one, nonce: 7n },
      { ...one, nonce: 8n },
    ])
  })

  const HANDLE = '0x765e827f'
  const word = (value: bigint | number) => toHex(value, { size: 32 })

  it('that is malformed has no operations', () => {
    const inputs: Hex[] = [
      '0x',
      HANDLE,
      concatHex([HANDLE, word(64), word(1), word(2n ** 255n)]),
      concatHex([HANDLE, word(2n ** 256n - 1n), word(1)]),
      // An array of 2^32 operations.
      concatHex([HANDLE, word(64), word(1), word(2n ** 32n)]),
      // 200 operations that share their bytes.
      concatHex([
        HANDLE,
        word(64),
        word(1),
        word(200),
        ...Array.from({ length: 200 }, () => word(0)),
        keccak256(stringToHex('x')),
      ]),
    ]
    for (const input of inputs) expect(decodeBundle(Buffer.from(input.slice(2), 'hex'))).toBeUndefined()
  })
})
