// The CometBFT home folder: keys, configuration and genesis in `config/`, blocks and signing state in `data/`. Existing files
// are never overwritten: losing the consensus key, or using it without its signing state, costs the stake.
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ChainError } from '../../lib/errors.ts'
import { type Hash, toHash } from '../../lib/hex.ts'
import { type ChainSpec, type GenesisAllocation, type GenesisSpec, requireNetwork } from '../../spec/chain-spec.ts'
import { type CometBftConfig, configText, type NewConfig, readConfig } from './config.ts'
import { cometBftGenesisText, readEngineGenesis } from './genesis.ts'
import { newKey, nodeIdOf, nodeKeyFile, publicKeyIn, UNSIGNED_STATE, validatorKeyFile } from './keys.ts'

/** The files of a CometBFT home that kestrel knows. */
export const cometBftFiles = (home: string) => ({
  config: join(home, 'config', 'config.toml'),
  genesis: join(home, 'config', 'genesis.json'),
  validatorKey: join(home, 'config', 'priv_validator_key.json'),
  nodeKey: join(home, 'config', 'node_key.json'),
  signatures: join(home, 'data', 'priv_validator_state.json'),
  /** Present as soon as CometBFT has run. */
  blocks: join(home, 'data', 'blockstore.db'),
  log: join(home, 'cometbft.log'),
  processId: join(home, 'cometbft.pid'),
})

export type HomeKeys = {
  /** Public key with which a validator signs. */
  readonly consensusKey: Hash
  /** Identifies the node to peers: 40 lower-case hex digits. */
  readonly nodeId: string
}

/** The public keys of a home. Throws ChainError `invalid-params` for a file that is not a CometBFT key, or Node's error. */
export async function readKeys(home: string): Promise<HomeKeys> {
  const { validatorKey, nodeKey } = cometBftFiles(home)
  const [validator, node] = await Promise.all([validatorKey, nodeKey].map((path) => readFile(path, 'utf8')))
  return {
    consensusKey: toHash(publicKeyIn(validator ?? '', validatorKey)),
    nodeId: nodeIdOf(publicKeyIn(node ?? '', nodeKey)),
  }
}

/**
 * The public keys of a home; generates missing keys. Throws ChainError `storage` if CometBFT has run here and the key file or
 * the signing state is missing.
 */
export async function makeKeys(home: string): Promise<HomeKeys> {
  const { validatorKey, nodeKey, signatures, blocks, genesis } = cometBftFiles(home)
  // A home with a genesis was complete before: its key may have signed, even if the blocks have been moved away.
  if (existsSync(blocks) || (existsSync(genesis) && existsSync(validatorKey))) requireSignatures(home)
  for (const path of [validatorKey, signatures]) await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeNew(validatorKey, () => validatorKeyFile(newKey()))
  await writeNew(nodeKey, () => nodeKeyFile(newKey()))
  await writeNew(signatures, () => UNSIGNED_STATE)
  return readKeys(home)
}

/** Throws ChainError `storage` for a home whose consensus key or signing state is missing. */
export function requireSignatures(home: string): void {
  const { validatorKey, signatures } = cometBftFiles(home)
  const lost = [validatorKey, signatures].find((path) => !existsSync(path))
  if (lost !== undefined)
    throw new ChainError('storage', `${lost} is gone: restore it; a validator without it may sign a block twice`)
}

/** Writes a file that only its owner can read, unless it exists. */
async function writeNew(path: string, text: () => string): Promise<void> {
  if (existsSync(path)) return
  await writeFile(path, text(), { flag: 'wx', mode: 0o600 })
}

/**
 * Creates the missing files of a home: keys, configuration, CometBFT's genesis. Throws ChainError `not-allowed` for a chain
 * of one node.
 */
export async function makeHome(
  home: string,
  spec: GenesisSpec<GenesisAllocation>,
  config: NewConfig,
): Promise<HomeKeys> {
  requireNetwork(spec)
  const keys = await makeKeys(home)
  const files = cometBftFiles(home)
  await writeNew(files.config, () => configText(config))
  if (!existsSync(files.genesis)) {
    // A partly written genesis must not stay.
    const unfinished = `${files.genesis}.new`
    await rm(unfinished, { force: true })
    await writeFile(unfinished, cometBftGenesisText(spec), { mode: 0o644 })
    await rename(unfinished, files.genesis)
  }
  return keys
}

/** The first missing file that CometBFT needs; undefined if all exist. */
export const missingFile = (home: string): string | undefined => {
  const { config, genesis, validatorKey, nodeKey, signatures } = cometBftFiles(home)
  return [validatorKey, nodeKey, config, genesis, signatures].find((path) => !existsSync(path))
}

/** Whether the home has a consensus key. */
export const hasValidatorKey = (home: string): boolean => existsSync(cometBftFiles(home).validatorKey)

/** The configuration in a home. Throws ChainError `invalid-params`, whose message begins with the path, or Node's error. */
export async function readHomeConfig(home: string): Promise<CometBftConfig> {
  const { config } = cometBftFiles(home)
  return readConfig(await readFile(config, 'utf8'), config)
}

/** kestrel's genesis from CometBFT's, as JSON; undefined if the home has no genesis. Throws ChainError `invalid-params`. */
export async function readAppState(home: string): Promise<string | undefined> {
  const { genesis } = cometBftFiles(home)
  if (!existsSync(genesis)) return undefined
  return JSON.stringify(readEngineGenesis(await readFile(genesis, 'utf8'), genesis).appState)
}

/** Throws ChainError `not-allowed` when a home belongs to another chain, or has fewer blocks than the node. */
export async function requireSameChain(home: string, spec: ChainSpec, head: bigint): Promise<void> {
  const { textChainId, consensus } = requireNetwork(spec)
  const { genesis, blocks } = cometBftFiles(home)
  const { chainId: found } = readEngineGenesis(await readFile(genesis, 'utf8'), genesis)
  if (found !== textChainId)
    throw new ChainError(
      'not-allowed',
      `${home} is the CometBFT home of the chain ${found}, this one is ${textChainId}; name another with --engine-home`,
    )
  if (head >= consensus.initialHeight && !existsSync(blocks))
    throw new ChainError(
      'not-allowed',
      `the chain is at block ${head}, and CometBFT in ${home} has no blocks: ` +
        `restore its data folder, or let it fetch them again (kestrel rewind --to ${consensus.initialHeight - 1n})`,
    )
}
