// What is known at a position: call stack, variables, storage, and the machine. Values that differ from those at the position
// before are marked.
import type { ComponentChildren } from 'preact'
import { abbreviated, withCommas } from '../format.ts'
import type { Position } from './session.ts'

/** A part that folds. */
const Part = ({ name, note, children }: { name: string; note?: ComponentChildren; children: ComponentChildren }) => (
  <details class="part" open>
    <summary>
      {name} {note !== undefined && <span class="faint">{note}</span>}
    </summary>
    {children}
  </details>
)

const Nothing = ({ children }: { children: ComponentChildren }) => <p class="note">{children}</p>

/** `contracts/Vault.sol:54` as `Vault.sol:54` */
export const placeInWords = (place: Position['place']): string =>
  place === null ? '' : `${place.file.split('/').at(-1)}:${place.line}`

export const CallStack = ({
  of,
  chosen,
  onChoice,
}: {
  of: Position['frames']
  chosen: number
  onChoice: (frame: number) => void
}) => (
  <Part name="Call stack">
    <ol class="frames">
      {of.map(({ function: name, kind, address, place }, i) => (
        <li key={of.length - i}>
          <button
            type="button"
            aria-current={i === chosen ? 'true' : undefined}
            title={`${name}\n${address ?? 'was not created'}`}
            onClick={() => onChoice(i)}
          >
            <bdi>{name}</bdi>
            <span class="faint">{place === null ? address && abbreviated(address, 4) : placeInWords(place)}</span>
            {kind === 'message' && i < of.length - 1 && <span class="unseen">(a message)</span>}
          </button>
        </li>
      ))}
    </ol>
  </Part>
)

type Item = {
  readonly key: string
  readonly name: ComponentChildren
  readonly value: string
  readonly more?: ComponentChildren
}

/** `before`: the values by key at the position before; undefined: they are not comparable. */
const Values = ({ of, before }: { of: readonly Item[]; before: ReadonlyMap<string, string> | undefined }) => (
  <dl class="variables">
    {of.map(({ key, name, value, more }) => (
      <div key={key} class={before !== undefined && before.get(key) !== value ? 'changed' : ''}>
        <dt>{name}</dt>
        <dd>
          <code title={value}>{value}</code>
          {more}
        </dd>
      </div>
    ))}
  </dl>
)

/** `isOfOther`: whether another function is looked at than the innermost one, whose variables these are. */
export const Variables = ({
  at,
  before,
  isOfOther,
}: {
  at: Position
  before: Position | undefined
  isOfOther: boolean
}) => {
  const key = ({ name, type }: Position['variables'][number], i: number) => `${i} ${type} ${name}`
  const isSame = before?.frames.length === at.frames.length && before.frames[0]?.function === at.frames[0]?.function
  return (
    <Part name="Variables" note={isOfOther ? `of ${at.frames[0]?.function}` : undefined}>
      {at.variables.length > 0 && (
        <Values
          of={at.variables.map((of, i) => ({
            key: key(of, i),
            name: (
              <>
                {of.name || <span class="faint">{of.kind}</span>} <code class="faint type">{of.type}</code>
              </>
            ),
            value: of.value,
          }))}
          before={isSame ? new Map(before.variables.map((of, i) => [key(of, i), of.value])) : undefined}
        />
      )}
      {at.variablesNote !== null && <Nothing>{at.variablesNote}</Nothing>}
      {at.variables.length === 0 && at.variablesNote === null && <Nothing>None here.</Nothing>}
    </Part>
  )
}

export type OnWrite = (slot: string, back: boolean) => void

const Writes = ({ slot, name, onWrite }: { slot: string; name: string; onWrite: OnWrite }) => (
  <span class="writes">
    {[true, false].map((back) => (
      <button
        type="button"
        key={String(back)}
        title={back ? `Previous write of ${name}` : `Next write of ${name}`}
        aria-label={back ? `Previous write of ${name}` : `Next write of ${name}`}
        onClick={() => onWrite(slot, back)}
      >
        {back ? '‹' : '›'}
      </button>
    ))}
  </span>
)

