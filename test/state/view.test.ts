// The state against @ethereumjs/statemanager, which shares no code with ours: random operations through the interface
// that the EVM uses, over several versions. Then what only ours has: every old version, the way back to one, proofs of
// the past, views that stay true while others write.
import type { StateManagerInterface } from '@ethereumjs/common'
import { verifyMerkleProof } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { MerkleStateManager } from '@ethereumjs/statemanager'
import { createAddressFromString, Account as LibAccount } from '@ethereumjs/util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StateAdapter } from '../../src/evm/state-adapter.ts'
import { type Address, bigToFixed, bytesToBig, fromHex, type Hash, hexToAddress, toHex } from '../../src/lib/hex.ts'
import { decodeRow } from '../../src/state/history.ts'
import { RANGE, within } from '../../src/state/keyspace.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { StateStore } from '../../src/state/state-store.ts'
import { EMPTY_ROOT } from '../../src/state/trie.ts'
import { slotKey, type View } from '../../src/state/view.ts'
import { everyRow } from '../support/stores.ts'

const WHO: readonly Address[] = [1, 2, 3, 4].map((n) => hexToAddress(`0x${n.toString(16).padStart(40, 'a')}`))
const SLOTS = [0n, 1n, 2n, 3n, 2n ** 255n]
const lib = (of: Address) => createAddressFromString(of)
const at = <T>(list: readonly T[], index: number): T => {
  const item = list[index % list.length]
  if (item === undefined) throw new Error('an empty list')
  return item
}

// --- operations

type Operation =
  | { readonly do: 'put'; readonly who: number; readonly nonce: bigint; readonly balance: bigint }
  | { readonly do: 'modify'; readonly who: number; readonly balance: bigint }
  | { readonly do: 'delete' | 'clear'; readonly who: number }
  | { readonly do: 'code'; readonly who: number; readonly code: Uint8Array }
  | { readonly do: 'store'; readonly who: number; readonly slot: number; readonly word: Uint8Array }
  | { readonly do: 'checkpoint' | 'commit' | 'revert' | 'root' | 'look' }

const who = fc.nat({ max: WHO.length - 1 })
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
const block = fc.array(operation, { maxLength: 25 })

const BEGINNING: readonly Operation[] = [
  ...[0, 1, 2].map((who): Operation => ({ do: 'put', who, nonce: 1n, balance: 5n })),
  ...[0, 1, 1].map((who, slot): Operation => ({ do: 'store', who, slot, word: Uint8Array.of(7) })),
]

/**
 * One operation on a state. What an account that is not there would make of it differs from one implementation to the
 * next (the EVM never asks), so such operations are left out; and where an account goes, its storage goes first.
 */
