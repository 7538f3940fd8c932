// Schemas as plain functions, for methods that are asked thousands of times a second. A compiled reader takes exactly what
// its schema takes and gives the same; anything else it leaves to the schema, which alone says what is wrong.
import { z } from 'zod'

/** What a reader gives for a value that is not for it. */
export const UNREAD = Symbol('unread')

/** The decoded value, or UNREAD. */
export type Read = (value: unknown) => unknown
export type Write = (value: unknown) => unknown

type Pair = { readonly read: (value: never) => unknown; readonly write: (value: never) => unknown }

/** By definition, which a schema's descriptions share. */
const pairs = new WeakMap<object, Pair>()

/** Tells the two functions of a codec; `read` throws where the codec refuses, and `write` takes every value it may get. */
export function pairOf<S extends z.ZodType>(schema: S, pair: Pair): S {
  pairs.set(schema.def, pair)
  return schema
}

/** A function that decodes as the schema does. */
export function readerOf(schema: z.ZodType): Read {
  return compiled(schema) ?? parser(schema)
}

/** A function that encodes as the schema does. */
export function writerOf(schema: z.ZodType): Write {
  if (schema instanceof z.ZodNullable) {
    const write = writerOf(schema.def.innerType as z.ZodType)
    return (value) => (value === null ? null : write(value))
  }
  const pair = pairs.get(schema.def)
  return pair === undefined ? schema.encode.bind(schema) : (pair.write as Write)
}

const parser =
  (schema: z.ZodType): Read =>
  (value) => {
    const parsed = schema.safeParse(value)
    return parsed.success ? parsed.data : UNREAD
  }

function compiled(schema: z.ZodType): Read | undefined {
  if (schema.def.checks?.length) return undefined
  if (schema instanceof z.ZodString) return (value) => (typeof value === 'string' ? value : UNREAD)
  if (schema instanceof z.ZodBoolean) return (value) => (typeof value === 'boolean' ? value : UNREAD)
  if (schema instanceof z.ZodNumber) return (value) => (Number.isFinite(value) ? value : UNREAD)
  if (schema instanceof z.ZodDefault) {
    const read = readerOf(schema.def.innerType as z.ZodType)
    return (value) => (value === undefined ? schema.def.defaultValue : read(value))
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    const read = readerOf(schema.def.innerType as z.ZodType)
    const empty = schema instanceof z.ZodOptional ? undefined : null
    return (value) => (value === empty ? empty : read(value))
  }
  if (schema instanceof z.ZodPipe) return compiledPair(schema)
  if (schema instanceof z.ZodUnion) return firstOf(schema.def.options.map((option) => readerOf(option as z.ZodType)))
  if (schema instanceof z.ZodArray) return listReader(readerOf(schema.def.element as z.ZodType))
  if (schema instanceof z.ZodObject && schema.def.catchall === undefined) return objectReader(schema.def.shape)
  return undefined
}

function compiledPair(schema: z.ZodPipe): Read | undefined {
  const pair = pairs.get(schema.def)
  if (pair === undefined) return undefined
  const wire = readerOf(schema.def.in as z.ZodType)
  const read = pair.read as Read
  return (value) => {
    const given = wire(value)
    if (given === UNREAD) return UNREAD
    try {
      return read(given)
    } catch {
      return UNREAD
    }
  }
}

const firstOf =
  (readers: readonly Read[]): Read =>
  (value) => {
    for (const read of readers) {
      const item = read(value)
      if (item !== UNREAD) return item
    }
    return UNREAD
  }

const listReader =
  (read: Read): Read =>
  (value) => {
    if (!Array.isArray(value)) return UNREAD
    const items: unknown[] = []
    for (const given of value) {
      const item = read(given)
      if (item === UNREAD) return UNREAD
      items.push(item)
    }
    return items
  }

/** Fields that the schema does not know are left out. */
function objectReader(shape: Readonly<Record<string, z.core.$ZodType>>): Read {
  const fields = new Map(Object.entries(shape).map(([name, schema]) => [name, readerOf(schema as z.ZodType)]))
  const required = [...fields].filter(([, read]) => read(undefined) === UNREAD).map(([name]) => name)
  const defaults = [...fields].filter(([, read]) => read(undefined) !== UNREAD && read(undefined) !== undefined)
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return UNREAD
    const object: Record<string, unknown> = {}
    for (const name of Object.keys(value)) {
      const read = fields.get(name)
      if (read === undefined) continue
      const item = read((value as Record<string, unknown>)[name])
      if (item === UNREAD) return UNREAD
      object[name] = item
    }
    for (const name of required) if (!(name in object)) return UNREAD
    for (const [name, read] of defaults) if (!(name in object)) object[name] = read(undefined)
    return object
  }
}
