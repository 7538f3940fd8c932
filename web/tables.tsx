// The table of each kind of list: the key of its rows, and its columns.
import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type {
  Block,
  CoinChange,
  EmbeddedToken,
  Holder,
  InternalTransaction,
  Log,
  StateChange,
  Token,
  TokenBalance,
  Transaction,
  Transfer,
} from './api.ts'
import { DecodedCall } from './contract/decoded-call.tsx'
import { abbreviated, type Scale, scaleOf, share, units, withCommas } from './format.ts'
import { Words } from './parts/words.tsx'
import {
  Address,
  Amount,
  BlockLink,
  COIN,
  Coins,
  CoinsOn,
  type Column,
  Cut,
  ItemId,
  isSameAddress,
  NameMark,
  OwnAddress,
  Raw,
  type Table,
  Time,
  TokenLink,
  TokenPicture,
  TransactionLink,
  unitName,
} from './parts.tsx'

const none = <span class="faint">—</span>

/** The value of most transactions is 0, which is nothing to read. */
const Value = ({ of }: { of: string }) => (of === '0' ? none : <Coins value={of} />)

/** A column of amounts that are small: all on one scale, so that their sizes can be compared by eye. */
function amountColumn<T>(name: string, amountOf: (row: T) => string | null): Column<T> {
  const known = new WeakMap<readonly T[], Scale>()
  const scaleIn = (rows: readonly T[]): Scale => {
    const scale = known.get(rows) ?? scaleOf(rows.map((row) => amountOf(row) ?? '0'))
    known.set(rows, scale)
    return scale
  }
  const cell = (row: T, rows: readonly T[]) => {
    const amount = amountOf(row)
    return amount === null || amount === '0' ? none : <CoinsOn value={amount} scale={scaleIn(rows)} />
  }
  return [name, cell, 'number', (rows) => unitName(scaleIn(rows).unit)]
}

/** What stands between sender and recipient: an arrow, or on the page of one of them its direction. */
const Direction = ({ from, to }: { from: string; to: string | undefined }) => {
  const own = useContext(OwnAddress)
  const isSent = isSameAddress(from, own)
  if (!isSent && !isSameAddress(to ?? '', own)) {
    return (
      <span class="direction" aria-hidden="true">
        →
      </span>
    )
  }
  const name = !isSent ? 'in' : isSameAddress(to ?? '', own) ? 'self' : 'out'
  return <span class={`direction ${name}`}>{name}</span>
}

/** The recipient, after the direction. */
const Recipient = ({ from, to, children }: { from: Party; to: Party | null; children?: ComponentChildren }) => (
  <span class="address">
    <Direction from={from.hash} to={to?.hash} />
    {children || <Address of={to} />}
  </span>
)
type Party = { readonly hash: string } & Transaction['from']

/** The proposer of a block; the genesis has none. */
export const Proposer = ({ of: { height, miner }, full = false }: { of: Block; full?: boolean }) =>
  height === 0 ? (
    <span class="faint">none (genesis)</span>
  ) : /^0x0+$/.test(miner.hash) && miner.name === null ? (
    none
  ) : (
    <Address of={miner} full={full} />
  )

export const blockTable: Table<Block> = {
  keyOf: ({ hash }) => hash,
  columns: [
    ['Block', ({ height }) => <BlockLink number={height} />],
    ['Age', ({ timestamp }) => <Time at={timestamp} />],
    ['Transactions', ({ transactions_count }) => transactions_count, 'number'],
    [
      'Gas used',
      ({ gas_used, gas_used_percentage }) => (
        <span>
          {withCommas(gas_used)} <span class="faint">{gas_used_percentage.toFixed(1)} %</span>
        </span>
      ),
      'number',
    ],
    amountColumn('Fees', ({ transaction_fees }) => transaction_fees),
    ['Proposer', (of) => <Proposer of={of} />],
  ],
  lines: [
    ['Block', { named: 'Transactions' }, 'Age'],
    [{ named: 'Proposer' }, { named: 'Gas used' }],
  ],
}

