// IBC: clients of other chains, and packets proven by them. Everybody may call every function: what is believed is decided by
// signatures of the other chain's validators and proofs of its state. The prices cover verifying them.
import { readClientState, writeConsensusState } from '../ibc/comet/client-state.ts'
import { ChainError } from '../lib/errors.ts'
import { bigToFixed, fromHex, type Hex, toHex } from '../lib/hex.ts'
import type { Ibc } from '../modules/ibc/ibc.ts'
import { clientIdOf } from '../modules/ibc/layout.ts'
import { PACKET_KEY, type Packet } from '../modules/ibc/packets.ts'
import { reverted } from '../modules/module.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import { hasIbc } from '../spec/block-rules.ts'
import { definePrecompile, implement, type ReadCall } from './define.ts'
import { ibcAbi } from './generated/abi.ts'
import { page } from './paging.ts'

/** Gas of a signature that is verified, of a byte of an update or of a proof, and of a listed client. */
const SIGNATURE_GAS = 12_000n
const UPDATE_BYTE_GAS = 30n
const PROOF_BYTE_GAS = 60n
const CLIENT_GAS = 30_000n
/** Gas of the entries of a packet in the provable store: the nodes that the end of the block writes for them. */
const ENTRY_GAS = 60_000n

const BILLION = 1_000_000_000n
const UPDATE_RESULTS = ['update', 'misbehaviour'] as const

/** The contract exists only on chains with the module. */
function moduleOf({ modules }: ReadCall): Ibc {
  if (modules.ibc === undefined) throw new ChainError('execution-reverted', 'this chain has no IBC')
  return modules.ibc
}

/** A client as the contract shows it; times are Unix seconds. Throws ChainError for an unknown one. */
export function clientInfo(ibc: Ibc, clientId: string) {
  const { clients } = ibc
  const { state, creator, counterparty, prefix } = clients.client(clientId)
  const { chainId, latest, trustingPeriod } = readClientState(state)
  const { time } = clients.consensusState(clientId, latest)
  return {
    clientId,
    chainId,
    status: clients.status(clientId),
    latestHeight: latest,
    latestTime: time / BILLION,
    expiresAt: (time + trustingPeriod) / BILLION,
    creator,
    counterpartyClientId: counterparty,
    counterpartyPrefix: prefix.map(toHex),
  }
}

/** Bytes of a key in the list of clients: its number. */
const KEY_SIZE = 8

type ShownPacket = Omit<Packet, 'payloads'> & {
  readonly payloads: readonly (Omit<Packet['payloads'][number], 'value'> & { readonly value: Hex })[]
}
const packetOf = (shown: ShownPacket): Packet => ({
  ...shown,
  payloads: shown.payloads.map((payload) => ({ ...payload, value: fromHex(payload.value) })),
})
/** The same packet as events show it. */
export const shownPacket = (packet: Packet): ShownPacket => ({
  ...packet,
  payloads: packet.payloads.map((payload) => ({ ...payload, value: toHex(payload.value) })),
})

/** The bytes, after the gas of reading them. */
function charged({ charge }: ReadCall, hex: Hex, gas: bigint): Uint8Array {
  const bytes = fromHex(hex)
  charge(gas * BigInt(bytes.length))
  return bytes
}
const chargedProof = (call: ReadCall, proof: Hex): Uint8Array => charged(call, proof, PROOF_BYTE_GAS)

const stored = (call: ReadCall, key: Uint8Array): Hex => toHex(moduleOf(call).store.get(key) ?? new Uint8Array(0))

