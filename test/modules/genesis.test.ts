import { beforeEach, describe, expect, it } from 'vitest'
import { hexToAddress, ZERO_ADDRESS } from '../../src/lib/hex.ts'
import { beginBlock, initGenesis, openModules } from '../../src/modules/index.ts'
import { MODULE_ACCOUNT, NATIVE_CONTRACT } from '../../src/spec/addresses.ts'
import type { StateView } from '../../src/state/types.ts'
import { emptyView, moduleContext, nativeSpec } from '../support/native.ts'

let view: StateView
beforeEach(async () => {
  view = await emptyView()
})

const block = { number: 0n, timestamp: 1_700_000_000n, proposer: ZERO_ADDRESS }

describe('genesis of the modules', () => {
  it('creates the module accounts with nonce 1 and code 0xfe, and keeps their coins', () => {
    // The Cosmos SDK's fee collector: the first 20 bytes of SHA-256("fee_collector").
    const feeCollector = hexToAddress('0xf1829676DB577682E944fc3493d451B67Ff3E29F')
    view.setBalance(feeCollector, 7n)
    initGenesis(view, nativeSpec, 7n, block)
    for (const of of [feeCollector, NATIVE_CONTRACT.bank, ...Object.values(MODULE_ACCOUNT)]) {
      expect(view.nonce(of)).toBe(1n)
      expect(view.code(of)).toEqual(Uint8Array.of(0xfe))
    }
    expect(view.balance(feeCollector)).toBe(7n)
  })

  it('initializes the supply and the parameters from the specification', () => {
    initGenesis(view, { ...nativeSpec, params: { activeProposals: ['kestrel_0'] } }, 123n, block)
    const { bank, params } = openModules(moduleContext(view, { access: 'read' }))
    expect(bank.supply()).toBe(123n)
    expect(params.activeProposals()).toEqual(['kestrel_0'])
  })

  it('refuses a malformed proposal name', () => {
    const spec = { ...nativeSpec, params: { activeProposals: ['nonsense'] } }
    expect(() => initGenesis(view, spec, 0n, block)).toThrow('EIP nonsense name is not valid')
  })

  it('runs the begin hooks: an upgrade applies from its own block on', () => {
    initGenesis(view, nativeSpec, 0n, block)
    const upgrade = { name: 'first', height: 1n, addProposals: ['kestrel_0'], removeProposals: [] }
    const modules = openModules(moduleContext(view, { spec: { ...nativeSpec, upgrades: [upgrade] } }))
    beginBlock(modules)
    expect(modules.params.activeProposals()).toEqual(['kestrel_0'])
  })
})