const kindOf = ({ method, transaction_types: types }: Transaction): string =>
  method ?? (types.includes('contract_creation') ? 'deployment' : types.includes('contract_call') ? 'call' : 'transfer')

export const Method = ({ of }: { of: Transaction }) => (
  <span class="method" title={kindOf(of)}>
    {kindOf(of)}
  </span>
)

/** The link, and a mark if it failed: what succeeded needs none. `fault`: what went wrong. */
export const Sent = ({ hash, fault }: { hash: string; fault: string | undefined }) => (
  <span class="address">
    <TransactionLink hash={hash} />
    {fault !== undefined && (
      <span class="status error" title={fault}>
        failed
      </span>
    )}
  </span>
)

export const transactionTable: Table<Transaction> = {
  keyOf: ({ hash }) => hash,
  columns: [
    ['Transaction', ({ hash, status, result }) => <Sent hash={hash} fault={status === 'error' ? result : undefined} />],
    ['Method', (of) => <Method of={of} />],
    ['Block', ({ block_number }) => (block_number === null ? none : <BlockLink number={block_number} />)],
    ['Age', ({ timestamp }) => <Time at={timestamp} />],
    ['From', ({ from }) => <Address of={from} />],
    ['To', ({ from, to, created_contract }) => <Recipient from={from} to={to ?? created_contract} />],
    ['Value', ({ value }) => <Value of={value} />, 'number'],
    amountColumn('Fee', ({ fee }) => fee.value),
  ],
  lines: [
    ['Transaction', 'Method', 'Age'],
    ['From', 'To', 'Value'],
    [{ named: 'Block' }, { named: 'Fee' }],
  ],
}

/** Transactions that failed, each with its reason. */
export const failedTable: Table<Transaction> = {
  keyOf: transactionTable.keyOf,
  columns: [
    ['Transaction', ({ hash }) => <TransactionLink hash={hash} />],
    ['Block', ({ block_number }) => block_number !== null && <BlockLink number={block_number} />],
    ['Age', ({ timestamp }) => <Time at={timestamp} />],
    ['From', ({ from }) => <Address of={from} />],
    ['What failed, and why', ({ summary }) => summary && <Words of={summary} />, 'block'],
  ],
  lines: [['Transaction', { named: 'Block' }, 'Age'], ['What failed, and why']],
}

/** The id of the transferred item; undefined for an ERC-20. */
const idOf = (total: Transfer['total']): string | undefined => ('token_id' in total ? total.token_id : undefined)

export const transferTable: Table<Transfer> = {
  keyOf: (of) => `${of.transaction_hash} ${of.log_index} ${idOf(of.total)}`,
  columns: [
    ['Transaction', ({ transaction_hash }) => <TransactionLink hash={transaction_hash} />],
    ['Method', ({ method }) => (method === null ? none : <span class="method">{method}</span>)],
    ['Age', ({ timestamp }) => <Time at={timestamp} />],
    [
      'From',
      ({ from, type }) => (type === 'token_minting' ? <span class="faint">minted</span> : <Address of={from} />),
    ],
    [
      'To',
      ({ from, to, type }) => (
        <Recipient from={from} to={to}>
          {type === 'token_burning' && <span class="faint">burnt</span>}
        </Recipient>
      ),
    ],
    [
      'Id',
      ({ total, token }) => {
        const id = idOf(total)
        return id !== undefined && <ItemId token={token.address_hash} id={id} />
      },
    ],
    ['Amount', ({ total, token }) => <Amount value={'value' in total ? total.value : '1'} token={token} />, 'number'],
    ['Token', ({ token }) => <TokenLink of={token} />],
  ],
  lines: [
    ['Transaction', 'Method', 'Age'],
    ['From', 'To', ''],
    ['Amount', 'Token', { named: 'Id' }],
  ],
}

