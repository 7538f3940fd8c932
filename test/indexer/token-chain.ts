// A running chain with the tokens of `contracts/`, and functions that read whole rankings and lists of its index and compare
// them with the contracts.
import type { Abi } from 'viem'
import { expect } from 'vitest'
import { RECORD } from '../../src/indexer/records.ts'
import { LIST, RANKING, type TokenType, type TransferEntry, transferEntry } from '../../src/indexer/tables.ts'
import { type Address, bytesToBig, type Hex, hexToAddress, toAddress } from '../../src/lib/hex.ts'
import type { NodeOptions } from '../../src/node.ts'
import { entriesBetween, listLength, sequenceOf } from '../../src/tables/list.ts'
import { complement, membersFrom, readDescending } from '../../src/tables/ranking.ts'
import { memberCount } from '../../src/tables/ranking-tree.ts'
import { account, testChain } from '../support/chain.ts'
import { compileSolidity } from '../support/solc.ts'

const { contracts } = compileSolidity('test/indexer/contracts')

export function contract(name: string): { readonly abi: Abi; readonly bytecode: Hex } {
  const found = contracts.get(name)
  if (found === undefined) throw new Error(`no contract ${name}`)
  return found
}

/** Addresses of the test's accounts. */
export const PEOPLE: readonly Address[] = [0, 1, 2, 3].map((i) => hexToAddress(account(i).address))
export const [ALICE, BOB, CAROL] = PEOPLE as [Address, Address, Address]

/** A deployed contract. */
export type Deployed = { readonly address: Address; readonly abi: Abi }

export async function tokenChain(overrides: Partial<NodeOptions> = {}) {
  const chain = await testChain(overrides)
  const { store } = chain.node.chain
  const wallets = PEOPLE.map((_, i) => chain.walletOf(i))

  /** Sends from the account with an index; throws when the transaction fails. */
  async function send(
    { address, abi }: Deployed,
    functionName: string,
    args: readonly unknown[],
    from = 0,
    value = 0n,
  ) {
    const hash = await wallets[from]?.writeContract({ address, abi, functionName, args, value, gas: 5_000_000n })
    return hash ?? '0x'
  }
  const read = ({ address, abi }: Deployed, functionName: string, args: readonly unknown[] = []): Promise<unknown> =>
    chain.viem.readContract({ address, abi, functionName, args })

  async function deploy(name: string, args: readonly unknown[] = []): Promise<Deployed> {
    const { abi, bytecode } = contract(name)
    const hash = await wallets[0]?.deployContract({ abi, bytecode, args, gas: 8_000_000n })
    const { contractAddress } = await chain.viem.waitForTransactionReceipt({ hash: hash ?? '0x' })
    return { address: hexToAddress(contractAddress ?? '0x'), abi }
  }

  const rows = (): TransferEntry[] =>
    entriesBetween(store, LIST.transfers, 0, listLength(store, LIST.transfers)).map((row) => transferEntry.decode(row))
  const sequences = (list: Hex): number[] => entriesBetween(store, list, 0, listLength(store, list)).map(sequenceOf)
  const members = async (ranking: Hex): Promise<Uint8Array[]> => {
    const found = await membersFrom(store, ranking, 0, 10_000)
    expect(memberCount(store, ranking)).toBe(found.length)
    return found
  }
  /** All holders of a ranking, in order. */
  const holders = async (ranking: Hex): Promise<[Address, bigint][]> =>
    (await members(ranking)).map(readDescending).map(({ value, rest }) => [toAddress(complement(rest)), value])
  /** All holdings of an address, in the order of its pages. */
  const owned = async (of: Address, type: TokenType): Promise<[Address, bigint | undefined, bigint][]> =>
    (await members(RANKING.owned(of, type))).map(readDescending).map(({ value, rest }) => {
      const id = rest.length > 20 ? bytesToBig(rest.subarray(20)) : undefined
      return [toAddress(rest.subarray(0, 20)), id, value]
    })
  const items = async (of: Address, type: TokenType): Promise<[Address, bigint][]> =>
    (await members(RANKING.items(of, type))).map((item) => [
      toAddress(item.subarray(0, 20)),
      bytesToBig(item.subarray(20)),
    ])
  const instances = async (token: Address): Promise<bigint[]> =>
    (await members(RANKING.instances(token))).map((order) => bytesToBig(complement(order)))
  const tokens = async (type: TokenType | 'all'): Promise<Address[]> =>
    (await members(RANKING.tokens(type))).map((order) => toAddress(order.slice(-20)))

  /** Expects that holders of a token, its record and the accounts' rankings equal `balanceOf` for these accounts. */
  async function expectHolders(token: Deployed, type: TokenType, accounts: readonly Address[] = PEOPLE) {
    const answers = await Promise.all(accounts.map((of) => read(token, 'balanceOf', [of]) as Promise<bigint>))
    const held = accounts.map((of, i): [Address, bigint] => [of, answers[i] ?? 0n])
    expect(await holders(RANKING.holders(token.address))).toEqual(largestFirst(held))
    for (const [of, amount] of held) {
      expect(RECORD.holding.get(store, of, token.address)?.amount ?? 0n).toBe(amount)
      const mine = (await owned(of, type)).filter(([address]) => address === token.address)
      expect(mine).toEqual(amount === 0n ? [] : [[token.address, undefined, amount]])
    }
  }

  return {
    ...chain,
    store,
    send,
    read,
    deploy,
    rows,
    sequences,
    holders,
    owned,
    items,
    instances,
    tokens,
    expectHolders,
    fact: (token: Deployed | Address) => RECORD.token.get(store, typeof token === 'string' ? token : token.address),
  }
}

/** The order of the tables: largest amount first, then highest address; without zero amounts. */
export const largestFirst = (held: readonly [Address, bigint][]): [Address, bigint][] =>
  held.filter(([, amount]) => amount > 0n).sort(([a, x], [b, y]) => (x === y ? (a > b ? -1 : 1) : x > y ? -1 : 1))

export const topicOf = (address: Address): Hex => `0x${'00'.repeat(12)}${address.slice(2)}`
