// The opcode table of every fork against the library's: which opcodes there are and what they cost before they run.
import { getOpcodesForHF } from '@ethereumjs/evm'
import { expect, test } from 'vitest'
import { withLibraryParams } from '../../src/evm/ethereumjs/params.ts'
import { bookedElsewhere, forkTable, hasDynamicGas } from '../../src/evm/opcode-table.ts'
import { FORKS } from '../../src/spec/chain-spec.ts'
import { atLeast } from '../../src/spec/forks.ts'
import { forkRules } from './wasm/differential.ts'

test.each(FORKS.filter((fork) => !atLeast(fork, 'bpo3')))('%s', (fork) => {
  const common = withLibraryParams(forkRules(fork).common)
  const { operations } = forkTable(common)
  for (const [code, { opcodeInfo }] of getOpcodesForHF(common).opcodeMap.entries()) {
    const operation = operations[code]
    expect([code, operation !== undefined]).toEqual([code, !opcodeInfo.isInvalid])
    if (operation === undefined) continue
    const { name, constantGas } = operation
    expect([name, constantGas - bookedElsewhere(name, common)]).toEqual([name, opcodeInfo.feeBigInt])
    expect([name, hasDynamicGas(name)]).toEqual([name, opcodeInfo.dynamicGas])
  }
})
