// What a page says when the node does not have its subject: what was asked for, why it may be missing, and where to go on.
import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import { api, useHead, useRead } from '../api.ts'
import { withCommas } from '../format.ts'
import { CHAIN, IS_DEVELOPMENT } from '../location.ts'
import { call } from '../rpc.ts'
import { AddressLink, BlockLink } from './links.tsx'

const HASH = /^0x[0-9a-f]{64}$/i
const ADDRESS = /^0x[0-9a-f]{40}$/i

/** Most characters that are shown of what was asked for. */
const LONGEST = 200

/** `asked`: the text of the URL that names the subject; `words`: what to search for. */
function Missing({ asked, words = asked, children }: { asked: string; words?: string; children: ComponentChildren }) {
  return (
    <div class="missing">
      <p>
        <code>
          <bdi>{asked.length > LONGEST ? `${asked.slice(0, LONGEST)}…` : asked}</bdi>
        </code>
      </p>
      {children}
      <nav aria-label="Where to go on">
        <Link class="action" href={`/search?q=${encodeURIComponent(words)}`}>
          Search for it
        </Link>
        <Link class="action" href="/blocks">
          Newest blocks
        </Link>
        <Link class="action" href="/txs">
          Newest transactions
        </Link>
        <Link class="action" href="/">
          Home
        </Link>
      </nav>
    </div>
  )
}

/** A subject of any other kind. */
export const MissingRecord = ({ asked }: { asked: string }) => (
  <Missing asked={asked}>
    <p>There is nothing under this name on this chain.</p>
    <Reasons of={[<OtherChain key="chain" />]} />
  </Missing>
)

const Reasons = ({ of }: { of: readonly ComponentChildren[] }) => (
  <ul>
    {of.filter(Boolean).map((reason, i) => (
      <li key={i}>{reason}</li>
    ))}
  </ul>
)

/** The first block that the node has, and its newest one. */
function useBounds(): { readonly first: number; readonly newest: number | undefined } {
  const { number, version } = useHead()
  const { data } = useRead(api('/stats'), number === undefined ? version : 0)
  return {
    first: data?.first_block ?? 0,
    newest: number ?? (data && data.first_block + data.total_blocks - 1),
  }
}

function OtherChain() {
  const { data } = useRead(call('eth_chainId'))
  return (
    <>
      It may be on another chain: this one is {CHAIN}
      {data !== undefined && <> with the chain id {Number(data)}</>}.
    </>
  )
}

const REMOVED = 'It may have been removed: the chain was set back to an earlier block (evm_revert), or started again.'

/** What else has this hash: a block or a transaction. */
function OtherKind({ of }: { of: string }) {
  const { data } = useRead(api('/search/check-redirect', { q: of }))
  if (data?.redirect !== true) return null
  const path = data.type === 'transaction' ? 'tx' : data.type
  return (
    <p>
      It is the hash of a <Link href={`/${path}/${data.parameter}`}>{data.type}</Link>.
    </p>
  )
}

/** `what` has `digits` hexadecimal digits. */
const Malformed = ({ what, digits, asked }: { what: string; digits: number; asked: string }) => (
  <p>
    This is no {what}: that is 0x and {digits} hexadecimal digits
    {/^0x[0-9a-f]*$/i.test(asked) && <>, and here are {asked.length - 2}</>}.
  </p>
)

export function MissingTransaction({ hash }: { hash: string }) {
  const { first } = useBounds()
  if (!HASH.test(hash)) {
    return (
      <Missing asked={hash}>
        <Malformed what="hash of a transaction" digits={64} asked={hash} />
      </Missing>
    )
  }
  return (
    <Missing asked={hash}>
      <p>
        This node has no such transaction, neither in a block nor <Link href="/txs?tab=waiting">waiting</Link>. The page
        shows it as soon as it is there.
      </p>
      <OtherKind of={hash} />
      <Reasons
        of={[
          'It may not have arrived here, or another one with the same sender and nonce took its place.',
          <OtherChain key="chain" />,
          IS_DEVELOPMENT && REMOVED,
          first > 1 && <>It may be older than block {withCommas(first)}, the first that this node has.</>,
        ]}
      />
    </Missing>
  )
}

export function MissingBlock({ id }: { id: string }) {
  const { first, newest } = useBounds()
  if (HASH.test(id)) {
    return (
      <Missing asked={id}>
        <p>This node has no block with this hash.</p>
        <OtherKind of={id} />
        <Reasons of={[<OtherChain key="chain" />, IS_DEVELOPMENT && REMOVED]} />
      </Missing>
    )
  }
  const number = Number(id)
  return (
    <Missing asked={id}>
      {!/^\d{1,15}$/.test(id) ? (
        <p>This is neither the number of a block nor a hash, which is 0x and 64 hexadecimal digits.</p>
      ) : newest !== undefined && number > newest ? (
        <p>
          It is not there yet: the newest block is <BlockLink number={newest} />. The page shows it as soon as it is
          made.
        </p>
      ) : (
        <p>
          This node does not have it: its first block is <BlockLink number={first} />.
        </p>
      )}
    </Missing>
  )
}

export const MissingAddress = ({ hash }: { hash: string }) => (
  <Missing asked={hash}>
    <Malformed what="address" digits={40} asked={hash} />
  </Missing>
)

export const MissingToken = ({ hash }: { hash: string }) => (
  <Missing asked={hash}>
    {ADDRESS.test(hash) ? (
      <>
        <p>
          The address{' '}
          <span class="address">
            <AddressLink hash={hash} />
          </span>{' '}
          is no token: it answers none of the functions of one, and has logged no transfer.
        </p>
        <Reasons of={[<OtherChain key="chain" />, IS_DEVELOPMENT && REMOVED]} />
      </>
    ) : (
      <Malformed what="address" digits={40} asked={hash} />
    )}
  </Missing>
)

/** A path that is no page. The last part of it may be the name of something. */
export const MissingPage = ({ path }: { path: string }) => (
  <Missing asked={path} words={path.split('/').at(-1) || path}>
    <p>This explorer has no page at this path. The menus above name its pages.</p>
  </Missing>
)
