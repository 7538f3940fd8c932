// Another chain of IBC that exists only as headers, signatures and proofs, as a running chain's clients accept them: its packets,
// acknowledgements and timeouts in one line each. It may be hostile: it proves whatever it is asked to.
import { create, toBinary } from '@bufbuild/protobuf'
import { AnySchema, durationFromMs, timestampFromMs } from '@bufbuild/protobuf/wkt'
import { encodeFunctionData, type Hex, numberToHex, parseAbi, parseEventLogs, toHex } from 'viem'
import { absenceProof, appHashOf, presenceProof, storeProof } from '../../src/ibc/ics23/prove.ts'
import { proofSpec, TREES } from '../../src/ibc/ics23/specs.ts'
import { toBech32 } from '../../src/lib/bech32.ts'
import { fromHex, hexToAddress, toHash } from '../../src/lib/hex.ts'
import { sha256 } from '../../src/lib/sha256.ts'
import {
  acknowledgementCommitment,
  ERROR_ACKNOWLEDGEMENT,
  PACKET_KEY,
  packetCommitment,
} from '../../src/modules/ibc/packets.ts'
import { MerkleProofSchema } from '../../src/protobuf/generated/ibc/core/commitment/v1/commitment_pb.ts'
import {
  ClientStateSchema,
  ConsensusStateSchema,
  HeaderSchema,
} from '../../src/protobuf/generated/ibc/lightclients/tendermint/v1/tendermint_pb.ts'
import { presets } from '../../src/spec/presets.ts'
import { account, testChain } from './chain.ts'
import { CometChain, hashOf, Signer } from './comet-chain.ts'

export const IBC = '0x0000000000000000000000000000000000000807'
const ICS20 = '0x0000000000000000000000000000000000000802'

export const ibcAbi = parseAbi([
  'struct Height { uint64 revisionNumber; uint64 revisionHeight; }',
  'struct Payload { string sourcePort; string destPort; string version; string encoding; bytes value; }',
  'struct Packet { uint64 sequence; string sourceClient; string destClient; uint64 timeoutTimestamp; Payload[] payloads; }',
  'function createClient(bytes clientState, bytes consensusState) returns (string clientId)',
  'function registerCounterparty(string clientId, bytes[] counterpartyPrefix, string counterpartyClientId) returns (bool success)',
  'function updateClient(string clientId, bytes updateMsg) returns (uint8 result)',
  'function recvPacket(Packet packet, bytes proof, Height proofHeight) returns (bool received)',
  'function acknowledgePacket(Packet packet, bytes[] acknowledgements, bytes proof, Height proofHeight) returns (bool ended)',
  'function timeoutPacket(Packet packet, bytes proof, Height proofHeight) returns (bool ended)',
  'event CreateClient(string clientId, address indexed creator, string chainId)',
  'event SendPacket(string indexed clientId, uint256 indexed sequence, Packet packet)',
  'event WriteAcknowledgement(string indexed clientId, uint256 indexed sequence, Packet packet, bytes[] acknowledgements)',
])
const ics20Abi = parseAbi([
  'struct Height { uint64 revisionNumber; uint64 revisionHeight; }',
  'function transfer(string sourcePort, string sourceChannel, string denom, uint256 amount, address sender, string receiver, Height timeoutHeight, uint64 timeoutTimestamp, string memo) returns (uint64 nextSequence)',
])

/** Acknowledgement of ICS-20 for a transfer that has arrived. */
export const SUCCESS = toHex('{"result":"AQ=="}')
export const REFUSED = toHex(ERROR_ACKNOWLEDGEMENT)

export type Packet = {
  readonly sequence: bigint
  readonly sourceClient: string
  readonly destClient: string
  readonly timeoutTimestamp: bigint
  readonly payloads: readonly {
    readonly sourcePort: string
    readonly destPort: string
    readonly version: string
    readonly encoding: string
    readonly value: Hex
  }[]
}

const provable = (packet: Packet) => ({
  ...packet,
  payloads: packet.payloads.map((payload) => ({ ...payload, value: fromHex(payload.value) })),
})

/** The preset with IBC; `modules`: genesis sections of other modules. */
export function ibcPreset(modules: Record<string, unknown> = {}) {
  const preset = presets.kestrel()
  if (preset.native === undefined) throw new Error('the preset has no native modules')
  return { ...preset, native: { ...preset.native, modules: { ...preset.native.modules, ...modules, ibc: {} } } }
}

