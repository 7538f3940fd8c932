// The call tree of a transaction: caller, callee, function, gas, value and result of each message. Folded branches are not in
// the document, because a transaction can have many thousand messages.
import { useMemo, useState } from 'preact/hooks'
import { api, type EmbeddedAddress, type InternalTransaction, type Trace, type Transaction, useRead } from '../api.ts'
import { withCommas } from '../format.ts'
import { AddressLink, Coins, Copy, Cut, Fields, Loaded, Raw } from '../parts.tsx'
import { type DecodeCall, useCallDecoder } from './call-names.ts'

type Node = { readonly trace: Trace; readonly key: string; readonly calls: Node[] }
type Known = ReadonlyMap<string, EmbeddedAddress>

/** Maximum messages unfolded at first. */
const MOST_UNFOLDED = 100
/** Maximum messages of one caller shown at once. */
const MOST_SIBLINGS = 100

export function CallTree({ of }: { of: Transaction }) {
  const parameters = { transaction_hash_param: of.hash }
  const reading = useRead(api('/transactions/{transaction_hash_param}/raw-trace', parameters))
  const messages = useRead(
    api('/transactions/{transaction_hash_param}/internal-transactions', { ...parameters, items_count: 100 }),
  )
  const known = useMemo(() => addressesIn([of, ...(messages.data?.items ?? [])]), [of, messages.data])
  return (
    <Loaded reading={reading}>
      {(traces) => {
        const root = treeOf(traces)
        if (root === undefined) return <p class="note">Nothing was executed.</p>
        return <Tree root={root} known={known} isLarge={traces.length > MOST_UNFOLDED} />
      }}
    </Loaded>
  )
}

type Parties = Pick<InternalTransaction, 'from' | 'to' | 'created_contract'>

/** The addresses in the transaction and its messages, by their lower-case form. */
const addressesIn = (messages: readonly Parties[]): Known =>
  new Map(
    messages
      .flatMap(({ from, to, created_contract }) => [from, to, created_contract])
      .flatMap((address) => (address === null ? [] : [[address.hash.toLowerCase(), address] as const])),
  )

/** Builds the tree. Traces contain their position ([0, 2] is the third call of the first call) and come in call order. */
function treeOf(traces: readonly Trace[]): Node | undefined {
  const nodes = new Map<string, Node>()
  for (const trace of traces) {
    const key = trace.traceAddress.join('.')
    const node: Node = { trace, key, calls: [] }
    nodes.set(key, node)
    if (trace.traceAddress.length > 0) nodes.get(trace.traceAddress.slice(0, -1).join('.'))?.calls.push(node)
  }
  return nodes.get('')
}

function Tree({ root, known, isLarge }: { root: Node; known: Known; isLarge: boolean }) {
  // `round` is the key of the tree: the buttons recreate all branches, with the new depth.
  const [{ round, depth }, setRound] = useState({ round: 0, depth: isLarge ? 1 : 20 })
  const decode = useCallDecoder(known)
  return (
    <>
      <div class="forms">
        <button type="button" onClick={() => setRound({ round: round + 1, depth: 1024 })}>
          Unfold all
        </button>
        <button type="button" onClick={() => setRound({ round: round + 1, depth: 0 })}>
          Fold all
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard */}
      <section class="calls" aria-label="Tree of calls" tabIndex={0}>
        <ul key={round}>
          <Branch of={root} known={known} decode={decode} unfolded={depth} isUndone={false} />
        </ul>
      </section>
    </>
  )
}

type BranchProps = {
  of: Node
  known: Known
  decode: DecodeCall
  /** Number of levels below that are unfolded at first. */
  unfolded: number
  /** Whether an enclosing call failed. */
  isUndone: boolean
}

