// A governance proposal in the explorer's form. During the voting period the tally is the current count.
import { z } from 'zod'
import { fromInt, quo } from '../../lib/dec.ts'
import type { Tally, VoteOption } from '../../modules/gov/layout.ts'
import { wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { addressSchema, showAddress } from '../shapes/address.ts'
import { nativeOf, rate, secondsLeft, showRate, showTime, timeOrNull } from './modules.ts'

export const PROPOSAL_STATUSES = ['deposit', 'voting', 'passed', 'rejected', 'failed'] as const
export const WIRE_OPTION = {
  yes: 'yes',
  abstain: 'abstain',
  no: 'no',
  noWithVeto: 'no_with_veto',
} as const satisfies { readonly [O in VoteOption]: string }

export const proposalSchema = z.strictObject({
  id: z.number().int(),
  status: z.enum(PROPOSAL_STATUSES),
  title: z.string(),
  summary: z.string(),
  metadata: z.string(),
  proposer: addressSchema,
  messages: z.array(
    z.strictObject({
      type: z.string().describe('type URL'),
      content: z.record(z.string(), z.unknown()).describe('its fields as they were submitted'),
    }),
  ),
  is_expedited: z.boolean(),
  submit_time: wire.time,
  deposit_end_time: wire.time,
  voting_start_time: wire.time.nullable(),
  voting_end_time: wire.time.nullable(),
  seconds_left: z.number().int().describe('until the deposit or voting period ends; 0 when it is over'),
  total_deposit: wire.decimal.describe('base units'),
  min_deposit: wire.decimal.describe('deposit at which voting begins'),
  tally: z.strictObject({
    yes: wire.decimal,
    abstain: wire.decimal,
    no: wire.decimal,
    no_with_veto: wire.decimal,
    is_final: z.boolean(),
  }),
  turnout: rate.nullable().describe('part of the bonded tokens that has voted so far; null when the vote is not open'),
  votes_count: z.number().int().describe('accounts whose votes are not yet tallied'),
  failure: z.string().nullable().describe('why the messages of a passed proposal could not be executed'),
})

export const showTally = ({ yes, abstain, no, noWithVeto }: Tally) => ({
  yes: yes.toString(),
  abstain: abstain.toString(),
  no: no.toString(),
  no_with_veto: noWithVeto.toString(),
})

/** Whether a proposal is stored; dropped and cancelled ones are deleted. */
export const isStored = (context: ExplorerContext, id: bigint): boolean =>
  nativeOf(context, 'head').modules.gov.status(id) !== 'none'

/** A stored proposal. */
export function showProposal(context: ExplorerContext, id: bigint): z.input<typeof proposalSchema> {
  const { modules, now } = nativeOf(context, 'head')
  const { gov, staking } = modules
  const { status, proposer, isExpedited, ...record } = gov.proposal(id)
  if (status === 'none') throw new RangeError(`no proposal ${id}`)
  const { title, summary, metadata, failure } = gov.texts(id)
  const { minDeposit, expeditedMinDeposit } = gov.params()
  const tally = gov.tally(id)
  const voted = Object.values(tally).reduce((sum, tokens) => sum + tokens, 0n)
  const bonded = staking.totalBonded()
  const end = status === 'deposit' ? record.depositEndTime : status === 'voting' ? record.votingEndTime : 0n
  return {
    id: Number(id),
    status,
    title,
    summary,
    metadata,
    proposer: showAddress(context, proposer),
    messages: gov.messages(id).map(showMessage),
    is_expedited: isExpedited,
    submit_time: showTime(record.submitTime),
    deposit_end_time: showTime(record.depositEndTime),
    voting_start_time: timeOrNull(record.votingStartTime),
    voting_end_time: timeOrNull(record.votingEndTime),
    seconds_left: secondsLeft(end, now),
    total_deposit: record.totalDeposit.toString(),
    min_deposit: (isExpedited ? expeditedMinDeposit : minDeposit).toString(),
    tally: { ...showTally(tally), is_final: status !== 'deposit' && status !== 'voting' },
    turnout: status !== 'voting' ? null : showRate(bonded === 0n ? 0n : quo(fromInt(voted), fromInt(bonded))),
    votes_count: gov.votes(id).length,
    failure: failure === '' ? null : failure,
  }
}

const message = z.object({ '@type': z.string() }).catchall(z.unknown())

function showMessage(json: string): { type: string; content: Record<string, unknown> } {
  const { '@type': type, ...content } = message.parse(JSON.parse(json))
  return { type, content }
}
