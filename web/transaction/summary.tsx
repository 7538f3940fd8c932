// What a transaction has done, in one sentence: text of the node's template, and links for its variables.
import type { ComponentChildren } from 'preact'
import { type Answer, api, useRead } from '../api.ts'
import { withCommas } from '../format.ts'
import { Address, COIN, TokenLink } from '../parts.tsx'

type Summary = Answer<'/transactions/{transaction_hash_param}/summary'>['data']['summaries'][number]

/** `version` changes when the transaction may have been mined again, in another block. */
export function Sentence({ hash, version }: { hash: string; version: number }) {
  const { data } = useRead(
    api('/transactions/{transaction_hash_param}/summary', { transaction_hash_param: hash }),
    version,
  )
  // The place is there before the text is, so that nothing moves when it comes.
  return <p class="sentence">{data?.data.summaries.map((of) => words(of))}</p>
}

/** The words of a summary, with links. */
export const words = ({
  summary_template: template,
  summary_template_variables: variables,
}: Summary): ComponentChildren =>
  template.split(/\{(\w+)\}/).map((part, i) => {
    if (i % 2 === 0) return part
    return part === 'native' ? COIN : <Value key={part} of={variables[part]} />
  })

function Value({ of }: { of: Summary['summary_template_variables'][string] | undefined }) {
  if (of === undefined) return null
  if (of.type === 'address') return <Address of={of.value} />
  if (of.type === 'token') return <TokenLink of={of.value} />
  if (of.type === 'string') return <>{of.value}</>
  const [whole = '0', fraction] = of.value.split('.')
  return <>{`${withCommas(whole)}${fraction === undefined ? '' : `.${fraction}`}`}</>
}
