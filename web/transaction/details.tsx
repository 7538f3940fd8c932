// The fields of a transaction.
import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import { type EmbeddedAddress, type Transaction, useRead } from '../api.ts'
import { DecodedCall } from '../contract/decoded-call.tsx'
import { gwei, units, withCommas } from '../format.ts'
import {
  Address,
  AddressLink,
  Amount,
  BlockLink,
  Coins,
  Copy,
  Fields,
  ItemId,
  Raw,
  Time,
  TokenLink,
} from '../parts.tsx'
import { call } from '../rpc.ts'
import { Input } from './input.tsx'

const TYPES: Readonly<Record<number, string>> = {
  0: 'legacy',
  1: 'access list, EIP-2930',
  2: 'dynamic fee, EIP-1559',
  3: 'blobs, EIP-4844',
  4: 'delegations, EIP-7702',
}

/** `newest`: number of the newest block, once one has been announced. */
export function Details({ of, newest }: { of: Transaction; newest: number | undefined }) {
  const accessList = useAccessList(of)
  const printed = useConsole(of)
  return (
    <Fields
      of={{
        ...result(of),
        Console: printed.length === 0 ? null : <Lines of={printed.map(({ text }) => text)} />,
        ...summary(of, newest),
        Moved: of.token_transfers !== null && of.token_transfers.length > 0 ? <Moved of={of} /> : null,
        ...fees(of),
        Blobs: of.blob_versioned_hashes === undefined ? null : <Blobs of={of} />,
        Delegations: of.authorization_list && of.authorization_list.length > 0 ? <Authorizations of={of} /> : null,
        'Access list': accessList.length === 0 ? null : <AccessList of={accessList} />,
        Others: <Others of={of} />,
        Input: of.raw_input === '0x' ? null : <Input of={of} />,
      }}
    />
  )
}

const result = (of: Transaction): Record<string, ComponentChildren> => ({
  Result: of.status === 'error' ? <span class="bad">{of.result}</span> : null,
  Reason: of.revert_reason === null ? null : <Reason of={of.revert_reason} by={of.to} />,
})

const summary = (of: Transaction, newest: number | undefined): Record<string, ComponentChildren> => ({
  Hash: (
    <>
      <code>{of.hash}</code> <Copy text={of.hash} of="hash" />
    </>
  ),
  Block: of.block_number === null ? of.status === null ? 'waiting' : null : <InBlock of={of} newest={newest} />,
  Time: of.timestamp === null ? null : <Time at={of.timestamp} full />,
  From: <Address of={of.from} full />,
  To: of.to === null ? null : <Party of={of.to} />,
  Created: of.created_contract === null ? null : <Party of={of.created_contract} />,
  Value: <Coins value={of.value} digits={18} />,
})

/** What contracts have printed; nothing in production. */
const useConsole = ({ hash, block_number }: Transaction) =>
  useRead(block_number === null ? undefined : call('kestrel_getConsoleLogs', hash)).data ?? []

const Lines = ({ of }: { of: readonly string[] }) => (
  <Raw label="Console">
    {of.map((line, i) => (
      <div key={`${i} ${line}`}>
        <code>{line}</code>
      </div>
    ))}
  </Raw>
)

/** The callee, with the implementation of a proxy or delegation. */
const Party = ({ of }: { of: EmbeddedAddress }) => (
  <>
    <Address of={of} full />
    {of.implementations.map(({ address_hash, name }) => (
      <div class="of" key={address_hash}>
        {of.proxy_type === 'eip7702' ? 'delegates to ' : 'proxy of '}
        <span class="address">
          <AddressLink hash={address_hash} name={name} isContract />
        </span>
      </div>
    ))}
  </>
)

const InBlock = ({ of: { block_number, confirmations }, newest }: { of: Transaction; newest: number | undefined }) => {
  const number = block_number ?? 0
  const count = newest === undefined || newest < number ? confirmations : newest - number + 1
  return (
    <>
      <BlockLink number={number} />{' '}
      <span class="faint">
        {withCommas(count)} {count === 1 ? 'confirmation' : 'confirmations'}
      </span>
    </>
  )
}

const Reason = ({ of, by }: { of: NonNullable<Transaction['revert_reason']>; by: EmbeddedAddress | null }) =>
  'raw' in of ? (
    <Raw label="Revert data">
      <code>{of.raw}</code>
    </Raw>
  ) : (
    <DecodedCall of={of} by={by} />
  )

const fees = (of: Transaction): Record<string, ComponentChildren> => ({
  Fee:
    of.fee.value === null ? null : (
      <>
        <Coins value={of.fee.value} digits={18} /> {of.fee.type === 'maximum' && <span class="faint">at most</span>}
      </>
    ),
  Gas: (
    <>
      {of.gas_used !== null && `${withCommas(of.gas_used)} of `}
      {withCommas(of.gas_limit)}{' '}
      {of.gas_used !== null && (
        <span class="faint">({((100 * Number(of.gas_used)) / Number(of.gas_limit)).toFixed(2)} %)</span>
      )}
    </>
  ),
  'Gas price': <GasPrice of={of} />,
  'Priority fee': of.priority_fee === null ? null : <Coins value={of.priority_fee} digits={18} />,
  // Zero on chains whose base fees go to stakers.
  'Burnt fee':
    of.transaction_burnt_fee && Number(of.transaction_burnt_fee) > 0 ? (
      <Coins value={of.transaction_burnt_fee} digits={18} />
    ) : null,
  'Saved by the max fee': saved(of),
})

