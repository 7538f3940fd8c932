// The life of a packet, block by block, without an EVM. Rules and texts are those of ibc-go v7's channel and transfer modules;
// V1 to V3 and numbers in titles are the specification's vectors.
import { beforeEach, describe, expect, it } from 'vitest'
import { hexToAddress } from '../../../src/lib/hex.ts'
import { coinOf } from '../../../src/modules/erc20/erc20.ts'
import { traceHash, voucherAddress, voucherDenom } from '../../../src/modules/transfer/denoms.ts'
import { readTransferGenesis } from '../../../src/modules/transfer/genesis.ts'
import { acknowledgementCommitment, escrowAddress, SUCCESS } from '../../../src/modules/transfer/packets.ts'
import { MODULE_ACCOUNT } from '../../../src/spec/addresses.ts'
import { alice, bob, nativeSpec } from '../../support/native.ts'
import { type Chain, COINS, chainWith, port, SINKS, START, TOKEN, textOf } from './support.ts'

const ZERO = `0x${'00'.repeat(32)}`
const HOME = port('channel-0')
const AWAY = port('channel-1')
const none = { revisionNumber: 0n, revisionHeight: 0n }
const nanoseconds = (seconds: bigint) => seconds * 1_000_000_000n

/** The trace of akest that came through channel-1. */
const FULL = 'transfer/channel-1/akest'
const VOUCHER = voucherDenom(traceHash(FULL))

let chain: Chain
beforeEach(async () => {
  chain = await chainWith()
})
const held = () => [chain.bank.balance(alice), chain.bank.balance(bob), chain.bank.balance(escrowAddress(HOME))]

describe('sending a transfer', () => {
  it('41: escrows the coins, numbers packets from 1 and stores the commitment in V3’s form', () => {
    expect(chain.transfer.channels.nextSequence(HOME)).toBe(1n)
    expect(chain.send({ amount: 10n })).toBe(1n)
    expect(held()).toEqual([990n, 1_000n, 10n])
    expect(chain.transfer.escrowed(HOME, 'akest')).toBe(10n)
    expect(chain.transfer.channels.commitmentOf(HOME, 1n)).not.toBe(ZERO)
    expect(chain.transfer.channels.nextSequence(HOME)).toBe(2n)
    expect(chain.send({ channel: 'channel-1' })).toBe(1n)
    expect(chain.send()).toBe(2n)
    expect(chain.transfer.invariants()).toEqual([])
  })

  it.each<[string, Parameters<Chain['send']>[0], string]>([
    ['an unknown channel', { channel: 'channel-9' }, 'port ID (transfer) channel ID (channel-9): channel not found'],
    ['a malformed channel', { channel: 'c' }, 'invalid source channel ID: identifier c has invalid length'],
    ['nothing', { amount: 0n }, '0akest: insufficient funds'],
    ['without a receiver', { receiver: '  ' }, 'missing recipient address: invalid address'],
    [
      'to a receiver that is too long',
      { receiver: 'é'.repeat(1_025) },
      'recipient address must not exceed 2048 bytes: invalid address',
    ],
    ['with a long memo', { memo: 'm'.repeat(32_769) }, 'memo must not exceed 32768 bytes: invalid memo'],
    ['a malformed coin', { denom: '1akest' }, 'invalid denom: 1akest'],
    ['an unknown voucher', { denom: `ibc/${'0'.repeat(64)}` }, 'denomination trace not found'],
    [
      'more than the balance',
      { amount: 1_001n },
      'spendable balance 1000akest is smaller than 1001akest: insufficient funds',
    ],
    [
      '42: without a timeout',
      { timeout: { height: none, timestamp: 0n } },
      'packet timeout height and packet timeout timestamp cannot both be 0: invalid packet',
    ],
    [
      'with the present height as timeout',
      { timeout: { height: { revisionNumber: 1n, revisionHeight: 1n }, timestamp: 0n } },
      'receiving chain block height >= packet timeout height',
    ],
    [
      'with an earlier revision as timeout',
      { timeout: { height: { revisionNumber: 0n, revisionHeight: 1_000n }, timestamp: 0n } },
      'receiving chain block height >= packet timeout height',
    ],
    [
      'with the present time as timeout',
      { timeout: { height: none, timestamp: nanoseconds(START) } },
      'receiving chain block timestamp >= packet timeout timestamp',
    ],
  ])('is refused: %s', (_, change, refusal) => {
    expect(chain.attempt(() => chain.send(change))).toContain(refusal)
    expect(held()).toEqual([1_000n, 1_000n, 0n])
    expect(chain.send()).toBe(1n)
  })

  it('is refused when sending is switched off, and on closed channels', async () => {
    const off = await chainWith({ sendEnabled: false })
    expect(off.attempt(() => off.send())).toBe('fungible token transfers from this chain are disabled')
    chain.transfer.channels.close(HOME)
    expect(chain.attempt(() => chain.send())).toBe('channel is not OPEN (got STATE_CLOSED): invalid channel state')
  })

  it('accepts receivers and memos of the maximum length', () => {
    expect(chain.send({ receiver: 'é'.repeat(1_024), memo: 'm'.repeat(32_768) })).toBe(1n)
  })
})

