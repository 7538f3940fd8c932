// What the mutations start from: a client on a chain of its own, and messages that the client accepts. Beside them a record of what was
// really signed and which sets of validators there are, so that the expected verdict needs neither hashes nor signatures.
import { create, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { AnySchema, type Timestamp } from '@bufbuild/protobuf/wkt'
import { readClientState } from '../../../src/ibc/comet/client-state.ts'
import { proofSpec, TREES } from '../../../src/ibc/ics23/specs.ts'
import { toHex } from '../../../src/lib/hex.ts'
import { sha256 } from '../../../src/lib/sha256.ts'
import { Clients } from '../../../src/modules/ibc/clients.ts'
import { ibcLayout } from '../../../src/modules/ibc/layout.ts'
import {
  ClientStateSchema,
  ConsensusStateSchema,
  type Header,
  HeaderSchema,
  MisbehaviourSchema,
} from '../../../src/protobuf/generated/ibc/lightclients/tendermint/v1/tendermint_pb.ts'
import {
  BlockIDSchema,
  type Header as CometHeader,
  HeaderSchema as CometHeaderSchema,
  type Commit,
} from '../../../src/protobuf/generated/tendermint/types/types_pb.ts'
import type { ValidatorSet } from '../../../src/protobuf/generated/tendermint/types/validator_pb.ts'
import { NATIVE_CONTRACT } from '../../../src/spec/addresses.ts'
import type { View } from '../../../src/state/view.ts'
import { type CometBlock, CometChain, hashOf, Signer, validatorSet } from '../../support/comet-chain.ts'
import { alice, emptyView, moduleContext } from '../../support/native.ts'

export const START = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000
export const CHAIN_ID = 'peer_7-2'
export const RULES = {
  revision: 2n,
  trustingPeriod: 48 * HOUR,
  maxClockDrift: 10_000,
  level: { numerator: 1n, denominator: 3n },
}
/** Unix milliseconds at which messages arrive: an hour and a half after the first known block but one. */
export const NOW = START + 1.5 * HOUR

const signer = (number: number, power: bigint) => new Signer(number, power)
const four = [signer(0, 40n), signer(1, 30n), signer(2, 20n), signer(3, 10n)]
/** Two of these have exactly two thirds, one a third. */
const three = [signer(1, 30n), signer(2, 30n), signer(4, 30n)]
/** The sets of the chain before and after a change. */
export const SETS: readonly (readonly Signer[])[] = [four, three]
/** The last of the four is corrupt, and strangers make validators of their own: together they have a tenth of the power. */
export const CORRUPT = [
  signer(3, 10n),
  signer(90, 1_000n),
  signer(91, 70n),
  ...[92, 93, 94].map((number) => signer(number, 1n)),
]
const setAt = (height: number) => (height <= 30 ? four : three)
const timeAt = (height: number) => START + height * 1_000

export const blockAt = (height: number, more: Partial<CometBlock> = {}): CometBlock => ({
  height,
  time: timeAt(height),
  appHash: sha256(`app ${height}`),
  validators: setAt(height),
  nextValidators: setAt(height + 1),
  ...more,
})

/** A vote as its signer meant it: all that the signature stands for. */
export const voteText = (key: Uint8Array, header: CometHeader, { height, round, blockId }: Commit, time: Timestamp) =>
  [
    toHex(key),
    toHex(toBinary(CometHeaderSchema, header)),
    height,
    round,
    blockId && toHex(toBinary(BlockIDSchema, blockId)),
    time.seconds,
    time.nanos,
  ].join(' ')
/** Keys and powers of a set: all that its hash stands for. */
export const setText = (set: ValidatorSet) =>
  set.validators
    .map(
      ({ pubKey, votingPower }) =>
        `${pubKey?.sum.case === 'ed25519' ? toHex(pubKey.sum.value) : 'no key'} ${votingPower}`,
    )
    .join()

export type Known = { readonly time: number; readonly root: Uint8Array; readonly nextValidatorsHash: Uint8Array }

export class World {
  readonly chain = new CometChain(CHAIN_ID)
  /** Signatures with what they stand for: with several votes if a forger has put one block's id beside several headers. */
  readonly votes = new Set<string>()
  /** By hash. */
  readonly sets = new Map<string, string>()
  /** The states that the client began with, and the messages that it took 40 seconds after START. */
  readonly first: { readonly clientState: Uint8Array; readonly consensusState: Uint8Array }
  readonly learned: Uint8Array[] = []
  readonly known = new Map<number, Known>()
  /** Messages that the client accepts, as `updateClient` takes them, with the verdict. */
  readonly originals: { readonly name: string; readonly bytes: Uint8Array; readonly verdict: Verdict }[] = []
  /** Headers that are refused: of another chain, from the future, after an expired header. Parts of them get into the mutations. */
  readonly strange: Uint8Array[] = []
  readonly #view: View
  readonly clients: Clients
  readonly id: string

  private constructor(view: View) {
    this.#view = view
    const context = moduleContext(view)
    const block = { ...context.block, timestamp: BigInt(START) / 1000n + 40n }
    const open = () => new Clients({ ...context, block }, ibcLayout.open(view.slots(NATIVE_CONTRACT.ibc, 'write')))
    const clients = open()
    const first = blockAt(5, { time: START - 47 * HOUR })
    this.first = { clientState: clientState(5n), consensusState: consensusState(first) }
    this.id = clients.create(alice, this.first.clientState, this.first.consensusState)
    this.#learn(first)
    for (const height of [10, 20, 31]) {
      const previous = [...this.known.keys()].at(-1) ?? 0
      const message = this.update(blockAt(height), previous)
      clients.update(this.id, message, () => undefined)
      this.learned.push(message)
      this.#learn(blockAt(height))
    }
    block.timestamp = BigInt(NOW) / 1000n
    this.clients = clients
    for (const set of [four, three, CORRUPT]) this.recordSet(set)
    this.#makeOriginals()
  }

  static open = async (): Promise<World> => new World(await emptyView())

  /** Gives the client a message and undoes what it did. Throws what the client throws. */
  give(bytes: Uint8Array): Verdict {
    this.#view.checkpoint()
    try {
      const { result: verdict } = this.clients.update(this.id, bytes, () => undefined)
      const isFrozen = readClientState(this.clients.client(this.id).state).isFrozen
      if (isFrozen !== (verdict === 'misbehaviour')) throw new Error('verdict and state of the client differ')
      return verdict
    } finally {
      this.#view.revert()
    }
  }

  #learn(block: CometBlock) {
    this.known.set(block.height, {
      time: block.time,
      root: block.appHash,
      nextValidatorsHash: hashOf(block.nextValidators),
    })
  }

  header(block: CometBlock, trusted: number, chain = this.chain): Header {
    const message = chain.update(block, { height: trusted, nextValidators: setAt(trusted + 1) })
    this.record(message, block.validators)
    return message
  }

  update = (block: CometBlock, trusted: number) => packed(HeaderSchema, this.header(block, trusted))

  /** Remembers what the validators have signed. `signers` by place; undefined: not signed anew. */
  record({ signedHeader }: Header, signers: readonly (Signer | undefined)[]): void {
    const { header, commit } = signedHeader ?? {}
    if (header === undefined || commit === undefined) return
    for (const [place, { signature, timestamp }] of commit.signatures.entries()) {
      const key = signers[place]?.key
      if (key && timestamp && signature.length > 0)
        this.votes.add(`${toHex(signature)} ${voteText(key, header, commit, timestamp)}`)
    }
  }

  /** Remembers the members of a set by its hash. */
  recordSet(signers: readonly Signer[]): void {
    this.sets.set(toHex(hashOf(signers)), setText(validatorSet(signers)))
  }

  #makeOriginals() {
    const add = (name: string, bytes: Uint8Array, verdict: Verdict) => this.originals.push({ name, bytes, verdict })
    const [first, second, third] = four
    for (const [to, from] of [
      [11, 10],
      [12, 10],
      [25, 10],
      [20, 10],
      [40, 10],
      [21, 20],
      [33, 20],
      [32, 31],
      [50, 31],
    ] as const)
      add(`${from} to ${to}`, this.update(blockAt(to), from), 'update')
    add('with absent validators', this.update(blockAt(22, { signers: four.slice(0, 2) }), 10), 'update')
    add('at the drift', this.update(blockAt(60, { time: NOW + RULES.maxClockDrift - 1 }), 31), 'update')
    add('a fork', this.update(blockAt(20, { appHash: sha256('fork') }), 10), 'misbehaviour')
    add('time that does not rise', this.update(blockAt(24, { time: timeAt(20) }), 10), 'misbehaviour')
    const fork = (one: CometBlock, other: CometBlock) =>
      packed(
        MisbehaviourSchema,
        create(MisbehaviourSchema, {
          clientId: this.id,
          header1: this.header(one, 20),
          header2: this.header(other, 10),
        }),
      )
    add('two blocks', fork(blockAt(26), blockAt(26, { appHash: sha256('fork') })), 'misbehaviour')
    add('two times', fork(blockAt(27, { time: timeAt(26) }), blockAt(26)), 'misbehaviour')
    const few = [first, third].filter((one) => one !== undefined)
    const many = [second, third].filter((one) => one !== undefined)
    const strange = [
      this.header(blockAt(61, { time: NOW + RULES.maxClockDrift }), 31),
      this.header(blockAt(11), 5),
      this.header(blockAt(23, { signers: few }), 10),
      this.header(blockAt(51, { signers: many }), 31),
      this.header(blockAt(52, { validators: four, signers: four.slice(1, 2) }), 31),
      this.header(blockAt(11), 10, new CometChain('peer_7-3')),
      this.header(blockAt(12), 10, new CometChain('other-2')),
    ]
    this.strange.push(...strange.map((message) => packed(HeaderSchema, message)))
  }
}

