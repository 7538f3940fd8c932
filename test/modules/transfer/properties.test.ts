// Random transfers of random coins over all kinds of channels: escrow accounts and voucher supplies match, no coin is lost or
// made, and no packet stays pending.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Address, hexToAddress, ZERO_HASH } from '../../../src/lib/hex.ts'
import { voucherDenom } from '../../../src/modules/transfer/denoms.ts'
import { escrowAddress } from '../../../src/modules/transfer/packets.ts'
import { MODULE_ACCOUNT } from '../../../src/spec/addresses.ts'
import { alice, bob } from '../../support/native.ts'
import { type Chain, chainWith, port, SINKS, START, textOf } from './support.ts'

const carol = hexToAddress(`0x${'cc'.repeat(20)}`)
const PEOPLE = [alice, bob, carol]
const LOOPS = ['channel-0', 'channel-1', 'channel-10', 'channel-11']
const CHANNELS = [...LOOPS, ...Object.values(SINKS)]
const SINK = `transfer/${SINKS['ack-error']}/uatom`

const index = fc.nat(50)
const operation = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      channel: fc.constantFrom(...CHANNELS),
      sender: fc.constantFrom(...PEOPLE),
      receiver: fc.constantFrom(...PEOPLE.map(textOf), ...PEOPLE, 'nobody', textOf(MODULE_ACCOUNT.gov)),
      coin: index,
      amount: fc.oneof(fc.bigInt(1n, 40n), fc.bigInt(1n, 1_200n)),
      blocks: fc.option(fc.bigInt(0n, 6n)),
      seconds: fc.option(fc.bigInt(0n, 30n)),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('next' as const), seconds: fc.bigInt(1n, 12n) }) },
)
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

/** Every denomination with a supply. */
const denoms = (chain: Chain) => chain.bank.supplies().map(({ denom }) => denom)

function perform(chain: Chain, of: Operation): void {
  if (of.kind === 'next') {
    chain.next(of.seconds)
    return
  }
  const own = chain.bank.balances(of.sender).map(({ denom }) => denom)
  const height =
    of.blocks === null
      ? { revisionNumber: 0n, revisionHeight: 0n }
      : { revisionNumber: 1n, revisionHeight: chain.number + of.blocks }
  const timestamp = of.seconds === null ? 0n : (chain.time + of.seconds) * 1_000_000_000n
  const { channel, sender, receiver, amount } = of
  const denom = own[of.coin % own.length] ?? 'akest'
  chain.attempt(() => chain.send({ channel, sender, receiver, amount, denom, timeout: { height, timestamp } }))
}

function holders(): Address[] {
  return [...PEOPLE, ...CHANNELS.map((channel) => escrowAddress(port(channel)))]
}

const genesis = {
  loopback: [
    ['channel-0', 'channel-1'],
    ['channel-10', 'channel-11'],
  ],
  vouchers: [{ trace: SINK, balances: { [alice]: '100', [bob]: '100' } }],
}

describe('escrow accounts and voucher supplies', () => {
  it('match after any sequence of transfers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 60 }), async (operations) => {
        const chain = await chainWith(genesis)
        for (const of of operations) {
          perform(chain, of)
          expect(chain.transfer.invariants()).toEqual([])
          for (const denom of denoms(chain)) {
            const sum = holders().reduce((total, holder) => total + chain.bank.balance(holder, denom), 0n)
            expect([denom, sum]).toEqual([denom, chain.bank.supply(denom)])
          }
        }
        expect(chain.bank.supply()).toBe(2_000n)
      }),
      { numRuns: 20 },
    )
  })

  it('return to zero: every packet ends, and every voucher can be returned', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 40 }), async (operations) => {
        const chain = await chainWith(genesis)
        for (const of of operations) perform(chain, of)
        // All timeouts are at most 6 blocks or 30 seconds away.
        for (let block = 0; block < 8; block++) chain.next(10n)
        for (const channel of CHANNELS) {
          const last = chain.transfer.channels.nextSequence(port(channel)) - 1n
          for (let sequence = 1n; sequence <= last; sequence++) {
            expect(BigInt(chain.transfer.channels.commitmentOf(port(channel), sequence))).toBe(0n)
          }
        }
        // Vouchers of looped channels are returned hop by hop, the longest trace first.
        const traces = chain.transfer.traces()
        const all = Array.from({ length: traces.length }, (_, place) => traces.at(place) ?? ZERO_HASH)
        const loops = all.filter((hash) => {
          const { path = '' } = chain.transfer.trace(hash) ?? {}
          return LOOPS.some((channel) => path.startsWith(`transfer/${channel}`) && path.split('/')[1] === channel)
        })
        const byLength = [...loops].sort((a, b) => length(chain, b) - length(chain, a))
        for (const hash of byLength) {
          const channel = chain.transfer.trace(hash)?.path.split('/')[1] ?? ''
          const denom = voucherDenom(hash)
          for (const holder of PEOPLE) {
            const amount = chain.bank.balance(holder, denom)
            if (amount > 0n) chain.send({ channel, denom, amount, sender: holder, receiver: holder })
          }
          chain.next()
          chain.next()
        }
        // Vouchers that were sent on through a sink cannot be returned: their coins stay in escrow.
        const sink = escrowAddress(port(SINKS['ack-success']))
        const stranded = loops
          .filter((hash) => chain.transfer.trace(hash)?.baseDenom === 'akest')
          .reduce((sum, hash) => sum + chain.bank.balance(sink, voucherDenom(hash)), 0n)
        const waiting = LOOPS.reduce((sum, channel) => sum + chain.bank.balance(escrowAddress(port(channel))), 0n)
        expect(waiting).toBe(stranded)
        const away = chain.transfer.escrowed(port(SINKS['ack-success']), 'akest')
        const home = PEOPLE.reduce((sum, of) => sum + chain.bank.balance(of), 0n)
        expect(home + away + stranded).toBe(2_000n)
        expect(chain.time).toBeGreaterThan(START)
      }),
      { numRuns: 15 },
    )
  })
})

const length = (chain: Chain, hash: Parameters<Chain['transfer']['trace']>[0]): number =>
  chain.transfer.trace(hash)?.path.length ?? 0
