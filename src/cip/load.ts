// Users' opcode proposals: JavaScript or TypeScript modules, loaded at start, with one proposal or a list of them as default
// export. They import nothing from this program; their functions get what they need as arguments.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { FRAME_VERSION } from '../evm/opcode-frame.ts'
import { ChainError } from '../lib/errors.ts'
import { hexToHash } from '../lib/hex.ts'
import type { Proposal } from './define.ts'
import type { ProposalModule } from './modules.ts'

const MOST = 2 ** 31 - 1

const shape = z
  .looseObject(
    {
      name: z.string({ error: 'name: expected a text such as "kestrel_7"' }).optional(),
      number: z.int({ error: 'number: expected a whole number' }).min(0).max(MOST).optional(),
      frame: z.literal(FRAME_VERSION, { error: `frame: expected ${FRAME_VERSION}` }).optional(),
      title: z.string({ error: 'title: expected a text' }),
      apply: z.custom((given) => typeof given === 'function', { error: 'apply: expected a function' }),
    },
    { error: 'expected an object { number, title, apply }' },
  )
  .refine(({ name, number }) => (name === undefined) !== (number === undefined), {
    error: 'expected either a number or a name',
  })

/** Loads a file as a proposal module. Throws ChainError `invalid-params`; its message begins with the file's name. */
export async function loadModule(file: string): Promise<ProposalModule> {
  if (!existsSync(file)) throw refuse(file, 'no such file')
  const sha256 = hexToHash(
    `0x${createHash('sha256')
      .update(await readFile(file))
      .digest('hex')}`,
  )
  const { default: exported }: { default?: unknown } = await importModule(file)
  return { file, sha256, proposals: proposalsIn(file, exported) }
}

function proposalsIn(file: string, exported: unknown): readonly Proposal[] {
  const listed: readonly unknown[] = Array.isArray(exported) ? exported : [exported]
  return listed.map((given, index) => {
    const parsed = shape.safeParse(given)
    // Return the object itself, not zod's copy: its `apply` may be a method.
    if (parsed.success) return given as Proposal
    const place = Array.isArray(exported) ? `default export, element ${index}` : 'default export'
    throw refuse(file, `${place}: ${parsed.error.issues[0]?.message}`)
  })
}

async function importModule(file: string): Promise<{ default?: unknown }> {
  try {
    return await import(pathToFileURL(resolve(file)).href)
  } catch (error) {
    if (!isUnknownExtension(error)) throw refuse(file, messageOf(error))
  }
  if (!/^\.[mc]?ts$/.test(extname(file))) throw refuse(file, 'expected a JavaScript or TypeScript module')
  try {
    return await import(await transpiled(file))
  } catch (error) {
    throw error instanceof ChainError ? error : refuse(file, messageOf(error))
  }
}

/**
 * Bundles the module and its imports into one JavaScript module, as a URL. Node.js before 22.18 does not read TypeScript;
 * esbuild does, if it is installed.
 */
async function transpiled(file: string): Promise<string> {
  // Not a literal, so that the build does not bundle it.
  const bundler: string = 'esbuild'
  const { build }: typeof import('esbuild') = await import(bundler).catch(() => {
    const { node } = process.versions
    throw refuse(file, `Node.js ${node} reads no TypeScript; use 22.18 or later, or give the module as JavaScript`)
  })
  const { outputFiles } = await build({
    ...{
      entryPoints: [resolve(file)],
      bundle: true,
      write: false,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    },
    target: `node${process.versions.node}`,
  })
  const [output] = outputFiles
  if (output === undefined) throw refuse(file, 'there is nothing in it')
  return `data:text/javascript;base64,${Buffer.from(output.contents).toString('base64')}`
}

const isUnknownExtension = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_UNKNOWN_FILE_EXTENSION'

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const refuse = (file: string, problem: string): ChainError =>
  new ChainError('invalid-params', `${file}: ${problem.replace(/\s+/g, ' ')}`)
