// Forms as request bodies, in addition to JSON: fields by name, uploaded files as file name and text.
import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'

/** Bytes of a body; sources of large projects have some megabytes. */
const LARGEST_BODY = 32 * 1024 * 1024
const MOST_FILES = 1000

export const uploadedFile = z.object({ filename: z.string(), content: z.string() })
export type UploadedFile = z.output<typeof uploadedFile>

/** Makes POST routes that are added afterwards accept forms. Does nothing where an outer instance has done so. */
export async function acceptForms(app: FastifyInstance): Promise<void> {
  if (app.hasContentTypeParser('multipart/form-data')) return
  app.addHook('onRoute', (route) => {
    if (route.method === 'POST' || route.method.includes('POST')) route.bodyLimit ??= LARGEST_BODY
  })
  await app.register(formbody, { bodyLimit: LARGEST_BODY })
  await app.register(multipart, {
    attachFieldsToBody: 'keyValues',
    // Imports between source files name their folders.
    preservePath: true,
    limits: { fileSize: LARGEST_BODY, fieldSize: LARGEST_BODY, files: MOST_FILES },
    async onFile(part) {
      const content = (await part.toBuffer()).toString('utf8')
      Object.assign(part, { value: { filename: part.filename, content } satisfies UploadedFile })
    },
  })
}

/** Makes routes that need no body accept requests that announce JSON and send nothing, as browsers' clients do. */
export function acceptEmptyBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else parse(request, body.toString(), done)
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
