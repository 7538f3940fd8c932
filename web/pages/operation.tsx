// The page of one user operation (ERC-4337): what it did, who asked and who paid, its calls, and its transfers and logs.
import type { ComponentChildren } from 'preact'
import { api, type UserOperation, useHead, useRead } from '../api.ts'
import { abbreviated, gwei, withCommas } from '../format.ts'
import { useTitle } from '../location.ts'
import { EntryPoint } from '../operation/tables.tsx'
import { MissingRecord } from '../parts/missing.tsx'
import { Words } from '../parts/words.tsx'
import {
  Address,
  BlockLink,
  Coins,
  Copy,
  Fields,
  LoadedPage,
  PaginatedTable,
  Raw,
  Status,
  type Tab,
  Tabs,
  Time,
  TransactionLink,
} from '../parts.tsx'
import { logTable, transferTable } from '../tables.tsx'
import { Input } from '../transaction/input.tsx'
import '../transaction/transaction.css'

const PATH = '/proxy/account-abstraction/operations/{operation_hash_param}'

export default function OperationPage({ hash }: { hash: string }) {
  const { removals } = useHead()
  const parameters = { operation_hash_param: hash }
  const reading = useRead(api(PATH, parameters), removals)
  const summary = useRead(api(`${PATH}/summary`, parameters), removals).data
  useTitle(`User operation ${abbreviated(hash)}`)
  return (
    <LoadedPage reading={reading} name="User operation" missing={<MissingRecord asked={hash} />}>
      {(of) => (
        <>
          <section class="card">
            <h1>
              User operation <Status of={of.status ? 'ok' : 'error'} />
            </h1>
            <p class="sentence">
              {summary?.data.summaries.map((each) => (
                <Words key={each.summary_template} of={each} />
              ))}
            </p>
            <Fields of={{ ...placeOf(of), ...paymentOf(of), ...callsOf(of) }} />
          </section>
          <Tabs of={tabsOf(of)} />
        </>
      )}
    </LoadedPage>
  )
}

const placeOf = (of: UserOperation): Record<string, ComponentChildren> => ({
  Reason:
    of.revert_reason === null ? null : (
      <Raw label="Revert data">
        <code>{of.revert_reason}</code>
      </Raw>
    ),
  Hash: (
    <>
      <code>{of.hash}</code> <Copy text={of.hash} of="hash" />
    </>
  ),
  Block: <BlockLink number={of.block_number} />,
  Time: <Time at={of.timestamp} full />,
  Account: <Address of={of.sender} full />,
  Factory: of.factory === null ? null : <Address of={of.factory} full />,
  Bundle: (
    <>
      <TransactionLink hash={of.transaction_hash} full />
      <div class="of">
        operation {of.index + 1}
        {of.bundle_index > 0 && ` of bundle ${of.bundle_index + 1}`}
      </div>
    </>
  ),
  Bundler: <Address of={of.bundler} full />,
  Aggregator: of.aggregator === null ? null : <code>{of.aggregator}</code>,
  'Entry point': <EntryPoint of={of} full />,
})

const PAYERS: Readonly<Record<UserOperation['sponsor_type'], string>> = {
  wallet_deposit: 'the account, which made a deposit for it',
  wallet_balance: 'the account, from its deposit',
  paymaster_sponsor: 'the paymaster, from its deposit',
  paymaster_hybrid: 'the paymaster, which made a deposit for it',
}

const paymentOf = (of: UserOperation): Record<string, ComponentChildren> => ({
  Paymaster: of.paymaster === null ? null : <Address of={of.paymaster} full />,
  Fee: (
    <>
      <Coins value={of.fee} digits={18} /> <span class="faint">paid by {PAYERS[of.sponsor_type]}</span>
    </>
  ),
  Gas: (
    <>
      {withCommas(of.gas_used)} of {withCommas(of.gas)}{' '}
      <span class="faint">
        (call {withCommas(of.call_gas_limit)} · verification {withCommas(of.verification_gas_limit)} · pre-verification{' '}
        {withCommas(of.pre_verification_gas)})
      </span>
    </>
  ),
  'Gas price': (
    <>
      {gwei(of.gas_price, 9)}{' '}
      <span class="faint">
        (max {gwei(of.max_fee_per_gas, 9)} · max priority {gwei(of.max_priority_fee_per_gas, 9)})
      </span>
    </>
  ),
  Nonce: <Nonce of={BigInt(of.nonce)} />,
})

/** The upper 192 bits of a nonce are a key that the account chooses; the numbers of each key are a sequence. */
const Nonce = ({ of }: { of: bigint }) => (
  <>
    {String(of & (2n ** 64n - 1n))}{' '}
    {of >> 64n > 0n && (
      <span class="faint">
        of key <code>0x{(of >> 64n).toString(16)}</code>
      </span>
    )}
  </>
)

const callsOf = (of: UserOperation): Record<string, ComponentChildren> => ({
  Called: of.execute_target === null ? null : <Address of={of.execute_target} full />,
  Input:
    of.execute_call_data === null || of.execute_call_data === '0x' ? null : (
      <Input
        of={{ decoded_input: of.decoded_execute_call_data, raw_input: of.execute_call_data, to: of.execute_target }}
      />
    ),
  'Call of the account':
    of.call_data === '0x' ? null : (
      <Input
        label="Call of the account"
        of={{ decoded_input: of.decoded_call_data, raw_input: of.call_data, to: of.sender }}
      />
    ),
})

function tabsOf({ hash, user_logs_count, raw }: UserOperation): readonly Tab[] {
  const parameters = { operation_hash_param: hash }
  return [
    {
      name: 'Logs',
      count: user_logs_count,
      content: () => (
        <PaginatedTable
          list={api(`${PATH}/logs`, parameters)}
          table={logTable}
          empty="It logged nothing."
          order="rank"
        />
      ),
    },
    {
      name: 'Token transfers',
      content: () => (
        <PaginatedTable
          list={api(`${PATH}/token-transfers`, parameters)}
          table={{ ...transferTable, columns: transferTable.columns.slice(3) }}
          empty="It moved no tokens."
          order="rank"
        />
      ),
    },
    {
      name: 'Struct',
      content: () => (
        <Fields
          of={Object.fromEntries(
            Object.entries(raw).map(([name, value]) => [name, <Long key={name} name={name} of={value} />]),
          )}
        />
      ),
    },
  ]
}

const Long = ({ name, of }: { name: string; of: string }) => (
  <Raw label={name}>
    <code>{of}</code>
  </Raw>
)
