import { decodeFunctionResult, encodeFunctionData, hexToBytes, parseAbi, toHex, zeroAddress } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { hexToAddress } from '../../src/lib/hex.ts'
import { initGenesis, openModules } from '../../src/modules/index.ts'
import { installContracts, nativeContracts, PRECOMPILES } from '../../src/precompiles/index.ts'
import { NATIVE_CONTRACT } from '../../src/spec/addresses.ts'
import type { StateView } from '../../src/state/types.ts'
import { alice, bob, emptyView, moduleContext, nativeCall, nativeSpec, runNow } from '../support/native.ts'

// The interface as published by Evmos.
const abi = parseAbi([
  'struct Balance { address contractAddress; uint256 amount; }',
  'function balances(address account) view returns (Balance[] balances)',
  'function totalSupply() view returns (Balance[] totalSupply)',
  'function supplyOf(address erc20Address) view returns (uint256 totalSupply)',
])

let view: StateView
beforeEach(async () => {
  view = await emptyView()
  view.setBalance(alice, 12n)
  initGenesis(view, nativeSpec, 12n, { number: 0n, timestamp: 0n, proposer: bob })
})

const contract = nativeContracts(nativeSpec, 0n).get(NATIVE_CONTRACT.bank)
function ask(data: `0x${string}`) {
  const { error, output, gasUsed } = runNow(contract, nativeCall(view, hexToBytes(data), { isStatic: true }))
  expect(error).toBeUndefined()
  return { data: toHex(output), gasUsed }
}

describe('bank precompile', () => {
  it('lists the base coin of an account under the zero address', () => {
    const { data, gasUsed } = ask(encodeFunctionData({ abi, functionName: 'balances', args: [alice] }))
    expect(decodeFunctionResult({ abi, functionName: 'balances', data })).toEqual([
      { contractAddress: zeroAddress, amount: 12n },
    ])
    // 1000 + 3 * 32 + 2851
    expect(gasUsed).toBe(3_947n)
  })

  it('lists nothing for an account without coins', () => {
    const { data } = ask(encodeFunctionData({ abi, functionName: 'balances', args: [bob] }))
    expect(decodeFunctionResult({ abi, functionName: 'balances', data })).toEqual([])
  })

  it('returns the total supply, and the supply by contract', () => {
    const all = ask(encodeFunctionData({ abi, functionName: 'totalSupply' }))
    expect(decodeFunctionResult({ abi, functionName: 'totalSupply', data: all.data })).toEqual([
      { contractAddress: zeroAddress, amount: 12n },
    ])
    expect(all.gasUsed).toBe(3_477n)
    const supplyOf = (token: `0x${string}`) => {
      const { data } = ask(encodeFunctionData({ abi, functionName: 'supplyOf', args: [token] }))
      return decodeFunctionResult({ abi, functionName: 'supplyOf', data })
    }
    expect(supplyOf(zeroAddress)).toBe(12n)
    expect(supplyOf(bob)).toBe(0n)
  })
})

describe('coins other than the base coin', () => {
  const TOKEN = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
  beforeEach(() => {
    const { bank, erc20 } = openModules(moduleContext(view))
    const pair = { isEnabled: true, name: '', symbol: '', decimals: 0n }
    erc20.register({ ...pair, token: hexToAddress(TOKEN), denom: `erc20/${TOKEN}` })
    bank.mint(alice, 5n, `erc20/${TOKEN}`)
    bank.mint(alice, 6n, 'nobody/knows')
  })

  it('are listed by their contracts, with gas for each one', () => {
    const listed = [
      { contractAddress: zeroAddress, amount: 12n },
      { contractAddress: TOKEN, amount: 5n },
    ]
    const held = ask(encodeFunctionData({ abi, functionName: 'balances', args: [alice] }))
    expect(decodeFunctionResult({ abi, functionName: 'balances', data: held.data })).toEqual(listed)
    expect(held.gasUsed).toBe(3_947n + 2_851n)
    const all = ask(encodeFunctionData({ abi, functionName: 'totalSupply' }))
    expect(decodeFunctionResult({ abi, functionName: 'totalSupply', data: all.data })).toEqual(listed)
    expect(all.gasUsed).toBe(3_477n + 2_477n)
    const one = ask(encodeFunctionData({ abi, functionName: 'supplyOf', args: [TOKEN] }))
    expect(decodeFunctionResult({ abi, functionName: 'supplyOf', data: one.data })).toBe(5n)
  })
})

describe('the registry of native contracts', () => {
  it('is sorted by address, without duplicates', () => {
    const addresses = PRECOMPILES.map(({ address }) => address)
    expect(addresses).toEqual([...new Set(addresses)].sort())
    // Slashing and IBC have contracts only if the genesis has their sections.
    const { slashing, ibc } = NATIVE_CONTRACT
    const always = addresses.filter((address) => address !== slashing && address !== ibc)
    expect([...nativeContracts(nativeSpec, 0n).keys()]).toEqual(always)
    const whole = { ...nativeSpec, modules: { ...nativeSpec.modules, slashing: {}, ibc: {} } }
    expect([...nativeContracts(whole, 0n).keys()]).toEqual(addresses)
  })

  it("creates a contract's account at its first block", async () => {
    const fresh = await emptyView()
    installContracts(fresh, nativeSpec, 1n)
    expect(fresh.account(NATIVE_CONTRACT.bank)).toBeUndefined()
    installContracts(fresh, nativeSpec, 0n)
    expect([fresh.nonce(NATIVE_CONTRACT.bank), fresh.code(NATIVE_CONTRACT.bank)]).toEqual([1n, Uint8Array.of(0xfe)])
  })
})
