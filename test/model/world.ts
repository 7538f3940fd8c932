// The chain on which histories run: who has coins, which validators begin, and the parameters, short enough for everything to come
// due within some minutes of chain time.
import { createHash } from 'node:crypto'
import type { Hex } from 'viem'
import { type HDAccount, mnemonicToAccount } from 'viem/accounts'
import { type GenesisValidator, genesis } from './chain.ts'
import { ONE } from './dec.ts'
import type { Address, Params, State } from './state.ts'

export const TIME = 1_800_000_000n
const MNEMONIC = 'test test test test test test test test test test test junk'
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index)
const lower = (address: string): Address => address.toLowerCase() as Address

export const signers = new Map<Address, HDAccount>(
  range(0, 14).map((addressIndex) => {
    const account = mnemonicToAccount(MNEMONIC, { addressIndex })
    return [lower(account.address), account]
  }),
)
const people = [...signers.keys()]
/** Accounts that delegate, vote and grant. */
export const USERS = people.slice(0, 4)
/** The account that may become a clawback vesting account. */
export const VESTER = people.slice(4, 5)
/** Accounts that are, or may become, validators; the first three are from the beginning. */
export const OPERATORS = people.slice(5)
const FIRST = 3
/** Contracts that act for whoever calls them: test/model/actor.sol. */
export const CONTRACTS: Address[] = [`0x${'c1'.repeat(20)}`, `0x${'c2'.repeat(20)}`]
export const ACCOUNTS = [...people, ...CONTRACTS]

const keyOf = (operator: Address): Hex => `0x${createHash('sha256').update(operator).digest('hex')}`
/** The consensus key of an operator and its account: the first 20 bytes of the key's SHA-256. */
export function consensusOf(operator: Address): { key: Hex; consensus: Address } {
  const key = keyOf(operator)
  const hash = createHash('sha256')
    .update(Buffer.from(key.slice(2), 'hex'))
    .digest('hex')
  return { key, consensus: `0x${hash.slice(0, 40)}` }
}

const BALANCE = 100_000n * ONE
const PARAMS: Params = {
  unbondingTime: 60n,
  maxValidators: 3n,
  maxEntries: 3n,
  jailDuration: 20n,
  slashDoubleSign: ONE / 20n,
  slashDowntime: ONE / 100n,
  communityTax: ONE / 50n,
  inflation: 1_234_567_890_123_456_789n,
  inflationShare: (7n * ONE) / 10n,
  minDeposit: 10n * ONE,
  expeditedMinDeposit: 50n * ONE,
  votingPeriod: 40n,
  expeditedVotingPeriod: 20n,
  depositPeriod: 50n,
  grantLife: 300n,
}
const validators: GenesisValidator[] = OPERATORS.slice(0, FIRST).map((operator, index) => ({
  operator,
  consensus: consensusOf(operator).consensus,
  selfDelegation: 100n * ONE + BigInt(index) * 7n,
}))

/** Block 0 of the model. */
export const firstState = (): State =>
  genesis(TIME, PARAMS, new Map(ACCOUNTS.map((account) => [account, BALANCE])), validators)

/** The genesis file of the same chain: that of the preset with other accounts, validators and parameters. */
export function genesisFile(preset: Genesis, actorCode: Hex): object {
  const alloc = Object.fromEntries(
    ACCOUNTS.map((account) => {
      const balance = BALANCE.toString()
      return [account, CONTRACTS.includes(account) ? { balance, nonce: '1', code: actorCode } : { balance }]
    }),
  )
  const rates = { rate: '0.1', maxRate: '0.2', maxChangeRate: '0.01' }
  const kestrel = {
    ...preset.kestrel,
    compat: { ...preset.kestrel.compat, decCoinRaw: true },
    authz: { ...preset.kestrel.authz, granter: 'caller' },
    validators: validators.map(({ operator, selfDelegation }, index) => ({
      operator,
      consensusKey: keyOf(operator),
      moniker: `validator-${index}`,
      commission: rates,
      selfDelegation: selfDelegation.toString(),
      minSelfDelegation: '1',
    })),
    modules: modulesOf(preset.kestrel.modules),
  }
  const contracts = Object.entries(preset.alloc).filter(([, { code }]) => code !== undefined)
  return { ...preset, timestamp: TIME.toString(), alloc: { ...Object.fromEntries(contracts), ...alloc }, kestrel }
}

function modulesOf(preset: Genesis['kestrel']['modules']): object {
  const text = (value: bigint) => value.toString()
  return {
    ...preset,
    authz: { defaultExpiration: Number(PARAMS.grantLife) },
    inflation: { perBlock: text(PARAMS.inflation), stakingShare: '0.7' },
    slashing: { ...preset['slashing'], downtimeJailDuration: Number(PARAMS.jailDuration) },
    staking: {
      params: {
        unbondingTime: Number(PARAMS.unbondingTime),
        maxValidators: Number(PARAMS.maxValidators),
        maxEntries: Number(PARAMS.maxEntries),
      },
    },
    gov: {
      params: {
        votingPeriod: Number(PARAMS.votingPeriod),
        expeditedVotingPeriod: Number(PARAMS.expeditedVotingPeriod),
        maxDepositPeriod: Number(PARAMS.depositPeriod),
        minDeposit: text(PARAMS.minDeposit),
        expeditedMinDeposit: text(PARAMS.expeditedMinDeposit),
      },
    },
  }
}

/** What `kestrel genesis` prints, as far as it is read here. */
export type Genesis = {
  readonly alloc: Readonly<Record<string, { readonly code?: string | undefined }>>
  readonly kestrel: {
    readonly compat?: object | undefined
    readonly authz?: object | undefined
    readonly modules: Readonly<Record<string, object | undefined>>
  }
}
