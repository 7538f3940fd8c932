// Stored blocks are executed again: equal engines find no difference; a wrong receipt, engine or state is reported with block,
// transaction, field and both values.
import { encodeFunctionData, type Hex, parseAbi, parseEther, toHex } from 'viem'
import { describe, expect, test, vi } from 'vitest'
import { baseRow } from '../../src/chain/base.ts'
import { BlockStore, blockRows } from '../../src/chain/blocks.ts'
import { checkExecution } from '../../src/chain/check-execution.ts'
import type { Proposal } from '../../src/cip/define.ts'
import { registryOf } from '../../src/cip/modules.ts'
import type { EngineChoice } from '../../src/evm/engine-selection.ts'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress, ZERO_HASH } from '../../src/lib/hex.ts'
import type { Node, NodeOptions } from '../../src/node.ts'
import type { Receipt } from '../../src/primitives/types.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import { operatorPrefix } from '../../src/spec/addresses.ts'
import { CODES, specWith } from '../cip/support.ts'
import { asm, playground } from '../support/assembler.ts'
import { account, testChain } from '../support/chain.ts'
import { deployFrames, deployToken, frames, token } from '../support/contracts.ts'
import { plainSpec } from '../support/plain-spec.ts'

const STAKING = '0x0000000000000000000000000000000000000800'
const stakingAbi = parseAbi(['function delegate(address delegator, string validator, uint256 amount) returns (bool)'])
const CELL = '0x000000000000000000000000000000000000c0fe'

async function chainWith(options: Partial<NodeOptions> = {}) {
  const chain = await testChain({ engine: 'compiled', ...options })
  return { ...chain, ...playground(chain) }
}
type TestChain = Awaited<ReturnType<typeof chainWith>>

type Range = { readonly from?: bigint; readonly to?: bigint }

/** Result and executed blocks of a check of a node's chain. */
async function checked({ chain }: Node, range: Range = {}, engine: EngineChoice = 'library', runtime?: Runtime) {
  const blocks: bigint[] = []
  const difference = await checkExecution(chain.store, {
    runtime: runtime ?? new Runtime(chain.spec, registryOf(chain.spec), engine),
    engine,
    ...range,
    onBlock: (number) => blocks.push(number),
  })
  return { difference, blocks }
}

/** Expects that all blocks of the chain are executed without a difference. */
async function expectAgreement({ node }: TestChain, engine: EngineChoice = 'library'): Promise<void> {
  const head = Number(node.chain.head.number)
  const all = Array.from({ length: head }, (_, index) => BigInt(index + 1))
  expect(await checked(node, {}, engine)).toEqual({ difference: undefined, blocks: all })
}

