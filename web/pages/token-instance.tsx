// The page of one item of a token: its picture, attributes, owner, transfers, holders and metadata.
import { useEffect, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { act, api, type TokenInstance, useBlockVersion, useLive, useRead } from '../api.ts'
import { TextBox } from '../contract/text-box.tsx'
import { attributesOf } from '../item-attributes.ts'
import { ItemPicture, itemName, pictureOf } from '../item-picture.tsx'
import { useTitle } from '../location.ts'
import { MissingRecord } from '../parts/missing.tsx'
import { Address, Fields, LoadedPage, PaginatedTable, type Tab, Tabs, TokenLink } from '../parts.tsx'
import { holderTable, transferTable } from '../tables.tsx'
import '../inventory.css'
import './contract.css'

export default function ItemPage({ hash, id }: { hash: string; id: string }) {
  const blocks = useBlockVersion()
  const [fetched, setFetched] = useState(0)
  const item = { address_hash_param: hash, token_id_param: id }
  const reading = useRead(api('/tokens/{address_hash_param}/instances/{token_id_param}', item), blocks + fetched)
  useLive(`token_instances:${hash.toLowerCase()}`, 'fetched_token_instance_metadata', () =>
    setFetched((before) => before + 1),
  )
  useTitle(
    reading.data &&
      `${itemName(reading.data)} of ${reading.data.token?.symbol ?? reading.data.token?.name ?? 'a token'}`,
  )
  return (
    <LoadedPage reading={reading} name="Item" missing={<MissingRecord asked={id} />}>
      {(of) => (
        <>
          <section class="card contract">
            <h1>
              {itemName(of)} {of.token !== null && <TokenLink of={of.token} />}
            </h1>
            <div class="item">
              <Media of={of} />
              <Facts of={of} item={item} fetched={fetched} />
            </div>
          </section>
          <Tabs of={tabsOf(of, item, blocks)} />
        </>
      )}
    </LoadedPage>
  )
}

/** The path parameters of an item: the token's address and its id. */
type Item = { readonly address_hash_param: string; readonly token_id_param: string }

/** The picture; videos and sounds on the chain can be played. */
function Media({ of }: { of: TokenInstance }) {
  const { media_path: path, media_type: type, image_url: image } = of
  const source = path === null ? undefined : `${path}?field=animation`
  const host = pictureOf(of) === undefined && image !== null ? URL.parse(image)?.host : undefined
  return (
    <div>
      <ItemPicture of={of} alt={itemName(of)} />
      {/* biome-ignore lint/a11y/useMediaCaption: issuers give no captions */}
      {source !== undefined && type?.startsWith('video/') && <video controls preload="none" src={source} />}
      {/* biome-ignore lint/a11y/useMediaCaption: see above */}
      {source !== undefined && type?.startsWith('audio/') && <audio controls preload="none" src={source} />}
      {host && image !== null && (
        <p class="note">
          The picture is not on the chain:{' '}
          <a href={image} rel="noreferrer nofollow" target="_blank">
            open it at {host}
          </a>
        </p>
      )}
    </div>
  )
}

/** Maximum shown characters of a description; the metadata have the rest. */
const LONGEST_DESCRIPTION = 2000

function Facts({ of, item, fetched }: { of: TokenInstance; item: Item; fetched: number }) {
  const hash = item.address_hash_param
  const description = of.metadata?.['description']
  const attributes = attributesOf(of.metadata)
  return (
    <div>
      {typeof description === 'string' && description !== '' && (
        <p class="description">{description.slice(0, LONGEST_DESCRIPTION)}</p>
      )}
      <Fields
        of={{
          Id: <code>{of.id}</code>,
          Owner: of.owner === null ? null : <Address of={of.owner} full />,
          Contract: (
            <Link class="mono" href={`/token/${hash}`}>
              {of.token?.address_hash ?? hash}
            </Link>
          ),
          Type: of.token?.type,
          Page:
            of.external_app_url === null ? null : (
              <a href={of.external_app_url} rel="noreferrer nofollow" target="_blank">
                {of.external_app_url}
              </a>
            ),
        }}
      />
      {attributes.length > 0 && (
        <dl class="traits">
          {attributes.map(({ name, value }, i) => (
            // Issuers may repeat a name.
            <div key={i}>
              <dt title={name}>{name}</dt>
              <dd title={value}>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      <RefreshButton item={item} fetched={fetched} />
    </div>
  )
}

/** Milliseconds until the page says that no metadata arrived. */
const PATIENCE = 15_000

/** Requests the node to read the metadata again. `fetched` increases with each event of read metadata. */
function RefreshButton({ item, fetched }: { item: Item; fetched: number }) {
  const [word, setWord] = useState('')
  const [isWaiting, setWaiting] = useState(false)
  const end = (last: string) => {
    setWaiting(false)
    setWord(last)
  }
  useEffect(() => {
    if (isWaiting) end('Read again.')
  }, [fetched])
  useEffect(() => {
    if (!isWaiting) return
    const timer = setTimeout(() => end('No metadata came that this node may read.'), PATIENCE)
    return () => clearTimeout(timer)
  }, [isWaiting])
  const refresh = async () => {
    setWord('Reading …')
    setWaiting(true)
    await act('PATCH', '/tokens/{address_hash_param}/instances/{token_id_param}/refetch-metadata', item).catch(
      (error: Error) => end(error.message),
    )
  }
  return (
    <p>
      <button type="button" class="action" disabled={isWaiting} onClick={refresh}>
        Refresh metadata
      </button>{' '}
      <span role="status" class="faint">
        {word}
      </span>
    </p>
  )
}

function tabsOf(of: TokenInstance, item: Item, version: number): Tab[] {
  const { token, metadata } = of
  const transfers: Tab = {
    name: 'Transfers',
    content: () => (
      <PaginatedTable
        list={api('/tokens/{address_hash_param}/instances/{token_id_param}/transfers', item)}
        table={transferTable}
        empty="It has not been moved."
        version={version}
      />
    ),
  }
  const holders: Tab[] =
    token === null || token.type === 'ERC-721'
      ? []
      : [
          {
            name: 'Holders',
            content: () => (
              <PaginatedTable
                list={api('/tokens/{address_hash_param}/instances/{token_id_param}/holders', item)}
                table={holderTable(token)}
                empty="Nobody holds it."
                version={version}
              />
            ),
          },
        ]
  const raw: Tab[] = metadata === null ? [] : [{ name: 'Metadata', content: () => <Metadata of={metadata} /> }]
  return [transfers, ...holders, ...raw]
}

/** Maximum shown characters of a text in the metadata; drawings have many thousands. */
const LONGEST_TEXT = 300

const Metadata = ({ of }: { of: NonNullable<TokenInstance['metadata']> }) => (
  <div class="contract">
    <TextBox
      title="Metadata"
      text={JSON.stringify(of, null, 2)}
      shown={JSON.stringify(of, (_, value: unknown) => shortened(value), 2)}
      language="json"
      file="metadata.json"
    />
  </div>
)

const shortened = (value: unknown): unknown =>
  typeof value === 'string' && value.length > LONGEST_TEXT
    ? `${value.slice(0, LONGEST_TEXT)}… (${value.length.toLocaleString('en-US')} characters)`
    : value
