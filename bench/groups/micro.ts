// Micro benchmarks: the cost of single parts of the node, measured in this process.
import { encodeDeployData, getContractAddress, type Hex, hexToBytes } from 'viem'
import { BlockChain } from '../../src/chain/block-chain.ts'
import { createChain } from '../../src/chain/open.ts'
import type { Indexer } from '../../src/chain/types.ts'
import { indexer } from '../../src/indexer/indexer.ts'
import { bigToFixed, hexToAddress } from '../../src/lib/hex.ts'
import { keccak256 } from '../../src/lib/keccak.ts'
import { recoverAddress, signHash } from '../../src/primitives/signature.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import { presets } from '../../src/spec/presets.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { StateStore } from '../../src/state/state-store.ts'
import { updateTrie } from '../../src/state/trie.ts'
import type { KvStore, WriteOp } from '../../src/state/types.ts'
import type { Bench, Group, Row, Sample } from '../bench.ts'
import { callData, contractNamed } from '../contracts.ts'
import { CHAIN_ID, deployer, GAS_LIMIT, recipient, senders, sign } from '../senders.ts'

export const micro: Group = {
  name: 'micro',
  title: 'Parts of the node',
  of: 'here',
  rows: async (_, bench) => [
    recovery(bench),
    hashing(bench, 32),
    hashing(bench, 532),
    trie(bench),
    ...(await state(bench)),
    ...(await blocks(bench)),
  ],
}

/** Mean duration of `count` runs, in microseconds. */
const row = (name: string, count: number, use: (index: number) => void): Row => {
  const run = async () => {
    const began = performance.now()
    for (let index = 0; index < count; index++) use(index)
    return { value: ((performance.now() - began) * 1000) / count }
  }
  return { name, unit: 'µs', better: 'less', run }
}

/** Bytes that differ by index. */
const bytesOf = (index: number, size = 32): Uint8Array => bigToFixed(BigInt(index + 1) << 40n, size)

function recovery({ size }: Bench): Row {
  const signed = Array.from({ length: 100 }, (_, index) => {
    const hash = keccak256(bytesOf(index))
    return { hash, ...signHash(hash, bytesOf(7)) }
  })
  return row('recover a sender', size(5000, 100), (index) => {
    const of = signed[index % signed.length]
    if (of === undefined || recoverAddress(of.hash, of.r, of.s, BigInt(of.yParity)) === undefined)
      throw new Error('no sender')
  })
}

function hashing({ size }: Bench, length: number): Row {
  const inputs = Array.from({ length: 256 }, (_, index) => bytesOf(index, length))
  return row(`keccak of ${length} bytes`, size(100_000, 1000), (index) => {
    keccak256(inputs[index % inputs.length] ?? new Uint8Array(0))
  })
}

/** Changes a thousand accounts of a large state and computes the new root and its rows. */
function trie({ size }: Bench): Row {
  const accounts = size(100_000, 2000)
  const changed = size(1000, 100)
  const rows = new Map<string, Uint8Array>()
  const read = (path: string) => rows.get(path)
  let turn = 0
  const update = (indices: readonly number[]): number => {
    turn++
    const changes = indices.map((index) => ({ key: keccak256(bytesOf(index)), value: bytesOf(turn, 80) }))
    const began = performance.now()
    const { writes } = updateTrie(read, changes)
    const took = performance.now() - began
    for (const { path, node } of writes) {
      if (node === null) rows.delete(path)
      else rows.set(path, node)
    }
    return took
  }
  update(Array.from({ length: accounts }, (_, index) => index))
  const step = Math.floor(accounts / changed)
  return {
    name: `trie, ${changed} of ${accounts.toLocaleString('en')} accounts changed`,
    unit: 'ms',
    better: 'less',
    run: async () => ({
      value: update(Array.from({ length: changed }, (_, index) => index * step + (turn % step))),
    }),
  }
}

/** Reads and writes of a view on a state of some accounts and slots. */
async function state({ size }: Bench): Promise<Row[]> {
  const count = size(20_000, 500)
  const store = new StateStore(await openMemoryStore(), -1)
  const contract = hexToAddress(recipient(count))
  const accounts = Array.from({ length: count }, (_, index) => hexToAddress(recipient(index)))
  const first = store.at(-1)
  first.setNonce(contract, 1n)
  for (const [index, of] of accounts.entries()) {
    first.setBalance(of, BigInt(index + 1))
    first.setStorage(contract, BigInt(index), BigInt(index + 1))
  }
  const { rows, codes } = await first.changes()
  const staged = store.stage(rows, codes)
  await store.store.write(staged.ops)
  staged.afterWrite()

  const of = (index: number) => accounts[index % count] ?? contract
  const onView = (name: string, use: (view: typeof first, index: number) => void): Row => ({
    ...row(name, count, () => undefined),
    // Open a new view for each measurement, because a view caches its reads.
    run: () => {
      const view = store.at(0)
      return row(name, count, (index) => use(view, index)).run()
    },
  })
  return [
    onView('read a balance', (view, index) => void view.balance(of(index))),
    onView('read a slot', (view, index) => void view.storage(contract, BigInt(index))),
    onView('write a balance', (view, index) => view.setBalance(of(index), 7n)),
    onView('write a slot', (view, index) => view.setStorage(contract, BigInt(index), 7n)),
  ]
}