describe('a looped channel', () => {
  it('45: mints a voucher in the next block, and returns the coin when the voucher comes back', () => {
    chain.send({ amount: 10n })
    chain.next()
    expect(chain.bank.balance(bob, VOUCHER)).toBe(0n)
    chain.next()
    // V1's hash, for this chain's coin.
    expect([chain.bank.balance(bob, VOUCHER), chain.bank.supply(VOUCHER)]).toEqual([10n, 10n])
    expect(chain.transfer.trace(traceHash(FULL))).toEqual({ path: 'transfer/channel-1', baseDenom: 'akest' })
    expect(chain.transfer.channels.commitmentOf(HOME, 1n)).toBe(ZERO)

    chain.send({ channel: 'channel-1', denom: VOUCHER, amount: 4n, sender: bob, receiver: textOf(alice) })
    expect([chain.bank.balance(bob, VOUCHER), chain.bank.supply(VOUCHER)]).toEqual([6n, 6n])
    expect(chain.transfer.invariants()).toEqual([])
    chain.next()
    chain.next()
    expect(held()).toEqual([994n, 1_000n, 6n])
    expect(chain.transfer.escrowed(HOME, 'akest')).toBe(6n)
    expect(chain.transfer.invariants()).toEqual([])
  })

  it('creates the ERC-20 contract of a voucher at the first arrival', () => {
    const voucherContract = voucherAddress(traceHash(FULL))
    expect(chain.view.code(voucherContract)).toEqual(new Uint8Array(0))
    chain.send()
    chain.next()
    chain.next()
    expect([chain.view.code(voucherContract), chain.view.nonce(voucherContract)]).toEqual([Uint8Array.of(0xfe), 1n])
    expect(chain.erc20.pair(voucherContract)).toEqual({
      token: voucherContract,
      denom: VOUCHER,
      owner: 'module',
      isEnabled: true,
      name: 'KEST',
      symbol: 'KEST',
      decimals: 18n,
    })
  })

  it('adds a hop to the trace of a voucher that is sent on', () => {
    chain.send({ receiver: textOf(alice) })
    chain.next()
    chain.next()
    chain.send({ denom: VOUCHER, amount: 3n })
    expect([chain.bank.balance(escrowAddress(HOME), VOUCHER), chain.bank.supply(VOUCHER)]).toEqual([3n, 10n])
    chain.next()
    chain.next()
    const far = `transfer/channel-1/${FULL}`
    expect(chain.bank.balance(bob, voucherDenom(traceHash(far)))).toBe(3n)
    expect(chain.transfer.hashOf(far)).toBe(traceHash(far))
    expect(chain.transfer.invariants()).toEqual([])
  })

  it('accepts receivers in hex', () => {
    chain.send({ receiver: bob.toUpperCase().replace('0X', '0x') })
    chain.next()
    chain.next()
    expect(chain.bank.balance(bob, VOUCHER)).toBe(10n)
  })

  it.each([
    ['is not an address', 'cosmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwsjskvv'],
    ['is a module account', textOf(MODULE_ACCOUNT.distribution)],
    ['is a native contract', '0x0000000000000000000000000000000000000802'],
    ['is a precompile', '0x0000000000000000000000000000000000000001'],
  ])('refunds the sender when the receiver %s', (_, receiver) => {
    chain.send({ receiver })
    chain.next()
    expect(held()).toEqual([990n, 1_000n, 10n])
    chain.next()
    expect(held()).toEqual([1_000n, 1_000n, 0n])
    expect([chain.transfer.escrowed(HOME, 'akest'), chain.transfer.traces().length]).toEqual([0n, 0])
    expect(chain.send()).toBe(2n)
  })

  it('refunds the sender when the receiver cannot accept the coins', async () => {
    const closed = await chainWith({ receiveEnabled: false })
    closed.send()
    closed.next()
    closed.next()
    expect(closed.bank.balance(alice)).toBe(COINS)
  })

  it('refunds burnt vouchers by minting them again', () => {
    chain.send({ receiver: textOf(alice) })
    chain.next()
    chain.next()
    chain.send({ channel: 'channel-1', denom: VOUCHER, receiver: 'nobody' })
    expect(chain.bank.supply(VOUCHER)).toBe(0n)
    chain.next()
    chain.next()
    expect([chain.bank.balance(alice, VOUCHER), chain.transfer.escrowed(HOME, 'akest')]).toEqual([10n, 10n])
    expect(chain.transfer.invariants()).toEqual([])
  })

  it.each([
    ['height', { height: { revisionNumber: 1n, revisionHeight: 2n }, timestamp: 0n }, false],
    ['height', { height: { revisionNumber: 1n, revisionHeight: 3n }, timestamp: 0n }, true],
    ['time', { height: none, timestamp: nanoseconds(START + 5n) }, false],
    ['time', { height: none, timestamp: nanoseconds(START + 5n) + 1n }, true],
  ])('times out by %s: %o is delivered: %s', (_, timeout, arrives) => {
    // Sent in block 1; block 2, five seconds later, delivers it.
    chain.send({ timeout })
    chain.next()
    chain.next()
    expect(chain.bank.balance(bob, VOUCHER)).toBe(arrives ? 10n : 0n)
    expect(chain.bank.balance(alice)).toBe(arrives ? 990n : 1_000n)
    expect(chain.transfer.channels.commitmentOf(HOME, 1n)).toBe(ZERO)
  })

  it('keeps the packet of a closed channel until its timeout', () => {
    chain.send({ timeout: { height: none, timestamp: nanoseconds(START + 100n) } })
    chain.transfer.channels.close(AWAY)
    chain.next()
    chain.next(94n)
    expect(held()).toEqual([990n, 1_000n, 10n])
    chain.next()
    expect(held()).toEqual([990n, 1_000n, 10n])
    chain.next()
    expect(held()).toEqual([1_000n, 1_000n, 0n])
  })

  it('converts coins of a token pair back to tokens', () => {
    const denom = coinOf(nativeSpec, TOKEN)
    chain.bank.mint(alice, 10n, denom)
    chain.send({ denom })
    chain.next()
    chain.next()
    const voucher = voucherDenom(traceHash(`transfer/channel-1/${denom}`))
    expect(chain.erc20.pairOf(voucher)).toMatchObject({ name: 'Token', symbol: 'TOK', decimals: 6n, owner: 'module' })
    chain.send({ channel: 'channel-1', denom: voucher, sender: bob, receiver: textOf(alice), amount: 4n })
    chain.next()
    chain.next()
    expect(chain.erc20.takeDueTokens()).toMatchObject({ holder: alice, token: TOKEN, amount: 4n })
    expect(chain.bank.balance(MODULE_ACCOUNT.erc20, denom)).toBe(4n)
    expect(chain.erc20.takeDueTokens()).toBeUndefined()
  })
})

