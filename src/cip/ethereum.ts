// EIPs under the names in parameter lists of Evmos chains. All forks of kestrel include them, so activating one changes
// nothing.
import { defineProposal, type Proposal } from './define.ts'

const NUMBERS = [1344, 1884, 2200, 2929, 3198, 3529, 3855]

export const RESERVED = 'ethereum_'

export const ETHEREUM: readonly Proposal[] = NUMBERS.map((number) =>
  defineProposal({
    name: `${RESERVED}${number}`,
    title: `EIP-${number}, which the fork has already`,
    apply: () => undefined,
  }),
)