describe('executing blocks again finds no difference', () => {
  test.each([
    ['library', 'compiled'],
    ['wasm', 'library'],
  ] as const)('in contracts, on %s after %s', async (engine, first) => {
    const chain = await chainWith({ engine: first })
    const { address } = await deployToken(chain, 0)
    const { address: deep } = await deployFrames(chain, 1)
    const transfer = (value: bigint) =>
      encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [account(3).address, value] })
    await chain.send(address, { data: transfer(7n) })
    await chain.send(address, { data: transfer(parseEther('2000')) })
    const descend = encodeFunctionData({ abi: frames.abi, functionName: 'descend', args: [30n, 3n] })
    await chain.send(deep, { data: descend, gas: 5_000_000 })
    await chain.send(deep, { data: encodeFunctionData({ abi: frames.abi, functionName: 'greedy' }), gas: 100_000 })
    // A slot is set and cleared, accounts are destroyed, and BLOCKHASH reads an earlier block.
    const cells = await chain.contract(asm('PUSH0', 'CALLDATALOAD', 'PUSH0', 'SSTORE'))
    await chain.send(cells, { data: toHex(1n, { size: 32 }) })
    await chain.send(cells, { data: toHex(0n, { size: 32 }) })
    await chain.send(await chain.contract(asm(`PUSH20 ${account(4).address}`, 'SELFDESTRUCT'), 5n))
    await chain.send(undefined, { data: asm('PUSH0', 'SELFDESTRUCT'), value: 3n })
    await chain.mine(3)
    const farBack = `${asm('PUSH1 0x02', 'NUMBER')}0340${asm('PUSH0', 'SSTORE').slice(2)}` as Hex
    await chain.send(await chain.contract(farBack))
    await expectAgreement(chain, engine)
  })

  test('on a plain Ethereum chain', async () => {
    const chain = await chainWith({ spec: plainSpec(account(0).address) })
    await chain.send(account(9).address, { value: 5n })
    await chain.send(undefined, { data: asm('PUSH1 0x01', 'PUSH0', 'SSTORE'), gas: 100_000 })
    await chain.mine(5)
    await expectAgreement(chain)
  })

  test('in native precompiles, their failures, and rewards of later blocks', async () => {
    const chain = await chainWith()
    const validator = toBech32(operatorPrefix('kest'), hexToAddress(account(10).address))
    const statuses = []
    for (const amount of [parseEther('1'), parseEther('1000000')]) {
      const args = [account(0).address, validator, amount] as const
      const data = encodeFunctionData({ abi: stakingAbi, functionName: 'delegate', args })
      const hash = await chain.send(STAKING, { data, gas: 1_000_000 })
      statuses.push((await chain.viem.getTransactionReceipt({ hash })).status)
    }
    expect(statuses).toEqual(['success', 'reverted'])
    await chain.rpc('evm_increaseTime', 22 * 86_400)
    await chain.mine(3)
    await expectAgreement(chain)
  })

  test('after development methods changed the state between blocks', async () => {
    const chain = await chainWith()
    const stranger = `0x${'5e'.repeat(20)}` as Hex
    await chain.rpc('anvil_setBalance', stranger, toHex(parseEther('2')))
    await chain.rpc('anvil_impersonateAccount', stranger)
    await chain.rpc('eth_sendTransaction', { from: stranger, to: account(2).address, value: '0x5', gas: '0x5208' })
    const counter = await chain.contract(asm('PUSH1 0x01', 'PUSH0', 'SLOAD', 'ADD', 'PUSH0', 'SSTORE'))
    await chain.rpc('anvil_setStorageAt', counter, '0x0', toHex(41n, { size: 32 }))
    await chain.send(counter)
    expect(BigInt(await chain.rpc('eth_getStorageAt', counter, '0x0'))).toBe(42n)
    await chain.rpc('anvil_setNonce', account(0).address, '0x64')
    await chain.send(counter)
    await expectAgreement(chain)
  })
})

