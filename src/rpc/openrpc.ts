// The open methods as an OpenRPC document (open-rpc.org, 1.3), from the very schemas that read their arguments. What is closed
// on this node is not listed. Results that are written by functions have the schemas of `shapes/described.ts`, as far as they
// are there.
import { z } from 'zod'
import type { RpcMethod, RpcOptions } from './define.ts'
import { components, shapeOf } from './shapes/described.ts'

type Json = Readonly<Record<string, unknown>>
type Registry = ReadonlyMap<string, RpcMethod>

/** One document for each node's options: making it takes some 50 ms. */
const documents = new WeakMap<RpcOptions, Json>()

/** The document of the methods that these options open. */
export function openRpc(methods: Registry, options: RpcOptions): Json {
  const known = documents.get(options)
  if (known !== undefined) return known
  const open = [...methods].filter(([, { gate }]) => gate === undefined || options[gate])
  const document = {
    openrpc: '1.3.2',
    info: {
      title: 'kestrel JSON-RPC',
      version: options.version,
      description:
        'Arguments go by position. Numbers are QUANTITY and bytes are DATA, as in the Ethereum JSON-RPC specification.',
      license: { name: 'MIT' },
    },
    methods: open.map(([name, method]) => describe(name, method)),
    components: {
      schemas: Object.fromEntries(Object.entries(components).map(([name, shape]) => [name, schemaOf(shape)])),
    },
  }
  documents.set(options, document)
  return document
}

function describe(name: string, method: RpcMethod): Json {
  const { summary, params, names, required, result, heavy } = method
  return {
    name,
    summary,
    tags: [{ name: name.split(/[_.]/)[0] }],
    paramStructure: 'by-position',
    params: params.map((schema, position) => ({
      name: names[position],
      required: position < required,
      schema: schemaOf(schema),
    })),
    result: { name: 'result', schema: shapeOf(name) ?? (typeof result === 'function' ? {} : schemaOf(result)) },
    ...(heavy && { description: 'Waits for a place among the heavy calls of the node.' }),
  }
}

/** The wire form of a codec; what JSON Schema cannot say is anything. */
function schemaOf(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(bare(schema), {
    io: 'input',
    unrepresentable: 'any',
    target: 'draft-7',
  })
  return rest
}

/** Without its default: that is a decoded value, such as a bigint, which JSON cannot say. */
function bare(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodDefault ? bare(schema.unwrap() as z.ZodType) : schema
}
