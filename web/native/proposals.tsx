// Parts of the proposal pages: status, names of messages, the tally as bars.
import type { Proposal } from '../api.ts'
import { share } from '../format.ts'
import { Coins } from '../parts.tsx'
import { Pill } from './parts.tsx'

const KINDS = { deposit: 'plain', voting: 'plain', passed: 'ok', rejected: 'bad', failed: 'bad' } as const

export const proposalStatus = ({ status }: Pick<Proposal, 'status'>) => <Pill kind={KINDS[status]}>{status}</Pill>

/** `MsgUpdateParams` of `/cosmos.gov.v1.MsgUpdateParams`, with its module: `gov MsgUpdateParams`. */
export function messageName(type: string): string {
  const parts = type.replace(/^\//, '').split('.')
  const name = parts.at(-1) ?? type
  const module = parts.slice(1, -1).find((part) => !/^v\d/.test(part))
  return module === undefined ? name : `${module} ${name}`
}

export const OPTION_NAMES = { yes: 'yes', no: 'no', no_with_veto: 'no with veto', abstain: 'abstain' } as const

const OPTIONS = [
  ['yes', 'Yes'],
  ['no', 'No'],
  ['no_with_veto', 'No with veto'],
  ['abstain', 'Abstain'],
] as const

/** Tokens behind each option, and their fraction of all votes. */
export function TallyBars({ of }: { of: Proposal['tally'] }) {
  const all = OPTIONS.reduce((sum, [option]) => sum + BigInt(of[option]), 0n).toString()
  return (
    <ul class="tally">
      {OPTIONS.map(([option, title]) => {
        const part = share(of[option], all) ?? '0 %'
        return (
          <li key={option} class={option}>
            <span>{title}</span>
            <span class="bar" aria-hidden="true">
              <i style={{ width: `${Number.parseFloat(part.replace('<', '')) || 0}%` }} />
            </span>
            <span class="count">
              <span>{part}</span> <Coins value={of[option]} />
            </span>
          </li>
        )
      })}
    </ul>
  )
}
