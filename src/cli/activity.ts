// Log lines of the chain's activity: one for each block with transactions, one for each transaction. Empty blocks are
// logged at `debug`, and of a full block only the first transactions are logged.
import type { ChainEvents } from '../chain/types.ts'
import type { Address } from '../lib/hex.ts'
import type { Logger } from '../lib/log.ts'
import type { Receipt, Transaction } from '../primitives/types.ts'
import type { CallTree, ExecutedBlock } from '../runtime/types.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import { amount } from './banner.ts'

/** Most transactions of a block that are logged. */
const SHOWN = 10

/** Writes the lines until the chain closes. */
export function logActivity(
  { spec, events }: { spec: Pick<ChainSpec, 'native'>; events: ChainEvents },
  log: Logger,
): void {
  const symbol = spec.native?.symbol ?? 'ETH'
  events.on('block', ({ block, receipts, callTrees }: ExecutedBlock) => {
    const { header, transactions } = block
    for (const { name, height } of spec.native?.upgrades ?? [])
      if (height === header.number) log.info({ upgrade: name }, `block ${height}  upgrade ${name}`)
    const count = transactions.length
    const facts = { number: header.number.toString(), hash: header.hash, transactions: count }
    if (count === 0) return log.debug(facts, `block ${header.number}  empty`)
    const used = header.gasUsed.toLocaleString('en-US')
    log.info(facts, `block ${header.number}  ${count} transaction${count === 1 ? '' : 's'}  ${used} gas`)
    for (const [index, transaction] of transactions.slice(0, SHOWN).entries()) {
      const receipt = receipts[index]
      if (receipt !== undefined) logTransaction(transaction, receipt, callTrees[index])
    }
    if (count > SHOWN) log.info(`  and ${count - SHOWN} more`)
  })
  events.on('removed', (blocks) => {
    log.info({ removed: blocks.length }, `removed ${blocks.length} block${blocks.length === 1 ? '' : 's'}`)
  })

  function logTransaction(transaction: Transaction, receipt: Receipt, trace: CallTree | undefined): void {
    const { hash, from, to, value } = transaction
    const failed = receipt.status === 0
    const facts = { hash, from, to, gasUsed: receipt.gasUsed.toString(), status: receipt.status }
    const target = to === null ? `creates ${short(receipt.contractAddress)}` : `to ${short(to)}`
    const coins = value > 0n ? `  ${amount(value)} ${symbol}` : ''
    const outcome = failed ? `  failed: ${trace?.error ?? 'reverted'}` : ''
    const line = `  ${hash}  ${short(from)} ${target}${coins}  ${receipt.gasUsed.toLocaleString('en-US')} gas${outcome}`
    if (failed) log.warn(facts, line)
    else log.info(facts, line)
  }
}

/** An address shortened to its first six and last four digits. */
const short = (address: Address | null): string =>
  address === null ? '?' : `${address.slice(0, 8)}…${address.slice(-4)}`
