import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ChainError } from '../../src/lib/errors.ts'
import { hexToAddress, hexToHash } from '../../src/lib/hex.ts'
import { formatGenesis, parseGenesis, parseGenesisText } from '../../src/spec/genesis-file.ts'
import { presets } from '../../src/spec/presets.ts'

// The genesis of the execution-apis test chain (CC0), written by go-ethereum's tools.
const conformanceText = readFileSync(new URL('../conformance/execution-apis/genesis.json', import.meta.url), 'utf8')
const conformance = () => JSON.parse(conformanceText)

const BLOCK_FORKS_AT_0 = {
  homesteadBlock: 0,
  eip150Block: 0,
  eip155Block: 0,
  eip158Block: 0,
  byzantiumBlock: 0,
  constantinopleBlock: 0,
  petersburgBlock: 0,
  istanbulBlock: 0,
  berlinBlock: 0,
  londonBlock: 0,
}
/** A small post-merge genesis; `config` and `rest` change it. */
const genesis = (config: object = {}, rest: object = {}) => ({
  config: { chainId: 77, ...BLOCK_FORKS_AT_0, terminalTotalDifficulty: 0, shanghaiTime: 0, cancunTime: 0, ...config },
  difficulty: '0x0',
  gasLimit: '0x1c9c380',
  alloc: {},
  ...rest,
})
const KESTREL = { name: 'falcon', denom: 'afalc', symbol: 'FALC', bech32Prefix: 'falc' }

