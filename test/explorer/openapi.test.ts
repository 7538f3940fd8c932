// The OpenAPI document: valid by the specification's schema, with named types, and parameters as clients write them. Every
// request of the explorer's tests checks the response against it (`support.ts`).
import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, describe, expect, it } from 'vitest'
import { openApi } from '../../src/explorer/openapi.ts'
import { routes } from '../../src/explorer/routes/index.ts'

// The document is accessed without types: the validator has checked it.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Any = any

let document: Any
beforeAll(() => {
  document = JSON.parse(JSON.stringify(openApi(routes, '1.2.3')))
})

const operations = (): Any[] => Object.values(document.paths).flatMap((path) => Object.values(path as object))
/** The parameters of an operation, also those that it shares with others. */
const parametersOf = ({ parameters }: Any): Any[] =>
  parameters.map((of: Any) => (of.$ref ? document.components.parameters[of.$ref.split('/').at(-1)] : of))
const parameter = (path: string, name: string): Any =>
  parametersOf(document.paths[path].get).find((of) => of.name === name)

describe('the OpenAPI document', () => {
  it('is valid', async () => {
    const { valid, errors } = await new Validator().validate(document)
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
    expect(document.openapi).toBe('3.1.0')
  })

  it('has every route once, with a unique name', () => {
    const all = operations()
    expect(all).toHaveLength(routes.length)
    const names = all.map(({ operationId }) => operationId)
    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual(
      expect.arrayContaining(['getBlock', 'getTransactions', 'getAddressTokenTransfers', 'getTokenInstanceHolders']),
    )
    for (const name of names) expect(name).toMatch(/^(get|post|patch|put|delete)[A-Z][A-Za-z0-9]*$/)
  })

  it('names its types, and refers to them', () => {
    const { schemas, responses } = document.components
    const named = ['Transaction', 'Block', 'Address', 'AddressParam', 'Token', 'TokenInfo', 'TokenTransfer', 'Log']
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining([...named, 'InternalTransaction', 'TransactionPage']))
    expect(schemas.Transaction.properties.from).toEqual({ $ref: '#/components/schemas/AddressParam' })
    expect(schemas.BlockPage.properties.items).toEqual({ type: 'array', items: { $ref: '#/components/schemas/Block' } })
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)]
    expect(references.length).toBeGreaterThan(routes.length)
    for (const [, kind = '', name = ''] of references) expect(document.components[kind], name).toHaveProperty(name)
    expect(responses.NotFound.content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Error' })
    // Without components it had 477 KB. 17 KB on the wire.
    expect(JSON.stringify(document).length).toBeLessThan(280_000)
  })

  it('describes parameters as clients write them', () => {
    const paged = operations()
      .map(parametersOf)
      .filter((all) => all.some(({ name }) => name === 'page'))
    expect(paged.length).toBeGreaterThan(20)
    for (const parameters of paged) {
      const of = (name: string) => parameters.find((each) => each.name === name).schema
      expect(of('page')).toMatchObject({ type: 'integer', minimum: 1, default: 1 })
      expect(of('items_count')).toEqual({ type: 'integer', minimum: 1, maximum: 100, default: 50 })
    }
    expect(parameter('/transactions', 'filter').schema).toEqual({
      type: 'string',
      enum: ['validated', 'pending', 'failed'],
    })
    expect(parameter('/token-transfers', 'type')).toMatchObject({
      style: 'form',
      explode: false,
      schema: { type: 'array', items: { enum: ['ERC-20', 'ERC-721', 'ERC-1155', 'ERC-404'] } },
    })
    expect(parameter('/addresses/{address_hash_param}/transactions', 'order').schema.enum).toEqual(['asc', 'desc'])
    expect(document.components.schemas.Transaction.properties.status.anyOf[0].enum).toEqual(['ok', 'error'])
  })

  it('has groups of operations with descriptions', () => {
    const explained = new Map(document.tags.map(({ name, description }: Any) => [name, description]))
    for (const { tags } of operations()) expect(explained.get(tags[0]), tags[0]).toMatch(/^[A-Z]/)
  })
})
