// A large state, grown in every way that users can grow it, around the accounts of the samples in `matrix-samples.ts`. The
// modules build it without a chain, in seconds.
import { createHash } from 'node:crypto'
import { hexToBytes } from 'viem'
import { type Address, hexToAddress, ZERO_ADDRESS } from '../../src/lib/hex.ts'
import { MESSAGE } from '../../src/modules/authz/messages.ts'
import { readErc20Genesis } from '../../src/modules/erc20/erc20.ts'
import { wholeVote } from '../../src/modules/gov/tally.ts'
import { beginBlock, endBlock, initGenesis, type Modules, openModules } from '../../src/modules/index.ts'
import { installContracts, PRECOMPILES } from '../../src/precompiles/index.ts'
import type { GenesisValidator, NativeSpec } from '../../src/spec/chain-spec.ts'
import type { View } from '../../src/state/view.ts'
import { account } from '../support/chain.ts'
import { emptyView, moduleContext, nativeCall, nativeSpec } from '../support/native.ts'
import { IBC_STEPS, TIMEOUT } from './ibc-samples.ts'

const COIN = 10n ** 18n
/** Coins of each holder. */
const HOLDING = 10_000_000n * COIN
export const START = 1_700_000_000n
export const addressOf = (index: number): Address => hexToAddress(account(index).address)
const owner = addressOf(0)
const spender = hexToAddress(`0x${'5e'.repeat(20)}`)
const numbered = (first: string, index: number) => hexToAddress(`0x${first}${index.toString(16).padStart(38, '0')}`)
/** Clawback accounts of the samples: without a schedule, with one, and one to convert back. */
const EMPTY = 7
const FUNDED = 8
const CONVERTIBLE = 9

export type Sizes = {
  readonly validators: number
  readonly vouchers: number
  /** Delegations of the owner to each of `validators`, and of others to the first validator. */
  readonly delegators: number
  /** Validators from which the owner unbonds, and to which it redelegates from the first. */
  readonly unbonding: number
  readonly redelegations: number
  /** Entries of each of these. */
  readonly entries: number
  readonly slashes: number
  /** Receivers in the owner's transfer grant. */
  readonly receivers: number
  /** Steps of the vesting account's schedules. */
  readonly steps: number
  readonly proposals: number
  /** Votes and deposits of one proposal. */
  readonly votes: number
}

/** The size of each part. */
export const SIZE: Sizes = {
  validators: 100,
  vouchers: 3_000,
  delegators: 300,
  unbonding: 20,
  redelegations: 30,
  entries: 7,
  slashes: 200,
  receivers: 400,
  steps: 1_990,
  proposals: 200,
  votes: 300,
}

/** At least the three of the samples. */
const operatorsOf = ({ validators }: Sizes): readonly Address[] =>
  [10, 11, 12].map(addressOf).concat(Array.from({ length: Math.max(0, validators - 3) }, (_, i) => numbered('aa', i)))
const validator = (operator: Address): GenesisValidator => ({
  operator,
  consensusKey: undefined,
  moniker: 'a validator',
  commission: { rate: COIN / 10n, maxRate: COIN / 5n, maxChangeRate: COIN / 100n },
  selfDelegation: 100n * COIN,
  minSelfDelegation: 1n,
})
/** A base denomination of maximum length, so that traces take several slots. */
const voucher = (index: number): string => `transfer/channel-2/${'gamm/pool/'.repeat(6)}${index}`

export const grownSpec = (sizes: Sizes): NativeSpec => ({
  ...nativeSpec,
  validators: operatorsOf(sizes).map(validator),
  modules: {
    slashing: {},
    ibc: {},
    gov: { params: { votingPeriod: 100_000 } },
    staking: { params: { maxEntries: 100, maxValidators: 1_000 } },
    transfer: {
      sinks: [{ channel: 'channel-2', behaviour: 'never' }],
      vouchers: Array.from({ length: sizes.vouchers }, (_, index) => ({
        trace: voucher(index),
        balances: { [owner]: '7' },
      })),
    },
  },
})

export type Grown = {
  readonly spec: NativeSpec
  readonly view: View
  readonly block: { number: bigint; timestamp: bigint; proposer: Address }
}

/** The modules on the state, in the current block. */
export const modulesOn = ({ spec, view, block }: Grown): Modules =>
  openModules(moduleContext(view, { spec, block: { ...block } }))

/** Ends the block and begins the next one. */
export function nextBlock(grown: Grown, seconds = 5n): void {
  endBlock(modulesOn(grown))
  grown.block.number += 1n
  grown.block.timestamp += seconds
  beginBlock(modulesOn(grown))
}

