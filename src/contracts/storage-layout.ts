// Where a contract's variables are in its storage, in the form of solc's `storageLayout`: as the compiler has written it, or worked
// out from the sources by the same rules, because most builds leave it out. The names of enums, the types behind user defined value
// types, and the namespaces of ERC-7201, which the compiler's form does not have, come from the sources in both cases.
import { z } from 'zod'
import { bigToFixed, bytesToBig } from '../lib/hex.ts'
import { keccak256 } from '../lib/keccak.ts'
import { type Token, type TypeName, UnknownSyntax } from './solidity-declarations.ts'
import { type Scope, type ScopedContract, SolidityScopes } from './solidity-scopes.ts'

const text = z.string().max(2_048)
const number = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt)
const variable = z.object({
  label: text,
  /** The contract that declares it, if the sources are known. */
  declaredIn: text.optional(),
  /** Bytes from the low end of the slot. */
  offset: z.number().int().min(0).max(31),
  slot: number,
  /** Its key in `types`. */
  type: text,
})
const type = z.object({
  encoding: z.enum(['inplace', 'mapping', 'dynamic_array', 'bytes']),
  label: text,
  numberOfBytes: number,
  /** Of arrays: the type of the elements. */
  base: text.optional(),
  /** Of mappings. */
  key: text.optional(),
  value: text.optional(),
  /** Of structs. */
  members: z.array(variable).optional(),
  /** Of enums, if the sources are known. */
  names: z.array(text).optional(),
  /** Of user defined value types, if the sources are known: `uint128`. */
  underlying: text.optional(),
})
const layout = z.object({
  storage: z.array(variable),
  /** null: there is none. */
  types: z
    .record(text, type)
    .nullable()
    .transform((types) => types ?? {}),
})

/** A variable, or a member of a struct. Slots of members count from the struct's. */
export type LayoutVariable = z.output<typeof variable>
export type LayoutType = z.output<typeof type>
export type StorageLayout = {
  readonly storage: readonly LayoutVariable[]
  /** By the compiler's ids. */
  readonly types: Readonly<Record<string, LayoutType>>
}

type Unplaced = Omit<LayoutVariable, 'slot' | 'offset'>

export type LayoutSources = {
  readonly sources: Readonly<Record<string, string>>
  /** The contract. */
  readonly path: string
  readonly name: string
  /** solc's. */
  readonly remappings?: readonly string[]
  /** The compiler's, if it has written one. */
  readonly storageLayout?: unknown
}

/** The layout of a contract; undefined: the sources are not all there or not understood, and the compiler has written none. */
export function storageLayoutOf(of: LayoutSources): StorageLayout | undefined {
  const compiled = layout.safeParse(of.storageLayout).data
  const read = layoutFromSources(of)
  if (compiled === undefined || read === undefined) return compiled ?? read
  // Labels of enums and value types are unique but for equal names in two files.
  const known = new Map(Object.values(read.types).map((type) => [type.label, type]))
  const types = Object.entries(compiled.types).map(([id, type]) => {
    const { names, underlying } = known.get(type.label) ?? {}
    return [id, { ...type, ...(names && { names }), ...(underlying && { underlying }) }] as const
  })
  const namespaces = read.storage.filter(({ label }) => label.startsWith(NAMESPACE))
  return {
    storage: [
      ...compiled.storage.map((variable, i) => {
        const { label, declaredIn } = read.storage[i] ?? {}
        return { ...variable, ...(label === variable.label && declaredIn && { declaredIn }) }
      }),
      ...namespaces,
    ],
    types: { ...(namespaces.length > 0 && read.types), ...Object.fromEntries(types) },
  }
}

function layoutFromSources({ sources, path, name, remappings }: LayoutSources): StorageLayout | undefined {
  try {
    const scopes = new SolidityScopes(sources, remappings)
    const contract = scopes.contract(path, name)
    return contract && new LayoutBuilder(scopes).build(contract)
  } catch (error) {
    if (error instanceof UnknownSyntax) return undefined
    throw error
  }
}

