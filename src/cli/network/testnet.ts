// `kestrel testnet`: creates the homes of a network's nodes on this machine.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { operatorsToPromote, promote } from '../../chain/promote.ts'
import { nameModules, type ProposalModule } from '../../cip/modules.ts'
import { genesisText } from '../../consensus/cometbft/genesis.ts'
import { type HomeKeys, makeHome, makeKeys } from '../../consensus/cometbft/home.ts'
import { socketIn } from '../../consensus/cometbft/options.ts'
import { MAX_MIN_BASE_FEE } from '../../modules/params.ts'
import { type GenesisAllocation, type GenesisSpec, requireNetwork } from '../../spec/chain-spec.ts'
import { chainOptions } from '../chain-options.ts'
import { chainFolder, noChain, withStoredChain } from '../datadir.ts'
import { integer, oneOf, path, readFlags, refuseFlag, seconds, wholeNumber, wrongFlag } from '../flags.ts'
import { readModules } from '../proposal-modules.ts'
import { schemasOf, withOptions } from '../start-flags.ts'
import { COMPOSE_PROMETHEUS, composePrometheusText, composeText } from './compose.ts'
import { BLOCK_TIME_MS } from './launch-cometbft.ts'
import { homeFiles } from './node-home.ts'
import { prometheusText } from './prometheus.ts'
import {
  FIRST_OPERATOR,
  fileNetwork,
  MIN_BASE_FEE,
  operatorMnemonic,
  presetNetwork,
  readGenesisFile,
} from './testnet-genesis.ts'

const flags = z.object({
  ...schemasOf(chainOptions),
  validators: wholeNumber(1, 100).optional(),
  readers: wholeNumber(0, 100),
  sentries: wholeNumber(0, 10),
  output: path,
  genesis: path.optional(),
  from: path.optional(),
  portBase: wholeNumber(1, 65_535),
  port: wholeNumber(1, 65_535),
  blockTime: seconds.optional(),
  mempool: oneOf('app', 'flood'),
  minBaseFee: integer(0n, MAX_MIN_BASE_FEE).optional(),
  ibc: z.boolean(),
})
type Flags = z.output<typeof flags>

/** Default number of validators: the smallest number that tolerates one failure. */
const VALIDATORS = 4
/** Distance between the ports of one CometBFT and the next; each has three. */
const PORT_STEP = 10

export function register(command: Command): void {
  command
    .optionsGroup('Network:')
    .option('--output <dir>', 'folder for the homes node0, node1, …; it must be empty or new', 'net')
    .option('--validators <number>', `number of validators (default: ${VALIDATORS}, or those of the genesis)`)
    .option('--readers <number>', 'number of further nodes that follow the network without voting', '0')
    .option('--sentries <number>', 'sentries of each validator: the nodes that connect it with all others', '0')
    .option(
      '--block-time <seconds>',
      `time between blocks, at least 1 (default: ${BLOCK_TIME_MS / 1_000}, or that of the genesis)`,
    )
    .option('--mempool <kind>', 'app: the nodes exchange transactions themselves; flood: for cometbft 0.38', 'app')
    .option('--port <port>', 'JSON-RPC and explorer of node0; the next node has the next port', '8545')
    .option(
      '--port-base <port>',
      "peers' port of node0's engine; RPC and metrics follow, the next consensus engine is 10 on",
      '26656',
    )
    .option('--from <datadir>', 'begin with the chain in a data directory, which one node has made until now')
    .optionsGroup('Chain (without --from):')
    .addOption(new Option('--genesis <file>', 'genesis file, whose validators get the new keys').conflicts('from'))
    .option(
      '--min-base-fee <wei>',
      `floor of the base fee per gas, which governance may change (default: the genesis file's, else ${MIN_BASE_FEE})`,
    )
    .addOption(
      new Option('--no-ibc', 'a chain without IBC, whose app hash is the hash of its block').conflicts('genesis'),
    )
  withOptions(command, ...chainOptions)
    .addHelpText(
      'after',
      `
Examples:
  kestrel testnet && kestrel start --home net/node0
  kestrel testnet --validators 7 --readers 2 --block-time 1 --output net
  kestrel testnet --genesis genesis.json --output net
  kestrel testnet --from kestrel-data --output net`,
    )
    .action((given) => testnet(readFlags(flags, given)))
}

type Home = HomeKeys & {
  readonly name: string
  readonly path: string
  readonly role: 'validator' | 'sentry' | 'reader'
  /** The index of a sentry's validator. */
  readonly guards: number | undefined
  readonly port: number
  /** `HOST:PORT` of CometBFT's listeners. */
  readonly p2p: string
  readonly rpc: string
  readonly prometheus: string
}

