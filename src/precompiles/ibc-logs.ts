// Logs of IBC's contract as values, for those who follow packets and clients: the inverse of what `ibc.ts` emits.
import { toEventSignature } from 'viem'
import type { Hash } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
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

/** undefined: the log is not of IBC's contract. */
export function ibcLog(log: Log): IbcLog | undefined {
  const [topic] = log.topics
  const event = log.address === NATIVE_CONTRACT.ibc && topic !== undefined ? EVENTS.get(topic) : undefined
  // The arguments are those of this event.
  return event && ({ event, ...decodeLogData(ibcAbi.events[event], log) } as IbcLog)
}
