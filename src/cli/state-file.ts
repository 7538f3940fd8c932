// The state file of --state, --load-state and --dump-state: a new chain begins with it, and a node writes it at intervals and when it
// stops. The file on disk is always whole.
import { existsSync, statSync } from 'node:fs'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Logger } from '../lib/log.ts'
import type { Node } from '../node.ts'
import { chainJson, type LoadedChain, readChain } from '../rpc/state-dump.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import type { StartFlags } from './start-flags.ts'

type Flags = Pick<StartFlags, 'state' | 'loadState' | 'dumpState' | 'stateInterval'>

/**
 * The file's chain, and the specification with its first block; unchanged without a file. Throws ChainError `invalid-params` for a file of
 * another kind, or Node's file error.
 */
export async function withStateFile<S extends ChainSpec>(
  { state, loadState = state !== undefined && existsSync(placeOf(state)) ? placeOf(state) : undefined }: Flags,
  spec: S,
): Promise<{ readonly spec: S; readonly loaded: LoadedChain | undefined }> {
  if (loadState === undefined) return { spec, loaded: undefined }
  const loaded = await readChain(await readFile(loadState), spec)
  const first = loaded.blocks[0]?.block.header ?? {
    number: loaded.head?.number ?? 0n,
    timestamp: loaded.head?.timestamp ?? spec.genesis.timestamp,
    gasLimit: loaded.head?.gas_limit ?? spec.genesis.gasLimit,
    baseFeePerGas: loaded.head?.basefee,
  }
  const { number, timestamp, gasLimit } = first
  const baseFeePerGas = spec.genesis.baseFeePerGas && (first.baseFeePerGas ?? spec.genesis.baseFeePerGas)
  return { spec: { ...spec, genesis: { ...spec.genesis, number, timestamp, gasLimit, baseFeePerGas } }, loaded }
}

/** The node, which also writes the file that the flags name. */
export function writingState(node: Node, { state, dumpState = state, stateInterval }: Flags, log: Logger): Node {
  if (dumpState === undefined) return node
  const file = placeOf(dumpState)
  let writing = Promise.resolve()
  const write = () => {
    writing = writing
      .then(() => writeWhole(file, chainJson(node.chain)))
      .catch((error: Error) => log.error({ room: 'cli' }, `${file} is not written: ${error.message}`))
    return writing
  }
  const timer = stateInterval === undefined ? undefined : setInterval(write, stateInterval * 1000).unref()
  return {
    ...node,
    async close() {
      clearInterval(timer)
      // No block is made after those of the file.
      await node.producer.stop()
      await write()
      await node.close()
    },
  }
}

const placeOf = (path: string): string =>
  existsSync(path) && statSync(path).isDirectory() ? join(path, 'state.json') : path

/** Writes a file beside the former one, syncs it and replaces that. */
async function writeWhole(file: string, chunks: AsyncIterable<string>): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`
  try {
    const handle = await open(draft, 'w')
    await pipeline(Readable.from(chunks), handle.createWriteStream({ flush: true }))
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