describe('simulated chains', () => {
  it.each([
    ['ack-success', 990n],
    ['ack-error', 1_000n],
    ['timeout', 1_000n],
  ] as const)('46: %s', (behaviour, left) => {
    const channel = SINKS[behaviour]
    chain.send({ channel, receiver: 'osmo1whoever' })
    chain.next()
    expect(chain.bank.balance(alice)).toBe(990n)
    chain.next()
    expect(chain.bank.balance(alice)).toBe(left)
    expect(chain.transfer.escrowed(port(channel), 'akest')).toBe(COINS - left)
    expect(chain.transfer.channels.commitmentOf(port(channel), 1n)).toBe(ZERO)
    expect(chain.send({ channel })).toBe(2n)
    expect(chain.transfer.invariants()).toEqual([])
  })

  it('that never answer let each packet end by its earlier timeout', () => {
    const channel = SINKS.never
    const height = (revisionHeight: bigint) => ({ revisionNumber: 1n, revisionHeight })
    chain.send({ channel, amount: 1n, timeout: { height: height(6n), timestamp: 0n } })
    chain.send({ channel, amount: 20n, timeout: { height: none, timestamp: nanoseconds(START + 15n) } })
    chain.send({ channel, amount: 300n, timeout: { height: height(5n), timestamp: nanoseconds(START + 1_000n) } })
    chain.send({ channel, amount: 4n, timeout: { height: { revisionNumber: 2n, revisionHeight: 1n }, timestamp: 0n } })
    const left = []
    for (let block = 1; block < 8; block++) {
      chain.next()
      left.push(chain.bank.balance(alice))
    }
    // Block n ends at START + 5 (n - 1): 15 seconds have passed with block 4.
    expect(left).toEqual([675n, 675n, 675n, 695n, 995n, 996n, 996n])
    expect(chain.transfer.escrowed(port(channel), 'akest')).toBe(4n)
  })

  it('hold vouchers from genesis, which are refunded when the transfer fails', async () => {
    const with_ = await chainWith({
      vouchers: [{ trace: `transfer/${SINKS['ack-error']}/uatom`, balances: { [alice]: '50' } }],
    })
    const hash = traceHash(`transfer/${SINKS['ack-error']}/uatom`)
    expect(with_.bank.balance(alice, voucherDenom(hash))).toBe(50n)
    expect(with_.erc20.pair(voucherAddress(hash))).toMatchObject({ symbol: 'ATOM', decimals: 6n })
    with_.send({ channel: SINKS['ack-error'], denom: voucherDenom(hash), amount: 20n })
    expect(with_.bank.supply(voucherDenom(hash))).toBe(30n)
    with_.next()
    with_.next()
    expect([with_.bank.balance(alice, voucherDenom(hash)), with_.bank.supply(voucherDenom(hash))]).toEqual([50n, 50n])
  })
})

