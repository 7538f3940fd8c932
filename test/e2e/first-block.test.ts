// Chains whose beginning flags have changed: the number of the first block, its base fee, limits of code and of transactions; and how
// blocks are made then.
import { describe, expect, it, onTestFinished } from 'vitest'
import { type RunningNode, type StartOptions, startNode } from '../../src/library.ts'
import { folder, run } from '../cli/support.ts'

type Json = Readonly<Record<string, string>>
const [ALICE, BOB, CAROL] = [
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
]
const NOBODY = `0x${'ab'.repeat(20)}`

async function started(options: StartOptions): Promise<RunningNode> {
  const node = await startNode(options)
  onTestFinished(() => node.stop())
  return node
}
const send = (node: RunningNode, transaction: object) =>
  node.request<string>('eth_sendTransaction', [{ from: ALICE, to: BOB, value: '0x1', ...transaction }])
const block = (node: RunningNode, tag: string) => node.request<Json>('eth_getBlockByNumber', [tag, false])
const receipt = (node: RunningNode, hash: string) => node.request<Json>('eth_getTransactionReceipt', [hash])

describe('the number of the first block', () => {
  it('is where everything begins: blocks, logs, the explorer, check, export, reindex and reset', {
    timeout: 60_000,
  }, async () => {
    const datadir = await folder()
    const options = { number: 1000n, timestamp: 1_700_000_000, datadir }
    const node = await started(options)
    expect(await block(node, 'earliest')).toMatchObject({ number: '0x3e8', timestamp: '0x6553f100' })
    expect(await node.request('eth_getBlockByNumber', ['0x3e7', false])).toBeNull()
    expect(await receipt(node, await send(node, {}))).toMatchObject({ blockNumber: '0x3e9', status: '0x1' })
    expect(await node.request('eth_getLogs', [{ fromBlock: '0x0' }])).toEqual([])
    expect(await node.request('eth_feeHistory', ['0x5', 'latest', []])).toMatchObject({ oldestBlock: '0x3e8' })
    expect(await node.request('eth_getBalance', [BOB, '0x3e8'])).toBe('0x21e19e0c9bab2400000')
    await expect(node.request('debug_traceBlockByNumber', ['0x3e8'])).rejects.toThrow('genesis is not traceable')
    const { items } = (await (await fetch(`${node.url}/api/v2/blocks`)).json()) as { items: { height: number }[] }
    expect(items.map(({ height }) => height)).toEqual([1001, 1000])
    await node.stop()

    for (const command of [['check'], ['check', '--execute', '--engine', 'library'], ['reindex']])
      expect(await run(datadir, ...command, '--datadir', datadir)).toMatchObject({ code: 0 })
    expect(await run(datadir, 'export', 'blocks.rlp', '--datadir', datadir)).toMatchObject({ code: 0 })
    await expect(startNode({ ...options, number: 999 })).rejects.toThrow('which began with the number 1000')
    const again = await started(options)
    await again.request('anvil_reset')
    expect(await again.request('eth_blockNumber')).toBe('0x3e8')
    expect(await again.request('eth_getBalance', [BOB, 'latest'])).toBe('0x21e19e0c9bab2400000')
  })
})

it('a base fee of zero stays zero, and another one follows EIP-1559', async () => {
  const free = await started({ baseFee: 0 })
  await receipt(free, await send(free, { gasPrice: '0x0' }))
  expect(await block(free, 'latest')).toMatchObject({ number: '0x1', baseFeePerGas: '0x0' })
  const paid = await started({ baseFee: 800 })
  await paid.request('evm_mine')
  // An empty block lowers it by an eighth.
  expect(await block(paid, 'latest')).toMatchObject({ baseFeePerGas: '0x2bc' })
})

describe.each(['compiled', 'wasm', 'library'] as const)('limits on the engine %s', (engine) => {
  /** Creates a contract of zeros. */
  const creation = (size: number) => `0x62${size.toString(16).padStart(6, '0')}5ff3`

  it('of code and init code are those of --code-size-limit, or of the fork', async () => {
    const [own, usual] = [await started({ engine, codeSizeLimit: 30_000 }), await started({ engine })]
    const created = async (node: RunningNode, size: number) =>
      (await receipt(node, await send(node, { to: undefined, value: '0x0', data: creation(size), gas: '0x989680' })))
        .status
    expect([await created(own, 30_000), await created(own, 30_001)]).toEqual(['0x1', '0x0'])
    expect([await created(usual, 24_576), await created(usual, 24_577)]).toEqual(['0x1', '0x0'])
    const long = (size: number) => ({ to: undefined, value: '0x0', data: `0x${'00'.repeat(size)}`, gas: '0x989680' })
    expect(await receipt(own, await send(own, long(60_000)))).toMatchObject({ status: '0x1' })
    await expect(send(own, long(60_001))).rejects.toThrow('max initcode size exceeded')
    await expect(send(usual, long(49_153))).rejects.toThrow('max initcode size exceeded')
  })
})

