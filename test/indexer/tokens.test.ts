// ERC-20 tokens in the index: lists, records and holders, compared with the contracts after each block.
import {
  encodeAbiParameters,
  type Hex,
  pad,
  parseAbiParameters,
  parseEther,
  toEventSelector,
  toHex as toHexNumber,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { RECORD } from '../../src/indexer/records.ts'
import { LIST, RANKING } from '../../src/indexer/tables.ts'
import { type Address, hexToAddress, toHex, ZERO_ADDRESS } from '../../src/lib/hex.ts'
import { RANGE } from '../../src/state/keyspace.ts'
import { everyRow } from '../support/stores.ts'
import { ALICE, BOB, CAROL, contract, largestFirst, PEOPLE, tokenChain, topicOf } from './token-chain.ts'

/** Key prefix of the pool's journal, which depends on the pool, not on the head. */
const JOURNAL = 0x30

describe('an ERC-20', () => {
  it('is listed when it is created, before its first transfer', async () => {
    const { deploy, fact, tokens, rows } = await tokenChain()
    const coin = await deploy('Coin', ['Quiet Coin', 'QUIET', 3, 0n])
    expect(rows()).toEqual([])
    expect(fact(coin)).toMatchObject({ type: 'ERC-20', name: 'Quiet Coin', symbol: 'QUIET', decimals: 3, supply: 0n })
    expect(await tokens('all')).toEqual([coin.address])
    expect(await tokens('ERC-20')).toEqual([coin.address])
    expect(await tokens('ERC-721')).toEqual([])
  })

  it('has its transfers in all their lists', async () => {
    const { deploy, send, rows, sequences, node } = await tokenChain()
    const coin = await deploy('Coin', ['Coin', 'COIN', 18, 100n])
    await send(coin, 'transfer', [BOB, 10n])
    await send(coin, 'transfer', [CAROL, 1n], 1)
    await send(coin, 'transfer', [BOB, 2n], 1)
    await send(coin, 'burn', [5n])
    const common = { log: 0, type: 'ERC-20', token: coin.address, id: undefined }
    expect(rows()).toEqual([
      { ...common, transaction: 0, from: ZERO_ADDRESS, to: ALICE, amount: 100n },
      { ...common, transaction: 1, from: ALICE, to: BOB, amount: 10n },
      { ...common, transaction: 2, from: BOB, to: CAROL, amount: 1n },
      { ...common, transaction: 3, from: BOB, to: BOB, amount: 2n },
      { ...common, transaction: 4, from: ALICE, to: ZERO_ADDRESS, amount: 5n },
    ])
    expect(sequences(LIST.transfersByType('ERC-20'))).toEqual([0, 1, 2, 3, 4])
    expect(sequences(LIST.transfersOfToken(coin.address))).toEqual([0, 1, 2, 3, 4])
    for (const list of [LIST.transfersOf(BOB, 'ERC-20', 'in'), LIST.transfersOfWith(BOB, coin.address, 'in')]) {
      expect(sequences(list)).toEqual([1])
    }
    for (const list of [LIST.transfersOf(BOB, 'ERC-20', 'out'), LIST.transfersOfWith(BOB, coin.address, 'out')]) {
      expect(sequences(list)).toEqual([2])
    }
    for (const list of [LIST.transfersOf(BOB, 'ERC-20', 'self'), LIST.transfersOfWith(BOB, coin.address, 'self')]) {
      expect(sequences(list)).toEqual([3])
    }
    expect(sequences(LIST.transfersOf(BOB, 'ERC-721', 'in'))).toEqual([])
    for (const party of [coin.address, ALICE, BOB, CAROL, ZERO_ADDRESS]) {
      expect(RECORD.account.get(node.chain.store, party)).toBeDefined()
    }
  })

  it('has its holders with their balances, in any order of transfers', async () => {
    const { deploy, send, expectHolders, fact, read, holders } = await tokenChain()
    const coin = await deploy('Coin', ['Coin', 'COIN', 18, 100n])
    const steps: [string, readonly unknown[], number][] = [
      ['transfer', [BOB, 40n], 0],
      ['transfer', [CAROL, 40n], 1],
      ['transfer', [CAROL, 30n], 0],
      ['transfer', [ALICE, 70n], 2],
      ['transfer', [ALICE, 100n], 0],
      ['burn', [100n], 0],
      ['mint', [BOB, 2n ** 200n], 0],
      ['transfer', [PEOPLE[3], 1n], 1],
    ]
    await expectHolders(coin, 'ERC-20')
    for (const [call, args, from] of steps) {
      await send(coin, call, args, from)
      await expectHolders(coin, 'ERC-20')
      expect(fact(coin)?.supply).toBe(await read(coin, 'totalSupply'))
    }
    // The zero address is not listed as a holder.
    await send(coin, 'mint', [ZERO_ADDRESS, 5n])
    await send(coin, 'transfer', [ZERO_ADDRESS, 1n], 3)
    expect(await read(coin, 'balanceOf', [ZERO_ADDRESS])).toBe(6n)
    expect(await holders(RANKING.holders(coin.address))).toEqual([[BOB, 2n ** 200n - 1n]])
  })

  it('can be transferred many times in one block', async () => {
    const { deploy, send, rpc, mine, expectHolders, rows, viem } = await tokenChain()
    const coin = await deploy('Coin', ['Coin', 'COIN', 18, 1000n])
    await rpc('evm_setAutomine', false)
    await send(coin, 'spread', [[BOB, CAROL, BOB, ALICE], 7n])
    await send(coin, 'mint', [CAROL, 3n], 1)
    await send(coin, 'transfer', [CAROL, 900n])
    await mine()
    await expectHolders(coin, 'ERC-20')
    // The pool decides the order of transactions; read it from the logs.
    const logs = await viem.getLogs({ address: coin.address, fromBlock: 2n, toBlock: 2n })
    expect(logs.length).toBe(6)
    expect(
      rows()
        .slice(1)
        .map(({ transaction, log }) => [transaction, log]),
    ).toEqual(logs.map(({ transactionIndex, logIndex }) => [1 + transactionIndex, logIndex]))
  })

  it('can have many holders with equal balances', async () => {
    const { deploy, send, holders, fact } = await tokenChain()
    const coin = await deploy('Coin', ['Drop', 'DROP', 0, 0n])
    // Some addresses share their first bytes, by which the ranking tree branches.
    const crowd = Array.from({ length: 700 }, (_, i) => hexToAddress(pad(toHexNumber(0x1000 + 7 * i), { size: 20 })))
    await send(coin, 'mint', [ALICE, 1_000_000n])
    for (let i = 0; i < crowd.length; i += 140) await send(coin, 'spread', [crowd.slice(i, i + 140), 3n])
    await send(coin, 'spread', [crowd.slice(100, 110), 1n])
    const amounts = crowd.map((of, i): [Address, bigint] => [of, i >= 100 && i < 110 ? 4n : 3n])
    const expected = largestFirst([[ALICE, 1_000_000n - 2_110n], ...amounts])
    expect(await holders(RANKING.holders(coin.address))).toEqual(expected)
    expect(fact(coin)?.supply).toBe(1_000_000n)
  })

  it('is ranked before tokens with fewer holders, and after tokens of the same name', async () => {
    const { deploy, send, tokens } = await tokenChain()
    const b = await deploy('Coin', ['beta', 'B', 18, 0n])
    const a = await deploy('Coin', ['Alpha', 'A', 18, 0n])
    const c = await deploy('Coin', ['gamma', 'C', 18, 9n])
    const none = await deploy('BareCoin')
    await send(none, 'mint', [ALICE, 1n])
    expect(await tokens('all')).toEqual([c.address, none.address, a.address, b.address])
    await send(b, 'mint', [ALICE, 1n])
    await send(b, 'mint', [BOB, 1n])
    expect(await tokens('ERC-20')).toEqual([b.address, c.address, none.address, a.address])
    await send(b, 'burn', [1n], 1)
    await send(b, 'burn', [1n], 0)
    expect(await tokens('all')).toEqual([c.address, none.address, a.address, b.address])
  })

  it('is found by the words of its name and symbol', async () => {
    const { deploy, store } = await tokenChain()
    const { address } = await deploy('Coin', ['The Wrapped-Dollar', 'wUSD', 18, 0n])
    const found = async (prefix: string) => {
      const words: string[] = []
      for await (const [key] of store.scan(RANGE.nameWords(prefix))) {
        expect(toHex(key.slice(-20))).toBe(address)
        words.push(Buffer.from(key.slice(1, -21)).toString())
      }
      return words
    }
    expect(await found('')).toEqual(['dollar', 'the', 'wrapped', 'wusd'])
    expect(await found('dol')).toEqual(['dollar'])
    expect(await found('rapped')).toEqual([])
  })
})

describe('unusual tokens', () => {
  it('can charge a fee on transfers: balances are read, not summed', async () => {
    const { deploy, send, expectHolders, holders, fact } = await tokenChain()
    const coin = await deploy('FeeCoin')
    await send(coin, 'transfer', [BOB, parseEther('100')])
    await expectHolders(coin, 'ERC-20')
    expect(await holders(RANKING.holders(coin.address))).toEqual([
      [ALICE, parseEther('900')],
      [BOB, parseEther('90')],
    ])
    expect(fact(coin)?.supply).toBe(parseEther('990'))
  })

  it('can have names of type bytes32', async () => {
    const { deploy, fact } = await tokenChain()
    const coin = await deploy('OldCoin')
    expect(fact(coin)).toMatchObject({ type: 'ERC-20', name: 'Old Coin', symbol: 'OLD', decimals: 9, supply: 77n })
  })

  it('can have no names: they are listed from their first transfer on', async () => {
    const { deploy, send, fact, expectHolders } = await tokenChain()
    const coin = await deploy('BareCoin')
    expect(fact(coin)).toBeUndefined()
    await send(coin, 'mint', [BOB, 5n])
    const nothing = { name: undefined, symbol: undefined, decimals: undefined }
    expect(fact(coin)).toMatchObject({ type: 'ERC-20', ...nothing, supply: 5n })
    await expectHolders(coin, 'ERC-20')
  })

  it('can be named later', async () => {
    const { deploy, send, fact, tokens, store } = await tokenChain()
    const coin = await deploy('LateCoin')
    expect(fact(coin)).toMatchObject({ name: undefined, symbol: undefined, supply: 0n })
    await send(coin, 'begin', ['Late Coin', 'LATE', 7])
    expect(fact(coin)).toMatchObject({ type: 'ERC-20', name: 'Late Coin', symbol: 'LATE', decimals: 7, supply: 10n })
    expect(await tokens('all')).toEqual([coin.address])
    const { gte, lt } = RANGE.nameWords('late')
    for await (const [key] of store.scan({ gte, lt })) expect(toHex(key.slice(-20))).toBe(coin.address)
  })

  it.each([false, true])(
    'can have a failing balanceOf: then balances follow the logs (burning gas: %s)',
    async (isGreedy) => {
      const { deploy, send, fact, holders } = await tokenChain()
      const coin = await deploy('SecretCoin', [isGreedy])
      expect(fact(coin)).toMatchObject({ name: 'Secret', decimals: 2, supply: 1000n })
      await send(coin, 'transfer', [BOB, 300n])
      await send(coin, 'transfer', [CAROL, 50n], 1)
      expect(await holders(RANKING.holders(coin.address))).toEqual([
        [ALICE, 700n],
        [BOB, 250n],
        [CAROL, 50n],
      ])
      // More than the balance by the logs.
      await send(coin, 'transfer', [ALICE, 60n], 2)
      expect(await holders(RANKING.holders(coin.address))).toEqual([
        [ALICE, 760n],
        [BOB, 250n],
      ])
    },
  )

  it('can be wrapped coins', async () => {
    const { deploy, send, expectHolders, fact, rows, read } = await tokenChain()
    const coin = await deploy('Wrapped', [true])
    expect(fact(coin)).toMatchObject({ type: 'ERC-20', symbol: 'WCOIN' })
    await send(coin, 'deposit', [], 0, 1000n)
    await expectHolders(coin, 'ERC-20')
    await send(coin, 'transfer', [BOB, 400n])
    await send(coin, 'withdraw', [150n], 1)
    await expectHolders(coin, 'ERC-20')
    expect(fact(coin)?.supply).toBe(await read(coin, 'totalSupply'))
    expect(rows().map(({ from, to, amount }) => [from, to, amount])).toEqual([
      [ZERO_ADDRESS, ALICE, 1000n],
      [ALICE, BOB, 400n],
      [BOB, ZERO_ADDRESS, 150n],
    ])
  })

  it('can wrap coins and transfer them at once: both are listed', async () => {
    const { deploy, send, expectHolders, rows } = await tokenChain()
    const coin = await deploy('Wrapped', [true])
    await send(coin, 'depositFor', [BOB], 0, 7n)
    await expectHolders(coin, 'ERC-20')
    expect(rows().map(({ from, to, amount }) => [from, to, amount])).toEqual([
      [ZERO_ADDRESS, ALICE, 7n],
      [ALICE, BOB, 7n],
    ])
  })

  it('can exhaust the calls of a block: balances follow the logs until the next block', async () => {
    const { deploy, send, rpc, mine, holders, expectHolders } = await tokenChain()
    const greedy = await deploy('SecretCoin', [true])
    const fee = await deploy('FeeCoin')
    const crowd = Array.from({ length: 80 }, (_, i) => hexToAddress(pad(toHexNumber(0x1000 + i), { size: 20 })))
    await rpc('evm_setAutomine', false)
    await send(greedy, 'spread', [crowd, 1n])
    await send(fee, 'transfer', [BOB, parseEther('100')])
    await mine()
    expect((await holders(RANKING.holders(greedy.address))).length).toBe(81)
    expect(await holders(RANKING.holders(fee.address))).toEqual([
      [ALICE, parseEther('900')],
      [BOB, parseEther('100')],
    ])
    await rpc('evm_setAutomine', true)
    await send(fee, 'transfer', [CAROL, parseEther('10')], 1)
    await expectHolders(fee, 'ERC-20')
  })

  it('can log a wrapping twice, which is listed once', async () => {
    const { deploy, send, expectHolders, rows } = await tokenChain()
    const coin = await deploy('Wrapped', [false])
    await send(coin, 'deposit', [], 0, 1000n)
    await send(coin, 'withdraw', [100n])
    await expectHolders(coin, 'ERC-20')
    expect(rows().map(({ from, to, amount }) => [from, to, amount])).toEqual([
      [ZERO_ADDRESS, ALICE, 1000n],
      [ALICE, ZERO_ADDRESS, 100n],
    ])
  })

  it('can be created by contracts, even in a constructor', async () => {
    const { deploy, send, fact, read, tokens, expectHolders, holders } = await tokenChain()
    const factory = await deploy('Factory')
    const address = hexToAddress((await read(factory, 'coin')) as string)
    const named = { type: 'ERC-20', name: 'Constructed', symbol: 'CON', decimals: 6, supply: 5_000_000n }
    expect(fact(address)).toMatchObject(named)
    expect(await holders(RANKING.holders(address))).toEqual([[factory.address, 5_000_000n]])
    expect(await tokens('all')).toEqual([address])
    await send(factory, 'make', [3n])
    expect((await tokens('all')).length).toBe(4)
    expect(fact(factory)).toBeUndefined()
    await expectHolders({ address, abi: contract('Coin').abi }, 'ERC-20', [factory.address])
  })
})

const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
const word = (value: bigint | number): Hex => pad(toHexNumber(value), { size: 32 })

describe('false logs', () => {
  it('of a contract that is not a token are not listed as transfers', async () => {
    const { deploy, send, fact, rows } = await tokenChain()
    const emitter = await deploy('LogEmitter')
    const vault = await deploy('Vault')
    await send(emitter, 'emitLog', [[TRANSFER, topicOf(ALICE), topicOf(BOB)], word(5)])
    await send(emitter, 'emitLog', [[TRANSFER, topicOf(ALICE), topicOf(BOB), word(5)], '0x'])
    await send(vault, 'deposit', [], 0, 10n)
    expect(rows()).toEqual([])
    expect([fact(emitter), fact(vault)]).toEqual([undefined, undefined])
  })

  it('do not change balances', async () => {
    const { deploy, send, rows, holders, expectHolders } = await tokenChain()
    const coin = await deploy('Coin', ['Coin', 'COIN', 0, 100n])
    const falseCoin = await deploy('LogEmittingCoin')
    await send(falseCoin, 'emitLog', [[TRANSFER, topicOf(ALICE), topicOf(BOB)], word(99)])
    expect(rows().length).toBe(2)
    expect(await holders(RANKING.holders(falseCoin.address))).toEqual(
      largestFirst([
        [ALICE, 2n],
        [BOB, 2n],
      ]),
    )
    await expectHolders(coin, 'ERC-20')
  })

  it('are skipped when they are malformed', async () => {
    const { deploy, send, rows, fact } = await tokenChain()
    const coin = await deploy('LogEmittingCoin')
    const [single, batch] = [
      toEventSelector('TransferSingle(address,address,address,uint256,uint256)'),
      toEventSelector('TransferBatch(address,address,address,uint256[],uint256[])'),
    ]
    const a = topicOf(ALICE)
    const b = topicOf(BOB)
    const arrays = encodeAbiParameters(parseAbiParameters('uint256[], uint256[]'), [[1n, 2n], [3n]])
    const whole = encodeAbiParameters(parseAbiParameters('uint256[], uint256[]'), [
      [1n, 2n],
      [3n, 4n],
    ])
    const malformed: [Hex[], Hex][] = [
      [[TRANSFER, a, b], '0x'],
      [[TRANSFER, a, b], `${word(1)}00`],
      [[TRANSFER, a, `0x01${b.slice(4)}`], word(1)],
      [[TRANSFER, a], word(1)],
      [[TRANSFER], word(1)],
      [[TRANSFER], `0x${'ff'.repeat(96)}`],
      [[TRANSFER, a, b, word(1)], word(1)],
      [[single, a, a, b], word(1)],
      [[single, a, a], `${word(1)}${word(1).slice(2)}`],
      [[batch, a, a, b], '0x'],
      [[batch, a, a, b], arrays],
      [[batch, a, a, b], whole.slice(0, -2) as Hex],
      [[batch, a, a, b], `0x${'ff'.repeat(32)}${whole.slice(66)}`],
      [[batch, a, a, b], `${word(64)}${word(64).slice(2)}${'ff'.repeat(32)}`],
      [[batch, a, a], whole],
      [[toEventSelector('Deposit(address,uint256)'), a], '0x'],
      [[], word(1)],
    ]
    for (const [topics, data] of malformed) await send(coin, 'emitLog', [topics, data])
    expect(rows()).toEqual([])
    expect(fact(coin)).toBeUndefined()
    await send(coin, 'emitLog', [[batch, a, a, b], whole])
    expect(rows().map(({ id, amount }) => [id, amount])).toEqual([
      [1n, 3n],
      [2n, 4n],
    ])
  })
})

describe('a block of tokens that is rolled back', () => {
  it('leaves the rows unchanged', async () => {
    const { deploy, send, rpc, store, tokens } = await tokenChain()
    const coin = await deploy('Coin', ['Coin', 'COIN', 18, 100n])
    const late = await deploy('LateCoin')
    await send(coin, 'transfer', [BOB, 40n])
    const before = await everyRow(store, [JOURNAL])
    const snapshot = await rpc('evm_snapshot')
    await send(coin, 'transfer', [CAROL, 40n], 1)
    await send(coin, 'transfer', [CAROL, 60n])
    await send(late, 'begin', ['Late', 'LATE', 1])
    await deploy('Wrapped', [true])
    expect((await tokens('all')).length).toBe(3)
    await rpc('evm_revert', snapshot)
    expect(await everyRow(store, [JOURNAL])).toEqual(before)
  })

  it('can be replaced by another block', async () => {
    const { deploy, send, rpc, expectHolders, rows } = await tokenChain()
    const coin = await deploy('Coin', ['Coin', 'COIN', 18, 100n])
    const snapshot = await rpc('evm_snapshot')
    await send(coin, 'transfer', [BOB, 40n])
    await rpc('evm_revert', snapshot)
    await send(coin, 'transfer', [CAROL, 7n])
    await expectHolders(coin, 'ERC-20')
    expect(rows().map(({ to }) => to)).toEqual([ALICE, CAROL])
  })
})
