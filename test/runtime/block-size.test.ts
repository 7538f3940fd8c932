// EIP-7934: from Osaka on a block's RLP has at most MAX_BLOCK_SIZE - SAFETY_MARGIN = 10 * 2^20 - 2 * 2^20 bytes.
import { expect, it } from 'vitest'
import { completeAttributes } from '../../src/chain/payload-attributes.ts'
import { toHex } from '../../src/lib/hex.ts'
import { encodeBlock } from '../../src/primitives/block.ts'
import type { Block, Transaction, Withdrawal } from '../../src/primitives/types.ts'
import { BlockExecution } from '../../src/runtime/block-execution.ts'
import { draftHeader } from '../../src/runtime/draft-header.ts'
import { executeBlock } from '../../src/runtime/execute-block.ts'
import { importBlock } from '../../src/runtime/import-block.ts'
import type { PayloadAttributes } from '../../src/runtime/types.ts'
import type { GenesisSpec } from '../../src/spec/chain-spec.ts'
import { presets } from '../../src/spec/presets.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { StateStore } from '../../src/state/state-store.ts'
import { GWEI, keyAt, signed, smallSpec } from '../chain/support.ts'
import { testChain } from '../support/chain.ts'
import { genesisOn } from '../support/genesis.ts'

const LIMIT = 8 * 2 ** 20

/** Gas for data of zeros only (EIP-7623's floor: 10 for a zero byte). A transaction may use 2^24 gas. */
const gasFor = (zeros: number) => 21_000n + 10n * BigInt(zeros)
const zeros = (key: number, nonce: bigint, size: number): Transaction =>
  signed(key, nonce, { data: new Uint8Array(size), gasLimit: gasFor(size) })

/** Prague or Osaka from block 0, with a limit of 100 million gas. */
function specOf(fork: 'prague' | 'osaka'): GenesisSpec {
  const spec = smallSpec('prague', 200_000_000n)
  return fork === 'prague' ? spec : { ...spec, forks: [...spec.forks, { fork: 'osaka', time: 0n }] }
}

async function genesisOf(spec: GenesisSpec) {
  const view = new StateStore(await openMemoryStore(), -1).at(-1)
  const { runtime, header: parent } = genesisOn(view, spec)
  const draft = completeAttributes(spec, parent, { timestamp: parent.timestamp + 12n })
  return { runtime, parent, draft, view: () => view.fork() }
}
type Genesis = Awaited<ReturnType<typeof genesisOf>>

/** Builds a block on the genesis without checking its size. */
async function sealed({ runtime, draft, view }: Genesis, transactions: readonly Transaction[]): Promise<Block> {
  const state = view()
  const execution = new BlockExecution(runtime, state, { header: draftHeader(runtime, draft, state) }, () => undefined)
  await execution.begin()
  for (const transaction of transactions) await execution.apply(transaction)
  return (await execution.seal([])).block
}

/** A block of exactly `size` bytes: six transactions, the last of which fills the rest with data. */
async function blockOf(genesis: Genesis, size: number): Promise<Block> {
  const five = [0n, 1n, 2n, 3n, 4n].map((nonce) => zeros(0, nonce, 1_400_000))
  const last = 1_300_000
  const first = await sealed(genesis, [...five, zeros(0, 5n, last)])
  // The lengths stay in the same range, so no RLP prefix or header field changes its size.
  const block = await sealed(genesis, [...five, zeros(0, 5n, last + size - encodeBlock(first).length)])
  expect(encodeBlock(block).length).toBe(size)
  return block
}

const imported = ({ runtime, parent, view }: Genesis, block: Block) =>
  importBlock(runtime, view(), block, { parent, totalDifficulty: undefined, recent: [] }, () => undefined)

it('a block of 8,388,608 bytes is accepted, one byte more is refused', async () => {
  const genesis = await genesisOf(specOf('osaka'))
  const largest = await imported(genesis, await blockOf(genesis, LIMIT))
  expect(largest.block.transactions).toHaveLength(6)
  await expect(imported(genesis, await blockOf(genesis, LIMIT + 1))).rejects.toMatchObject({
    code: 'invalid-block',
    message: 'block 1: block RLP-encoded size exceeds maximum: have 8388609 bytes, limit 8388608',
  })
})

