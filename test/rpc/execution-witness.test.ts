// debug_executionWitness: a client that has the witness and what a block changed, and nothing else, computes the block's state root. The
// tries are those of @ethereumjs/mpt, which throw for a node that is missing.
import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { MapDB } from '@ethereumjs/util'
import { concat, fromRlp, type Hex, hexToBytes, keccak256, pad, toHex, toRlp } from 'viem'
import { describe, expect, it } from 'vitest'
import { account, testChain } from '../support/chain.ts'
import { chainToFork, forkOf } from '../support/forked.ts'
import { plainSpec } from '../support/plain-spec.ts'

type Witness = { state: Hex[]; codes: Hex[]; keys: Hex[]; headers: Hex[] }
type Test = Awaited<ReturnType<typeof testChain>>
const from = account(0).address
const contract = '0x00000000000000000000000000000000000000cc'
/** `sstore(calldataload(0), calldataload(32))`, and `blockhash(calldataload(64))`, which by default is of no ancestor. */
const STORING = '0x6020355f3555604035405000'
const EMPTY = keccak256('0x80')
const trimmed = (value: bigint): Hex => (value === 0n ? '0x' : toHex(value))

/** Keys as lists: an account and its slots. */
const grouped = (keys: readonly Hex[]): { address: Hex; slots: Hex[] }[] => {
  const groups: { address: Hex; slots: Hex[] }[] = []
  for (const key of keys) {
    if (key.length === 42) groups.push({ address: key, slots: [] })
    else groups.at(-1)?.slots.push(key)
  }
  return groups
}

/** The root after the block, by the nodes of the witness, and the values after the block of all its keys. */
async function rootAfter({ rpc }: Test, block: Hex, { state, keys }: Witness, root: Hex): Promise<Hex> {
  const db = new MapDB<string, string>()
  for (const node of state) await db.put(keccak256(node).slice(2), node.slice(2))
  const trieAt = (at: Hex) => new MerklePatriciaTrie({ db, root: hexToBytes(at), useKeyHashing: true })
  const accounts = trieAt(root)
  for (const { address, slots } of grouped(keys)) {
    const after = (await rpc('eth_getProof', address, slots, block)) as {
      balance: Hex
      nonce: Hex
      codeHash: Hex
      storageProof: { value: Hex }[]
    }
    const before = await accounts.get(hexToBytes(address))
    const [, , storageRoot = EMPTY] = before === null ? [] : (fromRlp(toHex(before)) as Hex[])
    const storage = trieAt(storageRoot)
    for (const [index, slot] of slots.entries()) {
      const value = BigInt(after.storageProof[index]?.value ?? 0)
      if (value === 0n) await storage.del(hexToBytes(slot))
      else await storage.put(hexToBytes(slot), hexToBytes(toRlp(toHex(value))))
    }
    const fields = [trimmed(BigInt(after.nonce)), trimmed(BigInt(after.balance)), toHex(storage.root()), after.codeHash]
    const isEmpty = BigInt(after.nonce) === 0n && BigInt(after.balance) === 0n && after.codeHash === keccak256('0x')
    if (isEmpty) await accounts.del(hexToBytes(address))
    else await accounts.put(hexToBytes(address), hexToBytes(toRlp(fields)))
  }
  return toHex(accounts.root())
}

const store = ({ rpc }: Test, slot: number, value: number, ancestor = 0xffff) =>
  rpc('eth_sendTransaction', {
    from,
    to: contract,
    gas: '0x30d40',
    data: concat([slot, value, ancestor].map((word) => pad(toHex(word), { size: 32 }))),
  })

describe('debug_executionWitness', () => {
  it.each(['a plain chain', 'a native chain'])(
    'suffices to compute the state root of each block of %s',
    async (kind) => {
      const test = await testChain(kind === 'a plain chain' ? { spec: plainSpec(from) } : {})
      const { rpc, mine } = test
      await rpc('anvil_setCode', contract, STORING)
      await mine()
      for (let slot = 1; slot <= 24; slot++) await store(test, slot, slot)
      // Deletions join branches of the trie with nodes that the block itself has not read.
      for (let slot = 1; slot <= 24; slot++) await store(test, slot, 0)
      await rpc('eth_sendTransaction', { from, to: account(9).address, value: '0x1' })
      const head = Number(await rpc('eth_blockNumber'))
      expect(head).toBe(50)
      for (let number = 2; number <= head; number++) {
        const block = (await rpc('eth_getBlockByNumber', toHex(number), false)) as { stateRoot: Hex }
        const parent = (await rpc('eth_getBlockByNumber', toHex(number - 1), false)) as { stateRoot: Hex; hash: Hex }
        const witness = (await rpc('debug_executionWitness', toHex(number))) as Witness
        expect(await rootAfter(test, toHex(number), witness, parent.stateRoot), `block ${number}`).toBe(block.stateRoot)
        expect(witness.headers.map((header) => keccak256(header))).toEqual([parent.hash])
        if (number < head) expect(witness.codes).toContain(STORING)
      }
    },
    120_000,
  )

  it('has the headers down to the oldest block whose hash is read', async () => {
    const test = await testChain()
    const { rpc, mine } = test
    await rpc('anvil_setCode', contract, STORING)
    await mine(8)
    await store(test, 1, 1, 5)
    const { headers } = (await rpc('debug_executionWitness', 'latest')) as Witness
    const blocks = await Promise.all([5, 6, 7, 8].map((number) => rpc('eth_getBlockByNumber', toHex(number), false)))
    expect(headers.map((header) => keccak256(header))).toEqual(blocks.map((block) => (block as { hash: Hex }).hash))
  })

  it('is refused for block 0, after an edit, and on a fork', async () => {
    const { rpc, raw, mine } = await testChain()
    const error = async (block: Hex) => (await raw('debug_executionWitness', block)).error?.message
    expect(await error('0x0')).toBe('block 0 has no parent state')
    await mine()
    await rpc('anvil_setBalance', contract, '0x1')
    await mine()
    expect(await error('0x2')).toBe('the state was changed between block 1 and block 2')
    expect((await raw('debug_executionWitness', '0x1')).error).toBeUndefined()
    expect(await error('0x99')).toBe('block not found')
    await using forked = await chainToFork()
    await using fork = await forkOf(forked.proxy)
    await fork.request('anvil_mine', ['0x1'])
    await expect(fork.request('debug_executionWitness', ['latest'])).rejects.toThrow(
      /a fork has no complete state trie/,
    )
  })
})
