// EIP-712 typed data on the wire: an object, or the same as a JSON string.
import { hashTypedData } from 'viem'
import { z } from 'zod'
import { ChainError } from '../lib/errors.ts'
import { fromHex } from '../lib/hex.ts'

const members = z.array(z.object({ name: z.string(), type: z.string() }))
const record = z.record(z.string(), z.unknown())

const typedDataObject = z.object({
  types: z.record(z.string(), members),
  primaryType: z.string(),
  domain: record.default({}),
  message: record,
})

export const typedData = z
  .union([z.string(), typedDataObject], { error: 'expected typed data (EIP-712) as an object or a JSON string' })
  .describe('EIP-712 typed data')

/** Members of the domain in EIP-712's order; those that are present make its type when none is given. */
const DOMAIN = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
]

/** The 32 bytes that are signed. Throws `invalid-params` when the data do not fit their types. */
export function typedDataHash(data: z.output<typeof typedData>): Uint8Array {
  const { types, primaryType, domain, message } = typeof data === 'string' ? parse(data) : data
  const domainType = types.EIP712Domain ?? DOMAIN.filter(({ name }) => name in domain)
  try {
    return fromHex(
      hashTypedData<Record<string, unknown>, string>({
        types: { ...types, EIP712Domain: domainType },
        primaryType,
        domain,
        message,
      }),
    )
  } catch (error) {
    throw invalid((error as Error).message.split('\n')[0]?.slice(0, 200) ?? '')
  }
}

function parse(text: string): z.output<typeof typedDataObject> {
  try {
    return typedDataObject.parse(JSON.parse(text))
  } catch {
    throw invalid('not an EIP-712 object')
  }
}

const invalid = (reason: string) => new ChainError('invalid-params', `invalid typed data: ${reason}`)
