// `kestrel relay`: carries IBC packets between two networks. `init` makes a client of each on the other, `start` relays, `status` shows.
import type { Command } from 'commander'
import { z } from 'zod'
import { makePair } from '../../relay/pair.ts'
import { path, readFlags, readOperand } from '../flags.ts'
import { note, print } from '../native/answers.ts'
import { urlsOf, writeConfig } from './config.ts'
import { openEnds, relayFlags, withConfig, withSpending } from './ends.ts'
import { registerStart } from './start.ts'
import { registerStatus } from './status.ts'

const initFlags = z.object(relayFlags)

export function register(relay: Command): void {
  relay.addHelpText(
    'after',
    `
Examples:
  kestrel testnet --chain-id 125 --output a
  kestrel testnet --chain-id 126 --port 9545 --port-base 36656 --output b
  kestrel relay init a b && kestrel relay start`,
  )
  withSpending(
    withConfig(
      relay
        .command('init')
        .description('make a client of each chain on the other, and write the file of the relay')
        .argument('<a>', "URL of a node's JSON-RPC, or a folder of `kestrel testnet`")
        .argument('<b>', 'the same of the other chain'),
    ),
  )
    .addHelpText(
      'after',
      `
Clients that the account has made before are used again, so the command may be repeated. Both chains need coins of the account.

Examples:
  kestrel relay init a b
  kestrel relay init https://rpc.one.example https://rpc.two.example --keystore key.json --password-file password.txt`,
    )
    .action(init)
  registerStart(relay)
  registerStatus(relay)
}

async function init(a: string, b: string, given: unknown): Promise<void> {
  const { config: file, ...spending } = readFlags(initFlags, given)
  for (const [name, operand] of [['a', a] as const, ['b', b] as const]) readOperand(name, path, operand)
  const ends = { a: { urls: [...urlsOf(a)] }, b: { urls: [...urlsOf(b)] } }
  const opened = await openEnds(ends, spending)
  try {
    const clients = await makePair(opened.a, opened.b, note)
    const config = { a: { ...ends.a, client: clients.a }, b: { ...ends.b, client: clients.b } }
    writeConfig(file, config)
    const [ofA, ofB] = await Promise.all([opened.a.traits(), opened.b.traits()])
    print(false, config, [
      `a  ${ofA.chainId}: client ${clients.a} of ${ofB.chainId}`,
      `b  ${ofB.chainId}: client ${clients.b} of ${ofA.chainId}`,
      `${file} is written; \`kestrel relay start\` relays`,
    ])
  } finally {
    opened.close()
  }
}
