// `kestrel import`: imports a file of RLP blocks; each is executed and checked before the next is read.

import { closeSync, openSync, readSync } from 'node:fs'
import type { Command } from 'commander'
import { z } from 'zod'
import type { BlockChain } from '../chain/block-chain.ts'
import { requireNoConsensus } from '../chain/consensus-mark.ts'
import { ChainError } from '../lib/errors.ts'
import { decodeHeader } from '../primitives/header.ts'
import { splitList } from '../primitives/rlp.ts'
import { openStored, SYNC_INTERVAL } from './datadir.ts'
import { path, readFlags, readOperand } from './flags.ts'
import { showProgress } from './progress.ts'
import { readModules } from './proposal-modules.ts'
import { schemasOf, withOptions } from './start-flags.ts'

const shared = ['datadir', 'proposal'] as const
const flags = z.object(schemasOf(shared))

export function register(command: Command): void {
  command.argument('<file>', 'concatenated RLP blocks, as export writes them')
  withOptions(command, ...shared)
    .addHelpText(
      'after',
      `
Every block is executed and must match its header. The import stops at the first that does not; the blocks before it stay
imported.

Example:
  kestrel init --genesis genesis.json --datadir copy && kestrel import chain.rlp --datadir copy`,
    )
    .action(async (file: string, given) => {
      readOperand('file', path, file)
      const { datadir, proposal } = readFlags(flags, given)
      const modules = await readModules(proposal)
      const chain = await openStored(datadir, modules, { durable: SYNC_INTERVAL })
      try {
        requireNoConsensus(chain.store)
        await importFile(chain, file)
      } finally {
        await chain.close()
      }
    })
}

async function importFile(chain: BlockChain, file: string): Promise<void> {
  const progress = showProgress('imported')
  const began = performance.now()
  const done = { blocks: 0, transactions: 0, gas: 0 }
  for (const [raw, next] of withNext(readBlocks(file))) {
    if (isKnown(chain, raw)) continue
    if (next !== undefined) chain.expected.expect(next)
    const { block } = await chain.importBlock(raw)
    done.blocks++
    done.transactions += block.transactions.length
    done.gas += Number(block.header.gasUsed)
    progress.step(block.header.number)
  }
  progress.done(`${speed(done, performance.now() - began)}; the head is block ${chain.head.number} ${chain.head.hash}`)
}

/** The speed, for example ` (12 blocks/s, 240 tx/s, 5.04 Mgas/s)`; empty if no block was imported. */
function speed(done: { blocks: number; transactions: number; gas: number }, milliseconds: number): string {
  if (done.blocks === 0) return ''
  const each = (count: number, digits: number) => ((count * 1000) / milliseconds).toFixed(digits)
  return ` (${each(done.blocks, 0)} blocks/s, ${each(done.transactions, 0)} tx/s, ${each(done.gas / 1e6, 2)} Mgas/s)`
}

/** Yields each item with its successor. An error of the source is thrown after its last item. */
function* withNext<T>(source: Iterator<T>): Generator<[T, T | undefined]> {
  try {
    for (let current = source.next(); !current.done; ) {
      let next: IteratorResult<T>
      try {
        next = source.next()
      } catch (error) {
        yield [current.value, undefined]
        throw error
      }
      yield [current.value, next.done ? undefined : next.value]
      current = next
    }
  } finally {
    source.return?.()
  }
}

/** Whether the chain has the block. Throws ChainError `invalid-block` when it has another block at that height. */
function isKnown(chain: BlockChain, raw: Uint8Array): boolean {
  const { number, hash } = decodeHeader(splitList(raw)[0] ?? raw)
  if (number > chain.head.number) return false
  if (chain.canonicalHash(number) === hash) return true
  throw new ChainError('invalid-block', `block ${number} of the file is not this chain's: ${hash}`)
}

/**
 * Most bytes of a block in a file, so that a damaged length does not allocate all memory. Osaka allows 8 MiB (EIP-7934);
 * before it only the gas limit bounds a block.
 */
const MAX_BLOCK = 256 * 1024 * 1024

/** The file's blocks, each still encoded. Throws ChainError `invalid-block` with the place, or the file's error. */
export function* readBlocks(file: string): Generator<Uint8Array> {
  const descriptor = openSync(file, 'r')
  try {
    for (let at = 0; ; ) {
      const head = read(descriptor, at, 9)
      if (head.length === 0) return
      const length = listLength(head)
      if (length === undefined || length > MAX_BLOCK) throw malformed(file, at, 'expected the beginning of a block')
      const bytes = read(descriptor, at, length)
      if (bytes.length < length) throw malformed(file, at, 'the file ends within a block')
      yield bytes
      at += length
    }
  } finally {
    closeSync(descriptor)
  }
}

/** Bytes of an RLP list including its prefix, from its first nine bytes; undefined if it is not a list. */
function listLength(head: Uint8Array): number | undefined {
  const [prefix = 0, ...rest] = head
  if (prefix < 0xc0) return undefined
  if (prefix <= 0xf7) return 1 + prefix - 0xc0
  const digits = rest.slice(0, prefix - 0xf7)
  return 1 + digits.length + digits.reduce((length, digit) => length * 256 + digit, 0)
}

/** Reads up to `length` bytes from `at`; fewer at the file's end. */
function read(descriptor: number, at: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let filled = 0
  for (let got = -1; filled < length && got !== 0; filled += got)
    got = readSync(descriptor, bytes, filled, length - filled, at + filled)
  return bytes.subarray(0, filled)
}

const malformed = (file: string, at: number, problem: string): ChainError =>
  new ChainError('invalid-block', `${file}, byte ${at}: ${problem}`)
