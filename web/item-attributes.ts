// The attributes in an item's metadata, in the formats of issuers: OpenSea's list, or an object by name.

export type Attribute = { readonly name: string; readonly value: string }

/** Maximum shown attributes; issuers may write any number. */
const MOST_ATTRIBUTES = 100

export function attributesOf(metadata: Readonly<Record<string, unknown>> | null): readonly Attribute[] {
  const given = metadata?.['attributes'] ?? metadata?.['traits'] ?? metadata?.['properties']
  if (Array.isArray(given)) return given.slice(0, MOST_ATTRIBUTES).flatMap((one: unknown) => listed(one))
  if (typeof given !== 'object' || given === null) return []
  return Object.entries(given)
    .slice(0, MOST_ATTRIBUTES)
    .map(([name, value]: [string, unknown]) => ({ name, value: textOf(fieldOf(value, 'value') ?? value) }))
}

/** `{ trait_type, value, display_type }`; a plain text is a value. */
function listed(one: unknown): Attribute[] {
  if (typeof one === 'string') return [{ name: '', value: one }]
  const value = fieldOf(one, 'value')
  if (value === undefined) return []
  const name = fieldOf(one, 'trait_type') ?? fieldOf(one, 'name') ?? ''
  const isDate = fieldOf(one, 'display_type') === 'date' && typeof value === 'number' && Math.abs(value) < 8.64e12
  return [{ name: textOf(name), value: isDate ? new Date(value * 1000).toISOString().slice(0, 10) : textOf(value) }]
}

const fieldOf = (of: unknown, name: string): unknown =>
  typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
