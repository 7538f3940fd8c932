// The opcode table of every fork against the library's: the opcodes and their constant gas.
import { getOpcodesForHF } from '@ethereumjs/evm'
import { expect, test } from 'vitest'
import { commonFor } from '../../src/evm/ethereumjs/common.ts'
import { withLibraryParams } from '../../src/evm/ethereumjs/params.ts'
import { bookedElsewhere, forkTable, hasDynamicGas } from '../../src/evm/opcode-table.ts'
import { FORKS } from '../../src/spec/chain-spec.ts'
import { forkRules } from '../../src/spec/fork-rules.ts'
import { forkChain } from './wasm/differential.ts'

test.each(FORKS.filter((fork) => !forkRules(fork).bpo3))('%s', (fork) => {
  const common = withLibraryParams(commonFor(forkChain(fork).spec, fork))
  const { operations, rules } = forkTable(forkRules(fork))
  for (const [code, { opcodeInfo }] of getOpcodesForHF(common).opcodeMap.entries()) {
    const operation = operations[code]
    expect([code, operation !== undefined]).toEqual([code, !opcodeInfo.isInvalid])
    if (operation === undefined) continue
    const { name, constantGas } = operation
    expect([name, constantGas - bookedElsewhere(name, rules)]).toEqual([name, opcodeInfo.feeBigInt])
    expect([name, hasDynamicGas(name)]).toEqual([name, opcodeInfo.dynamicGas])
  }
})
