// The storage tab of a contract: its variables with values, the parts of one, and what it was before. The variable that is shown, and
// its page, are in the URL.
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { api, type StorageChange, type StorageVariable } from '../api.ts'
import { abbreviated } from '../format.ts'
import { useQuery } from '../location.ts'
import { Address, BlockLink, Copy, Cut, Paginated, Raw, Rows, type Table, Time, TransactionLink } from '../parts.tsx'
import './contract.css'

type Change = (path: string | undefined, shows?: 'history') => void

/** `hash`: the contract's address. */
export default function StorageTab({ hash, version }: { hash: string; version: number }) {
  const [{ variable, shows }, change] = useQuery()
  const open: Change = (path, shows) => change({ variable: path, shows, page: undefined, anchor: undefined })
  return (
    <div class="contract">
      {variable === undefined ? (
        <Variables hash={hash} version={version} open={open} />
      ) : shows === 'history' ? (
        <History hash={hash} path={variable} version={version} open={open} />
      ) : (
        <Variable key={variable} hash={hash} path={variable} open={open} />
      )}
    </div>
  )
}

type Shown = { readonly hash: string; readonly version: number; readonly open: Change }

const storageOf = (hash: string, path?: string) =>
  api('/smart-contracts/{address_hash_param}/storage', {
    address_hash_param: hash,
    ...(path !== undefined && { path }),
  })

function Variables({ hash, version, open }: Shown) {
  return (
    <Paginated list={storageOf(hash)} version={version} order="rank">
      {({ items, layout_of }) =>
        layout_of === null ? (
          <Unknown hash={hash} />
        ) : (
          <>
            {layout_of.hash !== hash && (
              <p class="note">
                Variables of <Address of={layout_of} />, whose code this contract runs, with the values of this
                contract.
              </p>
            )}
            <Rows of={items} table={tableOf(open)} empty="It has no variables in storage." label="Variables" />
          </>
        )
      }
    </Paginated>
  )
}

const Unknown = ({ hash }: { hash: string }) => (
  <p class="note">
    Its variables are not known: there are no sources of it here, or none in Solidity.{' '}
    <Link href={`/verify?address=${hash}`}>Verify the contract</Link>, or start the node with <code>--artifacts</code>{' '}
    and the folder of its build.
  </p>
)

const keyOf = ({ path }: StorageVariable) => path

/** `key`: how the names of the rows are called. */
const tableOf = (open: Change, name = 'Variable'): Table<StorageVariable> => ({
  keyOf,
  columns: [
    [name, (of) => <Name of={of} />],
    ['Type', ({ type }) => <code class="type">{type}</code>],
    ['Value', (of) => <Value of={of} open={open} />],
    ['Slot', (of) => <Slot of={of} />],
    [
      'Earlier',
      (of) =>
        hasHistory(of) ? (
          <button
            type="button"
            class="action"
            onClick={() => open(of.path, 'history')}
            aria-label={`history of ${of.path}`}
          >
            history
          </button>
        ) : (
          <span class="faint">—</span>
        ),
    ],
  ],
})

/** A value, or the length of an array. */
const hasHistory = ({ kind, type }: StorageVariable) => kind === 'value' || (kind === 'array' && type.endsWith('[]'))

const Name = ({ of: { name, contract, key_address } }: { of: StorageVariable }) =>
  key_address !== null ? (
    <Address of={key_address} />
  ) : (
    <span title={contract === null ? undefined : `declared in ${contract}`}>
      <Cut text={name} />
    </span>
  )

/** Longer texts are in a box that scrolls. */
const LONG = 200

function Stored({ text }: { text: string }) {
  if (text === '') return <span class="faint">empty</span>
  if (text.length <= LONG) return <code class={text.length > 32 ? 'stored long' : 'stored'}>{text}</code>
  return (
    <Raw label="Value">
      <code>{text}</code>
    </Raw>
  )
}

const INSIDE = { struct: 'members', mapping: 'values' } as const

function Value({ of, open }: { of: StorageVariable; open: Change }) {
  const { kind, value, value_address, length, path } = of
  if (value_address !== null && !/^0x0+$/.test(value_address.hash)) return <Address of={value_address} />
  if (kind === 'value') return <Stored text={value ?? ''} />
  const inside =
    kind === 'array'
      ? `${(length ?? 0).toLocaleString('en-US')} ${length === 1 ? 'element' : 'elements'}`
      : INSIDE[kind]
  return (
    <button type="button" class="action" onClick={() => open(path)} aria-label={`${inside} of ${path}`}>
      {inside}
    </button>
  )
}

