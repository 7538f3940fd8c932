// The storage of a contract by the names of its variables.
import { z } from 'zod'
import { contractLayout } from '../../contracts/contract-layout.ts'
import { KeySearch } from '../../contracts/mapping-keys.ts'
import { type ContractStorage, plainLabel, type ReadSlot, type StoredVariable } from '../../contracts/storage-values.ts'
import { type Address, bigToWord, bytesToBig, hexToAddress } from '../../lib/hex.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import { decodeRow } from '../../state/history.ts'
import { KEY } from '../../state/keyspace.ts'
import { completely } from '../../state/partial-state.ts'
import type { StateView } from '../../state/types.ts'
import { addressParam, isoTime, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { seenValues } from '../contracts/seen-values.ts'
import { blockOfVersion, type FormerValue, historyOf, transactionOfVersion } from '../contracts/slot-history.ts'
import { explorerRoute } from '../define.ts'
import { invalidParameter, notFound } from '../errors.ts'
import { arrayPage, buildPage, pageBounds, pageQuery, pageSchema } from '../pagination/page.ts'
import { addressSchema, isContractAt, showAddress, showAddressOrNull } from '../shapes/address.ts'

const params = z.object({ address_hash_param: addressParam })
const path = z
  .string()
  .max(2_048)
  .describe('a variable or a part of one: `points[3].x`, `balances[0x70…]`, `names["alice"]`')

const variableSchema = z.strictObject({
  name: z.string().describe('of an element its index, of the value of a mapping its key'),
  path: z.string(),
  type: z.string().describe('in Solidity'),
  kind: z.enum(['value', 'struct', 'array', 'mapping']),
  contract: z.string().nullable().describe('that declares it; null for parts'),
  slot: wire.hash,
  offset: z.number().int().describe('bytes from the low end of the slot'),
  value: z.string().nullable().describe('null for structs, arrays and mappings'),
  value_address: addressSchema.nullable().describe('if the value is an address'),
  key_address: addressSchema.nullable().describe('if the key is an address'),
  length: z.number().int().nullable().describe('elements of an array'),
})
z.globalRegistry.add(variableSchema, { id: 'StorageVariable' })
type Variable = z.infer<typeof variableSchema>

const changeSchema = z.strictObject({
  value: z.string().describe('of an array its length'),
  value_address: addressSchema.nullable(),
  block_number: z
    .number()
    .int()
    .nullable()
    .describe('since when it has the value; null: before the oldest state that is kept'),
  timestamp: wire.time.nullable(),
  transaction_hash: wire.hash.nullable().describe('null if several of the block have called the contract, or none has'),
})
z.globalRegistry.add(changeSchema, { id: 'StorageChange' })

type Found = { readonly of: Address; readonly storage: ContractStorage }

/** Throws 404 for an address without code. */
function layoutOf(context: ExplorerContext, of: Address) {
  if (!isContractAt(context, of)) throw notFound()
  return contractLayout(context, of)
}

/** Throws 422. */
function variableAt(storage: ContractStorage, path: string): StoredVariable {
  const found = storage.find(path)
  if (found === undefined)
    throw invalidParameter('path', 'Invalid value. There is no such variable, or a key is not of its type')
  return found
}

/** Shows what is read of a view, on a fork when all of it was fetched. */
const reading = <T>({ view }: ExplorerContext, of: Address, use: (read: ReadSlot) => T): Promise<T> =>
  completely(view, (view: StateView) => use((slot) => view.word(of, bigToWord(slot))))

/** Without names of addresses. */
function valued(storage: ContractStorage, variable: StoredVariable, read: ReadSlot) {
  const kind = storage.kindOf(variable)
  return {
    variable,
    kind,
    value: storage.value(variable, read),
    length: kind === 'array' ? storage.length(variable, read) : null,
  }
}

function shown(
  context: ExplorerContext,
  storage: ContractStorage,
  { variable, kind, value, length }: ReturnType<typeof valued>,
  key?: string,
): Variable {
  const { name, path, slot, offset } = variable
  return {
    name,
    path,
    type: storage.typeOf(variable).label,
    kind,
    contract: (variable as { readonly declaredIn?: string }).declaredIn ?? null,
    slot: bigToWord(slot),
    offset,
    value,
    value_address: addressIn(context, storage, variable.type, value),
    key_address: key === undefined ? null : addressIn(context, storage, key, name),
    length,
  }
}

const addressIn = (context: ExplorerContext, storage: ContractStorage, type: string, value: string | null) =>
  showAddressOrNull(
    context,
    value !== null && plainLabel(storage.typeOf({ type })) === 'address' ? hexToAddress(value) : null,
  )

export const contractStorage = explorerRoute({
  path: '/smart-contracts/{address_hash_param}/storage',
  summary:
    'The variables of a contract with their values; with a path the parts of one variable. Of a mapping these are the keys that its transactions name',
  params,
  query: pageQuery.extend({ path: path.optional() }),
  response: pageSchema(variableSchema).extend({
    layout_of: addressSchema
      .nullable()
      .describe('the contract with these variables, of a proxy its implementation; null: the layout is not known'),
    variable: variableSchema.nullable().describe('at the path'),
    all_keys_tried: z.boolean().describe('false: more was seen in its transactions than is tried as keys'),
  }),
  async handler({ params: { address_hash_param: of }, query: { path, ...query } }, context) {
    const layout = await layoutOf(context, of)
    if (layout === undefined) {
      return { items: [], next_page_params: null, layout_of: null, variable: null, all_keys_tried: true }
    }
    const { storage } = layout
    const variable = path === undefined ? undefined : variableAt(storage, path)
    const parts = await partsOf(context, { of, storage }, variable)
    const { from, to } = pageBounds(query, parts.total)
    const read = await reading(context, of, (read) => ({
      own: variable && valued(storage, variable, read),
      items: parts.between(from, to).map((part) => valued(storage, part, read)),
    }))
    const { key } = variable === undefined ? {} : storage.typeOf(variable)
    const page = { entries: read.items, total: parts.total, hasNext: to < parts.total }
    return {
      ...(await buildPage(query, page, (item) => shown(context, storage, item, key))),
      layout_of: showAddress(context, layout.address),
      variable: read.own === undefined ? null : shown(context, storage, read.own),
      all_keys_tried: parts.areAllTried,
    }
  },
})

type Parts = {
  readonly total: number
  readonly between: (from: number, to: number) => readonly StoredVariable[]
  readonly areAllTried: boolean
}

/** The parts of a variable; of none all variables. */
async function partsOf(context: ExplorerContext, { of, storage }: Found, variable?: StoredVariable): Promise<Parts> {
  if (variable !== undefined && storage.kindOf(variable) === 'array') {
    const total = await reading(context, of, (read) => storage.length(variable, read))
    const between = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => storage.element(variable, from + i))
    return { total, between, areAllTried: true }
  }
  let parts: readonly StoredVariable[] = []
  let areAllTried = true
  if (variable === undefined) parts = storage.variables
  else if (storage.kindOf(variable) === 'mapping') {
    // Reads only slots that are on disk: on a fork thousands would be fetched.
    const isSet = (slot: bigint) => {
      const row = context.rows.get(KEY.slot(of, bigToWord(slot)))
      return row !== undefined && decodeRow(row).value !== undefined
    }
    const search = await context.heavy(async (signal) => {
      const pause = yieldToEventLoop('heavy', signal)
      const search = new KeySearch(storage, await seenValues(context, of, pause), isSet)
      parts = await search.in(variable, pause)
      return search
    })
    areAllTried = search.isComplete
  } else parts = storage.members(variable)
  return { total: parts.length, between: (from, to) => parts.slice(from, to), areAllTried }
}

