// Functions of opcode proposals that depend on more than their frame are refused when a list is proposed.
import { describe, expect, it } from 'vitest'
import type { Proposal } from '../../src/cip/define.ts'
import { buildTable, type JumpTable } from '../../src/evm/jump-table.ts'
import { unsteadyFunction } from '../../src/evm/steady-functions.ts'
import { startNode } from '../../src/node.ts'
import { forkRules } from '../../src/spec/fork-rules.ts'
import { evmParams, govChain, submit } from '../precompiles/gov-support.ts'
import { nodeOptions } from '../support/chain.ts'
import { temporaryFolder } from '../support/process.ts'
import { moduleOf, specWith } from './support.ts'

const rules = forkRules('osaka')
const found = (change: (table: JumpTable) => void) => unsteadyFunction(buildTable(rules, change), buildTable(rules))

describe('a function of an opcode proposal', () => {
  it.each<[string, (table: JumpTable) => void, { opcode: string; part: string }]>([
    [
      'counts in a closure and pushes it',
      (table) => {
        let calls = 0n
        table.op('CHAINID').setExecute(({ stack }) => stack.push(calls++))
      },
      { opcode: 'CHAINID', part: 'execute' },
    ],
    [
      'fails every other time',
      (table) => {
        let calls = 0
        table.op('ADD').setExecute(({ fail }) => {
          if (calls++ % 2 === 0) fail('now')
        })
      },
      { opcode: 'ADD', part: 'execute' },
    ],
    [
      'stores by chance',
      (table) =>
        void table
          .op('CHAINID')
          .setExecute(({ storage }) => storage.store(1n, BigInt(Math.floor(Math.random() * 1e15)))),
      { opcode: 'CHAINID', part: 'execute' },
    ],
    [
      'costs what ran before',
      (table) => {
        let calls = 0n
        table.op('CHAINID').setDynamicGas(() => calls++)
      },
      { opcode: 'CHAINID', part: 'dynamic gas' },
    ],
    [
      'has another memory size each time',
      (table) => {
        let calls = 0n
        table
          .op('CHAINID')
          .setDynamicGas(() => 5n)
          .setMemorySize(() => 32n * calls++)
      },
      { opcode: 'CHAINID', part: 'memory size' },
    ],
    [
      'reads what another one has left',
      (table) => {
        let left = 0n
        table.op('ADD').setExecute(({ stack }) => {
          left = stack.pop()
        })
        table.op('CHAINID').setExecute(({ stack }) => stack.push(left))
      },
      { opcode: 'CHAINID', part: 'execute' },
    ],
  ])('that %s is found', (_, change, unsteady) => {
    expect(found(change)).toEqual(unsteady)
  })

  it('that depends on its frame only is not, nor one that remembers without an effect', () => {
    const known = new Map<bigint, bigint>()
    expect(
      found((table) => {
        table.op('ADD').setExecute(({ stack, memory, storage, transient, env, log, balance, codeOf, callData }) => {
          const [a, b] = [stack.pop(), stack.pop()]
          const read = env.timestamp + balance(a) + storage.load(b)
          const sum = known.get(a) ?? BigInt.asUintN(256, a + b + read)
          known.set(a, sum)
          memory.write(100, codeOf(a))
          storage.store(a, sum)
          transient.store(a, storage.load(a) + transient.load(b))
          log([a], callData.read(0, 32))
          stack.push(sum)
        })
        table.op('MUL').setDynamicGas(({ stack, gasLeft }) => (stack.peek(1)[0] ?? 0n) + gasLeft)
        table.define(0x0c, 'LAST', { execute: ({ finish, memory }) => finish(memory.read(0, 64)) })
      }),
    ).toBeUndefined()
  })
})

const counter: Proposal = {
  number: 23,
  title: 'a counter',
  apply(table) {
    let calls = 0n
    table.op('CHAINID').setExecute(({ stack }) => stack.push(calls++))
  },
}
const WORDS = 'the execute of CHAINID depends on more than its frame: tried twice, it differed'

describe('a list with a counter in a closure', () => {
  const modules = [moduleOf(counter)]

  it('is refused by governance and in a genesis', async () => {
    const { refusal, send } = await govChain({ spec: specWith({}), modules })
    expect(await refusal(submit([evmParams('kestrel_23')]))).toBe(`message 0: ${WORDS}`)
    expect((await send(submit([evmParams('kestrel_23')]))).status).toBe('reverted')
    await expect(startNode(nodeOptions({ spec: specWith({ active: ['kestrel_23'] }), modules }))).rejects.toThrow(WORDS)
  })

  it('does not keep a chain from starting on which it is active already', async () => {
    const folder = await temporaryFolder()
    let isCounting = false
    const later: Proposal = {
      ...counter,
      apply(table) {
        let calls = 0n
        table.op('CHAINID').setExecute(({ stack }) => stack.push(isCounting ? calls++ : 1n))
      },
    }
    const options = nodeOptions({
      spec: specWith({ active: ['kestrel_23'] }),
      modules: [moduleOf(later)],
      datadir: folder.path,
    })
    await (await startNode(options)).close()
    isCounting = true
    const node = await startNode(options)
    expect(node.chain.head.number).toBe(0n)
    await node.close()
    await folder.remove()
  })
})
