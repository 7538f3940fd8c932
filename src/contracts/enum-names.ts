// The members of enums by the names that interfaces have for them (`internalType: "enum Vault.State"`), read from the declarations in
// sources. A member is shown only if all sources agree on it.
import type { EnumNames } from './enum-members.ts'
import { declarationsIn, type EnumDeclaration, type TypeDeclaration, UnknownSyntax } from './solidity-declarations.ts'

const read = new WeakMap<object, EnumNames>()

/** The enums of sources, which are texts by path. Read once for each object. A file that is not understood has none. */
export function enumsIn(sources: Readonly<Record<string, string>>): EnumNames {
  const known = read.get(sources)
  if (known !== undefined) return known
  const found = merged(Object.values(sources).map(enumsOfFile))
  read.set(sources, found)
  return found
}

/** The enums of several contracts. */
export function merged(all: Iterable<EnumNames>): EnumNames {
  const found = new Map<string, readonly string[] | null>()
  for (const names of all) {
    for (const [name, members] of names) {
      const same = found.get(name)
      found.set(name, same === undefined || same?.join() === members?.join() ? members : null)
    }
  }
  return found
}

function enumsOfFile(text: string): EnumNames {
  if (!/\benum\b/.test(text)) return new Map()
  try {
    const { types, contracts } = declarationsIn(text)
    const within = [...contracts.values()].flatMap((of) => named(of.types, `${of.name}.`))
    return new Map([...named(types, ''), ...within])
  } catch (error) {
    if (error instanceof UnknownSyntax) return new Map()
    throw error
  }
}

const named = (types: ReadonlyMap<string, TypeDeclaration>, before: string) =>
  [...types.values()]
    .filter((type): type is EnumDeclaration => type.kind === 'enum')
    .map(({ name, names }) => [before + name, names] as const)
