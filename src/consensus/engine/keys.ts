// The keys of a node of the engine, in its own JSON files: the one that signs blocks, and the one that names the node to its peers.
// Both are made here, so that a home can be prepared where the engine is not installed.
import { createHash, generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { type Hash, toHash } from '../../lib/hex.ts'

const PUBLIC_TYPE = 'tendermint/PubKeyEd25519'
const PRIVATE_TYPE = 'tendermint/PrivKeyEd25519'

const base64 = z.base64().transform((text) => Uint8Array.from(Buffer.from(text, 'base64')))
const validatorFile = z.object({
  pub_key: z.object({ type: z.literal(PUBLIC_TYPE), value: base64 }),
})
const nodeFile = z.object({ priv_key: z.object({ type: z.literal(PRIVATE_TYPE), value: base64 }) })

export type NodeKeys = {
  /** Public ed25519 key of the validator. */
  readonly consensusKey: Hash
  /** Names the node to its peers: the first 20 bytes of SHA-256 of its public key, in hex without 0x. */
  readonly nodeId: string
}

const keyPath = (home: string) => join(home, 'config', 'priv_validator_key.json')
const nodePath = (home: string) => join(home, 'config', 'node_key.json')
const statePath = (home: string) => join(home, 'data', 'priv_validator_state.json')

/** Whether the home has a validator's key. */
export const hasKeys = (home: string): boolean => existsSync(keyPath(home))

/**
 * The keys of a home. Throws ChainError `storage` for files that are missing or malformed.
 */
export async function readKeys(home: string): Promise<NodeKeys> {
  const { pub_key } = await readJson(keyPath(home), validatorFile)
  const { priv_key } = await readJson(nodePath(home), nodeFile)
  // An ed25519 private key of the engine is the seed followed by the public key.
  return { consensusKey: toHash(pub_key.value), nodeId: hexAddress(priv_key.value.subarray(32)) }
}

/** Makes the keys that a home lacks; those that are there stay. */
export async function makeKeys(home: string): Promise<NodeKeys> {
  await mkdir(join(home, 'config'), { recursive: true })
  await mkdir(join(home, 'data'), { recursive: true })
  if (!hasKeys(home)) {
    const { publicKey, privateKey } = newKey()
    await writeNew(keyPath(home), {
      address: hexAddress(publicKey).toUpperCase(),
      pub_key: { type: PUBLIC_TYPE, value: text(publicKey) },
      priv_key: { type: PRIVATE_TYPE, value: text(privateKey) },
    })
  }
  if (!existsSync(nodePath(home)))
    await writeNew(nodePath(home), { priv_key: { type: PRIVATE_TYPE, value: text(newKey().privateKey) } })
  // What the key has signed last. It must never be older than that, or the validator signs twice.
  if (!existsSync(statePath(home))) await writeNew(statePath(home), { height: '0', round: 0, step: 0 })
  return readKeys(home)
}

function newKey(): { readonly publicKey: Uint8Array; readonly privateKey: Uint8Array } {
  const pair = generateKeyPairSync('ed25519')
  const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const seed = pair.privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
  return { publicKey, privateKey: Buffer.concat([seed, publicKey]) }
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const hexAddress = (key: Uint8Array): string => createHash('sha256').update(key).digest('hex').slice(0, 40)

/** Readable for this user alone; an existing file is never replaced. */
const writeNew = (file: string, value: object): Promise<void> =>
  writeFile(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: 'wx' })

async function readJson<S extends z.ZodType>(file: string, schema: S): Promise<z.output<S>> {
  let content: unknown
  try {
    content = JSON.parse(await readFile(file, 'utf8'))
  } catch {
    throw new ChainError('storage', `${file}: no such file, or no JSON`)
  }
  const parsed = schema.safeParse(content)
  if (!parsed.success) throw new ChainError('storage', `${file}: not an ed25519 key of the engine`)
  return parsed.data
}
