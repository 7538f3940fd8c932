// Contracts that the protocol itself calls: the effect on a block when one is missing or fails. EIP-7002, EIP-7251 and EIP-8282 make
// such a block invalid; EIP-4788 and EIP-2935 let the call fail silently.
import { describe, expect, it } from 'vitest'
import { completeAttributes } from '../../src/chain/payload-attributes.ts'
import type { EngineChoice } from '../../src/evm/machine.ts'
import { type Address, bytesToBig, EMPTY_BYTES, fromHex, type Hash, type Hex, toHex } from '../../src/lib/hex.ts'
import { decodeBlockAccessList } from '../../src/primitives/block-access-list.ts'
import { executeBlock } from '../../src/runtime/execute-block.ts'
import { importBlock } from '../../src/runtime/import-block.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import { SYSTEM_CONTRACT } from '../../src/spec/addresses.ts'
import type { GenesisSpec } from '../../src/spec/chain-spec.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { StateStore } from '../../src/state/state-store.ts'
import { openSmallChain, smallSpec, word } from '../chain/support.ts'
import { genesisOn } from '../support/genesis.ts'

/** A chain with other code at an address; '0x': no code. */
function withCode(address: Address, code: Hex, spec: GenesisSpec = smallSpec()): GenesisSpec {
  const alloc = new Map(spec.genesis.alloc)
  if (code === '0x') alloc.delete(address)
  else alloc.set(address, { balance: 0n, nonce: 1n, code: fromHex(code), storage: new Map() })
  return { ...spec, genesis: { ...spec.genesis, alloc } }
}

/** Block 1 of a chain, and the state after it. */
async function firstBlock(spec: GenesisSpec) {
  const view = new StateStore(await openMemoryStore(), -1).at(-1)
  const { runtime, header: parent } = genesisOn(view, spec)
  const draft = completeAttributes(spec, parent, { timestamp: parent.timestamp + 1n })
  const genesis = () => view.fork()
  const executed = await executeBlock(runtime, genesis(), draft, [], () => undefined)
  return { runtime, parent, genesis, ...executed }
}

/** SSTORE(0, 1), then INVALID. */
const STORES_AND_FAILS = '0x60015f55fe'

describe.each([
  ['EIP-7002', SYSTEM_CONTRACT.withdrawalRequests, 'prague', 'Prague'],
  ['EIP-7251', SYSTEM_CONTRACT.consolidationRequests, 'prague', 'Prague'],
  ['EIP-8282', SYSTEM_CONTRACT.builderDeposits, 'amsterdam', 'Amsterdam'],
  ['EIP-8282', SYSTEM_CONTRACT.builderExits, 'amsterdam', 'Amsterdam'],
] as const)('the contract of %s at %s', (eip, address, fork, named) => {
  const having = (code: Hex) => withCode(address, code, smallSpec(fork))

  it('must exist for a block to be built', async () => {
    await expect(firstBlock(having('0x'))).rejects.toMatchObject({
      code: 'invalid-block',
      message: expect.stringContaining(`empty system contract: no code at ${address} (${eip}; from ${named} on`),
    })
  })

  it('must not fail for a block to be built', async () => {
    await expect(firstBlock(having(STORES_AND_FAILS))).rejects.toMatchObject({
      code: 'invalid-block',
      message: expect.stringContaining(`system call failed to execute: ${address} (${eip}): invalid opcode`),
    })
  })

  it('must exist for a block to be imported', async () => {
    const { runtime, parent, genesis, block } = await firstBlock(smallSpec(fork))
    const ancestry = { parent, totalDifficulty: undefined, recent: [] }
    await expect(importBlock(runtime, genesis(), block, ancestry, () => undefined)).resolves.toMatchObject({ block })
    const without = genesis()
    without.deleteAccount(address)
    await expect(importBlock(runtime, without, block, ancestry, () => undefined)).rejects.toMatchObject({
      code: 'invalid-block',
      message: expect.stringContaining(`block 1: empty system contract: no code at ${address}`),
    })
  })

  it('must exist for a chain to start', async () => {
    const chain = await openSmallChain({ spec: having('0x') })
    await expect(chain.produce()).rejects.toThrow('empty system contract')
    expect(chain.head.number).toBe(0n)
  })
})

