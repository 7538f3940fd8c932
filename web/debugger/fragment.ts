// The fragment of the debugger's URL: the step, and the call if no transaction is debugged. Servers never see a fragment, so data
// of a call may be longer than they accept in a URL: `/debug#to=0x…&data=0x…&block=0x1f&step=12`.
import type { Target } from './session.ts'

const FIELDS = ['from', 'to', 'data', 'value', 'gas'] as const

export type CallFields = { readonly [F in (typeof FIELDS)[number]]?: string | undefined }

/** The URL that debugs a call after a block. */
export function debugPath(call: CallFields, block: string): string {
  const fields = Object.entries({ ...call, block }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  return `/debug#${new URLSearchParams(fields)}`
}

/** The call of a fragment; undefined: none. The node checks its texts. */
export function callIn(fragment: string): Extract<Target, { readonly call: unknown }> | undefined {
  const parameters = new URLSearchParams(fragment.slice(1))
  const fields = FIELDS.flatMap((name) => (parameters.has(name) ? [[name, parameters.get(name) ?? '']] : []))
  if (fields.length === 0) return undefined
  return { call: Object.fromEntries(fields), block: parameters.get('block') ?? 'latest' }
}

/** The step of a fragment, or the name of one; undefined: none. */
export function stepOf(fragment: string): number | 'start' | 'failure' | 'end' | undefined {
  const step = new URLSearchParams(fragment.slice(1)).get('step')
  if (step === 'start' || step === 'failure' || step === 'end') return step
  return step !== null && /^\d{1,10}$/.test(step) ? Number(step) : undefined
}

/** Replaces the step in the URL, without a new entry of the history. */
export function writeStep(step: number): void {
  const parameters = new URLSearchParams(location.hash.slice(1))
  parameters.set('step', String(step))
  history.replaceState(history.state, '', `#${parameters}`)
}
