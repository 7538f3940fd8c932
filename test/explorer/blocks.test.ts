import { expect, it } from 'vitest'
import { testChain } from '../support/chain.ts'
import { api } from './support.ts'
it('tries', async () => {
  const c = await testChain()
  const { read } = api(c.url)
  await c.rpc('eth_sendTransaction', { from: c.alice.address, to: c.bob.address, value: '0x64' })
  const b = await read('/blocks')
  console.log(JSON.stringify(b.items[0], null, 1))
  const t = await read('/transactions')
  console.log(JSON.stringify(t, null, 1))
  for (const p of ['', '/token-transfers', '/internal-transactions', '/logs', '/state-changes', '/raw-trace']) console.log(p, JSON.stringify(await read(`/transactions/${t.items[0].hash}${p}`)))
  for (const p of ['/stats', '/stats/charts/transactions', '/stats/charts/market', '/transactions/stats', '/main-page/blocks', '/main-page/transactions']) console.log(p, JSON.stringify(await read(p)).slice(0,700))
})
