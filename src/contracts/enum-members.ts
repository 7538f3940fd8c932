// The member of an enum that a value is. Also part of the explorer's pages, so it imports only types.
import type { AbiParameter } from 'abitype'

/** Members by the enum's name in internal types, `Vault.State`; null: sources have several of the name. */
export type EnumNames = ReadonlyMap<string, readonly string[] | null>

/** The members of a parameter's enum; undefined: it is of none, or the sources do not tell. */
export function membersOf(enums: EnumNames, { type, internalType }: AbiParameter): readonly string[] | undefined {
  if (typeof internalType !== 'string' || !/^uint(?:8|16)$/.test(type)) return undefined
  // Of an element it is the type of its array.
  const [, name = ''] = /^enum ([\w$.]+)/.exec(internalType) ?? []
  return enums.get(name) ?? undefined
}

/** The member that a value of a parameter is. */
export const memberOf = (enums: EnumNames, parameter: AbiParameter, value: unknown): string | undefined =>
  membersOf(enums, parameter)?.[Number(value)]
