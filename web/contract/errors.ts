// Messages for failed calls: revert data is decoded with the ABI of the called contract.
import { type Abi, decodeErrorResult, type Hex } from 'viem'
import { isHex } from '../rpc.ts'

/** Revert data in an error: each wallet wraps the node's error differently. */
function revertData(error: unknown, depth = 0): Hex | undefined {
  if (isHex(error)) return error.length >= 10 ? error : undefined
  if (typeof error !== 'object' || error === null || depth > 4) return undefined
  for (const name of ['data', 'originalError', 'error', 'cause']) {
    const found = revertData(Reflect.get(error, name), depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

const PANICS: Readonly<Record<string, string>> = {
  '1': 'an assertion failed',
  '17': 'an arithmetic operation overflowed',
  '18': 'a division by zero',
  '33': 'a value is not one of its enum',
  '50': 'an index is out of bounds',
  '65': 'too much memory was asked for',
}

/** The message of an error: the contract's own error with its arguments if it is in the ABI. */
export function describeError(error: unknown, abi: Abi = []): string {
  const data = revertData(error)
  const decoded = data === undefined ? undefined : decodedError(data, abi)
  if (decoded !== undefined) return decoded
  const code = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined
  if (code === 4001) return 'The request was refused in the wallet.'
  const message = error instanceof Error ? error.message : messageOf(error)
  return data === undefined ? message : `${message} (${data})`
}

const messageOf = (error: unknown): string => {
  const message = typeof error === 'object' && error !== null ? Reflect.get(error, 'message') : undefined
  return typeof message === 'string' ? message : String(error)
}

function decodedError(data: Hex, abi: Abi): string | undefined {
  try {
    const { errorName, args = [], abiItem } = decodeErrorResult({ abi, data })
    const values: readonly unknown[] = args
    if (errorName === 'Error') return `Reverted: ${values[0]}`
    if (errorName === 'Panic') return `Reverted: ${PANICS[String(values[0])] ?? `panic ${values[0]}`}`
    return `Reverted: ${errorName}(${values.map((value, i) => named(abiItem, i, value)).join(', ')})`
  } catch {
    // The ABI does not have this error.
    return undefined
  }
}

function named(item: Abi[number], position: number, value: unknown): string {
  const name = 'inputs' in item ? item.inputs?.[position]?.name : undefined
  const text = plainText(value)
  return name ? `${name}: ${text}` : text
}

/** A decoded value as one line of text. */
export const plainText = (value: unknown): string =>
  typeof value === 'object'
    ? JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner))
    : String(value)