export const internalTable: Table<InternalTransaction> = {
  keyOf: ({ transaction_hash, index }) => `${transaction_hash} ${index}`,
  columns: [
    ['Transaction', ({ transaction_hash }) => <TransactionLink hash={transaction_hash} />],
    ['Block', ({ block_number }) => <BlockLink number={block_number} />],
    ['Age', ({ timestamp }) => <Time at={timestamp} />],
    ['Type', ({ type }) => <span class="method">{type}</span>],
    ['From', ({ from }) => <Address of={from} />],
    ['To', ({ from, to, created_contract }) => <Recipient from={from} to={to ?? created_contract} />],
    ['Value', ({ value }) => <Value of={value} />, 'number'],
    ['Gas used', ({ gas_used }) => withCommas(gas_used), 'number'],
    [
      'Result',
      ({ success, error, reverted }) =>
        !success ? (
          <span class="bad">
            <Cut text={error ?? 'failed'} />
          </span>
        ) : reverted ? (
          <span class="bad" title="An enclosing call failed, so that this one was undone.">
            undone
          </span>
        ) : null,
    ],
  ],
  lines: [
    ['Transaction', 'Type', 'Result', 'Age'],
    ['From', 'To', 'Value'],
    [{ named: 'Block' }, { named: 'Gas used' }],
  ],
}

const RawLog = ({ of: { topics, data } }: { of: Log }) => (
  <Raw label="Topics and data">
    {topics.map((topic, i) => topic !== null && <code key={`${i} ${topic}`}>{topic}</code>)}
    {data !== '0x' && <code>{data}</code>}
  </Raw>
)

export const logTable: Table<Log> = {
  keyOf: ({ block_number, index }) => `${block_number} ${index}`,
  columns: [
    ['#', ({ index }) => index],
    ['Contract', ({ address }) => <Address of={address} />],
    [
      'Event',
      (log) =>
        log.decoded === null ? (
          <RawLog of={log} />
        ) : (
          <>
            <DecodedCall of={log.decoded} by={log.address} />
            <details class="more">
              <summary>Topics and data</summary>
              <RawLog of={log} />
            </details>
          </>
        ),
      'block',
    ],
  ],
}

/** Logs of several transactions. */
export const addressLogTable: Table<Log> = {
  keyOf: logTable.keyOf,
  columns: [
    ['Transaction', ({ transaction_hash }) => <TransactionLink hash={transaction_hash} />],
    ['Block', ({ block_number }) => <BlockLink number={block_number} />],
    ['Age', ({ block_timestamp }) => <Time at={block_timestamp} />],
    ...logTable.columns.slice(2),
  ],
}

const amountOf = (value: string | null, { type, token }: StateChange) =>
  value === null ? (
    none
  ) : type === 'coin' || token === null ? (
    <Coins value={value} digits={9} />
  ) : (
    <Amount value={value} token={token} />
  )

export const stateTable: Table<StateChange> = {
  keyOf: ({ address, token, token_id }) => `${address.hash} ${token?.address_hash} ${token_id}`,
  columns: [
    ['Address', ({ address }) => <Address of={address} />],
    ['Of', ({ token }) => (token === null ? COIN : <TokenLink of={token} />)],
    ['Before', (row) => amountOf(row.balance_before, row), 'number'],
    ['After', (row) => amountOf(row.balance_after, row), 'number'],
    [
      'Change',
      (row) =>
        typeof row.change === 'string' ? (
          <span class={row.change.startsWith('-') ? 'bad' : 'ok'}>{amountOf(row.change, row)}</span>
        ) : (
          <Cut
            text={row.change
              .map(
                ({ direction, total }) =>
                  `${direction === 'to' ? '+' : '−'} #${'token_id' in total ? total.token_id : ''}`,
              )
              .join(', ')}
          />
        ),
      'number',
    ],
  ],
}

