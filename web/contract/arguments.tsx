// The form of a contract function: one field for each argument, checked by its type before sending.
import type { AbiParameter } from 'abitype'
import type { ComponentChildren } from 'preact'
import { useContext, useId, useState } from 'preact/hooks'
import { membersOf } from '../../src/contracts/enum-members.ts'
import { exampleOf, InputError, isNested, namedType, typeText, valueOfText } from './abi-text.ts'
import { Enums } from './interfaces.ts'

/** Texts of the fields and their errors; `read` returns the values, or undefined if one is invalid. */
export type Arguments = {
  readonly texts: readonly string[]
  readonly faults: readonly (string | undefined)[]
  change(position: number, text: string): void
  check(position: number): void
  read(): unknown[] | undefined
}

export function useArguments(parameters: readonly AbiParameter[]): Arguments {
  const [texts, setTexts] = useState<readonly string[]>(() =>
    parameters.map(({ type }) => (type === 'bool' ? 'false' : '')),
  )
  const [faults, setFaults] = useState<readonly (string | undefined)[]>([])
  const results = () => parameters.map((parameter, i) => valueOrFault(parameter, texts[i] ?? ''))
  return {
    texts,
    faults,
    change(position, text) {
      setTexts(texts.map((before, i) => (i === position ? text : before)))
      setFaults(faults.map((before, i) => (i === position ? undefined : before)))
    },
    check(position) {
      const now = results()
      // An empty field is not an error before the form is submitted.
      if (texts[position] !== '') setFaults(parameters.map((_, i) => (i === position ? now[i]?.fault : faults[i])))
    },
    read() {
      const now = results()
      setFaults(now.map(({ fault }) => fault))
      return now.some(({ fault }) => fault !== undefined) ? undefined : now.map(({ value }) => value)
    },
  }
}

function valueOrFault(parameter: AbiParameter, text: string): { value?: unknown; fault?: string } {
  try {
    return { value: valueOfText(parameter, text) }
  } catch (error) {
    if (error instanceof InputError) return { fault: error.message }
    throw error
  }
}

export const ArgumentFields = ({ of, parameters }: { of: Arguments; parameters: readonly AbiParameter[] }) => (
  <>
    {parameters.map((parameter, i) => (
      <ArgumentField
        // The parameters of a function never change and may have no name.
        key={i}
        parameter={parameter}
        position={i}
        of={of}
      />
    ))}
  </>
)

function ArgumentField({ parameter, position, of }: { parameter: AbiParameter; position: number; of: Arguments }) {
  const { type, name } = parameter
  const members = membersOf(useContext(Enums), parameter)
  const field = {
    value: of.texts[position] ?? '',
    placeholder: exampleOf(parameter),
    spellcheck: false,
    autocomplete: 'off',
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => of.change(position, currentTarget.value),
    onBlur: () => of.check(position),
  }
  return (
    <LabelledField
      label={name || `argument ${position + 1}`}
      type={namedType(parameter) ?? typeText(parameter)}
      fault={of.faults[position]}
    >
      {(attributes) =>
        type === 'bool' ? (
          <select {...attributes} value={field.value} onChange={field.onInput}>
            <option>false</option>
            <option>true</option>
          </select>
        ) : members !== undefined ? (
          <select {...attributes} value={field.value} onChange={field.onInput}>
            <option value="">choose one</option>
            {members.map((member, i) => (
              <option key={member} value={i}>
                {member}
              </option>
            ))}
          </select>
        ) : isNested(parameter) || type === 'bytes' || type === 'string' ? (
          <textarea {...attributes} {...field} rows={isNested(parameter) ? 3 : 1} />
        ) : (
          <input {...attributes} {...field} />
        )
      }
    </LabelledField>
  )
}

export type FieldAttributes = { id: string; 'aria-invalid': boolean; 'aria-describedby': string | undefined }

/** A field with its label, hint and error. */
export function LabelledField({
  label,
  type,
  fault,
  hint,
  children,
}: {
  label: string
  type?: string | undefined
  fault?: string | undefined
  hint?: ComponentChildren
  children: (attributes: FieldAttributes) => ComponentChildren
}) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>
        {label} {type !== undefined && <code class="faint">{type}</code>}
      </label>
      {children({
        id,
        'aria-invalid': fault !== undefined,
        'aria-describedby': fault === undefined && hint === undefined ? undefined : `${id}-note`,
      })}
      {(fault !== undefined || hint !== undefined) && (
        <p id={`${id}-note`} class={fault === undefined ? 'hint' : 'hint bad'}>
          {fault ?? hint}
        </p>
      )}
    </div>
  )
}
