// `kestrel testnet`: prepares the homes of a network's nodes on this machine: keys, configuration, genesis, start lines, and a
// compose file. With --from it turns a chain of one node into a network.

import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import { operatorsToPromote, promote } from '../chain/promote.ts'
import { nameModules } from '../cip/modules.ts'
import { engineGenesis, writeConfig, writeGenesis } from '../consensus/engine/home.ts'
import { makeKeys, type NodeKeys } from '../consensus/engine/keys.ts'
import { ChainError } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import { readStakingGenesis } from '../modules/staking/genesis.ts'
import type { ChainSpec, GenesisAccount, GenesisSpec, GenesisValidator } from '../spec/chain-spec.ts'
import { formatGenesis, parseGenesisText } from '../spec/genesis-file.ts'
import { devKeys, presets } from '../spec/networks.ts'
import { ETHEREUM_PATH, Wallet } from '../wallet/wallet.ts'
import { composeFile } from './compose-file.ts'
import { chainFolder, noChain, withStoredChain } from './datadir.ts'
import { oneOf, path, readFlags, refuseFlag, seconds, wholeNumber, wrongFlag } from './flags.ts'
import { homeParts } from './network-flags.ts'
import { prometheusFile } from './prometheus-file.ts'
import { proposalFlags, readModules, withProposals } from './proposal-flags.ts'

const MOST_NODES = 100

const flags = z.object({
  ...proposalFlags,
  validators: wholeNumber(1, MOST_NODES).optional(),
  readers: wholeNumber(0, MOST_NODES),
  output: path,
  portBase: wholeNumber(1024, 65_535 - 10 * 2 * MOST_NODES),
  port: wholeNumber(1024, 65_535 - 2 * MOST_NODES),
  blockTime: seconds,
  mempool: oneOf('app', 'flood'),
  genesis: path.optional(),
  from: path.optional(),
})
type Flags = z.output<typeof flags>

export function register(program: Command): void {
  const command = program
    .command('testnet')
    .description('prepare the nodes of a network on this machine')
    .option('--validators <number>', 'number of validators (default: 4, or those of --genesis or --from)')
    .option('--readers <number>', 'number of further nodes, which follow the network and do not sign', '0')
    .option('--output <dir>', 'folder for the homes of the nodes', 'net')
    .option(
      '--port-base <port>',
      "first port of the engines; each node has three, ten apart from the next node's",
      '26656',
    )
    .option('--port <port>', 'port of the first node; the others follow', '8545')
    .option('--block-time <seconds>', 'time from block to block, at least 1', '3')
    .option('--mempool <type>', 'app, or flood for engines of version 0.38', 'app')
    .option('--genesis <file>', 'genesis of the network; its validators get the new keys')
    .option('--from <datadir>', 'make a network of the chain of one node in this folder, which is only read')
  withProposals(command)
    .addHelpText(
      'after',
      `
Without --genesis and --from the network has the development accounts of \`kestrel start\`, whose keys are public.

Examples:
  kestrel testnet
  kestrel testnet --validators 4 --readers 1 --output net --block-time 1
  kestrel testnet --from kestrel-data --output net`,
    )
    .action(async (given) => prepare(readFlags(flags, given)))
}

/** A node of the network and its home. */
type Node = { readonly index: number; readonly home: string; readonly keys: NodeKeys; readonly isValidator: boolean }

