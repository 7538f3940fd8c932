// Text output of the governance commands.

import { formatCoin, formatCoins, formatShare } from '../native/amount.ts'
import { utc } from '../native/answers.ts'
import { baseDenom, type GovParamsAnswer, type ProposalAnswer, type Status, type TallyAnswer } from './chain-queries.ts'
import { describe } from './messages.ts'

/** A name and its values in aligned columns, one value per line. */
export const row = (name: string, ...values: readonly string[]): string[] =>
  values.map((value, index) => `  ${(index === 0 ? name : '').padEnd(11)}${value}`)

const STATUS_WORDS: Readonly<Record<Status, string>> = {
  deposit: 'waits for deposits',
  voting: 'is being voted on',
  passed: 'passed',
  rejected: 'rejected',
  failed: 'passed, but failed in execution',
}

export type Details = { readonly messages: readonly unknown[]; readonly failure: string; readonly base: string }

/** The lines of `gov show`. */
export function proposalLines(proposal: ProposalAnswer, { messages, failure, base }: Details): string[] {
  const { id, status, title, summary, metadata, proposer, deposit } = proposal
  const what = messages.map((message) => describe(message, base))
  const hasVoting = proposal.votingStartTime > 0
  return [
    `Proposal ${id}: ${title}`,
    ...row('Status', STATUS_WORDS[status]),
    ...(failure === '' ? [] : row('Failure', failure)),
    ...(summary === '' ? [] : row('Summary', ...summary.split('\n'))),
    ...(metadata === '' ? [] : row('Metadata', metadata)),
    ...row('Does', ...(what.length === 0 ? ['nothing by itself: it states an opinion'] : what)),
    ...row('Proposer', proposer),
    ...row('Submitted', utc(proposal.submitTime)),
    ...row(
      'Deposit',
      formatCoins(deposit, base) + (hasVoting ? '' : `, to be complete by ${utc(proposal.depositEndTime)}`),
    ),
    ...(hasVoting ? row('Voting', `${utc(proposal.votingStartTime)} to ${utc(proposal.votingEndTime)}`) : []),
    ...(hasVoting ? row('Votes', ...tallyLines(proposal.tally, base)) : []),
  ]
}

function tallyLines(tally: TallyAnswer, base: string): string[] {
  const total = tally.yes + tally.no + tally.abstain + tally.veto
  if (total === 0n) return ['none']
  return (['yes', 'no', 'abstain', 'veto'] as const).map(
    (option) =>
      `${option.padEnd(9)}${formatShare(tally[option], total).padStart(8)}  ${formatCoin({ denom: base, amount: tally[option] }, base)}`,
  )
}

/** One line for each, under a heading. */
export function listLines(proposals: readonly ProposalAnswer[]): string[] {
  if (proposals.length === 0) return ['no proposals']
  const cells = [
    ['no.', 'status', 'voting ends', 'title'],
    ...proposals.map(({ id, status, votingEndTime, title }) => [
      String(id),
      status,
      votingEndTime === 0 ? '-' : utc(votingEndTime),
      title,
    ]),
  ]
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)))
  return cells.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
}

const SECOND = 1_000_000_000n

/** The governance parameters with periods in seconds; the contract returns nanoseconds. */
export const inSeconds = (params: GovParamsAnswer): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value / SECOND) : value]),
  )

export function paramsLines(params: GovParamsAnswer): string[] {
  const base = baseDenom(params)
  const shown = (value: (typeof params)[keyof GovParamsAnswer]): string => {
    if (typeof value === 'bigint') return `${value / SECOND} s`
    if (typeof value === 'object') return formatCoins(value, base)
    if (typeof value === 'boolean') return value ? 'yes' : 'no'
    return /^\d+\.\d+$/.test(value) ? value.replace(/\.?0+$/, '') : value || '-'
  }
  const names = Object.keys(params).map((name) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))
  const width = Math.max(...names.map((name) => name.length))
  return Object.values(params).map((value, index) => `  ${(names[index] ?? '').padEnd(width)}  ${shown(value)}`)
}
