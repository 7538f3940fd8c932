// The worst block when ten thousand things of a kind are due at one moment: CPU time of the end of a block, the begin of the next one,
// its state root and its rows, on disk as a node has them. Nothing is executed in these blocks.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, hexToAddress, ZERO_ADDRESS } from '../../src/lib/hex.ts'
import { MESSAGE } from '../../src/modules/authz/messages.ts'
import { wholeVote } from '../../src/modules/gov/tally.ts'
import { beginBlock, endBlock, initGenesis, type Modules } from '../../src/modules/index.ts'
import { installContracts } from '../../src/precompiles/index.ts'
import type { GenesisValidator, NativeSpec } from '../../src/spec/chain-spec.ts'
import { openTemporaryStore } from '../../src/state/kv.ts'
import { StateStore } from '../../src/state/state-store.ts'
import type { KvStore } from '../../src/state/types.ts'
import type { View } from '../../src/state/view.ts'
import { type Grown, modulesOn } from '../../test/precompiles/grown-state.ts'
import { emptyView, nativeSpec } from '../../test/support/native.ts'
import { cpuTime } from './cpu-time.ts'

export type BlockRow = {
  readonly kind: string
  readonly due: number
  /** Milliseconds of CPU time of the worst block, and of all; how many blocks it took. */
  readonly worst: number
  readonly total: number
  readonly blocks: number
}

const COIN = 10n ** 18n
const DAY = 86_400n
const START = 1_700_000_000n
const numbered = (first: string, index: number): Address =>
  hexToAddress(`0x${first}${index.toString(16).padStart(38, '0')}`)
const person = (index: number): Address => numbered('dd', index)
const operator = (index: number): Address => numbered('aa', index)

type Kind = {
  readonly name: string
  readonly validators?: (due: number) => number
  /** Makes things that are due after `seconds`. */
  prepare(modules: () => Modules, due: number, nextBlock: () => void): void
  readonly seconds?: bigint
  /** What happens in the block of that moment, when it begins. */
  strike?(modules: Modules): void
  isDone(modules: Modules, due: number): boolean
}

const people = (due: number): readonly Address[] => Array.from({ length: due }, (_, index) => person(index))
const json = Buffer.from(JSON.stringify({ title: 'A title', summary: 'A summary' }))

function unbond(modules: () => Modules, due: number): void {
  const { staking } = modules()
  for (const of of people(due)) {
    staking.delegate(of, operator(0), COIN)
    staking.undelegate(of, operator(0), COIN)
  }
}

const KINDS: readonly Kind[] = [
  {
    name: 'ends of unbonding',
    prepare: unbond,
    seconds: 22n * DAY,
    isDone: ({ bank }, due) => people(due).every((of) => bank.balance(of) >= 10n * COIN),
  },
  {
    name: 'ends of redelegation',
    prepare(modules, due) {
      const { staking } = modules()
      for (const of of people(due)) {
        staking.delegate(of, operator(0), COIN)
        staking.redelegate(of, operator(0), operator(1), COIN)
      }
    },
    seconds: 22n * DAY,
    isDone: ({ staking }, due) =>
      people(due).every((of) => staking.redelegation(of, operator(0), operator(1)).length === 0),
  },
  {
    name: 'a slash of unbonding entries',
    prepare: unbond,
    strike: ({ staking }) => staking.slash(operator(0), { height: 1n, power: 10n ** 6n, fraction: COIN / 20n }),
    isDone: ({ staking }) => staking.pendingSlashes().length === 0,
  },
  {
    name: 'a slash of redelegations',
    prepare(modules, due) {
      const { staking } = modules()
      for (const of of people(due)) {
        staking.delegate(of, operator(0), COIN)
        staking.redelegate(of, operator(0), operator(1), COIN)
      }
    },
    strike: ({ staking }) => staking.slash(operator(0), { height: 1n, power: 10n ** 6n, fraction: COIN / 20n }),
    isDone: ({ staking }) => staking.pendingSlashes().length === 0,
  },
  {
    name: 'expiring grants',
    prepare(modules, due) {
      const { authz } = modules()
      const validators = authz.openValidators()
      for (const of of people(due)) authz.approve(of, person(0), MESSAGE.delegate, COIN, validators)
    },
    seconds: 366n * DAY,
    isDone: ({ authz }, due) => authz.allowance(person(due - 1), person(0), MESSAGE.delegate) === 0n,
  },
  {
    name: 'votes and deposits of a proposal',
    prepare(modules, due) {
      const { gov, staking } = modules()
      const id = gov.submit(person(0), gov.read(json), 10_000_000n)
      for (const of of people(due)) {
        staking.delegate(of, operator(0), COIN)
        gov.deposit(id, of, 100_000n)
        gov.vote(id, of, { options: wholeVote(1n), metadata: '' })
      }
    },
    seconds: 22n * DAY,
    isDone: ({ gov }) => gov.status(1n) === 'passed' || gov.status(1n) === 'rejected',
  },
  {
    name: 'proposals without enough deposit',
    prepare(modules, due) {
      const { gov } = modules()
      for (const of of people(due)) gov.submit(of, gov.read(json), 1n)
    },
    seconds: 22n * DAY,
    isDone: ({ gov }, due) => gov.status(BigInt(due)) === 'none',
  },
  {
    name: 'timeouts of packets',
    prepare: (modules, due, nextBlock) => send(modules, due, nextBlock, 'channel-2', START + 10n * DAY),
    seconds: 11n * DAY,
    isDone: ({ bank }, due) => people(due).every((of) => bank.balance(of) === 10n * COIN),
  },
  {
    name: 'delivered packets',
    prepare: (modules, due, nextBlock) => send(modules, due, nextBlock, 'channel-0', START + 1_000n * DAY),
    isDone: ({ bank }, due) => bank.balances(person(due - 1)).length > 1,
  },
  {
    name: 'validators whose power changed',
    validators: (due) => due,
    prepare: (modules, due) => {
      const { staking } = modules()
      for (let index = 0; index < due; index++)
        staking.delegate(person(index), operator(due - 1 - index), BigInt(index % 7) * COIN + COIN)
    },
    isDone: () => true,
  },
]