async function prepare(given: Flags): Promise<void> {
  if (given.blockTime < 1)
    throw wrongFlag(
      'blockTime',
      'expected at least 1: with more than one block a second the clock of the chain would run ahead',
    )
  if (given.genesis !== undefined && given.from !== undefined)
    throw wrongFlag('from', 'expected either this or --genesis')
  await requireEmpty(given.output)
  const modules = await readModules(given.proposal)
  const base = await baseOf(given)
  const validators = given.validators ?? base.validators
  if (validators > base.most || validators < base.least) throw refuseFlag('validators', base.problem)
  const nodes = await makeNodes(given, validators)
  const keys = nodes.filter(({ isValidator }) => isValidator).map(({ keys: { consensusKey } }) => consensusKey)
  const network = await base.network(keys, nodes)
  const genesis = formatGenesis(nameModules(network, modules, 0n))
  const spec = parseGenesisText(JSON.stringify(genesis))
  const { unbondingTime } = readStakingGenesis([], spec.native?.modules.staking).params
  for (const node of nodes) {
    const parts = homeParts(node.home)
    await writeFile(parts.genesis, `${JSON.stringify(genesis, null, 2)}\n`)
    await writeGenesis(parts.engine, engineGenesis(spec, genesis, unbondingTime))
    await writeConfig(parts.engine, settingsOf(given, nodes, node))
    const proposal = given.proposal.map((file) => resolve(file))
    const stored = { port: String(given.port + node.index), ...(proposal.length > 0 && { proposal }) }
    await writeFile(parts.flags, `${JSON.stringify(stored, null, 2)}\n`)
  }
  await writeFile(join(given.output, 'compose.yml'), composeFile(nodes.length, given.port))
  const scraped = nodes.map((node) => {
    return { name: `node${node.index}`, port: given.port + node.index, engine: ports(given, node).metrics }
  })
  await writeFile(join(given.output, 'prometheus.yml'), prometheusFile(scraped))
  process.stdout.write(summary(given, nodes, base.hasPublicKeys))
}

async function requireEmpty(folder: string): Promise<void> {
  if (existsSync(folder) && (await readdir(folder)).length > 0)
    throw refuseFlag('output', `${folder} is not empty; choose another folder`)
}

async function makeNodes({ output, readers }: Flags, validators: number): Promise<Node[]> {
  const nodes: Node[] = []
  for (let index = 0; index < validators + readers; index++) {
    const home = join(output, `node${index}`)
    await mkdir(home, { recursive: true })
    nodes.push({ index, home, keys: await makeKeys(homeParts(home).engine), isValidator: index < validators })
  }
  return nodes
}

/** Ports of a node's engine: for peers, for its RPC, for its metrics. */
const ports = ({ portBase }: Flags, { index }: Node) => {
  const first = portBase + 10 * index
  return { p2p: `127.0.0.1:${first}`, rpc: `127.0.0.1:${first + 1}`, metrics: `127.0.0.1:${first + 2}` }
}

function settingsOf(given: Flags, nodes: readonly Node[], node: Node) {
  const { blockTime, mempool } = given
  const others = nodes.filter((other) => other !== node)
  const peers = others.map((other) => `${other.keys.nodeId}@${ports(given, other).p2p}`)
  return { moniker: `node${node.index}`, ...ports(given, node), peers, blockTime, mempool, isLocal: true }
}

/** What the network begins with: a preset, a genesis file, or the chain of one node. */
type Base = {
  /** Number of validators by default, at least and at most. */
  readonly validators: number
  readonly least: number
  readonly most: number
  readonly problem: string
  readonly hasPublicKeys: boolean
  network(keys: readonly GenesisValidator['consensusKey'][], nodes: readonly Node[]): Promise<GenesisSpec>
}

function baseOf({ genesis, from }: Flags): Promise<Base> {
  if (genesis !== undefined) return fromGenesis(genesis)
  return from === undefined ? Promise.resolve(fromPreset()) : fromChain(from)
}

