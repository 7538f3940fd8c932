// Whether a transaction may enter the pool. Every refusal has geth's text, because wallets and libraries match on it. Pure
// functions of transaction, head and rules; conflicts with other pooled transactions are checked in `txpool.ts`.
import { ChainError } from '../lib/errors.ts'
import { delegationOf } from '../primitives/delegation.ts'
import { type GasForks, gasBounds, upfrontCost } from '../primitives/gas.ts'
import { hasLowS } from '../primitives/transaction.ts'
import type { BlobSidecar, Transaction } from '../primitives/types.ts'
import type { Order } from './order.ts'
import type { PoolHead } from './types.ts'

/** The rules of the next block that concern a waiting transaction. */
export type AdmissionRules = GasForks & {
  readonly chainId: bigint
  readonly london: boolean
  readonly cancun: boolean
  readonly osaka: boolean
  /** A cap besides the block's gas limit (EIP-7825, or the genesis of a native chain); undefined: none. */
  /** Left out: by fees. */
  readonly order?: Order | undefined
  readonly transactionGasCap: bigint | undefined
  /** Most execution gas (EIP-8037); undefined: no such cap. */
  readonly executionGasCap: bigint | undefined
  /** Bytes; EIP-3860's limit unless a development chain lifts it. Applies from Shanghai. */
  readonly maxInitcodeSize: number
  /** Blobs that a block may hold (EIP-7840 schedule). */
  readonly maxBlobs: number
  /** Whether blocks may have blob transactions. A network's may not: CometBFT passes transactions on, but not their blobs. */
  readonly takesBlobs: boolean
  /** Bytes of one transaction without its blobs; a limit of this node, not of the chain. */
  readonly maxSize: number
  /** The smallest priority fee cap that is admitted, in wei per gas. */
  readonly minTip: bigint
  /** Whether legacy transactions without a chain id (EIP-155) are admitted. */
  readonly allowUnprotected: boolean
}

/** EIP-7594: no transaction may have more, whatever the schedule. */
const MAX_BLOBS_PER_TRANSACTION = 6
const CELL_PROOFS_PER_BLOB = 128
const MAX_UINT64 = 2n ** 64n - 1n
const MAX_UINT256 = 2n ** 256n - 1n

export const rejected = (words: string): ChainError => new ChainError('transaction-rejected', words)

/** The maximum gas limit of a transaction: the block's limit, or the chain's cap if that is lower. */
export const gasCap = ({ gasLimit }: PoolHead, { transactionGasCap: cap }: AdmissionRules): bigint =>
  cap !== undefined && gasLimit > cap ? cap : gasLimit

/**
 * Returns if the transaction may wait for a block after `head`, else throws ChainError `transaction-rejected`.
 * A nonce ahead of the account's is admitted and waits, and so is a fee cap below the base fee, unless the base fee can never
 * fall to it.
 */
export function checkAdmission(transaction: Transaction, head: PoolHead, rules: AdmissionRules): void {
  checkForm(transaction, rules)
  checkGas(transaction, head, rules)
  if (transaction.maxFeePerGas < head.minBaseFee) {
    const { maxFeePerGas: cap } = transaction
    throw rejected(`transaction underpriced: gas fee cap ${cap}, minimum needed ${head.minBaseFee}`)
  }
  if (transaction.maxPriorityFeePerGas < rules.minTip) {
    const { maxPriorityFeePerGas: tip } = transaction
    throw rejected(`transaction underpriced: gas tip cap ${tip}, minimum needed ${rules.minTip}`)
  }
  if (transaction.type === 3) checkBlobs(transaction, rules)
  checkSender(transaction, head)
}

/** Checks that need neither prices nor state: type, size, chain, ranges. */
function checkForm(transaction: Transaction, rules: AdmissionRules): void {
  const { type, to, data, raw, chainId, nonce, maxFeePerGas, maxPriorityFeePerGas, authorizationList } = transaction
  const missing = missingFork(type, rules)
  if (missing) throw rejected(`transaction type not supported: type ${type} rejected, pool not yet in ${missing}`)
  if (type === 3 && !rules.takesBlobs) {
    throw rejected('transaction type not supported: type 3 rejected, blocks of a network have no blobs')
  }
  if (raw.length > rules.maxSize) {
    throw rejected(`oversized data: transaction size ${raw.length}, limit ${rules.maxSize}`)
  }
  if (chainId === undefined && !rules.allowUnprotected) {
    throw rejected('only replay-protected (EIP-155) transactions allowed over RPC')
  }
  if (chainId !== undefined && chainId !== rules.chainId) {
    throw rejected(`invalid sender: invalid chain id for signer: have ${chainId} want ${rules.chainId}`)
  }
  if (rules.homestead && !hasLowS(transaction)) throw rejected('invalid sender: invalid transaction v, r, s values')
  if (to === null && rules.shanghai && data.length > rules.maxInitcodeSize) {
    throw rejected(`max initcode size exceeded: code size ${data.length}, limit ${rules.maxInitcodeSize}`)
  }
  if (maxFeePerGas > MAX_UINT256) throw rejected('max fee per gas higher than 2^256-1')
  if (maxPriorityFeePerGas > MAX_UINT256) throw rejected('max priority fee per gas higher than 2^256-1')
  if (maxFeePerGas < maxPriorityFeePerGas) throw rejected('max priority fee per gas higher than max fee per gas')
  if (nonce >= MAX_UINT64) throw rejected('nonce has max value')
  if (type === 3 && to === null) throw rejected('blob transaction of type create')
  if (type === 4 && to === null) throw rejected('EIP-7702 transaction cannot be used to create contract')
  if (type === 4 && authorizationList.length === 0) {
    throw rejected('set code tx must have at least one authorization tuple')
  }
}

