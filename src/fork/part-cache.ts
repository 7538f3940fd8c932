// The parts of a forked chain's state that were fetched, for all forks of the same block: a file of records in the user's cache
// folder. Several nodes may append to it at the same time. It is only a cache: a damaged record costs itself.
import { mkdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { ChainError } from '../lib/errors.ts'
import { bigToBytes, bytesToBig, fromHex, toAddress, toHash } from '../lib/hex.ts'
import { asBytes, asList, decodeRlp, encodeRlp, type RlpItem } from '../primitives/rlp.ts'
import { type Found, nameOfWanted } from '../state/partial-state.ts'
import { openRecordLog } from '../state/record-log.ts'
import type { RecordLog } from '../state/types.ts'
import type { ForkBlock, PartCache } from './forked-chain.ts'

/** Bytes of a file that are read; a larger one is left as it is. */
const MOST_BYTES = 256 * 2 ** 20

/** The folder of all caches: `$XDG_CACHE_HOME/kestrel`, or `~/.cache/kestrel`. */
const cacheFolder = (): string => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kestrel')

/** The cache of a fork's block; undefined if the folder cannot be used. What was verified has a file of its own. */
export function openPartCache({ chainId, hash, isVerified }: ForkBlock): FilePartCache | undefined {
  const folder = join(cacheFolder(), 'forks')
  const file = join(folder, `${chainId}-${hash}${isVerified ? '-verified' : ''}`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES) return undefined
    return new FilePartCache(openRecordLog(file))
  } catch {
    return undefined
  }
}

class FilePartCache implements PartCache {
  readonly #log: RecordLog
  readonly #parts = new Map<string, Found>()
  #isClosed = false

  constructor(log: RecordLog) {
    this.#log = log
    for (const record of log.read().records) {
      const found = decode(record)
      if (found !== undefined) this.#parts.set(nameOfWanted(found), found)
    }
  }

  get(name: string): Found | undefined {
    return this.#parts.get(name)
  }

  add(found: readonly Found[]): void {
    // The number of a closed file may be another file's by now.
    if (this.#isClosed) return
    for (const part of found) this.#parts.set(nameOfWanted(part), part)
    try {
      this.#log.append(found.map(encode))
    } catch (error) {
      // A full disk: the chain's own rows tell.
      if (!(error instanceof ChainError)) throw error
    }
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#log.close()
  }
}

/** `[account]`, `[account, nonce, balance, code]`, `[account, slot, word]` or `[block, hash]`. */
function encode(found: Found): Uint8Array {
  if ('block' in found) return encodeRlp([bigToBytes(found.block), fromHex(found.hash)])
  const account = fromHex(found.account)
  if (found.slot !== undefined) return encodeRlp([account, fromHex(found.slot), found.word])
  const { state } = found
  return encodeRlp(
    state === undefined ? [account] : [account, bigToBytes(state.nonce), bigToBytes(state.balance), state.code],
  )
}

function decode(record: Uint8Array): Found | undefined {
  try {
    const fields = asList(decodeRlp(record), 'part')
    const at = (index: number): Uint8Array => Uint8Array.from(asBytes(fields[index] as RlpItem, 'part'))
    if (fields.length === 2) return { block: bytesToBig(at(0)), hash: toHash(at(1)) }
    const account = toAddress(at(0))
    if (fields.length === 1) return { account, state: undefined }
    if (fields.length === 3) return { account, slot: toHash(at(1)), word: at(2) }
    return { account, state: { nonce: bytesToBig(at(1)), balance: bytesToBig(at(2)), code: at(3) } }
  } catch {
    // Of another version of this program.
    return undefined
  }
}
