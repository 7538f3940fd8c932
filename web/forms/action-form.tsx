// A form for one action: checks its fields, runs the action and shows the result below.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { isAddress } from 'viem'
import { InputError, weiOfText } from '../contract/abi-text.ts'
import { type FieldAttributes, LabelledField } from '../contract/arguments.tsx'
import { describeError } from '../contract/errors.ts'
import './action-form.css'

export type Field<T> = {
  readonly label: string
  readonly initial: string
  readonly hint?: string
  readonly inputMode?: 'numeric' | 'decimal' | 'text'
  /** Values with their titles: a selection instead of a text field. */
  readonly options?: readonly (readonly [value: string, title: string])[]
  /** Reads the value from the text. Throws InputError. */
  readonly read: (text: string) => T
}

/** A whole number, at least `least`. */
export const numberField = (label: string, initial: number, least = 0): Field<number> => ({
  label,
  initial: String(initial),
  inputMode: 'numeric',
  read(text) {
    const number = Number(text.trim() || 'none')
    if (Number.isSafeInteger(number) && number >= least) return number
    throw new InputError(`A whole number from ${least} on is expected.`)
  },
})

/** An amount of coins, read as base units. */
export const coinsField = (label: string, initial: string): Field<bigint> => ({
  label,
  initial,
  inputMode: 'decimal',
  read: weiOfText,
})

/** One of a few values. */
export const choiceField = (
  label: string,
  options: readonly (readonly [value: string, title: string])[],
): Field<string> => ({
  label,
  initial: options[0]?.[0] ?? '',
  options,
  read: (text) => text,
})

export const addressField = (label: string): Field<string> => ({
  label,
  initial: '',
  read(text) {
    const address = text.trim()
    if (isAddress(address, { strict: false })) return address
    throw new InputError('An address is expected: 0x and 40 hexadecimal digits.')
  },
})

type Fields = Readonly<Record<string, Field<unknown>>>
type Values<F extends Fields> = { readonly [N in keyof F]: F[N] extends Field<infer T> ? T : never }

/** `run` performs the action and returns the message to show; errors of the node or the wallet may be thrown. */
export function ActionForm<F extends Fields>({
  fields,
  button,
  run,
  onDone,
}: {
  fields: F
  button: string
  run: (values: Values<F>) => Promise<ComponentChildren>
  onDone?: (() => void) | undefined
}) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const [outcome, setOutcome] = useState<{ readonly isFault: boolean; readonly content: ComponentChildren }>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    const { values, found } = readFields(fields, texts)
    setFaults(found)
    if (values === undefined) return
    setBusy(true)
    setOutcome(undefined)
    try {
      setOutcome({ isFault: false, content: await run(values) })
      onDone?.()
    } catch (error) {
      setOutcome({ isFault: true, content: describeError(error) })
    }
    setBusy(false)
  }
  return (
    <form class="action-form" onSubmit={submit} noValidate>
      {Object.entries(fields).map(([name, field]) => (
        <LabelledField key={name} label={field.label} fault={faults[name]} hint={field.hint}>
          {(attributes) => (
            <Control
              attributes={attributes}
              of={field}
              value={texts[name] ?? field.initial}
              onChange={(text) => setTexts({ ...texts, [name]: text })}
            />
          )}
        </LabelledField>
      ))}
      <button type="submit" class="action" disabled={isBusy}>
        {button}
      </button>
      <div role="status" class={outcome?.isFault ? 'outcome bad' : 'outcome'}>
        {outcome?.content}
      </div>
    </form>
  )
}

function Control({
  attributes,
  of: { options, inputMode = 'text' },
  value,
  onChange,
}: {
  attributes: FieldAttributes
  of: Field<unknown>
  value: string
  onChange: (text: string) => void
}) {
  if (options !== undefined) {
    return (
      <select {...attributes} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map(([option, title]) => (
          <option key={option} value={option}>
            {title}
          </option>
        ))}
      </select>
    )
  }
  return (
    <input
      {...attributes}
      inputMode={inputMode}
      autocomplete="off"
      spellcheck={false}
      value={value}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

/** The values of all fields, or the errors of invalid ones. */
function readFields<F extends Fields>(
  fields: F,
  texts: Readonly<Record<string, string>>,
): { values: Values<F> | undefined; found: Readonly<Record<string, string>> } {
  const values: Record<string, unknown> = {}
  const found: Record<string, string> = {}
  for (const [name, { initial, read }] of Object.entries(fields)) {
    try {
      values[name] = read(texts[name] ?? initial)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      found[name] = error.message
    }
  }
  // Each name has the value read by its field.
  return { values: Object.keys(found).length > 0 ? undefined : (values as Values<F>), found }
}
