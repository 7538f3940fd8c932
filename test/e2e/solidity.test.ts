// The example contracts of `solidity/`, deployed and used: an account grants, a contract acts, time passes. All parts share one
// chain and use different accounts.
import {
  type Abi,
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  encodeDeployData,
  getAddress,
  type Hex,
  maxUint256,
  parseEther,
  parseEventLogs,
} from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkExecution } from '../../src/chain/check-execution.ts'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { type Node, startNode } from '../../src/node.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import { operatorPrefix } from '../../src/spec/addresses.ts'
import { presets } from '../../src/spec/presets.ts'
import { account, nodeOptions } from '../support/chain.ts'
import { type Clients, clientsOf } from '../support/process.ts'
import { type Compiled, compileSolidity } from '../support/solc.ts'

const STAKING = '0x0000000000000000000000000000000000000800'
const DISTRIBUTION = '0x0000000000000000000000000000000000000801'
const ICS20 = '0x0000000000000000000000000000000000000802'
const VESTING = '0x0000000000000000000000000000000000000803'
const AUTHORIZATION = '0x0000000000000000000000000000000000000a00'
const UNBONDING_DAYS = 21
const DAY = 86_400

const operator = (index: number): string => toBech32(operatorPrefix('kest'), hexToAddress(account(index).address))
/** Two of the network's validators. */
const A = operator(10)
const B = operator(11)

let compiled: Compiled
let node: Node
let chain: Clients

beforeAll(async () => {
  compiled = compileSolidity()
  const spec = presets.kestrel()
  if (spec.native === undefined) throw new Error('the preset has native modules')
  const sinks = [
    { channel: 'channel-2', behaviour: 'timeout' },
    { channel: 'channel-3', behaviour: 'never' },
    { channel: 'channel-4', behaviour: 'ack-success' },
  ]
  const modules = { ...spec.native.modules, transfer: { sinks } }
  node = await startNode(nodeOptions({ spec: { ...spec, native: { ...spec.native, modules } } }))
  chain = clientsOf(node.url)
}, 120_000)
afterAll(async () => {
  // All blocks of this file have the same results on another engine.
  const { store, spec } = node.chain
  const runtime = new Runtime(spec, undefined, 'library')
  const difference = await checkExecution(store, { runtime, engine: 'library', onBlock: () => undefined })
  expect(difference).toBeUndefined()
  await node.close()
})

const artifact = (name: string) => {
  const found = compiled.contracts.get(name)
  if (found === undefined) throw new Error(`no contract ${name}`)
  return found
}

async function deploy(name: string, from: number, args: readonly unknown[] = [], value = 0n): Promise<Address> {
  const data = encodeDeployData({ ...artifact(name), args })
  const hash = await chain.walletOf(from).sendTransaction({ data, value })
  const { contractAddress } = await chain.viem.waitForTransactionReceipt({ hash })
  if (!contractAddress) throw new Error(`${name} was not deployed`)
  return getAddress(contractAddress)
}

type Target = { readonly name: string; readonly address: Address }
const staking: Target = { name: 'StakingI', address: STAKING }
const distribution: Target = { name: 'DistributionI', address: DISTRIBUTION }
const ics20: Target = { name: 'ICS20I', address: ICS20 }
const vesting: Target = { name: 'VestingI', address: VESTING }
const authorization: Target = { name: 'AuthorizationI', address: AUTHORIZATION }

/** Sends a call with the node's gas estimate; returns its receipt, and the events in the target's ABI. */
async function send(
  from: number,
  { name, address }: Target,
  functionName: string,
  args: readonly unknown[],
  value = 0n,
) {
  const { abi } = artifact(name)
  const hash = await chain.walletOf(from).writeContract({ address, abi, functionName, args, value })
  const receipt = await chain.viem.waitForTransactionReceipt({ hash })
  expect(receipt.status, `${name}.${functionName}`).toBe('success')
  return { ...receipt, fee: receipt.gasUsed * receipt.effectiveGasPrice }
}

/** The result of a view function; the caller states its type, because ABIs come from the compiler at run time. */
async function read<T>(
  from: number,
  { name, address }: Target,
  functionName: string,
  args: readonly unknown[],
): Promise<T> {
  const { abi } = artifact(name)
  return (await chain.viem.readContract({ address, abi, functionName, args, account: account(from).address })) as T
}

type Coin = { readonly denom: string; readonly amount: bigint }

/** The revert reason of a call; undefined if it would succeed. */
async function refusal(from: number, { name, address }: Target, functionName: string, args: readonly unknown[]) {
  const { abi } = artifact(name)
  try {
    await chain.viem.simulateContract({ address, abi, functionName, args, account: account(from).address })
    return undefined
  } catch (error) {
    const revert =
      error instanceof BaseError ? error.walk((one) => one instanceof ContractFunctionRevertedError) : error
    return revert instanceof ContractFunctionRevertedError ? revert.reason : String(error)
  }
}

