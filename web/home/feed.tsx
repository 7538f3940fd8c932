// Transactions as sentences: what each has done, or why it failed.
import type { Transaction } from '../api.ts'
import { Words } from '../parts/words.tsx'
import { BlockLink, Time, TransactionLink } from '../parts.tsx'

/** `isMarked`: whether those that failed have a mark. */
export const Feed = ({
  of,
  test,
  isMarked = false,
}: {
  of: readonly Transaction[]
  test: string
  isMarked?: boolean
}) => (
  <ul class="feed" data-test={test}>
    {of.map(({ hash, summary, status, timestamp, block_number }) => (
      <li key={hash}>
        <p class="words">{summary && <Words of={summary} />}</p>
        <span class="meta">
          <TransactionLink hash={hash} />
          {block_number !== null && (
            <span class="faint">
              block <BlockLink number={block_number} />
            </span>
          )}
          {isMarked && status === 'error' && <span class="status error">failed</span>}
          <Time at={timestamp} />
        </span>
      </li>
    ))}
  </ul>
)
