import { HDNodeWallet, Mnemonic } from 'ethers'
import { describe, expect, it } from 'vitest'
import { hexToAddress } from '../../src/lib/hex.ts'
import { formatGenesis, parseGenesis } from '../../src/spec/genesis-file.ts'
import { FACTORIES } from '../../src/spec/preinstalls.ts'
import { devKeys, devValidatorKeys, presets } from '../../src/spec/presets.ts'

const COIN = 10n ** 18n

/** Accounts of a mnemonic, derived by ethers. */
const accountsOf = (mnemonic: string, indexes: number[]) =>
  indexes.map((index) =>
    hexToAddress(HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(mnemonic), `m/44'/60'/0'/0/${index}`).address),
  )
const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index)

describe('the development keys', () => {
  it.each([...devKeys.kestrel, ...devKeys.evmos, ...devKeys['cosmos-evm'], ...devValidatorKeys])(
    'are those of $mnemonic from index $first',
    (of) => {
      const path = (index: number) => `m/44'/60'/0'/0/${of.first + index}`
      const derived = of.keys.map((_, index) =>
        HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(of.mnemonic), path(index)),
      )
      expect(of.keys).toEqual(derived.map(({ privateKey }) => privateKey))
    },
  )
})

describe('the kestrel preset', () => {
  const spec = presets.kestrel()
  const { alloc } = spec.genesis

  it('is chain 125 with the newest rules from block 0', () => {
    expect(spec).toMatchObject({
      name: 'kestrel',
      chainId: 125n,
      native: { textChainId: 'kestrel_125-1', denom: 'akest', symbol: 'KEST', bech32Prefix: 'kest' },
    })
    expect(spec.genesis).toMatchObject({ gasLimit: 36_000_000n, baseFeePerGas: 10n ** 9n, difficulty: 0n })
    expect(spec.forks.at(-1)).toEqual({ fork: 'bpo2', time: 0n })
    expect(spec.native?.authz.granter).toBe('caller')
  })

  it('has ten known accounts with 10,000 coins each', () => {
    const accounts = devKeys.kestrel.flatMap(({ mnemonic, first, keys }) =>
      accountsOf(mnemonic, range(first, keys.length)),
    )
    expect(accounts).toHaveLength(10)
    expect(accounts[0]).toBe('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')
    for (const account of accounts) expect(alloc.get(account)?.balance).toBe(10_000n * COIN)
    expect([...alloc.keys()].slice(0, 10)).toEqual(accounts)
  })

  it('has three more validators with known keys, and ten coins more than they bond', () => {
    const validators = spec.native?.validators ?? []
    const operators = devValidatorKeys.flatMap(({ mnemonic, first, keys }) =>
      accountsOf(mnemonic, range(first, keys.length)),
    )
    expect(operators).toHaveLength(3)
    expect(validators.map(({ operator }) => operator)).toEqual(operators)
    for (const { operator } of validators) expect(alloc.get(operator)?.balance).toBe(1_010n * COIN)
  })

  it("adds a validator's stake to its balance", () => {
    const operator = hexToAddress('0xBcd4042DE499D14e55001CcbB24a551F3b954096')
    const balanceOf = (balance: bigint) =>
      presets.kestrel({ accounts: [operator], balance }).genesis.alloc.get(operator)?.balance
    expect(balanceOf(5n * COIN)).toBe(1_015n * COIN)
    expect(balanceOf(1_010n * COIN)).toBe(1_010n * COIN)
  })

  it('has the system contracts and factories, with nonce 1', () => {
    expect(alloc.size).toBe(13 + 4 + 5)
    for (const { address, code } of FACTORIES)
      expect(alloc.get(address)).toMatchObject({ balance: 0n, nonce: 1n, code })
    const bare = presets.kestrel({ preinstalls: false }).genesis.alloc
    expect(bare.size).toBe(13 + 4)
    expect(bare.get(hexToAddress('0x000F3df6D732807Ef1319fB7B8bB8522d0Beac02'))?.nonce).toBe(1n)
  })

  it('takes chain id, name, accounts and balance as options', () => {
    const account = hexToAddress(`0x${'ab'.repeat(20)}`)
    const own = presets.kestrel({ chainId: 9n, accounts: [account], balance: 5n, gasLimit: 7n, timestamp: 8n })
    expect(own).toMatchObject({
      chainId: 9n,
      genesis: { gasLimit: 7n, timestamp: 8n },
      native: { textChainId: 'kestrel_9-1' },
    })
    expect(own.genesis.alloc.get(account)?.balance).toBe(5n)
    expect(own.genesis.alloc.has(hexToAddress('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'))).toBe(false)
    expect(presets.kestrel({ accounts: [account] }).genesis.alloc.get(account)?.balance).toBe(10_000n * COIN)
  })

  it('is equal each time it is created', () => {
    expect(presets.kestrel()).toEqual(spec)
  })
})

