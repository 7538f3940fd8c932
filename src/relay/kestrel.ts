// A network of this program as an end of a relay, by JSON-RPC. Other people's nodes may answer: each answer is read by a schema, what has
// another form counts as no answer, and a malformed event is passed over.
import {
  BaseError,
  createPublicClient,
  custom,
  decodeEventLog,
  encodeFunctionData,
  getContract,
  keccak256,
  type PublicClient,
  stringToBytes,
  toEventSelector,
} from 'viem'
import { z } from 'zod'
import { RemoteError, RemoteFailure } from '../fork/errors.ts'
import { Remote } from '../fork/remote.ts'
import { bytes, hash, quantity } from '../fork/wire.ts'
import { readClientState, readConsensusState } from '../ibc/comet/client-state.ts'
import { nanosecondsOf } from '../ibc/comet/light-block.ts'
import type { Height } from '../ibc/comet/light-client.ts'
import { IBC_STORE } from '../ibc/ics23/prove.ts'
import { fromHex, type Hex, toHex, toQuantity } from '../lib/hex.ts'
import type { Packet } from '../modules/ibc/packets.ts'
import { ibcAbi } from '../precompiles/generated/abi.ts'
import { shownPacket } from '../precompiles/ibc.ts'
import { entriesOf } from '../precompiles/named-abi.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import { Account, COIN_DECIMALS, type Payer } from './account.ts'
import { lightBlockSchema } from './comet-json.ts'
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
} from './end.ts'

const abi = entriesOf(ibcAbi)
const IBC = NATIVE_CONTRACT.ibc
const BILLION = 1_000_000_000n

/** Milliseconds for an answer, and further attempts at the next URL. */
const PATIENCE = 20_000
const RETRIES = 2
/** Most blocks of one search for events, and logs of an answer beyond which the next search has fewer blocks. */
const MOST_BLOCKS = 10_000n
const MANY_LOGS = 1_000
/** Clients of a page, and pages that are looked through, newest first. */
const PAGE = 100n
const MOST_PAGES = 10

const commit = z.object({ proof: lightBlockSchema.nullable() })
const staking = z.object({ unbondingTime: quantity })
const proven = z.object({ height: quantity, value: bytes.nullable(), proof: bytes })
const block = z.object({ number: quantity })
const topics = z.tuple([hash], hash)
const log = z.object({ blockNumber: quantity, topics, data: z.string() })
type Log = z.output<typeof log>

/** The topic of an event, by its name. */
const topicOf = (name: keyof typeof ibcAbi.events): Hex => toEventSelector(ibcAbi.events[name])

const contractOf = (client: PublicClient) => getContract({ address: IBC, abi, client })

export class KestrelEnd implements ChainEnd {
  readonly name: string
  readonly decimals = COIN_DECIMALS
  readonly #remote: Remote
  readonly #payer: Account | undefined
  readonly #contract: ReturnType<typeof contractOf>
  /** Blocks of the next search. */
  #span = MOST_BLOCKS
  #traits: ChainTraits | undefined

