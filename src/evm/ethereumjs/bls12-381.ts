// The curve of EIP-2537 for the library's precompiles: mcl if it is loaded, else noble. Both give the same bytes and the same
// EVM errors; any other Error becomes a revert in the precompile. The precompiles have already checked the length of the input
// and that the high 16 bytes of each coordinate are zero.
import { EVMError, NobleBLS } from '@ethereumjs/evm'
import { FP_SIZE, FR_SIZE, G1_SIZE, G2_SIZE, type Mcl, mclOf } from '../../primitives/mcl.ts'

/** The library's `EVMBLSInterface`, which it does not export. */
export type Bls12381 = Pick<
  NobleBLS,
  'addG1' | 'addG2' | 'msmG1' | 'msmG2' | 'pairingCheck' | 'mapFPtoG1' | 'mapFP2toG2'
>

/** A coordinate: 16 zero bytes and 48 bytes of the number. */
const PART = 64
const PADDING = 16
const SCALAR = 32

/** The differences between the two groups. */
type Group = {
  /** Field elements per coordinate of a point. */
  readonly parts: 1 | 2
  readonly size: number
  readonly clear: '_mclBnG1_clear' | '_mclBnG2_clear'
  readonly isZero: '_mclBnG1_isZero' | '_mclBnG2_isZero'
  readonly isValid: '_mclBnG1_isValid' | '_mclBnG2_isValid'
  readonly isValidOrder: '_mclBnG1_isValidOrder' | '_mclBnG2_isValidOrder'
  readonly normalize: '_mclBnG1_normalize' | '_mclBnG2_normalize'
  readonly add: '_mclBnG1_add' | '_mclBnG2_add'
  readonly mulVec: '_mclBnG1_mulVec' | '_mclBnG2_mulVec'
  readonly map: '_mclBnFp_mapToG1' | '_mclBnFp2_mapToG2'
}
const G1: Group = {
  parts: 1,
  size: G1_SIZE,
  clear: '_mclBnG1_clear',
  isZero: '_mclBnG1_isZero',
  isValid: '_mclBnG1_isValid',
  isValidOrder: '_mclBnG1_isValidOrder',
  normalize: '_mclBnG1_normalize',
  add: '_mclBnG1_add',
  mulVec: '_mclBnG1_mulVec',
  map: '_mclBnFp_mapToG1',
}
const G2: Group = {
  parts: 2,
  size: G2_SIZE,
  clear: '_mclBnG2_clear',
  isZero: '_mclBnG2_isZero',
  isValid: '_mclBnG2_isValid',
  isValidOrder: '_mclBnG2_isValidOrder',
  normalize: '_mclBnG2_normalize',
  add: '_mclBnG2_add',
  mulVec: '_mclBnG2_mulVec',
  map: '_mclBnFp2_mapToG2',
}
/** Bytes of an encoded point. */
const widthOf = ({ parts }: Group): number => 2 * parts * PART

const noble = new NobleBLS()

export const bls12381: Bls12381 = {
  addG1: (input) => with381((mcl) => add(mcl, G1, input)) ?? noble.addG1(input),
  addG2: (input) => with381((mcl) => add(mcl, G2, input)) ?? noble.addG2(input),
  msmG1: (input) => with381((mcl) => multiplyAndSum(mcl, G1, input)) ?? noble.msmG1(input),
  msmG2: (input) => with381((mcl) => multiplyAndSum(mcl, G2, input)) ?? noble.msmG2(input),
  pairingCheck: (input) => with381((mcl) => pairingCheck(mcl, input)) ?? noble.pairingCheck(input),
  mapFPtoG1: (input) => with381((mcl) => map(mcl, G1, input)) ?? noble.mapFPtoG1(input),
  mapFP2toG2: (input) => with381((mcl) => map(mcl, G2, input)) ?? noble.mapFP2toG2(input),
}

function with381(work: (mcl: Mcl) => Uint8Array): Uint8Array | undefined {
  const mcl = mclOf('bls12381')
  return mcl && work(mcl)
}

/** Addition does not require points of the subgroup. */
const add = (mcl: Mcl, group: Group, input: Uint8Array): Uint8Array =>
  mcl.withMemory(2 * group.size, (a) => {
    const b = a + group.size
    read(mcl, group, a, input)
    read(mcl, group, b, input.subarray(widthOf(group)))
    mcl.lib[group.add](a, a, b)
    return write(mcl, group, a)
  })

