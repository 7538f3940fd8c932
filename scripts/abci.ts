// Writes src/consensus/abci/generated/ from the .proto files beside it: the messages between the consensus engine and the
// node. buf and its plugin come pinned from the package registry, since only this command needs them (130 MB).
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GENERATED, messagesHash, STAMP } from './abci-stamp.ts'

const root = join(import.meta.dirname, '..')
const room = join(root, 'src/consensus/abci')

const template = {
  version: 'v2',
  plugins: [
    {
      local: 'protoc-gen-es',
      out: join(root, GENERATED),
      opt: ['target=ts', 'import_extension=ts', 'erasable_syntax=true'],
    },
  ],
}
rmSync(join(root, GENERATED), { recursive: true, force: true })
const packages = ['@bufbuild/buf@1.75.0', '@bufbuild/protoc-gen-es@2.17.0'].flatMap((name) => ['--package', name])
execFileSync(
  'npx',
  ['--yes', ...packages, 'buf', 'generate', join(room, 'proto'), '--template', JSON.stringify(template)],
  {
    stdio: 'inherit',
  },
)
writeFileSync(join(root, STAMP), `${messagesHash(root)}\n`)