async function apply(state: StateManagerInterface, step: Operation, depth: number): Promise<void> {
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

/** All of them, with every checkpoint closed in the end. */
async function run(
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

const depthAfter = (step: Operation, depth: number): number => {
  if (step.do === 'checkpoint') return depth + 1
  return (step.do === 'commit' || step.do === 'revert') && depth > 0 ? depth - 1 : depth
}

// --- what a state holds

type Content = Record<Address, string>

/** Everything an account holds, in one line; undefined: there is none. */
async function lookFor(of: Address, state: StateManagerInterface): Promise<string | undefined> {
  const account = await state.getAccount(lib(of))
  if (account === undefined) return undefined
  const words: string[] = []
  for (const slot of SLOTS) words.push(toHex(await state.getStorage(lib(of), fromHex(slotKey(slot)))))
  const code = toHex(await state.getCode(lib(of)))
  return [account.nonce, account.balance, toHex(account.codeHash), code, ...words].join(' ')
}

/** The same for all of our few accounts. */
async function look(state: StateManagerInterface): Promise<Content> {
  const content: Content = {}
  for (const of of WHO) {
    const line = await lookFor(of, state)
    if (line !== undefined) content[of] = line
  }
  return content
}

const lookAt = (view: View): Promise<Content> => look(new StateAdapter(view))

/** Whether each account has storage, as EIP-7610 asks: by the reference's roots. */
async function storageOf(reference: MerkleStateManager): Promise<boolean[]> {
  const roots: boolean[] = []
  for (const of of WHO) {
    const account = await reference.getAccount(lib(of))
    roots.push(account !== undefined && toHex(account.storageRoot) !== EMPTY_ROOT)
  }
  return roots
}

const rootOf = async (reference: MerkleStateManager): Promise<string> => toHex(await reference.getStateRoot())

/** Ours and the reference, holding the same accounts to begin with: enough for a trie with branches below branches. */
async function twins() {
  const store = await openMemoryStore()
  const twin = { store, ours: new StateStore(store, -1), reference: new MerkleStateManager() }
  const view = twin.ours.at(-1)
  for (let n = 1; n <= 24; n++) {
    const of = hexToAddress(`0x${n.toString(16).padStart(40, '0')}`)
    view.setAccount(of, { nonce: BigInt(n), balance: 1n, codeHash: toHex(new LibAccount().codeHash) as Hash })
    await twin.reference.putAccount(lib(of), new LibAccount(BigInt(n), 1n))
  }
  // Of the accounts that are operated on, some are there already, with storage.
  for (const step of BEGINNING) {
    await apply(new StateAdapter(view), step, 0)
    await apply(twin.reference, step, 0)
  }
  await land(twin.ours, view)
  return twin
}

async function land(ours: StateStore, view: View): Promise<void> {
  const { rows, codes } = await view.changes()
  const { ops, landed } = ours.stage(rows, codes)
  await ours.store.write(ops)
  landed()
}

async function goBack(ours: StateStore, version: number): Promise<void> {
  const { ops, landed } = ours.rewind(version)
  await ours.store.write(ops)
  landed()
}

type Version = { readonly root: string; readonly content: Content; readonly rows: Map<string, string> }

async function record(ours: StateStore, reference: MerkleStateManager): Promise<Version> {
  return { root: await rootOf(reference), content: await look(reference), rows: await everyRow(ours.store) }
}

/** A proof must stand against the version's root, and tell what the version held. */
async function checkProofs(view: View, { root, content }: Version): Promise<void> {
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

/** The value under a key, by the reference's verifier; null: proven to be absent. An empty trie has no nodes. */
async function verified(proof: readonly string[], root: string, key: Uint8Array): Promise<Uint8Array | null> {
  if (root === EMPTY_ROOT) {
    expect(proof).toEqual([])
    return null
  }
  const nodes = proof.map(fromHex)
  const first = await verifyMerkleProof(key, nodes, { useKeyHashing: true, root: fromHex(root) })
  return first
}

describe('a view', () => {
  it('agrees with @ethereumjs/statemanager whatever is written, reverted and landed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(block, { minLength: 1, maxLength: 5 }), async (blocks) => {
        const { store, ours, reference } = await twins()
        for (const steps of blocks) {
          const view = ours.at(ours.version)
          const adapter = new StateAdapter(view)
          let depth = 0
          for (const step of steps) {
            await apply(adapter, step, depth)
            await apply(reference, step, depth)
            depth = depthAfter(step, depth)
            if (step.do === 'root') expect(view.root()).toBe(await rootOf(reference))
            if (step.do === 'look') {
              expect(await lookAt(view)).toEqual(await look(reference))
              expect(WHO.map((of) => view.hasStorage(of))).toEqual(await storageOf(reference))
            }
          }
          for (; depth > 0; depth--) {
            await adapter.commit()
            await reference.commit()
          }
          expect(await lookAt(view)).toEqual(await look(reference))
          expect(WHO.map((of) => view.hasStorage(of))).toEqual(await storageOf(reference))
          expect(view.root()).toBe(await rootOf(reference))
          expect(WHO.map((of) => view.hasStorage(of))).toEqual(await storageOf(reference))
          await land(ours, view)
          expect(await lookAt(ours.at(ours.version))).toEqual(await look(reference))
          expect(ours.at(ours.version).root()).toBe(await rootOf(reference))
        }
        await store.close()
      }),
      { numRuns: 80 },
    )
  })

  it('answers for every version, proves it, and goes back to it exactly', async () => {
    const history = fc.array(fc.oneof({ weight: 4, arbitrary: block }, { weight: 1, arbitrary: fc.nat({ max: 9 }) }), {
      minLength: 2,
      maxLength: 8,
    })
    await fc.assert(
      fc.asyncProperty(history, async (episodes) => {
        const twin = await twins()
        const { store, reference } = twin
        let ours = twin.ours
        const versions: Version[] = [await record(ours, reference)]
        for (const episode of episodes) {
          if (typeof episode === 'number') {
            const to = episode % versions.length
            versions.length = to + 1
            await goBack(ours, to)
            const { rows, root } = at(versions, to)
            expect(await everyRow(store)).toEqual(rows)
            await reference.setStateRoot(fromHex(root))
          } else {
            const view = ours.at(ours.version)
            await run(new StateAdapter(view), episode, (step) => void (step.do === 'root' && view.root()))
            await run(reference, episode)
            await land(ours, view)
            versions.push(await record(ours, reference))
          }
          expect(ours.version).toBe(versions.length - 1)
          // Every other time as after a restart: nothing is cached.
          if (episodes.indexOf(episode) % 2 === 1) ours = new StateStore(store, ours.version)
          for (const [version, recorded] of versions.entries()) {
            expect(await lookAt(ours.at(version))).toEqual(recorded.content)
            expect(ours.at(version).root()).toBe(recorded.root)
          }
        }
        for (const [version, recorded] of versions.entries()) await checkProofs(ours.at(version), recorded)
        await store.close()
      }),
      { numRuns: 40 },
    )
  })

  it('stays true to its version while others are written, landed and taken back', async () => {
    // Whom a reader asks for at which moment: before the batch, when it is on disk, when its writer knows.
    const moments = fc.array(fc.record({ who, moment: fc.nat({ max: 2 }) }), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(block, moments), { minLength: 2, maxLength: 5 }), async (blocks) => {
        const { store, reference, ours } = await twins()
        const first = await record(ours, reference)
        // One reader per version: a view opened before anything later is known, read a little at a time.
        const readers = [{ ...first, view: ours.at(0) }]
        for (const [steps, reads] of blocks) {
          const view = ours.at(ours.version)
          await run(new StateAdapter(view), steps)
          await run(reference, steps)
          const { rows, codes } = await view.changes()
          const { ops, landed } = ours.stage(rows, codes)
          for (const [moment, happens] of [() => undefined, () => store.write(ops), landed].entries()) {
            await happens()
            for (const read of reads.filter((read) => read.moment === moment)) {
              const of = at(WHO, read.who)
              for (const { view, content } of readers) {
                expect(await lookFor(of, new StateAdapter(view))).toBe(content[of])
                expect(await lookFor(of, new StateAdapter(ours.at(view.version)))).toBe(content[of])
              }
            }
          }
          readers.push({ ...(await record(ours, reference)), view: ours.at(ours.version) })
        }
        const to = Math.floor(readers.length / 2)
        const { ops, landed } = ours.rewind(to)
        for (const happens of [() => undefined, () => store.write(ops), landed]) {
          await happens()
          for (const { view, content } of readers.slice(0, to + 1)) {
            expect(await lookAt(ours.at(view.version))).toEqual(content)
          }
        }
        for (const { view, content } of readers.slice(0, to + 1)) expect(await lookAt(view)).toEqual(content)
        await store.close()
      }),
      { numRuns: 40 },
    )
  })

  it('is not touched by what is written on a fork, nor the fork by it', async () => {
    await fc.assert(
      fc.asyncProperty(block, block, block, fc.boolean(), async (before, onView, onFork, rootFirst) => {
        const { store, ours, reference } = await twins()
        const view = ours.at(ours.version)
        await run(new StateAdapter(view), before)
        await run(reference, before)
        if (rootFirst) view.root()
        const fork = view.fork()
        const base = await reference.getStateRoot()

        await run(new StateAdapter(view), onView)
        await run(new StateAdapter(fork), onFork)
        await run(reference, onView)
        expect(view.root()).toBe(await rootOf(reference))
        expect(await lookAt(view)).toEqual(await look(reference))
        await reference.setStateRoot(base)
        await run(reference, onFork)
        expect(fork.root()).toBe(await rootOf(reference))
        expect(await lookAt(fork)).toEqual(await look(reference))
        await land(ours, fork)
        expect(ours.at(ours.version).root()).toBe(await rootOf(reference))
        await store.close()
      }),
      { numRuns: 40 },
    )
  })
})