function multiplyAndSum(mcl: Mcl, group: Group, input: Uint8Array): Uint8Array {
  const width = widthOf(group)
  const count = Math.ceil(input.length / (width + SCALAR))
  return mcl.withMemory(count * (group.size + FR_SIZE) + group.size, (sum) => {
    const points = sum + group.size
    const scalars = points + count * group.size
    for (let k = 0; k < count; k++) {
      const start = k * (width + SCALAR)
      readOfGroup(mcl, group, points + k * group.size, input.subarray(start))
      mcl.readFr(scalars + k * FR_SIZE, input.subarray(start + width, start + width + SCALAR))
    }
    mcl.lib[group.mulVec](sum, points, scalars, count)
    return write(mcl, group, sum)
  })
}

function pairingCheck(mcl: Mcl, input: Uint8Array): Uint8Array {
  const width = widthOf(G1) + widthOf(G2)
  const most = Math.ceil(input.length / width)
  return mcl.withMemory(most * (G1_SIZE + G2_SIZE), (g1s) => {
    const g2s = g1s + most * G1_SIZE
    let count = 0
    for (let start = 0; start < input.length; start += width) {
      const g1 = g1s + count * G1_SIZE
      const g2 = g2s + count * G2_SIZE
      readOfGroup(mcl, G1, g1, input.subarray(start))
      readOfGroup(mcl, G2, g2, input.subarray(start + widthOf(G1)))
      // The pairing with infinity is one; the next pair overwrites this place.
      if (mcl.lib[G1.isZero](g1) === 0 && mcl.lib[G2.isZero](g2) === 0) count++
    }
    const out = new Uint8Array(32)
    out[31] = mcl.isPairingProductOne(g1s, g2s, count) ? 1 : 0
    return out
  })
}

const map = (mcl: Mcl, group: Group, input: Uint8Array): Uint8Array =>
  mcl.withMemory(group.size + group.parts * FP_SIZE, (point) => {
    const element = point + group.size
    for (let k = 0; k < group.parts; k++) readPart(mcl, element + k * FP_SIZE, input.subarray(k * PART))
    mcl.lib[group.map](point, element)
    return write(mcl, group, point)
  })

function readOfGroup(mcl: Mcl, group: Group, at: number, bytes: Uint8Array): void {
  read(mcl, group, at, bytes)
  if (mcl.lib[group.isValidOrder](at) === 0) throw notOnCurve()
}

/** x and y; all zeros: infinity. */
function read(mcl: Mcl, group: Group, at: number, bytes: Uint8Array): void {
  const { lib } = mcl
  const { parts } = group
  if (isZero(bytes.subarray(0, widthOf(group)))) {
    lib[group.clear](at)
    return
  }
  for (let k = 0; k < 2 * parts; k++) {
    if (parts === 2) readPart(mcl, at + k * FP_SIZE, bytes.subarray(k * PART))
    else if (!mcl.readFp(at + k * FP_SIZE, numberOf(bytes.subarray(k * PART))))
      throw new Error('coordinate out of range')
  }
  // Not on the curve. noble's error has another text.
  if (isZero(bytes.subarray(parts * PART, widthOf(group)))) throw new Error('bad point coordinate y')
  for (let k = 0; k < parts; k++) lib._mclBnFp_setInt32(at + (2 * parts + k) * FP_SIZE, k === 0 ? 1 : 0)
  if (lib[group.isValid](at) === 0) throw notOnCurve()
}

function readPart(mcl: Mcl, at: number, bytes: Uint8Array): void {
  if (!mcl.readFp(at, numberOf(bytes))) throw new EVMError(EVMError.errorMessages.BLS_12_381_FP_NOT_IN_FIELD)
}

const numberOf = (part: Uint8Array): Uint8Array => part.subarray(PADDING, PART)

function write(mcl: Mcl, group: Group, at: number): Uint8Array {
  const out = new Uint8Array(widthOf(group))
  if (mcl.lib[group.isZero](at) === 1) return out
  mcl.lib[group.normalize](at, at)
  for (let k = 0; k < 2 * group.parts; k++) mcl.writeFp(numberOf(out.subarray(k * PART)), at + k * FP_SIZE)
  return out
}

const notOnCurve = (): EVMError => new EVMError(EVMError.errorMessages.BLS_12_381_POINT_NOT_ON_CURVE)
const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)
