// The account that pays on a Cosmos chain: transactions that are signed directly (SIGN_MODE_DIRECT), one after the other. The key is that of
// the relayer, and never gets here: it signs hashes.
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
import { abciQuery, fieldsOf, messageOf, numberOf, textOf } from './abci-query.ts'
import { Allowance } from './allowance.ts'
import type { Transacted } from './batches.ts'
import { integer } from './comet-json.ts'
import { EndUnavailable } from './end.ts'

/** Milliseconds to wait for a block with a transaction, and between looks. */
const PATIENCE = 60_000
const POLLING = 300
const SIGN_MODE_DIRECT = 1
/** Of nodes without gRPC as well, unlike the service of transactions. */
const SIMULATE = '/app/simulate'
const LONGEST_REASON = 300
/** How the SDK begins to say which message fails, and that the account has sent another transaction; what follows may be a stranger's text. */
const FAILED = /^(?:failed to simulate tx: )?failed to execute message; message index: (\d{1,4}):/
const WAITING = /^(?:failed to simulate tx: )?account sequence mismatch/

/** A transaction may need more gas than when it was simulated, because others come before it. */
const withMargin = (gas: bigint): bigint => gas + (gas * 3n) / 10n

/** What a unit of gas costs, in base units of the denomination. */
export type GasPrice = { readonly price: number; readonly denom: string }
type Numbers = { readonly number: bigint; readonly sequence: bigint }
/** The gas of a transaction and what it pays, which a Cosmos chain keeps as a whole. */
type Fee = { readonly gas: bigint; readonly amount: bigint }

const broadcast = z.object({ code: z.number(), log: z.string() })
const simulation = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      context.addIssue('expected JSON')
      return z.NEVER
    }
  })
  .pipe(z.object({ gas_info: z.object({ gas_used: integer }) }))
const result = z.object({ tx_result: z.object({ code: z.number(), log: z.string() }) })

export class CosmosAccount {
  readonly address: string
  readonly #name: string
  readonly #remote: Remote
  readonly #key: LocalAccount
  readonly #publicKey: Uint8Array
  readonly #chainId: string
  readonly #gas: GasPrice
  readonly #allowance: Allowance

