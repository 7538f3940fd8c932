// Raises the gas of SSTORE by a constant, in addition to the gas of EIP-2200 and EIP-2929.
import { defineProposal } from './define.ts'

export const cip2 = defineProposal({
  number: 2,
  title: 'SSTORE costs 500 more',
  apply(table) {
    table.op('SSTORE').setConstantGas(500n)
  },
})
