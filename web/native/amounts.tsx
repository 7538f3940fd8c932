// Amounts of coins by denomination: of the base coin in whole coins, of others in base units.
import { api, useRead } from '../api.ts'
import { withCommas } from '../format.ts'
import { Coins, Cut } from '../parts.tsx'

/** The base denomination; undefined until it is read. */
export const useBaseDenomination = (): string | undefined => useRead(api('/native/pool')).data?.denom

export const DenomAmount = ({
  of: { denom, amount },
  base,
}: {
  of: { readonly denom: string; readonly amount: string }
  base: string | undefined
}) =>
  denom === base ? (
    <Coins value={amount} digits={6} />
  ) : (
    <span class="amount">
      {withCommas(amount)} <Cut text={denom} />
    </span>
  )
