// Requests that eth_simulateV1 refuses, with the error codes of its specification (execution-apis).
import { parseGwei } from 'viem'
import { describe, expect, it } from 'vitest'
import { testChain } from '../support/chain.ts'
import { alice, bob, codeOf, contract, hex, other, poor } from '../support/simulate.ts'

describe('eth_simulateV1 refuses', () => {
  const valid = { validation: true }
  const rich = { maxFeePerGas: hex(parseGwei('2')), maxPriorityFeePerGas: '0x0' }
  const call = { from: alice, to: bob, ...rich }

  const cases: readonly (readonly [string, number, readonly object[], object])[] = [
    [
      'a used nonce',
      -38010,
      [{ stateOverrides: { [alice]: { nonce: '0x2' } }, calls: [{ ...call, nonce: '0x1' }] }],
      valid,
    ],
    ['a future nonce', -38011, [{ calls: [{ ...call, nonce: '0x1' }] }], valid],
    ['a fee below the base fee', -38012, [{ calls: [{ ...call, maxFeePerGas: '0x1' }] }], valid],
    [
      'a fee below the base fee that the request sets',
      -38012,
      [{ blockOverrides: { baseFeePerGas: '0xa' }, calls: [{ ...call, maxFeePerGas: '0x1' }] }],
      {},
    ],
    ['a tip above the fee', -32602, [{ calls: [{ ...call, maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' }] }], {}],
    ['gas below the intrinsic gas', -38013, [{ calls: [{ from: alice, to: bob, gas: '0x5207' }] }], {}],
    // EIP-7623: 21000, plus ten for each of four tokens a byte.
    [
      'gas below the calldata floor',
      -38013,
      [{ calls: [{ from: alice, to: bob, data: `0x${'11'.repeat(1000)}`, gas: hex(60_999) }] }],
      {},
    ],
    ['value without funds', -38014, [{ calls: [{ from: poor, to: bob, value: '0x1' }] }], {}],
    ['fees without funds', -38014, [{ calls: [{ ...call, from: poor }] }], valid],
    [
      'gas above the block limit',
      -38015,
      [{ blockOverrides: { gasLimit: '0x7530' }, calls: [{ ...call, gas: '0x7531' }] }],
      {},
    ],
    [
      'gas above the remaining block gas',
      -38015,
      [{ blockOverrides: { gasLimit: '0x7530' }, calls: [call, { ...call, gas: '0x5208' }] }],
      {},
    ],
    [
      'a block number that does not increase',
      -38020,
      [{ blockOverrides: { number: '0x2' } }, { blockOverrides: { number: '0x2' } }],
      {},
    ],
    ['the number of the base', -38020, [{ blockOverrides: { number: '0x0' } }], {}],
    [
      'a timestamp below that of the previous block',
      -38021,
      [{ blockOverrides: { time: '0x70000000' } }, { blockOverrides: { time: '0x6fffffff' } }],
      {},
    ],
    ['a timestamp below that of the base block', -38021, [{ blockOverrides: { time: '0x1' } }], {}],
    [
      'a gap without enough seconds for its blocks',
      -38021,
      [{ blockOverrides: { number: '0x3', time: hex(1_767_225_600 + 23) } }],
      {},
    ],
    [
      'a precompile that moves to its own address',
      -38022,
      [
        {
          stateOverrides: { [`0x${'2'.padStart(40, '0')}`]: { movePrecompileToAddress: `0x${'2'.padStart(40, '0')}` } },
        },
      ],
      {},
    ],
    [
      'a move of an account that is not a precompile',
      -32000,
      [{ stateOverrides: { [contract]: { movePrecompileToAddress: other } } }],
      {},
    ],
    [
      'a move to an overridden account',
      -32000,
      [
        {
          stateOverrides: {
            [`0x${'2'.padStart(40, '0')}`]: { movePrecompileToAddress: other },
            [other]: { balance: '0x1' },
          },
        },
      ],
      {},
    ],
    [
      'init code of more than 49152 bytes (EIP-3860)',
      -38025,
      [{ calls: [{ from: alice, data: `0x${'00'.repeat(49_153)}` }] }],
      {},
    ],
    ['more than 256 blocks', -38026, Array(257).fill({}), {}],
    ['more than 256 blocks including gaps', -38026, [{ blockOverrides: { number: '0x101' } }], {}],
    ['a number beyond any block', -38026, [{ blockOverrides: { number: hex(2n ** 256n - 1n) } }], {}],
    ['an empty list of blocks', -32602, [], {}],
    ['state and stateDiff', -32602, [{ stateOverrides: { [contract]: { state: {}, stateDiff: {} } } }], {}],
    ['both kinds of fee', -32602, [{ calls: [{ ...call, gasPrice: '0x1' }] }], {}],
    ['another chain', -32602, [{ calls: [{ ...call, chainId: '0x1' }] }], {}],
    ['calls that are not a list', -32602, [{ calls: {} }], {}],
  ]

  it('with the error code of the rule', async () => {
    const test = await testChain()
    const codes: (readonly [string, number | undefined])[] = []
    for (const [name, , blocks, options] of cases) codes.push([name, await codeOf(test, blocks, options)])
    expect(codes).toEqual(cases.map(([name, code]) => [name, code]))
    expect(await codeOf(test, [{}])).toBeUndefined()
  })

  it('the whole request when one of its calls is invalid', async () => {
    const test = await testChain()
    const blocks = [{ calls: [call] }, { calls: [{ from: poor, to: bob, value: '0x1' }] }]
    expect(await test.raw('eth_simulateV1', { blockStateCalls: blocks })).toMatchObject({
      error: { code: -38014, message: `insufficient funds for gas * price + value: address ${poor} have 0 want 1` },
    })
  })

  it('calls that take too long, one alone or several together', async () => {
    const test = await testChain({ limits: { gasCap: 10n ** 12n, time: 50 } })
    const endless = {
      stateOverrides: { [contract]: { code: '0x5b5f56' } },
      calls: [{ from: alice, to: contract, gas: '0xe8d4a51000' }],
      blockOverrides: { gasLimit: '0xe8d4a51000' },
    }
    expect(await codeOf(test, [endless])).toBe(-32005)
    expect(await codeOf(test, Array(256).fill({ calls: Array(8).fill({ from: alice, to: bob }) }))).toBe(-32005)
  })
})