const WORD = 32n
/** Before the id of a namespace of ERC-7201. */
const NAMESPACE = 'erc7201:'
const NOT_STORED = ['constant', 'immutable', 'transient']
/** Most slots that contracts have. */
const MOST_SLOTS = 1n << 256n

class LayoutBuilder {
  readonly #scopes: SolidityScopes
  readonly #types: Record<string, LayoutType> = {}
  /** Numbers of definitions, which solc has too. */
  readonly #numbers = new Map<object, number>()

  constructor(scopes: SolidityScopes) {
    this.#scopes = scopes
  }

  build(contract: ScopedContract): StorageLayout {
    const all = [...this.#scopes.linearized(contract)].reverse()
    const variables = all.flatMap((of) =>
      of.variables
        .filter(({ attributes }) => !NOT_STORED.some((word) => attributes.has(word)))
        .map(({ name, type }) => ({
          label: name,
          declaredIn: of.name,
          type: this.#type(type, { file: of.file, contract: of }),
        })),
    )
    const { layoutAt, file } = contract
    const start = layoutAt.length === 0 ? 0n : this.#scopes.constant(layoutAt, { file, contract })
    const { placed } = this.#place(variables, start)
    return { storage: [...placed, ...this.#namespaces([...all, ...this.#scopes.libraries])], types: this.#types }
  }

  #namespaces(contracts: readonly ScopedContract[]): LayoutVariable[] {
    return contracts.flatMap((contract) =>
      [...contract.types.values()].flatMap((type) => {
        if (type.kind !== 'struct' || type.namespace === undefined) return []
        const of = this.#type({ kind: 'named', path: [type.name] }, { file: contract.file, contract })
        return [
          {
            label: NAMESPACE + type.namespace,
            declaredIn: contract.name,
            offset: 0,
            slot: slotOfNamespace(type.namespace),
            type: of,
          },
        ]
      }),
    )
  }

  /** Variables in order, packed into slots; and the first slot behind them. */
  #place(variables: readonly Unplaced[], start: bigint) {
    let slot = start
    let offset = 0n
    const placed = variables.map((variable): LayoutVariable => {
      const { type } = variable
      const { numberOfBytes: bytes } = this.#of(type)
      const isPacked = this.#isPacked(type)
      if (offset > 0n && (!isPacked || offset + bytes > WORD)) {
        slot++
        offset = 0n
      }
      const at = { ...variable, offset: Number(offset), slot }
      offset += bytes
      if (!isPacked) {
        slot += slotsOf(bytes)
        offset = 0n
      }
      return at
    })
    const end = offset > 0n ? slot + 1n : slot
    if (end > MOST_SLOTS) throw new UnknownSyntax('too large for storage')
    return { placed, end }
  }

  /** Whether it shares its slot with neighbours: values do, arrays and structs do not. */
  #isPacked(id: string): boolean {
    const { encoding, base, members } = this.#of(id)
    return encoding === 'inplace' && base === undefined && members === undefined
  }

