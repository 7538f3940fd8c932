// `kestrel validator`: the keys in an engine's home, as the chain and other nodes need them.
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { type HomeKeys, makeKeys } from '../../consensus/engine/home.ts'
import { keyToBase64 } from '../../consensus/engine/keys.ts'
import { consensusAddress } from '../../spec/addresses.ts'
import { DEFAULT_DATADIR } from '../datadir.ts'
import { path, readFlags } from '../flags.ts'
import { homeFiles } from './node-home.ts'

const flags = z.object({ home: path.optional(), engineHome: path.optional(), datadir: path })
type Flags = z.output<typeof flags>

const engineHome = ({ home, engineHome, datadir }: Flags): string =>
  engineHome ?? (home === undefined ? join(datadir, 'engine') : homeFiles(home).engine)

export function register(program: Command): void {
  const validator = program
    .command('validator')
    .description("show the keys of a network's node; they are made when there are none")
  withHome(validator.command('key').description('print the public key that `createValidator` takes, in base64'))
    .addHelpText(
      'after',
      `
Example:
  kestrel validator key --home net/node4`,
    )
    .action((given) => show(given, ({ consensusKey }) => keyToBase64(consensusKey)))
  withHome(validator.command('show').description('print all public keys and addresses, as JSON')).action((given) =>
    show(given, ({ consensusKey, nodeId }) =>
      JSON.stringify(
        {
          // As the genesis file has it.
          consensusKey,
          consensusKeyBase64: keyToBase64(consensusKey),
          consensusAddress: consensusAddress(consensusKey),
          nodeId,
        },
        null,
        2,
      ),
    ),
  )
}

const withHome = (command: Command): Command =>
  command
    .addOption(new Option('--home <dir>', 'home of the node, as `kestrel testnet` writes it').conflicts('engineHome'))
    .option('--engine-home <dir>', "the engine's home (default: engine/ in the data directory)")
    .addOption(new Option('--datadir <dir>', 'data directory').default(DEFAULT_DATADIR, DEFAULT_DATADIR))

async function show(given: unknown, words: (keys: HomeKeys) => string): Promise<void> {
  process.stdout.write(`${words(await makeKeys(engineHome(readFlags(flags, given))))}\n`)
}
