import { readFileSync } from 'node:fs'
import { paramsBlock } from '@ethereumjs/block'
import { Common, Mainnet, type ParamsDict } from '@ethereumjs/common'
import { createEVM, paramsEVM } from '@ethereumjs/evm'
import { createLegacyTx, paramsTx } from '@ethereumjs/tx'
import { paramsVM } from '@ethereumjs/vm'
import { describe, expect, it } from 'vitest'
import { commonFor } from '../../src/evm/ethereumjs/common.ts'
import { withLibraryParams } from '../../src/evm/ethereumjs/params.ts'
import { hexToHash } from '../../src/lib/hex.ts'
import { FORKS } from '../../src/spec/chain-spec.ts'
import { forkRules } from '../../src/spec/fork-rules.ts'
import { blobParamsAt, forkAt, forkId, genesisFork } from '../../src/spec/forks.ts'
import { parseGenesis, parseGenesisText } from '../../src/spec/genesis-file.ts'
import { presets } from '../../src/spec/presets.ts'

const conformance = parseGenesisText(
  readFileSync(new URL('../conformance/execution-apis/genesis.json', import.meta.url), 'utf8'),
)

/** Mainnet's schedule, from go-ethereum's params/config.go. */
const mainnet = parseGenesis({
  config: {
    chainId: 1,
    homesteadBlock: 1_150_000,
    daoForkBlock: 1_920_000,
    daoForkSupport: true,
    eip150Block: 2_463_000,
    eip155Block: 2_675_000,
    eip158Block: 2_675_000,
    byzantiumBlock: 4_370_000,
    constantinopleBlock: 7_280_000,
    petersburgBlock: 7_280_000,
    istanbulBlock: 9_069_000,
    muirGlacierBlock: 9_200_000,
    berlinBlock: 12_244_000,
    londonBlock: 12_965_000,
    arrowGlacierBlock: 13_773_000,
    grayGlacierBlock: 15_050_000,
    terminalTotalDifficulty: '58750000000000000000000',
    shanghaiTime: 1681338455,
    cancunTime: 1710338135,
    pragueTime: 1746612311,
    osakaTime: 1764798551,
    bpo1Time: 1765290071,
    bpo2Time: 1767747671,
    blobSchedule: {
      bpo1: { target: 10, max: 15, baseFeeUpdateFraction: 8346193 },
      bpo2: { target: 14, max: 21, baseFeeUpdateFraction: 11684671 },
    },
  },
  difficulty: '0x400000000',
  gasLimit: 5000,
  alloc: {},
})

describe('forkAt', () => {
  it.each([
    [0, 'homestead'],
    [2, 'homestead'],
    [3, 'tangerineWhistle'],
    [5, 'tangerineWhistle'],
    [6, 'spuriousDragon'],
    [9, 'byzantium'],
    [12, 'constantinople'],
    [15, 'petersburg'],
    [18, 'istanbul'],
    [21, 'muirGlacier'],
    [24, 'berlin'],
    [26, 'berlin'],
    [27, 'london'],
    [30, 'arrowGlacier'],
    [33, 'grayGlacier'],
    [35, 'grayGlacier'],
    [36, 'paris'],
    [38, 'paris'],
    [39, 'shanghai'],
    [41, 'shanghai'],
    [42, 'cancun'],
    [45, 'prague'],
    [48, 'osaka'],
    [51, 'bpo1'],
    [53, 'bpo1'],
    [54, 'bpo2'],
    [1000, 'bpo2'],
  ])('block %i of the execution-apis chain is %s', (number, fork) => {
    // One block each 10 seconds; the merge is block 36.
    expect(forkAt(conformance, { number: BigInt(number), timestamp: BigInt(number) * 10n, merged: number >= 36 })).toBe(
      fork,
    )
  })

  it('activates no fork by timestamp before the merge', () => {
    expect(forkAt(conformance, { number: 1000n, timestamp: 10_000n, merged: false })).toBe('grayGlacier')
  })

  it('takes the last of several forks in one block', () => {
    expect(forkAt(mainnet, { number: 7_280_000n, timestamp: 0n, merged: false })).toBe('petersburg')
  })

  it('ignores `merged` on a chain that begins with proof of stake', () => {
    expect(forkAt(presets.kestrel(), { number: 0n, timestamp: 0n, merged: false })).toBe('bpo2')
  })

  it('returns the fork of block 0', () => {
    expect(genesisFork(conformance)).toBe('homestead')
    expect(genesisFork(mainnet)).toBe('chainstart')
    expect(genesisFork(presets.evmos())).toBe('bpo2')
  })
})

