import { beforeEach, describe, expect, it } from 'vitest'
import { ChainError } from '../../src/lib/errors.ts'
import { evmParamsSchema, Params, upgraded } from '../../src/modules/params.ts'
import { MODULE_ACCOUNT } from '../../src/spec/addresses.ts'
import type { Upgrade } from '../../src/spec/chain-spec.ts'
import type { StateView } from '../../src/state/types.ts'
import { emptyView, moduleContext, nativeSpec } from '../support/native.ts'

let view: StateView
let params: Params
beforeEach(async () => {
  view = await emptyView()
  params = new Params(moduleContext(view))
})

const upgrade = (change: Partial<Upgrade>): Upgrade => ({
  name: 'v2',
  height: 5n,
  addProposals: [],
  removeProposals: [],
  ...change,
})

describe('the parameters of the EVM', () => {
  it('keep names in the order in which they are applied', () => {
    params.initGenesis({ activeProposals: ['kestrel_10', 'kestrel_2'] })
    expect(params.activeProposals()).toEqual(['kestrel_10', 'kestrel_2'])
    params.update({ extraEips: ['kestrel_2', 'kestrel_10', 'kestrel_0'] })
    expect(params.get()).toEqual({ extraEips: ['kestrel_2', 'kestrel_10', 'kestrel_0'] })
    params.setActiveProposals([])
    expect(params.activeProposals()).toEqual([])
  })

  it('store the names as a Solidity string[] in slot 0 of the evm module account', () => {
    params.setActiveProposals(['kestrel_0'])
    expect(view.storage(MODULE_ACCOUNT.evm, 0n)).toBe(1n)
    // keccak256 of slot 0; 'kestrel_0' is 9 bytes.
    const element = view.storage(
      MODULE_ACCOUNT.evm,
      0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563n,
    )
    expect(element).toBe(BigInt(`0x${Buffer.from('kestrel_0').toString('hex').padEnd(62, '0')}12`))
  })

  it('store the base fee floor as a uint256 in slot 1; a change without one keeps it', () => {
    params.initGenesis({ activeProposals: [] })
    expect(view.slots(MODULE_ACCOUNT.evm, 'read').load(1n)).toBe(0n)
    params.initGenesis({ activeProposals: [], minBaseFee: 7n })
    expect(view.storage(MODULE_ACCOUNT.evm, 1n)).toBe(7n)
    params.updateFeeMarket({ minBaseFee: 9n })
    expect(params.feeMarket()).toEqual({ minBaseFee: 9n })
    expect(params.activeProposals()).toEqual([])
  })

  it('refuse the whole list when one entry is invalid', () => {
    params.setActiveProposals(['kestrel_1'])
    expect(() => params.setActiveProposals(['kestrel_0', 'kestrel'])).toThrow('EIP kestrel name is not valid')
    expect(() => params.update({ extraEips: ['kestrel_0', 'kestrel_0'] })).toThrow('found duplicate EIP: kestrel_0')
    expect(params.activeProposals()).toEqual(['kestrel_1'])
  })

  it('check a list with the registry of proposals', () => {
    const asked: (readonly string[])[] = []
    const checkProposals = (names: readonly string[]) => {
      asked.push(names)
      if (names.includes('kestrel_9')) throw new ChainError('not-allowed', 'EIP kestrel_9 is not activateable')
    }
    const checked = new Params(moduleContext(view, { checkProposals }))
    checked.initGenesis({ activeProposals: ['kestrel_0'] })
    expect(() => checked.update({ extraEips: ['kestrel_9'] })).toThrow('EIP kestrel_9 is not activateable')
    expect(checked.activeProposals()).toEqual(['kestrel_0'])
    expect(asked).toEqual([['kestrel_0'], ['kestrel_9']])
  })

  it('apply the upgrades of their block only', () => {
    const upgrades = [
      upgrade({ name: 'a', addProposals: ['kestrel_0'] }),
      upgrade({ name: 'b', addProposals: ['kestrel_1'] }),
      upgrade({ name: 'c', height: 7n, addProposals: ['kestrel_0'], removeProposals: ['kestrel_1'] }),
    ]
    const activeAfter = (number: bigint) => {
      const { block } = moduleContext(view)
      const opened = new Params(moduleContext(view, { spec: { ...nativeSpec, upgrades }, block: { ...block, number } }))
      opened.beginBlock()
      return opened.activeProposals()
    }
    expect(activeAfter(4n)).toEqual([])
    expect(activeAfter(5n)).toEqual(['kestrel_0', 'kestrel_1'])
    expect(activeAfter(6n)).toEqual(['kestrel_0', 'kestrel_1'])
    expect(activeAfter(7n)).toEqual(['kestrel_0'])
  })
})

describe('an upgrade', () => {
  it('appends new entries and keeps the order of the others', () => {
    const active = ['kestrel_10', 'kestrel_2']
    expect(upgraded(active, upgrade({ addProposals: ['kestrel_2', 'kestrel_1'] }))).toEqual([...active, 'kestrel_1'])
    expect(upgraded(active, upgrade({ removeProposals: ['kestrel_10', 'kestrel_7'] }))).toEqual(['kestrel_2'])
    expect(upgraded(active, upgrade({}))).toEqual(active)
  })

  it('replaces the parameters before it adds and removes', () => {
    const change = upgrade({ params: { activeProposals: ['kestrel_5'] }, addProposals: ['kestrel_2', 'kestrel_5'] })
    expect(upgraded(['kestrel_10', 'kestrel_2'], change)).toEqual(['kestrel_5', 'kestrel_2'])
  })
})

describe('the parameter set as JSON', () => {
  it('has one key, accepted in either spelling', () => {
    expect(evmParamsSchema.parse({ extra_eips: ['kestrel_0'] })).toEqual({ extraEips: ['kestrel_0'] })
    expect(evmParamsSchema.parse({ extraEips: [] })).toEqual({ extraEips: [] })
  })

  it.each([
    [{}, 'expected extra_eips'],
    [{ extra_eips: [], extraEips: [] }, 'expected extra_eips'],
    [{ extra_eips: 'kestrel_0' }, 'expected a list of names'],
    [{ extra_eips: [0] }, 'expected a name'],
    [{ extra_eips: [], evm_denom: 'akest' }, 'evm_denom'],
    [null, 'expected object'],
  ])('refuses %j', (json, words) => {
    expect(evmParamsSchema.safeParse(json).error?.issues[0]?.message).toContain(words)
  })
})