async function testnet(flags: Flags): Promise<void> {
  refuseFlags(flags)
  const isThere = existsSync(flags.output)
  requireEmpty(flags.output)
  try {
    const modules = await readModules(flags.proposal)
    const homes = await (flags.from === undefined ? makeNew(flags, modules) : makeOfChain(flags, flags.from))
    process.stdout.write(report(flags, homes))
  } catch (error) {
    // Partly written homes would make the next attempt fail.
    for (const name of existsSync(flags.output) ? readdirSync(flags.output) : [])
      rmSync(join(flags.output, name), { recursive: true, force: true })
    if (!isThere) rmSync(flags.output, { recursive: true, force: true })
    throw error
  }
}

function refuseFlags({ blockTime, from, ...flags }: Flags): void {
  if (blockTime !== undefined && blockTime < 1)
    throw wrongFlag('blockTime', 'expected at least 1 second: the timestamps of faster blocks run ahead of the clock')
  if (flags.number) throw wrongFlag('number', 'a network begins with block 0')
  if (from === undefined) return
  if (!flags.ibc) throw wrongFlag('noIbc', 'not with --from: the chain is there')
  const chainOnly = [
    'preset',
    'chainId',
    'hardfork',
    'accounts',
    'mnemonic',
    'balance',
    'gasLimit',
    'timestamp',
    'activate',
    'derivationPath',
    'baseFee',
    'codeSizeLimit',
    'transactionGasCap',
    'minBaseFee',
  ] as const
  const given = chainOnly.find((name) => flags[name] !== undefined)
  if (given !== undefined) throw wrongFlag(given, 'not with --from: the chain is there')
}

function requireEmpty(output: string): void {
  if (!existsSync(output)) return
  if (!statSync(output).isDirectory()) throw refuseFlag('output', `${output} is not a folder`)
  if (readdirSync(output).length > 0) throw refuseFlag('output', `${output} is not empty; choose another folder`)
}

/** Makes the keys of all nodes. */
async function makeNodes(flags: Flags, validators: number): Promise<readonly Home[]> {
  const { output, readers, sentries, port, portBase } = flags
  const first = validators + validators * sentries
  const count = first + readers
  const lastPort = Math.max(port + count - 1, portBase + PORT_STEP * (count - 1) + 2)
  if (lastPort > 65_535) throw wrongFlag('portBase', `${count} nodes need ports up to ${lastPort}; begin lower`)
  mkdirSync(output, { recursive: true })
  return Promise.all(
    Array.from({ length: count }, async (_, index): Promise<Home> => {
      const name = `node${index}`
      const path = join(output, name)
      const at = (offset: number) => `127.0.0.1:${portBase + PORT_STEP * index + offset}`
      const listeners = { p2p: at(0), rpc: at(1), prometheus: at(2) }
      const keys = await makeKeys(homeFiles(path).engine)
      const role = index < validators ? 'validator' : index < first ? 'sentry' : 'reader'
      const guards = role === 'sentry' ? Math.floor((index - validators) / sentries) : undefined
      return { ...keys, ...listeners, name, path, role, guards, port: port + index }
    }),
  )
}

/** The nodes that a node connects to. Behind sentries a validator knows these only, and nobody else knows it. */
function peersOf(home: Home, homes: readonly Home[]): readonly Home[] {
  const others = homes.filter((other) => other !== home)
  if (!homes.some(({ role }) => role === 'sentry')) return others
  const own = homes.indexOf(home)
  if (home.role === 'validator') return others.filter(({ guards }) => guards === own)
  return others.filter((other) => other.role !== 'validator' || homes.indexOf(other) === home.guards)
}

/** Milliseconds of --block-time. */
const blockTimeOf = ({ blockTime }: Flags): bigint | undefined =>
  blockTime === undefined ? undefined : BigInt(Math.round(blockTime * 1_000))

const keysOf = (homes: readonly Home[]) => homes.filter(({ role }) => role === 'validator').map((of) => of.consensusKey)

/** A network that begins with block 1. */
async function makeNew(flags: Flags, modules: readonly ProposalModule[]): Promise<readonly Home[]> {
  const file = flags.genesis === undefined ? undefined : readGenesisFile(flags.genesis)
  const count = flags.validators ?? file?.validators.length ?? VALIDATORS
  if (file !== undefined && count > file.validators.length)
    throw refuseFlag('validators', `${file.path} has ${file.validators.length} validators; write the others into it`)
  const homes = await makeNodes(flags, count)
  const keys = keysOf(homes)
  const blockTimeMs = blockTimeOf(flags)
  const wanted = blockTimeMs ?? BigInt(BLOCK_TIME_MS)
  const spec = file === undefined ? await presetNetwork(flags, keys, wanted) : fileNetwork(file, keys, flags, wanted)
  const agreed = requireNetwork(spec).consensus.blockTimeMs
  if (blockTimeMs !== undefined && agreed !== blockTimeMs)
    throw refuseFlag('blockTime', `${file?.path} has a block time of ${Number(agreed) / 1_000} s; leave the flag out`)
  await writeHomes(flags, homes, nameModules(spec, modules, 0n))
  return homes
}