describe('an account that goes', () => {
  const [one, two] = [at(WHO, 0), at(WHO, 1)]
  const write = async (state: StateManagerInterface, words: Record<number, number>): Promise<void> => {
    for (const [slot, word] of Object.entries(words)) {
      await state.putStorage(lib(one), fromHex(slotKey(BigInt(slot))), Uint8Array.of(word))
    }
  }

  it('leaves no node of a root that was asked for before, and begins anew when it comes back', async () => {
    const { ours, reference, store } = await twins()
    const gone = ours.at(0)
    await write(new StateAdapter(gone), { 1: 1, 2: 2, 3: 3 })
    gone.root()
    gone.deleteAccount(one)
    await land(ours, gone)
    for await (const [key, value] of store.scan(RANGE.storageNodes(one))) {
      expect([toHex(key), decodeRow(value).value]).toEqual([toHex(key), undefined])
    }

    const back = ours.at(1)
    await reference.clearStorage(lib(one))
    await reference.deleteAccount(lib(one))
    for (const state of [new StateAdapter(back), reference]) {
      await state.putAccount(lib(one), new LibAccount(1n, 1n))
      await write(state, { 2: 9 })
    }
    expect(back.root()).toBe(await rootOf(reference))
  })

  it('is proven to be absent after a root was asked for before', async () => {
    const { ours } = await twins()
    const view = ours.at(0)
    await write(new StateAdapter(view), { 1: 1, 2: 2, 3: 3 })
    view.root()
    view.deleteAccount(one)
    const { account, storageRoot, storageProofs } = view.prove(one, [0n, 2n])
    expect({ account, storageRoot, storageProofs }).toEqual({
      account: undefined,
      storageRoot: EMPTY_ROOT,
      storageProofs: [0n, 2n].map((key) => ({ key, value: 0n, proof: [] })),
    })
  })

  it('keeps what was written on it when its going is reverted after a root', async () => {
    const { ours, reference } = await twins()
    const view = ours.at(0)
    for (const state of [new StateAdapter(view), reference]) await write(state, { 1: 1, 2: 2 })
    view.checkpoint()
    view.setAccount(one, undefined)
    view.root()
    view.revert()
    expect(view.root()).toBe(await rootOf(reference))
  })

  it('takes its stored storage with it, however it goes', async () => {
    const { ours, store } = await twins()
    const view = ours.at(0)
    view.setAccount(two, undefined)
    await land(ours, view)
    for await (const [key, value] of store.scan(RANGE.slots(two))) {
      expect([toHex(key), decodeRow(value).value]).toEqual([toHex(key), undefined])
    }
    expect(ours.at(1).hasStorage(two)).toBe(false)
    expect(ours.at(1).storage(two, 1n)).toBe(0n)
    expect(ours.at(0).storage(two, 1n)).toBe(7n)
  })
})

