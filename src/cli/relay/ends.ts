// What the commands of `kestrel relay` share: the file of the relay, the account that pays and what it may spend, and the two ends.
import type { Command } from 'commander'
import type { z } from 'zod'
import { KestrelEnd } from '../../relay/kestrel.ts'
import { coins, integer, path } from '../flags.ts'
import { keyFlags, oneSender, withKeyFlags } from '../native/sender.ts'
import { withNode } from '../rpc-client.ts'
import type { EndConfig } from './config.ts'

const MAX_UINT64 = 2n ** 64n - 1n
/** 10 coins a day pay for 60,000 packets at a gas price of 0.1 gwei. */
const COINS_A_DAY = '10'
const GWEI = 1_000_000_000n
/** A price that no chain without a rush has. */
const GAS_PRICE = 500n * GWEI

export const configFlag = { config: path }
export const relayFlags = {
  ...configFlag,
  ...keyFlags,
  perDay: coins,
  maxGasPrice: integer(1n, MAX_UINT64),
}
export type SpendingFlags = Omit<z.output<z.ZodObject<typeof relayFlags>>, 'config'>

export const withConfig = (command: Command): Command =>
  command.optionsGroup('Relay:').option('--config <file>', 'the file of the relay', 'relay.json')

/** Adds the flags of commands that send transactions. */
export const withSpending = (command: Command): Command =>
  // The last account of a development chain relays, so that the first ones are free for other uses.
  withKeyFlags(command, 'address or number of an account of the nodes (default: 9)')
    .optionsGroup('Spending:')
    .option('--per-day <coins>', 'most coins that transactions may cost on each chain in a day', COINS_A_DAY)
    .option('--max-gas-price <wei>', 'most base units for a unit of gas', String(GAS_PRICE))

type Ends = { readonly a: KestrelEnd; readonly b: KestrelEnd; close(): void }

/** The two ends with the account that the flags name. Throws ChainError. */
export async function openEnds(
  { a, b }: { readonly a: EndConfig; readonly b: EndConfig },
  { perDay, maxGasPrice, ...keys }: SpendingFlags,
): Promise<Ends> {
  const limits = { perDay, gasPrice: maxGasPrice }
  const from = keys.from ?? (keys.privateKeyFile === undefined && keys.keystore === undefined ? '9' : undefined)
  const named = { ...keys, from }
  const senderA = await withNode(firstOf(a), (node) => oneSender(node, named))
  // A key of a file is one account on both chains; accounts of nodes may differ.
  const senderB = typeof senderA === 'string' ? await withNode(firstOf(b), (node) => oneSender(node, named)) : senderA
  const [endA, endB] = [openEnd('a', a, senderA, limits), openEnd('b', b, senderB, limits)]
  return {
    a: endA,
    b: endB,
    close() {
      endA.close()
      endB.close()
    },
  }
}

const firstOf = ({ urls: [first = ''] }: EndConfig): string => first

/** Opens an end; chains of other kinds are chosen here. */
const openEnd = (name: string, { urls }: EndConfig, ...of: Paying): KestrelEnd =>
  new KestrelEnd(
    name,
    urls.map((url) => new URL(url)),
    ...of,
  )

type Paying = [ConstructorParameters<typeof KestrelEnd>[2], ConstructorParameters<typeof KestrelEnd>[3]]