it('before Osaka a block may be larger', async () => {
  const genesis = await genesisOf(specOf('prague'))
  const { block } = await imported(genesis, await blockOf(genesis, LIMIT + 1))
  expect(encodeBlock(block).length).toBe(LIMIT + 1)
})

it('a block under construction leaves a transaction that does not fit to the next block, and takes later ones that fit', async () => {
  const genesis = await genesisOf(specOf('osaka'))
  const five = [0n, 1n, 2n, 3n, 4n].map((nonce) => zeros(0, nonce, 1_400_000))
  // The block has more than 7,000,000 bytes: the sixth transaction does not fit, and of the others one does.
  const sixth = zeros(0, 5n, 1_400_000)
  const other = zeros(1, 0n, 1_300_000)
  const later = zeros(1, 1n, 100_000)
  const candidates = [...five, sixth, other, later]
  const build = (draft: PayloadAttributes, list: readonly Transaction[]) =>
    executeBlock(genesis.runtime, genesis.view(), draft, list, () => undefined)
  const { block, refused } = await build(genesis.draft, candidates)
  expect(block.transactions.map(({ hash }) => hash)).toEqual([...five, other].map(({ hash }) => hash))
  expect(refused).toEqual([])
  expect(encodeBlock(block).length).toBeLessThanOrEqual(LIMIT)
  expect(encodeBlock(block).length + 100_000).toBeGreaterThan(LIMIT)
})

// The header is counted as if it ended with the maximum blob gas: 9 blobs of 2^17 take 3 bytes of RLP more than none.
const RESERVED = 3

it.each([0, 1])('a block under construction is filled up, and withdrawals count (%i byte too many)', async (over) => {
  const genesis = await genesisOf(specOf('osaka'))
  const withdrawals = Array.from({ length: 16 }, (_, index): Withdrawal => {
    const { address } = keyAt(0)
    return { index: BigInt(index), validatorIndex: 2n ** 32n, address, amount: 2n ** 60n }
  })
  const draft = { ...genesis.draft, withdrawals }
  const build = async (lastSize: number) => {
    const list = [0n, 1n, 2n, 3n, 4n].map((nonce) => zeros(0, nonce, 1_400_000))
    const last = zeros(0, 5n, lastSize)
    return executeBlock(genesis.runtime, genesis.view(), draft, [...list, last], () => undefined)
  }
  const near = await build(1_300_000)
  const missing = LIMIT - RESERVED - encodeBlock(near.block).length
  const { block } = await build(1_300_000 + missing + over)
  expect(block.transactions).toHaveLength(6 - over)
  const size = encodeBlock(block).length
  expect(over === 0 ? size === LIMIT - RESERVED : size < LIMIT - RESERVED, `${size} bytes`).toBe(true)
})

it('75 transactions of 120,000 bytes are divided into two blocks on a native chain', async () => {
  const { node, rpc, alice } = await testChain({ spec: presets.kestrel({ gasLimit: 1_000_000_000n }), automine: false })
  for (let nonce = 0; nonce < 75; nonce++) {
    const raw = await alice.signTransaction({
      chainId: 125,
      nonce,
      to: alice.address,
      type: 'eip1559',
      gas: gasFor(120_000),
      maxFeePerGas: 100n * GWEI,
      maxPriorityFeePerGas: 1n,
      data: toHex(new Uint8Array(120_000)),
    })
    await node.chain.submit(Buffer.from(raw.slice(2), 'hex'))
  }
  const pending = (await rpc('eth_getBlockByNumber', 'pending', false)) as { transactions: unknown[] }
  await rpc('evm_mine')
  await rpc('evm_mine')
  const blocks = await Promise.all([1n, 2n].map((number) => node.chain.block({ number })))
  // Each transaction has 120,000 bytes of data, and 110 to 130 bytes of other fields and prefixes: 69 have at most 8,288,970
  // bytes, 70 at least 8,407,700.
  expect(pending.transactions).toHaveLength(69)
  expect(blocks.map((block) => block?.transactions.length)).toEqual([69, 6])
}, 60_000)
