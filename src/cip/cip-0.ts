// Raises the gas of CREATE and CREATE2. A creation transaction executes neither opcode, so its price stays the same.
import { defineProposal } from './define.ts'

export const cip0 = defineProposal({
  number: 0,
  title: 'CREATE and CREATE2 cost ten times as much',
  apply(table) {
    for (const name of ['CREATE', 'CREATE2']) {
      const operation = table.op(name)
      operation.setConstantGas(operation.constantGas * 10n)
    }
  },
})
