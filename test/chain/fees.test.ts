// Fees: the arithmetic against the vectors of geth's tests and against @ethereumjs/block; the suggestions for wallets against a
// small chain calculated by hand.
import { createBlockHeader } from '@ethereumjs/block'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BlockChain } from '../../src/chain/block-chain.ts'
import { type BlobRules, blobBaseFee, nextBaseFee, nextExcessBlobGas } from '../../src/primitives/fees.ts'
import { BURNER, GWEI, openSmallChain, signed, smallSpec } from './support.ts'

const BLOB = 131_072n
const cancun: BlobRules = { target: 3n, max: 6n, baseFeeUpdateFraction: 3_338_477n, reservePrice: false }
const prague: BlobRules = { target: 6n, max: 9n, baseFeeUpdateFraction: 5_007_716n, reservePrice: false }
const osaka: BlobRules = { ...prague, reservePrice: true }

describe('the base fee (EIP-1559)', () => {
  // geth, consensus/misc/eip1559: TestCalcBaseFee.
  it.each([
    ['at the target', 20_000_000n, 10_000_000n, 1_000_000_000n],
    ['below the target', 20_000_000n, 9_000_000n, 987_500_000n],
    ['above the target', 20_000_000n, 11_000_000n, 1_012_500_000n],
  ])('%s', (_, gasLimit, gasUsed, expected) => {
    expect(nextBaseFee({ baseFeePerGas: GWEI, gasLimit, gasUsed })).toBe(expected)
  })

  // V14 of the precompiles' specification.
  it.each([
    [0n, 875_000_000n],
    [21_000n, 875_525_000n],
    [2_500_000n, 937_500_000n],
    [5_000_000n, 1_000_000_000n],
    [7_500_000n, 1_062_500_000n],
    [10_000_000n, 1_125_000_000n],
  ])('V14: after %d of 10 million gas is %d', (gasUsed, expected) => {
    expect(nextBaseFee({ baseFeePerGas: GWEI, gasLimit: 10_000_000n, gasUsed })).toBe(expected)
    expect(nextBaseFee({ baseFeePerGas: 7n, gasLimit: 10_000_000n, gasUsed: 0n })).toBe(7n)
    expect(nextBaseFee({ baseFeePerGas: 1n, gasLimit: 10_000_000n, gasUsed: 10_000_000n })).toBe(2n)
  })

  it('begins with 1 gwei, rises by at least one wei, and falls to zero', () => {
    const block = { gasLimit: 100n, gasUsed: 100n }
    expect(nextBaseFee({ ...block, baseFeePerGas: undefined })).toBe(1_000_000_000n)
    expect(nextBaseFee({ ...block, baseFeePerGas: 0n })).toBe(1n)
    // 7 * 50 / 50 / 8 = 0, so 7 stays; 8 falls by one.
    expect(nextBaseFee({ ...block, gasUsed: 0n, baseFeePerGas: 7n })).toBe(7n)
    expect(nextBaseFee({ ...block, gasUsed: 0n, baseFeePerGas: 8n })).toBe(7n)
    expect(nextBaseFee({ ...block, gasUsed: 50n, baseFeePerGas: 8n })).toBe(8n)
  })

  it('equals that of @ethereumjs/block for any parent', () => {
    const common = new Common({ chain: Mainnet, hardfork: Hardfork.London })
    const parent = fc
      .record({
        gasLimit: fc.bigInt(5_000n, 2n ** 40n),
        share: fc.bigInt(0n, 1_000n),
        baseFeePerGas: fc.bigInt(0n, 2n ** 70n),
      })
      .map(({ share, ...rest }) => ({ ...rest, gasUsed: (rest.gasLimit * share) / 1_000n }))
    fc.assert(
      fc.property(parent, (parent) => {
        const header = createBlockHeader(
          { number: 20_000_000n, ...parent },
          { common, skipConsensusFormatValidation: true },
        )
        expect(nextBaseFee(parent)).toBe(header.calcNextBaseFee())
      }),
    )
  })
})

