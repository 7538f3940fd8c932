// What the commands of `kestrel relay` share: the file of the relay, the account that pays and what it may spend, and the two ends.
import type { Command } from 'commander'
import { privateKeyToAccount } from 'viem/accounts'
import type { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import type { Payer } from '../../relay/account.ts'
import { CosmosEnd } from '../../relay/cosmos.ts'
import type { ChainEnd } from '../../relay/end.ts'
import { KestrelEnd } from '../../relay/kestrel.ts'
import { devKeys } from '../../spec/presets.ts'
import { coins, integer, path } from '../flags.ts'
import { accountOfKey, keyFlags, withKeyFlags } from '../native/sender.ts'
import { COSMOS, type EndConfig } from './config.ts'

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
  withKeyFlags(command.optionsGroup('Sender (default: account 9 of the public mnemonic, for trials):'))
    .optionsGroup('Spending:')
    .option('--per-day <coins>', 'most coins that transactions may cost on each chain in a day', COINS_A_DAY)
    .option('--max-gas-price <wei>', 'most base units for a unit of gas', String(GAS_PRICE))

/**
 * The last public development account: new networks fund it for trials, and elsewhere it has nothing. The first ones are left for
 * other uses, because an account should not send from two programs.
 */
const TRIAL_KEY = devKeys.kestrel[0]?.keys[9] ?? '0x'

type Ends = { readonly a: OpenEnd; readonly b: OpenEnd; close(): void }

/** The two ends with the account that the flags name. Throws ChainError. */
export async function openEnds(
  { a, b }: { readonly a: EndConfig; readonly b: EndConfig },
  { perDay, maxGasPrice, ...keys }: SpendingFlags,
): Promise<Ends> {
  const key = (await accountOfKey(keys)) ?? privateKeyToAccount(TRIAL_KEY)
  const payer = { key, perDay, gasPrice: maxGasPrice }
  const [endA, endB] = [openEnd('a', a.urls, payer), openEnd('b', b.urls, payer)]
  return {
    a: endA,
    b: endB,
    close() {
      endA.close()
      endB.close()
    },
  }
}

type OpenEnd = ChainEnd & { close(): void }

/**
 * Opens an end: a network of this program, or a chain of the Cosmos SDK whose URLs begin with `cosmos+`. `gas-price` in the query of the first
 * such URL: base units of its staking coin for a unit of gas.
 */
export function openEnd(name: string, urls: readonly string[], payer?: Payer): OpenEnd {
  const [first, ...others] = urls.map((url) => new URL(url.replace(COSMOS, '')))
  if (first === undefined) throw new Error('an end without a URL')
  if (!urls[0]?.startsWith(COSMOS)) return new KestrelEnd(name, [first, ...others], payer)
  const gasPrice = Number(first.searchParams.get('gas-price') ?? 0)
  if (!(gasPrice >= 0 && gasPrice < 1e12)) throw new ChainError('invalid-params', `${first}: gas-price is no price`)
  first.search = ''
  return new CosmosEnd(name, [first, ...others], payer, { gasPrice })
}
