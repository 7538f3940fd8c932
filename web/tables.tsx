// The table of each kind of list: the key of its rows, and its columns.
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
import { units, withCommas } from './format.ts'
import {
  Address,
  Amount,
  BlockLink,
  COIN,
  Coins,
  DecodedCall,
  Status,
  type Table,
  Time,
  TokenLink,
  TransactionLink,
} from './parts.tsx'

export const blockTable: Table<Block> = {
  keyOf: ({ hash }) => hash,
  columns: [
    ['Block', ({ height }) => <BlockLink number={height} />],
    ['Age', ({ timestamp }) => <Time at={timestamp} />],
    ['Transactions', ({ transactions_count }) => transactions_count],
    [
      'Gas used',
      ({ gas_used, gas_used_percentage }) => (
        <>
          {withCommas(gas_used)} <span class="faint">{gas_used_percentage.toFixed(1)} %</span>
        </>
      ),
    ],
    ['Fees', ({ transaction_fees }) => <Coins value={transaction_fees} digits={6} />],
    ['Proposer', ({ miner }) => <Address of={miner} />],
  ],
}

const kindOf = ({ method, transaction_types: types }: Transaction): string =>
  method ?? (types.includes('contract_creation') ? 'deployment' : types.includes('contract_call') ? 'call' : 'transfer')

export const transactionTable: Table<Transaction> = {
  keyOf: ({ hash }) => hash,
  columns: [
    ['Transaction', ({ hash }) => <TransactionLink hash={hash} />],
    ['Method', (of) => <span class="method">{kindOf(of)}</span>],
    ['Status', ({ status }) => <Status of={status} />],
    ['Block', ({ block_number }) => (block_number === null ? '—' : <BlockLink number={block_number} />)],
    ['Age', ({ timestamp }) => <Time at={timestamp} />],
    ['From', ({ from }) => <Address of={from} />],
    ['To', ({ to, created_contract }) => <Address of={to ?? created_contract} />],
    ['Value', ({ value }) => <Coins value={value} />],
  ],
}

/** The id of what was moved; undefined of an amount of an ERC-20. */
const idOf = (total: Transfer['total']): string | undefined => ('token_id' in total ? total.token_id : undefined)

export const transferTable: Table<Transfer> = {
  keyOf: (of) => `${of.transaction_hash} ${of.log_index} ${idOf(of.total)}`,
  columns: [
    ['Transaction', ({ transaction_hash }) => <TransactionLink hash={transaction_hash} />],
    ['Age', ({ timestamp }) => <Time at={timestamp} />],
    [
      'From',
      ({ from, type }) => (type === 'token_minting' ? <span class="faint">minted</span> : <Address of={from} />),
    ],
    ['To', ({ to, type }) => (type === 'token_burning' ? <span class="faint">burnt</span> : <Address of={to} />)],
    ['Id', ({ total }) => <span class="mono">{idOf(total) ?? '—'}</span>],
    ['Amount', ({ total, token }) => <Amount value={'value' in total ? total.value : '1'} token={token} />],
    ['Token', ({ token }) => <TokenLink of={token} />],
  ],
}

export const internalTable: Table<InternalTransaction> = {
  keyOf: ({ transaction_hash, index }) => `${transaction_hash} ${index}`,
  columns: [
    ['Transaction', ({ transaction_hash }) => <TransactionLink hash={transaction_hash} />],
    ['Type', ({ type }) => <span class="method">{type}</span>],
    ['From', ({ from }) => <Address of={from} />],
    ['To', ({ to, created_contract }) => <Address of={to ?? created_contract} />],
    ['Value', ({ value }) => <Coins value={value} />],
    ['Result', ({ success, error }) => (success ? <Status of="ok" /> : <span class="bad">{error}</span>)],
  ],
}

export const logTable: Table<Log> = {
  keyOf: ({ block_number, index }) => `${block_number} ${index}`,
  columns: [
    ['#', ({ index }) => index],
    ['Contract', ({ address }) => <Address of={address} />],
    [
      'Event',
      ({ decoded, topics, data }) =>
        decoded === null ? (
          <div class="raw">
            {topics.map((topic) => topic !== null && <code key={topic}>{topic}</code>)}
            <code>{data}</code>
          </div>
        ) : (
          <DecodedCall of={decoded} />
        ),
    ],
  ],
}

const amountOf = (value: string | null, { type, token }: StateChange) =>
  value === null ? (
    '—'
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
    ['Before', (row) => amountOf(row.balance_before, row)],
    ['After', (row) => amountOf(row.balance_after, row)],
    [
      'Change',
      (row) =>
        typeof row.change === 'string'
          ? amountOf(row.change, row)
          : row.change.map(({ direction, total }) => `${direction === 'to' ? '+' : '−'} #${idOf(total)}`).join(', '),
    ],
  ],
}

export const tokenTable: Table<Token> = {
  keyOf: ({ address_hash }) => address_hash,
  columns: [
    ['Token', (token) => <TokenLink of={token} />],
    ['Name', ({ name }) => name ?? '—'],
    ['Type', ({ type }) => type],
    [
      'Supply',
      ({ total_supply, decimals }) => (total_supply === null ? '—' : units(total_supply, Number(decimals ?? 0))),
    ],
    ['Holders', ({ holders_count }) => withCommas(holders_count)],
  ],
}

export const balanceTable: Table<TokenBalance> = {
  keyOf: ({ token, token_id }) => `${token.address_hash} ${token_id}`,
  columns: [
    ['Token', ({ token }) => <TokenLink of={token} />],
    ['Type', ({ token }) => token.type],
    ['Id', ({ token_id }) => <span class="mono">{token_id ?? '—'}</span>],
    ['Amount', ({ value, token }) => <Amount value={value} token={token} />],
  ],
}

export const holderTable = (token: Token | EmbeddedToken): Table<Holder> => ({
  keyOf: ({ address }) => address.hash,
  columns: [
    ['Holder', ({ address }) => <Address of={address} full />],
    ['Id', ({ token_id }) => <span class="mono">{token_id ?? '—'}</span>],
    ['Amount', ({ value }) => <Amount value={value} token={token} />],
  ],
})

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
    ['Change', ({ delta }) => <Coins value={delta} digits={6} />],
    ['Balance', ({ value }) => <Coins value={value} digits={6} />],
  ],
}