const eventsOf = (abi: Abi, logs: Parameters<typeof parseEventLogs>[0]['logs']) => parseEventLogs({ abi, logs })

/** Mines a block whose timestamp is the given number of seconds after the newest one's. */
async function later(seconds: number): Promise<void> {
  const { timestamp } = await chain.viem.getBlock()
  await chain.dev.setNextBlockTimestamp({ timestamp: timestamp + BigInt(seconds) })
  await chain.dev.mine({ blocks: 1 })
}

const balance = (address: Address): Promise<bigint> => chain.viem.getBalance({ address })
/** Base units that an account has staked with a validator. */
const stakeOf = async (delegator: Address, validator = A): Promise<bigint> =>
  (await read<[bigint, Coin]>(0, staking, 'delegation', [delegator, validator]))[1].amount

describe('StakingManager', () => {
  const USER = 0
  const user = account(USER).address
  let manager: Target
  const METHODS = ['MSG_DELEGATE', 'MSG_UNDELEGATE', 'MSG_REDELEGATE', 'MSG_CANCEL_UNDELEGATION']

  beforeAll(async () => {
    manager = { name: 'StakingManager', address: await deploy('StakingManager', 9) }
  })

  it('cannot stake before it has a grant', async () => {
    expect(await refusal(USER, manager, 'stake', [A, parseEther('10')])).toBe(
      `authorization to /cosmos.staking.v1beta1.MsgDelegate for address ${manager.address} does not exist or is expired`,
    )
  })

  it("stakes the user's coins within the grant", async () => {
    await send(USER, staking, 'approve', [manager.address, parseEther('100'), METHODS])
    const before = await balance(user)
    const { fee, logs } = await send(USER, manager, 'stake', [A, parseEther('60')])
    expect(await balance(user)).toBe(before - parseEther('60') - fee)
    expect(await stakeOf(user)).toBe(parseEther('60'))
    expect(await read(USER, manager, 'position', [A])).toEqual([parseEther('60'), parseEther('40')])
    expect(await read(USER, manager, 'staked', [user])).toBe(parseEther('60'))
    expect(eventsOf(artifact('StakingI').abi, logs)).toMatchObject([
      { eventName: 'Delegate', args: { delegatorAddress: user, amount: parseEther('60') } },
    ])
    expect(await refusal(USER, manager, 'stake', [A, parseEther('41')])).toBe(
      'amount 41000000000000000000 greater than allowed limit 40000000000000000000',
    )
  })

  it('stakes for no other account, and not when another account calls', async () => {
    expect(await refusal(1, manager, 'stake', [A, 1n])).toMatch(/does not exist or is expired$/)
  })

  it('tries validators until one accepts the coins, and failed attempts leave no state', async () => {
    const unknownValidator = operator(5)
    const { logs } = await send(USER, manager, 'stakeWithAny', [[unknownValidator, 'nonsense', B], parseEther('5')])
    const events = eventsOf([...artifact('StakingManager').abi, ...artifact('StakingI').abi], logs)
    expect(events).toMatchObject([
      { eventName: 'Refused', args: { validator: unknownValidator, reason: 'validator does not exist' } },
      { eventName: 'Refused', args: { validator: 'nonsense' } },
      { eventName: 'Delegate', args: { amount: parseEther('5') } },
    ])
    expect(await stakeOf(user, B)).toBe(parseEther('5'))
  })

  it('redelegates, undelegates, and stakes a part again; the rest is paid after the unbonding time', async () => {
    await send(USER, manager, 'move', [A, B, parseEther('10')])
    expect([await stakeOf(user, A), await stakeOf(user, B)]).toEqual([parseEther('50'), parseEther('15')])

    const { blockNumber } = await send(USER, manager, 'unstake', [A, parseEther('20')])
    const { timestamp } = await chain.viem.getBlock({ blockNumber })
    const completionTime = timestamp + BigInt(UNBONDING_DAYS * DAY)
    const initialBalance = parseEther('20')
    const entry = { creationHeight: blockNumber, completionTime, initialBalance, balance: parseEther('20') }
    expect(await read(USER, staking, 'unbondingDelegation', [user, A])).toEqual([entry])

    await send(USER, manager, 'stakeAgain', [A, parseEther('8'), blockNumber])
    expect(await stakeOf(user, A)).toBe(parseEther('38'))

    const before = await balance(user)
    await chain.dev.increaseTime({ seconds: UNBONDING_DAYS * DAY - 3_600 })
    await chain.dev.mine({ blocks: 1 })
    expect(await balance(user)).toBe(before)
    await chain.dev.increaseTime({ seconds: 7_200 })
    await chain.dev.mine({ blocks: 1 })
    expect(await balance(user)).toBe(before + parseEther('12'))
    expect(await read(USER, staking, 'unbondingDelegation', [user, A])).toEqual([])
    expect(await balance(manager.address)).toBe(0n)
  })

  it('cannot stake when the grant is revoked', async () => {
    await send(USER, authorization, 'revoke', [manager.address, METHODS])
    expect(await refusal(USER, manager, 'unstake', [A, 1n])).toMatch(/MsgUndelegate .* does not exist or is expired$/)
    expect((await read<bigint[]>(USER, manager, 'position', [A]))[1]).toBe(0n)
  })
})

