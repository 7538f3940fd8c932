// Headers that a chain does not have, signed by its own validators: what a light client of it must be protected from.
import { createPrivateKey, sign } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { create } from '@bufbuild/protobuf'
import { headerHash, precommitBytes } from '../../src/ibc/comet/hashes.ts'
import { CommitSchema, HeaderSchema } from '../../src/protobuf/generated/tendermint/types/types_pb.ts'
import type { LightBlock } from '../../src/relay/end.ts'
import { headerOf, packedHeader } from '../../src/relay/headers.ts'
import { KestrelEnd } from '../../src/relay/kestrel.ts'
import type { TestNetwork } from './support.ts'

/** Before ed25519's seed in PKCS #8 (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The update of a client of a network to its newest height with another app hash, from a height that the client trusts. */
export async function forgedUpdate(network: TestNetwork, trusted: bigint, appHash: Uint8Array) {
  const reader = new KestrelEnd('network', [new URL(`${network.url(0)}/rpc`)])
  try {
    const { height } = await reader.head()
    if (height <= trusted) throw new Error('the network has no newer block')
    const [block, { validators }] = await Promise.all([reader.lightBlock(height), reader.lightBlock(trusted + 1n)])
    return { height, update: packedHeader(headerOf(await forked(block, network, appHash), trusted, validators)) }
  } finally {
    reader.close()
  }
}

/** The block with another app hash, signed by the keys in the homes of the network's nodes. */
async function forked({ header, commit, validators }: LightBlock, network: TestNetwork, appHash: Uint8Array) {
  const keys = await Promise.all(
    network.all.map(async (index) => {
      const path = join(network.home(index), 'engine/config/priv_validator_key.json')
      const { address, priv_key } = JSON.parse(await readFile(path, 'utf8'))
      const seed = Buffer.from(priv_key.value, 'base64').subarray(0, 32)
      const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
      return [String(address).toLowerCase(), key] as const
    }),
  )
  const secrets = new Map(keys)
  const other = create(HeaderSchema, { ...header, appHash })
  const blockId = { ...commit.blockId, hash: headerHash(other) }
  const copy = create(CommitSchema, { height: commit.height, round: commit.round, blockId })
  copy.signatures = commit.signatures.map((of) => {
    const key = secrets.get(Buffer.from(of.validatorAddress).toString('hex'))
    if (key === undefined || of.timestamp === undefined) throw new Error('the block is not signed by all validators')
    return { ...of, signature: new Uint8Array(sign(null, precommitBytes(header.chainId, copy, of.timestamp), key)) }
  })
  return { header: other, commit: copy, validators }
}