describe('a packet', () => {
  const packet = (change: object = {}) => ({
    source: HOME,
    destination: AWAY,
    sequence: 1n,
    timeout: { height: none, timestamp: nanoseconds(START + 100n) },
    data: Buffer.from('whatever it says'),
    ...change,
  })
  beforeEach(() => {
    chain.transfer.channels.send(HOME, packet().timeout, packet().data)
  })
  const channels = () => chain.transfer.channels

  it('is not received twice', () => {
    channels().receive(packet())
    expect(() => channels().receive(packet())).toThrow('packet with sequence 1 has been received already')
  })

  it.each([
    ['other data', packet({ data: Buffer.from('something else') }), 'commitment bytes are not equal'],
    ['another timeout', packet({ timeout: { height: none, timestamp: nanoseconds(START + 101n) } }), 'are not equal'],
    ['another sequence', packet({ sequence: 2n }), 'are not equal'],
    ['another source', packet({ source: port('channel-2') }), 'packet does not come from the counterparty'],
    ['no destination', packet({ destination: port('channel-9') }), 'channel not found'],
  ])('is not received with %s', (_, of, refusal) => {
    expect(() => channels().receive(of)).toThrow(refusal)
  })

  it('is not received after its timeout, and does not time out early or after it was received', () => {
    const early = 'packet timeout has not been reached for height or timestamp'
    expect(() => channels().timeout(packet())).toThrow(early)
    chain.time += 100n
    expect(() => channels().receive(packet())).toThrow('packet timeout')
    chain.time -= 1n
    channels().receive(packet())
    chain.time += 1n
    expect(() => channels().timeout(packet())).toThrow('packet with sequence 1 was received')
  })

  it('ends once, with the acknowledgement that the destination wrote', () => {
    channels().receive(packet())
    expect(() => channels().acknowledge(packet(), SUCCESS)).toThrow('is not what the destination wrote')
    channels().writeAcknowledgement(packet(), SUCCESS)
    expect(acknowledgementCommitment(SUCCESS)).toBe(
      '0x08f7557ed51826fe18d84512bf24ec75001edbaf2123a477df72a0a9f3640a7c',
    )
    expect(() => channels().acknowledge(packet(), Buffer.from('{"error":""}'))).toThrow('is not what')
    channels().acknowledge(packet(), SUCCESS)
    expect(() => channels().acknowledge(packet(), SUCCESS)).toThrow('packet with sequence 1 is not on its way')
    chain.time += 100n
    expect(() => channels().timeout(packet())).toThrow()
  })

  it('does not time out twice', () => {
    chain.time += 100n
    channels().timeout(packet())
    expect(() => channels().timeout(packet())).toThrow('packet with sequence 1 is not on its way')
  })
})