it('a transaction may have at most the gas of --transaction-gas-cap, and all of --disable-block-gas-limit', async () => {
  const capped = await started({ transactionGasCap: 16_777_216 })
  await expect(send(capped, { gas: '0x1000001' })).rejects.toThrow('gas limit')
  expect(await receipt(capped, await send(capped, { gas: '0x1000000' }))).toMatchObject({ status: '0x1' })
  const open = await started({ disableBlockGasLimit: true, baseFee: 0 })
  expect(await block(open, 'latest')).toMatchObject({ gasLimit: '0x7fffffffffffffff' })
  expect(await receipt(open, await send(open, { gas: '0x2540be400', gasPrice: '0x0' }))).toMatchObject({
    status: '0x1',
  })
})

it('a chain before Paris has the fork’s rules and the price of --gas-price', async () => {
  const node = await started({ hardfork: 'berlin', gasPrice: 7 })
  expect(await node.request('eth_gasPrice')).toBe('0x7')
  expect(await receipt(node, await send(node, { gasPrice: '0x7' }))).toMatchObject({
    status: '0x1',
    effectiveGasPrice: '0x7',
  })
  expect(await block(node, 'latest')).not.toHaveProperty('baseFeePerGas')
})

it('waiting transactions enter a block by fees, or with `order: fifo` as they came', async () => {
  for (const [order, expected] of [
    ['fees', [CAROL, ALICE]],
    ['fifo', [ALICE, CAROL]],
  ] as const) {
    const node = await started({ order, mining: false })
    await send(node, { gasPrice: '0x77359400' })
    await send(node, { from: CAROL, gasPrice: '0xee6b2800' })
    await node.request('evm_mine')
    const { transactions } = await node.request<{ transactions: Json[] }>('eth_getBlockByNumber', ['latest', true])
    expect(transactions.map(({ from }) => from)).toEqual(expected)
    expect(await node.request('anvil_nodeInfo')).toMatchObject({ transactionOrder: order })
  }
})

it('mixed mining makes a block for a transaction and one at each interval', async () => {
  const node = await started({ blockTime: 1, mixedMining: true })
  expect(await receipt(node, await send(node, {}))).toMatchObject({ status: '0x1' })
  const before = Number(await node.request('eth_blockNumber'))
  await expect
    .poll(async () => Number(await node.request('eth_blockNumber')), { timeout: 10_000 })
    .toBeGreaterThan(before)
})

it('`safe` and `finalized` are one and two epochs behind, and not before the first block', async () => {
  const node = await started({ slotsInAnEpoch: 4 })
  const numbers = async () =>
    Promise.all(['latest', 'safe', 'finalized'].map(async (tag) => Number((await block(node, tag)).number)))
  expect(await numbers()).toEqual([0, 0, 0])
  await node.request('anvil_mine', ['0x14'])
  // As anvil 1.7.1 answers.
  expect(await numbers()).toEqual([20, 16, 12])
  const instant = await started({})
  await instant.request('anvil_mine', ['0x14'])
  expect(await block(instant, 'finalized')).toMatchObject({ number: '0x14' })
})

it('autoImpersonate takes transactions of accounts without their keys', async () => {
  const node = await started({ autoImpersonate: true })
  await node.request('anvil_setBalance', [NOBODY, '0xde0b6b3a7640000'])
  expect(await receipt(node, await send(node, { from: NOBODY }))).toMatchObject({ from: NOBODY, status: '0x1' })
})

it('accounts follow from the derivation path, and a random mnemonic gives others each time', async () => {
  const words = 'test test test test test test test test test test test junk'
  // As `cast wallet address --mnemonic … --mnemonic-derivation-path "m/44'/60'/1'/0/0"` says.
  const node = await started({ mnemonic: words, derivationPath: "m/44'/60'/1'/0/" })
  expect(node.accounts[0]?.address).toBe('0x8C8d35429F74ec245F8Ef2f4Fd1e551cFF97d650')
  await expect(startNode({ derivationPath: 'x' })).rejects.toThrow('--derivation-path: invalid derivation path')
  const random = [await started({ mnemonicRandom: '24' }), await started({ mnemonicRandom: '12' })]
  const addresses = random.flatMap(({ accounts }) => accounts.map(({ address }) => address))
  expect(new Set(addresses).size).toBe(20)
  expect(await random[0]?.request('eth_getBalance', [addresses[0], 'latest'])).toBe('0x21e19e0c9bab2400000')
})