export const ibc = definePrecompile({
  name: 'ibc',
  address: NATIVE_CONTRACT.ibc,
  since: 0n,
  isOn: hasIbc,
  abi: ibcAbi,
  functions: implement(ibcAbi, {
    gas: {
      createClient: 110_000n,
      registerCounterparty: 20_000n,
      updateClient: 150_000n,
      verifyMembership: 20_000n,
      verifyNonMembership: 20_000n,
      getClientState: 9_000n,
      getConsensusState: 6_000n,
      getClient: CLIENT_GAS,
      getClients: 6_000n,
      getPacketCommitment: 6_000n,
      getPacketAcknowledgement: 6_000n,
      recvPacket: 80_000n,
      acknowledgePacket: 70_000n,
      timeoutPacket: 60_000n,
    },
    functions: {
      createClient(call, clientState, consensusState) {
        const { clients } = moduleOf(call)
        const clientId = clients.create(call.caller, fromHex(clientState), fromHex(consensusState))
        const { chainId } = readClientState(fromHex(clientState))
        call.emit('CreateClient', { clientId, creator: call.caller, chainId })
        return [clientId]
      },
      registerCounterparty(call, clientId, counterpartyPrefix, counterpartyClientId) {
        moduleOf(call).clients.registerCounterparty(
          call.caller,
          clientId,
          counterpartyPrefix.map(fromHex),
          counterpartyClientId,
        )
        call.emit('RegisterCounterparty', { clientId, counterpartyClientId })
        return [true]
      },
      updateClient(call, clientId, updateMsg) {
        const { clients } = moduleOf(call)
        const bytes = charged(call, updateMsg, UPDATE_BYTE_GAS)
        const update = clients.update(clientId, bytes, () => call.charge(SIGNATURE_GAS))
        const result = BigInt(UPDATE_RESULTS.indexOf(update.result))
        call.emit('UpdateClient', { ...update, clientId, result })
        return [result]
      },
      verifyMembership(call, clientId, proof, proofHeight, path, value) {
        const ibc = moduleOf(call)
        if (value === '0x') throw reverted('empty value: use verifyNonMembership')
        const bytes = chargedProof(call, proof)
        return [ibc.clients.verify(clientId, proofHeight, bytes, path.map(fromHex), fromHex(value)) / BILLION]
      },
      verifyNonMembership(call, clientId, proof, proofHeight, path) {
        const ibc = moduleOf(call)
        const bytes = chargedProof(call, proof)
        return [ibc.clients.verify(clientId, proofHeight, bytes, path.map(fromHex), undefined) / BILLION]
      },
      getClientState: (call, clientId) => [toHex(moduleOf(call).clients.client(clientId).state)],
      getConsensusState(call, clientId, height) {
        const ibc = moduleOf(call)
        const state = ibc.clients.consensusState(clientId, height)
        return [toHex(writeConsensusState(state))]
      },
      getClient: (call, clientId) => [clientInfo(moduleOf(call), clientId)],
      getClients(call, pagination) {
        const ibc = moduleOf(call)
        const { places, response } = page(pagination, {
          length: ibc.clients.count,
          keySize: KEY_SIZE,
          keyAt: (place) => toHex(bigToFixed(BigInt(place), KEY_SIZE)),
          placeOf: (key) => Math.min(Number(BigInt(key)), ibc.clients.count),
        })
        call.charge(CLIENT_GAS * BigInt(places.length))
        return [places.map((place) => clientInfo(ibc, clientIdOf(place))), response]
      },
      getPacketCommitment: (call, clientId, sequence) => [stored(call, PACKET_KEY.commitment(clientId, sequence))],
      getPacketAcknowledgement: (call, clientId, sequence) => [
        stored(call, PACKET_KEY.acknowledgement(clientId, sequence)),
      ],
      recvPacket(call, shown, proof, proofHeight) {
        const ibc = moduleOf(call)
        const packet = packetOf(shown)
        const bytes = chargedProof(call, proof)
        call.charge(2n * ENTRY_GAS)
        const acknowledgements = ibc.receive(packet, { bytes, height: proofHeight })?.map(toHex)
        if (acknowledgements === undefined) return [false]
        const { destClient: clientId, sequence } = packet
        call.emit('WriteAcknowledgement', { clientId, sequence, packet: shown, acknowledgements })
        return [true]
      },
      acknowledgePacket(call, shown, acknowledgements, proof, proofHeight) {
        const ibc = moduleOf(call)
        const packet = packetOf(shown)
        const bytes = chargedProof(call, proof)
        call.charge(ENTRY_GAS)
        if (!ibc.acknowledge(packet, acknowledgements.map(fromHex), { bytes, height: proofHeight })) return [false]
        const { sourceClient: clientId, sequence } = packet
        call.emit('AcknowledgePacket', { clientId, sequence, packet: shown, acknowledgements })
        return [true]
      },
      timeoutPacket(call, shown, proof, proofHeight) {
        const ibc = moduleOf(call)
        const packet = packetOf(shown)
        const bytes = chargedProof(call, proof)
        call.charge(ENTRY_GAS)
        if (!ibc.timeout(packet, { bytes, height: proofHeight })) return [false]
        const { sourceClient: clientId, sequence } = packet
        call.emit('TimeoutPacket', { clientId, sequence, packet: shown })
        return [true]
      },
    },
  }),
})
