// Opcode proposals on a running chain: from genesis, at an upgrade, in every face that executes. Gas is calculated by the EIPs.
import type { Hex } from 'viem'
import { toHex } from 'viem'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import type { Proposal } from '../../src/cip/define.ts'
import { startNode } from '../../src/node.ts'
import type { Upgrade } from '../../src/spec/chain-spec.ts'
import { nodeOptions, testChain, withClients } from '../support/chain.ts'
import { plainSpec } from '../support/plain-spec.ts'
import { temporaryFolder } from '../support/process.ts'
import { CODES, measures, moduleOf, proposalChain, specWith, USED } from './support.ts'

const { create, create2, sstore, call } = CODES
const TENFOLD = 9n * 32_000n

const upgrade = (height: bigint, change: Partial<Upgrade>): Upgrade => ({
  name: `v${height}`,
  height,
  addProposals: [],
  removeProposals: [],
  ...change,
})

describe('opcode proposals from genesis on', () => {
  it('are active only if they are listed', async () => {
    const { gasOf, rpc } = await proposalChain({})
    expect(await gasOf(create.address)).toBe(USED.create)
    expect(await gasOf(create2.address)).toBe(USED.create2)
    expect(await gasOf(sstore.address)).toBe(USED.sstore)
    expect(await gasOf(call.address)).toBe(USED.call)
    expect(await rpc('kestrel_getEvmParams')).toEqual({ extraEips: [] })
  })

  it('change the gas of creation, calls and storage', async () => {
    const active = ['ethereum_3855', 'kestrel_0', 'kestrel_1', 'kestrel_2']
    const { gasOf, estimate, send, receiptOf, costIn, rpc, walletOf, viem } = await proposalChain({ active })
    expect(await estimate(create.address)).toBe(341_009n)
    const hash = await send(create.address)
    expect(BigInt((await receiptOf(hash)).gasUsed)).toBe(341_009n)
    expect(await costIn(hash, 'CREATE')).toBe(320_000)
    expect(await gasOf(create2.address)).toBe(341_012n)
    expect(await gasOf(sstore.address)).toBe(43_606n)
    expect(await gasOf(call.address)).toBe(USED.call + 900n)
    expect(await costIn(await send(call.address), 'CALL')).toBe(1_000)
    expect(await rpc('kestrel_getEvmParams')).toEqual({ extraEips: active })

    // A creation transaction runs no CREATE: 21000, plus EIP-3860 and EIP-2028 for two zero bytes (STOP).
    const created = await walletOf(1).sendTransaction({ data: '0x0000' })
    expect((await viem.waitForTransactionReceipt({ hash: created })).gasUsed).toBe(21_000n + 32_000n + 2n + 2n * 4n)
  })

  it.each([
    [['kestrel_0', 'kestrel_0'], 'found duplicate EIP: kestrel_0'],
    [['kestrel0'], 'EIP kestrel0 name is not valid'],
    [['kestrel_99'], 'EIP kestrel_99 is not activateable'],
  ])('%j begins no chain', async (active, words) => {
    await expect(startNode(nodeOptions({ spec: specWith({ active }) }))).rejects.toThrow(words)
  })
})

