// The CometBFT home folder: keys, configuration and genesis in `config/`, blocks and signing state in `data/`. Existing files
// are never overwritten: losing the consensus key, or using it without its signing state, costs the stake. Where config.toml
// names a remote signer, that program has both; CometBFT then writes a key of its own into the home, which nothing uses.
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ChainError } from '../../lib/errors.ts'
import { type Hash, toHash } from '../../lib/hex.ts'
import { type ChainSpec, type GenesisAllocation, type GenesisSpec, requireNetwork } from '../../spec/chain-spec.ts'
import { CometBftClient, CometBftUnreachable } from './client.ts'
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

/** The id of a home's node. Throws ChainError `invalid-params` for a file that is not a CometBFT key, or Node's error. */
export async function readNodeId(home: string): Promise<string> {
  const { nodeKey } = cometBftFiles(home)
  return nodeIdOf(publicKeyIn(await readFile(nodeKey, 'utf8'), nodeKey))
}

/**
 * The public consensus key of a home. The running CometBFT is asked for that of a remote signer. Throws ChainError
 * `invalid-params` for a file that is not a CometBFT key, `not-allowed` if CometBFT does not answer, or Node's error.
 */
export async function readConsensusKey(home: string): Promise<Hash> {
  const { validatorKey, config } = cometBftFiles(home)
  const remote = await remoteSigner(home)
  if (remote === undefined) return toHash(publicKeyIn(await readFile(validatorKey, 'utf8'), validatorKey))
  const client = new CometBftClient(remote.rpcUrl)
  const answering = await client.status().catch((error: unknown) => {
    if (error instanceof CometBftUnreachable) return undefined
    throw error
  })
  // Another node on this machine may have the port.
  if (answering?.nodeId === (await readNodeId(home))) return client.consensusKey()
  throw new ChainError(
    'not-allowed',
    `the key is at the signer that connects to ${remote.signer} (priv_validator_laddr in ${config}), and this home's CometBFT, which asks it, does not run: start the node and the signer first`,
  )
}

/** The configuration of a home that names a remote signer; undefined for others. Throws as `readHomeConfig` does. */
export async function remoteSigner(home: string): Promise<(CometBftConfig & { readonly signer: string }) | undefined> {
  if (!existsSync(cometBftFiles(home).config)) return undefined
  const { signer, ...config } = await readHomeConfig(home)
  return signer === undefined ? undefined : { ...config, signer }
}

/**
 * The public keys of a home without a remote signer; generates missing keys. Throws ChainError `storage` if CometBFT has run
 * here and the key file or the signing state is missing.
 */
export async function makeKeys(home: string): Promise<HomeKeys> {
  const { validatorKey, signatures, blocks, genesis } = cometBftFiles(home)
  // A home with a genesis was complete before: its key may have signed, even if the blocks have been moved away.
  if (existsSync(blocks) || (existsSync(genesis) && existsSync(validatorKey))) requireSignatures(home)
  const nodeId = await makeNodeKey(home)
  await writeNew(validatorKey, () => validatorKeyFile(newKey()))
  await writeNew(signatures, () => UNSIGNED_STATE)
  return { consensusKey: await readConsensusKey(home), nodeId }
}

/** The id of a home's node; generates the key if it is missing. */
export async function makeNodeKey(home: string): Promise<string> {
  await writeNew(cometBftFiles(home).nodeKey, () => nodeKeyFile(newKey()))
  return readNodeId(home)
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
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(path, text(), { flag: 'wx', mode: 0o600 })
}

/**
 * Creates the missing files of a home: keys, configuration, CometBFT's genesis. Throws ChainError `not-allowed` for a chain
 * of one node.
 */
export async function makeHome(home: string, spec: GenesisSpec<GenesisAllocation>, config: NewConfig): Promise<void> {
  requireNetwork(spec)
  await (config.signer === undefined ? makeKeys(home) : makeNodeKey(home))
  const files = cometBftFiles(home)
  await writeNew(files.config, () => configText(config))
  if (!existsSync(files.genesis)) {
    // A partly written genesis must not stay.
    const unfinished = `${files.genesis}.new`
    await rm(unfinished, { force: true })
    await writeFile(unfinished, cometBftGenesisText(spec), { mode: 0o644 })
    await rename(unfinished, files.genesis)
  }
}

/** The first missing file that CometBFT needs; undefined if all exist. Throws as `readHomeConfig` does. */
export async function missingFile(home: string): Promise<string | undefined> {
  const { config, genesis, validatorKey, nodeKey, signatures } = cometBftFiles(home)
  const ofSigner = (await remoteSigner(home)) === undefined ? [validatorKey, signatures] : []
  return [...ofSigner, nodeKey, config, genesis].find((path) => !existsSync(path))
}

/** Whether the home has keys: a node that has a remote signer has one, too. */
export const hasKeys = (home: string): boolean => existsSync(cometBftFiles(home).nodeKey)

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