  /** `urls`: of nodes of one network; the first is asked until it fails. `payer`: undefined: the end can only be read. */
  constructor(name: string, urls: readonly URL[], payer?: Payer) {
    this.name = name
    this.#remote = new Remote({ urls, timeout: PATIENCE, retries: RETRIES })
    this.#payer = payer && new Account(name, this.#remote, payer)
    const request = ({ method, params }: { method: string; params?: readonly unknown[] }) =>
      this.#remote.request(method, params ?? [])
    const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }), cacheTime: 0 })
    this.#contract = contractOf(client)
  }

  close(): void {
    this.#remote.close()
  }

  get #account(): Account {
    if (this.#payer === undefined) throw new Error('this end has no account')
    return this.#payer
  }

  traits(): Promise<ChainTraits> {
    return this.#asking(async () => {
      if (this.#traits !== undefined) return this.#traits
      const [{ height }, params] = await Promise.all([this.head(), this.#read(staking, 'kestrel_getStakingParams')])
      const { header } = await this.lightBlock(height)
      this.#traits = {
        chainId: header.chainId,
        unbondingPeriod: params.unbondingTime * BILLION,
        trees: ['smt', 'tendermint'],
        prefix: [Buffer.from(IBC_STORE), new Uint8Array(0)],
      }
      return this.#traits
    })
  }

  head(): Promise<{ readonly height: bigint; readonly time: bigint }> {
    return this.#asking(async () => {
      const height = await this.#read(quantity, 'eth_blockNumber')
      const { header } = await this.lightBlock(height)
      return { height, time: nanosecondsOf(header.time) }
    })
  }

  lightBlock(height: bigint): Promise<LightBlock> {
    return this.#asking(async () => {
      if (height < 1n) throw this.#unavailable('there is no header below height 1')
      // The header of a height proves the block before it.
      const { proof } = await this.#read(commit, 'kestrel_getCommit', toQuantity(height - 1n))
      if (proof?.header.height !== height) throw this.#unavailable(`there is no signed header of height ${height}`)
      return proof
    })
  }

  client(clientId: string): Promise<Client | undefined> {
    return this.#unlessMissing(async () => {
      const [{ status, counterpartyClientId: counterparty, creator }, state] = await Promise.all([
        this.#contract.read.getClient([clientId]),
        this.#contract.read.getClientState([clientId]),
      ])
      if (status !== 'Active' && status !== 'Expired' && status !== 'Frozen')
        throw this.#unavailable('a client has an unknown status')
      return { clientId, state: readClientState(fromHex(state)), status, counterparty, creator }
    })
  }

  ownClients(): Promise<readonly Client[]> {
    return this.#asking(async () => {
      const own: string[] = []
      let key: Hex = '0x'
      for (let pages = 0; pages === 0 || (key !== '0x' && pages < MOST_PAGES); pages++) {
        const request = { key, offset: 0n, limit: PAGE, countTotal: false, reverse: true }
        const [clients, { nextKey }] = await this.#contract.read.getClients([request])
        own.push(
          ...clients
            .filter(({ creator }) => creator.toLowerCase() === this.#account.address.toLowerCase())
            .map(({ clientId }) => clientId),
        )
        key = nextKey
      }
      const found = await Promise.all(own.toReversed().map((clientId) => this.client(clientId)))
      return found.filter((client) => client !== undefined)
    })
  }

  consensusState(clientId: string, height: Height) {
    return this.#unlessMissing(async () =>
      readConsensusState(fromHex(await this.#contract.read.getConsensusState([clientId, height]))),
    )
  }

  async events(clientId: string, from: bigint, to: bigint): Promise<Covered<PacketEvent>> {
    const names = [topicOf('SendPacket'), topicOf('AcknowledgePacket'), topicOf('TimeoutPacket')]
    const { logs, to: covered } = await this.#logs([names, keccak256(stringToBytes(clientId))], from, to)
    return { events: logs.flatMap((of) => packetEvent(of) ?? []), to: covered }
  }

  async updates(clientId: string, from: bigint, to: bigint): Promise<Covered<ClientUpdate>> {
    const { logs, to: covered } = await this.#logs([topicOf('UpdateClient')], from, to)
    const events = logs.flatMap(({ blockNumber: block, ...of }) => {
      const event = decoded(of)
      if (event?.eventName !== 'UpdateClient' || event.args.clientId !== clientId) return []
      // Two headers that prove a fork have no height.
      return event.args.height.revisionHeight === 0n ? [] : [{ block, taken: event.args }]
    })
    return { events, to: covered }
  }

  acknowledgements(clientId: string, sequence: bigint): Promise<readonly Uint8Array[] | undefined> {
    return this.#asking(async () => {
      const filter = {
        address: IBC,
        fromBlock: 'earliest',
        toBlock: 'latest',
        topics: [
          topicOf('WriteAcknowledgement'),
          keccak256(stringToBytes(clientId)),
          toHex(Buffer.from(sequence.toString(16).padStart(64, '0'), 'hex')),
        ],
      }
      const [found] = await this.#read(z.array(log).max(MANY_LOGS), 'eth_getLogs', filter)
      const event = found && decoded(found)
      if (event?.eventName !== 'WriteAcknowledgement') return undefined
      return event.args.acknowledgements.map(fromHex)
    })
  }

  stored(key: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#asking(async () => {
      const { value } = await this.#read(proven, 'kestrel_getIbcProof', toHex(key), 'latest')
      return value ?? undefined
    })
  }

  prove(key: Uint8Array, height: bigint): Promise<ProvenValue> {
    return this.#asking(async () => {
      const answer = await this.#read(proven, 'kestrel_getIbcProof', toHex(key), toQuantity(height - 1n))
      if (answer.height !== height) throw this.#unavailable('a proof is of another height')
      return { value: answer.value ?? undefined, proof: answer.proof }
    })
  }

  submit(messages: readonly Message[]): Promise<readonly Outcome[]> {
    return this.#asking(async () => {
      const outcomes: Outcome[] = []
      for (let first = 0; first < messages.length; ) {
        const rest = messages.slice(first)
        // Others need what an update has changed, also when their gas is estimated.
        const packets = rest.findIndex((message) => !isOfPacket(message))
        const group = rest.slice(0, packets === 0 ? 1 : packets < 0 ? rest.length : packets)
        const done = await this.#account.send(group.map((message) => ({ to: IBC, data: callData(message) })))
        outcomes.push(...done)
        first += group.length
        const [only] = done
        if (group[0]?.type !== 'updateClient' || only?.status !== 'refused') continue
        return [...outcomes, ...messages.slice(first).map(() => ({ ...only, cost: 0n }))]
      }
      return outcomes
    })
  }

  account(): Promise<AccountState> {
    return this.#asking(() => this.#account.state())
  }

  // --- questions

  async #read<T>(schema: z.ZodType<T>, method: string, ...params: readonly unknown[]): Promise<T> {
    return this.#remote.ask(schema, method, params)
  }

  /** Logs of a range of blocks, of as many as the node can search at once. */
  async #logs(
    topics: readonly unknown[],
    from: bigint,
    to: bigint,
  ): Promise<{ readonly logs: readonly Log[]; readonly to: bigint }> {
    return this.#asking(async () => {
      const oldest = from > 0n ? from : (await this.#read(block, 'eth_getBlockByNumber', 'earliest', false)).number
      const first = oldest < to ? oldest : to
      const last = first + this.#span - 1n < to ? first + this.#span - 1n : to
      const range = { fromBlock: toQuantity(first), toBlock: toQuantity(last) }
      try {
        const logs = await this.#read(z.array(log), 'eth_getLogs', { address: IBC, ...range, topics })
        const isMuch = logs.length > MANY_LOGS
        this.#span = isMuch ? half(this.#span) : this.#span * 2n < MOST_BLOCKS ? this.#span * 2n : MOST_BLOCKS
        return { logs, to: last }
      } catch (error) {
        // It may have been too much for one answer.
        this.#span = half(this.#span)
        throw error
      }
    })
  }

  /** Turns every failure to get an answer into EndUnavailable. */
  async #asking<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question()
    } catch (given) {
      const error = ofRemote(given)
      if (error instanceof RemoteError || error instanceof RemoteFailure) throw this.#unavailable(error.message)
      if (error instanceof BaseError) throw this.#unavailable('an answer has another form')
      throw error
    }
  }

  /** As `#asking`; undefined if the contract says that there is no such thing. */
  #unlessMissing<T>(question: () => Promise<T>): Promise<T | undefined> {
    return this.#asking(async () => {
      try {
        return await question()
      } catch (given) {
        const error = ofRemote(given)
        if (error instanceof RemoteError && /not found|has no consensus state/.test(error.message)) return undefined
        throw error
      }
    })
  }

  #unavailable(reason: string): EndUnavailable {
    return new EndUnavailable(this.name, reason)
  }
}

