// The calls of eth_simulateV1 and their results. Expected values: the method's specification (execution-apis), the Yellow
// Paper's gas and the EIPs named in each case.
import { encodeAbiParameters, type Hex, keccak256, toFunctionSelector, toRlp } from 'viem'
import { describe, expect, it } from 'vitest'
import { account, testChain } from '../support/chain.ts'
import {
  alice,
  bob,
  callsOf,
  code,
  codeOf,
  contract,
  hex,
  other,
  poor,
  returning,
  simulate,
  word,
} from '../support/simulate.ts'

describe('simulated calls', () => {
  it('are in the block as unsigned transactions of the type that their fields need', async () => {
    const test = await testChain()
    const [block] = await simulate(
      test,
      [
        {
          stateOverrides: { [poor]: { balance: hex(10n ** 18n) } },
          calls: [
            { from: alice, to: bob },
            { from: alice, to: bob, gasPrice: '0x1', gas: '0x5208' },
            { from: poor },
            { from: alice, to: bob, nonce: '0x63' },
          ],
        },
      ],
      { returnFullTransactions: true },
    )
    expect(block?.transactions).toMatchObject([
      {
        type: '0x2',
        from: alice,
        nonce: '0x0',
        gas: hex(36_000_000),
        gasPrice: '0x0',
        r: '0x0',
        s: '0x0',
        v: '0x0',
        chainId: '0x7d',
      },
      { type: '0x0', from: alice, nonce: '0x1', gas: '0x5208', gasPrice: '0x1', r: '0x0', s: '0x0', v: '0x0' },
      { type: '0x2', from: poor, nonce: '0x0', to: null, input: '0x' },
      { type: '0x2', from: alice, nonce: '0x63' },
    ])
    // EIP-1559: 0x02 and the list of chain id, nonce, fees, gas, to, value, data, access list, v, r, s.
    const first = toRlp(['0x7d', '0x', '0x', '0x', hex(36_000_000) as Hex, bob, '0x', '0x', [], '0x', '0x', '0x'])
    expect(block?.transactions[0]?.hash).toBe(keccak256(`0x02${first.slice(2)}`))
    const second = toRlp(['0x01', '0x01', '0x5208', bob, '0x', '0x', '0x', '0x', '0x'])
    expect(block?.transactions[1]?.hash).toBe(keccak256(second))
  })

  it('have return data, revert data or an error', async () => {
    const test = await testChain()
    // Error(string) "no": MSTOREs of the encoded error, then a REVERT of its 100 bytes.
    const reason =
      `${toFunctionSelector('Error(string)')}${encodeAbiParameters([{ type: 'string' }], ['no']).slice(2)}` as Hex
    const stores = [0, 32, 64, 96].map(
      (at) => `7f${reason.slice(2 + at * 2, 66 + at * 2).padEnd(64, '0')}60${at.toString(16).padStart(2, '0')}52`,
    )
    const calls = await callsOf(
      test,
      [{ to: contract }, { to: other }, { to: contract, data: '0x00' }, { data: code.invalid }, { data: '0x' }].map(
        (call) => ({ from: alice, gas: '0x186a0', ...call }),
      ),
      {
        [contract]: {
          code: `0x3660${(stores.join('').length / 2 + 8).toString(16)}57${stores.join('')}60645ffd5b5f5ffd`,
        },
        [other]: { code: returning('6007') },
      },
    )
    expect(calls[0]).toMatchObject({
      status: '0x0',
      returnData: '0x',
      error: { code: 3, message: 'execution reverted: no', data: reason },
    })
    expect(calls[1]).toMatchObject({ status: '0x1', returnData: word(7), logs: [] })
    expect(calls[1]).not.toHaveProperty('error')
    expect(calls[2]?.error).toEqual({ code: 3, message: 'execution reverted', data: '0x' })
    expect(calls[3]).toMatchObject({ status: '0x0', returnData: '0x', gasUsed: '0x186a0', error: { code: -32015 } })
    expect(calls[3]?.error).not.toHaveProperty('data')
    expect(calls[4]).toMatchObject({ status: '0x1', gasUsed: hex(53_000) })
  })

  it('have maxUsedGas, the gas used before refunds', async () => {
    const test = await testChain()
    // Clearing a slot: 21000, two PUSH0 of 2, SSTORE of a cold slot to zero 5000; 4800 refunded, at most a fifth.
    const [call] = await callsOf(test, [{ from: alice, to: contract }], {
      [contract]: { code: '0x5f5f55', state: { [word(0)]: word(1) } },
    })
    const used = 21_000 + 2 * 2 + 5_000
    expect(call).toMatchObject({ maxUsedGas: hex(used), gasUsed: hex(used - 4_800) })
  })

  it('share one gas budget, bounded by the gas left in the block', async () => {
    const test = await testChain({ limits: { gasCap: 100_000n, time: 5_000 } })
    const transfer = { from: alice, to: bob }
    const blocks = await simulate(
      test,
      [{ calls: [transfer, transfer] }, { blockOverrides: { gasLimit: '0xa410' }, calls: [transfer, transfer] }],
      { returnFullTransactions: true },
    )
    expect(blocks.flatMap(({ transactions }) => transactions.map(({ gas }) => Number(gas)))).toEqual([
      100_000, 79_000, 42_000, 21_000,
    ])
    // The budget is used up: not enough is left for a transfer.
    const many = Array(5).fill(transfer)
    expect(await codeOf(test, [{ calls: many }])).toBe(-38013)
  })

  it('need no nonce, no funds for gas and no private key when validation is off', async () => {
    const test = await testChain()
    const calls = await callsOf(
      test,
      [
        { from: contract, to: bob },
        { from: contract, to: bob, nonce: '0x2a' },
        { from: other, to: bob },
        { from: other, to: bob },
      ],
      { [contract]: { code: '0x00' }, [other]: { nonce: hex(2n ** 64n - 1n) } },
    )
    expect(calls.map(({ status }) => status)).toEqual(['0x1', '0x1', '0x1', '0x1'])
    expect(
      await codeOf(test, [{ stateOverrides: { [other]: { nonce: hex(2n ** 64n - 1n) } }, calls: [{ from: other }] }]),
    ).toBe(-32603)
  })

  it('may be delegations (EIP-7702) and carry blob hashes (EIP-4844)', async () => {
    const test = await testChain()
    const authorization = await account(2).signAuthorization?.({ chainId: 125, contractAddress: contract, nonce: 0 })
    const [block] = await simulate(
      test,
      [
        {
          stateOverrides: { [contract]: { code: returning('6007') }, [other]: { code: returning('5f49') } },
          calls: [
            {
              from: alice,
              to: account(2).address,
              authorizationList: [
                {
                  chainId: '0x7d',
                  address: contract,
                  nonce: '0x0',
                  yParity: hex(authorization?.yParity ?? 0),
                  r: authorization?.r,
                  s: authorization?.s,
                },
              ],
            },
            { from: alice, to: other, blobVersionedHashes: [`0x01${'22'.repeat(31)}`] },
          ],
        },
      ],
      { returnFullTransactions: true },
    )
    expect(block?.calls.map(({ returnData }) => returnData)).toEqual([word(7), `0x01${'22'.repeat(31)}`])
    expect(block?.transactions.map(({ type }) => type)).toEqual(['0x4', '0x3'])
    expect(block).toMatchObject({ blobGasUsed: hex(131_072) })
  })
})
