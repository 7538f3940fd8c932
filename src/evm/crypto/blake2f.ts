// The BLAKE2b compression function (EIP-152) in WebAssembly, because JavaScript has no 64-bit rotation. The module is
// assembled at the first use, with ten rounds unrolled. Its one instance (64 KiB) belongs to the process: it keeps no state
// between calls.

/** Initial values of BLAKE2b (RFC 7693, 2.6). */
const IV = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
]
/** Message words of each round, in hex digits (RFC 7693, 2.7). */
const SIGMA = [
  '0123456789abcdef',
  'ea489fd61c02b753',
  'b8c052fdae367194',
  '7931dcbe265a40f8',
  '905724afe1bc683d',
  '2c6a0b834d75fe19',
  'c51fed4a0763928b',
  'db7ec13950f4862a',
  '6fe9b308c2d714a5',
  'a2847615fb9e3cd0',
]
/** The four state words that each step of a round mixes. */
const STEPS = ['048c', '159d', '26ae', '37bf', '05af', '16bc', '278d', '349e']

/** Offsets in memory: the precompile's input without the round count. */
const H = 0
const M = 64
const T = 192
const FINAL = 208
const INPUT = 209
/** Local variables: the remaining rounds, then the 16 words of the state. */
const ROUNDS = 0
const V = 1

type Instance = { readonly memory: Uint8Array; compress(rounds: number): void }
let instance: Instance | undefined

/**
 * One compression. `input`: h (64 bytes), m (128), t (16) and the final flag (0 or 1), in EIP-152's order without the round
 * count. Returns h, 64 bytes.
 */
export function blake2f(rounds: number, input: Uint8Array): Uint8Array {
  instance ??= assemble()
  instance.memory.set(input.subarray(0, INPUT))
  instance.compress(rounds)
  return instance.memory.slice(H, M)
}

function assemble(): Instance {
  const section = (id: number, content: number[]) => [id, ...unsigned(content.length), ...content]
  const name = (text: string) => [text.length, ...Buffer.from(text)]
  // The body starts with one declaration of 16 locals of type i64 (0x7e).
  const body = [1, 16, 0x7e, ...code()]
  const bytes = Uint8Array.of(
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    // Types: one, a function that takes an i32. Functions: one of this type. Memories: one, of one page.
    ...section(1, [1, 0x60, 1, 0x7f, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, 1]),
    ...section(7, [2, ...name('m'), 2, 0, ...name('f'), 0, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  )
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {})
  // The module is assembled above, so its exports are known.
  const { m, f } = exports as { m: WebAssembly.Memory; f: (rounds: number) => void }
  return { memory: new Uint8Array(m.buffer), compress: f }
}

const get = (local: number) => [0x20, local]
const set = (local: number) => [0x21, local]
/** Loads a little-endian 64-bit word from memory. */
const load = (at: number) => [0x41, 0, 0x29, 3, ...unsigned(at)]
const ADD = 0x7c
const XOR = 0x85
const rotateRight = (bits: number) => [0x42, ...signed(BigInt(bits)), 0x8a]
const constant = (value: bigint) => [0x42, ...signed(BigInt.asIntN(64, value))]

function code(): number[] {
  const word = (k: number) => load(M + k * 8)
  const out: number[] = []
  for (const [k, iv] of IV.entries()) {
    out.push(...load(H + k * 8), ...set(V + k), ...constant(iv))
    if (k === 4 || k === 5) out.push(...load(T + (k - 4) * 8), XOR)
    // 0 - 1 flips all bits, 0 - 0 none.
    if (k === 6) out.push(...constant(0n), 0x41, 0, 0x31, 0, ...unsigned(FINAL), 0x7d, XOR)
    out.push(...set(V + 8 + k))
  }
  // A block around a loop; the last round leaves it.
  out.push(0x02, 0x40, 0x03, 0x40)
  for (const sigma of SIGMA) {
    out.push(...get(ROUNDS), 0x45, 0x0d, 1)
    out.push(...get(ROUNDS), 0x41, 1, 0x6b, ...set(ROUNDS))
    for (const [step, places] of STEPS.entries()) {
      const [a = 0, b = 0, c = 0, d = 0] = digits(places).map((k) => V + k)
      const [x = 0, y = 0] = digits(sigma.slice(step * 2, step * 2 + 2))
      out.push(...mix(a, b, c, d, word(x), 32, 24), ...mix(a, b, c, d, word(y), 16, 63))
    }
  }
  out.push(0x0c, 0, 0x0b, 0x0b)
  for (let k = 0; k < 8; k++) {
    const stored = [...load(H + k * 8), ...get(V + k), XOR, ...get(V + 8 + k), XOR]
    out.push(0x41, 0, ...stored, 0x37, 3, ...unsigned(H + k * 8))
  }
  return [...out, 0x0b]
}

/** Half a step: a += b + word; d = (d ^ a) >>> first; c += d; b = (b ^ c) >>> second. */
const mix = (a: number, b: number, c: number, d: number, word: number[], first: number, second: number): number[] => [
  ...[...get(a), ...get(b), ADD, ...word, ADD, ...set(a)],
  ...[...get(d), ...get(a), XOR, ...rotateRight(first), ...set(d)],
  ...[...get(c), ...get(d), ADD, ...set(c)],
  ...[...get(b), ...get(c), XOR, ...rotateRight(second), ...set(b)],
]

const digits = (text: string): number[] => [...text].map((digit) => Number.parseInt(digit, 16))

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}
function signed(value: bigint): number[] {
  const low = Number(value & 0x7fn)
  const rest = value >> 7n
  const isLast = (rest === 0n && low < 0x40) || (rest === -1n && low >= 0x40)
  return isLast ? [low] : [low | 0x80, ...signed(rest)]
}
