// Amounts of coins by their denomination: those of the chain's own coin in whole coins, others as they are counted.
import { api, useRead } from '../api.ts'
import { withCommas } from '../format.ts'
import { Coins, Cut } from '../parts.tsx'

/** Denomination of the chain's own coin; undefined until it is read. */
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
