// What a transaction has done, in one sentence.
import { api, useRead } from '../api.ts'
import { Words } from '../parts/words.tsx'

/** `version` changes when the transaction may have been mined again, in another block. */
export function Sentence({ hash, version }: { hash: string; version: number }) {
  const { data } = useRead(
    api('/transactions/{transaction_hash_param}/summary', { transaction_hash_param: hash }),
    version,
  )
  // The place is there before the text is, so that nothing moves when it comes.
  return (
    <p class="sentence">
      {data?.data.summaries.map((of) => (
        <Words key={of.summary_template} of={of} />
      ))}
    </p>
  )
}
