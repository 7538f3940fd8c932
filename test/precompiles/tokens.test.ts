// Coins released from escrow at the end of a block are converted to tokens: the module's calls of the token, which is a test
// contract in Solidity or hand-written bytecode.

import { encodeDeployData, encodeFunctionData, getContractAddress, hexToBytes, toHex } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { buildTable } from '../../src/evm/jump-table.ts'
import { Machine } from '../../src/evm/machine.ts'
import { callFromProtocol } from '../../src/evm/run-native.ts'
import { type Address, hexToAddress, ZERO_ADDRESS } from '../../src/lib/hex.ts'
import { coinOf } from '../../src/modules/erc20/erc20.ts'
import { endBlock, initGenesis, type Modules, openModules } from '../../src/modules/index.ts'
import { nativeContracts } from '../../src/precompiles/index.ts'
import { returnTokens } from '../../src/precompiles/tokens.ts'
import { MODULE_ACCOUNT } from '../../src/spec/addresses.ts'
import { forkRules } from '../../src/spec/fork-rules.ts'
import { presets } from '../../src/spec/presets.ts'
import type { StateView } from '../../src/state/types.ts'
import { token } from '../support/contracts.ts'
import { messageTo } from '../support/messages.ts'
import { alice, bob, emptyView, moduleContext, nativeSpec } from '../support/native.ts'

const TOKEN = hexToAddress(getContractAddress({ from: alice, nonce: 0n }))
const COIN = coinOf(nativeSpec, TOKEN)
const sinks = [{ channel: 'channel-2', behaviour: 'ack-error' }]
const spec = { ...nativeSpec, modules: { erc20: { pairs: [{ address: TOKEN }] }, transfer: { sinks } } }
const rules = forkRules('prague')

let view: StateView
let number: bigint
beforeEach(async () => {
  view = await emptyView()
  view.setBalance(alice, 10n ** 18n)
  number = 1n
  initGenesis(view, spec, 10n ** 18n, { number: 0n, timestamp: 0n, proposer: bob })
  // Alice deploys a token with a supply of 1,000; the module gets 10, against as many of alice's coins.
  view.setNonce(alice, 1n)
  const data = hexToBytes(encodeDeployData({ ...token, args: ['Token', 1_000n] }))
  const deployed = await machine().run(messageTo(null, { from: alice, gasLimit: 5_000_000n, data }))
  expect(deployed.createdAddress).toBe(TOKEN)
  await call(alice, 'transfer', [MODULE_ACCOUNT.erc20, 10n])
  modules().bank.mint(alice, 10n, COIN)
})

const modules = (): Modules => openModules(moduleContext(view, { spec, block: block() }))
const block = () => ({ number, timestamp: 1_700_000_000n + number, proposer: ZERO_ADDRESS })
const machine = () =>
  new Machine({
    spec: presets.kestrel(),
    view,
    natives: nativeContracts(spec, 1n),
    block: block(),
    blockHash: () => undefined,
    deadline: undefined,
    table: buildTable(rules),
  })

async function call(from: Address, functionName: 'transfer' | 'balanceOf', args: readonly unknown[]) {
  const data = encodeFunctionData({ abi: token.abi, functionName, args } as Parameters<typeof encodeFunctionData>[0])
  const { output } = await machine().run(messageTo(TOKEN, { from, data: hexToBytes(data) }))
  return BigInt(toHex(output))
}
const tokens = (of: Address) => call(bob, 'balanceOf', [of])
const send = (amount: bigint) =>
  modules().transfer.send({
    source: { port: 'transfer', channel: 'channel-2' },
    denom: COIN,
    amount,
    sender: alice,
    receiver: 'osmo1whoever',
    memo: '',
    timeout: { height: { revisionNumber: 0n, revisionHeight: 0n }, timestamp: 2n ** 63n },
  })

/** Ends the block as the node does, and begins the next. */
async function next(): Promise<void> {
  const ending = modules()
  endBlock(ending)
  await returnTokens(ending, (message) => callFromProtocol(machine(), undefined, message))
  number++
}

describe('a refund of a token’s coins', () => {
  it('is paid in tokens, and burns the coins', async () => {
    send(4n)
    await next()
    expect([await tokens(alice), modules().bank.supply(COIN)]).toEqual([990n, 10n])
    await next()
    expect([await tokens(alice), await tokens(MODULE_ACCOUNT.erc20)]).toEqual([994n, 6n])
    const { bank } = modules()
    expect([bank.balance(alice, COIN), bank.supply(COIN), bank.balance(MODULE_ACCOUNT.erc20, COIN)]).toEqual([
      6n,
      6n,
      0n,
    ])
  })

  it('does not change the sender’s nonce and balance', async () => {
    const before = [view.nonce(alice), view.balance(alice), view.nonce(MODULE_ACCOUNT.erc20)]
    send(4n)
    await next()
    await next()
    expect([view.nonce(alice), view.balance(alice), view.nonce(MODULE_ACCOUNT.erc20)]).toEqual(before)
  })

  it.each([
    ['reverts', '0x5f5ffd'],
    ['returns false', '0x5f5f5260205ff3'],
    ['uses all gas', '0x5b5f56'],
    ['writes and then fails', '0x60075f55fe'],
  ] as const)('stays a coin when the token %s', async (_, code) => {
    send(4n)
    await next()
    view.setCode(TOKEN, hexToBytes(code))
    view.setStorage(TOKEN, 0n, 0n)
    await next()
    const { bank, transfer } = modules()
    expect([bank.balance(alice, COIN), bank.supply(COIN), view.storage(TOKEN, 0n)]).toEqual([10n, 10n, 0n])
    expect(transfer.invariants()).toEqual([])
    // The record of the refund is deleted, so the conversion is not tried again.
    await next()
    expect(modules().bank.balance(alice, COIN)).toBe(10n)
  })
})