describe('a geth genesis file', () => {
  it('is read correctly for the execution-apis chain', () => {
    const spec = parseGenesis(conformance())
    expect(spec.forks).toEqual([
      { fork: 'chainstart', block: 0n },
      { fork: 'homestead', block: 0n },
      { fork: 'tangerineWhistle', block: 3n },
      { fork: 'spuriousDragon', block: 6n },
      { fork: 'byzantium', block: 9n },
      { fork: 'constantinople', block: 12n },
      { fork: 'petersburg', block: 15n },
      { fork: 'istanbul', block: 18n },
      { fork: 'muirGlacier', block: 21n },
      { fork: 'berlin', block: 24n },
      { fork: 'london', block: 27n },
      { fork: 'arrowGlacier', block: 30n },
      { fork: 'grayGlacier', block: 33n },
      { fork: 'paris' },
      { fork: 'shanghai', time: 390n },
      { fork: 'cancun', time: 420n },
      { fork: 'prague', time: 450n },
      { fork: 'osaka', time: 480n },
      { fork: 'bpo1', time: 510n },
      { fork: 'bpo2', time: 540n },
    ])
    expect(spec).toMatchObject({
      name: 'ethereum',
      chainId: 3503995874084926n,
      terminalTotalDifficulty: 4732352n,
      mergeNetsplitBlock: 36n,
      depositContract: `0x${'00'.repeat(20)}`,
      native: undefined,
      genesis: {
        gasLimit: 100_000_000n,
        difficulty: 131_072n,
        extraData: '0x68697665636861696e',
        nonce: '0x0000000000000000',
        baseFeePerGas: undefined,
        blobGasUsed: undefined,
        excessBlobGas: undefined,
      },
    })
    expect(spec.blobSchedule.get('bpo1')).toEqual({ target: 10n, max: 15n, baseFeeUpdateFraction: 8346193n })
    expect([...spec.blobSchedule.keys()]).toEqual(['cancun', 'prague', 'osaka', 'bpo1', 'bpo2'])
  })

  it('has accounts with keys without 0x, code and storage', () => {
    const { alloc } = parseGenesis(conformance()).genesis
    expect(alloc.size).toBe(27)
    expect(alloc.get(hexToAddress('0x8dcd17433742f4c0ca53122ab541d0ba67fc27ff'))).toEqual({
      balance: 0n,
      nonce: 0n,
      code: Uint8Array.from([0x62, 0x02, 0xe6, 0x30, 0x60, 0x00, 0xa0]),
      storage: new Map(),
    })
    const withStorage = alloc.get(hexToAddress('0x8bebc8ba651aee624937e7d897853ac30c95a067'))
    expect(withStorage).toMatchObject({ balance: 1n, nonce: 1n })
    expect(withStorage?.storage.size).toBe(3)
  })

  it('may have decimal and hex numbers, strings and numbers, addresses with and without 0x', () => {
    const spec = parseGenesis(
      genesis(
        { chainId: '0x4d', londonBlock: '0' },
        {
          difficulty: 17,
          gasLimit: '30000000',
          nonce: '66',
          timestamp: '0x10',
          alloc: {
            AA00000000000000000000000000000000000000: { balance: '1000' },
            '0xbb00000000000000000000000000000000000000': {
              balance: '0x0a',
              nonce: 3,
              storage: { '0x1': '2a', '02': '0x00' },
            },
          },
        },
      ),
    )
    expect(spec.chainId).toBe(77n)
    expect(spec.genesis).toMatchObject({
      difficulty: 17n,
      gasLimit: 30_000_000n,
      nonce: '0x0000000000000042',
      timestamp: 16n,
    })
    expect(spec.genesis.alloc.get(hexToAddress(`0xaa${'00'.repeat(19)}`))?.balance).toBe(1000n)
    expect(spec.genesis.alloc.get(hexToAddress(`0xbb${'00'.repeat(19)}`))).toMatchObject({
      balance: 10n,
      nonce: 3n,
      storage: new Map([[hexToHash(`0x${'00'.repeat(31)}01`), hexToHash(`0x${'00'.repeat(31)}2a`)]]),
    })
  })

  it('begins with proof of stake when the terminal total difficulty is 0', () => {
    const spec = parseGenesis(genesis())
    expect(spec.terminalTotalDifficulty).toBeUndefined()
    expect(spec.forks).toContainEqual({ fork: 'paris', block: 0n })
    const passed = genesis({ terminalTotalDifficulty: undefined, terminalTotalDifficultyPassed: true })
    expect(parseGenesis(passed)).toEqual(spec)
  })

  it('has exactly the fields of the fork of block 0, as in geth', () => {
    expect(parseGenesis(genesis()).genesis).toMatchObject({
      baseFeePerGas: 10n ** 9n,
      blobGasUsed: 0n,
      excessBlobGas: 0n,
    })
    expect(parseGenesis(genesis({}, { baseFeePerGas: '0x7', excessBlobGas: 5 })).genesis).toMatchObject({
      baseFeePerGas: 7n,
      excessBlobGas: 5n,
    })
    const frontier = { ...genesis({}, { baseFeePerGas: '0x7' }), config: { chainId: 5 } }
    expect(parseGenesis(frontier)).toMatchObject({
      forks: [{ fork: 'chainstart', block: 0n }],
      terminalTotalDifficulty: undefined,
      genesis: { baseFeePerGas: undefined, blobGasUsed: undefined },
    })
  })

  it('activates petersburg with constantinople, and leaves the DAO fork out when it is not supported', () => {
    const { londonBlock, berlinBlock, istanbulBlock, petersburgBlock, ...early } = BLOCK_FORKS_AT_0
    const config = { chainId: 5, ...early, constantinopleBlock: 4, daoForkBlock: 0 }
    expect(parseGenesis({ ...genesis(), config }).forks.slice(-2)).toEqual([
      { fork: 'constantinople', block: 4n },
      { fork: 'petersburg', block: 4n },
    ])
    expect(parseGenesis({ ...genesis(), config }).forks.some(({ fork }) => fork === 'dao')).toBe(false)
    expect(parseGenesis({ ...genesis(), config: { ...config, daoForkSupport: true } }).forks).toContainEqual({
      fork: 'dao',
      block: 0n,
    })
  })

  it('may have unknown keys, which are ignored', () => {
    const file = genesis({ clique: { period: 5 }, ethash: {}, somethingNew: 1 }, { comment: 'ours', slotNumber: null })
    expect(parseGenesis(file)).toEqual(parseGenesis(genesis()))
  })

  it('has mainnet’s blob limits by default, but none for later BPO forks', () => {
    const schedule = parseGenesis(
      genesis({ pragueTime: 5, blobSchedule: { cancun: { target: 1, max: 2, baseFeeUpdateFraction: 9 } } }),
    ).blobSchedule
    expect([...schedule]).toEqual([
      ['cancun', { target: 1n, max: 2n, baseFeeUpdateFraction: 9n }],
      ['prague', { target: 6n, max: 9n, baseFeeUpdateFraction: 5007716n }],
    ])
  })

  it('has the blob limits of Prague for Osaka too, as go-ethereum since 1.17', () => {
    const own = { target: 4, max: 8, baseFeeUpdateFraction: 9 }
    const { blobSchedule } = parseGenesis(genesis({ pragueTime: 5, osakaTime: 6, blobSchedule: { prague: own } }))
    expect(blobSchedule.get('osaka')).toEqual({ target: 4n, max: 8n, baseFeeUpdateFraction: 9n })
  })

  it('may have numbers that a double would round', () => {
    const text = conformanceText
      .replace('4732352', '58750000000000000000000')
      .replace('"0xc097ce7bc90715b34b9f1000000000"', '1000000000000000000001')
    const spec = parseGenesisText(text)
    expect(spec.terminalTotalDifficulty).toBe(58_750_000_000_000_000_000_000n)
    expect([...spec.genesis.alloc.values()].some(({ balance }) => balance === 10n ** 21n + 1n)).toBe(true)
    expect(parseGenesisText(conformanceText)).toEqual(parseGenesis(conformance()))
  })
})

