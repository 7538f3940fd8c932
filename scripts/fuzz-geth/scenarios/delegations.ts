// Transactions that set code (EIP-7702): authorizations that are valid, by the sender, for another chain, with another nonce,
// repeated, or with an invalid signature; and calls of accounts with existing delegations.

import { type Address, bigToBytes, fromHex, ZERO_ADDRESS } from '../../../src/lib/hex.ts'
import { keccak256 } from '../../../src/lib/keccak.ts'
import { encodeRlp } from '../../../src/primitives/rlp.ts'
import { MAX_LOW_S, SECP256K1_N, signHash } from '../../../src/primitives/signature.ts'
import type { Authorization } from '../../../src/primitives/types.ts'
import type { Random } from '../code.ts'
import { Code, OP } from '../code.ts'
import {
  AUTHORITIES,
  AUTHORITY_KEYS,
  CONTRACTS,
  gasCuts,
  randomBytes,
  type Scenario,
  SENDER_KEY,
  type Setting,
} from '../scenario.ts'
import { delegatedAccounts, randomTarget } from './accounts.ts'
import { program } from './programs.ts'

/** Signs keccak256(0x05 || rlp([chainId, address, nonce])). */
export function signAuthorization(key: Uint8Array, chainId: bigint, address: Address, nonce: bigint): Authorization {
  const tuple = encodeRlp([bigToBytes(chainId), fromHex(address), bigToBytes(nonce)])
  const { r, s, yParity } = signHash(keccak256(Buffer.concat([Uint8Array.of(5), tuple])), key)
  return { chainId, address, nonce, yParity: BigInt(yParity), r, s }
}

/** `count` authorizations; `isOne`: all of the same account. */
export function authorizationsOf(random: Random, count: number, isOne: boolean): Authorization[] {
  const key = random.pick([SENDER_KEY, ...AUTHORITY_KEYS])
  return Array.from({ length: count }, (_, index) => authorization(random, isOne ? { key, index } : undefined))
}

/** A valid or invalid authorization. `of`: an account, and how many of its authorizations came before. */
function authorization(random: Random, of?: { readonly key: Uint8Array; readonly index: number }): Authorization {
  const key = of?.key ?? (random.oneIn(5) ? SENDER_KEY : random.pick(AUTHORITY_KEYS))
  const chainId = random.pick([1n, 1n, 1n, 0n, 0n, 2n])
  const address = random.oneIn(6) ? ZERO_ADDRESS : randomTarget(random)
  const isFollowing = of !== undefined && !random.oneIn(4)
  // The sender's nonce is already one when the list is processed.
  const guessed = key === SENDER_KEY ? random.pick([1, 1, 0]) : random.pick([0, 0, 0, 1, 2])
  const nonce = BigInt(isFollowing ? of.index + (key === SENDER_KEY ? 1 : 0) : guessed)
  const signed = signAuthorization(key, chainId, address, nonce)
  if (!random.oneIn(8)) return signed
  return random.pick([
    { ...signed, yParity: 1n - signed.yParity },
    { ...signed, yParity: 2n },
    { ...signed, s: SECP256K1_N - signed.s },
    { ...signed, s: MAX_LOW_S + 1n },
    { ...signed, r: 0n },
  ])
}

export function delegations(setting: Setting): Scenario {
  const { random } = setting
  const code = new Code()
  for (const target of [...AUTHORITIES, ...CONTRACTS.slice(4)]) {
    code
      .push(BigInt(target))
      .op(random.pick([OP.EXTCODESIZE, OP.EXTCODEHASH, 0x31]))
      .store(random.below(50) + 50)
    const kind = random.pick([OP.CALL, OP.CALLCODE, OP.DELEGATECALL, OP.STATICCALL])
    code.pushes(32, 0, 32, 0)
    if (kind === OP.CALL || kind === OP.CALLCODE) code.push(random.below(2))
    code
      .push(BigInt(target))
      .push(random.pick([100, 2600, 5000, 60_000]))
      .op(kind)
      .store(random.below(50))
    code.op(OP.RETURNDATASIZE).store(random.below(50))
  }
  const data = [new Uint8Array(0), randomBytes(random, 36)]
  const isSetting = setting.since('Prague')
  const to = random.oneIn(4) ? random.pick(AUTHORITIES) : (CONTRACTS[0] ?? null)
  return {
    codes: [code.build(), ...[1, 2, 3].map(() => program(setting))],
    ...delegatedAccounts(setting),
    data,
    to,
    values: [0n, 2n],
    gasLimits: gasCuts(random, data, 900_000, 6),
    ...(isSetting && {
      type: 4 as const,
      authorizations: authorizationsOf(random, 1 + random.below(5), random.oneIn(4)),
    }),
  }
}
