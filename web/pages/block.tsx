// The page of one block: its record, and its transactions, internal transactions, votes and withdrawals.
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { api, type Block, useHead, useRead, type Withdrawal } from '../api.ts'
import { gwei, withCommas } from '../format.ts'
import { IS_NETWORK, useTitle } from '../location.ts'
import { BlockCommit } from '../native/votes.tsx'
import { useOperationTab } from '../operation/tables.tsx'
import { MissingBlock } from '../parts/missing.tsx'
import {
  Address,
  Coins,
  Copy,
  Fields,
  LoadedPage,
  PaginatedTable,
  type Tab,
  type Table,
  Tabs,
  Time,
  without,
} from '../parts.tsx'
import { internalTable, Proposer, transactionTable } from '../tables.tsx'

const withdrawalTable: Table<Withdrawal> = {
  keyOf: ({ index }) => index,
  columns: [
    ['Index', ({ index }) => index],
    ['Validator', ({ validator_index }) => validator_index],
    ['To', ({ receiver }) => <Address of={receiver} />],
    ['Amount', ({ amount }) => <Coins value={amount} digits={9} />, 'number'],
  ],
}

export default function BlockPage({ id }: { id: string }) {
  const { number: newest, version, removals } = useHead()
  // A block that was found is read again only when blocks are removed; one that is missing, with each new block.
  const [isFound, setFound] = useState(false)
  const reading = useRead(
    api('/blocks/{block_hash_or_number_param}', { block_hash_or_number_param: id }),
    isFound ? removals : removals + version,
  )
  if (isFound !== (reading.data !== undefined)) setFound(reading.data !== undefined)
  const name = /^\d+$/.test(id) ? `Block ${id}` : 'Block'
  useTitle(reading.data === undefined ? name : `Block ${reading.data.height}`)
  return (
    <LoadedPage reading={reading} name={name} missing={<MissingBlock id={id} />}>
      {(block) => (
        <>
          <section class="card">
            <h1>
              Block {block.height}
              <Steps from={block.height} newest={newest} />
            </h1>
            <Record of={block} newest={newest} />
          </section>
          <Lists of={block} />
        </>
      )}
    </LoadedPage>
  )
}

/** Links to the previous and the next block; whether there is a next one is known once a block has been announced. */
const Steps = ({ from, newest }: { from: number; newest: number | undefined }) => (
  <span class="steps">
    {from > 0 && (
      <Link href={`/block/${from - 1}`} aria-label={`Block ${from - 1}`}>
        ←
      </Link>
    )}
    {newest !== undefined && from >= newest ? (
      <span class="faint" aria-hidden="true">
        →
      </span>
    ) : (
      <Link href={`/block/${from + 1}`} aria-label={`Block ${from + 1}`}>
        →
      </Link>
    )}
  </span>
)

const Record = ({ of: block, newest }: { of: Block; newest: number | undefined }) => (
  <Fields
    of={{
      Time: <Time at={block.timestamp} full />,
      Confirmations: newest === undefined || newest < block.height ? null : withCommas(newest - block.height + 1),
      Hash: (
        <>
          <code>{block.hash}</code> <Copy text={block.hash} of="hash" />
        </>
      ),
      Parent:
        block.height > 0 ? (
          <Link class="mono" href={`/block/${block.parent_hash}`}>
            {block.parent_hash}
          </Link>
        ) : null,
      Proposer: block.height === 0 ? 'none: this is the genesis' : <Proposer of={block} full />,
      'Gas used': (
        <>
          {withCommas(block.gas_used)} of {withCommas(block.gas_limit)}{' '}
          <span class="faint">({block.gas_used_percentage.toFixed(2)} %)</span>
        </>
      ),
      'Base fee': block.base_fee_per_gas === null ? null : gwei(block.base_fee_per_gas, 9),
      Fees: <Coins value={block.transaction_fees} digits={18} />,
      'Priority fees': block.priority_fee === null ? null : <Coins value={block.priority_fee} digits={18} />,
      'Burnt fees':
        block.burnt_fees && Number(block.burnt_fees) > 0 ? <Coins value={block.burnt_fees} digits={18} /> : null,
      Rewards:
        block.rewards.length === 0
          ? null
          : block.rewards.map(({ type, reward }) => (
              <div key={type}>
                <Coins value={reward} digits={18} /> <span class="faint">{type}</span>
              </div>
            )),
      Size: `${withCommas(block.size)} bytes`,
      'State root': <code>{block.state_root}</code>,
      'Extra data': block.extra_data === '0x' ? null : <code>{block.extra_data}</code>,
    }}
  />
)

const Lists = ({ of: block }: { of: Block }) => (
  <Tabs of={[...tabsOf(block), ...useOperationTab({ block_number: String(block.height) })]} />
)

function tabsOf(block: Block): Tab[] {
  const parameters = { block_hash_or_number_param: block.height }
  const tabs: Tab[] = [
    {
      name: 'Transactions',
      count: block.transactions_count,
      content: () => (
        <PaginatedTable
          list={api('/blocks/{block_hash_or_number_param}/transactions', parameters)}
          table={without(transactionTable, 'Block', 'Age')}
          empty="This block is empty."
          order="rank"
        />
      ),
    },
    {
      name: 'Internal',
      count: block.internal_transactions_count,
      content: () => (
        <PaginatedTable
          list={api('/blocks/{block_hash_or_number_param}/internal-transactions', parameters)}
          table={without(internalTable, 'Block', 'Age')}
          empty="No contract called another one in this block."
          order="rank"
        />
      ),
    },
  ]
  if (IS_NETWORK && block.height > 0) tabs.push({ name: 'Votes', content: () => <BlockCommit number={block.height} /> })
  if ((block.withdrawals_count ?? 0) > 0) {
    tabs.push({
      name: 'Withdrawals',
      count: block.withdrawals_count ?? 0,
      content: () => (
        <PaginatedTable
          list={api('/blocks/{block_hash_or_number_param}/withdrawals', parameters)}
          table={withdrawalTable}
          empty="There are none."
          order="rank"
        />
      ),
    })
  }
  return tabs
}