it('the rules of a fork include the forks before it, in the order of the list', () => {
  for (const fork of FORKS) {
    const rules = forkRules(fork)
    expect(FORKS.filter((each) => rules[each])).toEqual(FORKS.slice(0, FORKS.indexOf(fork) + 1))
    expect([rules.fork, Object.isFrozen(rules), forkRules(fork) === rules]).toEqual([fork, true, true])
  }
  expect(forkRules('bpo1')).toMatchObject({ osaka: true, bpo1: true, bpo2: false })
})

describe('blob parameters', () => {
  it('come from the schedule', () => {
    expect(blobParamsAt(conformance, 'paris')).toBeUndefined()
    expect(blobParamsAt(conformance, 'cancun')).toEqual({ target: 3n, max: 6n, baseFeeUpdateFraction: 3338477n })
    expect(blobParamsAt(conformance, 'bpo2')).toEqual({ target: 14n, max: 21n, baseFeeUpdateFraction: 11684671n })
  })

  it('are inherited by a fork without its own', () => {
    expect(blobParamsAt(conformance, 'bpo5')).toEqual({ target: 14n, max: 21n, baseFeeUpdateFraction: 11684671n })
    // The chain has skipped the forks that would have changed them.
    const [cancun] = conformance.blobSchedule
    const skipping = { ...conformance, blobSchedule: new Map(cancun && [cancun]) }
    expect(blobParamsAt(skipping, 'amsterdam')).toEqual({ target: 3n, max: 6n, baseFeeUpdateFraction: 3338477n })
  })
})

describe('fork id', () => {
  // EIP-2124's and go-ethereum's core/forkid test values.
  const MAINNET = hexToHash('0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3')
  it.each([
    [0n, 0n, '0xfc64ec04', 1150000n],
    [1149999n, 0n, '0xfc64ec04', 1150000n],
    [1150000n, 0n, '0x97c2c34c', 1920000n],
    [1920000n, 0n, '0x91d1f948', 2463000n],
    [4370000n, 0n, '0xa00bc324', 7280000n],
    [7280000n, 0n, '0x668db0af', 9069000n],
    [15050000n, 0n, '0xf0afd0e3', 1681338455n],
    [20000000n, 1681338455n, '0xdce96c2d', 1710338135n],
    [30000000n, 1764798550n, '0xc376cf8b', 1764798551n],
    [30000000n, 1767747671n, '0x07c9462e', 0n],
  ])('of mainnet at block %s, time %s', (number, timestamp, hash, next) => {
    expect(forkId(mainnet, MAINNET, { number, timestamp, merged: timestamp > 0n })).toEqual({ hash, next })
  })

  it('includes the merge netsplit block', () => {
    // The response of eth_config recorded on the execution-apis chain.
    const genesis = hexToHash('0x44fd89d504659cd58f48f4796b77a7e7012cf296a2409afa2f6c3cb99b5b3d99')
    expect(forkId(conformance, genesis, { number: 54n, timestamp: 540n, merged: true })).toEqual({
      hash: '0xe272ecbe',
      next: 0n,
    })
  })
})

const LIBRARY_TABLES: ParamsDict[] = [paramsEVM, paramsTx, paramsBlock, paramsVM]

