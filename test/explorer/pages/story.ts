// A chain for the pages of the explorer, with ordinary contents and hostile texts in contracts.
import { getAddress, type Hex, numberToHex, parseEther, parseGwei, stringToHex, toHex } from 'viem'
import { submit } from '../../precompiles/gov-support.ts'
import { delegate, STAKING } from '../../precompiles/staking-support.ts'
import { accountAbstraction, executeData, GENEROUS } from '../../support/account-abstraction.ts'
import { playground } from '../../support/assembler.ts'
import { viemKzg, withCellProofs } from '../../support/blobs.ts'
import { account } from '../../support/chain.ts'
import { ibcPeer } from '../../support/ibc-packets.ts'
import { compileSolidity } from '../../support/solc.ts'
import { type Deployed, type Scenario, ZERO } from '../scenario.ts'
import { verify } from '../verified.ts'

const STAGE = 'test/explorer/full/contracts'
/** Names and symbols of tokens: too long, without a place to break, right to left, markup, invisible. */
export const HOSTILE = [
  ['W'.repeat(120), 'SYMBOL'.repeat(30)],
  ['a long name of many words '.repeat(9), 'Y'.repeat(100)],
  ['<img src=x onerror="document.title=\'pwned\'">', '<b>B</b>'],
  ['عملة من اليمين إلى اليسار', 'يمين'],
  ['🦅'.repeat(50), '🦅🦅'],
  ['Zero\u200b\u200bwidth', 'Z\u200bW'],
  ['', ''],
] as const

const GOV = '0x0000000000000000000000000000000000000805'
const bob = account(1).address
const stranger = (number: number): Hex => getAddress(numberToHex(0xbeef000 + number, { size: 20 }))

export type Story = Awaited<ReturnType<typeof playWithIbc>>

/** As `play`, on a chain with IBC. */
export const playWithIbc = async (on: Scenario) => ({ ...(await play(on)), ...(await playIbc(on)) })

export async function play(on: Scenario) {
  const { deploy, call, send, receiptOf, walletOf, mine, rpc } = on
  await receiptOf(await walletOf(1).sendTransaction({ to: stranger(1), value: 7n, gasPrice: parseGwei('3') }))
  await send(0, bob, parseEther('1.5'), { data: stringToHex('a note '.repeat(60)) })
  const tokens: Deployed[] = []
  for (const [name, symbol] of HOSTILE) tokens.push(await deploy('Coin', [name, symbol, 18, 2n ** 255n]))
  for (const token of tokens) await call(token, 'transfer', [bob, 12345n * 10n ** 24n])
  const coin = await deploy('Coin', ['Silver Coin', 'SLV', 6, 1_000_000n])
  const airdrop = await call(coin, 'spread', [Array.from({ length: 12 }, (_, i) => stranger(100 + i)), 2n])
  const art = await deploy('Art', [false])
  for (const id of [1n, 2n, 2n ** 256n - 1n]) await call(art, 'mint', [bob, id])
  await call(art, 'burn', [2n])
  const items = await deploy('Items')
  const batch = await call(items, 'mintBatch', [bob, [1n, 2n ** 255n], [10n, 20n]])
  const { stage, lamp, ...calls } = await playOnStage(on)
  const delegation = await send(0, STAKING, 0n, { data: delegate(parseEther('5')), gas: 3_000_000n })
  const failed = await send(0, STAKING, 0n, { data: delegate(parseEther('5000000')), gas: 3_000_000n })
  await send(0, GOV, 0n, { data: submit([], { title: 'W'.repeat(100) }), gas: 3_000_000n })
  const delegated = await sendDelegation(on, lamp)
  const blobs = await sendBlob(on)
  const operated = await operate(on)
  await mine(30)
  await verify(on, stage)
  // A transaction that waits behind a nonce gap.
  const nonce = (await on.viem.getTransactionCount({ address: account(4).address })) + 2
  const waiting = await walletOf(4).sendTransaction({ to: bob, value: 1n, nonce, gas: 21_000n })
  await rpc('evm_mine')
  const { items: validators } = await on.read('/native/validators')
  const validator = String(validators[0].address.hash)
  const hashes = { airdrop, batch, delegation, failed, delegated, blobs, ...calls }
  return {
    tokens,
    coin,
    art,
    items,
    stage,
    bob,
    waiting,
    validator,
    ...operated,
    ...each(hashes, ({ transactionHash }) => transactionHash),
  }
}