export async function grownState(sizes = SIZE): Promise<Grown> {
  const spec = grownSpec(sizes)
  const operators = operatorsOf(sizes)
  const grown = { spec, view: await emptyView(), block: { number: 0n, timestamp: START, proposer: ZERO_ADDRESS } }
  const { view, block } = grown
  const rich = [...operators, ...Array.from({ length: 13 }, (_, index) => addressOf(index))]
  const holders = [
    ...new Set([...rich, ...Array.from({ length: sizes.delegators }, (_, index) => numbered('dd', index))]),
  ]
  for (const holder of holders) view.setBalance(holder, HOLDING)
  initGenesis(view, spec, BigInt(holders.length) * HOLDING, { ...block })
  installContracts(view, spec, 0n)
  // The base coin as a token, which only cosmos/evm's interfaces have.
  modulesOn({ ...grown, spec: { ...spec, interfaces: 'cosmos-evm' } }).erc20.initGenesis(readErc20Genesis({}))
  nextBlock(grown)
  stake(grown, operators, sizes)
  grant(modulesOn(grown), sizes)
  vest(modulesOn(grown), sizes)
  propose(modulesOn(grown), sizes)
  nextBlock(grown)
  const { transfer } = modulesOn(grown)
  const timeout = { height: { revisionNumber: 0n, revisionHeight: 0n }, timestamp: 2n ** 63n }
  const source = { port: 'transfer', channel: 'channel-0' }
  const receiver = account(0).address
  transfer.send({ source, denom: 'akest', amount: COIN, sender: owner, receiver, timeout, memo: '' })
  await connect(grown)
  nextBlock(grown)
  return grown
}

/** Clients of another chain and packets, shortly before the timeout of those that this chain sends. */
async function connect({ spec, view, block }: Grown): Promise<void> {
  for (const { to, data } of [...IBC_STEPS.first, ...IBC_STEPS.second]) {
    const contract = PRECOMPILES.find(({ name }) => name === to)?.on(spec, console.error)
    const at = { ...block, timestamp: TIMEOUT - 1n }
    const call = nativeCall(view, hexToBytes(data), { caller: owner, origin: owner, gasLimit: 3_000_000n, block: at })
    const result = await contract?.run(call)
    if (result === undefined || result.error !== undefined) throw new Error(`a step of IBC failed: ${to}`)
  }
}

function stake(grown: Grown, operators: readonly Address[], sizes: Sizes): void {
  const [first = owner, ...others] = operators
  for (const operator of operators) modulesOn(grown).staking.delegate(owner, operator, 1_000n * COIN)
  // What is redelegated below.
  modulesOn(grown).staking.delegate(owner, first, BigInt(sizes.redelegations * sizes.entries) * COIN)
  for (let index = 0; index < sizes.delegators; index++)
    modulesOn(grown).staking.delegate(numbered('dd', index), first, COIN)
  // Entries of one block and second are merged, so each round has a block of its own.
  for (let entry = 0; entry < sizes.entries; entry++) {
    nextBlock(grown)
    const { staking } = modulesOn(grown)
    for (const operator of operators.slice(0, sizes.unbonding)) staking.undelegate(owner, operator, COIN)
    for (const destination of others.slice(0, sizes.redelegations)) staking.redelegate(owner, first, destination, COIN)
  }
  for (let slash = 0; slash < sizes.slashes; slash++) {
    grown.block.number += 1n
    modulesOn(grown).staking.slash(first, { height: grown.block.number, power: 1_000n, fraction: 10n ** 12n })
  }
}

function grant({ authz }: Modules, sizes: Sizes): void {
  const { delegate, clawback, withdrawReward, undelegate, redelegate, cancelUnbonding } = MESSAGE
  for (const message of [delegate, undelegate, redelegate, cancelUnbonding]) {
    authz.approve(owner, spender, message, 5n * COIN, authz.openValidators())
  }
  for (const message of [clawback, withdrawReward]) authz.approve(owner, spender, message, COIN, [])
  const receivers = Array.from({ length: sizes.receivers }, (_, index) => `kest1receiver${index}`.padEnd(43, 'q'))
  const spendLimit = [{ denom: 'akest', amount: 5n * COIN }]
  const channel = { sourcePort: 'transfer', sourceChannel: 'channel-0' }
  authz.grantTransfer(owner, spender, [{ ...channel, spendLimit, allowList: receivers, allowedPacketData: ['*'] }])
}

function vest({ vesting }: Modules, sizes: Sizes): void {
  for (const index of [EMPTY, FUNDED, CONVERTIBLE]) vesting.create(owner, addressOf(index), false)
  const periods = Array.from({ length: sizes.steps }, () => ({ length: 86_400n, amount: COIN }))
  vesting.fund(owner, addressOf(FUNDED), { start: START, lockup: periods, vesting: periods })
}

function propose({ gov }: Modules, sizes: Sizes): void {
  const json = Buffer.from(JSON.stringify({ title: 'A title', summary: 's'.repeat(2_000) }))
  for (let id = 1; id <= sizes.proposals; id++) gov.submit(owner, gov.read(json), id === 1 ? 100_000n : 10_000_000n)
  for (let index = 0; index < sizes.votes; index++) {
    gov.vote(2n, numbered('dd', index), { options: wholeVote(1n), metadata: 'why' })
    gov.deposit(2n, numbered('dd', index), 100_000n)
  }
  gov.vote(2n, owner, { options: wholeVote(1n), metadata: '' })
}

/** The hash of the first voucher in upper-case hex. */
export const voucherHash = createHash('sha256').update(voucher(0)).digest('hex').toUpperCase()