describe('executing blocks again reports', () => {
  const sha256 = ZERO_HASH
  const moduleOf = (apply: Proposal['apply']) => [
    { file: 'seven.mjs', sha256, proposals: [{ number: 7, title: 'seven', apply }] },
  ]
  /** A chain with an opcode proposal, and the runtime of a wrong engine, in which the same proposal does something else. */
  async function wrong(codes: Record<string, Hex>, right: Proposal['apply'], other: Proposal['apply']) {
    const spec = specWith({ active: ['kestrel_7'], codes })
    const chain = await chainWith({ spec, modules: moduleOf(right) })
    const own = chain.node.chain.spec
    return { ...chain, runtime: new Runtime(own, registryOf(own, moduleOf(other)), 'library') }
  }

  test('the gas of a transaction', async () => {
    const { send, node, viem, runtime } = await wrong(
      {},
      (table) => table.op('PUSH1').setConstantGas(3n),
      (table) => table.op('PUSH1').setConstantGas(4n),
    )
    // Two PUSH1 of 3 or 4, and SSTORE to a cold, empty slot: 21000 + 2 * 3 + 22100, or 2 more.
    const hash = await send(CODES.sstore.address)
    const { blockHash } = await viem.getTransactionReceipt({ hash })
    expect((await checked(node, {}, 'library', runtime)).difference).toBe(
      `block 1 (${blockHash}): transaction 0 (${hash}): gasUsed is 43106 in the database, 43108 on library`,
    )
  })

  test('the slot that a transaction wrote, when gas and logs are equal', async () => {
    // The first opcode costs 1 less and the last one 1 more, so that only the value of GAS in between differs.
    const { send, node, runtime } = await wrong(
      { [CELL]: asm('PUSH1 0x01', 'GAS', 'PUSH0', 'SSTORE') },
      (table) => table.op('PUSH1').setConstantGas(3n),
      (table) => {
        table.op('PUSH1').setConstantGas(2n)
        table.op('PUSH0').setConstantGas(3n)
      },
    )
    const hash = await send(CELL, { gas: 100_000 })
    // 100000 - 21000 - 3 (PUSH1) - 2 (GAS)
    expect((await checked(node, {}, 'library', runtime)).difference).toMatch(
      new RegExp(
        `: after transaction 0 \\(${hash}\\): slot 0x0{64} of account ${CELL} is 78995 in the database, 78996 on library$`,
      ),
    )
  })

  test('an engine that fails', async () => {
    const { node, mine } = await chainWith()
    await mine(1)
    const runtime = new Runtime(node.chain.spec, undefined, 'library')
    vi.spyOn(runtime, 'machine').mockImplementation(() => {
      throw new RangeError('no such opcode')
    })
    expect((await checked(node, {}, 'library', runtime)).difference).toMatch(
      /^block 1 \(0x\w+\): library failed: .*no such opcode/,
    )
  })

  test.each([
    ['gasUsed', '21001', '21000', (receipt: Receipt): Receipt => ({ ...receipt, gasUsed: 21_001n })],
    ['status', '0', '1', (receipt: Receipt): Receipt => ({ ...receipt, status: 0 })],
    ['number of logs', '1', '0', withLog],
  ] as const)('a stored receipt with a wrong %s', async (field, stored, again, change) => {
    const { node, send, mine } = await chainWith()
    await mine(2)
    const hash = await send(account(1).address, { value: 1n })
    const { store } = node.chain
    const blocks = new BlockStore(store, 3n)
    const block = blocks.block(3n)
    const receipts = blocks.receipts(3n)
    if (block === undefined || receipts === undefined) throw new Error('block 3 is stored')
    await store.write([...blockRows(block, receipts.map(change))])
    expect(await checked(node)).toEqual({
      difference: `block 3 (${block.header.hash}): transaction 0 (${hash}): ${field} is ${stored} in the database, ${again} on library`,
      blocks: [1n, 2n],
    })
  })
})

const withLog = (receipt: Receipt): Receipt => ({
  ...receipt,
  logs: [{ address: hexToAddress(CELL), topics: [], data: Uint8Array.of(1) }],
})

describe('the range of blocks to execute again', () => {
  test('must be within the chain', async () => {
    const { node, mine } = await chainWith()
    await mine(5)
    expect((await checked(node, { from: 2n, to: 4n })).blocks).toEqual([2n, 3n, 4n])
    await expect(checked(node, { from: 0n })).rejects.toThrow('block 0 has no state before it: begin with block 1')
    await expect(checked(node, { to: 6n })).rejects.toThrow('the chain ends with block 5, before block 6')
    await expect(checked(node, { from: 4n, to: 3n })).rejects.toThrow('no block is from 4 to 3')
  })

  test('must begin after the pruning horizon', async () => {
    const { node, mine } = await chainWith({ prune: 128 })
    await mine(135)
    // 135 - 128: the oldest state is that of block 7, so block 8 is the first that can be executed.
    await expect(checked(node, { from: 7n })).rejects.toThrow('states before block 7 were pruned: begin with block 8')
    expect((await checked(node, { to: 9n })).blocks).toEqual([8n, 9n])
  })

  test('must begin after the block of the state snapshot that the chain began with', async () => {
    const { node, mine } = await chainWith()
    await mine(6)
    await node.chain.store.write([baseRow(4n)])
    await expect(checked(node, { from: 3n })).rejects.toThrow('the chain began with a state snapshot at block 4')
    expect((await checked(node)).blocks).toEqual([4n, 5n, 6n])
  })
})
