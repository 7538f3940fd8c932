import { mkdtempSync, readdirSync, statSync } from 'node:fs'
import { Chain } from './src/chain/chain.ts'
import { createChain } from './src/chain/open.ts'
import { Solo } from './src/consensus/solo.ts'
import { indexer } from './src/indexer/indexer.ts'
import { Runtime } from './src/runtime/runtime.ts'
import { presets } from './src/spec/networks.ts'
import { openStore, openMemoryStore } from './src/state/kv.ts'
import { kzg } from './src/primitives/blobs.ts'
import { ZERO_ADDRESS } from './src/lib/hex.ts'
const disk = process.argv[2] === 'disk'
const n = Number(process.argv[3] ?? 10000)
const dir = mkdtempSync('/tmp/bench/db-')
const store = disk ? await openStore(dir + '/c') : await openMemoryStore()
const spec = presets.kestrel()
await createChain(store, spec, indexer)
const chain = new Chain({ store, runtime: new Runtime(spec, kzg), indexer, limits: { gasCap: 50_000_000n, time: 5000 }, pool: { minTip: 0n, allowUnprotected: true }, onError: console.error })
const solo = new Solo(chain, { automine: true, interval: 0, coinbase: ZERO_ADDRESS, gasLimit: 36_000_000n, onError: console.error })
await solo.start()
const sizes = async () => { const m = new Map<number, {rows: number, bytes: number}>(); for await (const [k, v] of store.scan({ gte: new Uint8Array(0), lt: Uint8Array.of(255) })) { const s = m.get(k[0]!) ?? { rows: 0, bytes: 0 }; s.rows++; s.bytes += k.length + v.length; m.set(k[0]!, s) } return m }
const du = () => disk ? readdirSync(dir + '/c').reduce((s, f) => s + statSync(dir + '/c/' + f).size, 0) : 0
const before = await sizes(); const du0 = du()
const gc = (globalThis as any).gc
for (let i = 0; i < 10; i++) {
  const t = performance.now(); const c = process.cpuUsage()
  await solo.mine(BigInt(n / 10), 1n)
  const u = process.cpuUsage(c)
  gc?.()
  const { heapUsed, rss, arrayBuffers, external } = process.memoryUsage()
  console.log(chain.head.number, (performance.now() - t).toFixed(0), 'ms', ((u.user+u.system)/1000).toFixed(0), 'cpu ms; heap', (heapUsed / 1e6).toFixed(1), 'buffers', (arrayBuffers / 1e6).toFixed(1), 'rss', (rss / 1e6).toFixed(0))
}
const after = await sizes()
let total = 0
for (const [k, s] of after) { const b = before.get(k) ?? { rows: 0, bytes: 0 }; const d = (s.bytes - b.bytes) / n; total += d; console.log('0x' + k.toString(16), ((s.rows - b.rows) / n).toFixed(3), 'rows', d.toFixed(1), 'bytes/block') }
console.log('total', total.toFixed(0), 'disk', ((du() - du0) / n).toFixed(0))
await solo.stop(); await chain.close()
