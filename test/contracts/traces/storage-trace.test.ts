// Reads and writes of storage in the tree of solidityTracer, in call order and by the names of variables.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { compiledChain } from './scenario.ts'

it('tries', async () => {
  const chain = await compiledChain('contracts/Shop.sol', readFileSync(join(import.meta.dirname, 'shop.sol'), 'utf8').replace('Shelf.fill(rack, place);','rack.places.push(place);'))
  const shop = await chain.deploy('Shop', 1)
  const customer = await chain.deploy('Customer')
  const item = { price: 5n, stock: 10n, name: 'tea', mode: 2 }
  const trace = async (hash: string) => await chain.rpc('debug_traceTransaction', hash, { tracer: 'solidityTracer', tracerConfig: { withStorage: true } })
  const hashes = [
  await customer.call('stock', shop.address, 1n, item),
  await customer.call('buy', shop.address, [{ item: 1n, count: 2n }], [{ item: 1n, count: 1n }, { item: 7n, count: 1n }])]
  for (const h of hashes) {
    const show = (f: any, d = ''): void => {
      console.log(d + [f.type, f.call ?? f.function ?? f.event ?? '', f.returns ? `-> ${f.returns}` : '', f.reason ?? '', f.variables ? JSON.stringify(f.variables) : f.slot ?? ''].join(' '))
      for (const c of f.calls ?? []) show(c, `${d}  `)
    }
    show(await trace(h))
  }
  const t = performance.now()
  const big = await chain.rpc('eth_sendTransaction', {from: chain.alice.address, to: shop.address, gas: '0x1c9c380', data: `0x${'9f5de3d8'}`}).catch((e: any) => e)
  expect(1).toBe(1)
})
