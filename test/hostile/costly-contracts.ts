// A contract for each precompile that takes much time for its gas. It calls the precompile in a loop with the contract's
// calldata, one word of which it increments if the precompile accepts any value, until little gas is left.
import { createHash } from 'node:crypto'

export type CostlyContract = {
  readonly name: string
  readonly address: `0x${string}`
  readonly code: `0x${string}`
  readonly input: `0x${string}`
}

const word = (value: number | bigint): string => value.toString(16).padStart(64, '0')
const push = (bytes: number, value: number): string =>
  (0x5f + bytes).toString(16) + value.toString(16).padStart(bytes * 2, '0')

/** `changing`: offset in memory of the word that is incremented. `least`: gas below which the loop ends. */
function codeOf(precompile: number, length: number, changing: number, least: number): string {
  // CALLDATACOPY(0, 0, CALLDATASIZE), JUMPDEST
  const begin = '365f5f375b'
  const loop = 4
  const count = `${push(2, changing)}51600101${push(2, changing)}52`
  const call = `${push(2, 256)}${push(3, length + 64)}${push(3, length)}5f${push(2, precompile)}5afa15`
  // Jump to `fail` if the call failed, to `loop` while there is gas.
  const again = `${push(4, least)}5a11${push(2, loop)}57`
  const end = '60205ff3'
  const failAt = [begin, count, call, push(2, 0), '57', again, end].join('').length / 2
  return `${begin}${count}${call}${push(2, failAt)}57${again}${end}5b60ff5f5260015ffd`
}

// Generators and other points of the curves: EIP-196, EIP-197, EIP-2537.
const bnG1 = word(1) + word(2)
const bnG2 =
  '198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c21800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa'
const blsG1 =
  '0000000000000000000000000000000017f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb0000000000000000000000000000000008b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1'
const blsG2 =
  '00000000000000000000000000000000024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb80000000000000000000000000000000013e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e000000000000000000000000000000000ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801000000000000000000000000000000000606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be'
/** For the polynomial X the commitment is the generator, and so is the proof of every value (EIP-4844). */
const commitment = blsG1.slice(32, 128).replace(/^17/, '97')
const versionedHash = `01${createHash('sha256').update(Buffer.from(commitment, 'hex')).digest('hex').slice(2)}`
const scalar = 'ff'.repeat(31)
const noise = createHash('sha512').update('blake2f').digest('hex')

/** Name, address, calldata, offset of the changing word (none if beyond the calldata), and gas of one loop with its call. */
const CASES: readonly (readonly [string, number, string, number, number])[] = [
  [
    'ecrecover',
    1,
    [word(0), word(27), 'c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5', word(5)].join(''),
    0,
    10_000,
  ],
  ['sha256', 2, word(0), 0, 5_000],
  ['ripemd160', 3, '00'.repeat(4_096), 0, 60_000],
  ['modexp', 5, [word(32), word(32), word(32), 'f7'.repeat(32), 'ff'.repeat(63), 'fd'].join(''), 96, 60_000],
  ['bn254 add', 6, bnG1 + bnG1, 200, 5_000],
  ['bn254 mul', 7, `${bnG1}${scalar}00`, 64, 12_000],
  ['bn254 pairing', 8, bnG1 + bnG2, 1_000, 200_000],
  ['blake2f', 9, `000186a0${noise.repeat(3)}${'03'.padStart(16, '0')}${'00'.repeat(8)}01`, 4, 250_000],
  ['point evaluation', 10, [versionedHash, word(5), word(1), commitment, 'c0', '00'.repeat(47)].join(''), 32, 120_000],
  ['bls12 g1add', 11, blsG1 + blsG1, 1_000, 5_000],
  ['bls12 g1msm', 12, `${blsG1}${scalar}00`, 128, 40_000],
  ['bls12 g2msm', 14, `${blsG2}${scalar}00`, 256, 70_000],
  ['bls12 pairing', 15, blsG1 + blsG2, 1_000, 160_000],
  ['bls12 map fp2 to g2', 17, '00'.repeat(128), 96, 60_000],
]

export const costlyContracts: readonly CostlyContract[] = CASES.map(([name, precompile, input, changing, least]) => ({
  name,
  address: `0x${(0xc0_0000 + precompile).toString(16).padStart(40, '0')}`,
  code: `0x${codeOf(precompile, input.length / 2, changing, least)}`,
  input: `0x${input}`,
}))