/** A network that continues the chain of a single node: each node gets a copy, and the validators get new keys. */
async function makeOfChain(flags: Flags, datadir: string): Promise<readonly Home[]> {
  // Opening the chain throws when it is in use.
  if ((await withStoredChain(datadir, () => true)) === undefined) throw noChain(datadir)
  const operators = await operatorsToPromote(chainFolder(datadir))
  if (flags.validators !== undefined && flags.validators !== operators.length)
    throw refuseFlag('validators', `${datadir} has ${operators.length} bonded validators; leave the flag out`)
  const homes = await makeNodes(flags, operators.length)
  const newKeys = keysOf(homes)
  const keys = operators.flatMap((operator, index) => {
    const consensusKey = newKeys[index]
    return consensusKey === undefined ? [] : [{ operator, consensusKey }]
  })
  for (const { path } of homes) {
    const { data } = homeFiles(path)
    // Without the keystore: nodes need no accounts, and each copy is another place where keys can leak.
    await cp(chainFolder(datadir), chainFolder(data), { recursive: true })
    await promote(chainFolder(data), keys, blockTimeOf(flags) ?? BigInt(BLOCK_TIME_MS))
  }
  const [first] = homes
  if (first !== undefined) await withStoredChain(homeFiles(first.path).data, (chain) => writeHomes(flags, homes, chain))
  return homes
}

/** Writes all files but the keys, which exist already. */
async function writeHomes(flags: Flags, homes: readonly Home[], spec: GenesisSpec<GenesisAllocation>): Promise<void> {
  const { output, mempool, proposal } = flags
  const blockTime = Number(requireNetwork(spec).consensus.blockTimeMs ?? BLOCK_TIME_MS)
  await writeFile(join(output, 'genesis.json'), genesisText(spec))
  for (const home of homes) {
    const files = homeFiles(home.path)
    const peers = peersOf(home, homes).map(({ nodeId, p2p }) => `${nodeId}@${p2p}`)
    const { name: moniker, p2p, rpc, prometheus } = home
    const socket = socketIn(files.data)
    const config = { moniker, socket, p2p, rpc, prometheus, peers, mempool, blockTime, isLocal: true }
    await makeHome(files.engine, spec, {
      ...config,
      isHidden: home.role === 'validator' && flags.sentries > 0,
      hides: homes.flatMap(({ nodeId }, index) => (index === home.guards ? [nodeId] : [])),
    })
    mkdirSync(files.data, { recursive: true })
    await writeFile(files.genesis, genesisText(spec))
    await writeFile(files.flags, `${JSON.stringify(startFlags(home.port, proposal), null, 2)}\n`)
  }
  const compose = {
    nodes: homes.map((home) => ({ ...home, peers: peersOf(home, homes) })),
    chainName: requireNetwork(spec).textChainId,
    chainId: spec.chainId,
    symbol: spec.native?.symbol ?? 'ETH',
    user: `${process.getuid?.() ?? 1000}:${process.getgid?.() ?? 1000}`,
  }
  await writeFile(join(output, 'compose.yml'), composeText(compose))
  await writeFile(join(output, COMPOSE_PROMETHEUS), composePrometheusText(compose))
  const scraped = homes.map((of) => ({ name: of.name, node: `127.0.0.1:${of.port}`, engine: of.prometheus }))
  await writeFile(join(output, 'prometheus.yml'), prometheusText(scraped))
}

const startFlags = (port: number, proposal: readonly string[]) => ({
  consensus: 'cometbft',
  port,
  metrics: true,
  ...(proposal.length > 0 && { proposal }),
})

/** The commands to run next. */
function report(flags: Flags, homes: readonly Home[]): string {
  const { output, genesis, from } = flags
  const { isPublic } = operatorMnemonic(flags)
  const of = (role: Home['role']) => homes.filter((home) => home.role === role)
  const validators = of('validator')
  const sentries = of('sentry').length
  const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`
  const name = (home: Home) => home.name.padEnd(7)
  const last = FIRST_OPERATOR + validators.length - 1
  const kind = ({ role, guards }: Home) => (guards === undefined ? role.padEnd(9) : `sentry of node${guards}`)
  return [
    `A network of ${count(validators.length, 'validator')}${sentries > 0 ? ` behind ${sentries} sentries` : ''} and ${count(flags.readers, 'reader')} in ${output}/`,
    '',
    'Start each node in a terminal of its own:',
    ...homes.map(({ path }) => `  kestrel start --home ${path}`),
    '',
    'JSON-RPC and explorer; peers and RPC of CometBFT:',
    ...homes.map((of) => `  ${name(of)} ${kind(of)}  http://127.0.0.1:${of.port}   ${of.p2p}, ${of.rpc}`),
    '',
    `With Docker: docker compose -f ${join(output, 'compose.yml')} up`,
    ...(genesis === undefined && from === undefined
      ? [`The operators are accounts ${FIRST_OPERATOR} to ${last} of the mnemonic (m/44'/60'/0'/0/N).`]
      : []),
    ...(genesis === undefined && from === undefined && isPublic
      ? ['Warning: the keys of accounts and operators are public (mnemonic "test test … junk"): for trials only.']
      : []),
    '',
  ].join('\n')
}
