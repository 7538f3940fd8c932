// `kestrel validator key`: prints the consensus key that `createValidator` takes, and makes the keys of a home that has none.
import type { Command } from 'commander'
import { z } from 'zod'
import { makeKeys } from '../consensus/engine/keys.ts'
import { fromHex } from '../lib/hex.ts'
import { DEFAULT_DATADIR } from './datadir.ts'
import { path, readFlags } from './flags.ts'
import { engineHomeOf } from './network.ts'
import { homeParts } from './network-flags.ts'

const flags = z.object({ home: path.optional(), engineHome: path.optional(), datadir: path })

export function register(program: Command): void {
  const validator = program.command('validator').description('keys of a validator of a network')
  validator
    .command('key')
    .description(
      "print the node's consensus key in base64, as `createValidator` takes it; a node without keys gets them",
    )
    .option('--home <dir>', 'home of the node, as `kestrel testnet` makes it')
    .option('--engine-home <dir>', "the engine's home (default: engine/ in the data directory)")
    .option('--datadir <dir>', 'data directory of the node', DEFAULT_DATADIR)
    .option('--hex', 'print it in hex, as the genesis file has it')
    .option('--node-id', 'print the id that peers name the node by instead: the ID in ID@HOST:PORT')
    .addHelpText(
      'after',
      `
Examples:
  kestrel validator key --home net/node4
  kestrel validator key --datadir kestrel-data --hex`,
    )
    .action(async (given) => {
      const { home, engineHome, datadir } = readFlags(flags, given)
      const folder = home === undefined ? engineHomeOf({ engineHome, datadir }) : homeParts(home).engine
      const { consensusKey, nodeId } = await makeKeys(folder)
      const key = given.hex === true ? consensusKey : Buffer.from(fromHex(consensusKey)).toString('base64')
      process.stdout.write(`${given.nodeId === true ? nodeId : key}\n`)
    })
}
