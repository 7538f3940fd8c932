// Names of the functions called within a transaction, from the ABIs of verified contracts. The ABI coder is loaded only if a
// called contract is verified.
import { useEffect, useState } from 'preact/hooks'
import type { EmbeddedAddress } from '../api.ts'
import { interfaceOf } from '../contract/interfaces.ts'

export type CallName = { readonly name: string; readonly text: string }
/** The called function; undefined if the interface is unknown. */
export type DecodeCall = (to: string, input: string) => CallName | undefined

/** Maximum contracts whose interfaces are read. */
const MOST_CONTRACTS = 12

const UNKNOWN: DecodeCall = () => undefined

/** `known`: addresses of the transaction in lower case. */
export function useCallDecoder(known: ReadonlyMap<string, EmbeddedAddress>): DecodeCall {
  const [decode, setDecode] = useState<DecodeCall>(() => UNKNOWN)
  useEffect(() => {
    let isCurrent = true
    decoderFor(known).then(
      (made) => isCurrent && setDecode(() => made),
      // Without names the tree shows selectors.
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [known])
  return decode
}

async function decoderFor(known: ReadonlyMap<string, EmbeddedAddress>): Promise<DecodeCall> {
  const targets = [...known].filter(([, { is_verified, implementations }]) => is_verified || implementations.length > 0)
  if (targets.length === 0) return UNKNOWN
  const [{ decodeFunctionData }, ...found] = await Promise.all([
    import('viem/utils'),
    ...targets.slice(0, MOST_CONTRACTS).map(async ([hash]) => [hash, (await interfaceOf(hash)).abi] as const),
  ])
  const abis = new Map(found)
  return (to, input) => {
    const abi = abis.get(to)
    if (abi === undefined || !/^0x[0-9a-f]{8}/.test(input)) return undefined
    try {
      const { functionName, args = [] } = decodeFunctionData({ abi, data: `0x${input.slice(2)}` })
      return { name: functionName, text: `${functionName}(${args.map(textOf).join(', ')})` }
    } catch {
      return undefined
    }
  }
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'bigint'
    ? String(value)
    : JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))
