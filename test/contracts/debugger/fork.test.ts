// The debugger on a fork: transactions of the fork, with state of the forked chain, and transactions from before it.
import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem'
import { expect, it } from 'vitest'
import { debuggedChain, debuggerOf } from '../../support/debugger.ts'
import { forkOf } from '../../support/forked.ts'

const abi = parseAbi(['function buy(uint256, string)'])
const buy = encodeFunctionData({ abi, functionName: 'buy', args: [7n, 'gift'] })
const hundred = encodeAbiParameters(parseAbiParameters('uint256'), [100n])

it('a fork debugs its own transactions and those from before', async () => {
  const origin = await debuggedChain('scenario.sol')
  const shop = await origin.create('Shop', hundred)
  const before = await origin.send({ to: shop.address, data: buy })
  await using fork = await forkOf({ url: `${origin.node.url}/rpc` })
  const rpc = (method: string, ...params: unknown[]) => fork.request(method, params)
  await rpc('hardhat_addCompilationResult', '0.8.30', origin.input, origin.output)
  const own = await rpc('eth_sendTransaction', { from: origin.address, to: shop.address, data: buy, gas: '0x200000' })
  for (const [hash, first] of [
    [own, 130],
    [before, 100],
  ] as const) {
    const { open, move } = debuggerOf(rpc, { transaction: hash })
    expect(await open()).toMatchObject({ failure: null, first: 0, calls: { function: 'Shop.buy' } })
    const at = await move({ from: 0, go: 'line', file: origin.path, line: 39 })
    expect(at.variables).toContainEqual({ name: 'paid', type: 'uint256', value: '15', kind: 'return' })
    expect(at.slots.map(({ value }) => Number(value))).toEqual([first + 30])
  }
  const { move } = debuggerOf(rpc, { transaction: own })
  const { storage } = await move({ to: 'end' })
  expect(storage?.map(({ name, value }) => [name, value.toLowerCase()])).toEqual([
    ['owner', origin.address],
    ['total', '160'],
    [expect.stringMatching(/^spent\[/), '160'],
  ])
})
