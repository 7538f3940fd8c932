// What each setter does to a running opcode, in gas worked out by the Yellow Paper and EIP-2929.
import { createAddressFromString } from '@ethereumjs/util'
import { beforeAll, describe, expect, it } from 'vitest'
import { cip0 } from '../../src/cip/cip-0.ts'
import { PROPOSALS, proposalsNamed } from '../../src/cip/index.ts'
import { expansionGas, type JumpTable, jumpTable } from '../../src/evm/jump-table.ts'
import { Machine } from '../../src/evm/machine.ts'
import { buildTable } from '../../src/evm/tables.ts'
import { fromHex, ZERO_ADDRESS } from '../../src/lib/hex.ts'
import { commonFor } from '../../src/spec/forks.ts'
import { presets } from '../../src/spec/networks.ts'
import type { StateView } from '../../src/state/types.ts'
import { alice, emptyView } from '../support/native.ts'

const common = commonFor(presets.kestrel(), 'prague')
let view: StateView
beforeAll(async () => {
  view = await emptyView()
})

/** Runs code as alice's, with nothing warm. */
async function run(code: string, change: (table: JumpTable) => void = () => undefined) {
  const machine = new Machine({
    common,
    view: view.fork(),
    table: buildTable(common, (map) => change(jumpTable(map, common))),
    natives: new Map(),
    block: { number: 1n, timestamp: 1n, proposer: ZERO_ADDRESS },
    blockHash: () => undefined,
    deadline: undefined,
  })
  const { execResult } = await machine.runCall({
    to: createAddressFromString(alice),
    caller: createAddressFromString(alice),
    code: fromHex(code),
    gasLimit: 1_000_000n,
  })
  return {
    gas: execResult.executionGasUsed,
    error: execResult.exceptionError?.error,
    output: BigInt(`0x0${Buffer.from(execResult.returnValue).toString('hex')}`),
  }
}

const CREATE = '0x600060006000f000'
const CREATE2 = '0x6000600060006000f500'
/** CALLs the same address twice, with no gas and no memory: cold, then warm. */
const CALLS = `0x${'6000600060006000600060046000f1'.repeat(2)}00`
const SSTORE = '0x600160005500'
/** PUSH1 7, RETURNs it as a word after `op`. */
const returning = (op: string) => `0x6007${op}60005260206000f3`

describe('constant gas', () => {
  it('of CREATE and CREATE2 is tenfold under proposal 0, and of the next table what it was', async () => {
    // Three or four pushes of 3 gas, and 32,000.
    expect((await run(CREATE)).gas).toBe(32_009n)
    expect((await run(CREATE2)).gas).toBe(32_012n)
    expect((await run(CREATE, cip0.apply)).gas).toBe(320_009n)
    expect((await run(CREATE2, cip0.apply)).gas).toBe(320_012n)
    expect((await run(CREATE)).gas).toBe(32_009n)
  })

  it('composes: half of tenfold is fivefold', async () => {
    const fivefold = (table: JumpTable) => {
      cip0.apply(table)
      table.op('CREATE').setConstantGas(table.op('CREATE').constantGas / 2n)
    }
    expect((await run(CREATE, fivefold)).gas).toBe(160_009n)
  })

  it('of CALL is 100, as geth counts warm access', async () => {
    // Seven pushes each; 2600 and 100.
    expect((await run(CALLS)).gas).toBe(2_742n)
    const tenfold = (table: JumpTable) => {
      const call = table.op('CALL')
      expect(call.constantGas).toBe(100n)
      call.setConstantGas(call.constantGas * 10n)
    }
    expect((await run(CALLS, tenfold)).gas).toBe(2_742n + 2n * 900n)
    expect((await run(CALLS, (table) => void table.op('CALL').setConstantGas(0n))).gas).toBe(2_742n - 2n * 100n)
  })

  it('of SSTORE comes on top of what EIP-2929 asks', async () => {
    expect((await run(SSTORE)).gas).toBe(22_106n)
    expect((await run(SSTORE, (table) => table.op('SSTORE').setConstantGas(500n))).gas).toBe(22_606n)
  })

  it('of LOG and EXP is zero, as geth counts it', async () => {
    await run('0x00', (table) => {
      expect([table.op('LOG0').constantGas, table.op('LOG4').constantGas, table.op('EXP').constantGas]).toEqual([
        0n,
        0n,
        0n,
      ])
    })
    // PUSH1 0 PUSH1 0 LOG0: 3 + 3 + 375.
    expect((await run('0x60006000a000', (table) => table.op('LOG0').setConstantGas(5n))).gas).toBe(386n)
  })

  it('takes no number that is not a gas amount', async () => {
    await run('0x00', (table) => {
      expect(() => table.op('ADD').setConstantGas(-1n)).toThrow(RangeError)
      expect(() => table.op('ADD').setConstantGas(1n << 64n)).toThrow(RangeError)
      expect(() => table.op('NOTHING')).toThrow('no opcode NOTHING')
      expect(() => table.op('INVALID')).toThrow('no opcode INVALID')
    })
  })
})