describe('an upgrade of the EVM parameters', () => {
  const upgrades = [
    upgrade(3n, { addProposals: ['kestrel_0'] }),
    upgrade(5n, { addProposals: ['kestrel_2'], removeProposals: ['kestrel_0'] }),
    upgrade(6n, { params: { activeProposals: ['kestrel_0'] } }),
  ]

  test('changes gas from the first transaction of its block on, not in earlier blocks', async () => {
    const { send, receiptOf, rpc, gasOfCall, estimate, costIn } = await proposalChain({ upgrades })
    const hashes: Hex[] = []
    for (let block = 1; block <= 6; block++) hashes.push(await send(create.address))
    const used = await Promise.all(hashes.map(async (hash) => BigInt((await receiptOf(hash)).gasUsed)))
    const before = USED.create
    const after = USED.create + TENFOLD
    expect(used).toEqual([before, before, after, after, before, after])

    // Traces replay each block with its parameters.
    const costs = [32_000, 32_000, 320_000, 320_000, 32_000, 320_000]
    expect(await Promise.all(hashes.map((hash) => costIn(hash, 'CREATE')))).toEqual(costs)
    const traced = await rpc('debug_traceBlockByNumber', '0x3')
    expect(traced[0].result.gas).toBe(Number(after))
    for (const [index, hash] of hashes.entries()) {
      const { gasUsed } = await rpc('debug_traceTransaction', hash, { tracer: 'callTracer' })
      expect(BigInt(gasUsed)).toBe(used[index])
    }

    // A call on the state after a block uses the parameters after it.
    for (const [index, gas] of used.entries()) {
      const block = toHex(index + 1)
      expect([block, await gasOfCall(create.address, block), await estimate(create.address, block)]).toEqual([
        ...[block, gas, gas],
      ])
      const limited = rpc('eth_call', { to: create.address, gas: toHex(100_000) }, block)
      if (gas === before) expect(await limited).toBe('0x')
      else await expect(limited).rejects.toThrow('out of gas')
    }
    const active = [[], [], ['kestrel_0'], ['kestrel_0'], ['kestrel_2'], ['kestrel_0']]
    for (const [index, extraEips] of active.entries())
      expect(await rpc('kestrel_getEvmParams', toHex(index + 1))).toEqual({ extraEips })
  })

  test('is listed with its changes, and whether it was applied', async () => {
    const { rpc, mine, raw } = await proposalChain({ upgrades })
    await mine(4)
    expect(await rpc('kestrel_getUpgrades')).toEqual([
      {
        name: 'v3',
        height: '0x3',
        params: null,
        addProposals: ['kestrel_0'],
        removeProposals: [],
        applied: true,
      },
      {
        name: 'v5',
        height: '0x5',
        params: null,
        addProposals: ['kestrel_2'],
        removeProposals: ['kestrel_0'],
        applied: false,
      },
      {
        name: 'v6',
        height: '0x6',
        params: { extraEips: ['kestrel_0'] },
        addProposals: [],
        removeProposals: [],
        applied: false,
      },
    ])
    const known = await rpc('kestrel_getProposals')
    expect(known.filter(({ active }: { active: boolean }) => active)).toEqual([
      { name: 'kestrel_0', title: 'CREATE and CREATE2 cost ten times as much', active: true },
    ])
    expect(known).toHaveLength(10)
    expect((await raw('kestrel_getEvmParams', '0x99')).error?.message).toBe('header not found')
  })

  test('applies to simulated and pending blocks', async () => {
    const { rpc, mine, gasOfCall } = await proposalChain({ upgrades })
    await mine(1)
    const calls = [{ to: create.address }]
    const blocks = await rpc(
      'eth_simulateV1',
      { blockStateCalls: [{ calls }, { calls }, { calls }, { calls }] },
      'latest',
    )
    expect(
      blocks.map(({ number, gasUsed }: { number: Hex; gasUsed: Hex }) => [Number(number), BigInt(gasUsed)]),
    ).toEqual([
      ...[[2, USED.create]],
      ...[[3, USED.create + TENFOLD]],
      ...[[4, USED.create + TENFOLD]],
      ...[[5, USED.create]],
    ])
    await mine(1)
    expect(await gasOfCall(create.address, 'latest')).toBe(USED.create)
    expect(await gasOfCall(create.address, 'pending')).toBe(USED.create + TENFOLD)
  })

  test('stays active after a restart of the node', async () => {
    const folder = await temporaryFolder()
    onTestFinished(() => folder.remove())
    const options = nodeOptions({ datadir: folder.path, spec: specWith({ upgrades }) })
    const first = await startNode(options)
    const before = measures(withClients(first))
    for (const gas of [USED.create, USED.create, USED.create + TENFOLD])
      expect(await before.gasOf(create.address)).toBe(gas)
    await first.close()
    const { url, node } = await testChain({ ...options, spec: undefined })
    const after = measures(withClients(node))
    expect(url).toBe(node.url)
    expect(await after.gasOf(create.address)).toBe(USED.create + TENFOLD)
    expect(await after.gasOfCall(create.address, '0x2')).toBe(USED.create)
  })

  test('does not change the format of tracers’ results', async () => {
    const shapeOf = async (active: readonly string[]) => {
      const { send, rpc } = await proposalChain({ active })
      const hash = await send(create.address)
      const frames = await rpc('debug_traceTransaction', hash, { tracer: 'callTracer' })
      const prestate = await rpc('debug_traceTransaction', hash, { tracer: 'prestateTracer' })
      const { gasUsed, calls, ...frame } = frames
      const { gas, ...inner } = calls[0]
      return {
        gasUsed: BigInt(gasUsed),
        gas: BigInt(gas),
        frame,
        inner,
        calls: calls.length,
        accounts: Object.keys(prestate).sort(),
      }
    }
    const { gasUsed, gas, ...plain } = await shapeOf([])
    const { gasUsed: dearGasUsed, gas: dearGas, ...dear } = await shapeOf(['kestrel_0', 'kestrel_1', 'kestrel_2'])
    expect(dear).toEqual(plain)
    expect(dearGasUsed).toBe(gasUsed + TENFOLD)
    // All but one 64th of the remaining gas: 1000000 - 21000 - 9 - 320000.
    expect([gas, dearGas]).toEqual([946_991n - 946_991n / 64n, 658_991n - 658_991n / 64n])
  })
})

