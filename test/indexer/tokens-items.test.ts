// ERC-721 and ERC-1155 tokens in the index: owners and holdings by id, compared with the contracts after each block.
import { type Hex, pad, toEventSelector, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { RECORD } from '../../src/indexer/records.ts'
import { LIST, RANKING } from '../../src/indexer/tables.ts'
import { type Address, ZERO_ADDRESS } from '../../src/lib/hex.ts'
import { everyRow } from '../support/stores.ts'
import { ALICE, BOB, CAROL, type Deployed, largestFirst, PEOPLE, tokenChain, topicOf } from './token-chain.ts'

type Setting = Awaited<ReturnType<typeof tokenChain>>

/** Expects the contract's owners of ids; undefined if ownerOf reverts. */
async function expectOwners({ store, read, items, expectHolders }: Setting, art: Deployed, ids: readonly bigint[]) {
  const owners = await Promise.all(
    ids.map(async (id) =>
      ((await read(art, 'ownerOf', [id]).catch(() => undefined)) as string | undefined)?.toLowerCase(),
    ),
  )
  for (const [i, id] of ids.entries()) {
    const { owner, supply } = RECORD.instance.get(store, art.address, id) ?? {}
    expect([owner, supply ?? 0n]).toEqual([owners[i], owners[i] === undefined ? 0n : 1n])
  }
  for (const of of PEOPLE) {
    const mine = ids.filter((_, i) => owners[i] === of).sort((a, b) => (a < b ? -1 : 1))
    expect(await items(of, 'ERC-721')).toEqual(mine.map((id) => [art.address, id]))
  }
  await expectHolders(art, 'ERC-721')
}

describe.each([false, true])('an ERC-721 (events without indexed parameters: %s)', (isOld) => {
  it('has the owners of its items after every kind of transfer', async () => {
    const chain = await tokenChain()
    const { deploy, send, fact, rows, sequences, instances } = chain
    const art = await deploy('Art', [isOld])
    const named = { name: 'Art', symbol: 'ART', decimals: undefined, supply: undefined }
    expect(fact(art)).toMatchObject({ type: 'ERC-721', ...named })
    const far = 2n ** 255n + 7n
    const steps: [string, readonly unknown[]][] = [
      ['mint', [ALICE, 7n]],
      ['mint', [ALICE, far]],
      ['mint', [BOB, 0n]],
      ['transferFrom', [ALICE, BOB, 7n]],
      ['transferFrom', [BOB, BOB, 7n]],
      ['transferFrom', [BOB, CAROL, 7n]],
      ['burn', [far]],
      ['mint', [CAROL, far]],
      ['burn', [0n]],
    ]
    for (const [call, args] of steps) {
      await send(art, call, args)
      await expectOwners(chain, art, [0n, 7n, far])
    }
    expect(await instances(art.address)).toEqual([far, 7n, 0n])

    expect(
      rows()
        .map(({ type, id, amount, from, to }) => [type, id, amount, from, to])
        .slice(0, 4),
    ).toEqual([
      ['ERC-721', 7n, 1n, ZERO_ADDRESS, ALICE],
      ['ERC-721', far, 1n, ZERO_ADDRESS, ALICE],
      ['ERC-721', 0n, 1n, ZERO_ADDRESS, BOB],
      ['ERC-721', 7n, 1n, ALICE, BOB],
    ])
    expect(sequences(LIST.transfersOfInstance(art.address, 7n))).toEqual([0, 3, 4, 5])
    expect(sequences(LIST.transfersByType('ERC-721'))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    expect(sequences(LIST.transfersOf(BOB, 'ERC-721', 'self'))).toEqual([4])
  })

  it('has the owner after the last of several transfers in one block', async () => {
    const chain = await tokenChain()
    const { deploy, send, rpc, mine } = chain
    const art = await deploy('Art', [isOld])
    await rpc('evm_setAutomine', false)
    await send(art, 'mint', [ALICE, 1n])
    await send(art, 'transferFrom', [ALICE, BOB, 1n])
    await send(art, 'transferFrom', [BOB, CAROL, 1n])
    await send(art, 'mint', [BOB, 2n])
    await send(art, 'burn', [2n])
    await mine()
    await expectOwners(chain, art, [1n, 2n])
  })
})

/** Expects the contract's holders of ids, in every order of the index. */
async function expectAmounts({ store, read, holders, owned, items }: Setting, token: Deployed, ids: readonly bigint[]) {
  const amount = (of: Address, id: bigint): Promise<bigint> => read(token, 'balanceOf', [of, id]) as Promise<bigint>
  const totals = new Map<Address, bigint>()
  for (const id of ids) {
    const held = await Promise.all(PEOPLE.map(async (of): Promise<[Address, bigint]> => [of, await amount(of, id)]))
    expect(await holders(RANKING.holdersOfInstance(token.address, id))).toEqual(largestFirst(held))
    for (const [of, value] of held) {
      expect(RECORD.holdingOfInstance.get(store, of, token.address, id)?.amount ?? 0n).toBe(value)
      totals.set(of, (totals.get(of) ?? 0n) + value)
    }
    const supply = held.reduce((sum, [, value]) => sum + value, 0n)
    expect(RECORD.instance.get(store, token.address, id)?.supply ?? 0n).toBe(supply)
  }
  expect(await holders(RANKING.holders(token.address))).toEqual(largestFirst([...totals]))
  for (const of of PEOPLE) {
    const mine = await Promise.all(ids.map(async (id) => ({ id, value: await amount(of, id) })))
    const there = mine.filter(({ value }) => value > 0n)
    const byAmount = there.sort((a, b) => (a.value === b.value ? (a.id < b.id ? -1 : 1) : a.value > b.value ? -1 : 1))
    expect(await owned(of, 'ERC-1155')).toEqual(byAmount.map(({ id, value }) => [token.address, id, value]))
    const byId = there.map(({ id }) => id).sort((a, b) => (a < b ? -1 : 1))
    expect(await items(of, 'ERC-1155')).toEqual(byId.map((id) => [token.address, id]))
  }
}

describe('an ERC-1155', () => {
  it('has holders by id', async () => {
    const chain = await tokenChain()
    const { deploy, send, fact, instances } = chain
    const token = await deploy('Items')
    const nothing = { name: undefined, symbol: undefined, decimals: undefined, supply: 0n }
    expect(fact(token)).toMatchObject({ type: 'ERC-1155', ...nothing })
    const ids = [1n, 2n, 2n ** 200n]
    const steps: [string, readonly unknown[]][] = [
      ['mint', [ALICE, 1n, 10n]],
      ['mintBatch', [BOB, [1n, 2n, 2n ** 200n], [3n, 10n, 2n ** 100n]]],
      ['transfer', [ALICE, BOB, 1n, 4n]],
      ['transfer', [BOB, BOB, 1n, 1n]],
      ['transferBatch', [BOB, CAROL, [2n, 1n, 2n], [4n, 7n, 1n]]],
      ['transferBatch', [CAROL, ZERO_ADDRESS, [1n], [7n]]],
      ['transfer', [ALICE, CAROL, 1n, 6n]],
      ['transfer', [BOB, ALICE, 2n ** 200n, 0n]],
      ['transferBatch', [BOB, ALICE, [], []]],
    ]
    for (const [call, args] of steps) {
      await send(token, call, args)
      await expectAmounts(chain, token, ids)
    }
    expect(await instances(token.address)).toEqual([2n ** 200n, 2n, 1n])
  })

  it('has a row for each id of a batch, also for duplicate ids', async () => {
    const { deploy, send, rows, sequences, node } = await tokenChain()
    const token = await deploy('Items')
    await send(token, 'mintBatch', [ALICE, [5n, 6n, 5n], [1n, 2n, 3n]])
    await send(token, 'transferBatch', [ALICE, BOB, [5n, 5n], [1n, 2n]])
    expect(rows().map(({ transaction, log, type, id, amount }) => [transaction, log, type, id, amount])).toEqual([
      [1, 0, 'ERC-1155', 5n, 1n],
      [1, 0, 'ERC-1155', 6n, 2n],
      [1, 0, 'ERC-1155', 5n, 3n],
      [2, 0, 'ERC-1155', 5n, 1n],
      [2, 0, 'ERC-1155', 5n, 2n],
    ])
    expect(sequences(LIST.transfersOfInstance(token.address, 5n))).toEqual([0, 2, 3, 4])
    expect(sequences(LIST.transfersOf(ALICE, 'ERC-1155', 'out'))).toEqual([3, 4])
    expect(RECORD.holdingOfInstance.get(node.chain.store, BOB, token.address, 5n)).toEqual({ amount: 3n })
  })

  it('leaves the rows unchanged after a rollback', async () => {
    const { deploy, send, rpc, store } = await tokenChain()
    const token = await deploy('Items')
    const art = await deploy('Art', [false])
    await send(token, 'mintBatch', [ALICE, [1n, 2n], [5n, 5n]])
    await send(art, 'mint', [ALICE, 1n])
    const journal = 0x30
    const before = await everyRow(store, [journal])
    const snapshot = await rpc('evm_snapshot')
    await send(token, 'transferBatch', [ALICE, BOB, [1n, 2n], [5n, 1n]])
    await send(token, 'mint', [CAROL, 3n, 9n])
    await send(art, 'transferFrom', [ALICE, BOB, 1n])
    await send(art, 'mint', [CAROL, 2n])
    await send(art, 'burn', [1n])
    await rpc('evm_revert', snapshot)
    expect(await everyRow(store, [journal])).toEqual(before)
  })
})

describe('a token whose type changes', () => {
  const word = (value: number): Hex => pad(toHex(value), { size: 32 })
  const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
  const SINGLE = toEventSelector('TransferSingle(address,address,address,uint256,uint256)')
  const a = topicOf(ALICE)
  const b = topicOf(BOB)

  it('changes to the higher type with all its balances, and never back', async () => {
    const { deploy, send, fact, tokens, owned, items, holders, store } = await tokenChain()
    // balanceOf returns 2 for everybody, and 3 for each id.
    const coin = await deploy('LogEmittingCoin')
    await send(coin, 'emitLog', [[TRANSFER, a, b], word(1)])
    expect(fact(coin)?.type).toBe('ERC-20')
    expect(await owned(ALICE, 'ERC-20')).toEqual([[coin.address, undefined, 2n]])

    await send(coin, 'emitLog', [[TRANSFER, b, topicOf(CAROL), word(5)], '0x'])
    expect(fact(coin)?.type).toBe('ERC-721')
    expect([await tokens('ERC-20'), await tokens('ERC-721')]).toEqual([[], [coin.address]])
    expect(await tokens('all')).toEqual([coin.address])
    for (const of of [ALICE, BOB, CAROL]) {
      expect([await owned(of, 'ERC-20'), await owned(of, 'ERC-721')]).toEqual([[], [[coin.address, undefined, 2n]]])
    }
    expect(await items(CAROL, 'ERC-721')).toEqual([[coin.address, 5n]])

    await send(coin, 'emitLog', [[SINGLE, a, a, b], `${word(9)}${word(1).slice(2)}`])
    expect(fact(coin)?.type).toBe('ERC-1155')
    expect([await tokens('ERC-721'), await tokens('ERC-1155')]).toEqual([[], [coin.address]])
    for (const of of [ALICE, BOB, CAROL]) expect(await owned(of, 'ERC-721')).toEqual([])
    expect(await owned(ALICE, 'ERC-1155')).toEqual([[coin.address, 9n, 3n]])
    // The owner of an item becomes the holder of one.
    expect(await items(CAROL, 'ERC-721')).toEqual([])
    expect(await owned(CAROL, 'ERC-1155')).toEqual([[coin.address, 5n, 1n]])
    expect(RECORD.instance.get(store, coin.address, 5n)).toMatchObject({ owner: undefined, supply: 1n })
    expect(await holders(RANKING.holders(coin.address))).toEqual(
      largestFirst([
        [ALICE, 3n],
        [BOB, 3n],
        [CAROL, 1n],
      ]),
    )

    await send(coin, 'emitLog', [[TRANSFER, a, b], word(1)])
    expect(fact(coin)?.type).toBe('ERC-1155')
    expect(await owned(ALICE, 'ERC-20')).toEqual([])
  })

  it('has the highest type of a block’s logs', async () => {
    const { deploy, send, rpc, mine, fact, rows, owned } = await tokenChain()
    const coin = await deploy('LogEmittingCoin')
    await rpc('evm_setAutomine', false)
    await send(coin, 'emitLog', [[TRANSFER, a, b], word(1)])
    await send(coin, 'emitLog', [[TRANSFER, a, b, word(5)], '0x'])
    await mine()
    expect(fact(coin)?.type).toBe('ERC-721')
    expect(rows().map(({ type, id }) => [type, id])).toEqual([
      ['ERC-20', undefined],
      ['ERC-721', 5n],
    ])
    expect(await owned(ALICE, 'ERC-20')).toEqual([])
    expect(await owned(ALICE, 'ERC-721')).toEqual([[coin.address, undefined, 2n]])
  })
})
