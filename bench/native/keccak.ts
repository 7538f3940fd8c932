// What native work is compared with: a contract that hashes in a loop, run by our engine in this process.
import { concatHex, getContractAddress, hexToBytes, numberToHex, size } from 'viem'
import { BlockChain } from '../../src/chain/block-chain.ts'
import { createChain } from '../../src/chain/open.ts'
import { indexer } from '../../src/indexer/indexer.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import { presets } from '../../src/spec/presets.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { CHAIN_ID, deployer, GAS_LIMIT, sign } from '../senders.ts'
import { cpuTime } from './cpu-time.ts'

/**
 * Hashes the word in memory, and puts the hash in its place, as often as the first word of the input says; the second word is the first
 * that is hashed. 72 gas a hash.
 */
const LOOP = concatHex([
  '0x5f35', // how many are left
  '0x6020355f52', // mstore(0, the first word)
  '0x5b60205f205f52', // 7: mstore(0, keccak256(0, 32))
  '0x60019003806007', // one less
  '0x5700', // again, unless none is left
])
/** Returns the bytes behind its own ten. */
const DEPLOY = concatHex([
  '0x60',
  numberToHex(size(LOOP), { size: 1 }),
  '0x600a5f3960',
  numberToHex(size(LOOP), { size: 1 }),
  '0x5ff3',
  LOOP,
])

/** Hashes of a piece: about 3 million gas. */
const HASHES = 40_000

/** Returns a function that runs the loop once and returns its nanoseconds of CPU time per gas. */
export async function keccakLoop(): Promise<() => Promise<number>> {
  const store = await openMemoryStore()
  const spec = presets.kestrel({
    chainId: BigInt(CHAIN_ID),
    accounts: [hexToAddress(deployer)],
    gasLimit: BigInt(GAS_LIMIT),
  })
  const runtime = new Runtime(spec)
  await createChain(store, spec, indexer, runtime)
  const limits = { gasCap: BigInt(GAS_LIMIT), time: 60_000 }
  const onError = (error: unknown) => {
    throw error
  }
  const pool = { minTip: 0n, allowUnprotected: true }
  const chain = new BlockChain({ store, runtime, indexer, limits, pool, onError })
  await chain.submit(hexToBytes(sign(deployer, 0, { data: DEPLOY, gas: 1_000_000n })))
  await chain.produce()
  const to = hexToAddress(getContractAddress({ from: deployer, nonce: 0n }))
  // Another seed each time, because the engine remembers hashes.
  let seed = 0
  return async () => {
    const data = hexToBytes(concatHex([numberToHex(HASHES, { size: 32 }), numberToHex(seed++, { size: 32 })]))
    const began = cpuTime()
    const { gasUsed, error } = await chain.call({ to, data }, 'latest')
    if (error !== undefined || gasUsed < 72n * BigInt(HASHES)) throw new Error('the loop did not run')
    return ((cpuTime() - began) * 1000) / Number(gasUsed)
  }
}
