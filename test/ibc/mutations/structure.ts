// Mutations of decoded messages: fields changed, emptied, left out, doubled, exchanged, and taken from other messages.
import { clone, create, type DescField, type DescMessage, fromBinary, toBinary } from '@bufbuild/protobuf'
import { isReflectMessage, type ReflectList, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect'
import type { Random } from '../../evm/wasm/random-programs.ts'

/** A field of a message within the mutated one. */
type Place = { readonly of: ReflectMessage; readonly field: DescField }

/** The messages in a field. */
function innerOf(of: ReflectMessage, field: DescField): ReflectMessage[] {
  if (field.fieldKind === 'message') return of.isSet(field) ? [of.get(field)] : []
  return field.fieldKind === 'list' ? [...of.get(field)].filter((one) => isReflectMessage(one)) : []
}

/** All fields of a message and of the messages in it, also unset ones. */
const placesOf = (of: ReflectMessage): Place[] =>
  of.fields.flatMap((field) => [{ of, field }, ...innerOf(of, field).flatMap(placesOf)])

/** A field, each level of the message alike, so that a set of many validators does not get all changes. */
function placeIn(of: ReflectMessage, random: Random): Place {
  const field = random.pick(of.fields)
  const inner = innerOf(of, field)
  return inner.length === 0 || random.oneIn(5) ? { of, field } : placeIn(random.pick(inner), random)
}

/** Values of valid messages, by type of message or kind of value. */
export class Donors {
  readonly #values = new Map<string, unknown[]>()

  add(schema: DescMessage, bytes: Uint8Array): void {
    const message = reflect(schema, fromBinary(schema, bytes))
    this.#put(kindOf(message), message)
    for (const { of, field } of placesOf(message))
      if (of.isSet(field)) {
        const value = of.get(field)
        for (const one of field.fieldKind === 'list' ? of.get(field) : [value]) this.#put(kindOf(one), one)
      }
  }

  #put(kind: string, value: unknown): void {
    const values = this.#values.get(kind) ?? []
    this.#values.set(kind, values)
    values.push(value)
  }

  /** A value of the same kind as this one; undefined: there is none. */
  like(value: unknown, random: Random): unknown {
    const values = this.#values.get(kindOf(value)) ?? []
    if (values.length === 0) return undefined
    const found = random.pick(values)
    return isReflectMessage(found) ? reflect(found.desc, clone(found.desc, found.message)) : found
  }
}

const kindOf = (value: unknown): string => {
  if (isReflectMessage(value)) return value.desc.typeName
  return value instanceof Uint8Array ? `bytes ${value.length}` : typeof value
}

const INTEGERS = [0n, 1n, -1n, 2n ** 31n - 1n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 64n - 1n]

function changedInteger(value: bigint, random: Random): bigint {
  return random.pick([
    value + 1n,
    value - 1n,
    value * 2n,
    -value,
    value ^ (1n << BigInt(random.below(63))),
    random.pick(INTEGERS),
  ])
}

function changedBytes(value: Uint8Array, random: Random): Uint8Array {
  const at = random.below(value.length + 1)
  return random.pick([
    () => Uint8Array.from(value, (byte, place) => (place === at ? byte ^ (1 << random.below(8)) : byte)),
    () => value.subarray(0, at),
    () => value.subarray(at),
    () => Buffer.concat([value, Uint8Array.of(random.below(256))]),
    () => Buffer.concat([value, value]),
    () => new Uint8Array(0),
    () => new Uint8Array(value.length),
    () => new Uint8Array(32),
  ])()
}

/** Another value of the kind. */
function changed(value: unknown, donors: Donors, random: Random): unknown {
  const donor = random.oneIn(3) ? donors.like(value, random) : undefined
  if (donor !== undefined) return donor
  if (isReflectMessage(value)) return reflect(value.desc, create(value.desc))
  if (typeof value === 'bigint') return changedInteger(value, random)
  if (typeof value === 'number') return Number(changedInteger(BigInt(Math.trunc(value)), random))
  if (typeof value === 'boolean') return !value
  if (typeof value === 'string')
    return random.pick([`${value}x`, value.slice(1), '', `${value}-1`, value.toUpperCase()])
  return value instanceof Uint8Array ? changedBytes(value, random) : value
}

function changeList(list: ReflectList, donors: Donors, random: Random): void {
  const items = [...list]
  const at = random.below(items.length + 1)
  const other = random.below(items.length + 1)
  const item = items[at]
  const copy = isReflectMessage(item) ? reflect(item.desc, clone(item.desc, item.message)) : item
  const next = random.pick([
    () => items.toSpliced(at, 1),
    () => (item === undefined ? [] : items.toSpliced(other, 0, copy)),
    () => (item === undefined ? [] : items.with(other % items.length, copy)),
    () =>
      item === undefined || items.length < 2
        ? []
        : items.with(at, items[other % items.length]).with(other % items.length, item),
    () => items.toReversed(),
    () => items.slice(0, at),
    () => (item === undefined ? items : items.with(at, changed(item, donors, random))),
    () => (item === undefined ? items : [...items, changed(item, donors, random)]),
  ])()
  list.clear()
  for (const one of next) list.add(one)
}

/** The encoding of the message with a field changed; undefined if the change cannot be written. */
export function mutateStructure(
  schema: DescMessage,
  bytes: Uint8Array,
  donors: Donors,
  random: Random,
): Uint8Array | undefined {
  const message = fromBinary(schema, bytes)
  const root = reflect(schema, message)
  try {
    for (let changes = random.oneIn(5) ? 2 + random.below(2) : 1; changes > 0; changes--) {
      const { of, field } = placeIn(root, random)
      if (field.fieldKind === 'list') changeList(of.get(field), donors, random)
      else if (of.isSet(field) && random.oneIn(8)) of.clear(field)
      else if (field.fieldKind !== 'map') of.set(field, changed(of.get(field), donors, random))
    }
    return toBinary(schema, message)
  } catch {
    // Not every number fits every field.
    return undefined
  }
}
