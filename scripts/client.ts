// `npm run client`: writes `client/schema.d.ts`, the types of the API's OpenAPI document, for the typed client. The generator
// needs a TypeScript that has an interface for programs, which version 7 has not; npx fetches both for this one run.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientDocument, documentHash, SCHEMA_FILE } from './client-document.ts'

const GENERATOR = ['openapi-typescript@7.13.0', 'typescript@5.9.3']

const folder = mkdtempSync(join(tmpdir(), 'kestrel-client-'))
try {
  const document = join(folder, 'openapi.json')
  const types = join(folder, 'schema.d.ts')
  writeFileSync(document, clientDocument())
  const packages = GENERATOR.flatMap((name) => ['--package', name])
  execFileSync('npx', ['--yes', ...packages, '--', 'openapi-typescript', document, '--output', types, '--immutable'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const header = `// Written by \`npm run client\` of the OpenAPI document with the hash ${documentHash()}. Do not edit it.\n`
  writeFileSync(SCHEMA_FILE, header + readFileSync(types, 'utf8'))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