export const tokenTable: Table<Token> = {
  keyOf: ({ address_hash }) => address_hash,
  columns: [
    [
      'Token',
      (token) => (
        <span class="address">
          <TokenPicture of={token} size={22} />
          <Link href={`/token/${token.address_hash}`}>
            <Cut text={token.name || token.symbol || abbreviated(token.address_hash)} />
          </Link>
          <NameMark of={token.name_warning} />
          {token.name && token.symbol && (
            <span class="faint">
              <Cut text={token.symbol} />
            </span>
          )}
        </span>
      ),
    ],
    [
      'Contract',
      ({ address_hash }) => (
        <Link class="mono" title={address_hash} href={`/address/${address_hash}`}>
          {abbreviated(address_hash)}
        </Link>
      ),
    ],
    ['Type', ({ type }) => type],
    [
      'Supply',
      ({ total_supply, decimals }) =>
        total_supply === null ? none : <Cut text={units(total_supply, Number(decimals ?? 0))} />,
      'number',
    ],
    ['Holders', ({ holders_count }) => withCommas(holders_count), 'number'],
  ],
  lines: [['Token', 'Type'], ['Contract', { named: 'Holders' }], [{ named: 'Supply' }]],
}

export const balanceTable: Table<TokenBalance> = {
  keyOf: ({ token, token_id }) => `${token.address_hash} ${token_id}`,
  columns: [
    ['Token', ({ token }) => <TokenLink of={token} />],
    ['Name', ({ token }) => (token.name === null ? none : <Cut text={token.name} />)],
    ['Type', ({ token }) => token.type],
    ['Id', ({ token, token_id }) => (token_id === null ? none : <ItemId token={token.address_hash} id={token_id} />)],
    ['Amount', ({ value, token }) => <Amount value={value} token={token} />, 'number'],
  ],
  lines: [
    ['Token', 'Amount'],
    ['Name', 'Type', { named: 'Id' }],
  ],
}

/** Holders of a token, the largest first. */
export const holderTable = (token: Token | EmbeddedToken): Table<Holder> => ({
  keyOf: ({ address, token_id }) => `${address.hash} ${token_id}`,
  columns: [
    ['Holder', ({ address }) => <Address of={address} />],
    ...(token.type === 'ERC-1155'
      ? ([
          [
            'Id',
            ({ token_id }: Holder) => (token_id === null ? none : <ItemId token={token.address_hash} id={token_id} />),
          ],
        ] as const)
      : []),
    ['Amount', ({ value }) => <Amount value={value} token={token} />, 'number'],
    ...(token.type === 'ERC-20' && token.total_supply !== null
      ? ([
          ['Share', ({ value }: Holder) => <Share part={value} whole={token.total_supply ?? '0'} />, 'number'],
        ] as const)
      : []),
  ],
  lines: [
    ['Holder', 'Amount'],
    [{ named: 'Id' }, 'Share'],
  ],
})

/** A part of a whole, as a number and a bar. */
export const Share = ({ part, whole }: { part: string; whole: string }) => {
  const percentage = share(part, whole)
  if (percentage === undefined) return none
  return (
    <span class="share">
      {percentage}
      <span class="bar">
        <i style={{ width: `${Math.min(100, Number.parseFloat(percentage.replace('<', '')))}%` }} />
      </span>
    </span>
  )
}

export const coinTable: Table<CoinChange> = {
  keyOf: ({ block_number }) => block_number,
  columns: [
    ['Block', ({ block_number }) => <BlockLink number={block_number} />],
    ['Age', ({ block_timestamp }) => <Time at={block_timestamp} />],
    [
      'Transaction',
      ({ transaction_hash }) =>
        transaction_hash === null ? (
          <span class="faint">by the block</span>
        ) : (
          <TransactionLink hash={transaction_hash} />
        ),
    ],
    ['Change', ({ delta }) => <Coins value={delta} digits={6} />, 'number'],
    ['Balance', ({ value }) => <Coins value={value} digits={6} />, 'number'],
  ],
  lines: [
    [{ named: 'Block' }, 'Transaction', 'Age'],
    [{ named: 'Change' }, { named: 'Balance' }],
  ],
}
