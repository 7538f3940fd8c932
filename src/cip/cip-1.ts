// Raises the constant gas of the call opcodes, which also applies to warm accounts.
import { defineProposal } from './define.ts'

export const cip1 = defineProposal({
  number: 1,
  title: 'CALL costs ten times as much before what it does is counted',
  apply(table) {
    const operation = table.op('CALL')
    operation.setConstantGas(operation.constantGas * 10n)
  },
})
