// The two ed25519 keys of a CometBFT home, in CometBFT's file formats: the consensus key, with which a validator signs, and
// the node key, which identifies the node to peers. Generated here, so that it works without the CometBFT program.
import { generateKeyPairSync } from 'node:crypto'
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { fromHex, type Hash, toHash } from '../../lib/hex.ts'
import { consensusAddress } from '../../spec/addresses.ts'

/** A private key as CometBFT stores it: 32 bytes of seed and 32 of public key. */
export type Ed25519Key = { readonly seed: Uint8Array; readonly publicKey: Uint8Array }

const PRIVATE_TYPE = 'tendermint/PrivKeyEd25519'
const PUBLIC_TYPE = 'tendermint/PubKeyEd25519'
const KEY_BYTES = 32

export function newKey(): Ed25519Key {
  const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  if (d === undefined || x === undefined) throw new Error('an ed25519 key without its numbers')
  return { seed: Buffer.from(d, 'base64url'), publicKey: Buffer.from(x, 'base64url') }
}

/** Address of a node key, calculated as that of a consensus key: 40 lower-case hex digits, as in `ID@HOST:PORT`. */
export const nodeIdOf = (publicKey: Uint8Array): string => consensusAddress(toHash(publicKey)).slice(2)

/** A consensus key as `createValidator` takes it. */
export const keyToBase64 = (key: Hash): string => Buffer.from(fromHex(key)).toString('base64')

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const privateValue = ({ seed, publicKey }: Ed25519Key) => ({
  type: PRIVATE_TYPE,
  value: base64(Buffer.concat([seed, publicKey])),
})

/** The text of `config/priv_validator_key.json`. */
export function validatorKeyFile(key: Ed25519Key): string {
  const file = {
    address: nodeIdOf(key.publicKey).toUpperCase(),
    pub_key: { type: PUBLIC_TYPE, value: base64(key.publicKey) },
    priv_key: privateValue(key),
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

/** The text of `config/node_key.json`. */
export const nodeKeyFile = (key: Ed25519Key): string => `${JSON.stringify({ priv_key: privateValue(key) })}\n`

/** The text of `data/priv_validator_state.json` of a key that has never signed. */
export const UNSIGNED_STATE = `${JSON.stringify({ height: '0', round: 0, step: 0 }, null, 2)}\n`

const keyFile = z.object({ priv_key: z.object({ type: z.literal(PRIVATE_TYPE), value: z.base64() }) })

/** The public key in a key file of either kind. Throws ChainError `invalid-params`, whose message begins with the path. */
export function publicKeyIn(text: string, path: string): Uint8Array {
  const refuse = () => new ChainError('invalid-params', `${path}: expected a key file of CometBFT with an ed25519 key`)
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw refuse()
  }
  const parsed = keyFile.safeParse(json)
  const bytes = Buffer.from(parsed.data?.priv_key.value ?? '', 'base64')
  if (bytes.length !== 2 * KEY_BYTES) throw refuse()
  return bytes.subarray(KEY_BYTES)
}
