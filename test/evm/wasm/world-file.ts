// A difference of the differential fuzzer as a file: accounts and messages, so that it stays what it is when the generators change.
// Only an opcode table with changes is made from the seed again.
import { z } from 'zod'
import { bigToWord, toHex, toQuantity } from '../../../src/lib/hex.ts'
import type { TransactionMessage } from '../../../src/primitives/types.ts'
import { FORKS } from '../../../src/spec/chain-spec.ts'
import { accounts, address, bytes, quantity, storeAccounts, word } from '../../conformance/fields.ts'
import { type Difference, differenceOf, envOf, PAIRINGS, SENDER } from './differential.ts'

const account = z.object({
  balance: z.string(),
  nonce: z.string(),
  code: z.string(),
  storage: z.record(z.string(), z.string()),
})
const worldFile = z.object({
  pairing: z.enum(Object.keys(PAIRINGS) as [keyof typeof PAIRINGS]),
  /** Of the opcode table, where the pairing changes it. */
  seed: z.number(),
  fork: z.enum(FORKS),
  traced: z.union([z.boolean(), z.literal('steps')]),
  pre: z.record(z.string(), account),
  messages: z.array(
    z.object({
      to: z.union([address, z.null()]),
      value: quantity,
      data: bytes,
      gasLimit: quantity,
      maxFeePerGas: quantity,
      accessList: z.array(z.object({ address, storageKeys: z.array(word) })),
      blobVersionedHashes: z.array(word),
    }),
  ),
})
/** As JSON has it. */
export type WorldFile = z.input<typeof worldFile>

/** The world of a difference as a file. */
export function fileOf(pairing: keyof typeof PAIRINGS, { world, messages, traced, seed, fork }: Difference): WorldFile {
  const pre = world.view.transactionDiff().map(({ address: of, after, slots }) => {
    const storage = slots.map(({ key, after: value }) => [key, bigToWord(value)] as const)
    const { balance = 0n, nonce = 0n } = after ?? {}
    const code = toHex(world.view.code(of))
    return [of, { balance: toQuantity(balance), nonce: toQuantity(nonce), code, storage: Object.fromEntries(storage) }]
  })
  return {
    pairing,
    seed,
    fork,
    traced,
    pre: Object.fromEntries(pre),
    messages: messages.map(({ to, value, data, gasLimit, maxFeePerGas, accessList, blobVersionedHashes }) => ({
      to,
      value: toQuantity(value),
      data: toHex(data),
      gasLimit: toQuantity(gasLimit),
      maxFeePerGas: toQuantity(maxFeePerGas),
      accessList: accessList.map(({ address: of, storageKeys }) => ({ address: of, storageKeys: [...storageKeys] })),
      blobVersionedHashes: [...blobVersionedHashes],
    })),
  }
}

/** The world of a file, with its messages. Throws for what is no such file. */
export async function worldOfFile(file: unknown) {
  const { pairing, seed, fork, traced, pre, messages } = worldFile.parse(file)
  const { state, version } = await storeAccounts(accounts.parse(pre))
  const of = PAIRINGS[pairing]
  const { table } = await of.make(seed)
  const sent = messages.map(
    (message): TransactionMessage => ({
      ...message,
      from: SENDER,
      nonce: 0n,
      maxPriorityFeePerGas: 0n,
      maxFeePerBlobGas: 0n,
      authorizationList: [],
    }),
  )
  const world = { seed, fork, view: state.at(version), env: envOf(fork), messages: sent, ...(table && { table }) }
  return { world, of, traced }
}

/** The difference that a file shows now; undefined: none. */
export async function differenceOfFile(file: unknown): Promise<Difference | undefined> {
  const { world, of, traced } = await worldOfFile(file)
  return differenceOf(world, of, world.messages, traced)
}
