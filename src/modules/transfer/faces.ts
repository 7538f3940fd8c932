// What a voucher's ERC-20 face says of itself. Of a coin from elsewhere only the name came along: by custom its first
// letter tells the decimals, `uatom` being millionths of an atom.
import type { NativeSpec } from '../../spec/chain-spec.ts'
import type { Pair } from '../erc20/layout.ts'

type Face = Pick<Pair, 'name' | 'symbol' | 'decimals'>

const DECIMALS: Readonly<Record<string, bigint>> = { u: 6n, n: 9n, a: 18n }

/** `original`: the pair of the coin behind the voucher, if it is an ERC-20 token of this chain. */
export function faceOf(spec: NativeSpec, baseDenom: string, original: Pair | undefined): Face {
  if (original !== undefined) return { name: original.name, symbol: original.symbol, decimals: original.decimals }
  if (baseDenom === spec.denom) return { name: spec.symbol, symbol: spec.symbol, decimals: 18n }
  const decimals = DECIMALS[baseDenom[0] ?? '']
  const isCustomary = decimals !== undefined && /^[a-z0-9]{3,}$/.test(baseDenom)
  if (!isCustomary) return { name: baseDenom, symbol: baseDenom, decimals: 0n }
  const unit = baseDenom.slice(1)
  return { name: `${unit[0]?.toUpperCase()}${unit.slice(1)}`, symbol: unit.toUpperCase(), decimals }
}
