// Pairing curves in WebAssembly (mcl-wasm) through mcl's C interface: points stay in its memory, whereas the package's own
// classes copy each operand in and out and convert numbers through hex. Loading takes 50 ms and 4 MB per curve, and most chains
// need none, so the first use of a curve starts loading it, and callers use another library until it is ready.

import { equalBytes } from '../lib/hex.ts'

/** The curves of Ethereum's precompiles, by mcl's ids. */
const CURVES = { bn254: 4, bls12381: 5 } as const
export type CurveName = keyof typeof CURVES

/** Widths of Fr and Fp in 64-bit words that the package is compiled for, as `mclBn_init` checks them. */
const COMPILED_FOR = 4 * 10 + 6
/** IETF's simplified SWU, the map of EIP-2537. */
const MAP_BY_RFC_9380 = 5

/** Bytes in mcl's memory, for every curve. A G1 point is x, y, z; a G2 point the same over pairs. */
export const FP_SIZE = 48
export const FR_SIZE = 32
export const G1_SIZE = 3 * FP_SIZE
export const G2_SIZE = 2 * G1_SIZE
export const GT_SIZE = 12 * FP_SIZE

/**
 * The used part of mcl's C interface. Arguments are addresses in its memory; the first is the result's. Predicates return 1.
 */
type Library = {
  readonly HEAP8: Int8Array
  _malloc(size: number): number
  _free(at: number): void
  _mclBn_init(curve: number, compiledFor: number): number
  _mclBn_setETHserialization(enable: number): void
  _mclBn_setMapToMode(mode: number): number
  _mclBn_verifyOrderG1(enable: number): void
  _mclBn_verifyOrderG2(enable: number): void
  _mclBnFp_setInt32(x: number, value: number): void
  /** Returns the number of bytes read; 0 for an invalid element. */
  _mclBnFp_deserialize(x: number, from: number, size: number): number
  _mclBnFp_serialize(to: number, size: number, x: number): number
  _mclBnFr_setBigEndianMod(x: number, from: number, size: number): number
  _mclBnFp_mapToG1(point: number, x: number): number
  _mclBnFp2_mapToG2(point: number, x: number): number
  _mclBnG1_deserialize(point: number, from: number, size: number): number
  _mclBnG2_deserialize(point: number, from: number, size: number): number
  _mclBnG1_serialize(to: number, size: number, point: number): number
  _mclBnG2_serialize(to: number, size: number, point: number): number
  _mclBnG1_clear(point: number): void
  _mclBnG2_clear(point: number): void
  _mclBnG1_isZero(point: number): number
  _mclBnG2_isZero(point: number): number
  _mclBnG1_isValid(point: number): number
  _mclBnG2_isValid(point: number): number
  _mclBnG1_isValidOrder(point: number): number
  _mclBnG2_isValidOrder(point: number): number
  _mclBnG1_normalize(to: number, point: number): void
  _mclBnG2_normalize(to: number, point: number): void
  _mclBnG1_add(to: number, a: number, b: number): void
  _mclBnG2_add(to: number, a: number, b: number): void
  _mclBnG1_sub(to: number, a: number, b: number): void
  _mclBnG1_mul(to: number, point: number, scalar: number): void
  _mclBnG2_mul(to: number, point: number, scalar: number): void
  _mclBnG1_mulVec(to: number, points: number, scalars: number, count: number): void
  _mclBnG2_mulVec(to: number, points: number, scalars: number, count: number): void
  _mclBnG2_neg(to: number, point: number): void
  _mclBn_millerLoopVec(to: number, g1: number, g2: number, count: number): void
  _mclBn_finalExp(to: number, x: number): void
  _mclBnGT_isOne(x: number): number
}

export class Mcl {
  readonly lib: Library
  /** Length of a field element in its big-endian form. */
  readonly #width: number
  readonly #isBigEndian: boolean
  /** Address of a buffer for the bytes of one element. */
  readonly #bytes: number

