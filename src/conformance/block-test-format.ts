// Ethereum's blockchain tests as files have them: a genesis with its header, encoded blocks with what becomes of each,
// and the world at the end. Both forms are read: ethereum/tests and the fixtures of execution-spec-tests.
import { z } from 'zod'
import { hexToHash, toHex, ZERO_HASH } from '../lib/hex.ts'
import { accounts, address, bytes, quantity, word } from './fields.ts'

const header = z.object({
  hash: word,
  parentHash: word.default(ZERO_HASH),
})

const genesisHeader = z.object({
  hash: word,
  parentHash: word,
  coinbase: address,
  timestamp: quantity,
  gasLimit: quantity,
  gasUsed: quantity,
  difficulty: quantity,
  extraData: bytes.transform(toHex),
  mixHash: word,
  nonce: bytes.transform(toHex),
  baseFeePerGas: quantity.optional(),
  blobGasUsed: quantity.optional(),
  excessBlobGas: quantity.optional(),
})

const block = z.object({
  rlp: bytes,
  /** A block without a header of its own must be refused. */
  blockHeader: header.optional(),
  expectException: z.unknown().optional(),
})

const blobLimits = z.object({ target: quantity, max: quantity, baseFeeUpdateFraction: quantity })

/** One test. `network` are the rules, by the name that `networkOf` reads. */
export const blockTest = z.object({
  network: z.string(),
  config: z
    .object({ chainid: quantity.optional(), blobSchedule: z.record(z.string(), blobLimits).optional() })
    .optional(),
  genesisBlockHeader: genesisHeader,
  genesisRLP: bytes.optional(),
  pre: accounts,
  blocks: z.array(block),
  /** The newest block of the chain at the end. Older files leave out the prefix. */
  lastblockhash: z
    .string()
    .regex(/^(0x)?[0-9a-f]{64}$/i)
    .transform((hex) => hexToHash(hex.startsWith('0x') ? hex : `0x${hex}`)),
  /** The world at the end, whole; large ones are given by their root instead. */
  postState: accounts.nullish(),
  postStateHash: word.nullish(),
})
export type BlockTest = z.infer<typeof blockTest>