describe.each([
  ['EIP-4788', SYSTEM_CONTRACT.beaconRoots],
  ['EIP-2935', SYSTEM_CONTRACT.history],
] as const)('the contract of %s', (_, address) => {
  it('may be missing', async () => {
    const { block, view } = await firstBlock(withCode(address, '0x'))
    expect(block.header.number).toBe(1n)
    expect(view.account(address)).toBeUndefined()
  })

  it('may fail, and then leaves no state', async () => {
    const { block, view } = await firstBlock(withCode(address, STORES_AND_FAILS))
    expect(block.header.number).toBe(1n)
    expect(bytesToBig(view.word(address, word(0n)))).toBe(0n)
  })

  it('is called with the block by the system address', async () => {
    // SSTORE(0, CALLER)
    const { view } = await firstBlock(withCode(address, '0x335f5500'))
    expect(bytesToBig(view.word(address, word(0n)))).toBe(0xfffffffffffffffffffffffffffffffffffffffen)
  })
})

/** A queue of EIP-7002 or EIP-7251 with one request: one request in this block so far (slot 1), none taken (2), one added (3). */
const QUEUE: ReadonlyMap<Hash, Hash> = new Map([
  [word(1n), word(1n)],
  [word(3n), word(1n)],
  [word(4n), word(0xaan)],
  [word(5n), word(0xbbn)],
  [word(6n), word(0xccn << 128n)],
])

describe('calls of the contracts with the code of the EIPs', () => {
  /** Three blocks of an engine: their headers and requests. */
  async function blocksOn(engine: EngineChoice, queued: readonly Address[]) {
    const spec = smallSpec()
    const alloc = new Map(spec.genesis.alloc)
    for (const address of queued) {
      const account = alloc.get(address)
      if (account !== undefined) alloc.set(address, { ...account, storage: QUEUE })
    }
    const chain = { ...spec, genesis: { ...spec.genesis, alloc } }
    const view = new StateStore(await openMemoryStore(), -1).at(-1)
    let { header: parent } = genesisOn(view, chain)
    const runtime = new Runtime(chain, undefined, engine)
    const made = []
    for (let n = 1n; n <= 3n; n++) {
      // The third block has the place of the first in the ring of EIP-4788.
      const timestamp = n === 3n ? 1n + 8191n + 1n : parent.timestamp + 1n
      const draft = { ...completeAttributes(chain, parent, { timestamp }), parentBeaconBlockRoot: word(n * 7n) }
      const { block, requests } = await executeBlock(runtime, view, draft, [], () => undefined)
      made.push({ header: block.header, requests: requests.map((request) => toHex(request)) })
      parent = block.header
    }
    return { made, view }
  }

  it('write and answer what running the code does', async () => {
    const { withdrawalRequests, consolidationRequests, beaconRoots, history } = SYSTEM_CONTRACT
    for (const queued of [[], [withdrawalRequests], [withdrawalRequests, consolidationRequests]]) {
      const ours = await blocksOn('compiled', queued)
      expect(ours.made).toEqual((await blocksOn('library', queued)).made)
      expect(ours.made.map(({ requests }) => requests.length)).toEqual([queued.length, 0, 0])
      const { view, made } = ours
      // EIP-4788: timestamp and root; EIP-2935: the parent's hash.
      expect([view.storage(beaconRoots, 2n), view.storage(beaconRoots, 8193n)]).toEqual([8193n, 21n])
      expect(view.storage(history, 2n)).toBe(BigInt(made[1]?.header.hash ?? 0))
    }
  })

  it('access what running the code does, by the block access list', async () => {
    const spec = smallSpec('amsterdam')
    // Code behind the end of the EIPs' codes is never reached, and it is no code that is known.
    const alloc = new Map(
      [...spec.genesis.alloc].map(([of, account]) => {
        const isSystem = Object.values<Address>(SYSTEM_CONTRACT).includes(of)
        return [of, isSystem ? { ...account, code: Uint8Array.of(...account.code, 0) } : account]
      }),
    )
    const run = await firstBlock({ ...spec, genesis: { ...spec.genesis, alloc } })
    const known = await firstBlock(spec)
    const accounts = decodeBlockAccessList(known.accessList ?? EMPTY_BYTES)
    // The parent's hash, which differs, is in the slot of EIP-2935.
    const { history } = SYSTEM_CONTRACT
    const others = (list: Uint8Array | undefined) =>
      decodeBlockAccessList(list ?? EMPTY_BYTES).filter(({ address }) => address !== history)
    expect(accounts).toHaveLength(6)
    expect(others(run.accessList)).toEqual(others(known.accessList))
    expect(accounts.find(({ address }) => address === history)?.storageChanges).toMatchObject([
      { slot: word(0n), changes: [{ index: 0, value: BigInt(known.parent.hash) }] },
    ])
  })
})
