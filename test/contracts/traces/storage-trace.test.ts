// Reads and writes of storage in the tree of solidityTracer: in call order, by the names of variables, undone where a call fails.
import { encodeFunctionData, type Hex, toHex } from 'viem'
import { expect, it } from 'vitest'
import type { Frame, SolidityTrace } from '../../../src/contracts/solidity-trace.ts'
import { compiledChain, SHOP, SHOP_FILE } from './scenario.ts'

async function shopChain() {
  const chain = await compiledChain(SHOP_FILE, SHOP)
  const { rpc } = chain
  const shop = await chain.deploy('Shop', 1)
  const customer = await chain.deploy('Customer')
  const traced = async (hash: Hex, tracerConfig = { withStorage: true }) =>
    (await rpc('debug_traceTransaction', hash, { tracer: 'solidityTracer', tracerConfig })) as SolidityTrace
  return { ...chain, shop, customer, traced }
}

const TEA = { price: 5n, stock: 10n, name: 'tea', mode: 2 }

/** Messages, events and writes as lines: `2 stock: 10 -> 8`, with their depth before them. */
function linesOf(frame: Frame, depth = 0): string[] {
  const line = (text: string) => `${depth} ${text.replaceAll(/\b0x[0-9a-fA-F]{40}\b/g, 'ADDRESS')}`
  switch (frame.type) {
    case 'EVENT':
      return [line(frame.event)]
    case 'SSTORE':
      return (frame.variables ?? [{ name: 'a slot', before: frame.before ?? '', value: frame.value }]).map(
        ({ name, before, value }) => line(`${name}: ${before} -> ${value}`),
      )
    case 'SLOAD':
    case 'TRANSFER':
      return []
    case 'INTERNAL':
      return (frame.calls ?? []).flatMap((inner) => linesOf(inner, depth))
    default: {
      const { call = frame.type, returns, reason, calls = [] } = frame
      const end = reason === undefined ? (returns === undefined ? '' : ` = ${returns}`) : ` failed: ${reason}`
      return [line(call + end), ...calls.flatMap((inner) => linesOf(inner, depth + 1))]
    }
  }
}

const word = (value: bigint): Hex => toHex(value, { size: 32 })
const UNNAMED = `1 a slot: ${word(0n)} -> ${word(1n)}`

it('writes are in call order with the variables and what they were, also those that a caught failure undoes', async () => {
  const { shop, customer, traced } = await shopChain()
  await customer.call('stock', shop.address, 1n, TEA)
  const lines = [{ item: 1n, count: 2n }]
  const more = [
    { item: 1n, count: 1n },
    { item: 7n, count: 1n },
  ]
  expect(linesOf(await traced(await customer.call('buy', shop.address, lines, more)))).toEqual([
    '0 Customer.buy(shop: ADDRESS, lines: [(item: 1, count: 2)], more: [(item: 1, count: 1), (item: 7, count: 1)])',
    // The compiler has computed the hash of a constant key, so that nothing tells the name.
    UNNAMED,
    '1 Shop.order(lines: [(item: 1, count: 2)]) = Open, total: 10',
    '2 busy: false -> true',
    '2 items[ADDRESS][1].stock: 10 -> 8',
    '2 log.length: 0 -> 1',
    '2 log[0]: 0 -> 1',
    '2 fixedSlots[17]: 0 -> 9',
    '2 Ordered(by: ADDRESS, lines: [(item: 1, count: 2)], first: (price: 5, stock: 8, name: "tea", mode: Sale), mode: Open)',
    '2 busy: true -> false',
    '1 spent: 0 -> 10',
    '1 Customer.inner(shop: ADDRESS, lines: [(item: 1, count: 1), (item: 7, count: 1)]) failed: Missing(item: 7, mode: Closed)',
    // What the failure undoes was 10 and 8 before, and is again behind it.
    '2 spent: 10 -> 12345',
    '2 Shop.order(lines: [(item: 1, count: 1), (item: 7, count: 1)]) failed: Missing(item: 7, mode: Closed)',
    '3 busy: false -> true',
    '3 items[ADDRESS][1].stock: 8 -> 7',
    '3 log.length: 1 -> 2',
    '3 log[1]: 0 -> 1',
    UNNAMED,
  ])
  // The undone writes have left no trace: 8 less 3 is 5, and the next order number is the second.
  expect(linesOf(await traced(await customer.call('buy', shop.address, [{ item: 1n, count: 3n }], more)))).toEqual(
    expect.arrayContaining([
      '2 items[ADDRESS][1].stock: 8 -> 5',
      '2 log.length: 1 -> 2',
      '2 log[1]: 0 -> 1',
      '1 spent: 10 -> 25',
    ]),
  )
})

it('names of texts, arrays and members are found, and those of an implementation for its proxy', async () => {
  const { deploy, shop, customer, traced } = await shopChain()
  const proxy = await deploy('Proxy', shop.address)
  const name = 'a very long name of something that does not fit one slot'
  const trace = await traced(await customer.call('stock', proxy.address, 1n, { ...TEA, name }))
  expect(linesOf(trace).filter((line) => line.startsWith('3'))).toEqual([
    '3 items[ADDRESS][1].price: 0 -> 5',
    '3 items[ADDRESS][1].stock: 0 -> 10',
    // 56 bytes are in two slots behind the hash of the text's own.
    `3 items[ADDRESS][1].name (from byte 0): "" -> ${JSON.stringify(name.slice(0, 32))}`,
    `3 items[ADDRESS][1].name (from byte 32): "" -> ${JSON.stringify(name.slice(32))}`,
    '3 items[ADDRESS][1].name:  -> 56 bytes',
    '3 items[ADDRESS][1].mode: Closed -> Sale',
    `3 byName[${JSON.stringify(name)}]: 0 -> 1`,
  ])
  const reads = JSON.stringify(trace)
  expect(reads).toContain('"name":"eip1967.proxy.implementation","type":"address"')
  expect(linesOf(await traced(await shop.call('shelve', 5n)))).toEqual([
    '0 Shop.shelve(place: 5)',
    '1 rack.places.length: 0 -> 1',
    '1 rack.places[0]: 0 -> 5',
  ])
})

it('reads have the value, and without withStorage there are none', async () => {
  const { shop, traced } = await shopChain()
  const hash = await shop.call('setMotto', 'tea')
  const { calls = [] } = await traced(hash)
  expect(calls).toEqual([
    expect.objectContaining({ type: 'SLOAD', address: shop.address, value: word(0n) }),
    expect.objectContaining({
      type: 'SSTORE',
      variables: [{ name: 'motto', type: 'string', before: '', value: 'tea' }],
    }),
  ])
  expect((await traced(hash, { withStorage: false })).calls).toBeUndefined()
})

it('of very many reads and writes 5,000 each are shown, and the others counted', async () => {
  const { rpc, alice, shop, traced } = await shopChain()
  const data = encodeFunctionData({ abi: shop.abi, functionName: 'spin', args: [7_000n] })
  const hash = (await rpc('eth_sendTransaction', {
    from: alice.address,
    to: shop.address,
    gas: '0x1c9c380',
    data,
  })) as Hex
  const { calls = [], leftOut } = await traced(hash)
  // Each round reads the slot and writes the address in it.
  expect(leftOut).toEqual({ storage: 2 * 2_000, events: 0 })
  expect(calls.filter(({ type }) => type === 'SSTORE')).toHaveLength(5_000)
  expect(calls.filter(({ type }) => type === 'SLOAD')).toHaveLength(5_000)
})
