// `kestrel validator`: the keys in an engine's home, as genesis, `createValidator` and other nodes need them.
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { makeKeys } from '../../consensus/engine/home.ts'
import { keyToBase64 } from '../../consensus/engine/keys.ts'
import { DEFAULT_DATADIR } from '../datadir.ts'
import { path, readFlags } from '../flags.ts'
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
      const { consensusKey, nodeId } = await makeKeys(engineHome(read))
      const key = read.hex ? consensusKey : keyToBase64(consensusKey)
      process.stdout.write(`${read.nodeId ? nodeId : key}\n`)
    })
}

const withHome = (command: Command): Command =>
  command
    .addOption(new Option('--home <dir>', 'home of the node, as `kestrel testnet` writes it').conflicts('engineHome'))
    .option('--engine-home <dir>', "the engine's home (default: engine/ in the data directory)")
    .addOption(new Option('--datadir <dir>', 'data directory').default(DEFAULT_DATADIR, DEFAULT_DATADIR))