describe('the evmos preset', () => {
  const spec = presets.evmos()

  it('is the local chain of Evmos’ test suites', () => {
    expect(spec).toMatchObject({
      name: 'evmos',
      chainId: 9000n,
      native: {
        textChainId: 'evmos_9000-1',
        denom: 'aevmos',
        symbol: 'EVMOS',
        bech32Prefix: 'evmos',
        authz: { granter: 'origin' },
        // evmosd v14.1: `allowance(grantee, granter, method)`, min_commission_rate, and no distribution grants.
        compat: { allowanceOrder: 'grantee-first', distributionGrants: false },
        modules: { staking: { params: { minCommissionRate: '0.05' } } },
      },
    })
  })

  it('has the five accounts of local_node.sh', () => {
    const accounts = devKeys.evmos.flatMap(({ mnemonic }) => accountsOf(mnemonic, [0]))
    expect(accounts.map((account) => spec.genesis.alloc.get(account)?.balance)).toEqual([
      10n ** 26n,
      10n ** 21n,
      10n ** 21n,
      10n ** 21n,
      10n ** 21n,
    ])
    expect(spec.native?.validators).toMatchObject([{ operator: accounts[0], selfDelegation: 10n ** 21n }])
  })
})

describe('the cosmos-evm preset', () => {
  const spec = presets['cosmos-evm']()

  it('is the local chain of cosmos/evm’s scripts', () => {
    expect(spec).toMatchObject({
      name: 'cosmos-evm',
      chainId: 262_144n,
      genesis: { baseFeePerGas: 10_000_000n },
      native: {
        textChainId: '9001',
        denom: 'atest',
        symbol: 'TEST',
        bech32Prefix: 'cosmos',
        interfaces: 'cosmos-evm',
        modules: {
          gov: { params: { votingPeriod: 30, maxDepositPeriod: 30, expeditedVotingPeriod: 15 } },
          // x/mint's defaults: 13 % of 100,004,000 coins in 6,311,520 blocks.
          inflation: { perBlock: '2059808096940198240' },
        },
      },
    })
  })

  it('has the accounts dev0 to dev3 of local_node.sh, and its validator’s', () => {
    const accounts = devKeys['cosmos-evm'].flatMap(({ mnemonic }) => accountsOf(mnemonic, [0]))
    expect(accounts.map((account) => spec.genesis.alloc.get(account)?.balance)).toEqual([
      10n ** 21n,
      10n ** 21n,
      10n ** 21n,
      10n ** 21n,
      10n ** 26n,
    ])
    expect(accounts[0]).toBe('0xc6fe5d33615a1c52c08018c47e8bc53646a0e101')
    expect(spec.native?.validators).toMatchObject([{ operator: accounts[4], selfDelegation: 10n ** 21n }])
  })

  it('takes the names of another chain, and the symbol of its denomination', () => {
    const named = presets['cosmos-evm']({ chainId: 9n, textChainId: 'mine-1', bech32Prefix: 'mine', denom: 'aphoton' })
    expect(named).toMatchObject({
      chainId: 9n,
      native: { textChainId: 'mine-1', bech32Prefix: 'mine', denom: 'aphoton', symbol: 'PHOTON' },
    })
    expect(presets['cosmos-evm']({ denom: 'aphoton', symbol: 'X' }).native?.symbol).toBe('X')
  })

  it('reads its own genesis file', () => {
    expect(parseGenesis(formatGenesis(spec))).toEqual(spec)
  })
})