/** Builds blocks of token transfers in memory and their index rows. */
async function blocks({ size }: Bench): Promise<Row[]> {
  const transfers = size(1000, 100)
  const spent = { indexing: 0, index: 0, written: 0 }
  const timed: Indexer = {
    ...indexer,
    async block(...given) {
      const began = performance.now()
      const ops = await indexer.block(...given)
      spent.indexing += performance.now() - began
      spent.index += sizeOf(ops)
      return ops
    },
  }
  const memory = await openMemoryStore()
  const store: KvStore = {
    log: memory.log,
    get: (key) => memory.get(key),
    scan: (range) => memory.scan(range),
    consistentReader: () => memory.consistentReader(),
    close: () => memory.close(),
    requireWritable: () => undefined,
    write(batch) {
      spent.written += sizeOf(batch)
      return memory.write(batch)
    },
  }
  const accounts = [deployer, ...senders].map(hexToAddress)
  const spec = presets.kestrel({ chainId: BigInt(CHAIN_ID), accounts, gasLimit: BigInt(GAS_LIMIT) })
  const runtime = new Runtime(spec)
  await createChain(store, spec, timed, runtime)
  const limits = { gasCap: BigInt(GAS_LIMIT), time: 60_000 }
  const pool = { minTip: 0n, allowUnprotected: true }
  const onError = (error: unknown) => {
    throw error
  }
  const chain = new BlockChain({ store, runtime, indexer: timed, limits, pool, onError })

  const { abi, bytecode } = contractNamed('Token')
  const data = encodeDeployData({ abi, bytecode, args: [senders, 10n ** 24n] })
  await chain.submit(hexToBytes(sign(deployer, 0, { data, gas: 5_000_000n })))
  await chain.produce()
  const token = getContractAddress({ from: deployer, nonce: 0n })

  let sent = 0
  const transfer = (): Hex => {
    const call = callData('Token', 'transfer', [recipient(sent % 1000), 1n])
    const from = senders[sent % senders.length] ?? '0x'
    return sign(from, Math.floor(sent++ / senders.length), { to: token, data: call, gas: 100_000n })
  }
  /** Builds one more block; returns the time per transfer. */
  const block = async (): Promise<{ total: number; indexing: number; index: number; written: number }> => {
    for (let count = 0; count < transfers; count++) await chain.submit(hexToBytes(transfer()))
    Object.assign(spent, { indexing: 0, index: 0, written: 0 })
    const began = performance.now()
    await chain.produce()
    const total = performance.now() - began
    const per = (value: number) => value / transfers
    return {
      total: per(total * 1000),
      indexing: per(spent.indexing * 1000),
      index: per(spent.index),
      written: per(spent.written),
    }
  }
  await block()
  const asked = { to: hexToAddress(token), data: hexToBytes(callData('Token', 'balanceOf', [senders[0]])) }
  const calls = size(2000, 20)
  /** Sequential calls without HTTP. */
  const call = async (): Promise<Sample> => {
    const began = performance.now()
    for (let count = 0; count < calls; count++) await chain.call(asked, 'latest')
    return { value: ((performance.now() - began) * 1000) / calls }
  }
  const of = (name: string, unit: string, part: 'total' | 'indexing' | 'index' | 'written'): Row => ({
    name,
    unit,
    better: 'less',
    run: async () => ({ value: (await block())[part] }),
  })
  return [
    { name: 'call of balanceOf', unit: 'µs', better: 'less', run: call },
    of('ERC-20 transfer, its part of a block, in memory', 'µs', 'total'),
    of('ERC-20 transfer, its rows in the index', 'µs', 'indexing'),
    of('ERC-20 transfer, size in the index', 'bytes', 'index'),
    of('ERC-20 transfer, all that is written', 'bytes', 'written'),
  ]
}

const sizeOf = (ops: readonly WriteOp[]): number =>
  ops.reduce((sum, op) => sum + op.key.length + (op.type === 'put' ? op.value.length : 0), 0)
