// The differences between two opcode tables as text for users.
import type { OpcodeTable, Operation } from './opcode-table.ts'

export type OpcodeChange = {
  /** go-ethereum's name. */
  readonly opcode: string
  readonly code: number
  /** `new opcode`, `constant gas 32000 to 320000`, `another dynamic gas` … */
  readonly what: readonly string[]
}

/** The differences of `after` from `before`, by opcode number. */
export function opcodeChanges(before: OpcodeTable, after: OpcodeTable): readonly OpcodeChange[] {
  return [...after.changed]
    .sort((a, b) => a - b)
    .flatMap((code) => {
      const is = after.operations[code]
      if (is === undefined) return []
      const what = differences(before.operations[code], is)
      return what.length === 0 ? [] : [{ opcode: is.name, code, what }]
    })
}

function differences(was: Operation | undefined, is: Operation): string[] {
  if (was === undefined) return ['new opcode', ...(is.constantGas === 0n ? [] : [`constant gas ${is.constantGas}`])]
  const number = (what: string, from: bigint | number, to: bigint | number) =>
    from === to ? [] : [`${what} ${from} to ${to}`]
  return [
    ...number('constant gas', was.constantGas, is.constantGas),
    ...number('least stack items', was.minStack, is.minStack),
    ...number('most stack items', was.stackLimit.items, is.stackLimit.items),
    ...(was.dynamicGas === is.dynamicGas ? [] : [is.dynamicGas === null ? 'no dynamic gas' : 'another dynamic gas']),
    ...(was.memorySize === is.memorySize ? [] : ['another use of memory']),
    ...(was.execute === is.execute ? [] : ['another behaviour']),
  ]
}