describe('the other setters', () => {
  it('replace what an opcode does, at once or later', async () => {
    // ISZERO of 7 is 0; now it doubles.
    const double = (later: boolean) => (table: JumpTable) => {
      table.op('ISZERO').setExecute((state) => {
        state.stack.push(state.stack.pop() * 2n)
        return later ? Promise.resolve() : undefined
      })
    }
    expect((await run(returning('15'))).output).toBe(0n)
    expect((await run(returning('15'), double(false))).output).toBe(14n)
    expect((await run(returning('15'), double(true))).output).toBe(14n)
  })

  it('replace the dynamic gas, warm access and all', async () => {
    // PUSH1 0 SLOAD: 3 + 2100 cold.
    expect((await run('0x60005400')).gas).toBe(2_103n)
    expect((await run('0x60005400', (table) => table.op('SLOAD').setDynamicGas(() => 7n))).gas).toBe(10n)
    const call = (table: JumpTable) =>
      table
        .op('CALL')
        .setConstantGas(40n)
        .setDynamicGas(() => 2n)
    expect(
      (await run('0x6000600060006000600060046000f100', (table) => void call(table).setExecute(() => undefined))).gas,
    ).toBe(63n)
  })

  it('bound the stack before and after', async () => {
    const needsTwo = (table: JumpTable) => void table.op('ISZERO').setMinStack(2)
    expect((await run(returning('15'), needsTwo)).error).toBe('stack underflow')
    expect((await run(`0x6001${returning('15').slice(2)}`, needsTwo)).error).toBeUndefined()
    const leavesTwo = (table: JumpTable) => void table.op('DUP1').setMaxStack(2)
    expect((await run('0x60018000', leavesTwo)).error).toBeUndefined()
    expect((await run('0x6001808000', leavesTwo)).error).toBe('stack overflow')
    await run('0x00', (table) => {
      expect(() => table.op('ADD').setMinStack(1_025)).toThrow(RangeError)
      expect(() => table.op('ADD').setMaxStack(-1)).toThrow(RangeError)
    })
  })

  it('grow the memory, for the gas of growing it', async () => {
    // ISZERO now touches 100 bytes: 4 words, 12 gas. MSIZE then says 128.
    const touching = (table: JumpTable) => {
      table
        .op('ISZERO')
        .setMemorySize(() => 100n)
        .setDynamicGas((state) => expansionGas(state, 100n))
    }
    const before = await run('0x6007155900')
    const after = await run('0x6007155900', touching)
    expect(after.gas - before.gas).toBe(12n)
    // PUSH1 7 ISZERO MSIZE PUSH1 0 MSTORE RETURN(0, 32)
    expect((await run('0x6007155960005260206000f3', touching)).output).toBe(128n)
  })
})

describe('proposals by name', () => {
  it('are found on their chain, in the order of the list', () => {
    expect(proposalsNamed('kestrel', ['kestrel_0'])).toEqual([cip0])
    expect(proposalsNamed('kestrel', [])).toEqual([])
    expect(PROPOSALS.map(({ number }) => number)).toEqual(PROPOSALS.map((_, i) => i))
  })

  it.each(['other_0', 'kestrel_99', 'kestrel_00', ''])('refuse %j', (name) => {
    expect(() => proposalsNamed('kestrel', [name])).toThrow(`EIP ${name} is not activateable`)
  })
})
