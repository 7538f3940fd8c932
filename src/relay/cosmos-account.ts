// The account that pays on a Cosmos chain: transactions of one message, signed directly (SIGN_MODE_DIRECT), in the order of its sequence. The
// key is that of the relayer, and never gets here: it signs hashes.
import { setTimeout as sleep } from 'node:timers/promises'
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { type Any, anyPack } from '@bufbuild/protobuf/wkt'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { type LocalAccount, parseSignature } from 'viem'
import { z } from 'zod'
import { RemoteError } from '../fork/errors.ts'
import type { Remote } from '../fork/remote.ts'
import { bytesToBech32 } from '../lib/bech32.ts'
import { bigToFixed, fromHex, toHash, toHex } from '../lib/hex.ts'
import { sha256 } from '../lib/sha256.ts'
import { PubKeySchema } from '../protobuf/generated/cosmos/crypto/secp256k1/keys_pb.ts'
import {
  AuthInfoSchema,
  SignDocSchema,
  TxBodySchema,
  TxRawSchema,
} from '../protobuf/generated/cosmos/tx/v1beta1/tx_pb.ts'
import { EndUnavailable, type Outcome } from './end.ts'

/** Milliseconds to wait for a block with a transaction, and between looks. */
const PATIENCE = 60_000
const POLLING = 300
const SIGN_MODE_DIRECT = 1
/** Gas of a transaction with an update of many validators, or a packet for an expensive application. */
const GAS = 2_000_000n
const LONGEST_REASON = 300

/** What a unit of gas costs, in base units of the denomination. */
export type GasPrice = { readonly price: number; readonly denom: string }
type Numbers = { readonly number: bigint; readonly sequence: bigint }

const broadcast = z.object({ code: z.number(), log: z.string() })
const result = z.object({ tx_result: z.object({ code: z.number(), log: z.string() }) })

export class CosmosAccount {
  readonly address: string
  readonly #name: string
  readonly #key: LocalAccount
  readonly #publicKey: Uint8Array
  readonly #chainId: string
  readonly #gas: GasPrice

  constructor(of: {
    readonly name: string
    readonly key: LocalAccount
    /** Of the chain's addresses. */
    readonly prefix: string
    readonly chainId: string
    readonly gas: GasPrice
  }) {
    this.#name = of.name
    this.#key = of.key
    this.#publicKey = secp256k1.Point.fromHex(of.key.publicKey.slice(2)).toBytes(true)
    this.#chainId = of.chainId
    this.#gas = of.gas
    this.address = bytesToBech32(of.prefix, ripemd160(sha256(this.#publicKey)))
  }

  /** Sends messages in this order, each in a transaction, to the nodes of `remote`. `numbers`: of the account now. Throws EndUnavailable. */
  async send(remote: Remote, messages: readonly Any[], numbers: Numbers): Promise<readonly Outcome[]> {
    const sent: (Uint8Array | string)[] = []
    let { sequence } = numbers
    for (const message of messages) {
      const raw = await this.signed(message, { ...numbers, sequence })
      const { code, log } = await remote.ask(broadcast, 'broadcast_tx_sync', [Buffer.from(raw).toString('base64')])
      sent.push(code === 0 ? sha256(raw) : log)
      if (code === 0) sequence++
    }
    const outcomes: Outcome[] = []
    for (const one of sent)
      outcomes.push(
        typeof one === 'string'
          ? { status: 'refused', reason: printable(one), cost: 0n }
          : await this.#outcome(remote, one),
      )
    return outcomes
  }

  /** The fee of a transaction, in base units. */
  get #fee(): bigint {
    return BigInt(Math.ceil(Number(GAS) * this.#gas.price))
  }

  /** A transaction of one message. `numbers`: of the account, before it. */
  async signed(message: Any, { number, sequence }: Numbers): Promise<Uint8Array> {
    const amount = this.#fee === 0n ? [] : [{ denom: this.#gas.denom, amount: String(this.#fee) }]
    const signer: NonNullable<MessageInitShape<typeof AuthInfoSchema>['signerInfos']>[number] = {
      publicKey: anyPack(PubKeySchema, create(PubKeySchema, { key: this.#publicKey })),
      modeInfo: { sum: { case: 'single', value: { mode: SIGN_MODE_DIRECT } } },
      sequence,
    }
    // The type of an Any begins with a slash in Cosmos.
    if (signer.publicKey) signer.publicKey.typeUrl = `/${PubKeySchema.typeName}`
    const authInfo = create(AuthInfoSchema, { signerInfos: [signer], fee: { amount, gasLimit: GAS } })
    const bodyBytes = toBinary(TxBodySchema, create(TxBodySchema, { messages: [message] }))
    const authInfoBytes = toBinary(AuthInfoSchema, authInfo)
    const doc = create(SignDocSchema, { bodyBytes, authInfoBytes, chainId: this.#chainId, accountNumber: number })
    const hash = toHash(sha256(toBinary(SignDocSchema, doc)))
    if (this.#key.sign === undefined) throw new Error('the key cannot sign hashes')
    const { r, s } = parseSignature(await this.#key.sign({ hash }))
    const signature = Buffer.concat([fromHex(r), fromHex(s)].map((word) => bigToFixed(BigInt(toHex(word)), 32)))
    return toBinary(TxRawSchema, create(TxRawSchema, { bodyBytes, authInfoBytes, signatures: [signature] }))
  }

  async #outcome(remote: Remote, hash: Uint8Array): Promise<Outcome> {
    for (const until = Date.now() + PATIENCE; Date.now() < until; await sleep(POLLING)) {
      try {
        const { tx_result } = await remote.ask(result, 'tx', [Buffer.from(hash).toString('base64'), false])
        if (tx_result.code === 0) return { status: 'done', cost: this.#fee }
        return { status: 'refused', reason: printable(tx_result.log), cost: this.#fee }
      } catch (error) {
        // Not found: it is in no block yet.
        if (!(error instanceof RemoteError)) throw error
      }
    }
    throw new EndUnavailable(this.#name, 'a transaction is in no block after a minute')
  }
}

const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, ' ').slice(0, LONGEST_REASON)
