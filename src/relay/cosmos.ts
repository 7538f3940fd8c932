// A chain of the Cosmos SDK with ibc-go (IBC version 2) as an end of a relay, by the RPC of its CometBFT. Other people's nodes may answer: each
// answer is read by a schema, what has another form counts as no answer.
import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { z } from 'zod'
import { RemoteError, RemoteFailure } from '../fork/errors.ts'
import { Remote } from '../fork/remote.ts'
import { readClientMessage, readClientState, readConsensusState } from '../ibc/comet/client-state.ts'
import { nanosecondsOf } from '../ibc/comet/light-block.ts'
import { type ConsensusState, type Height, heightText, isExpired } from '../ibc/comet/light-client.ts'
import { decodeBech32 } from '../lib/bech32.ts'
import { ChainError } from '../lib/errors.ts'
import { CommitmentProofSchema } from '../protobuf/generated/cosmos/ics23/v1/proofs_pb.ts'
import { TxBodySchema, TxRawSchema } from '../protobuf/generated/cosmos/tx/v1beta1/tx_pb.ts'
import { AcknowledgementSchema, PacketSchema } from '../protobuf/generated/ibc/core/channel/v2/packet_pb.ts'
import { MsgUpdateClientSchema } from '../protobuf/generated/ibc/core/client/v1/tx_pb.ts'
import { CounterpartyInfoSchema } from '../protobuf/generated/ibc/core/client/v2/tx_pb.ts'
import { MerkleProofSchema } from '../protobuf/generated/ibc/core/commitment/v1/commitment_pb.ts'
import { abciQuery, fieldsOf, longBytes, type QueryAnswer, textOf } from './abci-query.ts'
import { COIN_DECIMALS, type Payer } from './account.ts'
import { inBatches } from './batches.ts'
import { integer, lightBlockSchema } from './comet-json.ts'
import { CosmosAccount } from './cosmos-account.ts'
import { packetOf, signedMessage } from './cosmos-messages.ts'
import {
  type AccountState,
  type ChainEnd,
  type ChainTraits,
  type Client,
  type ClientUpdate,
  type Covered,
  EndUnavailable,
  type LightBlock,
  type Message,
  type Outcome,
  type PacketEvent,
  type ProvenValue,
  type TakenHeader,
} from './end.ts'

/** Milliseconds for an answer, and further attempts at the next URL. */
const PATIENCE = 20_000
const RETRIES = 2
const STORE = 'ibc'
/** Transactions of a page of a search (CometBFT's most), blocks of a search, and clients that are looked through. */
const PAGE = 100
const MOST_BLOCKS = 1_000n
const MOST_CLIENTS = 1_000n

const status = z.object({
  node_info: z.object({ network: z.string() }),
  sync_info: z.object({ latest_block_height: integer }),
})
const commit = z.object({ signed_header: z.unknown() })
const validators = z.object({ validators: z.array(z.unknown()), total: integer })
const event = z.object({
  type: z.string(),
  attributes: z.array(z.object({ key: z.string(), value: z.string().nullish() })),
})
const found = z.object({
  txs: z.array(
    z.object({
      height: integer,
      tx: longBytes,
      tx_result: z.object({ code: z.number(), events: z.array(event).nullish() }),
    }),
  ),
  total_count: integer,
})
type Event = {
  readonly height: bigint
  readonly tx: Uint8Array
  readonly type: string
  readonly attributes: ReadonlyMap<string, string>
}

/** `gasPrice`: base units of the staking coin for a unit of gas. `decimals`: of that coin, at most 18. */
export type CosmosOptions = { readonly gasPrice: number; readonly decimals: number }

export class CosmosEnd implements ChainEnd {
  readonly name: string
  readonly decimals: number
  readonly #remote: Remote
  readonly #payer: Payer | undefined
  readonly #options: CosmosOptions
  #known: { readonly traits: ChainTraits; readonly account: CosmosAccount | undefined } | undefined

  /** `urls`: RPC of nodes of one chain; the first is asked until it fails. `payer`: undefined: the end can only be read. */
  constructor(name: string, urls: readonly URL[], payer: Payer | undefined, options: CosmosOptions) {
    this.name = name
    this.decimals = options.decimals
    this.#remote = new Remote({ urls, timeout: PATIENCE, retries: RETRIES })
    this.#payer = payer
    this.#options = options
  }

