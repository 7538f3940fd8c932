// Forms as request bodies, in addition to JSON: fields by name, uploaded files as file name and text. The server limits the
// bytes of a body (`http/bodies.ts`); the number of its parts is limited here, before or during parsing.
import { setImmediate } from 'node:timers/promises'
import { Busboy } from '@fastify/busboy'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { RequestRefused } from '../http/request-refused.ts'

/** Maximum bytes of a submission of sources with all its parts; large projects have some megabytes. */
export const LARGEST_UPLOAD = 32 * 1024 * 1024
/** Maximum fields and files of a form, as PHP's max_input_vars. */
const MOST_PARTS = 1000

export const uploadedFile = z.object({ filename: z.string(), content: z.string() })
export type UploadedFile = z.output<typeof uploadedFile>

type FormValue = string | UploadedFile
/** A name that occurs several times has a list of values. */
type Form = Record<string, FormValue | FormValue[]>

/** Makes the routes of an instance accept forms. Does nothing if an outer instance has done so. */
export function acceptForms(app: FastifyInstance): void {
  if (app.hasContentTypeParser('multipart/form-data')) return
  const parseAs = 'buffer'
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs }, async (_: unknown, body: Buffer) => {
    const form = urlEncodedForm(body)
    // Reading the largest form takes 0.1 s, and so does reading its fields: let other requests run in between.
    await setImmediate()
    return form
  })
  app.addContentTypeParser('multipart/form-data', { parseAs }, (request: FastifyRequest, body: Buffer) =>
    multipartForm(body, request.headers['content-type'] ?? ''),
  )
}

const tooManyParts = (): RequestRefused =>
  new RequestRefused(413, `the form has more than ${MOST_PARTS} fields and files`)

/** Throws RequestRefused for a name that objects inherit from their prototype. */
function add(form: Form, name: string, value: FormValue): void {
  if (name in Object.prototype) throw new RequestRefused(400, `the form has a field of the name ${name}`)
  const known = form[name]
  if (known === undefined) form[name] = value
  else if (Array.isArray(known)) known.push(value)
  else form[name] = [known, value]
}

// --- application/x-www-form-urlencoded (URL Standard, 5.1)

const AMPERSAND = 38
const EQUALS = 61
const PLUS = 43
const PERCENT = 37
const SPACE = 32

/** Throws RequestRefused. */
export function urlEncodedForm(body: Buffer): Form {
  const form: Form = {}
  let parts = 0
  for (let start = 0; start < body.length; ) {
    const found = body.indexOf(AMPERSAND, start)
    const end = found < 0 ? body.length : found
    if (end > start) {
      if (++parts > MOST_PARTS) throw tooManyParts()
      const equals = body.subarray(start, end).indexOf(EQUALS)
      const endOfName = equals < 0 ? end : start + equals
      add(form, percentDecoded(body.subarray(start, endOfName)), percentDecoded(body.subarray(endOfName + 1, end)))
    }
    start = end + 1
  }
  return form
}

/** The text of percent-encoded bytes, which it overwrites: 1 to 2 ns per byte, `decodeURIComponent` takes 45. */
function percentDecoded(bytes: Buffer): string {
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    const decoded = byte === PERCENT ? hexPair(bytes, at + 1) : -1
    if (decoded >= 0) at += 2
    bytes[length++] = decoded >= 0 ? decoded : byte === PLUS ? SPACE : byte
  }
  return bytes.toString('utf8', 0, length)
}

/** The byte of two hexadecimal digits; -1 for anything else. */
const hexPair = (bytes: Buffer, at: number): number => {
  const high = hexDigit(bytes[at])
  const low = hexDigit(bytes[at + 1])
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

function hexDigit(byte = 0): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

// --- multipart/form-data (RFC 7578)

/** Throws or rejects with RequestRefused. */
function multipartForm(body: Buffer, contentType: string): Promise<Form> {
  const form: Form = {}
  // The library reports a body without parts as truncated.
  if (body.length === 0) return Promise.resolve(form)
  if (!/boundary=/i.test(contentType)) throw new RequestRefused(400, 'the form has no boundary')
  return new Promise((resolve, reject) => {
    const size = body.length
    const limits = { parts: MOST_PARTS, fieldSize: size, fileSize: size, headerPairs: 20 }
    const refuse = () => reject(new RequestRefused(400, 'the form cannot be read'))
    const keep = (name: string, value: FormValue) => {
      try {
        add(form, name, value)
      } catch (error) {
        reject(error)
      }
    }
    // Imports between source files include folders, so keep the paths.
    const parser = new Busboy({ headers: { 'content-type': contentType }, preservePath: true, limits })
    parser.on('field', keep)
    parser.on('file', (name, file, filename) => {
      const chunks: Buffer[] = []
      file.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', refuse)
      file.on('end', () => keep(name, { filename, content: Buffer.concat(chunks).toString('utf8') }))
    })
    parser.on('partsLimit', () => reject(tooManyParts()))
    parser.on('error', refuse).on('finish', () => resolve(form))
    parser.end(body)
  })
}

/** The files of a form's field: `files`, `files[]`, `files[0]`, `files[1]` … */
export function filesIn(form: Readonly<Record<string, unknown>>, field: string): UploadedFile[] {
  const isOfField = (name: string) => name === field || (name.startsWith(`${field}[`) && name.endsWith(']'))
  return Object.entries(form)
    .filter(([name]) => isOfField(name))
    .flatMap(([, value]) => value)
    .flatMap((value) => uploadedFile.safeParse(value).data ?? [])
}
