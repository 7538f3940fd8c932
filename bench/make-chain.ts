// `npm run bench:chain -- 1000000 DIR` makes the chain that `npm run bench -- --chain DIR` measures; about half an hour and 1 GB
// for a million transactions. An interrupted run continues, and so does one with a greater number.
import { resolve } from 'node:path'
import { kestrel } from './contenders.ts'
import { storeChain } from './stored-chain.ts'

// Exit through the exit handlers, which stop the node.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))

const [total = '', folder] = process.argv.slice(2)
if (!/^[1-9]\d*00$/.test(total) || Number(total) % 200 !== 0 || folder === undefined)
  throw new Error('usage: npm run bench:chain -- TRANSACTIONS DIR (transactions: a multiple of 200)')
await storeChain(kestrel(), resolve(folder), Number(total), (line) => console.warn(line))
