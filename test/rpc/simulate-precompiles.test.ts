// Moved and replaced precompiles in eth_simulateV1 and eth_call. Expected values: node:crypto, EIP-2929.
import { createHash } from 'node:crypto'
import { encodeAbiParameters, toFunctionSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import { NATIVE_CONTRACT } from '../../src/spec/addresses.ts'
import { testChain } from '../support/chain.ts'
import { alice, callsOf, contract, other, poor, returning, simulate, word } from '../support/simulate.ts'

describe('precompiles in eth_simulateV1', () => {
  const sha256 = `0x${'02'.padStart(40, '0')}`
  const identity = `0x${'04'.padStart(40, '0')}`
  const input = '0x1234'
  const digest = `0x${createHash('sha256').update(Buffer.from('1234', 'hex')).digest('hex')}`

  it('move for one block, and leave their old address empty', async () => {
    const test = await testChain()
    const calls = [sha256, other].map((to) => ({ from: alice, to, data: input }))
    const blocks = await simulate(test, [
      { calls },
      { stateOverrides: { [sha256]: { movePrecompileToAddress: other } }, calls },
      { calls },
    ])
    expect(blocks.map((block) => block.calls.map(({ returnData }) => returnData))).toEqual([
      [digest, '0x'],
      ['0x', digest],
      [digest, '0x'],
    ])
  })

  it('are replaced by code, and work at the address they moved to', async () => {
    const test = await testChain()
    const calls = [sha256, identity, other].map((to) => ({ from: alice, to, data: input }))
    const results = await callsOf(test, calls, {
      [sha256]: { code: returning('6007'), movePrecompileToAddress: other },
      [identity]: { balance: '0x1' },
    })
    expect(results.map(({ returnData }) => returnData)).toEqual([word(7), '0x', digest])
  })

  it('stay warm at their old address, and are cold at the new one', async () => {
    const test = await testChain()
    // EIP-2929: BALANCE of a warm address costs 100, of a cold one 2600.
    const balance = (of: string) => `0x73${of.slice(2)}3100`
    const stateOverrides = {
      [sha256]: { movePrecompileToAddress: other },
      [contract]: { code: balance(sha256) },
      [poor]: { code: balance(other) },
    }
    const calls = await callsOf(
      test,
      [{ to: contract }, { to: poor }].map((call) => ({ from: alice, ...call })),
      stateOverrides,
    )
    expect(calls.map(({ gasUsed }) => Number(gasUsed))).toEqual([21_000 + 3 + 100, 21_000 + 3 + 2_600])
  })

  it('of the chain itself work with overridden state, but not when their code is overridden', async () => {
    const test = await testChain()
    const { bank } = NATIVE_CONTRACT
    const call = { from: alice, to: bank, data: `${toFunctionSelector('balances(address)')}${word(poor).slice(2)}` }
    const expected = encodeAbiParameters(
      [{ type: 'tuple[]', components: [{ type: 'address' }, { type: 'uint256' }] }],
      [[[`0x${'00'.repeat(20)}`, 77n]]],
    )
    const [ownState] = await callsOf(test, [call], { [poor]: { balance: '0x4d' }, [bank]: { balance: '0x1' } })
    expect(ownState?.returnData).toBe(expected)
    const [moved, left] = await callsOf(test, [{ ...call, to: other }, call], {
      [poor]: { balance: '0x4d' },
      [bank]: { movePrecompileToAddress: other },
    })
    expect(moved?.returnData).toBe(expected)
    expect(left?.returnData).not.toBe(expected)
    const [replaced] = await callsOf(test, [call], { [bank]: { code: returning('6007') } })
    expect(replaced?.returnData).toBe(word(7))
  })

  it('can be overridden in eth_call too', async () => {
    const { rpc, raw } = await testChain()
    const call = (to: string, overrides: object) => rpc('eth_call', { to, data: input }, 'latest', overrides)
    expect(await call(other, { [sha256]: { movePrecompileToAddress: other } })).toBe(digest)
    expect(await call(sha256, { [sha256]: { movePrecompileToAddress: other } })).toBe('0x')
    expect(await call(sha256, { [sha256]: { code: returning('6007') } })).toBe(word(7))
    const refused = await raw('eth_call', { to: other }, 'latest', { [contract]: { movePrecompileToAddress: other } })
    expect(refused.error).toEqual({ code: -32000, message: `account ${contract} is not a precompile` })
  })
})