function missingFork(type: Transaction['type'], rules: AdmissionRules): string | undefined {
  if (type !== 0 && !rules.berlin) return 'Berlin'
  if (type === 2 && !rules.london) return 'London'
  if (type === 3 && !rules.cancun) return 'Cancun'
  if (type === 4 && !rules.prague) return 'Prague'
  return undefined
}

function checkGas(transaction: Transaction, head: PoolHead, rules: AdmissionRules): void {
  const { gasLimit } = transaction
  const { transactionGasCap: cap } = rules
  if (cap !== undefined && gasLimit > cap) {
    throw rejected(`transaction gas limit too high (cap: ${cap}, tx: ${gasLimit})`)
  }
  if (gasLimit > head.gasLimit) throw rejected('exceeds block gas limit')
  const { intrinsic, floor } = gasBounds(transaction, rules)
  if (gasLimit < intrinsic) throw rejected(`intrinsic gas too low: gas ${gasLimit}, minimum needed ${intrinsic}`)
  if (gasLimit < floor) {
    throw rejected(`insufficient gas for floor data gas cost: gas ${gasLimit}, minimum needed ${floor}`)
  }
  const { executionGasCap: most } = rules
  if (most !== undefined && (intrinsic > most || floor > most)) {
    throw rejected(`insufficient gas for floor data gas cost: intrinsic cost ${intrinsic}, floor: ${floor}`)
  }
}

function checkBlobs(transaction: Transaction, rules: AdmissionRules): void {
  const { blobVersionedHashes: hashes, maxFeePerBlobGas } = transaction
  if (maxFeePerBlobGas < 1n) {
    throw rejected(`transaction underpriced: blob fee cap ${maxFeePerBlobGas}, minimum needed 1`)
  }
  if (hashes.length === 0) throw rejected('blobless blob transaction')
  const most = rules.osaka ? Math.min(rules.maxBlobs, MAX_BLOBS_PER_TRANSACTION) : rules.maxBlobs
  if (hashes.length > most) {
    throw rejected(`too many blobs in transaction: have ${hashes.length}, permitted ${most}`)
  }
  const odd = hashes.findIndex((hash) => !hash.startsWith('0x01'))
  if (odd >= 0) throw rejected(`blob ${odd} has invalid hash version`)
}

/**
 * Checks the sender's state: nonce, code (EIP-3607) and balance. EIP-3607 protects against signatures whose account is a
 * contract's address, so it does not apply to an impersonated contract, which signs nothing.
 */
function checkSender(transaction: Transaction, head: PoolHead): void {
  const { from, nonce, r, s } = transaction
  const signed = r !== 0n || s !== 0n
  const next = head.nonce(from)
  if (nonce < next) throw rejected(`nonce too low: next nonce ${next}, tx nonce ${nonce}`)
  const code = head.code(from)
  if (signed && code.length > 0 && delegationOf(code) === undefined) {
    throw rejected(`sender not an eoa: address ${from}, len(code): ${code.length}`)
  }
  const balance = head.balance(from)
  const cost = upfrontCost(transaction)
  if (balance < cost) {
    const overshot = cost - balance
    throw rejected(
      `insufficient funds for gas * price + value: balance ${balance}, tx cost ${cost}, overshot ${overshot}`,
    )
  }
}

/**
 * Checks that blobs, commitments and proofs are present in the right number; throws `transaction-rejected` if not. Both sidecar
 * versions are admitted; decoding has already verified the proofs.
 */
export function checkSidecar(transaction: Transaction, sidecar: BlobSidecar | undefined): void {
  if (transaction.type !== 3) return
  if (!sidecar) throw rejected('missing sidecar in blob transaction')
  const count = transaction.blobVersionedHashes.length
  const { version, blobs, commitments, proofs } = sidecar
  if (blobs.length !== count) throw rejected(`invalid number of ${blobs.length} blobs compared to ${count} blob hashes`)
  if (commitments.length !== count) {
    throw rejected(`invalid number of ${commitments.length} blob commitments compared to ${count} blob hashes`)
  }
  const expected = version === 0 ? count : count * CELL_PROOFS_PER_BLOB
  if (proofs.length !== expected) {
    throw rejected(`invalid number of ${proofs.length} blob proofs expected ${expected}`)
  }
}