const Slot = ({ of: { slot, offset } }: { of: StorageVariable }) => {
  const number = BigInt(slot)
  return (
    <span class="mono faint nowrap" title={slot}>
      {number < 100_000n ? number.toString() : abbreviated(slot)}
      {offset > 0 && `, byte ${offset}`}
    </span>
  )
}

/** What is shown, with the way back to all variables. */
const Path = ({ path, open }: { path: string; open: Change }) => (
  <p class="path">
    <button type="button" class="action" onClick={() => open(undefined)}>
      ← all variables
    </button>{' '}
    <code class="stored">{path}</code>
  </p>
)

/** Does not follow new blocks: to look for the keys of a mapping is work for the node. */
function Variable({ hash, path, open }: Omit<Shown, 'version'> & { path: string }) {
  return (
    <>
      <Path path={path} open={open} />
      <Paginated list={storageOf(hash, path)} order="rank">
        {({ items, variable, all_keys_tried }) =>
          variable !== null && <Parts of={variable} items={items} open={open} isWhole={all_keys_tried} />
        }
      </Paginated>
    </>
  )
}

function Parts({
  of,
  items,
  open,
  isWhole,
}: {
  of: StorageVariable
  items: readonly StorageVariable[]
  open: Change
  isWhole: boolean
}) {
  const { kind, type } = of
  if (kind === 'value') return <Rows of={[of]} table={tableOf(open)} empty="" label="Variable" />
  return (
    <>
      <p>
        <code class="type">{type}</code>
      </p>
      {kind === 'mapping' && <KeySearch of={of} open={open} />}
      <Rows
        of={items}
        table={tableOf(open, kind === 'mapping' ? 'Key' : kind === 'array' ? 'Index' : 'Member')}
        empty={kind === 'mapping' ? 'No transaction that was looked at names a key with a value.' : 'It is empty.'}
        label={of.path}
      />
      {kind === 'mapping' && (
        <p class="note">
          Keys that senders, calldata and events of the contract’s newest 400 transactions name, and whose value is not
          zero. Storage itself does not tell keys{isWhole ? '.' : '; here only a part of what was seen could be tried.'}
        </p>
      )}
    </>
  )
}

function KeySearch({ of: { path, type }, open }: { of: StorageVariable; open: Change }) {
  const [key, setKey] = useState('')
  const of = /^mapping\((.*?) =>/.exec(type)?.[1] ?? 'key'
  return (
    <form
      class="wallet"
      onSubmit={(event) => {
        event.preventDefault()
        if (key !== '') open(`${path}[${of === 'string' && !key.startsWith('"') ? JSON.stringify(key) : key.trim()}]`)
      }}
    >
      <label class="field">
        Key ({of})
        <input
          class="mono"
          size={46}
          spellcheck={false}
          autocomplete="off"
          value={key}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
        />
      </label>
      <button type="submit" class="action">
        Show value
      </button>
    </form>
  )
}

const historyTable: Table<StorageChange> = {
  keyOf: ({ block_number, value }) => `${block_number} ${value}`,
  columns: [
    [
      'Value',
      ({ value, value_address }) => (value_address === null ? <Stored text={value} /> : <Address of={value_address} />),
    ],
    ['Since block', ({ block_number }) => (block_number === null ? 'before' : <BlockLink number={block_number} />)],
    ['Age', ({ timestamp }) => (timestamp === null ? <span class="faint">—</span> : <Time at={timestamp} />)],
    [
      'Transaction',
      ({ transaction_hash }) =>
        transaction_hash === null ? <span class="faint">—</span> : <TransactionLink hash={transaction_hash} />,
    ],
  ],
}

function History({ hash, path, version, open }: Shown & { path: string }) {
  const list = api('/smart-contracts/{address_hash_param}/storage/history', { address_hash_param: hash, path })
  return (
    <>
      <Path path={path} open={open} />
      <Paginated list={list} version={version} order="time">
        {({ items, variable, is_complete }) => (
          <>
            <p>
              <code class="type">{variable.type}</code> in slot <code class="stored">{variable.slot}</code>
              {variable.offset > 0 && ` from byte ${variable.offset} on`} <Copy text={variable.slot} of="slot" />
              {variable.kind === 'array' && '; its length:'}
            </p>
            <Rows
              of={items}
              table={historyTable}
              empty="It was never written: it is zero."
              label={`History of ${path}`}
            />
            {!is_complete && (
              <p class="note">Older values are not shown: there are many, or this node has pruned their states.</p>
            )}
          </>
        )}
      </Paginated>
    </>
  )
}
