// Changes of the validator set, as a block reports them to CometBFT. Power 0 removes a validator.
import { fromHex } from '../../lib/hex.ts'
import type { ConsensusValidator } from '../../runtime/module-queries.ts'

/** CometBFT's ValidatorUpdate. */
export const validatorUpdate = ({ key, power }: ConsensusValidator) => ({
  pubKey: { sum: { case: 'ed25519' as const, value: fromHex(key) } },
  power,
})

/** Sorted by key, because the responses of all nodes must have the same bytes. */
export function validatorUpdates(before: readonly ConsensusValidator[], after: readonly ConsensusValidator[]) {
  const former = new Map(before.map(({ key, power }) => [key, power]))
  const now = new Set(after.map(({ key }) => key))
  const changed = after.filter(({ key, power }) => former.get(key) !== power)
  const gone = before.filter(({ key }) => !now.has(key)).map(({ key }) => ({ key, power: 0n }))
  return [...changed, ...gone].sort((a, b) => (a.key < b.key ? -1 : 1)).map(validatorUpdate)
}
