// Finds native contracts and their functions by any unique prefix of their names, case-insensitively.
import { type AbiFunction, formatAbiItem } from 'abitype'
import { ChainError } from '../../lib/errors.ts'
import type { Precompile } from '../../precompiles/define.ts'
import { precompilesWith } from '../../precompiles/index.ts'
import { NATIVE_CONTRACT } from '../../spec/addresses.ts'
import type { NativeInterfaces } from '../../spec/chain-spec.ts'
import { wrongOperand } from '../flags.ts'
import { type RpcClient, withNode } from '../rpc-client.ts'

/** A native contract of this program. The chain may lack it; `kestrel call` then says so. */
export type Contract = Pick<Precompile, 'name' | 'address' | 'abi'>

/** The interfaces of a chain's native contracts: only with Evmos' there is an Authorization contract. */
export async function interfacesOf({ viem }: RpcClient): Promise<NativeInterfaces> {
  const { staking, authorization } = NATIVE_CONTRACT
  const [has, grants] = await Promise.all([staking, authorization].map((address) => viem.getCode({ address })))
  return has !== undefined && grants === undefined ? 'cosmos-evm' : 'evmos'
}

/** The interfaces of the node's chain; Evmos' if there is no node. */
export async function interfacesAt(url: string): Promise<NativeInterfaces> {
  try {
    return await withNode(url, interfacesOf)
  } catch (error) {
    if (error instanceof ChainError) return 'evmos'
    throw error
  }
}

/** Finds a contract by its address or a prefix of its name. Throws WrongCommandLine with the candidates. */
export function contractNamed(text: string, interfaces: NativeInterfaces = 'evmos'): Contract {
  const all = precompilesWith(interfaces)
  const found = all.find(({ address }) => address === text.toLowerCase())
  return found ?? (byName('contract', all, text)[0] as Contract)
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