  constructor(of: {
    readonly name: string
    readonly remote: Remote
    readonly key: LocalAccount
    /** Of the chain's addresses. */
    readonly prefix: string
    readonly chainId: string
    readonly gas: GasPrice
    /** Base units that it may spend in a day. */
    readonly perDay: bigint
  }) {
    this.#name = of.name
    this.#remote = of.remote
    this.#key = of.key
    this.#publicKey = secp256k1.Point.fromHex(of.key.publicKey.slice(2)).toBytes(true)
    this.#chainId = of.chainId
    this.#gas = of.gas
    this.#allowance = new Allowance(of.name, of.perDay)
    this.address = bytesToBech32(of.prefix, ripemd160(sha256(this.#publicKey)))
  }

  /** Base units of the coin that pays for gas. */
  async balance(): Promise<bigint> {
    const request = messageOf({ 1: this.address, 2: this.#gas.denom })
    const answer = fieldsOf(await this.#query('/cosmos.bank.v1beta1.Query/Balance', request))
    return BigInt(/^\d{1,78}$/.exec(textOf(fieldsOf(answer.get(1)).get(2)))?.[0] ?? 0)
  }

  /**
   * Sends a transaction of these messages, and returns when it is in a block. One that fails in a simulation is not sent. Throws
   * EndUnavailable when it is not known what became of it, or when it may cost too much.
   */
  async transact(messages: readonly Any[]): Promise<Transacted> {
    const numbers = await this.#numbers()
    const fee = await this.#fee(messages, numbers)
    if ('status' in fee) return fee
    this.#allowance.spend(fee.amount)
    const raw = await this.signed(messages, numbers, fee)
    const params = [Buffer.from(raw).toString('base64')]
    const { code, log } = await this.#remote.ask(broadcast, 'broadcast_tx_sync', params)
    return code === 0 ? this.#outcome(sha256(raw), fee.amount) : this.#refused(log, 0n)
  }

  async #query(path: string, request: Uint8Array): Promise<Uint8Array> {
    const { code, log, value } = await abciQuery(this.#remote, path, request)
    if (code !== 0) throw new EndUnavailable(this.#name, printable(log))
    return value ?? new Uint8Array(0)
  }

  async #numbers(): Promise<Numbers> {
    const answer = await this.#query('/cosmos.auth.v1beta1.Query/AccountInfo', messageOf({ 1: this.address }))
    const info = fieldsOf(fieldsOf(answer).get(1))
    return { number: numberOf(info.get(3)), sequence: numberOf(info.get(4)) }
  }

  /** What a transaction has to pay, by a simulation; or why it fails. */
  async #fee(messages: readonly Any[], numbers: Numbers): Promise<Fee | Transacted> {
    const { price } = this.#gas
    // A simulation has no limit of gas; it pays one base unit, because paying takes gas too.
    const raw = await this.signed(messages, numbers, { gas: 0n, amount: price > 0 ? 1n : 0n })
    const { code, log, value } = await abciQuery(this.#remote, SIMULATE, raw)
    if (code !== 0) return this.#refused(log, 0n)
    const read = simulation.safeParse(Buffer.from(value ?? []).toString('utf8'))
    if (!read.success) throw new EndUnavailable(this.#name, 'a simulation says no gas')
    const gas = withMargin(read.data.gas_info.gas_used)
    return { gas, amount: BigInt(Math.ceil(Number(gas) * price)) }
  }

  #refused(log: string, cost: bigint): Transacted {
    if (WAITING.test(log)) throw new EndUnavailable(this.#name, 'a transaction of the account waits for its block')
    const place = FAILED.exec(log)?.[1]
    return { status: 'refused', reason: printable(log), cost, place: place === undefined ? undefined : Number(place) }
  }

  /** A transaction. `numbers`: of the account, before it. */
  async signed(
    messages: readonly Any[],
    { number, sequence }: Numbers,
    { gas, amount: paid }: Fee,
  ): Promise<Uint8Array> {
    const amount = paid === 0n ? [] : [{ denom: this.#gas.denom, amount: String(paid) }]
    const signer: NonNullable<MessageInitShape<typeof AuthInfoSchema>['signerInfos']>[number] = {
      publicKey: anyPack(PubKeySchema, create(PubKeySchema, { key: this.#publicKey })),
      modeInfo: { sum: { case: 'single', value: { mode: SIGN_MODE_DIRECT } } },
      sequence,
    }
    // The type of an Any begins with a slash in Cosmos.
    if (signer.publicKey) signer.publicKey.typeUrl = `/${PubKeySchema.typeName}`
    const authInfo = create(AuthInfoSchema, { signerInfos: [signer], fee: { amount, gasLimit: gas } })
    const bodyBytes = toBinary(TxBodySchema, create(TxBodySchema, { messages: [...messages] }))
    const authInfoBytes = toBinary(AuthInfoSchema, authInfo)
    const doc = create(SignDocSchema, { bodyBytes, authInfoBytes, chainId: this.#chainId, accountNumber: number })
    const hash = toHash(sha256(toBinary(SignDocSchema, doc)))
    if (this.#key.sign === undefined) throw new Error('the key cannot sign hashes')
    const { r, s } = parseSignature(await this.#key.sign({ hash }))
    const signature = Buffer.concat([fromHex(r), fromHex(s)].map((word) => bigToFixed(BigInt(toHex(word)), 32)))
    return toBinary(TxRawSchema, create(TxRawSchema, { bodyBytes, authInfoBytes, signatures: [signature] }))
  }

  async #outcome(hash: Uint8Array, cost: bigint): Promise<Transacted> {
    for (const until = Date.now() + PATIENCE; Date.now() < until; await sleep(POLLING)) {
      try {
        const params = [Buffer.from(hash).toString('base64'), false]
        const { tx_result } = await this.#remote.ask(result, 'tx', params)
        return tx_result.code === 0 ? { status: 'done', cost } : this.#refused(tx_result.log, cost)
      } catch (error) {
        // Not found: it is in no block yet.
        if (!(error instanceof RemoteError)) throw error
      }
    }
    throw new EndUnavailable(this.#name, 'a transaction is in no block after a minute')
  }
}

const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, ' ').slice(0, LONGEST_REASON)