describe('opcode proposals of users', () => {
  const proposal = (number: number, apply: Proposal['apply']): Proposal => ({ number, title: `no. ${number}`, apply })
  const multiply = proposal(7, (table) => {
    const operation = table.op('CREATE')
    operation.setConstantGas(operation.constantGas * 10n)
  })
  const set = proposal(8, (table) => void table.op('CREATE').setConstantGas(50_000n))

  test('for one opcode are applied in the order of the list', async () => {
    const priceOf = async (...active: string[]) => {
      const { gasOf } = await proposalChain({ active }, { modules: [moduleOf(multiply, set)] })
      return (await gasOf(create.address, 5_000_000)) - USED.create + 32_000n
    }
    expect(await priceOf('kestrel_7', 'kestrel_8')).toBe(50_000n)
    expect(await priceOf('kestrel_8', 'kestrel_7')).toBe(500_000n)
    expect(await priceOf('kestrel_0', 'kestrel_7')).toBe(3_200_000n)
  })

  test('can define an opcode that takes two stack items', async () => {
    const average = proposal(9, (table) => {
      table
        .define(0x0c, 'AVG', {
          constantGas: 5n,
          execute: ({ stack }) => {
            const [a = 0n, b = 0n] = stack.popN(2)
            stack.push((a + b) / 2n)
          },
        })
        .setMinStack(2)
    })
    const two = '0x000000000000000000000000000000000000d001'
    const one = '0x000000000000000000000000000000000000d002'
    const codes = {
      // PUSH1 4, PUSH1 10, AVG, and returns the top of the stack.
      [two]: '0x6004600a0c60005260206000f3',
      [one]: '0x600a0c00',
    } as const
    const setting = { codes, upgrades: [upgrade(3n, { addProposals: ['kestrel_9'] })] }
    const { rpc, gasOf, send, receiptOf } = await proposalChain(setting, { modules: [moduleOf(average)] })
    await expect(rpc('eth_call', { to: two }, 'latest')).rejects.toThrow('invalid opcode: opcode 0xc not defined')
    expect(await gasOf(two, 60_000)).toBe(60_000n)
    expect(await gasOf(two, 60_000)).toBe(60_000n)

    const hash = await send(two)
    // Five pushes, AVG, and MSTORE with one word of memory.
    expect(BigInt((await receiptOf(hash)).gasUsed)).toBe(21_000n + 15n + 5n + 6n)
    expect(BigInt(await rpc('eth_call', { to: two }, 'latest'))).toBe(7n)
    const { structLogs } = await rpc('debug_traceTransaction', hash)
    expect(structLogs[2]).toMatchObject({ pc: 4, op: 'AVG', gasCost: 5, stack: ['0x4', '0xa'] })
    expect(structLogs[3]).toMatchObject({ op: 'PUSH1', stack: ['0x7'] })

    // An exceptional halt consumes all gas.
    const failing = await send(one, 60_000)
    expect(await receiptOf(failing)).toMatchObject({ status: '0x0', gasUsed: toHex(60_000) })
    const halted = await rpc('debug_traceTransaction', failing)
    expect(halted.structLogs[1]).toMatchObject({ op: 'AVG', gasCost: 5, error: 'stack underflow (1 <=> 2)' })
    await expect(rpc('eth_call', { to: one }, 'latest')).rejects.toThrow('stack underflow (1 <=> 2)')
  })

  test('that the chain’s list names must be loaded', async () => {
    const folder = await temporaryFolder()
    onTestFinished(() => folder.remove())
    const options = nodeOptions({ datadir: folder.path, spec: specWith({ active: ['kestrel_8'] }) })
    const node = await startNode({ ...options, modules: [moduleOf(set)] })
    await node.close()
    const missing = '--proposal: no module defines kestrel_8, which this chain may use; its file has sha256 '
    await expect(startNode(options)).rejects.toThrow(missing)

    const later = specWith({ upgrades: [upgrade(9n, { addProposals: ['kestrel_8'] })] })
    const refused = startNode(nodeOptions({ spec: later }))
    await expect(refused).rejects.toThrow('EIP kestrel_8 is not activateable')
    await expect(refused).rejects.toThrow('(at upgrade v9, block 9)')
  })

  test('that were active in the past must be loaded too, so that all nodes accept the same lists', async () => {
    const folder = await temporaryFolder()
    onTestFinished(() => folder.remove())
    const upgrades = [upgrade(1n, { addProposals: ['kestrel_8'] }), upgrade(2n, { removeProposals: ['kestrel_8'] })]
    const options = nodeOptions({ datadir: folder.path, spec: specWith({ upgrades }) })
    const first = await startNode({ ...options, modules: [moduleOf(set)] })
    await withClients(first).mine(2)
    await first.close()
    await expect(startNode(options)).rejects.toThrow('--proposal: no module defines kestrel_8')
    const { gasOfCall } = measures(await testChain({ ...options, modules: [moduleOf(set)] }))
    expect(await gasOfCall(create.address, '0x1')).toBe(USED.create + 18_000n)
    expect(await gasOfCall(create.address, 'latest')).toBe(USED.create)
  })

  test('that conflict at an upgrade prevent the chain’s start', async () => {
    const takes = (number: number) =>
      proposal(number, (table) => void table.define(0x0c, `TAKEN${number}`, { execute: () => undefined }))
    const upgrades = [upgrade(5n, { addProposals: ['kestrel_7'] }), upgrade(9n, { addProposals: ['kestrel_8'] })]
    const started = startNode(nodeOptions({ spec: specWith({ upgrades }), modules: [moduleOf(takes(7), takes(8))] }))
    await expect(started).rejects.toMatchObject({
      message: 'EIP kestrel_8 failed to activate (at upgrade v9, block 9)',
      detail: 'opcode 0x0c is TAKEN7 already',
    })
  })

  test('that fail on the chain’s forks prevent the chain’s start', async () => {
    // CLZ is an opcode from Osaka on.
    const clz = proposal(7, (table) => void table.define(0x1e, 'LEADING', { execute: () => undefined }))
    const started = startNode(nodeOptions({ spec: specWith({ active: ['kestrel_7'] }), modules: [moduleOf(clz)] }))
    await expect(started).rejects.toMatchObject({
      message: 'EIP kestrel_7 failed to activate',
      detail: 'opcode 0x1e is CLZ already',
    })
  })
})

test('a plain chain has no opcode proposals and no upgrades', async () => {
  const { rpc } = await testChain({ spec: plainSpec('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266') })
  expect(await rpc('kestrel_getEvmParams')).toEqual({ extraEips: [] })
  expect(await rpc('kestrel_getUpgrades')).toEqual([])
})
