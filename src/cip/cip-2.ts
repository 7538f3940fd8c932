// Storing costs more: a constant part on top of what EIP-2200 and EIP-2929 ask.
import { defineProposal } from './define.ts'

export const cip2 = defineProposal({
  number: 2,
  title: 'SSTORE costs 500 more',
  apply(table) {
    table.op('SSTORE').setConstantGas(500n)
  },
})
