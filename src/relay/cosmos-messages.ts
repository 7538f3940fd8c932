// Messages of ibc-go's clients and packets (IBC version 2), as transactions of Cosmos carry them.
import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import type { Packet } from '../modules/ibc/packets.ts'
import type { PacketSchema, Packet as WirePacket } from '../protobuf/generated/ibc/core/channel/v2/packet_pb.ts'
import {
  MsgAcknowledgementSchema,
  MsgRecvPacketSchema,
  MsgTimeoutSchema,
} from '../protobuf/generated/ibc/core/channel/v2/tx_pb.ts'
import { MsgCreateClientSchema, MsgUpdateClientSchema } from '../protobuf/generated/ibc/core/client/v1/tx_pb.ts'
import { MsgRegisterCounterpartySchema } from '../protobuf/generated/ibc/core/client/v2/tx_pb.ts'
import {
  ClientStateSchema,
  ConsensusStateSchema,
} from '../protobuf/generated/ibc/lightclients/tendermint/v1/tendermint_pb.ts'
import type { Message } from './end.ts'

/** A message with its type, as transactions of Cosmos carry it. */
const anyOf = <D extends DescMessage>(schema: D, message: MessageInitShape<D>): Any =>
  create(AnySchema, { typeUrl: `/${schema.typeName}`, value: toBinary(schema, create(schema, message)) })

/** What a relayer asks, as a message of Cosmos that `signer` signs. */
export function signedMessage(message: Message, signer: string): Any {
  if (message.type === 'createClient') {
    const typed = ({ typeName }: DescMessage, value: Uint8Array) =>
      create(AnySchema, { typeUrl: `/${typeName}`, value })
    const clientState = typed(ClientStateSchema, message.clientState)
    const consensusState = typed(ConsensusStateSchema, message.consensusState)
    return anyOf(MsgCreateClientSchema, { clientState, consensusState, signer })
  }
  if (message.type === 'registerCounterparty') {
    const { clientId, prefix, counterparty: counterpartyClientId } = message
    const counterpartyMerklePrefix = [...prefix]
    return anyOf(MsgRegisterCounterpartySchema, { clientId, counterpartyMerklePrefix, counterpartyClientId, signer })
  }
  if (message.type === 'updateClient') {
    const clientMessage = fromBinary(AnySchema, message.update)
    return anyOf(MsgUpdateClientSchema, { clientId: message.clientId, clientMessage, signer })
  }
  const { proof, height: proofHeight } = message
  const packet = wirePacket(message.packet)
  if (message.type === 'receive')
    return anyOf(MsgRecvPacketSchema, { packet, proofCommitment: proof, proofHeight, signer })
  if (message.type === 'timeout')
    return anyOf(MsgTimeoutSchema, { packet, proofUnreceived: proof, proofHeight, signer })
  const acknowledgement = { appAcknowledgements: [...message.acknowledgements] }
  return anyOf(MsgAcknowledgementSchema, { packet, acknowledgement, proofAcked: proof, proofHeight, signer })
}

const wirePacket = ({ destClient, payloads, ...of }: Packet): MessageInitShape<typeof PacketSchema> => ({
  ...of,
  destinationClient: destClient,
  payloads: payloads.map(({ destPort, ...payload }) => ({ ...payload, destinationPort: destPort })),
})

export const packetOf = ({
  sequence,
  sourceClient,
  destinationClient,
  timeoutTimestamp,
  payloads,
}: WirePacket): Packet => ({
  ...{ sequence, sourceClient, destClient: destinationClient, timeoutTimestamp },
  payloads: payloads.map(({ sourcePort, destinationPort: destPort, version, encoding, value }) => ({
    ...{ sourcePort, destPort, version, encoding, value },
  })),
})
