// The ABI of a native contract with its entries by name, as in `generated/abi.ts`. The name of an overloaded function includes
// its types: `validator(address)`.
import type { Abi, AbiEvent, AbiFunction } from 'abitype'

export type NamedAbi = {
  readonly functions: Readonly<Record<string, AbiFunction>>
  readonly events: Readonly<Record<string, AbiEvent>>
}

type Entry<A extends NamedAbi> = A['functions'][keyof A['functions']] | A['events'][keyof A['events']]
type Named<E> = { readonly [N in E as N extends { readonly name: infer K extends string } ? K : never]: N }

/** All entries, functions first, in viem's form. */
export function entriesOf<const A extends NamedAbi>(abi: A): readonly Entry<A>[]
export function entriesOf({ functions, events }: NamedAbi): Abi {
  return [...Object.values(functions), ...Object.values(events)]
}

/** Groups a parsed ABI by name. It must have no overloads. */
export function namedAbi<const A extends Abi>(
  abi: A,
): {
  readonly functions: Named<Extract<A[number], AbiFunction>>
  readonly events: Named<Extract<A[number], AbiEvent>>
}
export function namedAbi(abi: Abi): NamedAbi {
  return {
    functions: Object.fromEntries(abi.flatMap((entry) => (entry.type === 'function' ? [[entry.name, entry]] : []))),
    events: Object.fromEntries(abi.flatMap((entry) => (entry.type === 'event' ? [[entry.name, entry]] : []))),
  }
}
