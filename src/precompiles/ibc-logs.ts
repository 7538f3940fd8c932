// Logs of IBC's contract as values, for those who follow packets and clients: the inverse of what `ibc.ts` emits.
import { toEventSignature } from 'viem'
import { ChainError } from '../lib/errors.ts'
import type { Hash } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { clientIdOf, clientNumber } from '../modules/ibc/layout.ts'
import type { Log } from '../primitives/types.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import { type DataOf, decodeLogData } from './abi.ts'
import { ibcAbi } from './generated/abi.ts'

type Events = typeof ibcAbi.events
/** An event of the contract with the arguments in its data: packets are whole there, indexed arguments are parts of them. */
export type IbcLog = { [E in keyof Events]: { readonly event: E } & DataOf<Events[E]> }[keyof Events]

const EVENTS: ReadonlyMap<Hash, keyof Events> = new Map(
  (Object.keys(ibcAbi.events) as (keyof Events)[]).map((name) => [
    keccakHash(Buffer.from(toEventSignature(ibcAbi.events[name]))),
    name,
  ]),
)

/** undefined: the log is not of IBC's contract. A chain without IBC may have other code at its address, which logs anything. */
export function ibcLog(log: Log): IbcLog | undefined {
  const [topic] = log.topics
  const event = log.address === NATIVE_CONTRACT.ibc && topic !== undefined ? EVENTS.get(topic) : undefined
  if (event === undefined) return undefined
  try {
    // The arguments are those of this event.
    const read = { event, ...decodeLogData(ibcAbi.events[event], log) } as IbcLog
    return hasNumber(clientIn(read)) ? read : undefined
  } catch (error) {
    if (error instanceof ChainError) return undefined
    throw error
  }
}

const hasNumber = (client: string): boolean =>
  Number.isSafeInteger(clientNumber(client)) && clientIdOf(clientNumber(client)) === client

/** The client of this chain that an event is about. */
function clientIn(of: IbcLog): string {
  if (!('packet' in of)) return of.clientId
  return of.event === 'WriteAcknowledgement' ? of.packet.destClient : of.packet.sourceClient
}
