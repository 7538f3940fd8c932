// Denominations of coins: the base coin, vouchers of other chains' coins, and coins of token pairs.
import { z } from 'zod'
import type { Pair } from '../../modules/erc20/layout.ts'
import { isVoucher, readHash, voucherDenom } from '../../modules/transfer/denoms.ts'
import { wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { addressSchema, showAddress } from '../shapes/address.ts'
import { nativeOf } from './modules.ts'

export const denominationSchema = z.strictObject({
  denom: z.string(),
  kind: z.enum(['base', 'voucher', 'token']),
  supply: wire.decimal.describe('units in existence'),
  trace: z
    .strictObject({ path: z.string(), base_denom: z.string() })
    .nullable()
    .describe('of vouchers: the ports and channels that the coin has come through'),
  token_pair: z
    .strictObject({
      token: addressSchema,
      enabled: z.boolean(),
      owner: z.enum(['external', 'module']).describe('module: the contract shows the coin’s own balances'),
      name: z.string(),
      symbol: z.string(),
      decimals: z.number().int(),
    })
    .nullable(),
})

/** All denominations that exist or existed: the base coin, then by name. */
export function denominationsOf(context: ExplorerContext): string[] {
  const { spec, modules } = nativeOf(context, 'head')
  const { bank, transfer, erc20 } = modules
  const hashes = transfer.traces()
  const vouchers = Array.from({ length: hashes.length }, (_, place) => hashes.at(place)).flatMap((hash) =>
    hash === undefined ? [] : voucherDenom(hash),
  )
  const named = [...bank.supplies(), ...erc20.pairs()].map(({ denom }) => denom)
  const others = new Set([...vouchers, ...named])
  others.delete(spec.denom)
  return [spec.denom, ...[...others].sort()]
}

export function showDenomination(context: ExplorerContext, denom: string): z.input<typeof denominationSchema> {
  const { spec, modules } = nativeOf(context, 'head')
  const { bank, transfer, erc20 } = modules
  const trace = isVoucher(denom) ? transfer.trace(readHash(denom)) : undefined
  const pair = erc20.pairOf(denom)
  return {
    denom,
    kind: denom === spec.denom ? 'base' : isVoucher(denom) ? 'voucher' : 'token',
    supply: bank.supply(denom).toString(),
    trace: trace === undefined ? null : { path: trace.path, base_denom: trace.baseDenom },
    token_pair: pair === undefined ? null : showPair(context, pair),
  }
}

const showPair = (context: ExplorerContext, { token, isEnabled, owner, name, symbol, decimals }: Pair) => ({
  token: showAddress(context, token),
  enabled: isEnabled,
  owner,
  name,
  symbol,
  decimals: Number(decimals),
})
