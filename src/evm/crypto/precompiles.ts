// Faster versions of the library's precompiles, with the same results, gas and errors. Insufficient gas and malformed input are
// left to the library. Each expensive precompile caches its results in an LRU of 1,024 inputs of at most 1 KiB. A result
// depends on the input alone, so all machines of a fork share the cache (`builtin-contracts.ts` holds it).

import { hash as hashAtOnce } from 'node:crypto'
import { createRIPEMD160 } from 'hash-wasm'
import { LRUCache } from 'lru-cache'
import { type Address, bigToFixed, bytesToBig, EMPTY_BYTES, padLeft, toLatin1 } from '../../lib/hex.ts'
import { keccak256 } from '../../lib/keccak.ts'
import { curve } from '../../primitives/signature.ts'
import type { ForkRules } from '../../spec/fork-rules.ts'
import { type Precompile, type PrecompileResult, precompileAddress, succeeded } from '../precompile.ts'
import { blake2f } from './blake2f.ts'
import { awaitCurves } from './curve-loading.ts'
import { powerModulo } from './modexp.ts'
import { verifyP256 } from './p256.ts'

/** undefined: let the library do it. */
type Faster = (data: Uint8Array, gasLimit: bigint, rules: ForkRules) => PrecompileResult | undefined

const ECRECOVER_GAS = 3_000n
const ECRECOVER_INPUT = 128
const SHA256_GAS = 60
const SHA256_WORD_GAS = 12
const RIPEMD160_GAS = 600
const RIPEMD160_WORD_GAS = 120
const IDENTITY_GAS = 15
const IDENTITY_WORD_GAS = 3
const BLAKE2F_ROUND_GAS = 1n
const P256_GAS = 6_900n
/** Longest operand handled here, in bytes; EIP-7823 allows 1,024. */
const LONGEST_OPERAND = 4_096n

const hasher = await createRIPEMD160()

/** Missing bytes at the end of the input count as zeros; bytes after the needed length are ignored. */
const ecrecover: Faster = (data, gasLimit) => {
  if (gasLimit < ECRECOVER_GAS) return undefined
  const input = data.length >= ECRECOVER_INPUT ? data : slice(data, 0, ECRECOVER_INPUT)
  const parity = (input[63] ?? 0) - 27
  if ((parity !== 0 && parity !== 1) || !isZero(input, 32, 63)) return succeeded(ECRECOVER_GAS, EMPTY_BYTES)
  try {
    const key = curve.recover(input.subarray(0, 32), input.subarray(64, ECRECOVER_INPUT), parity)
    const hash = keccak256(key.subarray(1))
    hash.fill(0, 0, 12)
    return succeeded(ECRECOVER_GAS, hash)
  } catch {
    return succeeded(ECRECOVER_GAS, EMPTY_BYTES)
  }
}

const sha256: Faster = (data, gasLimit) => {
  const gas = SHA256_GAS + SHA256_WORD_GAS * words(data)
  if (gasLimit < gas) return undefined
  return succeeded(BigInt(gas), new Uint8Array(hashAtOnce('sha256', data, 'buffer')))
}

/** The input is already a copy, so the output need not be copied. */
const identity: Faster = (data, gasLimit) => {
  const gas = IDENTITY_GAS + IDENTITY_WORD_GAS * words(data)
  return gasLimit < gas ? undefined : succeeded(BigInt(gas), data)
}

const ripemd160: Faster = (data, gasLimit) => {
  const gas = RIPEMD160_GAS + RIPEMD160_WORD_GAS * words(data)
  if (gasLimit < gas) return undefined
  hasher.init()
  hasher.update(data)
  return succeeded(BigInt(gas), padLeft(hasher.digest('binary'), 32))
}

const modexp: Faster = (data, gasLimit, rules) => {
  const [baseLength, exponentLength, modulusLength] = [0, 32, 64].map((at) => bytesToBig(slice(data, at, 32)))
  if (baseLength === undefined || exponentLength === undefined || modulusLength === undefined) return undefined
  const longest = rules.osaka ? 1_024n : LONGEST_OPERAND
  if (baseLength > longest || exponentLength > longest || modulusLength > longest) return undefined
  const b = Number(baseLength)
  const e = Number(exponentLength)
  const m = Number(modulusLength)
  const exponent = slice(data, 96 + b, e)
  const gas = modexpGas(rules, Math.max(b, m), exponent)
  if (gasLimit < gas) return undefined
  const power = powerModulo(slice(data, 96, b), exponent, slice(data, 96 + b + e, m))
  return power === undefined ? undefined : succeeded(gas, bigToFixed(power, m))
}

/** EIP-198; EIP-2565 from Berlin; EIP-7883 from Osaka. `size`: of the longer of base and modulus. */
function modexpGas(rules: ForkRules, size: number, exponent: Uint8Array): bigint {
  const { berlin, osaka } = rules
  const head = bytesToBig(exponent.subarray(0, 32))
  const headBits = head === 0n ? 0 : head.toString(2).length - 1
  const iterations = BigInt(Math.max(1, Math.max(0, exponent.length - 32) * (osaka ? 16 : 8) + headBits))
  const words = BigInt(Math.ceil(size / 8))
  const divisor = berlin ? 3n : 20n
  if (osaka) return most(500n, iterations * (size > 32 ? 2n * words * words : 16n))
  if (berlin) return most(200n, (iterations * words * words) / divisor)
  return (iterations * oldComplexity(BigInt(size))) / divisor
}

function oldComplexity(x: bigint): bigint {
  if (x <= 64n) return x * x
  return x <= 1_024n ? (x * x) / 4n + 96n * x - 3_072n : (x * x) / 16n + 480n * x - 199_680n
}

const blake2: Faster = (data, gasLimit) => {
  if (data.length !== 213 || (data[212] ?? 2) > 1) return undefined
  const rounds = Number(bytesToBig(data.subarray(0, 4)))
  const gas = BLAKE2F_ROUND_GAS * BigInt(rounds)
  return gasLimit < gas ? undefined : succeeded(gas, blake2f(rounds, data.subarray(4)))
}

const p256: Faster = (data, gasLimit) => {
  if (data.length !== 160 || gasLimit < P256_GAS) return undefined
  return succeeded(P256_GAS, verifyP256(data) ? bigToFixed(1n, 32) : EMPTY_BYTES)
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

/** Replaces precompiles of a fork by the faster ones. */
export function useFasterPrecompiles(precompiles: Map<Address, Precompile>, rules: ForkRules): void {
  for (const [number, faster] of FASTER) {
    const address = precompileAddress(number)
    const original = precompiles.get(address)
    if (original === undefined) continue
    precompiles.set(address, (input, gas) => faster(input, gas, rules) ?? original(input, gas))
  }
  awaitCurves(precompiles)
}

/** Number of 32-byte words, rounded up. */
const words = (data: Uint8Array): number => Math.ceil(data.length / 32)

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

const most = (a: bigint, b: bigint): bigint => (a > b ? a : b)