describe('the blob base fee (EIP-4844)', () => {
  // geth, consensus/misc/eip4844: TestFakeExponential, the cases with factor one.
  it.each([
    [0n, 1n, 1n],
    [2n, 1n, 6n],
    [4n, 2n, 6n],
    [3n, 1n, 16n],
    [6n, 2n, 18n],
    [4n, 1n, 49n],
    [8n, 2n, 50n],
    [5n, 1n, 136n],
    [5n, 2n, 11n],
    [50_000_000n, 2_225_652n, 5_709_098_764n],
  ])('approximates e^(%d/%d)', (excess, baseFeeUpdateFraction, expected) => {
    expect(blobBaseFee(excess, { baseFeeUpdateFraction })).toBe(expected)
  })

  // geth, consensus/misc/eip4844: TestCalcBlobFee.
  it.each([
    [0n, 1n],
    [2_314_057n, 1n],
    [2_314_058n, 2n],
    [10_485_760n, 23n],
  ])('is after an excess of %d', (excess, expected) => {
    expect(blobBaseFee(excess, cancun)).toBe(expected)
  })

  // geth, consensus/misc/eip4844: TestCalcExcessBlobGas; here in blobs instead of gas.
  it.each([
    [0n, 0n, 0n],
    [0n, 1n, 0n],
    [0n, 3n, 0n],
    [0n, 4n, BLOB],
    [1n, 4n, BLOB + 1n],
    [1n, 5n, 2n * BLOB + 1n],
    [3n * BLOB, 3n, 3n * BLOB],
    [3n * BLOB, 2n, 2n * BLOB],
    [3n * BLOB, 1n, BLOB],
    [BLOB - 1n, 2n, 0n],
  ])('carries an excess of %d and %d blobs over', (excessBlobGas, blobs, expected) => {
    const parent = { excessBlobGas, blobGasUsed: blobs * BLOB, baseFeePerGas: GWEI }
    expect(nextExcessBlobGas(parent, cancun)).toBe(expected)
  })

  it('has no excess in the first blocks', () => {
    expect(nextExcessBlobGas({ excessBlobGas: undefined, blobGasUsed: undefined, baseFeePerGas: GWEI }, cancun)).toBe(
      0n,
    )
  })
})

describe('the blob reserve price (EIP-7918)', () => {
  it('keeps the excess while the blob fee is below its execution cost (EIP-7918)', () => {
    // 8192 * 1 gwei is more than 131072 * 1: nine of nine blobs add a third of the gas, and the target is not subtracted.
    const full = { excessBlobGas: 0n, blobGasUsed: 9n * BLOB, baseFeePerGas: GWEI }
    expect(nextExcessBlobGas(full, osaka)).toBe(393_216n)
    expect(nextExcessBlobGas({ ...full, blobGasUsed: 6n * BLOB, excessBlobGas: 5n }, osaka)).toBe(262_149n)
    // 8192 * 16 wei equals 131072 * 1, so the old rule applies.
    expect(nextExcessBlobGas({ ...full, baseFeePerGas: 16n }, osaka)).toBe(3n * BLOB)
    expect(nextExcessBlobGas({ ...full, baseFeePerGas: 17n }, osaka)).toBe(393_216n)
    // Below the target there is no excess by either rule.
    expect(nextExcessBlobGas({ ...full, blobGasUsed: 5n * BLOB }, osaka)).toBe(0n)
  })

  it.each([
    ['cancun', Hardfork.Cancun, cancun],
    ['prague', Hardfork.Prague, prague],
    ['osaka', Hardfork.Osaka, osaka],
  ] as const)('and everything before it, under %s, is that of @ethereumjs/block', (_, hardfork, rules) => {
    const common = new Common({ chain: Mainnet, hardfork })
    const parent = fc.record({
      excessBlobGas: fc.bigInt(0n, 400n * BLOB),
      blobGasUsed: fc.bigInt(0n, rules.max).map((blobs) => blobs * BLOB),
      baseFeePerGas: fc.oneof(fc.bigInt(0n, 100n), fc.bigInt(0n, 100n * GWEI)),
    })
    fc.assert(
      fc.property(parent, (parent) => {
        const header = createBlockHeader({ number: 1n, ...parent }, { common, skipConsensusFormatValidation: true })
        expect(nextExcessBlobGas(parent, rules)).toBe(header.calcNextExcessBlobGas(header.common))
        expect(blobBaseFee(parent.excessBlobGas, rules)).toBe(header.getBlobGasPrice())
      }),
    )
  })
})