  constructor(lib: Library, curve: CurveName) {
    this.lib = lib
    if (lib._mclBn_init(CURVES[curve], COMPILED_FOR) !== 0) throw new Error(`mcl does not know the curve ${curve}`)
    this.#isBigEndian = curve === 'bls12381'
    this.#width = this.#isBigEndian ? 48 : 32
    this.#bytes = lib._malloc(128)
    lib._mclBn_setETHserialization(1)
    lib._mclBn_setMapToMode(MAP_BY_RFC_9380)
    // Callers check separately whether a point is on the curve and in the group.
    lib._mclBn_verifyOrderG1(0)
    lib._mclBn_verifyOrderG2(0)
  }

  /** Runs `work` with the address of `size` bytes, which are freed when it returns. */
  withMemory<T>(size: number, work: (at: number) => T): T {
    const at = this.lib._malloc(size)
    if (at === 0) throw new Error('mcl has no memory left')
    try {
      return work(at)
    } finally {
      this.lib._free(at)
    }
  }

  /** Reads an element from its big-endian bytes; false when it is not below the modulus. */
  readFp(at: number, bytes: Uint8Array): boolean {
    const room = this.#room(this.#width)
    room.set(bytes)
    if (!this.#isBigEndian) room.reverse()
    return this.lib._mclBnFp_deserialize(at, this.#bytes, this.#width) === this.#width
  }

  /** Writes the element's big-endian bytes to `to`. */
  writeFp(to: Uint8Array, at: number): void {
    this.lib._mclBnFp_serialize(this.#bytes, this.#width, at)
    const room = this.#room(this.#width)
    if (!this.#isBigEndian) room.reverse()
    to.set(room)
  }

  /** Reads a scalar of 32 bytes, reduced by the group's order. */
  readFr(at: number, bytes: Uint8Array): void {
    this.#room(bytes.length).set(bytes)
    this.lib._mclBnFr_setBigEndianMod(at, this.#bytes, bytes.length)
  }

  /** Reads a compressed point of G1 or G2 of BLS12-381; false when it is invalid or not in the group. */
  readCompressed(group: 'G1' | 'G2', at: number, bytes: Uint8Array): boolean {
    const { lib } = this
    const size = bytes.length
    this.#room(size).set(bytes)
    if (lib[`_mclBn${group}_deserialize`](at, this.#bytes, size) !== size) return false
    // mcl accepts several encodings of infinity, the specification only one.
    lib[`_mclBn${group}_serialize`](this.#bytes, size, at)
    if (!equalBytes(this.#room(size), bytes)) return false
    return lib[`_mclBn${group}_isValid`](at) === 1 && lib[`_mclBn${group}_isValidOrder`](at) === 1
  }

  /** Whether the product of the pairings of `count` points of G1 with as many of G2 is one. */
  isPairingProductOne(g1: number, g2: number, count: number): boolean {
    if (count === 0) return true
    return this.withMemory(GT_SIZE, (product) => {
      this.lib._mclBn_millerLoopVec(product, g1, g2, count)
      this.lib._mclBn_finalExp(product, product)
      return this.lib._mclBnGT_isOne(product) === 1
    })
  }

  #room(size: number): Uint8Array {
    return new Uint8Array(this.lib.HEAP8.buffer, this.#bytes, size)
  }
}

const ready = new Map<CurveName, Mcl>()
const loading = new Map<CurveName, Promise<Mcl | undefined>>()

/** The curve if it has been loaded. The first call starts to load it. */
export function mclOf(curve: CurveName): Mcl | undefined {
  const known = ready.get(curve)
  if (known === undefined) void loadMcl(curve)
  return known
}

/** Resolves to the curve when it is loaded, or to undefined when the package cannot be loaded. */
export function loadMcl(curve: CurveName): Promise<Mcl | undefined> {
  const begun = loading.get(curve) ?? open(curve)
  loading.set(curve, begun)
  return begun
}

async function open(curve: CurveName): Promise<Mcl | undefined> {
  try {
    const { default: createModule } = await import('mcl-wasm/dist/mcl_c.js')
    // The library requires a source of random numbers, which the used functions do not read.
    const library: Library = await createModule({ cryptoGetRandomValues: crypto.getRandomValues.bind(crypto) })
    const mcl = new Mcl(library, curve)
    ready.set(curve, mcl)
    return mcl
  } catch {
    return undefined
  }
}
