// Names, duplicates and sealing, with the error messages of Evmos' activator registry and parameter checks.

import { describe, expect, it } from 'vitest'
import type { Proposal } from '../../src/cip/define.ts'
import { PROPOSALS, proposalsOf } from '../../src/cip/index.ts'
import { buildTable } from '../../src/evm/jump-table.ts'
import { ChainError } from '../../src/lib/errors.ts'
import { forkRules } from '../../src/spec/fork-rules.ts'
import { isProposalName } from '../../src/spec/proposal-name.ts'

const BUILT_IN = [
  ...['ethereum_1344', 'ethereum_1884', 'ethereum_2200', 'ethereum_2929', 'ethereum_3198', 'ethereum_3529'],
  ...['ethereum_3855', 'kestrel_0', 'kestrel_1', 'kestrel_2'],
]

const proposal = (name: string, apply: Proposal['apply'] = () => undefined): Proposal => ({ name, title: name, apply })

/** Applies proposals to a table, and returns it. */
function applied(registry: ReturnType<typeof proposalsOf>, names: readonly string[]) {
  const rules = forkRules('osaka')
  return buildTable(rules, (table) => registry.apply(names, table))
}

describe('names of opcode proposals', () => {
  it.each([
    ['kestrel_0', true],
    ['my-chain2_2147483647', true],
    [`${'a'.repeat(62)}_1`, true],
    [`${'a'.repeat(63)}_1`, false],
    ['kestrel_2147483648', false],
    ['_0', false],
    ['kestrel_', false],
    ['kestrel_-1', false],
    ['kestrel_0000', false],
    ['Kestrel_0', false],
    ['2kestrel_0', false],
    ['kestrel_0_1', false],
    ['kestrel_0\n', false],
    ['kestrel', false],
  ])('%j: %s', (name, expected) => {
    expect(isProposalName(name)).toBe(expected)
    if (expected) return
    const words = `eip name does not conform to structure 'chainName_Number': ${name}`
    expect(() => proposalsOf('kestrel').register(proposal(name))).toThrow(words)
  })
})

describe('the registry of opcode proposals', () => {
  it('has the program’s proposals under the chain’s name, and Ethereum’s', () => {
    expect(proposalsOf('kestrel').names()).toEqual(BUILT_IN)
    expect(proposalsOf('evmos').names()).toContain('evmos_2')
    expect(PROPOSALS.map(({ number }) => number)).toEqual(PROPOSALS.map((_, i) => i))
  })

  it('accepts proposals by name or by number, one or several', () => {
    const registry = proposalsOf('kestrel')
    const seven = { number: 7, title: 'seven', apply: () => undefined }
    registry.register(seven)
    registry.register([proposal('other_0'), proposal('kestrel_3')])
    expect(registry.names()).toEqual([...BUILT_IN, 'kestrel_3', 'kestrel_7', 'other_0'])
    expect(registry.get('kestrel_7')).toBe(seven)
    expect(registry.get('kestrel_8')).toBeUndefined()
  })

  it('adds all proposals of a list or none', () => {
    const registry = proposalsOf('kestrel')
    const words = `duplicate activation: kestrel_1 is already present in [${BUILT_IN.join(' ')}]`
    expect(() => registry.register([proposal('kestrel_1')])).toThrow(words)
    expect(() => registry.register([proposal('kestrel_9'), proposal('kestrel_1')])).toThrow('kestrel_1 is already')
    expect(() => registry.register([proposal('kestrel_9'), proposal('kestrel_9')])).toThrow(
      `duplicate activation: kestrel_9 is already present in [${[...BUILT_IN, 'kestrel_9'].join(' ')}]`,
    )
    expect(() => registry.register([proposal('kestrel_9'), proposal('nine')])).toThrow('does not conform')
    expect(() => registry.register([proposal('kestrel_9'), proposal('ethereum_7')])).toThrow('are reserved')
    expect(registry.names()).toEqual(BUILT_IN)
  })

  it('refuses new proposals when it is sealed', () => {
    const registry = proposalsOf('kestrel')
    registry.seal()
    expect(() => registry.register(proposal('kestrel_9'))).toThrow('already sealed and cannot be modified')
    expect(registry.names()).toEqual(BUILT_IN)
  })

  it('is separate for each chain', () => {
    proposalsOf('kestrel').register(proposal('kestrel_9'))
    expect(proposalsOf('kestrel').names()).toEqual(BUILT_IN)
  })
})

describe('a list of opcode proposals', () => {
  const registry = proposalsOf('kestrel')

  it.each([
    [['kestrel_0', 'kestrel_0'], 'found duplicate EIP: kestrel_0'],
    [['kestrel0'], 'EIP kestrel0 name is not valid'],
    [['kestrel_99'], 'EIP kestrel_99 is not activateable'],
    [['evmos_0'], 'EIP evmos_0 is not activateable'],
    // Checked item by item: the error names the first wrong one.
    [['kestrel_99', 'kestrel_99'], 'EIP kestrel_99 is not activateable'],
    [['kestrel_0', 'kestrel_0', 'x'], 'found duplicate EIP: kestrel_0'],
  ])('%j is refused', (names, words) => {
    expect(() => registry.check(names)).toThrow(ChainError)
    expect(() => registry.check(names)).toThrow(new RegExp(`^${words}$`))
  })

  it('may contain all known proposals', () => {
    expect(() => registry.check(BUILT_IN)).not.toThrow()
    expect(() => applied(registry, BUILT_IN)).not.toThrow()
  })

  it('is applied in order', () => {
    const ordered = proposalsOf('kestrel')
    ordered.register([
      proposal('kestrel_3', (table) => void table.op('ADD').setConstantGas(table.op('ADD').constantGas * 10n)),
      proposal('kestrel_4', (table) => void table.op('ADD').setConstantGas(7n)),
    ])
    const costOfAdd = (...names: string[]) => applied(ordered, names).operations[0x01]?.constantGas
    // ADD costs 3: times ten and then set; set and then times ten.
    expect(costOfAdd()).toBe(3n)
    expect(costOfAdd('kestrel_3')).toBe(30n)
    expect(costOfAdd('kestrel_3', 'kestrel_4')).toBe(7n)
    expect(costOfAdd('kestrel_4', 'kestrel_3')).toBe(70n)
  })

  it('causes an error that names the failing entry', () => {
    const failing = proposalsOf('kestrel')
    failing.register([
      proposal('kestrel_3', (table) => void table.op('NOTHING')),
      proposal('kestrel_4', (table) => void table.op('ADD').setMemorySize(() => 1n)),
      proposal('kestrel_5', (async () => {
        throw new Error('this error is not reported')
      }) as () => void),
      proposal('kestrel_6', (table, { expansionGas, maxStackAtEntry }) => {
        const most = maxStackAtEntry(2, 1)
        table
          .op('ADD')
          .setMemorySize(() => 1n)
          .setDynamicGas(expansionGas)
          .setMaxStack(most, { semantics: 'entry' })
      }),
    ])
    const failures = [
      ['kestrel_3', 'no opcode NOTHING'],
      ['kestrel_4', 'ADD has a memory size and no dynamic gas to pay for it'],
      ['kestrel_5', 'apply must not be asynchronous'],
    ] as const
    for (const [name, detail] of failures) {
      // The message may become revert data, so the words of the module and of the JavaScript engine are in `detail`.
      const refused = { code: 'invalid-params', message: `EIP ${name} failed to activate`, detail }
      expect(() => applied(failing, ['kestrel_0', name])).toThrow(expect.objectContaining(refused))
    }
    expect(() => applied(failing, ['kestrel_6'])).not.toThrow()
  })
})