function Branch({ of, known, decode, unfolded, isUndone }: BranchProps) {
  const [isOpen, setOpen] = useState(unfolded > 0)
  const [shown, setShown] = useState(MOST_SIBLINGS)
  const [isDataShown, showData] = useState(false)
  const { trace, calls } = of
  const failed = trace.error !== undefined
  return (
    <li>
      <div class={failed || isUndone ? 'frame failed' : 'frame'}>
        {calls.length > 0 ? (
          <button
            type="button"
            class="twist"
            aria-expanded={isOpen}
            aria-label={`${calls.length} ${calls.length === 1 ? 'call' : 'calls'} within`}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? '▾' : '▸'}
          </button>
        ) : (
          <span class="twist" />
        )}
        <Frame of={trace} known={known} decode={decode} isUndone={isUndone} />
        <button type="button" class="action" aria-expanded={isDataShown} onClick={() => showData(!isDataShown)}>
          data
        </button>
      </div>
      {isDataShown && <FrameData of={trace} decode={decode} />}
      {isOpen && calls.length > 0 && (
        <ul>
          {calls.slice(0, shown).map((call) => (
            <Branch
              key={call.key}
              of={call}
              known={known}
              decode={decode}
              unfolded={unfolded - 1}
              isUndone={isUndone || failed}
            />
          ))}
          {calls.length > shown && (
            <li>
              <button type="button" class="action" onClick={() => setShown(shown + MOST_SIBLINGS)}>
                {withCommas(calls.length - shown)} more
              </button>
            </li>
          )}
        </ul>
      )}
    </li>
  )
}

/** One message in one line. */
function Frame({ of, known, decode, isUndone }: Pick<BranchProps, 'known' | 'decode' | 'isUndone'> & { of: Trace }) {
  const { kind, to, value, gasUsed, input } = fieldsOf(of)
  return (
    <>
      <span class="method">{kind}</span>
      {to === null ? <span class="faint">nothing was created</span> : <Party hash={to} known={known} />}
      {of.type === 'call' && to !== null && input !== '0x' && (
        <code>{decode(to, input)?.name ?? input.slice(0, 10)}</code>
      )}
      {BigInt(value) > 0n && <Coins value={BigInt(value).toString()} digits={6} />}
      {gasUsed !== undefined && <span class="faint">{withCommas(Number(gasUsed))} gas</span>}
      {of.error !== undefined ? (
        <span class="bad">
          <Cut text={of.error} />
        </span>
      ) : (
        isUndone && <span class="bad">undone</span>
      )}
    </>
  )
}

function Party({ hash, known }: { hash: string; known: Known }) {
  const address = known.get(hash)
  return (
    <span class="address">
      <AddressLink
        hash={address?.hash ?? hash}
        name={address?.name ?? null}
        isContract={address?.is_contract ?? false}
      />
    </span>
  )
}

function FrameData({ of, decode }: { of: Trace; decode: DecodeCall }) {
  const { input, output, gas, to } = fieldsOf(of)
  const decoded = to === null || of.type !== 'call' ? undefined : decode(to, input)
  return (
    <div class="frame-data">
      <Fields
        of={{
          Function: decoded === undefined ? null : <code>{decoded.text}</code>,
          'Gas given': gas === undefined ? null : withCommas(Number(gas)),
          Input: input === '0x' ? null : <Data of={input} name="Input" />,
          Output: output === '0x' ? null : <Data of={output} name="Output" />,
        }}
      />
    </div>
  )
}

const Data = ({ of, name }: { of: string; name: string }) => (
  <>
    <Raw label={name}>
      <code>{of}</code>
    </Raw>
    <Copy text={of} of={name.toLowerCase()} />
  </>
)

type TraceFields = {
  readonly kind: string
  readonly to: string | null
  readonly value: string
  readonly gas: string | undefined
  readonly gasUsed: string | undefined
  readonly input: string
  readonly output: string
}

/** The common fields of all kinds of traces. */
function fieldsOf(trace: Trace): TraceFields {
  switch (trace.type) {
    case 'call': {
      const { action, result } = trace
      const { callType: kind, to, value, gas, input } = action
      return { kind, to, value, gas, input, gasUsed: result?.gasUsed, output: result?.output ?? '0x' }
    }
    case 'create': {
      const { action, result } = trace
      const { creationMethod: kind, value, gas, init: input } = action
      return {
        kind,
        to: result?.address ?? null,
        value,
        gas,
        input,
        gasUsed: result?.gasUsed,
        output: result?.code ?? '0x',
      }
    }
    case 'selfdestruct': {
      const { refundAddress: to, balance: value } = trace.action
      return { kind: 'selfdestruct', to, value, gas: undefined, gasUsed: undefined, input: '0x', output: '0x' }
    }
  }
}
