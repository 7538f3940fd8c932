// The sentence that says what a transaction has done: text of the node's template, and links for its variables.
import type { ComponentChildren } from 'preact'
import type { Transaction } from '../api.ts'
import { withCommas } from '../format.ts'
import { Address, COIN, TokenLink } from './links.tsx'

type Summary = NonNullable<Transaction['summary']>

export const Words = ({ of: { summary_template, summary_template_variables: variables } }: { of: Summary }) => (
  <>
    {summary_template
      .split(/\{(\w+)\}/)
      .map(
        (part, i): ComponentChildren =>
          i % 2 === 0 ? part : part === 'native' ? COIN : <Value key={part} of={variables[part]} />,
      )}
  </>
)

function Value({ of }: { of: Summary['summary_template_variables'][string] | undefined }) {
  if (of === undefined) return null
  if (of.type === 'address') return <Address of={of.value} />
  if (of.type === 'token') return <TokenLink of={of.value} />
  if (of.type === 'string') return <bdi>{of.value}</bdi>
  const [whole = '0', fraction] = of.value.split('.')
  return <>{`${withCommas(whole)}${fraction === undefined ? '' : `.${fraction}`}`}</>
}
