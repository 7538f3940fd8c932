// The account that pays on a kestrel chain: sends calls by nonce and waits for their blocks. What it may spend in a day and for a unit of gas
// is bounded here, whatever the node says.
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalAccount } from 'viem'
import { z } from 'zod'
import { RemoteError } from '../fork/errors.ts'
import type { Remote } from '../fork/remote.ts'
import { hash, quantity } from '../fork/wire.ts'
import type { Hash, Hex } from '../lib/hex.ts'
import { Allowance } from './allowance.ts'
import { type AccountState, EndUnavailable, type Outcome } from './end.ts'

/** Of a coin of this program's networks. */
export const COIN_DECIMALS = 18

/** A key, and the most that it may spend: in 10^-18 of a coin in a day, and in base units for a unit of gas. */
export type Payer = { readonly key: LocalAccount; readonly perDay: bigint; readonly gasPrice: bigint }

export type Call = { readonly to: Hex; readonly data: Hex }

/** Milliseconds to wait for a block with the transactions, for earlier ones to be mined, and between looks. */
const BLOCK_PATIENCE = 60_000
const NONCE_PATIENCE = 60_000
const POLLING = 500
/** Most wei of a priority fee, whatever the node asks for. */
const MOST_TIP = 1_000_000_000n
/** A transaction may cost more gas than was estimated, because others come before it. */
const withMargin = (gas: bigint): bigint => gas + gas / 5n

const header = z.object({ baseFeePerGas: quantity })
const receipt = z.object({ status: quantity, gasUsed: quantity, effectiveGasPrice: quantity }).nullable()
type Receipt = NonNullable<z.output<typeof receipt>>

type Estimated = { readonly gas: bigint } | { readonly reason: string }
type Priced = Call & { readonly gas: bigint; readonly nonce: bigint }
type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

export class Account {
  readonly address: Hex
  readonly #name: string
  readonly #remote: Remote
  readonly #payer: Payer
  readonly #allowance: Allowance
  /** How often transactions were not mined in time since one was. */
  #stuck = 0
  #chainId: bigint | undefined

  constructor(name: string, remote: Remote, payer: Payer) {
    this.#name = name
    this.#remote = remote
    this.#payer = payer
    this.#allowance = new Allowance(name, payer.perDay)
    this.address = payer.key.address
  }

  async state(): Promise<AccountState> {
    const { address } = this
    return { address, balance: await this.#remote.ask(quantity, 'eth_getBalance', [address, 'latest']) }
  }

  /**
   * Sends calls in this order and returns what became of each when it is in a block. One that would fail now is not sent. Throws
   * EndUnavailable when it is not known what became of them.
   */
  async send(calls: readonly Call[]): Promise<readonly Outcome[]> {
    const first = await this.#nextNonce()
    const estimates = await Promise.all(calls.map((call) => this.#estimate(call)))
    const priced: Priced[] = []
    for (const [place, call] of calls.entries()) {
      const estimate = estimates[place]
      if (estimate === undefined || 'reason' in estimate) continue
      priced.push({ ...call, gas: withMargin(estimate.gas), nonce: first + BigInt(priced.length) })
    }
    const fees = await this.#fees()
    this.#allowance.spend(priced.reduce((gas, of) => gas + of.gas, 0n) * fees.maxFeePerGas)
    const hashes = await this.#submit(priced, fees)
    const receipts = await this.#receipts(hashes)
    this.#stuck = 0
    let next = 0
    return estimates.map((estimate): Outcome => {
      if ('reason' in estimate) return { status: 'refused', reason: estimate.reason, cost: 0n }
      const found = receipts[next++]
      const cost = (found?.gasUsed ?? 0n) * (found?.effectiveGasPrice ?? 0n)
      if (found?.status === 1n) return { status: 'done', cost }
      return { status: 'refused', reason: 'the transaction has failed', cost }
    })
  }

  /** The nonce after all transactions of the account, once none waits; or that of one which waits too long, to replace it. */
  async #nextNonce(): Promise<bigint> {
    const until = Date.now() + NONCE_PATIENCE
    for (;;) {
      const [mined, waiting] = await Promise.all(
        ['latest', 'pending'].map((tag) => this.#remote.ask(quantity, 'eth_getTransactionCount', [this.address, tag])),
      )
      if (mined === undefined || waiting === undefined) throw this.#unavailable('no nonce')
      if (waiting <= mined) return mined
      if (Date.now() > until) {
        this.#stuck++
        return mined
      }
      await sleep(POLLING)
    }
  }

  async #estimate({ to, data }: Call): Promise<Estimated> {
    try {
      return { gas: await this.#remote.ask(quantity, 'eth_estimateGas', [{ from: this.address, to, data }]) }
    } catch (error) {
      if (error instanceof RemoteError) return { reason: error.message }
      throw error
    }
  }

  async #fees(): Promise<Fees> {
    const [{ baseFeePerGas }, wanted] = await Promise.all([
      this.#remote.ask(header, 'eth_getBlockByNumber', ['latest', false]),
      this.#remote.ask(quantity, 'eth_maxPriorityFeePerGas', []),
    ])
    const { gasPrice: most } = this.#payer
    const tip = wanted < MOST_TIP ? wanted : MOST_TIP
    if (baseFeePerGas + tip > most)
      throw this.#unavailable(`gas costs ${baseFeePerGas + tip}, more than the limit of ${most}`)
    // A transaction takes the place of another one if it pays a tenth more.
    const raised = (fee: bigint) => (fee * 5n ** BigInt(this.#stuck)) / 4n ** BigInt(this.#stuck)
    const bounded = (fee: bigint) => (fee < most ? fee : most)
    return {
      maxFeePerGas: bounded(raised(2n * baseFeePerGas + tip)),
      maxPriorityFeePerGas: bounded(raised(tip)),
    }
  }

  async #submit(calls: readonly Priced[], fees: Fees): Promise<readonly Hash[]> {
    this.#chainId ??= await this.#remote.ask(quantity, 'eth_chainId', [])
    const chainId = Number(this.#chainId)
    const signed = await Promise.all(
      calls.map(({ nonce, ...call }) =>
        this.#payer.key.signTransaction({ type: 'eip1559', chainId, nonce: Number(nonce), ...call, ...fees }),
      ),
    )
    return Promise.all(signed.map((raw) => this.#remote.ask(hash, 'eth_sendRawTransaction', [raw])))
  }

  async #receipts(hashes: readonly Hash[]): Promise<readonly Receipt[]> {
    const until = Date.now() + BLOCK_PATIENCE
    for (;;) {
      const found = await Promise.all(hashes.map((of) => this.#remote.ask(receipt, 'eth_getTransactionReceipt', [of])))
      const mined = found.filter((of) => of !== null)
      if (mined.length === hashes.length) return mined
      if (Date.now() > until)
        throw this.#unavailable(`${hashes.length - mined.length} transactions are in no block after a minute`)
      await sleep(POLLING)
    }
  }

  #unavailable(reason: string): EndUnavailable {
    return new EndUnavailable(this.#name, reason)
  }
}
