import { beforeEach, describe, expect, it } from 'vitest'
import { isProposalName, Params } from '../../src/modules/params.ts'
import { MODULE_ACCOUNT } from '../../src/spec/addresses.ts'
import type { StateView } from '../../src/state/types.ts'
import { emptyView, moduleContext, nativeSpec } from '../support/native.ts'

let view: StateView
let params: Params
beforeEach(async () => {
  view = await emptyView()
  params = new Params(moduleContext(view))
})

describe('params', () => {
  it('keeps names in the order in which they are applied', () => {
    params.initGenesis({ activeProposals: ['kestrel_10', 'kestrel_2'] })
    params.addProposal('kestrel_0')
    expect(params.activeProposals()).toEqual(['kestrel_10', 'kestrel_2', 'kestrel_0'])
    params.addProposal('kestrel_2')
    expect(params.activeProposals()).toEqual(['kestrel_10', 'kestrel_2', 'kestrel_0'])
    params.removeProposal('kestrel_2')
    params.removeProposal('kestrel_7')
    expect(params.activeProposals()).toEqual(['kestrel_10', 'kestrel_0'])
    params.setActiveProposals([])
    expect(params.activeProposals()).toEqual([])
  })

  it('keeps them as a Solidity string[] in slot 0 of the evm module account', () => {
    params.setActiveProposals(['kestrel_0'])
    expect(view.storage(MODULE_ACCOUNT.evm, 0n)).toBe(1n)
    // keccak256 of slot 0; 'kestrel_0' is 9 bytes.
    const element = view.storage(
      MODULE_ACCOUNT.evm,
      0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563n,
    )
    expect(element).toBe(BigInt(`0x${Buffer.from('kestrel_0').toString('hex').padEnd(62, '0')}12`))
  })

  it('refuses a bad list whole', () => {
    params.setActiveProposals(['kestrel_1'])
    expect(() => params.setActiveProposals(['kestrel_0', 'kestrel'])).toThrow('EIP kestrel name is not valid')
    expect(() => params.setActiveProposals(['kestrel_0', 'kestrel_0'])).toThrow('found duplicate EIP: kestrel_0')
    expect(params.activeProposals()).toEqual(['kestrel_1'])
  })

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
    ['kestrel_0_1', false],
    ['kestrel_0\n', false],
  ])('%j is a name: %s', (name, expected) => {
    expect(isProposalName(name)).toBe(expected)
  })

  it('applies the upgrades of its block and no others', () => {
    const at = (height: bigint, addProposals: string[], removeProposals: string[]) => ({
      name: `at ${height}`,
      height,
      addProposals,
      removeProposals,
    })
    const upgrades = [at(5n, ['kestrel_0'], []), at(5n, ['kestrel_1'], []), at(7n, ['kestrel_0'], ['kestrel_1'])]
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
