// The call tree of a transaction: a line for each call with arguments, result, gas and failure, with storage, events, moved coins and
// prints in the order in which they happened. Only lines near the visible ones are in the document, because there can be many
// thousands; the chosen line is shown in full below.
import { useMemo, useState } from 'preact/hooks'
import type { SolidityTrace } from '../../src/contracts/solidity-trace.ts'
import type { StorageFrame } from '../../src/contracts/storage-steps.ts'
import { api, type InternalTransaction, type Reading, type Transaction, useRead } from '../api.ts'
import { abbreviated, units, withCommas } from '../format.ts'
import { VirtualList } from '../parts/virtual-list.tsx'
import { COIN, Loaded } from '../parts.tsx'
import { CallDetails, type Known, shown } from './call-details.tsx'
import { useCallDecoder } from './call-names.ts'
import { type Call, callsOf, callsOfRaw, type Hidden, hasEffect, namesIn, type Row, rowsOf } from './calls.ts'

/** Maximum calls unfolded at first. */
const MOST_UNFOLDED = 300
/** Maximum characters of a call's words in its line. */
const LONGEST_WORDS = 160
/** Variables of a slot in its line. */
const MOST_VARIABLES = 2
/** Pixels of a line, and of a level up to the deepest that is indented; `.frame` has the height, too. */
const ROW_HEIGHT = 28
const INDENT = 18
const DEEPEST = 24
/** Characters of the longest line. */
const WIDEST = 240

export function CallTree({ of, trace }: { of: Transaction; trace: Reading<SolidityTrace> }) {
  if (trace.error !== undefined) return <RawTree of={of} />
  return <Loaded reading={trace}>{(root) => <TracedTree of={root} transaction={of} />}</Loaded>
}

type Parties = Pick<InternalTransaction, 'from' | 'to' | 'created_contract'>

/** The addresses in the transaction and its messages, by their lower-case form. */
const addressesIn = (messages: readonly Parties[]): Known =>
  new Map(
    messages
      .flatMap(({ from, to, created_contract }) => [from, to, created_contract])
      .flatMap((address) => (address === null ? [] : [[address.hash.toLowerCase(), address] as const])),
  )

const SWITCHES = [
  ['internal', 'Internal calls'],
  ['writes', 'Storage writes'],
  ['reads', 'Storage reads'],
] as const

function TracedTree({ of, transaction }: { of: SolidityTrace; transaction: Transaction }) {
  const [hidden, setHidden] = useState<Hidden>({ internal: false, writes: false, reads: true })
  const root = useMemo(() => callsOf(of, hidden), [of, hidden])
  const known = useMemo(() => addressesIn([transaction]), [transaction])
  return (
    <>
      <Tree root={root} known={known}>
        {SWITCHES.map(([what, name]) => (
          <button
            type="button"
            key={what}
            aria-pressed={!hidden[what]}
            onClick={() => setHidden({ ...hidden, [what]: !hidden[what] })}
          >
            {name}
          </button>
        ))}
      </Tree>
      <Missing of={of} />
    </>
  )
}

/** What the node has left out. */
function Missing({ of: { isCut, leftOut } }: { of: SolidityTrace }) {
  const parts = [
    isCut && 'the first steps were not kept, so that internal calls and storage of the beginning are missing',
    leftOut && leftOut.storage > 0 && `${withCommas(leftOut.storage)} more reads and writes of storage are not shown`,
    leftOut && leftOut.events > 0 && `${withCommas(leftOut.events)} more events are not shown`,
  ].filter(Boolean)
  return parts.length === 0 ? null : <p class="note">This transaction did very much: {parts.join('; ')}.</p>
}