describe('the kestrel section of a genesis file', () => {
  it('has defaults for every field', () => {
    expect(parseGenesis({ ...genesis(), kestrel: KESTREL })).toMatchObject({
      name: 'falcon',
      native: {
        textChainId: 'falcon_77-1',
        denom: 'afalc',
        symbol: 'FALC',
        bech32Prefix: 'falc',
        feeMarket: { burnBaseFee: false },
        clock: 'non-decreasing',
        transactionGasCap: undefined,
        boundedWork: false,
        authz: { granter: 'caller' },
        proposals: [],
        params: { activeProposals: [] },
        upgrades: [],
        validators: [],
        modules: {},
      },
    })
  })

  it('is read with every field', () => {
    const kestrel = {
      ...KESTREL,
      textChainId: 'falcon-7',
      feeMarket: { burnBaseFee: true },
      clock: 'strictly-increasing',
      transactionGasCap: '0x1000000',
      boundedWork: true,
      authz: { granter: 'origin' },
      compat: { allowanceOrder: 'grantee-first', decCoinRaw: true },
      proposals: [{ name: 'falcon_9', sha256: 'AB'.repeat(32), since: 5 }],
      params: { activeProposals: ['falcon_1', 'falcon_0'] },
      upgrades: [{ name: 'v2', height: 10, addProposals: ['falcon_2'] }],
      validators: [
        {
          operator: `0x${'11'.repeat(20)}`,
          moniker: 'one',
          commission: { rate: '0.05', maxRate: '1', maxChangeRate: '0.010000000000000001' },
          selfDelegation: '1000000000000000000',
        },
      ],
      modules: { gov: { votingPeriod: 30 } },
    }
    expect(parseGenesis({ ...genesis(), kestrel }).native).toEqual({
      textChainId: 'falcon-7',
      denom: 'afalc',
      symbol: 'FALC',
      bech32Prefix: 'falc',
      feeMarket: { burnBaseFee: true },
      clock: 'strictly-increasing',
      transactionGasCap: 16_777_216n,
      boundedWork: true,
      authz: { granter: 'origin' },
      compat: { allowanceOrder: 'grantee-first', entriesAsStruct: false, decCoinRaw: true, distributionGrants: true },
      proposals: [{ name: 'falcon_9', sha256: `0x${'ab'.repeat(32)}`, since: 5n }],
      params: { activeProposals: ['falcon_1', 'falcon_0'] },
      upgrades: [{ name: 'v2', height: 10n, addProposals: ['falcon_2'], removeProposals: [] }],
      validators: [
        {
          operator: `0x${'11'.repeat(20)}`,
          consensusKey: undefined,
          moniker: 'one',
          commission: { rate: 50_000_000_000_000_000n, maxRate: 10n ** 18n, maxChangeRate: 10_000_000_000_000_001n },
          selfDelegation: 10n ** 18n,
          minSelfDelegation: 1n,
        },
      ],
      modules: { gov: { votingPeriod: 30 } },
    })
  })
})

