// A network without sockets: several chains in memory, whose applications one fake consensus engine drives like CometBFT: one
// proposes a block, all process, decide and commit it. It throws when their responses differ.

import { createHash } from 'node:crypto'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { expect, onTestFinished } from 'vitest'
import type { BlockChain } from '../../src/chain/block-chain.ts'
import { defaultLimits } from '../../src/chain/limits.ts'
import { NetworkApplication } from '../../src/consensus/network/application.ts'
import { newMeasurements } from '../../src/consensus/network/measurements.ts'
import type { RoundTimes } from '../../src/consensus/network/rounds.ts'
import { type Address, fromHex, type Hash, hexToHash, toHash } from '../../src/lib/hex.ts'
import { createLogger } from '../../src/lib/log.ts'
import { type ChainSettings, openChain } from '../../src/node.ts'
import * as abci from '../../src/protobuf/generated/tendermint/abci/types_pb.ts'
import { consensusAddress } from '../../src/spec/addresses.ts'
import type { GenesisSpec, NetworkSpec } from '../../src/spec/chain-spec.ts'
import { formatGenesis, parseGenesis } from '../../src/spec/genesis-file.ts'
import { presets } from '../../src/spec/presets.ts'

/** No round of this engine times out, however long a test takes. */
const TIMES: RoundTimes = { proposeTimeout: 3000, commitTimeout: 3_600_000 }

/** The consensus key of a validator of the test; it signs nothing. */
export const testKey = (index: number): Hash =>
  hexToHash(`0x${createHash('sha256').update(`validator ${index}`).digest('hex')}`)

type Genesis = ReturnType<typeof formatGenesis> & {
  alloc?: unknown
  kestrel: { validators: { consensusKey?: string }[] } & Record<string, unknown>
}

/** The preset's chain with its three validators as a network; `change` edits the genesis file. */
export function networkSpec(change: (genesis: Genesis) => void = () => undefined): GenesisSpec {
  const genesis = formatGenesis(presets.kestrel()) as Genesis
  genesis.kestrel.validators.forEach((validator, index) => {
    validator.consensusKey = testKey(index)
  })
  genesis.kestrel.consensus = { engine: 'cometbft' } satisfies Partial<NetworkSpec>
  change(genesis)
  return parseGenesis(genesis)
}

/** The same network with IBC. */
export const ibcSpec = (): GenesisSpec =>
  networkSpec(({ kestrel }) => {
    kestrel.modules = { ...Object(kestrel.modules), ibc: {} }
  })

const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest()

/**
 * The app hash of two stores, by CometBFT's rules: a leaf is SHA-256 of 0, name and SHA-256 of the root, each with its length before it;
 * the root is SHA-256 of 1 and both leaves (RFC 6962).
 */
export function appHashOfStores({ evm, ibc }: { readonly evm: Hash; readonly ibc: Hash }): Uint8Array {
  const leaf = (name: string, root: Hash) => {
    const value = sha256(fromHex(root))
    return sha256(Uint8Array.of(0, name.length), Buffer.from(name), Uint8Array.of(value.length), value)
  }
  return new Uint8Array(sha256(Uint8Array.of(1), leaf('evm', evm), leaf('ibc', ibc)))
}

/** The app hash after the newest block: its hash, or with IBC the root of two stores. */
export function appHashOfHead(chain: Pick<BlockChain, 'head' | 'stateQueries'>): Uint8Array {
  const { head } = chain
  const { ibc } = chain.stateQueries.appHashLeaves(head.number) ?? {}
  return ibc === undefined ? fromHex(head.hash) : appHashOfStores({ evm: head.hash, ibc })
}

export type Decision = {
  /** Index of the proposing validator in the set of the height; by default height modulo size. */
  readonly proposer?: number
  /** Consensus addresses without a vote in the commit of the previous block. */
  readonly absent?: readonly Address[]
  readonly evidence?: readonly {
    readonly address: Address
    readonly height: bigint
    readonly power: bigint
    /** By default two votes in one round. */
    readonly type?: abci.MisbehaviorType
  }[]
  /** Unix seconds; by default one more than the previous block. */
  readonly time?: bigint
  /** Nanoseconds of that second. */
  readonly nanos?: number
  /** Transactions of the block, instead of asking the proposer. */
  readonly txs?: readonly Uint8Array[]
}

type Party = { readonly address: Address; readonly key: Hash; readonly power: bigint }

export class FakeEngine {
  readonly nodes: { readonly chain: BlockChain; readonly application: NetworkApplication; readonly log: string[] }[] =
    []
  /** Validators of the next height, and of the one after it. */
  #sets: Party[][] = []
  #lastVoters: Party[] = []
  #time: bigint
  readonly #spec: GenesisSpec

  constructor(spec: GenesisSpec) {
    this.#spec = spec
    this.#time = spec.genesis.timestamp
  }

  get validators(): readonly Party[] {
    return this.#sets[0] ?? []
  }

  get head(): bigint {
    return this.nodes[0]?.chain.head.number ?? 0n
  }