describe('commonFor', () => {
  it('returns one object per spec and fork', () => {
    expect(commonFor(conformance, 'london')).toBe(commonFor(conformance, 'london'))
    expect(commonFor(conformance, 'london')).not.toBe(commonFor(conformance, 'berlin'))
    expect(commonFor(conformance, 'london')).not.toBe(commonFor(mainnet, 'london'))
  })

  it('has the chain id and the fork', () => {
    expect(commonFor(conformance, 'cancun').chainId()).toBe(3503995874084926n)
    expect(commonFor(conformance, 'cancun').hardfork()).toBe('cancun')
    expect(commonFor(conformance, 'london').hardforkBlock('london')).toBe(27n)
    expect(commonFor(conformance, 'cancun').hardforkTimestamp('cancun')).toBe(420n)
  })

  // The library does not know bpo3 to bpo5.
  const known = FORKS.filter((fork) => !forkRules(fork).bpo3)
  it.each(known)('agrees with the library on %s', (fork) => {
    const reference = new Common({ chain: Mainnet, hardfork: fork })
    for (const table of LIBRARY_TABLES) reference.updateParams(table)
    const ours = withLibraryParams(commonFor(mainnet, fork))

    for (const other of known) expect([other, ours.gteHardfork(other)]).toEqual([other, reference.gteHardfork(other)])
    const eips = Array.from({ length: 9000 }, (_, eip) => eip)
    expect(eips.filter((eip) => ours.isActivatedEIP(eip))).toEqual(eips.filter((eip) => reference.isActivatedEIP(eip)))
    expect(ours.consensusType()).toBe(reference.consensusType())

    const names = new Set(
      LIBRARY_TABLES.flatMap((table) => Object.values(table).flatMap((params) => Object.keys(params))),
    )
    expect(names.size).toBeGreaterThan(100)
    for (const name of names) {
      // From BPO1 on the library reads other names and keeps Prague's values in these; ours are equal.
      if (forkRules(fork).bpo1 && /^(max|target)BlobGasPerBlock$/.test(name)) continue
      const expected = attempt(() => reference.param(name))
      for (let time = 0; time < 2; time++) expect([name, attempt(() => ours.param(name))]).toEqual([name, expected])
    }
    if (forkRules(fork).cancun) expect(ours.getBlobGasSchedule()).toEqual(reference.getBlobGasSchedule())
  })

  it('takes blob limits from the spec in every fork', () => {
    const spec = {
      ...conformance,
      blobSchedule: new Map([
        ['cancun', { target: 1n, max: 2n, baseFeeUpdateFraction: 7n }],
        ['bpo4', { target: 30n, max: 40n, baseFeeUpdateFraction: 9n }],
      ] as const),
    }
    expect(commonFor(spec, 'cancun').getBlobGasSchedule()).toEqual({
      targetBlobGasPerBlock: 131072n,
      maxBlobGasPerBlock: 262144n,
      blobGasPriceUpdateFraction: 7n,
    })
    expect(commonFor(spec, 'bpo5').getBlobGasSchedule()).toEqual({
      targetBlobGasPerBlock: 30n * 131072n,
      maxBlobGasPerBlock: 40n * 131072n,
      blobGasPriceUpdateFraction: 9n,
    })
    expect(commonFor(conformance, 'bpo1').getBlobGasSchedule()).toEqual({
      targetBlobGasPerBlock: 10n * 131072n,
      maxBlobGasPerBlock: 15n * 131072n,
      blobGasPriceUpdateFraction: 8346193n,
    })
  })

  it('is immutable; a copy is not', () => {
    const shared = withLibraryParams(commonFor(mainnet, 'cancun'))
    expect(() => shared.setHardfork('london')).toThrow('copy()')
    expect(() => shared.setEIPs([7702])).toThrow('copy()')
    expect(() => shared.updateParams({ 1: { sstoreSetGas: 1 } })).toThrow('copy()')
    expect(() => shared.resetParams({})).toThrow('copy()')

    const own = shared.copy()
    own.updateParams({ 4844: { blobhashGas: 77 } })
    expect([own.param('blobhashGas'), shared.param('blobhashGas')]).toEqual([77n, 3n])
    own.setHardfork('london')
    expect([own.gteHardfork('shanghai'), shared.gteHardfork('shanghai')]).toEqual([false, true])
    expect([own.isActivatedEIP(4844), shared.isActivatedEIP(4844)]).toEqual([false, true])
    expect([own.consensusType(), shared.consensusType()]).toEqual(['pow', 'pos'])
    expect(shared.copy().param('blobhashGas')).toBe(3n)
  })

  it('can be used by EVMs and transactions unchanged', async () => {
    const common = withLibraryParams(commonFor(mainnet, 'prague'))
    const evm = await createEVM({ common })
    const { execResult } = await evm.runCall({
      gasLimit: 100_000n,
      data: Uint8Array.from([0x60, 0x00, 0x60, 0x00, 0xf3]),
    })
    expect(execResult.exceptionError).toBeUndefined()
    expect(createLegacyTx({ gasLimit: 21_000n, gasPrice: 1n }, { common }).common.param('txGas')).toBe(21_000n)
    // A common with listeners would keep its EVMs from being garbage-collected.
    expect(common.events.listenerCount('hardforkChanged')).toBe(0)
  })
})

function attempt<T>(run: () => T): T | string {
  try {
    return run()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