  close(): void {
    this.#remote.close()
  }

  async traits(): Promise<ChainTraits> {
    return (await this.#chain()).traits
  }

  async #chain() {
    return this.#asking(async () => {
      if (this.#known !== undefined) return this.#known
      const { node_info } = await this.#read(status, 'status')
      const chainId = node_info.network
      const params = fieldsOf(fieldsOf(await this.#query('/cosmos.staking.v1beta1.Query/Params')).get(1))
      const seconds = fieldsOf(params.get(1)).get(1)
      const denom = textOf(params.get(5))
      const prefix = textOf(fieldsOf(await this.#query('/cosmos.auth.v1beta1.Query/Bech32Prefix')).get(1))
      if (typeof seconds !== 'bigint' || denom === '' || prefix === '')
        throw this.#unavailable('it does not say its parameters')
      const traits: ChainTraits = {
        chainId,
        unbondingPeriod: seconds * 1_000_000_000n,
        trees: ['iavl', 'tendermint'],
        prefix: [Buffer.from(STORE), new Uint8Array(0)],
      }
      const account = this.#payer && this.#accountOf(this.#payer, { prefix, chainId, denom })
      this.#known = { traits, account }
      return this.#known
    })
  }

  #accountOf({ key, perDay }: Payer, { denom, ...chain }: Record<'prefix' | 'chainId' | 'denom', string>) {
    const gas = { price: this.#options.gasPrice, denom }
    const spending = { gas, perDay: perDay / 10n ** BigInt(COIN_DECIMALS - this.decimals) }
    return new CosmosAccount({ name: this.name, remote: this.#remote, key, ...chain, ...spending })
  }

  async #account(): Promise<CosmosAccount> {
    const { account } = await this.#chain()
    if (account === undefined) throw new Error('this end has no account')
    return account
  }

  head(): Promise<{ readonly height: bigint; readonly time: bigint }> {
    return this.#asking(async () => {
      const height = (await this.#read(status, 'status')).sync_info.latest_block_height
      const { header } = await this.lightBlock(height)
      return { height, time: nanosecondsOf(header.time) }
    })
  }

  lightBlock(height: bigint): Promise<LightBlock> {
    return this.#asking(async () => {
      const at = String(height)
      const { signed_header } = await this.#read(commit, 'commit', at)
      const listed: unknown[] = []
      for (let page = 1; ; page++) {
        const { validators: some, total } = await this.#read(validators, 'validators', at, String(page), String(PAGE))
        listed.push(...some)
        if (some.length === 0 || BigInt(listed.length) >= total) break
      }
      const block = lightBlockSchema.safeParse({ signed_header, validators: listed })
      if (!block.success || block.data.header.height !== height)
        throw this.#unavailable(`there is no signed header of height ${height}`)
      return block.data
    })
  }

  client(clientId: string): Promise<Client | undefined> {
    return this.#asking(async () => {
      const [state, creator, counterparty, { time: now }] = await Promise.all([
        this.#stored(`clients/${clientId}/clientState`),
        this.#stored(`clients/${clientId}/creator`),
        this.#stored(`clients/${clientId}/counterparty`),
        this.head(),
      ])
      const read = state && readClientState(this.#decoded(AnySchema, state).value)
      if (read === undefined) return undefined
      const newest = await this.consensusState(clientId, read.latest)
      const isOld = newest === undefined || isExpired(read, newest.time, now)
      return {
        clientId,
        state: read,
        status: read.isFrozen ? 'Frozen' : isOld ? 'Expired' : 'Active',
        counterparty: counterparty === undefined ? '' : this.#decoded(CounterpartyInfoSchema, counterparty).clientId,
        creator: creator === undefined ? '' : Buffer.from(creator).toString('hex'),
      }
    })
  }

