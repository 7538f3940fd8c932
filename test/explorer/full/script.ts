// The scenario: a long history of a chain in which everything that the explorer shows happens at least once.
import {
  type Abi,
  encodeFunctionData,
  getAddress,
  getContractAddress,
  type Hex,
  numberToHex,
  parseAbi,
  parseEther,
  parseGwei,
  toHex,
} from 'viem'
import { hexToAddress } from '../../../src/lib/hex.ts'
import { presets } from '../../../src/spec/presets.ts'
import { withdraw } from '../../precompiles/distribution-support.ts'
import { submit, vote } from '../../precompiles/gov-support.ts'
import { transfer as transferOverIbc } from '../../precompiles/ics20-support.ts'
import { delegate, STAKING } from '../../precompiles/staking-support.ts'
import { account } from '../../support/chain.ts'
import { compileSolidity } from '../../support/solc.ts'
import { type Deployed, type Scenario, ZERO } from '../scenario.ts'

const { contracts } = compileSolidity('test/explorer/full/contracts')

export const NATIVE = {
  staking: STAKING,
  distribution: '0x0000000000000000000000000000000000000801',
  ics20: '0x0000000000000000000000000000000000000802',
  gov: '0x0000000000000000000000000000000000000805',
  authorization: getAddress('0x0000000000000000000000000000000000000a00'),
} as const
const authorizations = parseAbi([
  'function approve(address spender, uint256 amount, string[] methods) returns (bool approved)',
])
const DELEGATE = '/cosmos.staking.v1beta1.MsgDelegate'

/** The preset, with a voting period longer than the scenario. */
export function spec() {
  const preset = presets.kestrel()
  if (preset.native === undefined) throw new Error('the preset has no native modules')
  const sinks = [{ channel: 'channel-2', behaviour: 'ack-success' }]
  const modules = { transfer: { sinks }, gov: { params: { votingPeriod: 1_000_000 } } }
  return { ...preset, native: { ...preset.native, modules } }
}

/** An unused address for each number. */
export const stranger = (number: number): Hex => getAddress(numberToHex(0xace0000 + number, { size: 20 }))
export const EDITED = stranger(900)
const DAY = 86_400
const people = [0, 1, 2, 3, 4, 5].map((index) => account(index).address)
const [alice, bob, carol, dave, erin, frank] = people as [Hex, Hex, Hex, Hex, Hex, Hex]

export type Played = Awaited<ReturnType<typeof play>>