function send(modules: () => Modules, due: number, nextBlock: () => void, channel: string, timeout: bigint): void {
  const timing = { height: { revisionNumber: 0n, revisionHeight: 0n }, timestamp: timeout * 1_000_000_000n }
  const source = { port: 'transfer', channel }
  for (const [index, of] of people(due).entries()) {
    // A packet to a chain that never answers waits from the next block on; one to this chain stays due.
    if (channel === 'channel-2' && index % 250 === 249) nextBlock()
    modules().transfer.send({ source, denom: 'akest', amount: 1n, sender: of, receiver: of, timeout: timing, memo: '' })
  }
}

const validator = (index: number): GenesisValidator => ({
  operator: operator(index),
  consensusKey: undefined,
  moniker: 'a validator',
  commission: { rate: COIN / 10n, maxRate: COIN / 5n, maxChangeRate: COIN / 100n },
  selfDelegation: 100n * COIN,
  minSelfDelegation: 1n,
})

const specOf = (validators: number): NativeSpec => ({
  ...nativeSpec,
  validators: Array.from({ length: validators }, (_, index) => validator(index)),
  modules: {
    distribution: { version: 2 },
    slashing: { version: 2 },
    staking: { version: 2 },
    gov: { version: 2 },
    transfer: { version: 2, sinks: [{ channel: 'channel-2', behaviour: 'never' }] },
  },
})

/** Measures each kind with `due` things. */
export async function measureBlocks(
  due: number,
  only: string,
  log: (line: string) => void,
): Promise<readonly BlockRow[]> {
  const rows: BlockRow[] = []
  for (const kind of KINDS.filter(({ name }) => name.includes(only))) {
    log(`blocks: ${kind.name}`)
    const folder = await mkdtemp(join(tmpdir(), 'kestrel-bench-'))
    const store = await openTemporaryStore(folder)
    rows.push(await measureKind(kind, due, store))
    await store.close()
    await rm(folder, { recursive: true })
  }
  return rows
}

async function measureKind(kind: Kind, due: number, disk: KvStore): Promise<BlockRow> {
  const validators = kind.validators?.(due) ?? 3
  const spec = specOf(validators)
  const view = await emptyView()
  const operators = Array.from({ length: validators }, (_, index) => operator(index))
  const holders = [...operators, ...people(due)]
  for (const of of holders) view.setBalance(of, (of.startsWith('0xaa') ? 1_000n : 10n) * COIN)
  const block = { number: 0n, timestamp: START, proposer: ZERO_ADDRESS }
  const grown: { spec: NativeSpec; view: View; block: Grown['block'] } = { spec, view, block }
  initGenesis(view, spec, (BigInt(operators.length) * 1_000n + BigInt(due) * 10n) * COIN, { ...block })
  installContracts(view, spec, 0n)
  const next = (seconds: bigint, strike?: Kind['strike']) => {
    endBlock(modulesOn(grown))
    block.number += 1n
    block.timestamp += seconds
    const modules = modulesOn(grown)
    beginBlock(modules)
    strike?.(modules)
  }
  next(5n)
  kind.prepare(
    () => modulesOn(grown),
    due,
    () => next(5n),
  )

  const store = new StateStore(disk, -1)
  const commit = async () => {
    const { rows, codes } = await grown.view.changes()
    const staged = store.stage(rows, codes)
    await store.store.write(staged.ops)
    staged.afterWrite()
  }
  await commit()
  const times: number[] = []
  for (let version = 0; ; version++) {
    grown.view = store.at(version)
    if (version > 1 && kind.isDone(modulesOn(grown), due)) break
    const began = cpuTime()
    if (version === 0) next(kind.seconds ?? 5n, kind.strike)
    else next(5n)
    await commit()
    times.push((cpuTime() - began) / 1_000)
    if (version > 10_000) throw new Error(`${kind.name} do not end`)
  }
  const total = times.reduce((sum, time) => sum + time, 0)
  return { kind: kind.name, due, worst: Math.max(...times), total, blocks: times.length }
}