function RawTree({ of }: { of: Transaction }) {
  const parameters = { transaction_hash_param: of.hash }
  const messages = useRead(
    api('/transactions/{transaction_hash_param}/internal-transactions', { ...parameters, items_count: 100 }),
  )
  const known = useMemo(() => addressesIn([of, ...(messages.data?.items ?? [])]), [of, messages.data])
  const reading = useRead(api('/transactions/{transaction_hash_param}/raw-trace', parameters))
  const decode = useCallDecoder(known)
  const root = useMemo(() => reading.data && callsOfRaw(reading.data, decode), [reading.data, decode])
  return (
    <Loaded reading={reading}>
      {() => (root === undefined ? <p class="note">Nothing was executed.</p> : <Tree root={root} known={known} />)}
    </Loaded>
  )
}

/** Whether a tree has more calls than that. */
function isLarger({ calls }: Call, budget: { left: number }): boolean {
  budget.left--
  return budget.left < 0 || calls.some((call) => isLarger(call, budget))
}

function Tree({ root, known, children }: { root: Call; known: Known; children?: preact.ComponentChildren }) {
  const isLarge = useMemo(() => isLarger(root, { left: MOST_UNFOLDED }), [root])
  // Levels that are unfolded, but for the calls that were turned.
  const [depth, setDepth] = useState<number>()
  const [turned, turn] = useState<ReadonlySet<string>>(new Set())
  const [chosen, choose] = useState<string>()
  const levels = depth ?? (isLarge ? 1 : DEEPEST)
  const rows = useMemo(
    () => rowsOf(root, ({ key }, level) => level < levels !== turned.has(key)),
    [root, levels, turned],
  )
  const names = useMemo(() => namesIn(root), [root])
  const index = rows.findIndex(({ call }) => call.key === chosen)
  const row = rows[index]
  const unfold = (levels: number) => {
    setDepth(levels)
    turn(new Set())
  }
  const toggle = (key: string) => {
    const others = new Set(turned)
    if (!others.delete(key)) others.add(key)
    turn(others)
  }
  return (
    <>
      <div class="forms">
        <button type="button" onClick={() => unfold(Number.POSITIVE_INFINITY)}>
          Unfold all
        </button>
        <button type="button" onClick={() => unfold(0)}>
          Fold all
        </button>
        {children}
      </div>
      <div class="calls" style={{ height: `${Math.min(rows.length * ROW_HEIGHT + 14, 560)}px` }}>
        <VirtualList
          label="Tree of calls"
          count={rows.length}
          height={ROW_HEIGHT}
          width={`${widest(rows)}ch`}
          row={(i, tabIndex) => {
            const of = rows[i]
            return (
              of && (
                <Line
                  key={of.call.key}
                  of={of}
                  tabIndex={tabIndex}
                  isChosen={i === index}
                  onChoice={() => choose(i === index ? undefined : of.call.key)}
                  onToggle={() => toggle(of.call.key)}
                />
              )
            )
          }}
        />
      </div>
      {row !== undefined && <CallDetails of={row} known={known} names={names} />}
    </>
  )
}

/** Characters of the widest line, roughly. */
const widest = (rows: readonly Row[]): number =>
  rows.reduce((most, { call, depth }) => {
    const words = Math.min(LONGEST_WORDS, textOf(call).length) + Math.min(60, (call.returns ?? '').length)
    return Math.max(most, Math.min(WIDEST, words + 2 * Math.min(depth, DEEPEST) + (call.failure?.length ?? 0) + 50))
  }, 0)

type LineProps = {
  of: Row
  tabIndex: 0 | -1
  isChosen: boolean
  onChoice: () => void
  onToggle: () => void
}