  #of(id: string): LayoutType {
    const type = this.#types[id]
    if (type === undefined) throw new UnknownSyntax('a struct within itself')
    return type
  }

  /** Adds a type and returns its id. */
  #type(name: TypeName, scope: Scope): string {
    if (name.kind === 'elementary') return this.#elementary(name.name)
    if (name.kind === 'named') return this.#named(name.path, scope)
    if (name.kind === 'array') return this.#array(name.of, name.length, scope)
    if (name.kind === 'function') {
      const where = name.isExternal ? 'external' : 'internal'
      const bytes = name.isExternal ? 24n : 8n
      return this.#add(`t_function_${where}`, 'inplace', `function ${where}`, bytes)
    }
    const [key, value] = [this.#type(name.key, scope), this.#type(name.value, scope)]
    const label = `mapping(${this.#of(key).label} => ${this.#labelOf(value)})`
    return this.#add(`t_mapping(${key},${value})`, 'mapping', label, WORD, { key, value })
  }

  #elementary(name: string): string {
    if (name === 'string' || name === 'bytes') return this.#add(`t_${name}_storage`, 'bytes', name, WORD)
    const [, bits] = /^u?(?:int|fixed)(\d*)/.exec(name) ?? []
    const [, bytes] = /^bytes(\d+)$/.exec(name) ?? []
    const size = name.startsWith('address')
      ? 20n
      : name === 'bool'
        ? 1n
        : bits
          ? BigInt(bits) / 8n
          : BigInt(bytes ?? 16)
    return this.#add(`t_${name.replace(' ', '_')}`, 'inplace', name, size)
  }

  #array(of: TypeName, length: readonly Token[] | undefined, scope: Scope): string {
    const base = this.#type(of, scope)
    if (length === undefined)
      return this.#add(`t_array(${base})dyn_storage`, 'dynamic_array', `${this.#labelOf(base)}[]`, WORD, { base })
    const count = this.#scopes.constant(length, scope)
    const { numberOfBytes: bytes } = this.#of(base)
    const perSlot = this.#isPacked(base) ? WORD / bytes : 1n
    const slots = perSlot > 1n ? (count + perSlot - 1n) / perSlot : count * slotsOf(bytes)
    if (count <= 0n || slots > MOST_SLOTS) throw new UnknownSyntax('the length of an array')
    const label = `${this.#labelOf(base)}[${count}]`
    return this.#add(`t_array(${base})${count}_storage`, 'inplace', label, slots * WORD, { base })
  }

  #named(path: readonly string[], scope: Scope): string {
    const found = this.#scopes.resolve(path, scope)
    if (found.is === 'contract') {
      const { contract } = found
      return this.#add(
        `t_contract(${contract.name})${this.#number(contract)}`,
        'inplace',
        `contract ${contract.name}`,
        20n,
      )
    }
    if (found.is !== 'type') throw new UnknownSyntax(`${path.join('.')} is no type`)
    const { type, scope: of } = found
    const name = of.contract === undefined ? type.name : `${of.contract.name}.${type.name}`
    const number = this.#number(type)
    if (type.kind === 'enum') {
      const bytes = type.names.length > 256 ? 2n : 1n
      return this.#add(`t_enum(${type.name})${number}`, 'inplace', `enum ${name}`, bytes, { names: [...type.names] })
    }
    if (type.kind === 'value') {
      const { label, numberOfBytes } = this.#of(this.#type(type.of, of))
      return this.#add(`t_userDefinedValueType(${type.name})${number}`, 'inplace', name, numberOfBytes, {
        underlying: label,
      })
    }
    const id = `t_struct(${type.name})${number}_storage`
    // It may be within itself, behind a mapping or a dynamic array, whose size does not depend on it.
    if (id in this.#types || this.#open.has(id)) return id
    this.#open.set(id, `struct ${name}`)
    const members = type.members.map((member) => ({ label: member.name, type: this.#type(member.type, of) }))
    const { placed, end } = this.#place(members, 0n)
    this.#open.delete(id)
    return this.#add(id, 'inplace', `struct ${name}`, end * WORD, { members: placed })
  }

  /** Labels of structs whose members are being read. */
  readonly #open = new Map<string, string>()

  #labelOf = (id: string): string => this.#open.get(id) ?? this.#of(id).label

  #number(of: object): number {
    const number = this.#numbers.get(of) ?? this.#numbers.size + 1
    this.#numbers.set(of, number)
    return number
  }

  #add(
    id: string,
    encoding: LayoutType['encoding'],
    label: string,
    numberOfBytes: bigint,
    rest: Partial<LayoutType> = {},
  ): string {
    if (id.length > 2_048) throw new UnknownSyntax('a long type')
    this.#types[id] ??= { encoding, label, numberOfBytes, ...rest }
    return id
  }
}

/** Slots of so many bytes. */
const slotsOf = (bytes: bigint): bigint => (bytes + WORD - 1n) / WORD

/** ERC-7201: keccak256(abi.encode(uint256(keccak256(id)) - 1)), with its last byte zero. */
function slotOfNamespace(id: string): bigint {
  const hash = bytesToBig(keccak256(Buffer.from(id, 'latin1')))
  return bytesToBig(keccak256(bigToFixed(hash - 1n, 32))) & ~0xffn
}
