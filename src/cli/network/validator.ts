// `kestrel validator`: what the operator of a validator does. Here: the keys in a CometBFT home, in the formats of genesis, of
// `createValidator` and of other nodes.
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { hasKeys, makeKeys, makeNodeKey, readConsensusKey, remoteSigner } from '../../consensus/cometbft/home.ts'
import { keyToBase64 } from '../../consensus/cometbft/keys.ts'
import { readFlags } from '../flags.ts'
import { nodeFlags, nodeFolders, withNode } from './node-flags.ts'
import { registerChanges } from './validator-changes.ts'
import { registerStatus } from './validator-status.ts'

const flags = z.object({ ...nodeFlags, hex: z.boolean().default(false), nodeId: z.boolean().default(false) })

export function register(validator: Command): void {
  registerKey(validator)
  registerChanges(validator)
  registerStatus(validator)
}

function registerKey(validator: Command): void {
  withNode(validator.command('key'))
    .description('print the public key that `createValidator` takes, in base64; keys are made when there are none')
    .option('--hex', 'print it in hex, as the genesis file has it')
    .addOption(new Option('--node-id', 'print the ID by which peers name the node: ID@HOST:PORT').conflicts('hex'))
    .addHelpText(
      'after',
      `
Where config.toml of the consensus engine names a remote signer (priv_validator_laddr), the signer has the key: the running node is
asked for it.

Examples:
  kestrel validator key --home net/node4
  kestrel validator key --datadir kestrel-data --node-id`,
    )
    .action(async (given) => {
      const read = readFlags(flags, given)
      const { engine: home } = nodeFolders(read)
      const isNew = !hasKeys(home)
      const isRemote = (await remoteSigner(home)) !== undefined
      const nodeId = isRemote ? await makeNodeKey(home) : (await makeKeys(home)).nodeId
      // On standard error, since scripts read standard output. The line reveals a mistyped folder, whose new key no node has.
      if (isNew) process.stderr.write(`kestrel: made new keys in ${join(home, 'config')}\n`)
      process.stdout.write(`${read.nodeId ? nodeId : await keyIn(home, read.hex)}\n`)
    })
}

/** The public consensus key of a CometBFT home, in base64 or in hex. */
async function keyIn(home: string, isHex: boolean): Promise<string> {
  const key = await readConsensusKey(home)
  return isHex ? key : keyToBase64(key)
}