/** The development chain with as many validators as asked for; their operators follow the mnemonic's accounts. */
const fromPreset = (): Base => ({
  validators: 4,
  least: 1,
  most: MOST_NODES,
  problem: '',
  hasPublicKeys: true,
  async network(keys) {
    const preset = presets.kestrel()
    const [first] = preset.native?.validators ?? []
    const [known] = devKeys.kestrel
    if (first === undefined || known === undefined) throw new Error('the preset has no validators')
    const operators = Wallet.fromMnemonic(known.mnemonic, keys.length, ETHEREUM_PATH, 10).addresses()
    const account = preset.genesis.alloc.get(first.operator)
    const alloc = new Map(preset.genesis.alloc)
    for (const { operator } of preset.native?.validators ?? []) alloc.delete(operator)
    if (account !== undefined) for (const operator of operators) alloc.set(operator, account)
    const validators = keys.map((consensusKey, index) => {
      const operator = operators[index] ?? first.operator
      return { ...first, operator, moniker: `node${index}`, consensusKey }
    })
    return asNetwork({ ...preset, genesis: { ...preset.genesis, alloc } }, { validators })
  },
})

async function fromGenesis(file: string): Promise<Base> {
  const spec = parseGenesisText(await readFile(file, 'utf8'))
  const given = spec.native?.validators ?? []
  if (spec.native === undefined || given.length === 0)
    throw refuseFlag('genesis', `${file} has no kestrel.validators, and a network needs at least one`)
  return {
    validators: given.length,
    least: given.length,
    most: given.length,
    problem: `${file} has ${given.length} validators, each of which needs a node`,
    hasPublicKeys: false,
    network: async (keys) =>
      asNetwork(spec, { validators: given.map((validator, index) => ({ ...validator, consensusKey: keys[index] })) }),
  }
}

async function fromChain(datadir: string): Promise<Base> {
  const stored = await withStoredChain(datadir, async (chain) => {
    const alloc = new Map<Address, GenesisAccount>()
    for await (const [address, account] of chain.genesis.alloc) alloc.set(address, account)
    return { ...chain, genesis: { ...chain.genesis, alloc } }
  })
  if (stored === undefined) throw noChain(datadir)
  const operators = await operatorsToPromote(chainFolder(datadir))
  return {
    validators: operators.length,
    least: operators.length,
    most: operators.length,
    problem: `${datadir} has ${operators.length} bonded validators, each of which needs a node`,
    hasPublicKeys: false,
    async network(keys, nodes) {
      const adopted = operators.flatMap((operator, index) => {
        const consensusKey = keys[index]
        return consensusKey === undefined ? [] : [{ operator, consensusKey }]
      })
      let network: ChainSpec | undefined
      for (const { home } of nodes) {
        const { datadir: target } = homeParts(home)
        await cp(chainFolder(datadir), chainFolder(target), { recursive: true })
        network = await promote(chainFolder(target), adopted)
      }
      if (network === undefined) throw new ChainError('storage', 'a network needs a node')
      return { ...network, genesis: stored.genesis }
    },
  }
}

/** The specification with the section that makes it a network's. */
function asNetwork(
  spec: GenesisSpec,
  { validators }: { readonly validators: readonly GenesisValidator[] },
): GenesisSpec {
  const { native } = spec
  if (native === undefined) throw new ChainError('invalid-genesis', 'a network needs the section kestrel')
  const consensus = native.consensus ?? {
    engine: 'cometbft' as const,
    maxBytes: 4_194_304n,
    initialHeight: 1n,
    keys: [],
  }
  return { ...spec, native: { ...native, validators, consensus, modules: { slashing: {}, ...native.modules } } }
}

function summary(given: Flags, nodes: readonly Node[], hasPublicKeys: boolean): string {
  const { output, port } = given
  const lines = nodes.map(
    (node) =>
      `  kestrel start --home ${node.home}${' '.repeat(Math.max(1, 24 - node.home.length))}# ${
        node.isValidator ? 'validator' : 'reader   '
      }  http://127.0.0.1:${port + node.index}/rpc  engine http://${ports(given, node).rpc}`,
  )
  return [
    `${nodes.length} nodes in ${output}. Start each in a terminal of its own:`,
    '',
    ...lines,
    '',
    `With Docker: docker compose -f ${join(output, 'compose.yml')} up`,
    ...(hasPublicKeys
      ? ['Warning: the keys of its accounts and operators are public (kestrel start shows them).']
      : []),
    '',
  ].join('\n')
}
