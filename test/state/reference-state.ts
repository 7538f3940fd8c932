// Runs random operations on our state and on @ethereumjs/statemanager, which shares no code with it, through the interface that
// the EVM uses, compares the results, and verifies proofs with the reference.
import { Common, Mainnet, type StateManagerInterface } from '@ethereumjs/common'
import { verifyMerkleProof } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { MerkleStateManager } from '@ethereumjs/statemanager'
import { createAddressFromString, Account as LibAccount } from '@ethereumjs/util'
import fc from 'fast-check'
import { expect } from 'vitest'
import { StateAdapter } from '../../src/evm/ethereumjs/state-adapter.ts'
import { type Address, bigToFixed, bytesToBig, fromHex, type Hash, hexToAddress, toHex } from '../../src/lib/hex.ts'
import { keccak256 } from '../../src/lib/keccak.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { StateStore } from '../../src/state/state-store.ts'
import { EMPTY_ROOT } from '../../src/state/trie.ts'
import { slotKey, type View } from '../../src/state/view.ts'
import { everyRow } from '../support/stores.ts'

export const WHO: readonly Address[] = [1, 2, 3, 4].map((n) => hexToAddress(`0x${n.toString(16).padStart(40, 'a')}`))
export const SLOTS = [0n, 1n, 2n, 3n, 2n ** 255n]
export const lib = (of: Address) => createAddressFromString(of)
export const at = <T>(list: readonly T[], index: number): T => {
  const item = list[index % list.length]
  if (item === undefined) throw new Error('an empty list')
  return item
}

// --- operations

export type Operation =
  | { readonly do: 'put'; readonly who: number; readonly nonce: bigint; readonly balance: bigint }
  | { readonly do: 'modify'; readonly who: number; readonly balance: bigint }
  | { readonly do: 'delete' | 'clear'; readonly who: number }
  | { readonly do: 'code'; readonly who: number; readonly code: Uint8Array }
  | { readonly do: 'store'; readonly who: number; readonly slot: number; readonly word: Uint8Array }
  | { readonly do: 'checkpoint' | 'commit' | 'revert' | 'root' | 'look' }

export const who = fc.nat({ max: WHO.length - 1 })
const balance = fc.constantFrom(0n, 0x80n, 10n ** 21n, 2n ** 256n - 1n)
const word = fc.constantFrom('0x', '0x00', '0x01', '0x0080', '0x7f', `0x${'ff'.repeat(32)}`, `0x00${'ab'.repeat(31)}`)
const code = fc.constantFrom('0x', '0x00', '0x80', '0x6001', `0x${'5b'.repeat(40)}`)
const slot = fc.nat({ max: SLOTS.length - 1 })
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('put' as const), who, nonce: fc.constantFrom(0n, 1n, 300n), balance }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('modify' as const), who, balance }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('clear' as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('code' as const), who, code: code.map(fromHex) }) },
  { weight: 9, arbitrary: fc.record({ do: fc.constant('store' as const), who, slot, word: word.map(fromHex) }) },
  { weight: 2, arbitrary: fc.constant({ do: 'checkpoint' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'commit' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'revert' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'root' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'look' as const }) },
)
export const block = fc.array(operation, { maxLength: 25 })

const BEGINNING: readonly Operation[] = [
  ...[0, 1, 2].map((who): Operation => ({ do: 'put', who, nonce: 1n, balance: 5n })),
  ...[0, 1, 1].map((who, slot): Operation => ({ do: 'store', who, slot, word: Uint8Array.of(7) })),
]

/**
 * Performs one operation on a state. Implementations differ on operations on missing accounts, which the EVM never makes, so
 * these are skipped. Storage is cleared before its account is deleted.
 */
export async function apply(state: StateManagerInterface, step: Operation, depth: number): Promise<void> {
  const address = 'who' in step ? lib(at(WHO, step.who)) : undefined
  const account = address && (await state.getAccount(address))
  switch (step.do) {
    case 'put':
      if (!address) return
      if (account) return state.modifyAccountFields(address, { nonce: step.nonce, balance: step.balance })
      return state.putAccount(address, new LibAccount(step.nonce, step.balance))
    case 'modify':
      return account && address && state.modifyAccountFields(address, { balance: step.balance })
    case 'delete':
      if (!address || !account) return
      await state.clearStorage(address)
      return state.deleteAccount(address)
    case 'clear':
      return account && address && state.clearStorage(address)
    case 'code':
      return account && address && state.putCode(address, step.code)
    case 'store':
      return account && address && state.putStorage(address, fromHex(slotKey(at(SLOTS, step.slot))), step.word)
    case 'checkpoint':
      return state.checkpoint()
    case 'commit':
      return depth > 0 ? state.commit() : undefined
    case 'revert':
      return depth > 0 ? state.revert() : undefined
  }
}

/** Performs all operations, then closes every open checkpoint. */
export async function run(
  state: StateManagerInterface,
  steps: readonly Operation[],
  between: (step: Operation) => Promise<void> | void = () => undefined,
): Promise<void> {
  let depth = 0
  for (const step of steps) {
    await apply(state, step, depth)
    depth = depthAfter(step, depth)
    await between(step)
  }
  for (; depth > 0; depth--) await state.commit()
}