function Line({ of, tabIndex, isChosen, onChoice, onToggle }: LineProps) {
  const { call, depth, isOpen, isUndone } = of
  const { kind, calls, failure } = call
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (calls.length > 0 && key === (isOpen ? 'ArrowLeft' : 'ArrowRight')) onToggle()
  }
  const state = [failure !== undefined && 'failed', isUndone && 'undone', isChosen && 'chosen'].filter(Boolean)
  return (
    <div class={`frame ${kind} ${state.join(' ')}`} style={{ paddingLeft: `${INDENT * Math.min(depth, DEEPEST)}px` }}>
      {calls.length > 0 ? (
        <button
          type="button"
          class="twist"
          tabIndex={-1}
          aria-expanded={isOpen}
          aria-label={`${calls.length} ${calls.length === 1 ? 'entry' : 'entries'} within`}
          onClick={onToggle}
        >
          {isOpen ? '▾' : '▸'}
        </button>
      ) : (
        <span class="twist" />
      )}
      <button
        type="button"
        class="line"
        tabIndex={tabIndex}
        aria-pressed={isChosen}
        onClick={onChoice}
        onKeyDown={onKeyDown}
      >
        <span class="method">{kind}</span>
        <Words of={call} />
        {failure === undefined && isUndone && hasEffect(call) && <span class="bad">undone</span>}
      </button>
    </div>
  )
}

/** What a line says of its call. */
function Words({ of }: { of: Call }) {
  const { kind, to, name, returns, failure, value = '0x0', gasUsed, place, storage } = of
  if (storage !== undefined) return <StorageWords of={storage} />
  return (
    <>
      {kind === 'event' || to === undefined ? null : to === null ? (
        <span class="faint">nothing was created</span>
      ) : (
        <bdi class={name === undefined ? 'mono' : ''} title={to}>
          {name ?? abbreviated(to, 4)}
        </bdi>
      )}
      {of.words !== undefined && <code>{inShort(of.words)}</code>}
      {failure !== undefined && <span class="bad">{inShort(failure)}</span>}
      {returns !== undefined && <code class="faint">→ {inShort(returns, 60)}</code>}
      {BigInt(value) > 0n && (
        <span>
          {units(BigInt(value).toString(), 18, 6)} {COIN}
        </span>
      )}
      {gasUsed !== undefined && <span class="faint">{withCommas(Number(gasUsed))} gas</span>}
      {place !== undefined && <span class="faint place">{place}</span>}
    </>
  )
}

type Named = { readonly name: string; readonly before?: string; readonly value: string }

/** The variables of a slot; of one without a name its words. */
const variablesOf = ({ slot, before, value, variables }: StorageFrame): readonly Named[] =>
  variables ?? [
    {
      name: `slot ${wordInShort(slot)}`,
      value: wordInShort(value),
      ...(before !== undefined && { before: wordInShort(before) }),
    },
  ]

/** `owner = 0x70…79C8`, of a write with the value before. */
function StorageWords({ of }: { of: StorageFrame }) {
  const all = variablesOf(of)
  return (
    <>
      {all.slice(0, MOST_VARIABLES).map(({ name, before, value }) => (
        <code class="variable" key={name}>
          {inShort(name, 90)}
          <span class="faint">{before === undefined ? ' = ' : `: ${inShort(shown(before), 60)} → `}</span>
          {inShort(shown(value), 60)}
        </code>
      ))}
      {all.length > MOST_VARIABLES && <span class="faint">and {all.length - MOST_VARIABLES} more</span>}
    </>
  )
}

/** A word as a number where it is a small one, else its first and last digits. */
function wordInShort(word: string): string {
  const number = BigInt(word)
  return number < 2n ** 64n ? number.toString() : abbreviated(word, 4)
}

/** All of a line's text, to know how wide it is. */
const textOf = ({ words = '', place = '', storage, name = '' }: Call): string =>
  storage === undefined
    ? name + words + place
    : variablesOf(storage)
        .slice(0, MOST_VARIABLES)
        .map((of) => of.name + (of.before ?? '') + of.value)
        .join()

/** With short addresses. */
const shortened = (text: string): string =>
  text.replaceAll(/\b0x[0-9a-f]{40}\b/gi, (address) => abbreviated(address, 4))

function inShort(words: string, longest = LONGEST_WORDS): string {
  const text = shortened(words)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