/** The gas price, with base fee and tip. */
const GasPrice = ({ of }: { of: Transaction }) => {
  const parts = [
    ['base', of.base_fee_per_gas],
    ['max', of.max_fee_per_gas],
    ['max priority', of.max_priority_fee_per_gas],
  ].flatMap(([name, price]) => (typeof price === 'string' ? [`${name} ${gwei(price, 9)}`] : []))
  return (
    <>
      {gwei(of.gas_price, 9)} {parts.length > 0 && <span class="faint">({parts.join(' · ')})</span>}
    </>
  )
}

const Others = ({ of: { type, nonce, position } }: { of: Transaction }) => (
  <span class="others">
    <span>
      <span class="faint">Type</span> {type} ({TYPES[type] ?? 'unknown'})
    </span>
    <span>
      <span class="faint">Nonce</span> {nonce}
    </span>
    {position !== null && (
      <span>
        <span class="faint">Position in the block</span> {position}
      </span>
    )}
  </span>
)

/** The difference between the max fee and the paid gas price. */
function saved({ max_fee_per_gas, gas_price, gas_used }: Transaction): ComponentChildren {
  if (max_fee_per_gas === null || gas_used === null) return null
  return <Coins value={String((BigInt(max_fee_per_gas) - BigInt(gas_price)) * BigInt(gas_used))} digits={18} />
}

const Blobs = ({ of }: { of: Transaction }) => (
  <>
    {of.blob_versioned_hashes?.map((hash) => (
      <div key={hash}>
        <code>{hash}</code>
      </div>
    ))}
    <Fields
      of={{
        'Blob gas': of.blob_gas_used === undefined ? null : withCommas(of.blob_gas_used),
        'Blob gas price': of.blob_gas_price === undefined ? null : `${units(of.blob_gas_price, 9, 9)} gwei`,
        'Max blob gas price': of.max_fee_per_blob_gas === undefined ? null : gwei(of.max_fee_per_blob_gas, 9),
        'Blob fee':
          of.blob_gas_used === undefined || of.blob_gas_price === undefined ? null : (
            <Coins value={String(BigInt(of.blob_gas_used) * BigInt(of.blob_gas_price))} digits={18} />
          ),
        'Blob fee burnt': of.burnt_blob_fee === undefined ? null : <Coins value={of.burnt_blob_fee} digits={18} />,
      }}
    />
  </>
)

const Moved = ({ of: { token_transfers, token_transfers_overflow } }: { of: Transaction }) => (
  <>
    {token_transfers?.map(({ log_index, from, to, token, total, type }) => (
      <div class="moved" key={`${log_index} ${'token_id' in total ? total.token_id : ''}`}>
        {'token_id' in total && <ItemId token={token.address_hash} id={total.token_id} />}
        {'value' in total && <Amount value={total.value} token={token} />}
        <TokenLink of={token} />
        <span class="faint">from</span>
        {type === 'token_minting' ? <span class="faint">nothing (minted)</span> : <Address of={from} />}
        <span class="faint">to</span>
        {type === 'token_burning' ? <span class="faint">nothing (burnt)</span> : <Address of={to} />}
      </div>
    ))}
    {token_transfers_overflow === true && <span class="faint">and more, in the list below</span>}
  </>
)

const Authorizations = ({ of }: { of: Transaction }) => (
  <>
    {of.authorization_list?.map(({ authority, address_hash, nonce, chain_id, status }, i) => (
      <div class="moved" key={`${i} ${authority} ${nonce}`}>
        {authority === null ? (
          <span class="faint">no valid signer</span>
        ) : (
          <span class="address">
            <AddressLink hash={authority} />
          </span>
        )}
        <span class="faint">runs</span>
        <span class="address">
          <AddressLink hash={address_hash} />
        </span>
        <span class="faint">
          nonce {nonce}, {chain_id === 0 ? 'any chain' : `chain ${chain_id}`}
        </span>
        <span class={status === 'ok' ? 'ok' : status === null ? 'faint' : 'bad'}>
          {status === 'ok' ? 'accepted' : (status ?? 'waiting').replaceAll('_', ' ')}
        </span>
      </div>
    ))}
  </>
)

/** The access list (EIP-2930), which Blockscout's API does not have. */
const useAccessList = ({ hash, type }: Transaction) =>
  useRead(type === 0 ? undefined : call('eth_getTransactionByHash', hash)).data?.accessList ?? []

const AccessList = ({ of }: { of: ReturnType<typeof useAccessList> }) => (
  <>
    {of.map(({ address, storageKeys }) => (
      <div key={address}>
        <Link class="mono" href={`/address/${address}`}>
          {address}
        </Link>
        {storageKeys.map((key) => (
          <div key={key}>
            <code class="faint">{key}</code>
          </div>
        ))}
      </div>
    ))}
  </>
)