export const depthAfter = (step: Operation, depth: number): number => {
  if (step.do === 'checkpoint') return depth + 1
  return (step.do === 'commit' || step.do === 'revert') && depth > 0 ? depth - 1 : depth
}

// --- what a state holds

export type Content = Record<Address, string>

/** The contents of an account in one line; undefined if it does not exist. */
export async function lookFor(of: Address, state: StateManagerInterface): Promise<string | undefined> {
  const account = await state.getAccount(lib(of))
  if (account === undefined) return undefined
  const words: string[] = []
  for (const slot of SLOTS) words.push(toHex(await state.getStorage(lib(of), fromHex(slotKey(slot)))))
  const code = toHex(await state.getCode(lib(of)))
  return [account.nonce, account.balance, toHex(account.codeHash), code, ...words].join(' ')
}

/** The same for all accounts of these tests. */
export async function look(state: StateManagerInterface): Promise<Content> {
  const content: Content = {}
  for (const of of WHO) {
    const line = await lookFor(of, state)
    if (line !== undefined) content[of] = line
  }
  return content
}

export const lookAt = (view: View): Promise<Content> => look(new StateAdapter(view))

/** Whether each account has storage (EIP-7610), by the reference's storage roots. */
export async function storageOf(reference: MerkleStateManager): Promise<boolean[]> {
  const roots: boolean[] = []
  for (const of of WHO) {
    const account = await reference.getAccount(lib(of))
    roots.push(account !== undefined && toHex(account.storageRoot) !== EMPTY_ROOT)
  }
  return roots
}

export const rootOf = async (reference: MerkleStateManager): Promise<string> => toHex(await reference.getStateRoot())

/** The reference spends most of its time hashing; this makes it ten times faster. */
const common = new Common({ chain: Mainnet, customCrypto: { keccak256 } })

/** Our state and the reference with the same initial accounts, enough for nested branch nodes. */
export async function twins() {
  const store = await openMemoryStore()
  const twin = { store, ours: new StateStore(store, -1), reference: new MerkleStateManager({ common }) }
  const view = twin.ours.at(-1)
  for (let n = 1; n <= 24; n++) {
    const of = hexToAddress(`0x${n.toString(16).padStart(40, '0')}`)
    view.setAccount(of, { nonce: BigInt(n), balance: 1n, codeHash: toHex(new LibAccount().codeHash) as Hash })
    await twin.reference.putAccount(lib(of), new LibAccount(BigInt(n), 1n))
  }
  // Some accounts that the operations change exist already, with storage.
  for (const step of BEGINNING) {
    await apply(new StateAdapter(view), step, 0)
    await apply(twin.reference, step, 0)
  }
  await land(twin.ours, view)
  return twin
}

export async function land(ours: StateStore, view: View): Promise<void> {
  const { rows, codes } = await view.changes()
  const { ops, afterWrite } = ours.stage(rows, codes)
  await ours.store.write(ops)
  afterWrite()
}

export async function goBack(ours: StateStore, version: number): Promise<void> {
  const { ops, afterWrite } = ours.rewind(version)
  await ours.store.write(ops)
  afterWrite()
}

export type Version = { readonly root: string; readonly content: Content; readonly rows: Map<string, string> }

export async function record(ours: StateStore, reference: MerkleStateManager): Promise<Version> {
  return { root: await rootOf(reference), content: await look(reference), rows: await everyRow(ours.store) }
}

/** Checks that proofs verify against the version's root and prove its content. */
export async function checkProofs(view: View, { root, content }: Version): Promise<void> {
  for (const of of WHO) {
    const proof = view.prove(of, SLOTS)
    const leaf = await verified(proof.accountProof, root, fromHex(of))
    expect(proof.account !== undefined).toBe(content[of] !== undefined)
    if (proof.account === undefined) {
      expect(leaf).toBeNull()
      expect(proof.storageRoot).toBe(EMPTY_ROOT)
    } else {
      const [nonce, balance, storageRoot, codeHash] = RLP.decode(leaf ?? new Uint8Array(0)) as Uint8Array[]
      const fields = [bytesToBig(nonce ?? fromHex('0xff')), bytesToBig(balance ?? fromHex('0xff'))]
      expect([...fields, toHex(codeHash ?? fromHex('0x'))].join(' ')).toBe(
        content[of]?.split(' ').slice(0, 3).join(' '),
      )
      expect(toHex(storageRoot ?? fromHex('0x'))).toBe(proof.storageRoot)
    }
    for (const [i, { key, value, proof: nodes }] of proof.storageProofs.entries()) {
      const word = content[of]?.split(' ')[4 + i] ?? '0x'
      expect(value).toBe(bytesToBig(fromHex(word)))
      const item = await verified(nodes, proof.storageRoot, bigToFixed(key, 32))
      expect(item === null ? '0x' : toHex(RLP.decode(item) as Uint8Array)).toBe(word)
    }
  }
}

/** The value of a key by the reference's verifier; null: proven absent. An empty trie has no nodes. */
async function verified(proof: readonly string[], root: string, key: Uint8Array): Promise<Uint8Array | null> {
  if (root === EMPTY_ROOT) {
    expect(proof).toEqual([])
    return null
  }
  const nodes = proof.map(fromHex)
  const first = await verifyMerkleProof(key, nodes, { useKeyHashing: true, root: fromHex(root) })
  return first
}