/** The remote's error within one of the library's. */
const ofRemote = (error: unknown): unknown =>
  error instanceof BaseError
    ? (error.walk((cause) => cause instanceof RemoteError || cause instanceof RemoteFailure) ?? error)
    : error

const half = (span: bigint): bigint => (span > 1n ? span / 2n : 1n)

/** Whether the message proves something of a packet. Others are sent alone. */
const isOfPacket = ({ type }: Message): boolean => type === 'receive' || type === 'acknowledge' || type === 'timeout'

/** A message as a call of the contract. */
function callData(message: Message): Hex {
  if (message.type === 'createClient')
    return encodeFunctionData({
      abi,
      functionName: 'createClient',
      args: [toHex(message.clientState), toHex(message.consensusState)],
    })
  if (message.type === 'registerCounterparty')
    return encodeFunctionData({
      abi,
      functionName: 'registerCounterparty',
      args: [message.clientId, message.prefix.map(toHex), message.counterparty],
    })
  if (message.type === 'updateClient')
    return encodeFunctionData({
      abi,
      functionName: 'updateClient',
      args: [message.clientId, toHex(message.update)],
    })
  const [packet, proof, { height }] = [shownPacket(message.packet), toHex(message.proof), message]
  if (message.type === 'acknowledge')
    return encodeFunctionData({
      abi,
      functionName: 'acknowledgePacket',
      args: [packet, message.acknowledgements.map(toHex), proof, height],
    })
  const functionName = message.type === 'receive' ? 'recvPacket' : 'timeoutPacket'
  return encodeFunctionData({ abi, functionName, args: [packet, proof, height] })
}

/** An event of the contract; undefined for a log of another form. */
function decoded({ topics, data }: Pick<Log, 'topics' | 'data'>) {
  try {
    const [first, ...others] = topics
    return decodeEventLog({ abi, topics: [first, ...others], data: data as Hex, strict: true })
  } catch {
    // A node may write anything; the words of the library say nothing of use.
    return undefined
  }
}

/** The packet of an event in the module's form. */
const packetOf = (shown: ReturnType<typeof shownPacket>): Packet => ({
  ...shown,
  payloads: shown.payloads.map((payload) => ({ ...payload, value: fromHex(payload.value) })),
})

function packetEvent(of: Log): PacketEvent | undefined {
  const event = decoded(of)
  const block = of.blockNumber
  if (event?.eventName === 'SendPacket')
    return { type: 'sent', block, sequence: event.args.sequence, packet: packetOf(event.args.packet) }
  if (event?.eventName !== 'AcknowledgePacket' && event?.eventName !== 'TimeoutPacket') return undefined
  return { type: 'ended', block, sequence: event.args.sequence }
}