const each = <K extends string, T, R>(of: Readonly<Record<K, T>>, show: (one: T) => R): Record<K, R> =>
  Object.fromEntries(Object.entries<T>(of).map(([name, one]) => [name, show(one)])) as Record<K, R>

/** A client of another chain, with packets of both directions, in several states and with hostile texts. */
async function playIbc(on: Scenario) {
  const peer = await ibcPeer(on, { chainId: `${'W'.repeat(47)}-7` })
  const { packet, receipt } = await peer.transfer({ memo: 'a note '.repeat(60) })
  await peer.acknowledge(packet)
  await peer.transfer()
  for (const [text] of HOSTILE) await peer.deliver({ transfer: { memo: text, sender: text || 'nobody' } })
  await peer.deliver({ sequence: 2n ** 64n - 1n, data: '0x1234' })
  return { client: peer.clientId, packet: receipt.transactionHash }
}

/** A bundle of two user operations: one with a paymaster, and one that fails. */
async function operate(on: Scenario) {
  const { contract } = playground(on)
  const aa = await accountAbstraction(on, '0.8')
  const paymaster = await contract(GENEROUS)
  await aa.deposit(paymaster)
  const operations = [
    await aa.signed({ owner: 2, paymaster, callData: executeData(bob, 0n) }),
    await aa.signed({ owner: 3, paymaster, callData: executeData(aa.entryPoint, 0n, '0x12345678') }),
  ]
  const bundle = await aa.handle(operations, account(9).address)
  return { operations: operations.map(({ hash }) => hash), bundle: bundle.transactionHash, paymaster }
}

/** Calls within calls, creations, reverts. */
async function playOnStage({ call, walletOf, receiptOf, deploy }: Scenario) {
  const { contracts } = compileSolidity(STAGE)
  const stageContract = async (name: string, value: bigint): Promise<Deployed> => {
    const { abi, bytecode } = contracts.get(name) ?? { abi: [], bytecode: '0x' }
    const receipt = await receiptOf(await walletOf(0).deployContract({ abi, bytecode, value, gas: 8_000_000n }))
    return { address: getAddress(receipt.contractAddress ?? ZERO), abi, receipt }
  }
  const stage = await stageContract('Stage', parseEther('3'))
  const lamp = await stageContract('Lamp', 0n)
  const paid = await call(stage, 'pay', [[bob, stranger(3), stranger(4)], 11n], 2, 1000n)
  const nested = await call(stage, 'tryInVain', [stranger(5), 9n])
  const refused = await call(stage, 'refuse', [42n])
  const created = await call(stage, 'makeAt', [numberToHex(7, { size: 32 })])
  const deep = await call(await deploy('Frames'), 'descend', [40n, 1n])
  return { stage, lamp, paid, nested, refused, created, deep }
}

/** EIP-7702: a valid authorization, and one with a wrong nonce. */
async function sendDelegation({ walletOf, receiptOf }: Scenario, { address: contractAddress }: Deployed) {
  const good = await walletOf(6).signAuthorization({ contractAddress })
  const bad = await walletOf(3).signAuthorization({ contractAddress, nonce: 1000 })
  const hash = await walletOf(5).sendTransaction({ to: bob, value: 1n, authorizationList: [good, bad], gas: 200_000n })
  return receiptOf(hash)
}

async function sendBlob({ walletOf, viem, rpc, receiptOf }: Scenario) {
  const { account: sender } = walletOf(3)
  const signed = await sender.signTransaction({
    type: 'eip4844',
    chainId: await viem.getChainId(),
    to: bob,
    gas: 21_000n,
    nonce: await viem.getTransactionCount({ address: sender.address }),
    blobs: [toHex(new Uint8Array(131_072))],
    kzg: viemKzg,
    maxFeePerGas: parseGwei('10'),
    maxPriorityFeePerGas: parseGwei('1'),
    maxFeePerBlobGas: parseGwei('10'),
  })
  return receiptOf((await rpc('eth_sendRawTransaction', withCellProofs(signed))) as Hex)
}