  async addNode(settings: Partial<ChainSettings> = {}, times: Partial<RoundTimes> = {}): Promise<BlockChain> {
    const chain = await openFresh(this.#spec, settings)
    const log: string[] = []
    const application = new NetworkApplication({
      chain,
      version: 'test',
      ...TIMES,
      ...times,
      retainBlocks: undefined,
      measurements: newMeasurements(),
      log: (line) => log.push(line),
      fail: (line) => log.push(`failed: ${line}`),
    })
    this.nodes.push({ chain, application, log })
    return chain
  }

  /** Sends InitChain to all nodes. */
  async begin(): Promise<void> {
    const request = create(abci.RequestInitChainSchema, {
      chainId: this.#spec.native?.textChainId ?? '',
      initialHeight: this.#spec.native?.consensus?.initialHeight ?? 1n,
      appStateBytes: Buffer.from(JSON.stringify(formatGenesis(this.#spec))),
    })
    const answers = await Promise.all(this.nodes.map(({ application }) => application.initChain(request)))
    const [first] = answers
    for (const answer of answers) expect(answer).toEqual(first)
    const set = (first?.validators ?? []).map(partyOf)
    this.#sets = [set, set]
  }

  /** Gossip between blocks: sends the new transactions of each application to all others. */
  async gossip(): Promise<void> {
    for (const { application } of this.nodes) {
      const reaped = await application.reapTxs(create(abci.RequestReapTxsSchema, { maxBytes: 1_048_576n }))
      for (const other of this.nodes) {
        if (other.application === application) continue
        for (const tx of reaped.txs ?? []) await other.application.insertTx(create(abci.RequestInsertTxSchema, { tx }))
      }
    }
  }

  /** Decides one height on all nodes. Returns their responses to FinalizeBlock. */
  async decide(decision: Decision = {}) {
    await this.gossip()
    const height = this.head + 1n
    const set = this.validators
    const proposer = set[decision.proposer ?? Number(height % BigInt(set.length))]
    this.#time = decision.time ?? this.#time + 1n
    const time = { seconds: this.#time, nanos: decision.nanos ?? 0 }
    const votes = this.#lastVoters.map(({ address, power }) =>
      create(abci.VoteInfoSchema, {
        validator: { address: fromHex(address), power },
        blockIdFlag: decision.absent?.includes(address) ? 1 : 2,
      }),
    )
    const misbehavior = (decision.evidence ?? []).map(
      ({ address, height: at, power, type = abci.MisbehaviorType.DUPLICATE_VOTE }) =>
        create(abci.MisbehaviorSchema, {
          type,
          validator: { address: fromHex(address), power },
          height: at,
          time,
          totalVotingPower: 3000n,
        }),
    )
    const common = { height, time, proposerAddress: fromHex(proposer?.address ?? '0x'), misbehavior }
    const txs =
      decision.txs ?? (await this.#prepare({ ...common, localLastCommit: { round: 0, votes: votes.map(extended) } }))
    const block = { ...common, txs: [...txs] }
    const proposal = create(abci.RequestProcessProposalSchema, { ...block, proposedLastCommit: { round: 0, votes } })
    for (const { application, log } of this.nodes) {
      expect(await application.processProposal(proposal), log.join('\n')).toEqual({ status: 1 })
    }
    const request = create(abci.RequestFinalizeBlockSchema, { ...block, decidedLastCommit: { round: 0, votes } })
    const answers = await Promise.all(this.nodes.map(({ application }) => application.finalizeBlock(request)))
    const [first] = answers
    for (const answer of answers) expect(answer).toEqual(first)
    for (const { application } of this.nodes) await application.commit(create(abci.RequestCommitSchema))
    this.#lastVoters = [...set]
    this.#advance((first?.validatorUpdates ?? []).map(partyOf))
    return first
  }

  async decideMany(count: number, decision: Decision = {}): Promise<void> {
    for (let i = 0; i < count; i++) await this.decide(decision)
  }

  /** Sends ProcessProposal to all nodes without deciding the block. */
  async judge(txs: readonly Uint8Array[], change: Partial<abci.RequestProcessProposal> = {}) {
    const time = { $typeName: 'google.protobuf.Timestamp' as const, seconds: this.#time + 1n, nanos: 0 }
    const proposerAddress = fromHex(this.validators[0]?.address ?? '0x')
    const request = create(abci.RequestProcessProposalSchema, {
      height: this.head + 1n,
      time,
      proposerAddress,
      txs: [...txs],
    })
    return Promise.all(this.nodes.map(({ application }) => application.processProposal({ ...request, ...change })))
  }

  async #prepare(block: MessageInitShape<typeof abci.RequestPrepareProposalSchema>) {
    const request = create(abci.RequestPrepareProposalSchema, { ...block, maxTxBytes: 4_000_000n })
    const proposer = this.nodes[Number(request.height) % this.nodes.length]
    return (await proposer?.application.prepareProposal(request))?.txs ?? []
  }

  /** Validator updates of height H take effect at height H + 2. */
  #advance(updates: readonly Party[]): void {
    const [, next = []] = this.#sets
    const stay = next.filter(({ key }) => !updates.some((update) => update.key === key))
    this.#sets = [next, [...stay, ...updates.filter(({ power }) => power > 0n)]]
  }
}

const extended = ({ validator, blockIdFlag }: abci.VoteInfo) =>
  create(abci.ExtendedVoteInfoSchema, { ...(validator && { validator }), blockIdFlag })

function partyOf(update: MessageInitShape<typeof abci.ValidatorUpdateSchema>): Party {
  const { pubKey, power } = create(abci.ValidatorUpdateSchema, update)
  const key = toHash(pubKey?.sum.value ?? new Uint8Array(0))
  return { key, address: consensusAddress(key), power }
}

/** A chain in memory, at its genesis. */
export async function openFresh(spec: GenesisSpec, settings: Partial<ChainSettings> = {}): Promise<BlockChain> {
  const chain = await openChain({
    datadir: undefined,
    spec,
    limits: defaultLimits,
    pool: { minTip: 0n, allowUnprotected: true },
    log: createLogger({ level: 'silent', json: false }),
    ...settings,
  })
  onTestFinished(() => chain.close())
  return chain
}

/** A network of `size` nodes at genesis. */
export async function fakeNetwork(size = 3, spec = networkSpec()): Promise<FakeEngine> {
  const engine = new FakeEngine(spec)
  for (let i = 0; i < size; i++) await engine.addNode()
  await engine.begin()
  return engine
}
