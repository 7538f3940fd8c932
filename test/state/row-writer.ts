// A process that writes batches as fast as it can until it is killed: `node --import tsx row-writer.ts FOLDER`. Batch i puts
// row i, replaces one of 50 other rows, and moves the head to i. It prints a line for each acknowledged batch.
import { randomFillSync } from 'node:crypto'
import { KEY } from '../../src/state/keyspace.ts'
import { openStore } from '../../src/state/kv.ts'

const store = await openStore(process.argv[2] ?? '', {}, { durable: process.argv[3] === 'late' ? 100 : 'block' })
const head = store.get(KEY.meta('head'))
const first = head === undefined ? 0 : Number(JSON.parse(Buffer.from(head).toString())[1]) + 1
process.stdout.write(`open ${first}\n`)
const noise = randomFillSync(new Uint8Array(200_000))
for (let i = first; ; i++) {
  const value = Uint8Array.from(noise.subarray(0, 20_000 + ((i * 7_919) % 180_000)))
  await store.write([
    { type: 'put', key: KEY.body(BigInt(i)), value },
    { type: 'put', key: KEY.header(BigInt(i % 50)), value },
    { type: 'put', key: KEY.stateVersion(BigInt(i)), value: Buffer.from(`${i}`) },
    { type: 'put', key: KEY.meta('head'), value: Buffer.from(JSON.stringify([`${i}`, i])) },
  ])
  process.stdout.write(`${i}\n`)
}