type Chain = Pick<Awaited<ReturnType<typeof testChain>>, 'viem' | 'walletOf' | 'rpc' | 'mine'>
/** What every provable store has. */
const FIRST_ENTRY = { key: Buffer.from('ibc/version'), value: Uint8Array.of(2) }
/** What a peer's chain has at one key; undefined: nothing. */
type Entry = { readonly key: Uint8Array; readonly value: Uint8Array | undefined }
type Options = {
  readonly chainId?: string
  /** Its client of this chain. */
  readonly clientId?: string
  /** Seconds after which a client expires. */
  readonly trustingPeriod?: number
}

/** A running chain with IBC and no peers. */
export const ibcChain = () => testChain({ spec: ibcPreset() })

/** Makes a client of a new peer on the chain, and registers its counterparty. */
export async function ibcPeer(chain: Chain, options: Options = {}) {
  const { chainId = 'peer-7', clientId: theirs = '07-tendermint-4', trustingPeriod = 1_209_600 } = options
  const comet = new CometChain(chainId)
  const revision = BigInt(/-(\d+)$/.exec(chainId)?.[1] ?? 0)
  const validators = [4n, 3n, 2n].map((power, number) => new Signer(number, power))
  const { viem, walletOf } = chain

  async function send(data: Hex, { from = 0, to = IBC as Hex } = {}) {
    const hash = await walletOf(from).sendTransaction({ to, data, gas: 5_000_000n })
    const receipt = await viem.waitForTransactionReceipt({ hash })
    if (receipt.status !== 'success') {
      await viem.call({ account: account(from).address, to, data, blockNumber: receipt.blockNumber })
      throw new Error(`transaction ${hash} failed`)
    }
    return receipt
  }
  /** Unix milliseconds: the time of the chain, so that headers are not from the future. */
  const now = async () => Number((await viem.getBlock()).timestamp) * 1000
  // The first block of a chain is older than its program.
  await chain.mine()
  const begin = await now()
  const first = { height: 1, time: begin, appHash: sha256('first'), validators, nextValidators: validators }
  const clientState = create(ClientStateSchema, {
    chainId,
    trustLevel: { numerator: 1n, denominator: 3n },
    trustingPeriod: durationFromMs(trustingPeriod * 1000),
    unbondingPeriod: durationFromMs(trustingPeriod * 1500),
    maxClockDrift: durationFromMs(10_000),
    frozenHeight: {},
    latestHeight: { revisionNumber: revision, revisionHeight: 1n },
    proofSpecs: [proofSpec(TREES.smt), proofSpec(TREES.tendermint)],
    upgradePath: [],
  })
  const consensusState = create(ConsensusStateSchema, {
    timestamp: timestampFromMs(begin),
    root: { hash: first.appHash },
    nextValidatorsHash: hashOf(validators),
  })
  const created = await send(
    encodeFunctionData({
      abi: ibcAbi,
      functionName: 'createClient',
      args: [toHex(toBinary(ClientStateSchema, clientState)), toHex(toBinary(ConsensusStateSchema, consensusState))],
    }),
  )
  const [event] = parseEventLogs({ abi: ibcAbi, eventName: 'CreateClient', logs: created.logs })
  const clientId = event?.args.clientId ?? ''
  const registered = await send(
    encodeFunctionData({
      abi: ibcAbi,
      functionName: 'registerCounterparty',
      args: [clientId, [toHex('ibc'), '0x'], theirs],
    }),
  )

  let trusted = first
  /** Updates the client with the next header, whose app hash commits to the entry; returns a proof of it, or of its absence. */
  async function prove({ key, value }: Entry) {
    const leaf = { ...(value === undefined ? FIRST_ENTRY : { key, value }), steps: [] }
    const root = toHash(sha256(Uint8Array.of(0), sha256(leaf.key), sha256(leaf.value)))
    const evm = toHash(sha256(`block ${trusted.height}`))
    const isBelow = Buffer.compare(sha256(key), sha256(leaf.key)) < 0
    const entry =
      value === undefined
        ? absenceProof(key, isBelow ? undefined : leaf, isBelow ? leaf : undefined)
        : presenceProof(leaf)
    const height = trusted.height + 1
    const time = Math.max(trusted.time + 1, await now())
    const block = {
      height,
      time,
      appHash: fromHex(appHashOf({ evm, ibc: root })),
      validators,
      nextValidators: validators,
    }
    const header = comet.update(block, { height: trusted.height, nextValidators: validators })
    trusted = block
    const updated = await update(header)
    const proofs = [entry, storeProof(evm, root)]
    return {
      updated,
      proof: toHex(toBinary(MerkleProofSchema, create(MerkleProofSchema, { proofs }))),
      height: { revisionNumber: revision, revisionHeight: BigInt(height) },
    }
  }
  /** Updates the client with a header, packed as Go's `Any`. */
  function update(header: ReturnType<CometChain['update']>) {
    const typeUrl = '/ibc.lightclients.tendermint.v1.Header'
    const message = create(AnySchema, { typeUrl, value: toBinary(HeaderSchema, header) })
    const args = [clientId, toHex(toBinary(AnySchema, message))] as const
    return send(encodeFunctionData({ abi: ibcAbi, functionName: 'updateClient', args }))
  }

  let sequence = 0n
  return {
    clientId,
    counterparty: theirs,
    created,
    registered,
    send,
    /** Sends the chain's coins to the peer; by default a coin of the first account, with an hour to arrive. */
    async transfer({
      amount = 10n ** 18n,
      denom = 'akest',
      receiver = 'cosmos1receiver',
      memo = '',
      from = 0,
      seconds = 3600,
    } = {}) {
      const timeout = BigInt((await now()) / 1000 + seconds)
      const height = { revisionNumber: 0n, revisionHeight: 0n }
      const args = ['', clientId, denom, amount, account(from).address, receiver, height, timeout, memo] as const
      const receipt = await send(encodeFunctionData({ abi: ics20Abi, functionName: 'transfer', args }), {
        from,
        to: ICS20,
      })
      const [event] = parseEventLogs({ abi: ibcAbi, eventName: 'SendPacket', logs: receipt.logs })
      if (event === undefined) throw new Error('no packet was sent')
      return { packet: event.args.packet, receipt }
    },
    /** The chain receives a packet of the peer: by default a transfer of the peer's coins; `data` replaces its data. */
    async deliver(
      of: Partial<Packet> & { readonly data?: Hex; readonly transfer?: Readonly<Record<string, string>> } = {},
    ) {
      const { data, transfer, ...fields } = of
      const fill = {
        amount: '5',
        denom: 'uatom',
        receiver: toBech32('kest', hexToAddress(account(1).address.toLowerCase())),
      }
      const value = data ?? toHex(JSON.stringify({ sender: 'cosmos1sender', ...fill, ...transfer }))
      const payload = {
        sourcePort: 'transfer',
        destPort: 'transfer',
        version: 'ics20-1',
        encoding: 'application/json',
        value,
      }
      const packet = {
        sequence: ++sequence,
        sourceClient: theirs,
        destClient: clientId,
        timeoutTimestamp: BigInt((await now()) / 1000 + 3600),
        payloads: [payload],
        ...fields,
      }
      const key = PACKET_KEY.commitment(theirs, packet.sequence)
      const { proof, height } = await prove({ key, value: packetCommitment(provable(packet)) })
      const args = [packet, proof, height] as const
      const receipt = await send(encodeFunctionData({ abi: ibcAbi, functionName: 'recvPacket', args }), { from: 9 })
      return { packet, receipt }
    },
    /** The peer has answered a packet of the chain: SUCCESS or REFUSED. */
    async acknowledge(packet: Packet, answer: Hex = SUCCESS) {
      const key = PACKET_KEY.acknowledgement(theirs, packet.sequence)
      const { proof, height } = await prove({ key, value: acknowledgementCommitment([fromHex(answer)]) })
      const args = [packet, [answer], proof, height] as const
      return send(encodeFunctionData({ abi: ibcAbi, functionName: 'acknowledgePacket', args }), { from: 9 })
    },
    /** Time passes, and the peer has not received a packet of the chain. */
    async timeout(packet: Packet) {
      const left = Math.max(0, Number(packet.timeoutTimestamp) - (await now()) / 1000)
      await chain.rpc('evm_increaseTime', numberToHex(left))
      await chain.mine()
      const { proof, height } = await prove({ key: PACKET_KEY.receipt(theirs, packet.sequence), value: undefined })
      const args = [packet, proof, height] as const
      return send(encodeFunctionData({ abi: ibcAbi, functionName: 'timeoutPacket', args }), { from: 9 })
    },
    /** The next header of the peer. */
    update: async () => (await prove(FIRST_ENTRY)).updated,
    /** Two blocks of the peer at one height, which freezes the client. */
    async fork() {
      await prove(FIRST_ENTRY)
      const other = { ...trusted, appHash: sha256('another') }
      return update(comet.update(other, { height: 1, nextValidators: validators }))
    },
  }
}
