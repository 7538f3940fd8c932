// Messages and contracts on a small chain with hand-written code, so that every expected row can be worked out by hand.
import { getContractAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { RECORD } from '../../src/indexer/records.ts'
import {
  balanceEntry,
  callEntry,
  firstSeenEntry,
  LIST,
  positionEntry,
  ROLES,
  transactionEntry,
} from '../../src/indexer/tables.ts'
import { type Address, fromHex, type Hash, type Hex, hexToAddress, toHex } from '../../src/lib/hex.ts'
import { SECONDS_A_DAY } from '../../src/lib/unix-time.ts'
import { delegationTo } from '../../src/primitives/delegation.ts'
import type { Transaction } from '../../src/primitives/types.ts'
import type { StateView } from '../../src/state/types.ts'
import { entriesBetween, listLength, sequenceOf } from '../../src/tables/list.ts'
import { CHILD_CODE, ETHER, FACTORY, GWEI, KEEPER, keyAt, openSmallChain, signed, smallSpec } from '../chain/support.ts'
import { asm, call } from '../support/assembler.ts'
import { initCode, MORTAL, maker } from './actions.ts'

const at = (n: number): Address => hexToAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [PLAIN, OUTER, INNER, LENT, MAKER] = [at(0xaa), at(0xb0), at(0xb1), at(0xb2), at(0xb3)] as const
const SENDER = keyAt(0).address
const CHILD = hexToAddress(
  getContractAddress({
    opcode: 'CREATE2',
    from: FACTORY,
    salt: '0x00',
    bytecode: `0x60016000556e${CHILD_CODE.slice(2)}600052600f6011f3`,
  }),
)

/** The chain, its rows, and functions that extend it. */
async function smallIndex(until: 'shanghai' | 'prague' = 'prague') {
  const chain = await openSmallChain({ spec: smallSpec(until) })
  const { store } = chain
  let nonce = 0n
  const all = (list: Hex): Uint8Array[] => entriesBetween(store, list, 0, listLength(store, list))
  return {
    chain,
    store,
    all,
    /** Makes a block of transactions of the first key. */
    async block(...transactions: readonly Parameters<typeof signed>[2][]): Promise<Transaction[]> {
      const made = transactions.map((fields) => signed(0, nonce++, fields))
      for (const { raw } of made) await chain.submit(raw)
      const { block } = await chain.produce()
      expect(block.transactions.length).toBe(made.length)
      return made
    },
    edit: (change: (view: StateView) => void) => chain.edit(change),
    calls: () => all(LIST.calls).map((row) => callEntry.decode(row)),
    callsOf: (of: Address) => ROLES.map((side) => all(LIST.callsOf(of, side)).map(sequenceOf)),
    transactions: () => all(LIST.transactions).map((row) => transactionEntry.decode(row)),
    coins: (of: Address) => all(LIST.balances(of)).map((row) => balanceEntry.decode(row)),
    contracts: () => all(LIST.contracts).map((row) => firstSeenEntry.decode(row)),
    fact: (of: Address) => RECORD.account.get(store, of),
  }
}

describe('internal transactions', () => {
  it('are listed in call order with their results, and for sender and recipient', async () => {
    const { block, edit, calls, callsOf, transactions, coins } = await smallIndex()
    await edit((view) => {
      const plainly = call(PLAIN, { value: '0x03' })
      const lent = call(LENT, { kind: 'DELEGATECALL' })
      view.setCode(OUTER, fromHex(asm(...plainly, ...call(INNER), ...lent, 'STOP')))
      view.setCode(INNER, fromHex(asm(...call(PLAIN, { value: '0x01' }), 'PUSH0', 'PUSH0', 'REVERT')))
      view.setCode(LENT, fromHex(asm('STOP')))
      view.setBalance(INNER, 100n)
    })
    await block({ to: OUTER, value: 10n }, { to: INNER }, { to: PLAIN, value: 1n })

    const row = { transaction: 0, selector: new Uint8Array(0), error: undefined, isUndone: false }
    expect(calls()).toEqual([
      // 0xffff gas plus the stipend of a call with value.
      { ...row, index: 1, type: 'CALL', from: OUTER, to: PLAIN, value: 3n, gas: 65_535 + 2_300, gasUsed: 0 },
      {
        ...row,
        index: 2,
        type: 'CALL',
        from: OUTER,
        to: INNER,
        value: 0n,
        gas: 65_535,
        // Four PUSH0, three other PUSH, a warm call with value minus the unused stipend, two PUSH0.
        gasUsed: 4 * 2 + 3 * 3 + 100 + 9_000 - 2_300 + 2 * 2,
        error: 'execution reverted',
      },
      expect.objectContaining({ ...row, index: 3, type: 'CALL', from: INNER, to: PLAIN, value: 1n, isUndone: true }),
      expect.objectContaining({ ...row, index: 4, type: 'DELEGATECALL', from: OUTER, to: LENT, value: 10n }),
      expect.objectContaining({ ...row, transaction: 1, index: 1, from: INNER, to: PLAIN, value: 1n, isUndone: true }),
    ])
    expect(callsOf(OUTER)).toEqual([[0, 1, 3], [], [], []])
    expect(callsOf(INNER)).toEqual([[2, 4], [1], [], []])
    expect(callsOf(PLAIN)).toEqual([[], [0, 2, 4], [], []])
    expect(callsOf(SENDER)).toEqual([[], [], [], []])
    expect(transactions()).toMatchObject([
      { firstCall: 0, calls: 4, error: undefined, hasInnerError: true },
      { firstCall: 4, calls: 1, error: 'execution reverted', hasInnerError: false },
      { firstCall: 5, calls: 0, error: undefined, hasInnerError: false },
    ])
    // 3 from OUTER and 1 from the sender; INNER's call was reverted. One row for the last change.
    expect(coins(PLAIN)).toEqual([{ number: 1, transaction: 2, before: 0n, after: 4n }])
  })

  it('have the first four bytes of their input, if it has as many', async () => {
    const { block, edit, calls } = await smallIndex()
    await edit((view) => {
      const calling = (size: string) => ['PUSH0', 'PUSH0', `PUSH1 ${size}`, ...call(PLAIN).slice(3)]
      const input = ['PUSH4 0xa9059cbb', 'PUSH1 0xe0', 'SHL', 'PUSH0', 'MSTORE']
      view.setCode(OUTER, fromHex(asm(...input, ...['0x03', '0x04', '0x24'].flatMap(calling), 'STOP')))
    })
    await block({ to: OUTER })
    expect(calls().map(({ selector }) => toHex(selector))).toEqual(['0x', '0xa9059cbb', '0xa9059cbb'])
  })

  it('include creations by transactions, with the contract’s address', async () => {
    const { block, calls, callsOf, transactions, contracts, fact, all } = await smallIndex()
    const genesis = contracts()
    const failing = asm('PUSH0', 'PUSH0', 'REVERT')
    await block({ to: null, data: fromHex(initCode(MORTAL)) }, { to: null, data: fromHex(failing) })
    const [made = PLAIN, failed = PLAIN] = [0n, 1n].map((nonce) =>
      hexToAddress(getContractAddress({ from: SENDER, nonce })),
    )
    expect(calls()).toMatchObject([
      { transaction: 0, index: 0, type: 'CREATE', from: SENDER, to: made, error: undefined },
      { transaction: 1, index: 0, type: 'CREATE', from: SENDER, error: 'execution reverted' },
    ])
    expect(callsOf(made)).toEqual([[], [], [], [0]])
    expect(transactions().map(({ hasInnerError }) => hasInnerError)).toEqual([false, false])
    for (const [sequence, address] of [made, failed].entries()) {
      expect(all(LIST.transactionsOf(address, 'created')).map(sequenceOf)).toEqual([sequence])
    }
    expect(contracts().slice(genesis.length)).toEqual([{ number: 1, address: made }])
    expect(fact(made)).toMatchObject({ creator: SENDER, createdIn: 0, isDestroyed: false })
    expect(fact(failed)).toMatchObject({ creator: undefined, createdIn: undefined, isDestroyed: false })
  })
})

describe('created contracts', () => {
  it('of the genesis are listed with block 0', async () => {
    const { chain, contracts } = await smallIndex()
    const expected = [...smallSpec().genesis.alloc]
      .filter(([, { code }]) => code.length > 0)
      .map(([address]) => address)
    expect(contracts()).toEqual(expected.toSorted().map((address) => ({ number: 0, address })))
    expect(RECORD.day.get(chain.store, 0)?.contracts).toBe(expected.length)
  })

  it('that are destroyed in the transaction that created them are listed as destroyed', async () => {
    const { chain, block, edit, calls, contracts, fact } = await smallIndex()
    await edit((view) => {
      view.setCode(MAKER, fromHex(maker(initCode(MORTAL), 5)))
      view.setBalance(MAKER, 5n)
    })
    const before = contracts().length
    await block({ to: MAKER })
    const made = hexToAddress(getContractAddress({ from: MAKER, nonce: 0n }))
    expect(calls().map(({ type, from, to, value }) => [type, from, to, value])).toEqual([
      ['CREATE', MAKER, made, 0n],
      ['CALL', MAKER, made, 5n],
      ['SELFDESTRUCT', made, MAKER, 5n],
    ])
    expect(contracts().slice(before)).toEqual([{ number: 1, address: made }])
    expect(fact(made)).toMatchObject({ creator: MAKER, createdIn: 0, isDestroyed: true })
    const day = Number(chain.head.timestamp / SECONDS_A_DAY)
    expect(RECORD.day.get(chain.store, day)?.contracts).toBe(1)
  })

  it('that are created again after a self-destruct keep their row', async () => {
    const { block, contracts, fact } = await smallIndex('shanghai')
    const before = contracts().length
    const make = { to: FACTORY }
    const end = { to: CHILD }
    const state = () => ({ createdIn: fact(CHILD)?.createdIn, isDestroyed: fact(CHILD)?.isDestroyed })
    await block(make)
    expect(fact(CHILD)).toMatchObject({ creator: FACTORY, createdIn: 0, isDestroyed: false })
    await block(end)
    expect(state()).toEqual({ createdIn: 0, isDestroyed: true })
    await block(make)
    expect(state()).toEqual({ createdIn: 2, isDestroyed: false })
    await block(end, make)
    expect(state()).toEqual({ createdIn: 4, isDestroyed: false })
    await block(end, make, end)
    expect(state()).toEqual({ createdIn: 6, isDestroyed: true })
    expect(contracts().slice(before)).toEqual([{ number: 1, address: CHILD }])
  })

  it('that were added by a state edit keep their row when they self-destruct and are created by a message', async () => {
    const { block, edit, contracts, fact } = await smallIndex('shanghai')
    const before = contracts().length
    await edit((view) => view.setCode(CHILD, fromHex(CHILD_CODE)))
    expect(fact(CHILD)).toMatchObject({ creator: undefined, createdIn: undefined, isDestroyed: false })
    await block({ to: CHILD }, { to: FACTORY })
    expect(fact(CHILD)).toMatchObject({ creator: FACTORY, createdIn: 1, isDestroyed: false })
    expect(contracts().slice(before)).toEqual([{ number: 0, address: CHILD }])
  })

  it('remain when SELFDESTRUCT only transfers the balance (EIP-6780)', async () => {
    const { block, contracts, fact, calls } = await smallIndex()
    const before = contracts().length
    await block({ to: FACTORY })
    await block({ to: CHILD })
    expect(calls().at(-1)).toMatchObject({ type: 'SELFDESTRUCT', from: CHILD, to: SENDER })
    expect(fact(CHILD)?.isDestroyed).toBe(false)
    // A second creation fails because the contract exists.
    await block({ to: FACTORY })
    expect(fact(CHILD)).toMatchObject({ createdIn: 0, isDestroyed: false })
    expect(contracts().slice(before)).toEqual([{ number: 1, address: CHILD }])
  })

  it('can be added and removed by state edits; an account with a delegation is not a contract', async () => {
    const { edit, block, contracts, fact } = await smallIndex()
    const before = contracts().length
    const put = (code: Hex) => edit((view) => view.setCode(PLAIN, fromHex(code)))
    const listed = [{ number: 0, address: PLAIN }]
    await put(toHex(delegationTo(KEEPER)))
    expect([contracts().length, fact(PLAIN)?.isDestroyed]).toEqual([before, false])
    await put('0x00')
    expect([contracts().slice(before), fact(PLAIN)?.isDestroyed]).toEqual([listed, false])
    await put('0x5f00')
    await put('0x')
    expect(fact(PLAIN)?.isDestroyed).toBe(true)
    await block({ to: PLAIN, value: 1n })
    expect(fact(PLAIN)?.isDestroyed).toBe(true)
    await put('0x00')
    expect([contracts().slice(before), fact(PLAIN)?.isDestroyed]).toEqual([listed, false])
  })
})

describe('coin changes', () => {
  it('by state edits have a row each, without a transaction', async () => {
    const { edit, block, coins, fact } = await smallIndex()
    await edit((view) => view.setBalance(PLAIN, 7n))
    await edit((view) => view.setBalance(PLAIN, 9n))
    await edit((view) => view.setNonce(PLAIN, 3n))
    await block({ to: PLAIN, value: 1n })
    await edit((view) => view.setBalance(PLAIN, 0n))
    const row = { transaction: undefined }
    expect(coins(PLAIN)).toEqual([
      { ...row, number: 0, before: 0n, after: 7n },
      { ...row, number: 0, before: 7n, after: 9n },
      { number: 1, transaction: 0, before: 9n, after: 10n },
      { ...row, number: 1, before: 10n, after: 0n },
    ])
    expect(fact(PLAIN)).toMatchObject({ balance: 0n, changedAt: 1 })
  })

  it('by a block’s payments have no transaction either', async () => {
    const { chain, all, coins, fact } = await smallIndex()
    const paid = [
      { index: 0n, validatorIndex: 5n, address: PLAIN, amount: 2n },
      { index: 1n, validatorIndex: 5n, address: at(0xab), amount: 0n },
      { index: 2n, validatorIndex: 6n, address: PLAIN, amount: 1n },
    ]
    await chain.produce({ withdrawals: paid })
    expect(coins(PLAIN)).toEqual([{ number: 1, transaction: undefined, before: 0n, after: 3n * GWEI }])
    const places = (list: Hex) => all(list).map((row) => positionEntry.decode(row))
    expect(places(LIST.withdrawals)).toEqual([0, 1, 2].map((index) => ({ number: 1, index })))
    expect(places(LIST.withdrawalsOf(PLAIN))).toEqual([0, 2].map((index) => ({ number: 1, index })))
    expect(RECORD.withdrawn.get(chain.store)).toEqual({ amount: 3n * GWEI })
    expect(fact(at(0xab))).toMatchObject({ balance: 0n, changedAt: 0 })
  })
})

describe('the record of a block', () => {
  it('includes blob fees in its fees, not in base fees and tips', async () => {
    const { chain, store } = await smallIndex()
    const blobs = {
      type: 3 as const,
      to: PLAIN,
      gasLimit: 21_000n,
      maxFeePerBlobGas: GWEI,
      blobVersionedHashes: [`0x01${'00'.repeat(31)}` as Hash],
    }
    await chain.commit(await chain.build({}, [signed(0, 0n, blobs)]))
    // EIP-1559 lowers the genesis' base fee of 1 gwei by an eighth; a blob has 2^17 gas at the minimum price, 1 wei.
    const baseFees = (21_000n * GWEI * 7n) / 8n
    const tips = 21_000n * GWEI
    expect(RECORD.block.get(store, 1)).toMatchObject({ baseFees, tips, fees: baseFees + tips + 2n ** 17n })
    expect(RECORD.account.get(store, SENDER)?.balance).toBe(1_000n * ETHER - baseFees - tips - 2n ** 17n)
  })

  it('is counted on the day of its timestamp', async () => {
    const { chain, store } = await smallIndex()
    await chain.produce({ timestamp: 2n ** 64n - 1n })
    expect(RECORD.day.get(store, 213_503_982_334_601)).toMatchObject({ transactions: 0 })
  })
})
