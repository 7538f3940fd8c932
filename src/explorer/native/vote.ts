// Votes and deposits in the explorer's form. Current ones are in the state; they are deleted at the end of the vote, but the
// logs of the governance contract, which the index lists by proposal and voter, still have them.
import { z } from 'zod'
import { NATIVE_EVENT } from '../../indexer/native-parties.ts'
import { ballotEntry, LIST, partyEntry } from '../../indexer/tables.ts'
import { formatDec, ONE } from '../../lib/dec.ts'
import type { Address } from '../../lib/hex.ts'
import { VOTE_OPTIONS } from '../../modules/gov/layout.ts'
import { weightsOf } from '../../modules/gov/tally.ts'
import { decodeValues } from '../../precompiles/abi.ts'
import { entriesBetween, listLength } from '../../tables/list.ts'
import { isoTime, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { addressSchema, showAddress } from '../shapes/address.ts'
import { type LocatedLog, logAt } from '../shapes/indexed-transaction.ts'
import { nativeOf, rate } from './modules.ts'
import { PROPOSAL_STATUSES, WIRE_OPTION } from './proposal.ts'

const placeSchema = z.strictObject({
  transaction_hash: wire.hash,
  block_number: z.number().int(),
  timestamp: wire.time,
})

const showPlace = ({ header, transaction }: LocatedLog): z.input<typeof placeSchema> => ({
  transaction_hash: transaction.hash,
  block_number: Number(header.number),
  timestamp: isoTime(header.timestamp),
})

const choiceSchema = z.array(z.strictObject({ option: z.enum(['yes', 'abstain', 'no', 'no_with_veto']), weight: rate }))

export const voteSchema = placeSchema.extend({
  voter: addressSchema,
  options: choiceSchema,
  metadata: z.string().nullable().describe('null when the votes were counted: the chain forgets it then'),
})

export const castVoteSchema = placeSchema.extend({
  voter: addressSchema,
  options: choiceSchema,
  proposal: z.strictObject({
    id: z.number().int(),
    title: z.string().nullable().describe('null when the proposal was cancelled'),
    status: z.enum(PROPOSAL_STATUSES).nullable(),
  }),
})

export const depositSchema = placeSchema.extend({
  depositor: addressSchema,
  amount: wire.decimal.describe('base units'),
  is_initial: z.boolean().describe('it came with the submission'),
})

export type Place = { readonly number: number; readonly index: number }
export type Party = Place & { readonly address: Address }

/** The newest vote of each account on a proposal, newest first; during the voting period those that will be counted. */
export function votesOn(context: ExplorerContext, id: bigint): Party[] {
  const { rows } = context
  const { gov } = nativeOf(context, 'head').modules
  const list = LIST.votesOn(Number(id))
  const isOpen = gov.status(id) === 'voting'
  const newest = new Map<Address, Party>()
  for (const entry of entriesBetween(rows, list, 0, listLength(rows, list)).reverse()) {
    const party = partyEntry.decode(entry)
    if (!newest.has(party.address)) newest.set(party.address, party)
  }
  return [...newest.values()].filter(({ address }) => !isOpen || gov.voteOf(id, address) !== undefined)
}

export async function showVote(context: ExplorerContext, id: bigint, { address, ...at }: Party) {
  const located = await logAt(context, at)
  return {
    ...showPlace(located),
    voter: showAddress(context, address),
    options: choiceIn(located),
    metadata: nativeOf(context, 'head').modules.gov.voteOf(id, address)?.metadata ?? null,
  }
}

/** A vote from an entry of LIST.votesOf. */
export async function showCastVote(context: ExplorerContext, voter: Address, entry: Uint8Array) {
  const { proposal, ...at } = ballotEntry.decode(entry)
  const located = await logAt(context, at)
  const { gov } = nativeOf(context, 'head').modules
  const status = gov.status(BigInt(proposal))
  return {
    ...showPlace(located),
    voter: showAddress(context, voter),
    options: choiceIn(located),
    proposal: {
      id: proposal,
      title: status === 'none' ? null : gov.texts(BigInt(proposal)).title,
      status: status === 'none' ? null : status,
    },
  }
}

const weightedVote = z.tuple([z.bigint(), z.array(z.object({ option: z.bigint(), weight: z.string() }))])
const plainVote = z.tuple([z.bigint(), z.bigint()])

function choiceIn({ log }: LocatedLog): z.input<typeof choiceSchema> {
  if (log.topics[0] === NATIVE_EVENT.weightedVote) {
    const components = [
      { name: 'option', type: 'uint8' },
      { name: 'weight', type: 'string' },
    ]
    const decoded = decodeValues([{ type: 'uint64' }, { type: 'tuple[]', components }], log.data)
    const [, options] = weightedVote.parse(decoded)
    return weightsOf(options).map(({ option, weight }) => ({ option: WIRE_OPTION[option], weight: formatDec(weight) }))
  }
  const [, number] = plainVote.parse(decodeValues([{ type: 'uint64' }, { type: 'uint8' }], log.data))
  const option = VOTE_OPTIONS[Number(number)]
  if (option === undefined || option === 'none') return []
  return [{ option: WIRE_OPTION[option], weight: formatDec(ONE) }]
}

export type PlacedDeposit = {
  readonly located: LocatedLog
  readonly depositor: Address
  readonly amount: bigint
  readonly isInitial: boolean
}

/** The deposits of a stored proposal, oldest first. The deposit of the submission is the total less the others. */
export async function depositsOn(context: ExplorerContext, id: bigint): Promise<PlacedDeposit[]> {
  const list = LIST.depositsOn(Number(id))
  const parties = entriesBetween(context.rows, list, 0, listLength(context.rows, list)).map((entry) =>
    partyEntry.decode(entry),
  )
  const found: PlacedDeposit[] = []
  for (const { address, ...at } of parties) {
    const located = await logAt(context, at)
    const isInitial = located.log.topics[0] === NATIVE_EVENT.submission
    found.push({ located, depositor: address, amount: isInitial ? 0n : depositIn(located), isInitial })
  }
  const later = found.reduce((sum, { amount }) => sum + amount, 0n)
  const initial = nativeOf(context, 'head').modules.gov.proposal(id).totalDeposit - later
  return found
    .map((deposit) => (deposit.isInitial ? { ...deposit, amount: initial } : deposit))
    .filter(({ amount }) => amount > 0n)
}

const depositEvent = z.tuple([z.bigint(), z.array(z.object({ amount: z.bigint() }))])

function depositIn({ log }: LocatedLog): bigint {
  const components = [
    { name: 'denom', type: 'string' },
    { name: 'amount', type: 'uint256' },
  ]
  const [, coins] = depositEvent.parse(decodeValues([{ type: 'uint64' }, { type: 'tuple[]', components }], log.data))
  return coins.reduce((sum, { amount }) => sum + amount, 0n)
}

export const showDeposit = (
  context: ExplorerContext,
  { located, depositor, amount, isInitial }: PlacedDeposit,
): z.input<typeof depositSchema> => ({
  ...showPlace(located),
  depositor: showAddress(context, depositor),
  amount: amount.toString(),
  is_initial: isInitial,
})
