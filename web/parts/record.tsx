// A record: its fields, decoded parameters, and a placeholder until it has been read.
import type { ComponentChildren } from 'preact'
import { type Decoded, NotFound, type Reading } from '../api.ts'

/** The fields of a record; those without a value are left out. */
export const Fields = ({ of }: { of: Readonly<Record<string, ComponentChildren>> }) => (
  <dl class="fields">
    {Object.entries(of).map(
      ([name, value]) =>
        value !== null &&
        value !== undefined && (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
    )}
  </dl>
)

/** A scrolling box of raw text that the keyboard can reach. */
export const Raw = ({ label, children }: { label: string; children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard
  <section class="raw" tabIndex={0} aria-label={label}>
    {children}
  </section>
)

/** Addresses of native contracts are those of Evmos and never change. */
export const NATIVE = /^0x0{37}8[0-9a-f]{2}$/i

/** `shown`: a value for each parameter. */
export const Parameters = ({ of, shown }: { of: Decoded; shown: readonly ComponentChildren[] }) =>
  of.parameters.length === 0 ? null : (
    <Fields of={Object.fromEntries(of.parameters.map(({ name, type }, i) => [`${type} ${name || i}`, shown[i]]))} />
  )

export const plainValue = (value: unknown) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 300 ? (
    <Raw label="Value">
      <code>{text}</code>
    </Raw>
  ) : (
    <code>{text}</code>
  )
}

/** A record once it has been read; until then a placeholder, or the reason why it cannot be shown. */
export function Loaded<T>({ reading, children }: { reading: Reading<T>; children: (data: T) => ComponentChildren }) {
  const { data, error } = reading
  if (data !== undefined) return <>{children(data)}</>
  if (error instanceof NotFound) return <p class="note">There is nothing under this name on this chain.</p>
  if (error !== undefined) return <p class="note">{error.message}</p>
  return <div class="loading" />
}

/** As `Loaded`, for the subject of a page, which always has a heading. */
export function LoadedPage<T>({
  reading,
  name,
  missing,
  children,
}: {
  reading: Reading<T>
  /** Heading of the page: "Block 12". */
  name: string
  /** Shown if the node does not have it. */
  missing: ComponentChildren
  children: (data: T) => ComponentChildren
}) {
  if (reading.data !== undefined) return <>{children(reading.data)}</>
  const isMissing = reading.error instanceof NotFound
  return (
    <section class="card">
      <h1>{isMissing ? `${name}: not found` : name}</h1>
      {isMissing ? missing : <Loaded reading={reading}>{children}</Loaded>}
    </section>
  )
}