export type Verdict = 'update' | 'misbehaviour'

export const packed = <S extends typeof HeaderSchema | typeof MisbehaviourSchema>(
  schema: S,
  message: MessageShape<S>,
) => toBinary(AnySchema, create(AnySchema, { typeUrl: `/${schema.typeName}`, value: toBinary(schema, message) }))

const seconds = (milliseconds: number) => ({ seconds: BigInt(milliseconds / 1000) })
export const clientState = (height: bigint, trees: readonly (keyof typeof TREES)[] = ['smt', 'tendermint']) =>
  toBinary(
    ClientStateSchema,
    create(ClientStateSchema, {
      chainId: CHAIN_ID,
      trustLevel: RULES.level,
      trustingPeriod: seconds(RULES.trustingPeriod),
      unbondingPeriod: seconds(2 * RULES.trustingPeriod),
      maxClockDrift: seconds(RULES.maxClockDrift),
      frozenHeight: {},
      latestHeight: { revisionNumber: RULES.revision, revisionHeight: height },
      proofSpecs: trees.map((tree) => proofSpec(TREES[tree])),
      upgradePath: ['upgrade', 'upgradedIBCState'],
    }),
  )

export const consensusState = ({
  time,
  appHash,
  nextValidators,
}: Pick<CometBlock, 'time' | 'appHash' | 'nextValidators'>) =>
  toBinary(
    ConsensusStateSchema,
    create(ConsensusStateSchema, {
      timestamp: seconds(time),
      root: { hash: appHash },
      nextValidatorsHash: hashOf(nextValidators),
    }),
  )
