// The OpenAPI document that the typed client is made of, and its hash, by which a test sees that the client is current.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { openApi } from '../src/explorer/openapi.ts'
import { routes } from '../src/explorer/routes/index.ts'

export const SCHEMA_FILE = join(import.meta.dirname, '../client/schema.d.ts')

/** The document's text; the version is left out, because the types do not depend on it. */
export const clientDocument = (): string => JSON.stringify(openApi(routes, ''))

export const documentHash = (): string => createHash('sha256').update(clientDocument()).digest('hex')
