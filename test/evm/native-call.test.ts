// A native contract run by the machine: its view of the message, and its writes and logs when an outer frame fails. These tests
// detect changes of the library.

import { encodeAbiParameters, encodeFunctionData, hexToBytes, parseAbi } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { buildTable } from '../../src/evm/jump-table.ts'
import { Machine } from '../../src/evm/machine.ts'
import { type Address, hexToAddress, ZERO_ADDRESS } from '../../src/lib/hex.ts'
import { createNativeAccount } from '../../src/modules/module.ts'
import { definePrecompile, implement } from '../../src/precompiles/define.ts'
import { namedAbi } from '../../src/precompiles/named-abi.ts'
import { NATIVE_CONTRACT } from '../../src/spec/addresses.ts'
import { forkRules } from '../../src/spec/fork-rules.ts'
import { presets } from '../../src/spec/presets.ts'
import type { StateView } from '../../src/state/types.ts'
import { messageTo } from '../support/messages.ts'
import { alice, emptyView, nativeSpec } from '../support/native.ts'

const abi = parseAbi([
  'function note(uint256 amount) returns (address caller, address origin)',
  'function supply() view returns (uint256 amount)',
  'event Noted(address indexed caller, uint256 amount)',
])
const trial = definePrecompile({
  name: 'trial',
  address: NATIVE_CONTRACT.bank,
  since: 0n,
  abi: namedAbi(abi),
  functions: implement(namedAbi(abi), {
    gas: { note: 0n, supply: 0n },
    functions: {
      note(call, amount) {
        call.modules.bank.adjustSupply(amount)
        call.emit('Noted', { caller: call.caller, amount })
        return [call.caller, call.origin]
      },
      supply: ({ modules }) => [modules.bank.supply()],
    },
  }),
})

// Contracts that forward their calldata and return or revert with the return data.
const at = (tail: string): Address => hexToAddress(`0x${'c0'.repeat(18)}${tail}`)
const BEGIN = '365f5f37' // CALLDATACOPY
const END = (jump: string) => `3d5f5f3e60${jump}573d5ffd5b3d5ff3` // RETURNDATACOPY; REVERT or RETURN
const calling = (to: string) => `0x${BEGIN}5f5f365f5f73${to.slice(2)}5af1${END('2a')}`
const notCalling = (op: string, to: string) => `0x${BEGIN}5f5f365f73${to.slice(2)}5a${op}${END('29')}`
/** CALLs, and reverts whatever the outcome. */
const reverting = (to: string) => `0x${BEGIN}5f5f365f5f73${to.slice(2)}5af15f5ffd`
/** CALLs, and continues whatever the outcome. */
const trying = (to: string) => `0x${BEGIN}5f5f365f5f73${to.slice(2)}5af100`

const caller = at('0001')
const staticCaller = at('0002')
const delegateCaller = at('0003')
const staticAbove = at('0004')
const reverter = at('0005')
const trier = at('0006')
const codeCaller = at('0007')

let view: StateView
beforeEach(async () => {
  view = await emptyView()
  createNativeAccount(view, trial.address)
  view.setCode(caller, hexToBytes(calling(trial.address) as `0x${string}`))
  view.setCode(staticCaller, hexToBytes(notCalling('fa', trial.address) as `0x${string}`))
  view.setCode(delegateCaller, hexToBytes(notCalling('f4', trial.address) as `0x${string}`))
  view.setCode(codeCaller, hexToBytes(calling(trial.address).replace('5af1', '5af2') as `0x${string}`))
  view.setCode(staticAbove, hexToBytes(notCalling('fa', caller) as `0x${string}`))
  view.setCode(reverter, hexToBytes(reverting(trial.address) as `0x${string}`))
  view.setCode(trier, hexToBytes(trying(reverter) as `0x${string}`))
})

/** Gas of a native call for writing an empty slot: a read and a new word. */
const STORED = 200n + 22_100n

const rules = forkRules('prague')

async function send(to: Address, data: `0x${string}`, gasLimit = 1_000_000n) {
  const machine = new Machine({
    spec: presets.kestrel(),
    view,
    table: buildTable(rules),
    natives: new Map([[trial.address, trial.on(nativeSpec, (_, error) => Promise.reject(error))]]),
    block: { number: 1n, timestamp: 1n, proposer: ZERO_ADDRESS },
    blockHash: () => undefined,
    deadline: undefined,
  })
  const { failure, output, logs, gasUsed } = await machine.run(
    messageTo(to, { from: alice, data: hexToBytes(data), gasLimit }),
  )
  return {
    error: failure?.message,
    output: Buffer.from(output).toString('hex'),
    logs: logs.map(({ address }) => address),
    gas: gasUsed,
  }
}

const note = encodeFunctionData({ abi, functionName: 'note', args: [5n] })
const supply = encodeFunctionData({ abi, functionName: 'supply' })
const noted = () => view.storage(trial.address, 0n)
const pair = (a: Address, b: Address) =>
  encodeAbiParameters([{ type: 'address' }, { type: 'address' }], [a, b]).slice(2)
const WRITE_PROTECTION = Buffer.from('write protection').toString('hex')

describe('a native contract', () => {
  it('can be called by a transaction', async () => {
    const result = await send(trial.address, note)
    expect(result).toEqual({
      error: undefined,
      output: pair(alice, alice),
      logs: [trial.address],
      gas: 2_960n + STORED,
    })
    expect(noted()).toBe(5n)
  })

  it('can be called by a contract, which it sees as its caller', async () => {
    const result = await send(caller, note)
    expect(result).toMatchObject({ error: undefined, logs: [trial.address], output: pair(caller, alice) })
    expect(noted()).toBe(5n)
  })

  it.each([
    ['STATICCALL', staticCaller],
    ['a CALL below a STATICCALL', staticAbove],
    ['DELEGATECALL', delegateCaller],
    ['CALLCODE', codeCaller],
  ])('refuses to write under %s, and answers a view', async (_, through) => {
    const refused = await send(through, note)
    expect(refused.error).toBe('execution reverted')
    expect(refused.output).toContain(WRITE_PROTECTION)
    expect(refused.gas).toBeLessThan(20_000n)
    expect(noted()).toBe(0n)
    expect(await send(through, supply)).toMatchObject({ error: undefined, output: '0'.repeat(64) })
  })

  it('has its writes and logs reverted with the outer frame', async () => {
    const result = await send(trier, note)
    expect(result).toMatchObject({ error: undefined, logs: [] })
    expect(noted()).toBe(0n)
    expect(view.code(trial.address)).toEqual(Uint8Array.of(0xfe))
  })

  it('consumes all gas when it runs out of gas', async () => {
    expect(await send(trial.address, note, 2_959n)).toMatchObject({ error: 'out of gas', gas: 2_959n, output: '' })
    expect(noted()).toBe(0n)
  })
})