describe('AutoCompounder', () => {
  const USER = 2
  const OWNER = 3
  const user = account(USER).address
  let compounder: Target

  /** Mines blocks whose fees become rewards. */
  async function earn(): Promise<void> {
    for (let i = 0; i < 5; i++) {
      const request = { to: account(8).address, value: 1n, maxPriorityFeePerGas: 10n ** 12n, maxFeePerGas: 10n ** 13n }
      const hash = await chain.walletOf(7).sendTransaction(request)
      await chain.viem.waitForTransactionReceipt({ hash })
    }
    await chain.dev.mine({ blocks: 2 })
  }

  beforeAll(async () => {
    compounder = { name: 'AutoCompounder', address: await deploy('AutoCompounder', OWNER) }
  })

  it("stakes a user's rewards with the validator that paid them", async () => {
    await send(USER, staking, 'delegate', [user, A, parseEther('1000')])
    await send(USER, staking, 'approve', [compounder.address, maxUint256, ['MSG_DELEGATE']])
    await send(USER, distribution, 'approve', [compounder.address, 1n, ['MSG_WITHDRAW_DELEGATOR_REWARD']])
    await earn()
    const [due] = await read<[Coin]>(USER, distribution, 'delegationRewards', [user, A])
    expect(due.amount).toBeGreaterThan(0n)

    const { logs, blockNumber } = await send(USER, compounder, 'compound', [A])
    const [event] = eventsOf(artifact('AutoCompounder').abi, logs) as unknown as [{ args: { amount: bigint } }]
    expect(event.args.amount).toBeGreaterThanOrEqual(due.amount)
    expect(await stakeOf(user)).toBe(parseEther('1000') + event.args.amount)
    // Withdrawal and delegation were in one block, after which no rewards are due.
    const { abi } = artifact('DistributionI')
    const call = { address: DISTRIBUTION, abi, functionName: 'delegationRewards', args: [user, A] } as const
    expect(await chain.viem.readContract({ ...call, blockNumber })).toEqual([])
    // The previous state still has the due rewards.
    const then = (await chain.viem.readContract({ ...call, blockNumber: blockNumber - 1n })) as [{ amount: bigint }]
    expect(then[0].amount).toBe(due.amount)
  })

  it('stakes the contract’s rewards without a grant, and finally pays its owner', async () => {
    await send(OWNER, compounder, 'stake', [B], parseEther('500'))
    await earn()
    await send(USER, compounder, 'compoundOwn', [B])
    const grown = await stakeOf(compounder.address, B)
    expect(grown).toBeGreaterThan(parseEther('500'))

    await send(OWNER, compounder, 'unstake', [B, grown])
    await later(UNBONDING_DAYS * DAY + 1)
    const owner = account(OWNER).address
    const before = await balance(owner)
    const held = await balance(compounder.address)
    expect(held).toBeGreaterThanOrEqual(grown)
    const { fee } = await send(OWNER, compounder, 'collect', [])
    expect(await balance(owner)).toBe(before + held - fee)
  })
})

