// The input of a transaction: decoded if the ABI of the callee is known, and raw.
import { useState } from 'preact/hooks'
import type { Transaction } from '../api.ts'
import { DecodedCall } from '../contract/decoded-call.tsx'
import { Copy, Raw } from '../parts.tsx'

type Form = 'decoded' | 'hex' | 'text'

export function Input({
  label = 'Input',
  of: { decoded_input, raw_input, to },
}: {
  label?: string
  of: Pick<Transaction, 'decoded_input' | 'raw_input' | 'to'>
}) {
  const text = textOf(raw_input)
  const forms: readonly Form[] = [
    ...(decoded_input ? (['decoded'] as const) : []),
    'hex',
    ...(text ? (['text'] as const) : []),
  ]
  const [chosen, setChosen] = useState<Form>(forms[0] ?? 'hex')
  return (
    <>
      <div class="forms">
        {forms.length > 1 &&
          forms.map((form) => (
            <button type="button" key={form} aria-pressed={form === chosen} onClick={() => setChosen(form)}>
              {form}
            </button>
          ))}
        <Copy text={raw_input} of="input" />
        <span class="faint">{(raw_input.length - 2) / 2} bytes</span>
      </div>
      {chosen === 'decoded' && decoded_input !== null ? (
        <DecodedCall of={decoded_input} by={to} />
      ) : (
        <Raw label={label}>
          <code>{chosen === 'text' ? text : raw_input}</code>
        </Raw>
      )}
    </>
  )
}

/** The bytes as text if they are valid UTF-8 text; undefined otherwise. */
function textOf(hex: string): string | undefined {
  const bytes = Uint8Array.from(hex.slice(2).match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return /^[^\p{Cc}]+$/u.test(text.replace(/[\n\r\t]/g, ' ')) ? text : undefined
  } catch {
    return undefined
  }
}
