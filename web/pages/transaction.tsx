// The page of one transaction: why it failed, its record, calls, gas, and lists of transfers, messages, logs and state changes. A pending
// transaction is read with each block; a mined one only when blocks are removed.
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { SolidityTrace } from '../../src/contracts/solidity-trace.ts'
import { api, type List, type Read, type Transaction, useHead, useLive, useRead } from '../api.ts'
import { abbreviated } from '../format.ts'
import { IS_DEVELOPMENT, useTitle } from '../location.ts'
import { usePacketTab } from '../native/packets.tsx'
import { useOperationTab } from '../operation/tables.tsx'
import { MissingTransaction } from '../parts/missing.tsx'
import { LoadedPage, PaginatedTable, Status, type Tab, type Table, Tabs, without } from '../parts.tsx'
import { call } from '../rpc.ts'
import { internalTable, logTable, stateTable, transferTable } from '../tables.tsx'
import { CallTree } from '../transaction/call-tree.tsx'
import { Details } from '../transaction/details.tsx'
import { Failure } from '../transaction/failure.tsx'
import { Gas } from '../transaction/gas.tsx'
import { Sentence } from '../transaction/summary.tsx'
import '../transaction/transaction.css'

/** All rows of a transaction's lists have the same value in these. */
const within = <T,>(table: Table<T>): Table<T> => without(table, 'Transaction', 'Method', 'Block', 'Age')

/** Increment of the version for a removal: larger than any number of blocks. */
const REMOVAL = 2 ** 32

export default function TransactionPage({ hash }: { hash: string }) {
  const { number: newest, version, removals } = useHead()
  const [collated, setCollated] = useState(0)
  // The version with which the transaction was found in a block; undefined while it is pending.
  const [settled, setSettled] = useState<number | undefined>(undefined)
  const reading = useRead(
    api('/transactions/{transaction_hash_param}', { transaction_hash_param: hash }),
    (settled ?? version + collated) + removals * REMOVAL,
  )
  const isMined = typeof reading.data?.block_number === 'number'
  if (isMined !== (settled !== undefined)) setSettled(isMined ? version + collated : undefined)
  useLive(isMined ? undefined : `transactions:${hash.toLowerCase()}`, 'collated', () => setCollated((n) => n + 1))
  useTitle(`Transaction ${abbreviated(hash)}`)
  return (
    <LoadedPage reading={reading} name="Transaction" missing={<MissingTransaction hash={hash} />}>
      {(of) => (
        <>
          <section class="card">
            <h1>
              Transaction <Status of={of.status} />
              {isMined && IS_DEVELOPMENT && <DebugLink of={of} />}
            </h1>
            {isMined && <Sentence hash={hash} version={(settled ?? 0) + removals * REMOVAL} />}
            <Failure of={of} />
            <Details of={of} newest={newest} />
          </section>
          {of.block_number !== null && <Lists of={of} />}
        </>
      )}
    </LoadedPage>
  )
}

/** To the debugger: at the failure, if it failed. */
const DebugLink = ({ of: { hash, status } }: { of: Transaction }) => (
  <Link class="action" href={`/tx/${hash}/debug${status === 'error' ? '#step=failure' : ''}`}>
    Debug
  </Link>
)

/** The length of a list; undefined until it has been read. */
const useCount = (list: Read<List<unknown>>): number | undefined => useRead(list).data?.total_count

/** The calls with functions, places, events and gas; the tabs share it. */
const useTrace = (hash: string) =>
  useRead<SolidityTrace>({
    key: `solidityTracer ${hash}`,
    load: async () => {
      const options = { tracer: 'solidityTracer', tracerConfig: { withSources: true, withStorage: true } }
      return (await call('debug_traceTransaction', hash, options).load()) as SolidityTrace
    },
  })

function Lists({ of }: { of: Transaction }) {
  const trace = useTrace(of.hash)
  const parameters = { transaction_hash_param: of.hash }
  const first = { ...parameters, items_count: 1 }
  const transfers = useCount(api('/transactions/{transaction_hash_param}/token-transfers', first))
  const messages = useCount(api('/transactions/{transaction_hash_param}/internal-transactions', first))
  const logs = useCount(api('/transactions/{transaction_hash_param}/logs', first))
  const tabs: readonly Tab[] = [
    { name: 'Calls', content: () => <CallTree of={of} trace={trace} /> },
    { name: 'Gas', content: () => <Gas of={of} trace={trace} /> },
    {
      name: 'Token transfers',
      count: transfers,
      content: () => (
        <PaginatedTable
          list={api('/transactions/{transaction_hash_param}/token-transfers', parameters)}
          table={within(transferTable)}
          empty="It moved no tokens."
          order="rank"
        />
      ),
    },
    {
      name: 'Internal',
      count: messages,
      content: () => (
        <PaginatedTable
          list={api('/transactions/{transaction_hash_param}/internal-transactions', parameters)}
          table={within(internalTable)}
          empty="It called nothing else."
          order="rank"
        />
      ),
    },
    {
      name: 'Logs',
      count: logs,
      content: () => (
        <PaginatedTable
          list={api('/transactions/{transaction_hash_param}/logs', parameters)}
          table={logTable}
          empty="It logged nothing."
          order="rank"
        />
      ),
    },
    {
      name: 'State changes',
      content: () => (
        <PaginatedTable
          list={api('/transactions/{transaction_hash_param}/state-changes', parameters)}
          table={stateTable}
          empty="It changed nothing."
          order="rank"
        />
      ),
    },
  ]
  const [operations, packets] = [useOperationTab({ transaction_hash: of.hash }), usePacketTab(of.hash)]
  return <Tabs of={[...tabs, ...operations, ...packets]} />
}