describe('writing and reading a genesis file', () => {
  const mainnetLike = genesis(
    {
      daoForkBlock: 0,
      daoForkSupport: true,
      muirGlacierBlock: 2,
      berlinBlock: 2,
      londonBlock: 3,
      mergeNetsplitBlock: 9,
      terminalTotalDifficulty: '58750000000000000000000',
      depositContractAddress: '0x00000000219ab540356cbb839cbe05303d7705fa',
    },
    {
      nonce: '0x42',
      extraData: '0x11bb',
      alloc: { [`0x${'cc'.repeat(20)}`]: { balance: '5', code: '0xfe', storage: { '0x01': '0x02' } } },
    },
  )
  it.each([
    ['execution-apis', () => parseGenesis(conformance())],
    ['proof of stake', () => parseGenesis(genesis())],
    ['no forks', () => parseGenesis({ ...genesis(), config: { chainId: 5 } })],
    ['mainnet-like', () => parseGenesis(mainnetLike)],
    ['large chain id', () => parseGenesis(genesis({ chainId: '0xffffffffffffffffffffffff' }))],
    ['kestrel', () => presets.kestrel()],
    ['evmos', () => presets.evmos({ preinstalls: false })],
    ['cosmos-evm', () => presets['cosmos-evm']({ preinstalls: false })],
  ])('%s', (_, make) => {
    const spec = make()
    const written = formatGenesis(spec)
    expect(parseGenesis(written)).toEqual(spec)
    expect(parseGenesisText(JSON.stringify(written))).toEqual(spec)
  })

  it('writes geth field names and numbers', () => {
    expect(formatGenesis(parseGenesis(conformance()))).toMatchObject({
      config: {
        chainId: 3503995874084926,
        eip155Block: 6,
        eip158Block: 6,
        bpo2Time: 540,
        terminalTotalDifficulty: 4732352,
      },
      difficulty: '0x20000',
      gasLimit: '0x5f5e100',
    })
    expect(formatGenesis(parseGenesis(genesis()))).not.toHaveProperty('kestrel')
  })
})

