// `kestrel export`: writes the chain's blocks as RLP to a file for `kestrel import`, geth and other clients.
import { open, rm } from 'node:fs/promises'
import type { Command } from 'commander'
import { z } from 'zod'
import type { BlockChain } from '../chain/block-chain.ts'
import { ChainError } from '../lib/errors.ts'
import { encodeBlock } from '../primitives/block.ts'
import { firstBlock } from '../spec/forks.ts'
import { openStored } from './datadir.ts'
import { integer, path, readFlags, readOperand, refuseFlag, wrongFlag } from './flags.ts'
import { showProgress } from './progress.ts'
import { readModules } from './proposal-modules.ts'
import { schemasOf, withOptions } from './start-flags.ts'

const blockNumber = integer(0n, 2n ** 64n - 1n)
const shared = ['datadir', 'proposal'] as const
const flags = z.object({ ...schemasOf(shared), first: blockNumber.optional(), last: blockNumber.optional() })
/** Bytes to collect before each write. */
const CHUNK = 1 << 20

export function register(command: Command): void {
  command
    .argument('<file>', 'file to create; it must not exist')
    .option('--first <number>', 'first block (default: 1, or the first one that the chain has)')
    .option('--last <number>', 'last block (default: the head)')
  withOptions(command, ...shared)
    .addHelpText(
      'after',
      `
Export the genesis as its own file with \`kestrel genesis --datadir DIR\`. Of a fork only its own blocks are exported, which no
chain but the fork can import: the blocks and the state before them are the forked chain's.

Examples:
  kestrel export chain.rlp
  kestrel export some.rlp --first 100 --last 200`,
    )
    .action(async (file: string, given) => {
      readOperand('file', path, file)
      const { datadir, first, last, proposal } = readFlags(flags, given)
      if (first !== undefined && last !== undefined && first > last)
        throw wrongFlag('first', `expected at most ${last}, the last`)
      const modules = await readModules(proposal)
      const chain = await openStored(datadir, modules, { blocksOnly: true })
      try {
        await exportFile(chain, file, first ?? firstExported(chain), last ?? chain.head.number)
      } finally {
        await chain.close()
      }
    })
}

/** The genesis block cannot be imported. */
const firstExported = ({ base, spec }: BlockChain): bigint => (base > firstBlock(spec) ? base : firstBlock(spec) + 1n)

async function exportFile(chain: BlockChain, file: string, first: bigint, last: bigint): Promise<void> {
  const head = chain.head.number
  if (last > head) throw refuseFlag('last', `the head is block ${head}`)
  if (first > last) throw refuseFlag('first', `the head is block ${head}`)
  if (first < chain.base) throw refuseFlag('first', `the chain has blocks since block ${chain.base} only`)
  const target = await open(file, 'wx')
  try {
    const progress = showProgress('exported')
    let gathered: Uint8Array[] = []
    let size = 0
    for (let number = first; number <= last; number++) {
      const block = await chain.block({ number })
      if (block === undefined) throw new ChainError('storage', `block ${number} is missing`)
      const bytes = encodeBlock(block)
      gathered.push(bytes)
      size += bytes.length
      if (size >= CHUNK || number === last) {
        await target.writeFile(Buffer.concat(gathered))
        gathered = []
        size = 0
      }
      progress.step(number)
    }
    await target.sync()
    progress.done(` to ${file}`)
  } catch (error) {
    // A partial file would look complete.
    await rm(file, { force: true })
    throw error
  } finally {
    await target.close()
  }
}
