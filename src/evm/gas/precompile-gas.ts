// Prices of the precompiles by fork and input (Yellow Paper, appendix E; the EIPs named). All engines charge them: what a library
// that computes a result thinks of its price has no effect.
import { bytesToBig } from '../../lib/hex.ts'
import type { ForkRules } from '../../spec/fork-rules.ts'

export const ECRECOVER_GAS = 3_000n

/** By the last digits of the address. */
const PRICES: Readonly<Record<string, (data: Uint8Array, rules: ForkRules) => bigint>> = {
  '1': () => ECRECOVER_GAS,
  '2': (data) => 60n + 12n * words(data),
  '3': (data) => 600n + 120n * words(data),
  '4': (data) => 15n + 3n * words(data),
  '5': modexpGas,
  // EIP-196 and EIP-197; EIP-1108 from Istanbul.
  '6': (_, { istanbul }) => (istanbul ? 150n : 500n),
  '7': (_, { istanbul }) => (istanbul ? 6_000n : 40_000n),
  '8': (data, { istanbul }) =>
    istanbul ? 45_000n + 34_000n * items(data, 192) : 100_000n + 80_000n * items(data, 192),
  // EIP-152: one for each round.
  '9': (data) => (data.length === 213 ? bytesToBig(data.subarray(0, 4)) : 0n),
  // EIP-4844
  a: () => 50_000n,
  // EIP-2537
  b: () => 375n,
  c: (data) => multiples(items(data, 160), 12_000n, G1_DISCOUNTS),
  d: () => 600n,
  e: (data) => multiples(items(data, 288), 22_500n, G2_DISCOUNTS),
  f: (data) => 37_700n + 32_600n * items(data, 384),
  '10': () => 5_500n,
  '11': () => 23_800n,
  // EIP-7951
  '100': () => 6_900n,
}

/** `number`: the last digits of the address, in hexadecimal. Throws for an address without a precompile. */
export function precompileGas(number: string, data: Uint8Array, rules: ForkRules): bigint {
  const price = PRICES[number]
  if (price === undefined) throw new Error(`there is no precompile ${number}`)
  return price(data, rules)
}

/** EIP-198; EIP-2565 from Berlin; EIP-7883 from Osaka, where EIP-7823 refuses operands of more than 1,024 bytes. */
function modexpGas(data: Uint8Array, { berlin, osaka }: ForkRules): bigint {
  const [base, exponent, modulus] = [word(data, 0, 32), word(data, 32, 32), word(data, 64, 32)]
  const head = word(data, 96 + Number(base), Number(exponent < 32n ? exponent : 32n))
  const headBits = head === 0n ? 0n : BigInt(head.toString(2).length - 1)
  const size = most(base, modulus)
  const iterations = most(1n, headBits + most(0n, exponent - 32n) * (osaka ? 16n : 8n))
  const eights = (size + 7n) / 8n
  if (osaka) return most(500n, iterations * (size > 32n ? 2n * eights * eights : 16n))
  if (berlin) return most(200n, (iterations * eights * eights) / 3n)
  return (iterations * complexity(size)) / 20n
}

function complexity(size: bigint): bigint {
  if (size <= 64n) return size * size
  return size <= 1_024n ? (size * size) / 4n + 96n * size - 3_072n : (size * size) / 16n + 480n * size - 199_680n
}

/** A sum of multiples costs less for each further point, up to 128. */
function multiples(points: bigint, gas: bigint, discounts: readonly number[]): bigint {
  const discount = discounts[Math.min(Number(points), discounts.length) - 1]
  return discount === undefined ? 0n : (points * gas * BigInt(discount)) / 1_000n
}

/** Number of 32-byte words, rounded up. */
const words = ({ length }: Uint8Array): bigint => BigInt(Math.ceil(length / 32))
/** Number of whole items of this size. */
const items = ({ length }: Uint8Array, size: number): bigint => BigInt(Math.floor(length / size))
const most = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** A number in the input; bytes beyond its end are zeros. */
function word(data: Uint8Array, at: number, size: number): bigint {
  const bytes = new Uint8Array(size)
  bytes.set(data.subarray(at, at + size))
  return bytesToBig(bytes)
}

/** Thousandths, by the number of points. */
const G1_DISCOUNTS: readonly number[] = [
  1000, 949, 848, 797, 764, 750, 738, 728, 719, 712, 705, 698, 692, 687, 682, 677, 673, 669, 665, 661, 658, 654, 651,
  648, 645, 642, 640, 637, 635, 632, 630, 627, 625, 623, 621, 619, 617, 615, 613, 611, 609, 608, 606, 604, 603, 601,
  599, 598, 596, 595, 593, 592, 591, 589, 588, 586, 585, 584, 582, 581, 580, 579, 577, 576, 575, 574, 573, 572, 570,
  569, 568, 567, 566, 565, 564, 563, 562, 561, 560, 559, 558, 557, 556, 555, 554, 553, 552, 551, 550, 549, 548, 547,
  547, 546, 545, 544, 543, 542, 541, 540, 540, 539, 538, 537, 536, 536, 535, 534, 533, 532, 532, 531, 530, 529, 528,
  528, 527, 526, 525, 525, 524, 523, 522, 522, 521, 520, 520, 519,
]
const G2_DISCOUNTS: readonly number[] = [
  1000, 1000, 923, 884, 855, 832, 812, 796, 782, 770, 759, 749, 740, 732, 724, 717, 711, 704, 699, 693, 688, 683, 679,
  674, 670, 666, 663, 659, 655, 652, 649, 646, 643, 640, 637, 634, 632, 629, 627, 624, 622, 620, 618, 615, 613, 611,
  609, 607, 606, 604, 602, 600, 598, 597, 595, 593, 592, 590, 589, 587, 586, 584, 583, 582, 580, 579, 578, 576, 575,
  574, 573, 571, 570, 569, 568, 567, 566, 565, 563, 562, 561, 560, 559, 558, 557, 556, 555, 554, 553, 552, 552, 551,
  550, 549, 548, 547, 546, 545, 545, 544, 543, 542, 541, 541, 540, 539, 538, 537, 537, 536, 535, 535, 534, 533, 532,
  532, 531, 530, 530, 529, 528, 528, 527, 526, 526, 525, 524, 524,
]
