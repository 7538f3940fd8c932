// The effect of each setter on a running opcode, in gas calculated by the Yellow Paper and EIP-2929.

import { beforeAll, describe, expect, it } from 'vitest'
import { cip0 } from '../../src/cip/cip-0.ts'
import type { Tools } from '../../src/cip/define.ts'
import { expansionGas } from '../../src/evm/gas/memory-gas.ts'
import { buildTable, type JumpTable, maxStackAtEntry } from '../../src/evm/jump-table.ts'
import { type EngineChoice, Machine } from '../../src/evm/machine.ts'
import { fromHex, hexToAddress, ZERO_ADDRESS } from '../../src/lib/hex.ts'
import type { Fork } from '../../src/spec/chain-spec.ts'
import { forkRules } from '../../src/spec/fork-rules.ts'
import { presets } from '../../src/spec/presets.ts'
import type { StateView } from '../../src/state/types.ts'
import { messageTo } from '../support/messages.ts'
import { alice, emptyView } from '../support/native.ts'

const TOOLS: Tools = { expansionGas, maxStackAtEntry }
type Change = (table: JumpTable, tools: Tools) => void

const rules = forkRules('prague')
let view: StateView
beforeAll(async () => {
  view = await emptyView()
  // GAS PUSH0 MSTORE RETURN(0, 32)
  view.setCode(hexToAddress('0x000000000000000000000000000000000000bbbb'), fromHex('0x5a5f5260205ff3'))
})

const GAS = 1_000_000n

/** Runs code as alice's, with nothing warm, on our engine and the library's, and expects equal outcomes. */
async function run(code: string, change?: Change, gasLimit = GAS) {
  const own = await runOn('wasm', code, change, gasLimit)
  const library = await runOn('library', code, change, gasLimit)
  expect(own).toEqual(library)
  return own
}

async function runOn(engine: EngineChoice, code: string, change: Change | undefined, gasLimit: bigint) {
  const state = view.fork()
  state.setCode(alice, fromHex(code))
  const machine = new Machine({
    spec: presets.kestrel(),
    engine,
    view: state,
    natives: new Map(),
    blockHash: () => undefined,
    deadline: undefined,
    table: buildTable(rules, change && ((table) => change(table, TOOLS))),
    block: { number: 1n, timestamp: 1n, proposer: ZERO_ADDRESS },
  })
  const { gasUsed, failure, output } = await machine.run(messageTo(alice, { from: alice, gasLimit }))
  return {
    gas: gasUsed,
    error: failure?.message,
    output: BigInt(`0x0${Buffer.from(output).toString('hex')}`),
  }
}

/** Calls `look` with the table of a fork. */
function inspect(look: (table: JumpTable) => void, fork: Fork = 'prague'): void {
  buildTable(forkRules(fork), look)
}

const CREATE = '0x600060006000f000'
const CREATE2 = '0x6000600060006000f500'
/** CALLs the same address twice, without gas and memory: cold, then warm. */
const CALLS = `0x${'6000600060006000600060046000f1'.repeat(2)}00`
const SSTORE = '0x600160005500'
/** CALL(2^24 - 1, 0xbbbb, 0, 0, 0, 0, 32) RETURN(0, 32): the callee's remaining gas after GAS, which costs 2. */
const CALL_ALL = '0x6020600060006000600061bbbb62fffffff160206000f3'
/** Gas after GAS in a callee that gets all but one 64th of `left`. */
const forwarded = (left: bigint) => left - left / 64n - 2n
/** PUSH1 7, `op`, and RETURN of the top of the stack as a word. */
const returning = (op: string) => `0x6007${op}60005260206000f3`