export const Storage = ({ at, before, onWrite }: { at: Position; before: Position | undefined; onWrite: OnWrite }) => {
  const isSame = before?.op.address === at.op.address
  const named = (of: Position) =>
    (of.storage ?? []).map(({ name, type, value, slot }) => ({
      key: name,
      name: (
        <>
          <span title={name}>{shortName(name)}</span> <code class="faint type">{type}</code>
        </>
      ),
      value,
      more: <Writes slot={slot} name={name} onWrite={onWrite} />,
    }))
  const slots = (of: Position) =>
    of.slots.map(({ slot, value, name }) => ({
      key: slot,
      name: (
        <>
          <code title={slot}>{shortHex(slot)}</code>{' '}
          {name !== undefined && <span class="faint">{shortName(name)}</span>}
        </>
      ),
      value: shortHex(value),
      more: <Writes slot={slot} name={`slot ${shortHex(slot)}`} onWrite={onWrite} />,
    }))
  const valuesOf = (of: readonly Item[]) => new Map(of.map(({ key, value }) => [key, value]))
  return (
    <>
      <Part name="Storage">
        {at.storage !== null && <Values of={named(at)} before={isSame ? valuesOf(named(before)) : undefined} />}
        {at.storageNote !== null && <Nothing>{at.storageNote}</Nothing>}
      </Part>
      <Part name="Slots" note={at.slots.length === 0 ? undefined : withCommas(at.slots.length)}>
        {at.slots.length === 0 ? (
          <Nothing>None was read or written so far.</Nothing>
        ) : (
          <Values of={slots(at)} before={isSame ? valuesOf(slots(before)) : undefined} />
        )}
      </Part>
    </>
  )
}

/** `held[0xf39F…2266]` */
const shortName = (name: string): string => name.replaceAll(/0x[0-9a-f]{40,64}/gi, (hex) => abbreviated(hex, 4))

/** Without zeros in front; hashes are cut in their middle. */
function shortHex(word: string): string {
  const digits = word.slice(2).replace(/^0+(?=.)/, '')
  return digits.length > 40 ? abbreviated(`0x${digits}`, 6) : `0x${digits}`
}

/** Bytes in a row: half a word. */
const ROW = 16
/** Bytes of memory that the node answers. */
const MOST_MEMORY = 1 << 16

const rowsOf = (hex: string): readonly string[] => hex.slice(2).match(/.{1,32}/g) ?? []

export const Machine = ({ at, before }: { at: Position; before: Position | undefined }) => {
  const isSame = before?.frames.length === at.frames.length
  return (
    <>
      <Part name="Stack" note={withCommas(at.stack.length)}>
        <ol class="words">
          {at.stack.map((word, i) => (
            <li key={at.stack.length - i} title={word === null ? 'It was not kept.' : `${BigInt(word)}`}>
              <span class="faint">{i}</span>
              <code>{word === null ? '?' : `0x${BigInt(word).toString(16)}`}</code>
            </li>
          ))}
        </ol>
      </Part>
      <Part name="Memory" note={`${withCommas(at.memoryLength)} bytes`}>
        {at.memory === null ? (
          <Nothing>It was not kept.</Nothing>
        ) : (
          <Bytes of={at.memory} before={isSame ? before.memory : null} />
        )}
        {at.memoryLength > MOST_MEMORY && <Nothing>Only the first 64 KB are shown.</Nothing>}
      </Part>
      <Part name="Return data" note={`${withCommas(at.returnData.length / 2 - 1)} bytes`}>
        <Bytes of={at.returnData} before={null} />
      </Part>
    </>
  )
}

/** Half a word a line, with its offset in hexadecimal. `before`: the bytes before; null: they are not comparable. */
const Bytes = ({ of, before }: { of: string; before: string | null }) => {
  const former = before === null ? undefined : rowsOf(before)
  return (
    <ol class="words">
      {rowsOf(of).map((digits, i) => (
        <li key={i} class={former !== undefined && former[i] !== digits ? 'changed' : ''}>
          <span class="faint">{(i * ROW).toString(16).padStart(4, '0')}</span>
          <code>{digits}</code>
        </li>
      ))}
    </ol>
  )
}

const Texts = ({ name, of }: { name: string; of: readonly string[] }) => (
  <Part name={name} note={of.length === 0 ? undefined : withCommas(of.length)}>
    {of.length === 0 ? (
      <Nothing>None so far.</Nothing>
    ) : (
      <ol class="texts">
        {of.map((text, i) => (
          <li key={i}>
            <bdi>{text}</bdi>
          </li>
        ))}
      </ol>
    )}
  </Part>
)

export const Output = ({ at }: { at: Position }) => (
  <>
    <Texts name="Events" of={at.events} />
    <Texts name="Console" of={at.console} />
  </>
)