export async function play(on: Scenario) {
  const { deploy, call, send, receiptOf, walletOf, rpc, viem, mine, node } = on
  async function stageContract(name: string, value = 0n, args: readonly unknown[] = []): Promise<Deployed> {
    const { abi, bytecode } = contracts.get(name) ?? { abi: [] as Abi, bytecode: '0x' as Hex }
    const hash = await walletOf(0).deployContract({ abi, bytecode, args, value, gas: 8_000_000n })
    const receipt = await receiptOf(hash)
    return { address: getAddress(receipt.contractAddress ?? ZERO), abi, receipt }
  }
  const sendData = (to: Hex, data: Hex, from = 0, value = 0n) => send(from, to, value, { data, gas: 3_000_000n })
  const gas = 200_000n

  // Transfers by every type of transaction except blobs.
  await send(0, bob, parseEther('1.5'))
  await receiptOf(await walletOf(1).sendTransaction({ to: stranger(1), value: 7n, gasPrice: parseGwei('3') }))
  const accessList = [{ address: carol, storageKeys: [numberToHex(1, { size: 32 })] }]
  await receiptOf(
    await walletOf(2).sendTransaction({ to: dave, value: 1n, accessList, gasPrice: parseGwei('4'), type: 'eip2930' }),
  )
  await send(0, alice, 5n) // to itself
  await send(3, stranger(2), 0n)

  // Tokens of all kinds.
  const coin = await deploy('Coin', ['Silver Coin', 'SLV', 6, 1_000_000n])
  const fee = await deploy('FeeCoin')
  const wrapped = await deploy('Wrapped', [false])
  const plainWrapped = await deploy('Wrapped', [true])
  const art = await deploy('Art', [false])
  const items = await deploy('Items')
  const factory = await deploy('Factory')
  const bare = await deploy('BareCoin')
  await call(factory, 'make', [2n])
  await call(coin, 'transfer', [bob, 1234n])
  await call(coin, 'mint', [carol, 99n], 2)
  await call(coin, 'burn', [34n], 1)
  await call(coin, 'transfer', [alice, 0n]) // zero, to itself
  await call(fee, 'transfer', [dave, 1000n])
  await call(bare, 'mint', [erin, 5n])
  for (const [i, of] of [wrapped, plainWrapped].entries()) {
    await call(of, 'deposit', [], 1, parseEther('2'))
    await call(of, 'transfer', [carol, BigInt(10 + i)], 1)
    await call(of, 'withdraw', [parseEther('0.5')], 1)
  }
  for (const id of [1n, 2n, 3n, 250n]) await call(art, 'mint', [id === 250n ? bob : alice, id])
  await call(art, 'transferFrom', [alice, carol, 2n])
  await call(art, 'burn', [3n])
  await call(items, 'mint', [alice, 5n, 50n])
  await call(items, 'mintBatch', [bob, [1n, 2n, 9n], [10n, 20n, 1n]])
  await call(items, 'transferBatch', [bob, carol, [1n, 2n], [4n, 20n]], 1)
  await call(items, 'transfer', [alice, ZERO, 5n, 8n])

  // Interactions of contracts.
  const stage = await stageContract('Stage', parseEther('3'))
  await call(stage, 'pay', [[bob, stranger(3), frank], 11n], 2, 1000n)
  const made = await call(stage, 'make', [])
  const gemAt = await call(stage, 'makeAt', [numberToHex(7, { size: 32 })])
  await call(stage, 'makeAt', [numberToHex(7, { size: 32 })]) // the address is taken
  const refused = await call(stage, 'refuse', [42n])
  const refusedInWords = await call(stage, 'refuseInWords', [])
  await call(stage, 'payInVain', [stranger(4), 9n])
  await call(stage, 'tryInVain', [stranger(5), 9n])
  await call(stage, 'all', [coin.address])
  const frames = await deploy('Frames')
  const endless = await send(0, frames.address, 0n, {
    data: encodeFunctionData({ abi: frames.abi, functionName: 'endless' }),
    gas: 90_000n,
  })
  await send(1, stage.address, parseEther('0.1')) // code, but no method
  const ended = await call(stage, 'makeAndEnd', [stranger(6)], 0, 77n)
  const mortal = await stageContract('Mortal', 55n)
  await call(mortal, 'die', [stranger(7)])
  const failedCreation = await send(0, undefined, 0n, { data: '0x60006000fd', gas: 100_000n })
  // Two days pass.
  await rpc('evm_increaseTime', toHex(2 * DAY))

  // Native contracts.
  await sendData(NATIVE.staking, delegate(parseEther('5')))
  await sendData(NATIVE.staking, delegate(parseEther('5000000'))) // more than the balance
  await mine(2)
  await sendData(NATIVE.distribution, withdraw())
  await sendData(NATIVE.ics20, transferOverIbc({ amount: 1_000n, channel: 'channel-2' }))
  const grant = { abi: authorizations, functionName: 'approve', args: [stage.address, 100n, [DELEGATE]] } as const
  await sendData(NATIVE.authorization, encodeFunctionData(grant))
  await sendData(NATIVE.gov, submit([], { title: 'Play on' }))
  await sendData(NATIVE.gov, vote(1n, account(10).address, 1), 10)

  // EIP-7702: a valid authorization, and one with a wrong nonce.
  const lamp = await stageContract('Lamp')
  const good = await walletOf(4).signAuthorization({ contractAddress: lamp.address })
  const bad = await walletOf(3).signAuthorization({ contractAddress: lamp.address, nonce: 1000 })
  const delegated = await receiptOf(
    await walletOf(5).sendTransaction({ to: stranger(8), value: 1n, authorizationList: [good, bad], gas }),
  )
  await call({ address: erin, abi: lamp.abi }, 'light', [], 0, 3n)

  // Blocks that are rolled back.
  const beforeRevert = await glance(on)
  const snapshot = await rpc('evm_snapshot')
  const phantom = await deploy('Coin', ['Phantom Coin', 'PHA', 18, 5n])
  const phantomTransfer = await call(phantom, 'transfer', [stranger(10), 2n])
  await send(1, stranger(11), 123n)
  await call(art, 'mint', [stranger(12), 77n])
  await call(coin, 'transfer', [stranger(12), 5n])
  await sendData(NATIVE.staking, delegate(parseEther('1')))
  await rpc('anvil_setBalance', stranger(13), toHex(1))
  await mine(3)
  await rpc('evm_revert', snapshot)
  const afterRevert = await glance(on)

  // Blocks with many transactions, empty blocks, withdrawals, and an edited balance.
  await rpc('evm_setAutomine', false)
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 18; i++) {
      await walletOf(i % 3).sendTransaction({ to: stranger(100 + 18 * round + i), value: BigInt(i), gas })
    }
    await walletOf(0).writeContract({ ...coin, functionName: 'transfer', args: [stranger(100 + round), 1n], gas })
    await rpc('evm_mine')
  }
  await rpc('evm_setAutomine', true)
  await call(coin, 'spread', [Array.from({ length: 80 }, (_, i) => stranger(100 + i)), 2n])
  await mine(60)
  await node.chain.produce({
    withdrawals: [10, 11, 10].map((number, i) => ({
      index: BigInt(i),
      validatorIndex: 5n,
      address: hexToAddress(stranger(number)),
      amount: BigInt(1 + i),
    })),
  })
  await rpc('anvil_setBalance', EDITED, toHex(parseEther('123')))
  const editedAt = Number(await viem.getBlockNumber({ cacheTime: 0 }))
  await mine(2)
  await send(0, EDITED, 1n)

  // Pending and dropped transactions.
  await rpc('evm_setAutomine', false)
  const dropped = await walletOf(2).sendTransaction({ to: bob, value: 3n, gas: 21_000n })
  await rpc('anvil_dropTransaction', dropped)
  const waiting = [
    await walletOf(0).sendTransaction({ to: bob, value: 1n, gas: 21_000n }),
    await walletOf(1).writeContract({ ...coin, functionName: 'transfer', args: [carol, 1n], gas }),
    await walletOf(1).sendTransaction({ to: alice, value: 2n, nonce: 500, gas: 21_000n }), // cannot be mined yet
  ]

  const innerCoin = getAddress(getContractAddress({ from: factory.address, nonce: 1n }))
  const gem = getAddress(`0x${gemAt.logs.at(-1)?.topics[1]?.slice(26)}`)
  const madeLamp = getAddress(`0x${made.logs[0]?.topics[1]?.slice(26)}`)
  const factoryMade = [2n, 3n].map((nonce) => getAddress(getContractAddress({ from: factory.address, nonce })))
  return {
    coin,
    fee,
    wrapped,
    plainWrapped,
    art,
    items,
    factory,
    bare,
    stage,
    frames,
    mortal,
    lamp,
    innerCoin,
    gem,
    madeLamp,
    factoryMade,
    ended,
    endless,
    refused,
    refusedInWords,
    failedCreation,
    delegated,
    waiting,
    dropped,
    phantom,
    phantomTransfer,
    beforeRevert,
    afterRevert,
    editedAt,
    people: { alice, bob, carol, dave, erin, frank },
  }
}

/** Enough of every list and figure to compare two moments. */
async function glance({ get }: Scenario) {
  const of = [alice, bob, erin, stranger(11), stranger(12), stranger(13), NATIVE.staking]
  const parts = [
    '',
    '/counters',
    '/tabs-counters',
    '/transactions',
    '/tokens',
    '/coin-balance-history',
    '/logs',
    '/nft',
  ]
  const paths = [
    ...['/stats', '/blocks', '/transactions', '/token-transfers', '/internal-transactions', '/tokens', '/addresses'],
    ...['/transactions/stats', '/stats/charts/transactions', '/smart-contracts/counters', '/search?q=phantom'],
    ...['/withdrawals', '/main-page/blocks', '/main-page/transactions', '/stats/charts/market'],
    ...of.flatMap((address) => parts.map((part) => `/addresses/${address}${part}`)),
  ]
  const seen: Record<string, unknown> = {}
  for (const path of paths) seen[path] = (await get(path)).body
  return seen
}
