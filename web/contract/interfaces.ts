// Interfaces of contracts with the members of their enums, each read once: the rows of a list often have the same contract.
import type { Abi } from 'abitype'
import { createContext } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { EnumNames } from '../../src/contracts/enum-members.ts'
import { api } from '../api.ts'

type Interface = { readonly abi: Abi; readonly enums: EnumNames }

/** The enums of the contract whose values and arguments are shown. */
export const NO_ENUMS: EnumNames = new Map()
export const Enums = createContext(NO_ENUMS)

const interfaces = new Map<string, Promise<Interface>>()
const MOST_INTERFACES = 50

/** The interface of a contract and of what it is a proxy of. Rejects if there is no contract. */
export function interfaceOf(hash: string): Promise<Interface> {
  const reading = interfaces.get(hash) ?? readInterface(hash)
  if (interfaces.size >= MOST_INTERFACES) interfaces.clear()
  interfaces.set(hash, reading)
  reading.catch(() => interfaces.delete(hash))
  return reading
}

async function readInterface(address_hash_param: string): Promise<Interface> {
  const { abi, enums } = await api('/smart-contracts/{address_hash_param}/interface', { address_hash_param }).load()
  return { abi: abi as Abi, enums: new Map(Object.entries(enums)) }
}

/** undefined until it is read, and if there is no contract. */
export function useInterface(hash: string): Interface | undefined {
  const [known, setKnown] = useState<Interface>()
  useEffect(() => {
    let isCurrent = true
    interfaceOf(hash).then(
      (read) => isCurrent && setKnown(read),
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [hash])
  return known
}
