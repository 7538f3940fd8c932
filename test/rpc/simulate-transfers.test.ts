// Value transfers as logs in eth_simulateV1. Expected values: the method's specification (ERC-7528's address, ERC-20's event)
// and addresses of new contracts computed by viem.
import { encodeFunctionData, getContractAddress, type Hex, keccak256, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import { NATIVE_CONTRACT } from '../../src/spec/addresses.ts'
import { testChain } from '../support/chain.ts'
import { alice, bob, callsOf, code, contract, other, paying, poor, simulate, word } from '../support/simulate.ts'

describe('simulated transfers of value', () => {
  const VALUE = `0x${'ee'.repeat(20)}`
  const topic = keccak256(Buffer.from('Transfer(address,address,uint256)'))
  const transfer = (from: Hex, to: Hex, value: number) => ({
    address: VALUE,
    topics: [topic, word(from), word(to)],
    data: word(value),
  })
  const traced = { traceTransfers: true }

  it('are in the logs in the order of execution', async () => {
    const test = await testChain()
    // Logs, pays bob, logs again; then does the same in a contract that it calls.
    const stateOverrides = {
      [contract]: { code: `0x5f5fa0${paying(bob)}5f5fa0${paying(other, 2)}`, balance: '0x0' },
      [other]: { code: code.log },
    }
    const calls = [
      { from: alice, to: contract, value: '0x5' },
      { from: alice, to: bob, value: '0x1' },
    ]
    const results = await callsOf(test, calls, stateOverrides, traced)
    const log = (address: Hex) => ({ address, topics: [], data: '0x' })
    expect(results[0]?.logs).toMatchObject([
      transfer(alice, contract, 5),
      log(contract),
      transfer(contract, bob, 1),
      log(contract),
      transfer(contract, other, 2),
      log(other),
    ])
    expect(results[1]?.logs).toMatchObject([transfer(alice, bob, 1)])
    expect(results.flatMap(({ logs }) => logs.map(({ logIndex }) => Number(logIndex)))).toEqual([0, 1, 2, 3, 4, 5, 6])
  })

  it('are not part of the block, which is the same without them', async () => {
    const test = await testChain()
    const blocks = [
      {
        stateOverrides: { [contract]: { code: `0x5f5fa0${paying(bob)}` } },
        calls: [{ from: alice, to: contract, value: '0x5' }],
      },
    ]
    const [plain] = await simulate(test, blocks)
    const [shown] = await simulate(test, blocks, traced)
    expect(plain?.calls[0]?.logs).toHaveLength(1)
    expect(shown?.calls[0]?.logs).toHaveLength(3)
    expect(shown?.hash).toBe(plain?.hash)
    expect(shown?.calls[0]?.logs.map(({ blockHash }) => blockHash)).toEqual(Array(3).fill(plain?.hash))
  })

  it('are not shown when they or their callers were reverted', async () => {
    const test = await testChain()
    const stateOverrides = {
      // Pays a contract that pays bob, logs and reverts; then pays bob directly.
      [contract]: { code: `0x${paying(other, 3)}${paying(bob, 1)}` },
      [other]: { code: `0x${paying(bob, 2)}5f5fa05f5ffd` },
      [poor]: { code: `0x${paying(bob, 2)}fe` },
    }
    const calls = [contract, poor, bob].map((to) => ({ from: alice, to, value: '0x5', gas: '0x493e0' }))
    const results = await callsOf(test, calls, stateOverrides, traced)
    expect(results[0]?.logs).toMatchObject([transfer(alice, contract, 5), transfer(contract, bob, 1)])
    expect(results[1]).toMatchObject({ status: '0x0', logs: [] })
    expect(results[2]?.logs).toMatchObject([transfer(alice, bob, 5)])
    // geth counts logs as they are emitted: 1, 2 and 3 were reverted in the first call, 5 and 6 in the second.
    expect(results.flatMap(({ logs }) => logs.map(({ logIndex }) => Number(logIndex)))).toEqual([0, 4, 7])
  })

  it('count in log indices even when reverted: the seventh call’s first log has index 6', async () => {
    const test = await testChain()
    // LOG0 and REVERT; LOG0.
    const stateOverrides = { [contract]: { code: '0x5f5fa05f5ffd' }, [other]: { code: code.log } }
    const failing = Array.from({ length: 6 }, () => ({ from: alice, to: contract, gas: '0x186a0' }))
    const calls = [...failing, { from: alice, to: other }, { from: alice, to: other }]
    for (const traceTransfers of [true, false]) {
      const results = await callsOf(test, calls, stateOverrides, { traceTransfers })
      expect(results.map(({ logs }) => logs.map(({ logIndex }) => logIndex))).toEqual([
        ...Array(6).fill([]),
        ['0x6'],
        ['0x7'],
      ])
    }
    // Each block counts from 0.
    const blocks = await simulate(test, [{ stateOverrides, calls }, { calls: calls.slice(5) }])
    expect(blocks[1]?.calls.map(({ logs }) => logs.map(({ logIndex }) => logIndex))).toEqual([[], ['0x1'], ['0x2']])
  })

  it('are not shown for delegate calls, code calls and calls without value', async () => {
    const test = await testChain()
    // DELEGATECALL to other in a call with value 5, CALLCODE with value 1, CALL with value 0.
    const delegate = `5f5f5f5f73${other.slice(2)}5af450`
    const codeCall = `5f5f5f5f600173${other.slice(2)}5af250`
    const [call] = await callsOf(
      test,
      [{ from: alice, to: contract, value: '0x5' }],
      { [contract]: { code: `0x${delegate}${codeCall}${paying(other, 0)}` }, [other]: { code: '0x00' } },
      traced,
    )
    expect(call?.logs).toMatchObject([transfer(alice, contract, 5)])
  })

  it('are shown for creations and self-destructions', async () => {
    const test = await testChain()
    const created = getContractAddress({ from: alice, nonce: 0n }).toLowerCase() as Hex
    const inner = getContractAddress({ from: created, nonce: 1n }).toLowerCase() as Hex
    // The constructor logs, creates an empty contract with 1 wei, and self-destructs with bob as beneficiary.
    const data = `0x5f5fa05f5f6001f05073${bob.slice(2)}ff`
    const [call] = await callsOf(test, [{ from: alice, data, value: '0x3' }], {}, traced)
    expect(call?.logs).toMatchObject([
      transfer(alice, created, 3),
      { address: created },
      transfer(created, inner, 1),
      transfer(created, bob, 2),
    ])
    expect(call?.logs).toHaveLength(4)
  })

  it('keep the order of logs of native contracts', async () => {
    const test = await testChain()
    const { authorization } = NATIVE_CONTRACT
    const data = encodeFunctionData({
      abi: parseAbi(['function approve(address spender, uint256 amount, string[] methods) returns (bool approved)']),
      args: [bob, 1n, ['MSG_DELEGATE']],
    })
    // Forwards its input to the native contract, and pays bob before and after.
    const forward = `365f5f375f5f365f5f73${authorization.slice(2)}5af150`
    const stateOverrides = { [contract]: { code: `0x${paying(bob)}${forward}${paying(bob)}` } }
    const calls = [
      { from: alice, to: authorization, data },
      { from: alice, to: contract, data, value: '0x2' },
    ]
    const plain = await callsOf(test, calls, stateOverrides)
    const [direct, within] = await callsOf(test, calls, stateOverrides, traced)
    const approval = { address: authorization, topics: [expect.any(String), word(alice), word(bob)] }
    expect(plain.map(({ logs }) => logs.length)).toEqual([1, 1])
    expect(direct?.logs).toMatchObject([approval])
    expect(within?.logs).toMatchObject([
      transfer(alice, contract, 2),
      transfer(contract, bob, 1),
      { address: authorization, topics: [expect.any(String), word(contract), word(bob)] },
      transfer(contract, bob, 1),
    ])
    expect(within?.logs).toHaveLength(4)
  })
})