export const contractStorageHistory = explorerRoute({
  path: '/smart-contracts/{address_hash_param}/storage/history',
  summary: 'The values that a variable of a contract has had, newest first; of an array its lengths',
  params,
  query: pageQuery.extend({ path }),
  response: pageSchema(changeSchema).extend({
    variable: variableSchema,
    is_complete: z.boolean().describe('false: older values are not shown, because there are many or they were pruned'),
  }),
  async handler({ params: { address_hash_param: of }, query: { path, ...query } }, context) {
    const layout = await layoutOf(context, of)
    if (layout === undefined) throw notFound()
    const { storage } = layout
    const variable = variableAt(storage, path)
    const isArray = storage.typeOf(variable).encoding === 'dynamic_array'
    if (!isArray && storage.kindOf(variable) !== 'value')
      throw invalidParameter(
        'path',
        'Invalid value. A struct, mapping or array of fixed length has no value of its own',
      )
    const show = (read: ReadSlot) =>
      isArray ? bytesToBig(read(variable.slot)).toString() : (storage.value(variable, read) ?? '')
    const own = await reading(context, of, (read) => valued(storage, variable, read))
    const { values, isComplete } = historyOf(context, of, storage, variable, show)
    return {
      ...(await arrayPage(values, query, (value) => shownChange(context, { of, storage }, variable, value))),
      variable: shown(context, storage, own),
      is_complete: isComplete,
    }
  },
})

async function shownChange(
  context: ExplorerContext,
  { of, storage }: Found,
  { type }: StoredVariable,
  { since, value }: FormerValue,
): Promise<z.infer<typeof changeSchema>> {
  const { chain } = context
  const block = await blockOfVersion(context, since)
  const header = block === undefined || block < chain.base ? undefined : await chain.header({ number: block })
  return {
    value,
    value_address: addressIn(context, storage, type, value),
    block_number: block === undefined ? null : Number(block),
    timestamp: header === undefined ? null : isoTime(header.timestamp),
    transaction_hash: (block !== undefined && transactionOfVersion(context, of, block, since)) || null,
  }
}