describe('the genesis section of transfers', () => {
  it('has one looped channel by default', () => {
    expect(readTransferGenesis(undefined)).toEqual({
      version: 1,
      sendEnabled: true,
      receiveEnabled: true,
      loopback: [['channel-0', 'channel-1']],
      sinks: [],
      vouchers: [],
    })
  })

  it.each([
    [{ loop: [] }, 'kestrel.modules.transfer.loop: unknown field'],
    [{ loopback: [['channel-0']] }, 'kestrel.modules.transfer.loopback.0'],
    [{ loopback: [['channel-0', 'channel-x']] }, 'kestrel.modules.transfer.loopback.0.1: expected a channel'],
    [{ sinks: [{ channel: 'channel-2', behaviour: 'loopback' }] }, 'kestrel.modules.transfer.sinks.0.behaviour'],
    [{ sinks: [{ channel: 'channel-1', behaviour: 'never' }] }, 'channel-1 stands here twice'],
    [{ vouchers: [{ trace: 'uatom', balances: {} }] }, 'kestrel.modules.transfer.vouchers.0.trace'],
    [{ vouchers: [{ trace: 'transfer/channel-1/uatom', balances: {} }] }, 'expected a path through a sink'],
    [{ vouchers: [{ trace: 'transfer/channel-1/uatom', balances: { '0x1': '1' } }] }, 'vouchers.0.balances'],
  ])('refuses %o', (json, refusal) => {
    expect(() => readTransferGenesis(json)).toThrow(refusal)
  })

  it('may loop a channel to itself', async () => {
    const self = await chainWith({ loopback: [['channel-0', 'channel-0']] })
    self.send()
    self.next()
    self.next()
    const denom = voucherDenom(traceHash('transfer/channel-0/akest'))
    expect([self.bank.balance(bob, denom), self.transfer.escrowed(HOME, 'akest')]).toEqual([10n, 10n])
    self.send({ denom, sender: bob, receiver: textOf(alice) })
    self.next()
    self.next()
    expect(self.bank.balance(alice)).toBe(COINS)
    expect(self.transfer.invariants()).toEqual([])
  })
})

it('the invariants of transfers report a wrong escrow balance', () => {
  chain.send()
  expect(chain.transfer.invariants()).toEqual([])
  chain.bank.transfer(escrowAddress(HOME), alice, 1n)
  expect(chain.transfer.invariants()).toEqual(['escrow of transfer/channel-0 holds 9akest, should be 10'])
  chain.next()
  chain.next()
  chain.bank.mint(hexToAddress(`0x${'ee'.repeat(20)}`), 5n, VOUCHER)
  expect(chain.transfer.invariants()).toContain('escrow of transfer/channel-0 is 10akest, should be 15')
})