describe('code', () => {
  it('is kept only if an account has it in the end, and goes with the version that brought it', async () => {
    const { ours, store } = await twins()
    const before = await everyRow(store)
    const view = ours.at(0)
    const [kept, reverted] = [Uint8Array.of(0x60, 1), Uint8Array.of(0x60, 2)]
    view.setCode(at(WHO, 0), kept)
    view.checkpoint()
    view.setCode(at(WHO, 1), reverted)
    view.revert()
    await land(ours, view)
    const again = ours.at(1)
    again.setCode(at(WHO, 2), kept)
    await land(ours, again)
    const codes: string[] = []
    for await (const [, code] of store.scan(within(Uint8Array.of(0x1a)))) codes.push(toHex(code))
    expect(codes).toEqual(['0x6001'])

    await goBack(ours, 1)
    expect(toHex(ours.at(1).code(at(WHO, 0)))).toBe('0x6001')
    await goBack(ours, 0)
    expect(await everyRow(store)).toEqual(before)
    const anew = ours.at(0)
    anew.setCode(at(WHO, 3), kept)
    await land(ours, anew)
    expect(toHex(new StateStore(store, 1).at(1).code(at(WHO, 3)))).toBe('0x6001')
  })
})

describe('a transaction', () => {
  it('tells what it changed: first values against last, reverted writes left out', async () => {
    const { ours } = await twins()
    const view = ours.at(0)
    const [one, two, three, four] = [at(WHO, 0), at(WHO, 1), at(WHO, 2), at(WHO, 3)]
    view.setStorage(one, 0n, 8n)
    view.beginTransaction()
    view.setStorage(one, 0n, 9n)
    view.setStorage(one, 0n, 10n)
    expect(bytesToBig(view.originalWord(one, slotKey(0n)))).toBe(8n)
    view.setStorage(two, 3n, 1n)
    view.setStorage(two, 3n, 0n)
    view.checkpoint()
    view.setBalance(three, 77n)
    view.setStorage(three, 1n, 5n)
    view.revert()
    view.setNonce(four, 1n)
    const none = toHex(new LibAccount().codeHash)
    const account = { nonce: 1n, balance: 5n, codeHash: none }
    expect(view.transactionDiff()).toEqual(
      [
        { address: four, before: undefined, after: { ...account, balance: 0n }, slots: [] },
        { address: one, before: account, after: account, slots: [{ key: slotKey(0n), before: 8n, after: 10n }] },
      ].sort((a, b) => (a.address < b.address ? -1 : 1)),
    )
    view.beginTransaction()
    expect(view.transactionDiff()).toEqual([])
    expect(bytesToBig(view.originalWord(one, slotKey(0n)))).toBe(10n)
  })

  it('may not take more than there is, and says so before anything changes', async () => {
    const { ours } = await twins()
    const view = ours.at(0)
    const root = view.root()
    expect(() => view.transfer(at(WHO, 0), at(WHO, 1), 6n)).toThrow(RangeError)
    expect(view.root()).toBe(root)
    view.transfer(at(WHO, 0), at(WHO, 1), 5n)
    expect([view.balance(at(WHO, 0)), view.balance(at(WHO, 1))]).toEqual([0n, 10n])
    expect(() => view.slots(at(WHO, 0), 'read').store(0n, 1n)).toThrow(/reading/)
    expect(() => view.revert()).toThrow(/checkpoint/)
  })
})