  /** A registered client has no creator any more, so those are shown too: the other chain's client must name them. */
  ownClients(): Promise<readonly Client[]> {
    return this.#asking(async () => {
      const own = Buffer.from(decodeBech32((await this.#account()).address).bytes).toString('hex')
      const next = await this.#stored('nextClientSequence')
      const count = next === undefined ? 0n : Buffer.from(next).readBigUInt64BE()
      const first = count > MOST_CLIENTS ? count - MOST_CLIENTS : 0n
      const clients: Client[] = []
      for (let index = first; index < count; index++) {
        const client = await this.client(`07-tendermint-${index}`)
        if (client !== undefined && (client.creator === own || client.creator === '')) clients.push(client)
      }
      return clients
    })
  }

  consensusState(clientId: string, height: Height): Promise<ConsensusState | undefined> {
    return this.#asking(async () => {
      const key = `clients/${clientId}/consensusStates/${heightText(height)}`
      const stored = await this.#stored(key)
      return stored && readConsensusState(this.#decoded(AnySchema, stored).value)
    })
  }

  async events(clientId: string, from: bigint, to: bigint): Promise<Covered<PacketEvent>> {
    const { events, to: last } = await this.#events(PACKET_EVENTS, 'packet_source_client', clientId, from, to)
    return { events: events.flatMap((of) => this.#packetEvent(of) ?? []), to: last }
  }

  #packetEvent({ height: block, type, attributes }: Event): PacketEvent | undefined {
    const sequence = BigInt(attributes.get('packet_sequence') ?? 0)
    if (type !== 'send_packet') return { type: 'ended', block, sequence }
    const bytes = Buffer.from(attributes.get('encoded_packet_hex') ?? '', 'hex')
    return { type: 'sent', block, sequence, packet: packetOf(this.#decoded(PacketSchema, bytes)) }
  }

  async updates(clientId: string, from: bigint, to: bigint): Promise<Covered<ClientUpdate>> {
    const { events, to: last } = await this.#events(['update_client'], 'client_id', clientId, from, to)
    const updates = events.map(({ height: block, tx, attributes }) => {
      const height = attributes.get('consensus_heights')
      return { block, taken: this.#takenIn(tx, clientId).find((of) => heightText(of.height) === height) }
    })
    return { events: updates, to: last }
  }

  /** The headers in the updates of a client that a transaction has as messages of its own, not within others. */
  #takenIn(tx: Uint8Array, clientId: string): readonly TakenHeader[] {
    const { messages } = this.#decoded(TxBodySchema, this.#decoded(TxRawSchema, tx).bodyBytes)
    return messages
      .filter(({ typeUrl }) => typeUrl === `/${MsgUpdateClientSchema.typeName}`)
      .map(({ value }) => this.#decoded(MsgUpdateClientSchema, value))
      .flatMap(({ clientId: id, clientMessage }) =>
        id === clientId && clientMessage ? (takenBy(toBinary(AnySchema, clientMessage)) ?? []) : [],
      )
  }

  acknowledgements(clientId: string, sequence: bigint): Promise<readonly Uint8Array[] | undefined> {
    return this.#asking(async () => {
      const name = 'write_acknowledgement'
      const search = `${name}.packet_dest_client='${clientId}' AND ${name}.packet_sequence='${sequence}'`
      const written = (await this.#search(search)).find(
        ({ type, attributes }) =>
          type === name &&
          attributes.get('packet_dest_client') === clientId &&
          attributes.get('packet_sequence') === String(sequence),
      )
      const hex = written?.attributes.get('encoded_acknowledgement_hex')
      return hex === undefined
        ? undefined
        : this.#decoded(AcknowledgementSchema, Buffer.from(hex, 'hex')).appAcknowledgements
    })
  }

  stored(key: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#asking(() => this.#stored(key))
  }

  prove(key: Uint8Array, height: bigint): Promise<ProvenValue> {
    return this.#asking(async () => {
      // The state after a block is in the header of the next one.
      const { value, proofOps } = await this.#abciQuery(`/store/${STORE}/key`, key, {
        height: height - 1n,
        prove: true,
      })
      if (!proofOps) throw this.#unavailable('there is no proof')
      const proofs = proofOps.ops.map(({ data }) => this.#decoded(CommitmentProofSchema, data))
      return {
        value: value && value.length > 0 ? value : undefined,
        proof: toBinary(MerkleProofSchema, create(MerkleProofSchema, { proofs })),
      }
    })
  }

  submit(messages: readonly Message[]): Promise<readonly Outcome[]> {
    return this.#asking(async () => {
      const account = await this.#account()
      return inBatches(messages, (some) => account.transact(some.map((of) => signedMessage(of, account.address))))
    })
  }

  account(): Promise<AccountState> {
    return this.#asking(async () => {
      const account = await this.#account()
      return { address: account.address, balance: await account.balance() }
    })
  }

  // --- questions

  async #read<T>(schema: z.ZodType<T>, method: string, ...params: readonly unknown[]): Promise<T> {
    return this.#remote.ask(schema, method, params)
  }

  /** A query of the application's services. */
  async #query(path: string, request = new Uint8Array(0)): Promise<Uint8Array> {
    return (await this.#abciQuery(path, request)).value ?? new Uint8Array(0)
  }

  async #abciQuery(path: string, data: Uint8Array, at?: Parameters<typeof abciQuery>[3]): Promise<QueryAnswer> {
    const answer = await abciQuery(this.#remote, path, data, at)
    if (answer.code !== 0) throw this.#unavailable(answer.log.slice(0, 200))
    return answer
  }

  /** The value at a key of IBC's store, after the newest block. */
  async #stored(key: string | Uint8Array): Promise<Uint8Array | undefined> {
    const { value } = await this.#abciQuery(`/store/${STORE}/key`, Buffer.from(key))
    return value && value.length > 0 ? value : undefined
  }

  /** Events of some types with an attribute, of as many blocks as a search takes. */
  async #events(types: readonly string[], key: string, value: string, from: bigint, to: bigint) {
    return this.#asking(async () => {
      const last = from + MOST_BLOCKS - 1n < to ? from + MOST_BLOCKS - 1n : to
      const events: Event[] = []
      for (const type of types) {
        const all = await this.#search(`${type}.${key}='${value}' AND tx.height>=${from} AND tx.height<=${last}`)
        events.push(...all.filter((one) => one.type === type && one.attributes.get(key) === value))
      }
      return { events: events.toSorted((a, b) => Number(a.height - b.height)), to: last }
    })
  }

  /** The events of all successful transactions that a search finds. */
  async #search(search: string): Promise<readonly Event[]> {
    const events: Event[] = []
    for (let page = 1, seen = 0; ; page++) {
      const { txs, total_count } = await this.#read(
        found,
        'tx_search',
        search,
        false,
        String(page),
        String(PAGE),
        'asc',
      )
      for (const { height, tx, tx_result } of txs)
        if (tx_result.code === 0)
          for (const { type, attributes } of tx_result.events ?? [])
            events.push({
              height,
              tx,
              type,
              attributes: new Map(attributes.map(({ key, value }) => [key, value ?? ''])),
            })
      seen += txs.length
      if (txs.length === 0 || BigInt(seen) >= total_count) return events
    }
  }

  #decoded<D extends DescMessage>(schema: D, bytes: Uint8Array): MessageShape<D> {
    try {
      return fromBinary(schema, bytes)
    } catch {
      throw this.#unavailable(`an answer is no ${schema.name}`)
    }
  }

  /** Turns every failure to get an answer into EndUnavailable. */
  async #asking<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question()
    } catch (error) {
      if (error instanceof RemoteError || error instanceof RemoteFailure) throw this.#unavailable(error.message)
      throw error
    }
  }

  #unavailable(reason: string): EndUnavailable {
    return new EndUnavailable(this.name, reason)
  }
}

/** Events of what becomes of a packet that a client sends. */
const PACKET_EVENTS = ['send_packet', 'acknowledge_packet', 'timeout_packet']

/** The header of an update; undefined if it is something else, such as a proof of a fork. */
function takenBy(update: Uint8Array): TakenHeader | undefined {
  try {
    const message = readClientMessage(update)
    if (message.type !== 'header') return undefined
    const { revisionNumber = 0n, revisionHeight = 0n } = message.header.trustedHeight ?? {}
    const { height = 0n } = message.header.signedHeader?.header ?? {}
    return {
      trustedHeight: { revisionNumber, revisionHeight },
      height: { revisionNumber, revisionHeight: height },
    }
  } catch (error) {
    if (error instanceof ChainError) return undefined
    throw error
  }
}
