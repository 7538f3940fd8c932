// The call tree of a transaction: functions with their arguments, gas, value and failure of each call, with events and prints in
// their places. Folded branches are not in the document, because a transaction can have many thousand calls.
import { useMemo, useState } from 'preact/hooks'
import type { SolidityTrace } from '../../src/contracts/solidity-trace.ts'
import { api, type EmbeddedAddress, type InternalTransaction, type Reading, type Transaction, useRead } from '../api.ts'
import { abbreviated, withCommas } from '../format.ts'
import { AddressLink, Coins, Copy, Cut, Fields, Loaded, Raw } from '../parts.tsx'
import { useCallDecoder } from './call-names.ts'
import { type Call, callsOf, callsOfRaw } from './calls.ts'

type Known = ReadonlyMap<string, EmbeddedAddress>

/** Maximum calls unfolded at first. */
const MOST_UNFOLDED = 100
/** Maximum calls of one caller shown at once. */
const MOST_SIBLINGS = 100
/** Maximum characters of a call's words in its line. */
const LONGEST_WORDS = 160

export function CallTree({ of, trace }: { of: Transaction; trace: Reading<SolidityTrace> }) {
  const parameters = { transaction_hash_param: of.hash, items_count: 100 }
  const messages = useRead(api('/transactions/{transaction_hash_param}/internal-transactions', parameters))
  const known = useMemo(() => addressesIn([of, ...(messages.data?.items ?? [])]), [of, messages.data])
  if (trace.error !== undefined) return <RawTree of={of} known={known} />
  return <Loaded reading={trace}>{(root) => <TracedTree of={root} known={known} />}</Loaded>
}

type Parties = Pick<InternalTransaction, 'from' | 'to' | 'created_contract'>

/** The addresses in the transaction and its messages, by their lower-case form. */
const addressesIn = (messages: readonly Parties[]): Known =>
  new Map(
    messages
      .flatMap(({ from, to, created_contract }) => [from, to, created_contract])
      .flatMap((address) => (address === null ? [] : [[address.hash.toLowerCase(), address] as const])),
  )

function TracedTree({ of, known }: { of: SolidityTrace; known: Known }) {
  const [hidesInternal, hide] = useState(false)
  const root = useMemo(() => callsOf(of, hidesInternal), [of, hidesInternal])
  return (
    <Tree root={root} known={known}>
      <button type="button" aria-pressed={!hidesInternal} onClick={() => hide(!hidesInternal)}>
        Internal calls
      </button>
    </Tree>
  )
}

function RawTree({ of, known }: { of: Transaction; known: Known }) {
  const parameters = { transaction_hash_param: of.hash }
  const reading = useRead(api('/transactions/{transaction_hash_param}/raw-trace', parameters))
  const decode = useCallDecoder(known)
  return (
    <Loaded reading={reading}>
      {(traces) => {
        const root = callsOfRaw(traces, decode)
        return root === undefined ? <p class="note">Nothing was executed.</p> : <Tree root={root} known={known} />
      }}
    </Loaded>
  )
}

/** Whether a tree has more calls than that. */
function isLarger({ calls }: Call, budget: { left: number }): boolean {
  budget.left--
  return budget.left < 0 || calls.some((call) => isLarger(call, budget))
}

function Tree({ root, known, children }: { root: Call; known: Known; children?: preact.ComponentChildren }) {
  const isLarge = isLarger(root, { left: MOST_UNFOLDED })
  // `round` is the key of the tree: the buttons recreate all branches, with the new depth.
  const [{ round, depth }, setRound] = useState({ round: 0, depth: isLarge ? 1 : 20 })
  return (
    <>
      <div class="forms">
        <button type="button" onClick={() => setRound({ round: round + 1, depth: 1024 })}>
          Unfold all
        </button>
        <button type="button" onClick={() => setRound({ round: round + 1, depth: 0 })}>
          Fold all
        </button>
        {children}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard */}
      <section class="calls" aria-label="Tree of calls" tabIndex={0}>
        <ul key={round}>
          <Branch of={root} known={known} unfolded={depth} isUndone={false} />
        </ul>
      </section>
    </>
  )
}

type BranchProps = {
  of: Call
  known: Known
  /** Number of levels below that are unfolded at first. */
  unfolded: number
  /** Whether an enclosing call failed. */
  isUndone: boolean
}

function Branch({ of, known, unfolded, isUndone }: BranchProps) {
  const [isOpen, setOpen] = useState(unfolded > 0)
  const [shown, setShown] = useState(MOST_SIBLINGS)
  const [isDataShown, showData] = useState(false)
  const { calls, failure } = of
  const isFailed = failure !== undefined
  return (
    <li>
      <div class={isFailed || isUndone ? `frame failed ${of.kind}` : `frame ${of.kind}`}>
        {calls.length > 0 ? (
          <button
            type="button"
            class="twist"
            aria-expanded={isOpen}
            aria-label={`${calls.length} ${calls.length === 1 ? 'entry' : 'entries'} within`}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? '▾' : '▸'}
          </button>
        ) : (
          <span class="twist" />
        )}
        <Line of={of} known={known} isUndone={isUndone} />
        {of.input !== undefined && (
          <button type="button" class="action" aria-expanded={isDataShown} onClick={() => showData(!isDataShown)}>
            data
          </button>
        )}
      </div>
      {isDataShown && <CallData of={of} />}
      {isOpen && calls.length > 0 && (
        <ul>
          {calls.slice(0, shown).map((call) => (
            <Branch key={call.key} of={call} known={known} unfolded={unfolded - 1} isUndone={isUndone || isFailed} />
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

/** One call, event or print in one line. */
function Line({ of, known, isUndone }: Pick<BranchProps, 'of' | 'known' | 'isUndone'>) {
  const { kind, to, name, words, place, value = '0', gasUsed, failure } = of
  return (
    <>
      <span class="method">{kind}</span>
      {to === null ? (
        <span class="faint">nothing was created</span>
      ) : (
        to && <Party hash={to} name={name} known={known} />
      )}
      {words !== undefined && <code title={words}>{inShort(words)}</code>}
      {BigInt(value) > 0n && <Coins value={BigInt(value).toString()} digits={6} />}
      {gasUsed !== undefined && <span class="faint">{withCommas(Number(gasUsed))} gas</span>}
      {place !== undefined && <span class="faint place">{place}</span>}
      {failure !== undefined ? (
        <span class="bad">
          <Cut text={shortened(failure)} />
        </span>
      ) : (
        isUndone && to !== undefined && <span class="bad">undone</span>
      )}
    </>
  )
}

/** With short addresses. */
const shortened = (text: string): string =>
  text.replaceAll(/\b0x[0-9a-f]{40}\b/gi, (address) => abbreviated(address, 4))

function inShort(words: string): string {
  const text = shortened(words)
  return text.length > LONGEST_WORDS ? `${text.slice(0, LONGEST_WORDS)}…` : text
}

function Party({ hash, name, known }: { hash: string; name: string | undefined; known: Known }) {
  const address = known.get(hash)
  return (
    <span class="address">
      <AddressLink
        hash={address?.hash ?? hash}
        name={name ?? address?.name ?? null}
        isContract={address?.is_contract ?? name !== undefined}
      />
    </span>
  )
}

function CallData({ of: { words, failure, place, gas, input = '0x', output = '0x' } }: { of: Call }) {
  return (
    <div class="frame-data">
      <Fields
        of={{
          Function: words === undefined ? null : <code>{words}</code>,
          Failure: failure === undefined ? null : <span class="bad">{failure}</span>,
          'Called at': place === undefined ? null : <code>{place}</code>,
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
