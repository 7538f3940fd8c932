// Faster versions of the library's precompiles, with the same results, gas and errors. Insufficient gas and malformed input are
// left to the library. Each expensive precompile caches its results in an LRU of 1,024 inputs of at most 1 KiB. A result
// depends on the input alone, so all machines of a fork share the cache (`builtin-contracts.ts` holds it).

import { hash as hashAtOnce } from 'node:crypto'
import { createRIPEMD160 } from 'hash-wasm'
import { LRUCache } from 'lru-cache'
import { type Address, bigToFixed, bytesToBig, EMPTY_BYTES, padLeft, toLatin1 } from '../../lib/hex.ts'
import { keccak256 } from '../../lib/keccak.ts'
import { andThen } from '../../lib/maybe-promise.ts'
import { curve } from '../../primitives/signature.ts'
import type { ForkRules } from '../../spec/fork-rules.ts'
import { precompileGas } from '../gas/precompile-gas.ts'
import { failed, type Precompile, type PrecompileResult, precompileAddress, succeeded } from '../precompile.ts'
import { blake2f } from './blake2f.ts'
import { awaitCurves } from './curve-loading.ts'
import { powerModulo } from './modexp.ts'
import { verifyP256 } from './p256.ts'

/** The output; undefined: let the library do it. */
type Faster = (data: Uint8Array, rules: ForkRules) => Uint8Array | undefined

const ECRECOVER_INPUT = 128
/** Longest operand handled here, in bytes; EIP-7823 allows 1,024. */
const LONGEST_OPERAND = 4_096n

const hasher = await createRIPEMD160()

/** Missing bytes at the end of the input count as zeros; bytes after the needed length are ignored. */
const ecrecover: Faster = (data) => {
  const input = data.length >= ECRECOVER_INPUT ? data : slice(data, 0, ECRECOVER_INPUT)
  const parity = (input[63] ?? 0) - 27
  if ((parity !== 0 && parity !== 1) || !isZero(input, 32, 63)) return EMPTY_BYTES
  try {
    const key = curve.recover(input.subarray(0, 32), input.subarray(64, ECRECOVER_INPUT), parity)
    const hash = keccak256(key.subarray(1))
    hash.fill(0, 0, 12)
    return hash
  } catch {
    return EMPTY_BYTES
  }
}

const sha256: Faster = (data) => new Uint8Array(hashAtOnce('sha256', data, 'buffer'))

/** The input is already a copy, so the output need not be copied. */
const identity: Faster = (data) => data

const ripemd160: Faster = (data) => {
  hasher.init()
  hasher.update(data)
  return padLeft(hasher.digest('binary'), 32)
}

const modexp: Faster = (data, rules) => {
  const [baseLength, exponentLength, modulusLength] = [0, 32, 64].map((at) => bytesToBig(slice(data, at, 32)))
  if (baseLength === undefined || exponentLength === undefined || modulusLength === undefined) return undefined
  const longest = rules.osaka ? 1_024n : LONGEST_OPERAND
  if (baseLength > longest || exponentLength > longest || modulusLength > longest) return undefined
  const b = Number(baseLength)
  const e = Number(exponentLength)
  const m = Number(modulusLength)
  const power = powerModulo(slice(data, 96, b), slice(data, 96 + b, e), slice(data, 96 + b + e, m))
  return power === undefined ? undefined : bigToFixed(power, m)
}

const blake2: Faster = (data) => {
  if (data.length !== 213 || (data[212] ?? 2) > 1) return undefined
  return blake2f(Number(bytesToBig(data.subarray(0, 4))), data.subarray(4))
}

const p256: Faster = (data) => {
  if (data.length !== 160) return undefined
  return verifyP256(data) ? bigToFixed(1n, 32) : EMPTY_BYTES
}

const FASTER: readonly (readonly [address: string, Faster])[] = [
  ['1', ecrecover],
  ['2', sha256],
  ['3', ripemd160],
  ['4', identity],
  ['5', modexp],
  ['9', blake2],
  ['100', p256],
]

/** Precompiles that are slow and depend only on their input, by the last digits of their addresses. */
const LONG_WORK = ['1', '5', '7', '8', '9', 'a', 'c', 'e', 'f', '10', '11', '100']
const REMEMBERED = 1_024
const LONGEST_REMEMBERED = 1_024

/**
 * Caches results by input, on which alone they depend: an estimate, the transaction after it and its trace verify the same
 * signature. Failures are not cached, because more gas may avoid them.
 */
export function memoizeSlowPrecompiles(precompiles: Map<Address, Precompile>): void {
  for (const number of LONG_WORK) {
    const address = precompileAddress(number)
    const work = precompiles.get(address)
    if (work !== undefined) precompiles.set(address, remembering(work))
  }
}

function remembering(work: Precompile): Precompile {
  const answers = new LRUCache<string, PrecompileResult>({ max: REMEMBERED })
  return (input, gas) => {
    if (input.length > LONGEST_REMEMBERED) return work(input, gas)
    const key = toLatin1(input)
    const known = answers.get(key)
    if (known !== undefined && known.gasUsed <= gas) return known
    const keep = (result: PrecompileResult): PrecompileResult => {
      if (result.failure === undefined) answers.set(key, result)
      return result
    }
    const result = work(input, gas)
    return result instanceof Promise ? result.then(keep) : keep(result)
  }
}

/** Replaces precompiles of a fork by the faster ones, and makes all of them cost what our table says. */
export function useFasterPrecompiles(precompiles: Map<Address, Precompile>, rules: ForkRules): void {
  for (const [number, faster] of FASTER) {
    const address = precompileAddress(number)
    const original = precompiles.get(address)
    if (original === undefined) continue
    precompiles.set(address, (input, gas) => {
      const output = faster(input, rules)
      return output === undefined ? original(input, gas) : succeeded(0n, output)
    })
  }
  awaitCurves(precompiles)
  chargePrecompiles(precompiles, rules)
}

/** More gas than any precompile costs by any table. */
const PAID = 1n << 62n

/** Makes precompiles cost what our table says: they run with gas for whatever price their library has. */
function chargePrecompiles(precompiles: Map<Address, Precompile>, rules: ForkRules): void {
  for (const [address, work] of precompiles) {
    const number = BigInt(address).toString(16)
    precompiles.set(address, (input, gas) => {
      const price = precompileGas(number, input, rules)
      if (price > gas) return failed(gas, 'out of gas')
      return andThen(work(input, PAID), (result) => ({
        ...result,
        gasUsed: result.failure === undefined ? price : gas,
      }))
    })
  }
}

function isZero(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] !== 0) return false
  return true
}

/** Bytes from `at`, padded with zeros. */
function slice(data: Uint8Array, at: number, size: number): Uint8Array {
  const part = data.subarray(at, at + size)
  if (part.length === size) return part
  const out = new Uint8Array(size)
  out.set(part)
  return out
}
