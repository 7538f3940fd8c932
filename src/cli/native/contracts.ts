// Finds native contracts and their functions by any unique prefix of their names, case-insensitively.
import { type AbiFunction, formatAbiItem } from 'abitype'
import type { Precompile } from '../../precompiles/define.ts'
import { PRECOMPILES } from '../../precompiles/index.ts'
import { wrongOperand } from '../flags.ts'

/** A native contract of this program. The chain may lack it; `kestrel call` then says so. */
export type Contract = Pick<Precompile, 'name' | 'address' | 'abi'>

/** Finds a contract by its address or a prefix of its name. Throws WrongCommandLine with the candidates. */
export function contractNamed(text: string): Contract {
  const found = PRECOMPILES.find(({ address }) => address === text.toLowerCase())
  return found ?? (byName('contract', PRECOMPILES, text)[0] as Contract)
}

export const functionsOf = ({ abi }: Contract): AbiFunction[] => abi.filter((entry) => entry.type === 'function')

/** Finds a function with its overloads. Throws WrongCommandLine with the candidates. */
export const functionsNamed = (contract: Contract, text: string): readonly AbiFunction[] =>
  byName('function', functionsOf(contract), text)

function byName<T extends { readonly name: string }>(operand: string, items: readonly T[], text: string): readonly T[] {
  const typed = text.toLowerCase()
  const exact = items.filter(({ name }) => name.toLowerCase() === typed)
  const found = exact.length > 0 ? exact : items.filter(({ name }) => name.toLowerCase().startsWith(typed))
  const names = [...new Set(found.map(({ name }) => name))]
  if (names.length === 1) return found
  const candidates = names.length > 0 ? names : [...new Set(items.map(({ name }) => name))]
  throw wrongOperand(operand, `expected one of ${candidates.join(', ')}, not "${text}"`)
}

export const isView = ({ stateMutability }: AbiFunction): boolean =>
  stateMutability === 'view' || stateMutability === 'pure'

/** `delegate(address delegatorAddress, string validatorAddress, uint256 amount)` */
export const declarationOf = (of: AbiFunction): string =>
  String(formatAbiItem({ ...of, stateMutability: 'nonpayable', outputs: [] })).replace(/^function /, '')
