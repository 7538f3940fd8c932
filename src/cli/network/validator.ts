// `kestrel validator`: the keys in an engine's home, as genesis, `createValidator` and other nodes need them.
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { hasValidatorKey, makeKeys } from '../../consensus/engine/home.ts'
import { keyToBase64 } from '../../consensus/engine/keys.ts'
import { DEFAULT_DATADIR } from '../datadir.ts'
import { path, readFlags, refuseFlag } from '../flags.ts'
import { homeFiles } from './node-home.ts'

const flags = z.object({
  home: path.optional(),
  engineHome: path.optional(),
  datadir: path,
  hex: z.boolean().default(false),
  nodeId: z.boolean().default(false),
})
type Flags = z.output<typeof flags>

const engineHome = ({ home, engineHome, datadir }: Flags): string =>
  engineHome ?? (home === undefined ? join(datadir, 'engine') : homeFiles(home).engine)

export function register(program: Command): void {
  const validator = program.command('validator').description("keys of a network's node")
  withHome(validator.command('key'))
    .description('print the public key that `createValidator` takes, in base64; keys are made when there are none')
    .option('--hex', 'print it in hex, as the genesis file has it')
    .addOption(new Option('--node-id', 'print the ID by which peers name the node: ID@HOST:PORT').conflicts('hex'))
    .addHelpText(
      'after',
      `
Examples:
  kestrel validator key --home net/node4
  kestrel validator key --datadir kestrel-data --node-id`,
    )
    .action(async (given) => {
      const read = readFlags(flags, given)
      const home = engineHome(read)
      refuseDataOfHome(read)
      const isNew = !hasValidatorKey(home)
      const { consensusKey, nodeId } = await makeKeys(home)
      // On standard error, since scripts read the answer: without the line a mistyped folder would give a key that no node has.
      if (isNew) process.stderr.write(`kestrel: made new keys in ${join(home, 'config')}\n`)
      const key = read.hex ? consensusKey : keyToBase64(consensusKey)
      process.stdout.write(`${read.nodeId ? nodeId : key}\n`)
    })
}

/** The data directory within a home of `testnet` has no keys, and keys made there would belong to no node. */
function refuseDataOfHome({ home, engineHome, datadir }: Flags): void {
  if (home !== undefined || engineHome !== undefined) return
  const parent = dirname(resolve(datadir))
  const files = homeFiles(parent)
  if (files.data === resolve(datadir) && existsSync(files.flags) && hasValidatorKey(files.engine))
    throw refuseFlag(
      'datadir',
      `${datadir} belongs to the home of a node, which has its keys; use --home ${dirname(datadir)}`,
    )
}

const withHome = (command: Command): Command =>
  command
    .addOption(new Option('--home <dir>', 'home of the node, as `kestrel testnet` writes it').conflicts('engineHome'))
    .option('--engine-home <dir>', "the engine's home (default: engine/ in the data directory)")
    .addOption(new Option('--datadir <dir>', 'data directory').default(DEFAULT_DATADIR, DEFAULT_DATADIR))