describe('constant gas of opcodes', () => {
  it('of CREATE and CREATE2 is multiplied by ten by proposal 0, and unchanged in the next table', async () => {
    // Three or four pushes of 3 gas, and 32,000.
    expect((await run(CREATE)).gas).toBe(32_009n)
    expect((await run(CREATE2)).gas).toBe(32_012n)
    expect((await run(CREATE, cip0.apply)).gas).toBe(320_009n)
    expect((await run(CREATE2, cip0.apply)).gas).toBe(320_012n)
    expect((await run(CREATE)).gas).toBe(32_009n)
  })

  it('changes compose: half of ten times is five times', async () => {
    const fivefold = (table: JumpTable) => {
      cip0.apply(table, TOOLS)
      table.op('CREATE').setConstantGas(table.op('CREATE').constantGas / 2n)
    }
    expect((await run(CREATE, fivefold)).gas).toBe(160_009n)
  })

  it('of CALL is 100, as in geth, which charges warm access there', async () => {
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

  it('of SSTORE is added to the gas of EIP-2929', async () => {
    expect((await run(SSTORE)).gas).toBe(22_106n)
    expect((await run(SSTORE, (table) => table.op('SSTORE').setConstantGas(500n))).gas).toBe(22_606n)
  })

  it('equals geth’s, opcode by opcode', () => {
    // go-ethereum, core/vm/jump_table.go and gas_table.go after Berlin: tiers of the Yellow Paper, and EIP-2929, EIP-1153,
    // EIP-4844, EIP-5656 and EIP-7939.
    const tiers: readonly (readonly [bigint, string])[] = [
      [0n, 'STOP RETURN REVERT SLOAD SSTORE EXP LOG0 LOG1 LOG2 LOG3 LOG4'],
      [1n, 'JUMPDEST'],
      [2n, 'ADDRESS ORIGIN CALLER CALLVALUE CALLDATASIZE CODESIZE GASPRICE RETURNDATASIZE COINBASE TIMESTAMP NUMBER'],
      [2n, 'DIFFICULTY GASLIMIT CHAINID BASEFEE BLOBBASEFEE POP PC MSIZE GAS PUSH0'],
      [3n, 'ADD SUB NOT LT GT SLT SGT EQ ISZERO AND OR XOR BYTE SHL SHR SAR CALLDATALOAD MLOAD MSTORE MSTORE8'],
      [3n, 'PUSH1 PUSH32 DUP1 DUP16 SWAP1 SWAP16 CALLDATACOPY CODECOPY RETURNDATACOPY MCOPY BLOBHASH'],
      [5n, 'MUL DIV SDIV MOD SMOD SIGNEXTEND SELFBALANCE CLZ'],
      [8n, 'ADDMOD MULMOD JUMP'],
      [10n, 'JUMPI'],
      [20n, 'BLOCKHASH'],
      [30n, 'KECCAK256'],
      [100n, 'CALL CALLCODE DELEGATECALL STATICCALL BALANCE EXTCODESIZE EXTCODEHASH EXTCODECOPY TLOAD TSTORE'],
      [5_000n, 'SELFDESTRUCT'],
      [32_000n, 'CREATE CREATE2'],
    ]
    inspect((table) => {
      for (const [gas, names] of tiers)
        for (const name of names.split(' ')) expect([name, table.op(name).constantGas]).toEqual([name, gas])
    }, 'osaka')
    // Before it: EIP-1884 and EIP-150.
    inspect((table) => {
      const before = (name: string) => table.op(name).constantGas
      expect(['SLOAD', 'BALANCE', 'EXTCODEHASH', 'CALL', 'EXTCODESIZE'].map(before)).toEqual([
        ...[800n, 700n, 700n, 700n, 700n],
      ])
    }, 'istanbul')
  })

  it('of LOG is added to 375', async () => {
    // PUSH1 0 PUSH1 0 LOG0: 3 + 3 + 375.
    expect((await run('0x60006000a000', (table) => table.op('LOG0').setConstantGas(5n))).gas).toBe(386n)
  })

  it('is charged before a call withholds one 64th, and before SSTORE checks its minimum gas', async () => {
    // Seven pushes, memory of a word, a cold account.
    const inner = (constant: bigint) => forwarded(GAS - 21n - 3n - 2_500n - constant)
    expect((await run(CALL_ALL)).output).toBe(inner(100n))
    expect((await run(CALL_ALL, (table) => void table.op('CALL').setConstantGas(1_000n))).output).toBe(inner(1_000n))
    expect((await run(CALL_ALL, (table) => void table.op('CALL').setConstantGas(0n))).output).toBe(inner(0n))

    // SSTORE of the same value twice: 22100, then 100. EIP-2200 requires more than 2300 gas before the second.
    const twice = '0x60016000556001600055'
    const price = (table: JumpTable) => void table.op('SSTORE').setConstantGas(500n)
    const least = 6n + 22_600n + 6n + 500n + 2_301n
    expect((await run(twice, price, least)).error).toBeUndefined()
    expect((await run(twice, price, least - 1n)).error).toBe('out of gas')
    expect((await run(twice, undefined, least - 1_000n)).error).toBeUndefined()
    expect((await run(twice, undefined, least - 1_001n)).error).toBe('out of gas')
  })

  it('refuses numbers that are not gas amounts', () => {
    inspect((table) => {
      for (const gas of [-1n, 1n << 64n]) expect(() => table.op('ADD').setConstantGas(gas)).toThrow(RangeError)
      expect(() => table.op('ADD').setConstantGas(3 as never)).toThrow('expected a bigint')
      for (const none of ['NOTHING', 'INVALID', 0x0c, 0xfe, 256, -1, 1.5])
        expect(() => table.op(none)).toThrow('no opcode')
    })
  })
})

describe('the other setters of the jump table', () => {
  it('replace the behaviour of an opcode', async () => {
    // ISZERO of 7 is 0; the replacement doubles.
    const double: Change = (table) => void table.op('ISZERO').setExecute(({ stack }) => stack.push(stack.pop() * 2n))
    expect((await run(returning('15'))).output).toBe(0n)
    expect((await run(returning('15'), double)).output).toBe(14n)
  })

  it('replace the dynamic gas including the access cost', async () => {
    // PUSH1 0 SLOAD: 3 + 2100 cold.
    expect((await run('0x60005400')).gas).toBe(2_103n)
    expect((await run('0x60005400', (table) => table.op('SLOAD').setDynamicGas(() => 7n))).gas).toBe(10n)
    expect((await run('0x60005400', (table) => table.op('SLOAD').setDynamicGas(null))).gas).toBe(3n)
    const call = (table: JumpTable) =>
      table
        .op('CALL')
        .setConstantGas(40n)
        .setDynamicGas(() => 2n)
    expect(
      (await run('0x6000600060006000600060046000f100', (table) => void call(table).setExecute(() => undefined))).gas,
    ).toBe(63n)
  })

  it('get the gas left after the constant gas, and the memory size in words', async () => {
    const seen: unknown[] = []
    const watch = (table: JumpTable) =>
      table
        .op('ISZERO')
        .setConstantGas(1_000n)
        .setMemorySize(() => 33n)
        .setDynamicGas((state, size) => {
          seen.push(state.gasLeft, size, state.memoryWordCount)
          return 50n
        })
    // PUSH1 7 ISZERO MSIZE STOP
    expect((await run('0x6007155900', watch)).gas).toBe(3n + 1_050n + 2n)
    // Once on each engine.
    const once = [GAS - 3n - 1_000n, 64n, 0n]
    expect(seen).toEqual([...once, ...once])
  })

  it('keep all but one 64th when the dynamic gas of a call is replaced', async () => {
    const cheap = (table: JumpTable) =>
      table
        .op('CALL')
        .setConstantGas(40n)
        .setDynamicGas(() => 2n)
    expect((await run(CALL_ALL, (table) => void cheap(table))).output).toBe(forwarded(GAS - 21n - 42n))
  })

  it('keep the memory expansion of an opcode when its gas is replaced', async () => {
    // MSTORE(0, 7), MSIZE: 32, with expansion for one gas.
    const cheap = (table: JumpTable) => void table.op('MSTORE').setDynamicGas(() => 1n)
    const stored = await run('0x60076000525960005260206000f3', cheap)
    expect(stored.output).toBe(32n)
    // Five pushes, MSIZE, two stores of 3 + 1; RETURN expands nothing.
    expect(stored.gas).toBe(5n * 3n + 2n + 2n * 4n)
  })

  it('expand the memory, for the gas of expansion', async () => {
    // ISZERO now touches 100 bytes: 4 words, 12 gas. MSIZE then says 128.
    const touching: Change = (table, { expansionGas }) => {
      table
        .op('ISZERO')
        .setMemorySize(() => 100n)
        .setDynamicGas((state, size) => expansionGas(state, size))
    }
    const before = await run('0x6007155900')
    const after = await run('0x6007155900', touching)
    expect(after.gas - before.gas).toBe(12n)
    // PUSH1 7 ISZERO MSIZE PUSH1 0 MSTORE RETURN(0, 32)
    expect((await run('0x6007155960005260206000f3', touching)).output).toBe(128n)
    // PUSH1 7, then one gas less than ISZERO costs.
    expect(await run('0x600715', touching, 3n + 3n + 11n)).toMatchObject({ error: 'out of gas', gas: 17n })
  })

  it('charge for memory in addition to the opcode’s dynamic gas', async () => {
    const touching = (table: JumpTable) => void table.op('SLOAD').setMemorySize(() => 64n)
    expect((await run('0x60005400', touching)).gas).toBe(2_103n + 6n)
  })

  it('take back what the opcode wrote when the memory cannot be paid for', async () => {
    const touching = (table: JumpTable) => void table.op('SSTORE').setMemorySize(() => 10_000_000n)
    // Calls itself with input, for which it stores 1 in slot 0; then it returns slot 0.
    const outer = '5f5f60015f5f3061fffff1505f545f5260205ff3'
    expect(await run(`0x36601857${outer}5b60015f5500`, touching)).toMatchObject({ output: 0n, error: undefined })
  })

  it.each([
    ['more bits than gas has', 1n << 64n],
    ['almost so many, which rounding lifts over it', (1n << 64n) - 1n],
    ['more than any gas could pay for', (1n << 26n) + 1n],
    ['less than nothing', -1n],
  ])('run out of gas over memory of %s', async (_, size) => {
    const free = (table: JumpTable) =>
      table
        .op('ISZERO')
        .setMemorySize(() => size)
        .setDynamicGas(() => 0n)
    expect(await run('0x600715', (table) => void free(table))).toMatchObject({ error: 'out of gas', gas: GAS })
  })

  it('run out of gas when the cost exceeds 64 bits', async () => {
    const dear = (table: JumpTable) => void table.op('ISZERO').setDynamicGas(() => 1n << 64n)
    expect(await run('0x600715', dear)).toMatchObject({ error: 'out of gas', gas: GAS })
    const gift = (table: JumpTable) => void table.op('ISZERO').setDynamicGas(() => -1n)
    expect(await run('0x600715', gift)).toMatchObject({ error: 'dynamic gas of ISZERO is -1', gas: GAS })
  })

  it('end the frame with an error thrown by a proposal’s function', async () => {
    const fail = () => {
      throw new Error('the moon is full')
    }
    const changes: Change[] = [
      (table) => void table.op('ISZERO').setExecute(fail),
      (table) => void table.op('ISZERO').setDynamicGas(fail),
    ]
    for (const change of changes) {
      expect(await run('0x600715', change)).toMatchObject({ error: 'the moon is full', gas: GAS })
    }
  })
})

describe('the stack limits of opcodes', () => {
  it('are geth’s by default', () => {
    // minStack is the number of popped items; more than 1024 may never remain.
    inspect((table) => {
      for (const [name, minStack] of [
        ['ADD', 2],
        ['PUSH1', 0],
        ['DUP16', 16],
        ['SWAP16', 17],
        ['LOG4', 6],
        ['CALL', 7],
      ] as const) {
        const { minStack: found, maxStack } = table.op(name)
        expect([name, found, maxStack]).toEqual([name, minStack, 1024])
      }
    })
    // go-ethereum's maxStack of PUSH1, ADD and SWAP1.
    expect([maxStackAtEntry(0, 1), maxStackAtEntry(2, 1), maxStackAtEntry(2, 2)]).toEqual([1023, 1025, 1024])
  })

  it('are checked before and after execution', async () => {
    const needsTwo = (table: JumpTable) => void table.op('ISZERO').setMinStack(2)
    expect((await run(returning('15'), needsTwo)).error).toBe('stack underflow (1 <=> 2)')
    expect((await run(`0x6001${returning('15').slice(2)}`, needsTwo)).error).toBeUndefined()
    const leavesTwo = (table: JumpTable) => void table.op('DUP1').setMaxStack(2)
    expect((await run('0x60018000', leavesTwo)).error).toBeUndefined()
    // Three items after it: at entry at most one.
    expect((await run('0x6001808000', leavesTwo)).error).toBe('stack limit reached 2 (1)')
    inspect((table) => {
      expect(() => table.op('ADD').setMinStack(1_025)).toThrow(RangeError)
      expect(() => table.op('ADD').setMaxStack(-1)).toThrow(RangeError)
      expect(() => table.op('ADD').setMaxStack(1_025)).toThrow(RangeError)
    })
  })

  it('are checked before any gas is charged', async () => {
    const dear = (table: JumpTable) => void table.op('ISZERO').setConstantGas(GAS)
    expect((await run('0x15', dear)).error).toBe('stack underflow (0 <=> 1)')
    expect((await run('0x600015', dear)).error).toBe('out of gas')
  })

  it('are checked at entry for proposals with the entry semantics', async () => {
    const entersWithTwo = (table: JumpTable) => void table.op('DUP1').setMaxStack(2, { semantics: 'entry' })
    expect((await run('0x6001808000', entersWithTwo)).error).toBeUndefined()
    expect((await run('0x600180808000', entersWithTwo)).error).toBe('stack limit reached 3 (2)')
    inspect((table) => {
      // 1024 plus the net pop of ADD.
      expect(table.op('ADD').setMaxStack(1_025, { semantics: 'entry' }).maxStack).toBe(1_025)
      expect(() => table.op('ADD').setMaxStack(1_027, { semantics: 'entry' })).toThrow(RangeError)
    })
  })

  it('are checked after the opcode if its definition has no stack effect, else before', async () => {
    let runs = 0
    const three: Parameters<ReturnType<JumpTable['op']>['setExecute']>[0] = ({ stack }) => {
      runs++
      for (const word of [1n, 2n, 3n]) stack.push(word)
    }
    const withoutStackEffect = (table: JumpTable) => void table.op('PC').setExecute(three).setMaxStack(3)
    expect(await run('0x58', withoutStackEffect)).toMatchObject({ error: undefined })
    expect(await run('0x600058', withoutStackEffect)).toMatchObject({ error: 'stack limit reached 4 (3)', gas: GAS })
    // Twice on each engine.
    expect(runs).toBe(4)
    const change = (table: JumpTable) => void table.op('PC').setExecute(three, { pops: 0, pushes: 3 }).setMaxStack(3)
    expect(await run('0x600058', change)).toMatchObject({ error: 'stack limit reached 1 (0)', gas: GAS })
    expect(runs).toBe(4)
    // 1024 is the limit in any case.
    const full = `0x${'5f'.repeat(1_022)}58`
    expect((await run(full, (table) => void table.op('PC').setExecute(three))).error).toBe(
      'stack limit reached 1025 (1024)',
    )
  })
})

describe('opcodes added to the jump table', () => {
  const average: Change = (table) => {
    table.define(0x0c, 'AVG', {
      pops: 2,
      pushes: 1,
      constantGas: 7n,
      execute: ({ stack }) => {
        const [a = 0n, b = 0n] = stack.popN(2)
        stack.push((a + b) / 2n)
      },
    })
  }

  it('are executed, charge gas and check the stack', async () => {
    // PUSH1 3, PUSH1 7, AVG, STOP.
    expect((await run('0x600360070c00')).error).toBe('invalid opcode: opcode 0xc not defined')
    expect(await run('0x600360070c00', average)).toMatchObject({ error: undefined, gas: 13n })
    expect((await run('0x6003'.concat(returning('0c').slice(2)), average)).output).toBe(5n)
    expect(await run('0x60070c00', average)).toMatchObject({ error: 'stack underflow (1 <=> 2)', gas: GAS })
  })

  it('work in code with jumps', async () => {
    // PUSH1 4 JUMP INVALID JUMPDEST PUSH1 3 PUSH1 7 AVG, returned.
    expect((await run('0x600456fe5b600360070c60005260206000f3', average)).output).toBe(5n)
  })

  it('can be changed by later proposals', async () => {
    const dearer: Change = (table, tools) => {
      expect(table.has(0x0c)).toBe(false)
      average(table, tools)
      expect(table.has(0x0c)).toBe(true)
      const { number, name, constantGas, minStack, maxStack } = table.op('AVG')
      expect({ number, name, constantGas, minStack, maxStack }).toEqual({
        number: 0x0c,
        name: 'AVG',
        constantGas: 7n,
        minStack: 2,
        maxStack: 1024,
      })
      table.op(0x0c).setConstantGas(70n)
    }
    expect((await run('0x600360070c00', dearer)).gas).toBe(76n)
  })

  it('can have every property of a definition', async () => {
    // Writes its item to memory at 0, for 9 gas per word of new memory, and keeps the item.
    const note: Change = (table) => {
      table.define(0x2f, 'NOTE', {
        constantGas: 1n,
        minStack: 2,
        maxStack: 2,
        memorySize: () => 40n,
        dynamicGas: (state, size) => (size / 32n - state.memoryWordCount) * 9n,
        execute: ({ stack, memory }) => {
          const [word = 0n] = stack.peek(1)
          memory.write(0, Buffer.from(word.toString(16).padStart(64, '0'), 'hex'))
        },
      })
    }
    // PUSH1 1 PUSH1 7 NOTE NOTE, then 32 bytes from 0. Each NOTE writes a word, for 3.
    const noted = await run('0x600160072f2f60206000f3', note)
    expect(noted).toMatchObject({ error: undefined, output: 7n, gas: 6n + 19n + 1n + 6n + 6n })
    expect((await run('0x60072f', note)).error).toBe('stack underflow (1 <=> 2)')
    expect((await run('0x6001600160072f', note)).error).toBe('stack limit reached 3 (2)')
  })

  it('are refused if the code or the name is taken', () => {
    const nothing = { execute: () => undefined }
    inspect((table) => {
      expect(() => table.define(0x01, 'AVG', nothing)).toThrow('opcode 0x01 is ADD already')
      expect(() => table.define(0x0c, 'CALL', nothing)).toThrow('there is an opcode CALL already')
      expect(() => table.define(0xfe, 'AVG', nothing)).toThrow('0xfe cannot be an opcode')
      expect(() => table.define(256, 'AVG', nothing)).toThrow('0x100 cannot be an opcode')
      expect(() => table.define(0x0c, 'average', nothing)).toThrow('average cannot name an opcode')
      expect(() => table.define(0x0c, 'AVG', {} as never)).toThrow('execute: expected a function')
      table.define(0x0d, 'AVG', nothing)
      expect(() => table.define(0x0e, 'AVG', nothing)).toThrow('there is an opcode AVG already')
    })
  })
})

describe('a jump table', () => {
  it.each([
    ['ADD', (table: JumpTable) => table.op('ADD').setMemorySize(() => 32n)],
    ['MSTORE', (table: JumpTable) => table.op('MSTORE').setDynamicGas(null)],
    ['NEW', (table: JumpTable) => table.define(0x0c, 'NEW', { execute: () => undefined, memorySize: () => 1n })],
  ])('with memory that nothing pays for is refused: %s', (name, change) => {
    const problem = `${name} has a memory size and no dynamic gas to pay for it`
    expect(() => inspect((table) => void change(table))).toThrow(problem)
  })

  it('cannot be changed after it is built', () => {
    const kept: ReturnType<JumpTable['op']>[] = []
    inspect((table) => void kept.push(table.op('ADD')))
    expect(() => kept[0]?.setConstantGas(1n)).toThrow('the table is closed')
  })
})