describe('the refusal of a genesis file names the field', () => {
  const cases: [string, unknown, string][] = [
    ['nothing', null, 'genesis: expected object'],
    ['no config', { ...genesis(), config: undefined }, 'config: expected object'],
    ['no chain id', genesis({ chainId: undefined }), 'config.chainId: expected a whole number'],
    ['chain id 0', genesis({ chainId: 0 }), 'config.chainId: expected a number above 0'],
    ['chain id text', genesis({ chainId: 'one' }), 'config.chainId: expected a whole number'],
    ['negative fork', genesis({ londonBlock: -1 }), 'config.londonBlock: expected a whole number'],
    [
      'rounded number',
      genesis({ terminalTotalDifficulty: 5.875e22 }),
      'config.terminalTotalDifficulty: expected a number this large as a string',
    ],
    ['no gas limit', { ...genesis(), gasLimit: undefined }, 'gasLimit: expected a whole number of up to 64 bits'],
    [
      'gas limit too large',
      { ...genesis(), gasLimit: `0x1${'0'.repeat(16)}` },
      'gasLimit: expected a whole number of up to 64 bits',
    ],
    ['no difficulty', { ...genesis(), difficulty: undefined }, 'difficulty: expected'],
    ['no alloc', { ...genesis(), alloc: undefined }, 'alloc: expected'],
    ['block number', { ...genesis(), number: '-1' }, 'number: expected a whole number'],
    [
      'code size',
      { ...genesis(), config: { ...genesis().config, contractSizeLimit: '0x100000000' } },
      'config.contractSizeLimit: expected at most',
    ],
    ['odd extra data', { ...genesis(), extraData: '0x123' }, 'extraData: expected hex of whole bytes'],
    ['short mix hash', { ...genesis(), mixHash: '0x12' }, 'mixHash: expected 32 bytes of hex'],
    ['bad address', { ...genesis(), alloc: { '0x12': {} } }, 'alloc.0x12: expected an address'],
    [
      'bad balance',
      { ...genesis(), alloc: { ['aa'.repeat(20)]: { balance: '1.5' } } },
      `alloc.${'aa'.repeat(20)}.balance: expected a whole number`,
    ],
    [
      'bad storage',
      { ...genesis(), alloc: { ['aa'.repeat(20)]: { storage: { zz: '0x1' } } } },
      `alloc.${'aa'.repeat(20)}.storage: expected a storage word`,
    ],
    [
      'address twice',
      { ...genesis(), alloc: { ['aa'.repeat(20)]: {}, [`0x${'AA'.repeat(20)}`]: {} } },
      `alloc.0x${'AA'.repeat(20)}: expected each address once`,
    ],
    ['a Verkle fork', genesis({ ubtTime: 2_000_000_000 }), 'config.ubtTime: this node cannot execute that fork'],
    ['verkle', genesis({ verkleTime: 0 }), 'config.verkleTime: this node cannot execute that fork'],
    [
      'gap in the forks',
      genesis({ istanbulBlock: undefined }),
      'config.istanbulBlock: expected a value, because berlinBlock is set',
    ],
    ['forks out of order', genesis({ istanbulBlock: 5, berlinBlock: 4 }), 'config.berlinBlock: expected at least 5'],
    ['times out of order', genesis({ shanghaiTime: 7, cancunTime: 6 }), 'config.cancunTime: expected at least 7'],
    [
      'gap in the times',
      genesis({ cancunTime: undefined, pragueTime: 5 }),
      'config.cancunTime: expected a value, because pragueTime is set',
    ],
    [
      'EIP-155 apart',
      genesis({ eip155Block: 0, eip158Block: 1 }),
      'config.eip155Block: expected the same block as eip158Block',
    ],
    [
      'no merge',
      genesis({ terminalTotalDifficulty: undefined }),
      'config.terminalTotalDifficulty: expected a value, because shanghaiTime is set',
    ],
    [
      'merge before london',
      { ...genesis(), config: { chainId: 1, terminalTotalDifficulty: 5 } },
      'config.londonBlock: expected a value',
    ],
    ['stake before london', genesis({ londonBlock: 5 }), 'config.londonBlock: expected 0'],
    [
      'BPO without limits',
      genesis({ pragueTime: 0, osakaTime: 0, bpo1Time: 0 }),
      'config.blobSchedule.bpo1: expected target, max and baseFeeUpdateFraction',
    ],
    [
      'half a schedule',
      genesis({ blobSchedule: { cancun: { target: 3 } } }),
      'config.blobSchedule.cancun.max: expected a whole number',
    ],
    [
      'no update fraction',
      genesis({ blobSchedule: { cancun: { target: 3, max: 6, baseFeeUpdateFraction: 0 } } }),
      'config.blobSchedule.cancun.baseFeeUpdateFraction: expected a number above 0',
    ],
    ['unknown clock', { ...genesis(), kestrel: { ...KESTREL, clock: 'sundial' } }, 'kestrel.clock: expected'],
    [
      'gas cap below the minimum of a transaction',
      { ...genesis(), kestrel: { ...KESTREL, transactionGasCap: 20_999 } },
      'kestrel.transactionGasCap: expected at least 21000',
    ],
    [
      'unknown field in the kestrel section',
      { ...genesis(), kestrel: { ...KESTREL, burn: true } },
      'kestrel.burn: unknown field',
    ],
    [
      'unknown nested field',
      { ...genesis(), kestrel: { ...KESTREL, feeMarket: { burnBaseFee: true, x: 1 } } },
      'kestrel.feeMarket.x: unknown field',
    ],
    [
      'no denomination',
      { ...genesis(), kestrel: { ...KESTREL, denom: undefined } },
      'kestrel.denom: expected a denomination',
    ],
    [
      'base fee floor of more than 64 bits',
      { ...genesis(), kestrel: { ...KESTREL, feeMarket: { minBaseFee: (2n ** 64n).toString() } } },
      'kestrel.feeMarket.minBaseFee: expected a whole number of up to 64 bits',
    ],
    [
      'initial base fee below the floor',
      { ...genesis(), baseFeePerGas: '0x6', kestrel: { ...KESTREL, feeMarket: { minBaseFee: 7 } } },
      'baseFeePerGas: expected at least kestrel.feeMarket.minBaseFee, 7',
    ],
    [
      'wrong type',
      { ...genesis(), kestrel: { ...KESTREL, feeMarket: { burnBaseFee: 'yes' } } },
      'kestrel.feeMarket.burnBaseFee: expected boolean',
    ],
    [
      'bad granter',
      { ...genesis(), kestrel: { ...KESTREL, authz: { granter: 'anyone' } } },
      'kestrel.authz.granter: expected',
    ],
    [
      'bad proposal',
      { ...genesis(), kestrel: { ...KESTREL, params: { activeProposals: ['falcon'] } } },
      'kestrel.params.activeProposals.0: EIP falcon name is not valid',
    ],
    [
      'proposal twice',
      { ...genesis(), kestrel: { ...KESTREL, params: { activeProposals: ['falcon_0', 'falcon_0'] } } },
      'kestrel.params.activeProposals.1: found duplicate EIP: falcon_0',
    ],
  ]
  it.each(cases)('%s', (_, file, message) => {
    const error = (() => {
      try {
        parseGenesis(file)
      } catch (thrown) {
        return thrown
      }
    })()
    expect(error).toBeInstanceOf(ChainError)
    expect(error).toMatchObject({ code: 'invalid-genesis', message: expect.stringContaining(message) })
    const said = error instanceof Error ? error.message : ''
    expect(said.startsWith(message)).toBe(true)
    expect(said).not.toContain('\n')
  })

  it('or reports text that is not JSON', () => {
    expect(() => parseGenesisText('{\n"config":\n}\n')).toThrow(/^genesis: expected JSON: [^\n]+$/)
  })
})
