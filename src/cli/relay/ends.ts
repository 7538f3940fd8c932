// What the commands of `kestrel relay` share: the file of the relay, the account that pays and what it may spend, and the two ends.
import type { Command } from 'commander'
import { privateKeyToAccount } from 'viem/accounts'
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { COIN_DECIMALS, type Payer } from '../../relay/account.ts'
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

/** Adds the flags of the account that pays. */
export const withPayer = (command: Command): Command =>
  withKeyFlags(command.optionsGroup('Sender (default: account 9 of the public mnemonic, for trials):'))

/** Adds the flags of commands that send transactions. */
export const withSpending = (command: Command): Command =>
  withPayer(command)
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

const cosmosOptions = z
  .strictObject({
    'gas-price': z.coerce.number('gas-price is no price').min(0).max(1e12).default(0),
    decimals: z.coerce.number('decimals is no number').int().min(0).max(COIN_DECIMALS).default(6),
  })
  .transform(({ 'gas-price': gasPrice, decimals }) => ({ gasPrice, decimals }))

type OpenEnd = ChainEnd & { close(): void }

/**
 * Opens an end: a network of this program, or a chain of the Cosmos SDK whose URLs begin with `cosmos+`. In the query of the first such URL:
 * `gas-price`, base units of its staking coin for a unit of gas, and `decimals` of that coin.
 */
function openEnd(name: string, urls: readonly string[], payer: Payer): OpenEnd {
  const [first, ...others] = urls.map((url) => new URL(url.replace(COSMOS, '')))
  if (first === undefined) throw new Error('an end without a URL')
  if (!urls[0]?.startsWith(COSMOS)) return new KestrelEnd(name, [first, ...others], payer)
  const options = cosmosOptions.safeParse(Object.fromEntries(first.searchParams))
  if (!options.success) throw new ChainError('invalid-params', `${first}: ${options.error.issues[0]?.message}`)
  first.search = ''
  return new CosmosEnd(name, [first, ...others], payer, options.data)
}
