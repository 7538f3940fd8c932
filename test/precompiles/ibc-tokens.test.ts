// An ERC-20 token of one chain on another one: its pair is registered by governance, it goes over a client as a voucher, which is an
// ERC-20 token there, and comes back. The relayer is honest; proofs and headers are verified.
import { type Address, encodeFunctionData, erc20Abi, getAddress, hexToString, parseEventLogs, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { traceHash, voucherAddress, voucherDenom } from '../../src/modules/transfer/denoms.ts'
import { presets } from '../../src/spec/presets.ts'
import { testChain } from '../support/chain.ts'
import { deployToken } from '../support/contracts.ts'
import { CLIENT, Linked, link, relay } from '../support/ibc-link.ts'
import { ibcAbi } from '../support/ibc-peer.ts'
import { clientsOf } from '../support/process.ts'
import { govChain, message } from './gov-support.ts'
import { abi, ICS20, other, owner, textOf } from './ics20-support.ts'

/** The preset with IBC and nothing but clients to send over. */
function ibcSpec() {
  const preset = presets.kestrel()
  if (preset.native === undefined) throw new Error('the preset has no native modules')
  const modules = { ...preset.native.modules, gov: { params: { votingPeriod: 10_000 } }, transfer: { loopback: [] } }
  return { ...preset, native: { ...preset.native, modules: { ...modules, ibc: {} } } }
}

/** Two linked chains; on the first one governance has registered a token, all of which the first account has. */
async function linkedChains() {
  const home = await govChain({ spec: ibcSpec() })
  const away = await testChain({ spec: ibcSpec() })
  const { address: token } = await deployToken(clientsOf(home.url), 0, 1_000n)
  const id = await home.propose([message('/cosmos.evm.erc20.v1.MsgRegisterERC20', { erc20addresses: [token] })])
  await home.voteAll(id)
  await home.conclude(id)
  expect([(await home.proposal(id)).status, await home.failure(id)]).toEqual([3, ''])
  const [one, two] = [new Linked(home, 'home-1'), new Linked(away, 'away-1')]
  await link(one, two)
  return { one, two, token: getAddress(token) }
}

/** Sends coins over the client, with a timeout an hour after both chains' clocks. */
async function send(
  from: Linked,
  to: Linked,
  sender: Address,
  index: number,
  denom: string,
  amount: bigint,
  receiver: string,
) {
  const times = await Promise.all([from, to].map(async ({ chain }) => (await chain.viem.getBlock()).timestamp))
  const timeout = times.reduce((a, b) => (a > b ? a : b)) + 3_600n
  const none = { revisionNumber: 0n, revisionHeight: 0n }
  const data = encodeFunctionData({
    abi,
    functionName: 'transfer',
    args: ['transfer', CLIENT, denom, amount, sender, receiver, none, timeout, ''],
  })
  const hash = await from.chain.walletOf(index).sendTransaction({ to: ICS20, data, gas: 3_000_000n })
  const receipt = await from.chain.viem.waitForTransactionReceipt({ hash })
  expect(receipt.status).toBe('success')
  return receipt
}

const balanceOf = ({ chain }: Linked, address: Address, holder: Address) =>
  chain.viem.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [holder] })

const SUCCESS = toHex('{"result":"AQ=="}')

describe('an ERC-20 token of a pair that governance has registered', () => {
  it('goes to another chain, is an ERC-20 token there, changes hands, and comes back as the token', {
    timeout: 60_000,
  }, async () => {
    const { one, two, token } = await linkedChains()
    // By the token's address, as a user names it. cosmos/evm's name of the coin stands in the packet.
    const sent = await send(one, two, owner, 0, token, 600n, textOf(owner))
    const [packet] = parseEventLogs({ abi: ibcAbi, logs: sent.logs, eventName: 'SendPacket' })
    expect(JSON.parse(hexToString(packet?.args.packet.payloads[0]?.value ?? '0x'))).toMatchObject({
      denom: `erc20:${token}`,
      amount: '600',
    })
    expect(await relay(one, two, sent)).toEqual([SUCCESS])
    const full = `transfer/${CLIENT}/erc20:${token}`
    const voucher = getAddress(voucherAddress(traceHash(full)))
    expect([await balanceOf(one, token, owner), await balanceOf(two, voucher, owner)]).toEqual([400n, 600n])

    // The voucher is a token like any other.
    const hash = await two.chain
      .walletOf(0)
      .writeContract({ address: voucher, abi: erc20Abi, functionName: 'transfer', args: [other, 250n] })
    await two.chain.viem.waitForTransactionReceipt({ hash })
    expect([await balanceOf(two, voucher, owner), await balanceOf(two, voucher, other)]).toEqual([350n, 250n])

    const back = await send(two, one, other, 1, voucherDenom(traceHash(full)), 250n, textOf(other))
    expect(await relay(two, one, back)).toEqual([SUCCESS])
    await one.chain.mine()
    expect(await balanceOf(two, voucher, other)).toBe(0n)
    expect([await balanceOf(one, token, owner), await balanceOf(one, token, other)]).toEqual([400n, 250n])
    for (const { chain } of [one, two]) expect(await chain.rpc('dev_invariants')).toEqual([])
  })
})
