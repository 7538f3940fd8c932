// Tokens of registered pairs over IBC, through a running node: they become coins on the way out. 48 is the specification's
// behaviour vector; the token is the tests' own in Solidity, the strange ones are put together by hand.
import {
  type Address,
  concatHex,
  decodeAbiParameters,
  encodeErrorResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  maxUint256,
  numberToHex,
  parseEther,
  size,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { traceHash } from '../../src/modules/transfer/denoms.ts'
import { MODULE_ACCOUNT } from '../../src/spec/addresses.ts'
import { token } from '../support/contracts.ts'
import {
  abi,
  allocation,
  approve,
  BANK,
  bankAbi,
  COIN,
  CONTRACT,
  ICS20,
  ics20Chain,
  other,
  owner,
  TOKEN,
  transfer,
  UNUSED,
} from './ics20-support.ts'

const MODULE = getAddress(MODULE_ACCOUNT.erc20)
const DENOM = `erc20/${TOKEN}`
const ESCROW = getAddress('0xeD23C6F4443f49c4B08F856350A5D2C65A203235')
const SUPPLY = parseEther('1000')

async function tokenChain() {
  const chain = await ics20Chain()
  const hash = await chain.walletOf(0).deployContract({ ...token, args: ['Token', SUPPLY] })
  const { contractAddress } = await chain.viem.waitForTransactionReceipt({ hash })
  expect(getAddress(contractAddress ?? '0x')).toBe(TOKEN)
  return chain
}

describe('48: a token of a pair', () => {
  it.each([
    ['by its address', TOKEN],
    ['by its address in lower case', TOKEN.toLowerCase()],
    ['by its coin', DENOM],
  ])('is sent %s: it moves first, then its coin', async (_, denom) => {
    const { send, tokenBalance, balances } = await tokenChain()
    const { events, logs } = await send(transfer({ denom, amount: 7n }))
    expect(events.map(({ address, eventName, args }) => [getAddress(address), eventName, args])).toMatchObject([
      [TOKEN, 'Transfer', { from: owner, to: MODULE, value: 7n }],
      [ICS20, 'IBCTransfer', { sender: owner, denom: DENOM, amount: 7n }],
    ])
    expect(logs.map(({ logIndex }) => logIndex)).toEqual([0, 1])
    expect([await tokenBalance(owner), await tokenBalance(MODULE)]).toEqual([SUPPLY - 7n, 7n])
    expect(await balances(ESCROW)).toEqual([{ contractAddress: TOKEN, amount: 7n }])
  })

  it('is not sent when its pair is off, or it is in none', async () => {
    const { refusal } = await tokenChain()
    expect(await refusal(transfer({ denom: UNUSED }))).toBe('erc20 token pair is disabled')
    expect(await refusal(transfer({ denom: other }))).toBe('token pair not found')
    expect(await refusal(transfer({ denom: `erc20/${other}` }))).toBe('token pair not found')
  })

  it('arrives over the loop as a voucher with the token’s face', async () => {
    const { send, mine, balances, viem } = await tokenChain()
    await send(transfer({ denom: TOKEN, amount: 7n }))
    await mine()
    const face = getAddress(`0x${traceHash(`transfer/channel-1/${DENOM}`).slice(-40)}`)
    expect((await balances(other)).at(-1)).toEqual({ contractAddress: face, amount: 7n })
    const ask = (functionName: 'name' | 'symbol') => viem.readContract({ address: face, abi: token.abi, functionName })
    expect([await ask('name'), await ask('symbol')]).toEqual(['Token', 'TOK'])
  })

  it('needs the token’s balance, and the token’s own refusal is heard', async () => {
    const { raw, send, tokenBalance } = await tokenChain()
    const data = transfer({ denom: TOKEN, amount: SUPPLY + 1n })
    const { error } = await raw('eth_call', { from: owner, to: ICS20, data }, 'latest')
    expect(error?.data).toBe(
      encodeErrorResult({ abi: token.abi, errorName: 'InsufficientBalance', args: [owner, SUPPLY, SUPPLY + 1n] }),
    )
    const receipt = await send(data)
    expect([receipt.status, receipt.logs, await tokenBalance(owner)]).toEqual(['reverted', [], SUPPLY])
  })

  it('is left with its owner when the transfer is refused after all', async () => {
    const { send, refusal, tokenBalance, balances } = await tokenChain()
    const late = transfer({ denom: TOKEN, amount: 7n, timestamp: 0n })
    expect(await refusal(late)).toMatch(/^packet timeout height and packet timeout timestamp cannot both be 0/)
    await send(late)
    expect([await tokenBalance(owner), await tokenBalance(MODULE)]).toEqual([SUPPLY, 0n])
    expect(await balances(ESCROW)).toEqual([])
  })

  it('is sent by a contract within a grant of its coin, by whatever name', async () => {
    const { send, refusal, allowance, tokenBalance } = await tokenChain()
    expect(await refusal(transfer({ denom: TOKEN, amount: 1n }), { to: CONTRACT })).toMatch(/^authorization to /)
    await send(approve(allocation([{ denom: DENOM, amount: 10n }])))
    await send(transfer({ denom: TOKEN.toLowerCase(), amount: 4n }), { to: CONTRACT })
    await send(transfer({ denom: DENOM, amount: 5n }), { to: CONTRACT })
    expect(await refusal(transfer({ denom: TOKEN, amount: 2n }), { to: CONTRACT })).toBe(
      'requested amount is more than spend limit: insufficient funds',
    )
    expect(await allowance()).toEqual([allocation([{ denom: DENOM, amount: 1n }])])
    expect(await tokenBalance(MODULE)).toBe(9n)
  })

  it('is sent by the contract that holds it', async () => {
    const { send, walletOf, viem, tokenBalance } = await tokenChain()
    const hash = await walletOf(0).writeContract({
      address: TOKEN,
      ...token,
      functionName: 'transfer',
      args: [CONTRACT, 9n],
    })
    await viem.waitForTransactionReceipt({ hash })
    await send(transfer({ denom: TOKEN, amount: 9n, sender: CONTRACT }), { from: 1, to: CONTRACT })
    expect([await tokenBalance(CONTRACT), await tokenBalance(MODULE)]).toEqual([0n, 9n])
  })

  it('counts among what exists', async () => {
    const { send, viem } = await tokenChain()
    await send(transfer({ denom: TOKEN, amount: 7n }))
    const supplyOf = await viem.readContract({ address: BANK, abi: bankAbi, functionName: 'supplyOf', args: [TOKEN] })
    const all = await viem.readContract({ address: BANK, abi: bankAbi, functionName: 'totalSupply' })
    expect([supplyOf, all.find(({ contractAddress }) => contractAddress === TOKEN)?.amount]).toEqual([7n, 7n])
  })

  it('30: is paid for with the gas that was estimated', async () => {
    const { send, viem, tokenBalance } = await tokenChain()
    const data = transfer({ denom: TOKEN, amount: 7n })
    const gas = await viem.estimateGas({ account: owner, to: ICS20, data })
    const { status, gasUsed } = await send(data, { gas })
    expect([status, await tokenBalance(MODULE)]).toEqual(['success', 7n])
    // 60,000 of the transfer and 40,000 of the conversion, beside what the token uses and the input.
    expect(gasUsed).toBeGreaterThan(121_000n + 2_000n + 30n * BigInt(size(data) - 4))
  })

  it('shows its own calls in traces, each log once', async () => {
    const { send, rpc } = await tokenChain()
    const { transactionHash } = await send(transfer({ denom: TOKEN, amount: 7n }))
    const options = { tracer: 'callTracer', tracerConfig: { withLog: true } }
    type Traced = { type: string; from: string; to: string; calls?: Traced[]; logs?: { address: string; index: Hex }[] }
    const trace = (await rpc('debug_traceTransaction', transactionHash, options)) as Traced
    const [contract, module] = [TOKEN.toLowerCase(), MODULE.toLowerCase()]
    expect(trace.calls?.map(({ type, from, to, logs }) => [type, from, to, logs?.map(({ index }) => index)])).toEqual([
      ['STATICCALL', module, contract, undefined],
      ['CALL', owner.toLowerCase(), contract, ['0x0']],
      ['STATICCALL', module, contract, undefined],
    ])
    expect(trace.logs?.map(({ address, index }) => [address, index])).toEqual([[ICS20, '0x1']])
  })
})

describe('a token that is none', () => {
  const put = async (code: Hex) => {
    const chain = await ics20Chain()
    await chain.dev.setCode({ address: TOKEN, bytecode: code })
    return chain
  }
  const send = transfer({ denom: TOKEN, amount: 7n })
  const returning = (value: number): Hex => concatHex(['0x60', numberToHex(value, { size: 1 }), '0x5f5260205ff3'])

  it('is refused for saying that it moved what it did not', async () => {
    const { refusal } = await put(returning(1))
    expect(await refusal(send)).toBe(
      'invalid token balance - expected: 8, actual: 1: post transfer balance invariant failed',
    )
  })

  it('is refused for saying no', async () => {
    const { refusal } = await put(returning(0))
    expect(await refusal(send)).toBe(`transfer of token ${TOKEN} failed`)
  })

  it('is refused for saying nothing, and for not being there', async () => {
    const { refusal } = await put('0x00')
    const why = `failed to retrieve balance: ${TOKEN} is no token`
    expect(await refusal(send)).toBe(why)
    const { refusal: other } = await ics20Chain()
    expect(await other(send)).toBe(why)
  })

  it('is refused for using up all gas, of which some is left', async () => {
    const { refusal, send: sending } = await put('0xfe')
    expect(await refusal(send)).toBe(`call of ${TOKEN} failed: invalid opcode: INVALID`)
    const { status, gasUsed } = await sending(send, { gas: 2_000_000n })
    expect(status).toBe('reverted')
    expect(gasUsed).toBeLessThan(2_000_000n)
    expect(gasUsed).toBeGreaterThan(1_950_000n)
  })

  it('may send coins of its own meanwhile: its packet goes first', async () => {
    const { dev, send: sending, viem, mine, balances } = await put(reentrant(transfer({ sender: TOKEN, amount: 3n })))
    await dev.setBalance({ address: TOKEN, value: COIN })
    const { status, events } = await sending(send)
    expect(status).toBe('success')
    expect(events.map(({ args }) => args)).toMatchObject([
      { sender: TOKEN, denom: 'akest', amount: 3n },
      { sender: owner, denom: DENOM, amount: 7n },
    ])
    const { data = '0x' } = await viem.call({ account: owner, to: ICS20, data: transfer() })
    expect(decodeAbiParameters([{ type: 'uint64' }], data)).toEqual([3n])
    await mine()
    const face = (denom: string): Address => getAddress(`0x${traceHash(`transfer/channel-1/${denom}`).slice(-40)}`)
    const held = new Map((await balances(other)).map(({ contractAddress, amount }) => [contractAddress, amount]))
    expect([held.get(face('akest')), held.get(face(DENOM))]).toEqual([3n, 7n])
  })

  it('cannot send its user’s coins meanwhile, unless that was granted to it', async () => {
    const { refusal, send: sending } = await put(reentrant(transfer({ amount: 3n })))
    // The inner call fails, which the token does not mind: it says no.
    expect(await refusal(send)).toBe(`transfer of token ${TOKEN} failed`)
    const grant = encodeFunctionData({ abi, functionName: 'approve', args: [TOKEN, [allocation(maxUint256)]] })
    await sending(grant)
    expect(await refusal(send)).toBeUndefined()
  })

  /** Counts what it is asked to transfer as its balance, calls ICS20 with this input, and answers whether that worked. */
  function reentrant(input: Hex): Hex {
    const length = numberToHex(size(input), { size: 2 })
    const code = (dataAt: number): Hex =>
      concatHex([
        '0x3660441460', // calldatasize == 68: a transfer
        '0x0f57',
        '0x5f545f5260205ff3', // return sload(0)
        '0x5b5f54602435015f55', // sstore(0, sload(0) + amount)
        concatHex(['0x61', length, '0x61', numberToHex(dataAt, { size: 2 }), '0x5f39']), // codecopy(0, dataAt, length)
        concatHex(['0x5f5f61', length, '0x5f5f73', ICS20, '0x5af1']), // call(gas, ics20, 0, 0, length, 0, 0)
        '0x5f5260205ff3', // return success
      ])
    return concatHex([code(size(code(0))), input])
  }
})