/** Blocks of 100,000 gas, thus a target of 50,000. Base fee of block 1: 1 gwei minus an eighth, because block 0 is empty. */
async function smallChain(): Promise<BlockChain> {
  const chain = await openSmallChain({ spec: smallSpec('prague', 100_000n) })
  return chain
}
const transfer = (key: number, nonce: bigint, tip: bigint, maxFeePerGas = 100n * GWEI) =>
  signed(key, nonce, { gasLimit: 21_000n, maxPriorityFeePerGas: tip, maxFeePerGas })
/** A transaction that uses exactly its gas limit. */
const burn = (key: number, nonce: bigint, tip: bigint, gasLimit: bigint) =>
  signed(key, nonce, { to: BURNER, gasLimit, maxPriorityFeePerGas: tip })

async function mine(chain: BlockChain, transactions: readonly ReturnType<typeof signed>[]): Promise<void> {
  for (const { raw } of transactions) await chain.submit(raw)
  const { block } = await chain.produce({ timestamp: chain.head.timestamp + 1n })
  expect(block.transactions.length).toBe(transactions.length)
}

describe('the history of fees', () => {
  it('has base fees, gas used ratios, and tips at percentiles of the gas', async () => {
    const chain = await smallChain()
    // Block 1, base fee 875,000,000: 42,000 gas at 1 gwei, 21,000 at 3 gwei.
    await mine(chain, [transfer(0, 0n, 3n * GWEI), burn(1, 0n, GWEI, 42_000n)])
    // Block 2: 875,000,000 + 875,000,000 * 13,000 / 50,000 / 8 = 903,437,500. The fee cap leaves half of the tip of 1 gwei.
    await mine(chain, [transfer(0, 1n, GWEI, 1_403_437_500n)])
    // Block 3: 903,437,500 - 903,437,500 * 29,000 / 50,000 / 8 = 903,437,500 - 65,499,218 = 837,938,282. Empty.
    await mine(chain, [])
    // Block 4: 837,938,282 - 837,938,282 / 8 = 837,938,282 - 104,742,285 = 733,195,997.
    const { fees, head } = chain
    expect(await fees.history(3, head, [0, 50, 66.6, 67, 100])).toEqual({
      oldestBlock: 1n,
      baseFeePerGas: [875_000_000n, 903_437_500n, 837_938_282n, 733_195_997n],
      gasUsedRatio: [0.63, 0.21, 0],
      baseFeePerBlobGas: [1n, 1n, 1n, 1n],
      blobGasUsedRatio: [0, 0, 0],
      reward: [
        // 66.6 % of 63,000 are 41,958, within the 42,000 gas of the smaller tip; 67 % are 42,210, beyond it.
        [GWEI, GWEI, GWEI, 3n * GWEI, 3n * GWEI],
        [GWEI / 2n, GWEI / 2n, GWEI / 2n, GWEI / 2n, GWEI / 2n],
        [0n, 0n, 0n, 0n, 0n],
      ],
    })
    expect(await fees.history(1, head, undefined)).toMatchObject({
      oldestBlock: 3n,
      gasUsedRatio: [0],
      reward: undefined,
    })
    const second = await chain.header({ number: 2n })
    expect(second && (await fees.history(2, second, []))).toMatchObject({
      oldestBlock: 1n,
      baseFeePerGas: [875_000_000n, 903_437_500n, 837_938_282n],
      reward: undefined,
    })
    // The count is limited to existing blocks.
    expect((await fees.history(1024, head, undefined)).oldestBlock).toBe(0n)
    expect((await fees.history(1024, head, undefined)).baseFeePerGas.length).toBe(5)
  })

  it('ends with the pending block on request', async () => {
    const chain = await smallChain()
    await chain.submit(burn(1, 0n, GWEI, 50_000n).raw)
    const pending = await chain.header('pending')
    // At the target the base fee does not change.
    expect(pending && (await chain.fees.history(2, pending, undefined))).toMatchObject({
      oldestBlock: 0n,
      baseFeePerGas: [GWEI, 875_000_000n, 875_000_000n],
      gasUsedRatio: [0, 0.5],
    })
  })
})