describe('InterchainSender', () => {
  const USER = 4
  const user = account(USER).address
  const RECEIVER = 'other1receiver'
  const allocation = (sourceChannel: string, amount: bigint) => [
    { sourcePort: 'transfer', sourceChannel, spendLimit: [{ denom: 'akest', amount }], allowList: [RECEIVER] },
  ]
  const opened = async (channel: string): Promise<Target> => ({
    name: 'InterchainSender',
    address: await deploy('InterchainSender', USER, [channel, 'akest']),
  })

  it('sends the granted coins, which leave the account and the grant', async () => {
    const sender = await opened('channel-4')
    await send(USER, ics20, 'approve', [sender.address, allocation('channel-4', parseEther('10'))])
    const before = await balance(user)
    const { fee, logs } = await send(USER, sender, 'send', [parseEther('4'), RECEIVER, 600n])
    expect(eventsOf(artifact('ICS20I').abi, logs)).toMatchObject([
      { eventName: 'IBCTransfer', args: { sender: user, sourceChannel: 'channel-4', amount: parseEther('4') } },
    ])
    expect(await read(USER, sender, 'allowed', [])).toBe(parseEther('6'))
    expect(await read(USER, sender, 'senderOf', [1n])).toBe(user)
    await chain.dev.mine({ blocks: 2 })
    expect(await balance(user)).toBe(before - parseEther('4') - fee)
    expect(await refusal(USER, sender, 'send', [parseEther('7'), RECEIVER, 600n])).toBe(
      'requested amount is more than spend limit: insufficient funds',
    )
    expect(await refusal(USER, sender, 'send', [1n, 'other1stranger', 600n])).toBe(
      'not allowed receiver address for transfer: invalid address',
    )
  })

  it('refunds coins whose transfer timed out', async () => {
    const sender = await opened('channel-2')
    await send(USER, ics20, 'approve', [sender.address, allocation('channel-2', parseEther('10'))])
    const before = await balance(user)
    const { fee } = await send(USER, sender, 'send', [parseEther('3'), RECEIVER, 600n])
    expect(await balance(user)).toBe(before - parseEther('3') - fee)
    await chain.dev.mine({ blocks: 1 })
    expect(await balance(user)).toBe(before - fee)
  })

  it('gets the contract’s coins back after the timeout', async () => {
    const sender = await opened('channel-3')
    const hash = await chain.walletOf(USER).sendTransaction({ to: sender.address, value: parseEther('2') })
    await chain.viem.waitForTransactionReceipt({ hash })
    await send(USER, sender, 'sendOwn', [parseEther('2'), RECEIVER, 3_600n])
    await later(3_500)
    expect(await balance(sender.address)).toBe(0n)
    await later(200)
    await chain.dev.mine({ blocks: 1 })
    expect(await balance(sender.address)).toBe(parseEther('2'))
  })
})

describe('VestingVault', () => {
  const BOSS = 5
  const WORKER = 6
  const FRIEND = 7
  const worker = account(WORKER).address
  const amounts = (coins: readonly Coin[]) => coins.reduce((sum, { amount }) => sum + amount, 0n)
  const balancesOf = async (address: Address): Promise<readonly bigint[]> =>
    (await read<Coin[][]>(0, vesting, 'balances', [address])).map(amounts)
  let vault: Target

  beforeAll(async () => {
    vault = { name: 'VestingVault', address: await deploy('VestingVault', BOSS, ['akest']) }
  })

  it('does not pay an account that has not accepted', async () => {
    const call = { address: vault.address, abi: artifact('VestingVault').abi, functionName: 'award' } as const
    const args = [worker, 4n, BigInt(DAY), BigInt(DAY)]
    const request = { ...call, args, account: account(BOSS).address, value: parseEther('40') }
    await expect(chain.viem.simulateContract(request)).rejects.toThrow(/is not subject to clawback vesting/)
  })

  it('awards coins that vest in steps and stay locked for a while', async () => {
    await send(WORKER, vesting, 'createClawbackVestingAccount', [vault.address, worker, false])
    const before = await balance(worker)
    await send(BOSS, vault, 'award', [worker, 4n, BigInt(10 * DAY), BigInt(25 * DAY)], parseEther('40'))
    expect(await balance(worker)).toBe(before + parseEther('40'))
    expect(await balancesOf(worker)).toEqual([parseEther('40'), parseEther('40'), 0n])

    await later(10 * DAY)
    expect(await balancesOf(worker)).toEqual([parseEther('40'), parseEther('30'), parseEther('10')])
    // Vested, but locked: the spendable balance is unchanged.
    const all = { to: account(FRIEND).address, value: before, gas: 21_000n }
    await expect(chain.walletOf(WORKER).sendTransaction(all)).rejects.toThrow(`balance ${before},`)

    await later(15 * DAY)
    expect(await balancesOf(worker)).toEqual([0n, parseEther('20'), parseEther('20')])
    const unlocked = { to: account(FRIEND).address, value: parseEther('15'), gas: 21_000n } as const
    const hash: Hex = await chain.walletOf(WORKER).sendTransaction(unlocked)
    expect((await chain.viem.waitForTransactionReceipt({ hash })).status).toBe('success')
  })

  it('claws back unvested coins when the worker leaves', async () => {
    expect(await refusal(FRIEND, vault, 'dismiss', [worker])).toBe('not the owner')
    const boss = account(BOSS).address
    const before = await balance(boss)
    const held = await balance(worker)
    const { fee } = await send(BOSS, vault, 'dismiss', [worker])
    expect(await balance(boss)).toBe(before + parseEther('20') - fee)
    expect(await balance(worker)).toBe(held - parseEther('20'))
    expect(await refusal(0, vesting, 'balances', [worker])).toMatch(
      /either does not exist or is not a vesting account$/,
    )
  })
})
