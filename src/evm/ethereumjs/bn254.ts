// The curve of EIP-196 and EIP-197 for the library's precompiles: mcl if it is loaded, else noble. Both give the same bytes and
// the same EVM errors; any other Error becomes a revert in the precompile.
import { EVMError, NobleBN254 } from '@ethereumjs/evm'
import { FP_SIZE, FR_SIZE, G1_SIZE, G2_SIZE, type Mcl, mclOf } from '../../primitives/mcl.ts'

/** The library's `EVMBN254Interface`, which it does not export. */
export type Bn254 = Pick<NobleBN254, 'add' | 'mul' | 'pairing'>

const WORD = 32
const POINT = 2 * WORD
const PAIR = 6 * WORD

const noble = new NobleBN254()

export const bn254: Bn254 = {
  add: (input) => with254((mcl) => add(mcl, input)) ?? noble.add(input),
  mul: (input) => with254((mcl) => multiply(mcl, input)) ?? noble.mul(input),
  pairing: (input) => with254((mcl) => pairing(mcl, input)) ?? noble.pairing(input),
}

function with254(work: (mcl: Mcl) => Uint8Array): Uint8Array | undefined {
  const mcl = mclOf('bn254')
  return mcl && work(mcl)
}

const add = (mcl: Mcl, input: Uint8Array): Uint8Array =>
  mcl.withMemory(2 * G1_SIZE, (a) => {
    const b = a + G1_SIZE
    readG1(mcl, a, input)
    readG1(mcl, b, input.subarray(POINT))
    mcl.lib._mclBnG1_add(a, a, b)
    return writeG1(mcl, a)
  })

const multiply = (mcl: Mcl, input: Uint8Array): Uint8Array =>
  mcl.withMemory(G1_SIZE + FR_SIZE, (point) => {
    const scalar = point + G1_SIZE
    readG1(mcl, point, input)
    mcl.readFr(scalar, input.subarray(POINT, POINT + WORD))
    mcl.lib._mclBnG1_mul(point, point, scalar)
    return writeG1(mcl, point)
  })

function pairing(mcl: Mcl, input: Uint8Array): Uint8Array {
  const most = Math.ceil(input.length / PAIR)
  return mcl.withMemory(most * (G1_SIZE + G2_SIZE) + 1, (g1s) => {
    const g2s = g1s + most * G1_SIZE
    let count = 0
    for (let start = 0; start < input.length; start += PAIR) {
      const g1 = g1s + count * G1_SIZE
      const g2 = g2s + count * G2_SIZE
      readG1(mcl, g1, input.subarray(start))
      readG2(mcl, g2, input.subarray(start + POINT))
      // The pairing with infinity is one; the next pair overwrites this place.
      if (mcl.lib._mclBnG1_isZero(g1) === 0 && mcl.lib._mclBnG2_isZero(g2) === 0) count++
    }
    const out = new Uint8Array(WORD)
    out[WORD - 1] = mcl.isPairingProductOne(g1s, g2s, count) ? 1 : 0
    return out
  })
}

/** Two words, x and y; both zero: infinity. */
function readG1(mcl: Mcl, at: number, bytes: Uint8Array): void {
  const { lib } = mcl
  if (isZero(bytes.subarray(0, POINT))) {
    lib._mclBnG1_clear(at)
    return
  }
  for (let k = 0; k < 2; k++) {
    if (!mcl.readFp(at + k * FP_SIZE, bytes.subarray(k * WORD, (k + 1) * WORD)))
      throw new Error('coordinate out of range')
  }
  lib._mclBnFp_setInt32(at + 2 * FP_SIZE, 1)
  if (lib._mclBnG1_isValid(at) === 0) throw new Error('point not on the curve')
}

/** Four words: x and y, each with the imaginary part first. */
function readG2(mcl: Mcl, at: number, bytes: Uint8Array): void {
  const { lib } = mcl
  if (isZero(bytes.subarray(0, 2 * POINT))) {
    lib._mclBnG2_clear(at)
    return
  }
  for (let k = 0; k < 4; k++) {
    if (!mcl.readFp(at + (k ^ 1) * FP_SIZE, bytes.subarray(k * WORD, (k + 1) * WORD))) {
      throw new EVMError(EVMError.errorMessages.BN254_FP_NOT_IN_FIELD)
    }
  }
  lib._mclBnFp_setInt32(at + 4 * FP_SIZE, 1)
  lib._mclBnFp_setInt32(at + 5 * FP_SIZE, 0)
  if (lib._mclBnG2_isValid(at) === 0) throw new Error('point not on the curve')
  if (lib._mclBnG2_isValidOrder(at) === 0) throw new Error('point not in the group')
}

function writeG1(mcl: Mcl, at: number): Uint8Array {
  const out = new Uint8Array(POINT)
  if (mcl.lib._mclBnG1_isZero(at) === 1) return out
  mcl.lib._mclBnG1_normalize(at, at)
  for (let k = 0; k < 2; k++) mcl.writeFp(out.subarray(k * WORD, (k + 1) * WORD), at + k * FP_SIZE)
  return out
}

const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)