describe('suggested fees', () => {
  it('are a tip of 1 gwei, and a price with a quarter of headroom, without transactions', async () => {
    const chain = await smallChain()
    expect(chain.fees.nextBaseFee()).toBe(875_000_000n)
    expect(chain.fees.maxPriorityFeePerGas()).toBe(GWEI)
    // 875,000,000 + 218,750,000 + 1,000,000,000
    expect(chain.fees.gasPrice()).toBe(2_093_750_000n)
    expect(chain.fees.nextBlobBaseFee()).toBe(1n)
  })

  it('follow the median tip of crowded blocks, and return to the default afterwards', async () => {
    const chain = await smallChain()
    await mine(chain, [transfer(0, 0n, 7n), transfer(1, 0n, 5n), transfer(2, 0n, 6n)])
    expect(chain.fees.maxPriorityFeePerGas()).toBe(6n)
    await mine(chain, [transfer(0, 1n, 9n), transfer(1, 1n, 7n), transfer(2, 1n, 9n)])
    expect(chain.fees.maxPriorityFeePerGas()).toBe(7n)
    // A block with free space: its tip does not count.
    await mine(chain, [transfer(0, 2n, 50n)])
    expect(chain.fees.maxPriorityFeePerGas()).toBe(7n)
    for (let i = 0; i < 17; i++) await mine(chain, [])
    expect(chain.fees.maxPriorityFeePerGas()).toBe(7n)
    // Now the first block is outside the window of twenty.
    await mine(chain, [])
    expect(chain.fees.maxPriorityFeePerGas()).toBe(9n)
    await mine(chain, [])
    expect(chain.fees.maxPriorityFeePerGas()).toBe(GWEI)
    await chain.rewind(1n)
    expect(chain.fees.maxPriorityFeePerGas()).toBe(6n)
  })

  it('suffice while blocks fill up', async () => {
    const chain = await smallChain()
    const price = chain.fees.gasPrice()
    // Three full blocks: 875 * 1.125^3 = 1,246 Mwei of base fee.
    for (let nonce = 0n; nonce < 3n; nonce++) {
      await mine(chain, [burn(1, nonce, GWEI, 100_000n)])
    }
    expect(chain.fees.nextBaseFee()).toBe(1_245_849_609n)
    await mine(chain, [signed(0, 0n, { gasLimit: 21_000n, maxFeePerGas: price, maxPriorityFeePerGas: price })])
  })

  it('include a base fee that was set by hand', async () => {
    const chain = await smallChain()
    let baseFeePerGas: bigint | undefined = 12n
    chain.proposeAttributes(() => ({ baseFeePerGas }))
    expect(chain.fees.nextBaseFee()).toBe(12n)
    // 12 + 3 + 1 gwei
    expect(chain.fees.gasPrice()).toBe(1_000_000_015n)
    baseFeePerGas = undefined
    expect(chain.fees.nextBaseFee()).toBe(875_000_000n)
  })
})
