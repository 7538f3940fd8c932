// A chain of any number of transactions, the same on every run and on every program: half plain transfers, half transfers of a
// token, by 50 senders in turn, in blocks of 200. Transaction `index` follows from the index alone.
import { getContractAddress, type Hex, pad } from 'viem'
import { callData, deployToken } from './contracts.ts'
import { post } from './load/http.ts'
import { bodyOf } from './requests.ts'
import { deployer, recipient, senders, sign } from './senders.ts'
import type { Target } from './target.ts'

export const A_BLOCK = 200
/** Accounts that receive something. */
export const RECIPIENTS = 20_000
/** Address of the token, which the first transaction of the chain creates. */
export const TOKEN: Hex = getContractAddress({ from: deployer, nonce: 0n })
/** The block with the token, before the first one of transfers. */
const SET_UP_BLOCKS = 1

/** The transfers alternate between the kinds with each nonce, so that every sender makes both. */
function transaction(index: number): Hex {
  const nonce = Math.floor(index / senders.length)
  const to = recipient(index % RECIPIENTS)
  const call =
    nonce % 2 === 0
      ? { to, value: 1n, gas: 21_000n }
      : { to: TOKEN, data: callData('Token', 'transfer', [to, 1n]), gas: 100_000n }
  return sign(senders[index % senders.length] ?? '0x', nonce, call)
}

const batchOf = (first: number, end: number): string =>
  `[${Array.from({ length: end - first }, (_, at) => bodyOf('eth_sendRawTransaction', [transaction(first + at)], at)).join()}]`

/** Topic of an account in the token's events. */
export const topicOf = (account: Hex): Hex => pad(account, { size: 32 })

/**
 * Makes the chain on a new node, or continues it, up to `total` transactions, and calls `onBlock` with the milliseconds that
 * each block took. The node makes a block per send when it starts. Throws when a transaction is refused.
 */
export async function extendChain(target: Target, total: number, onBlock?: (took: number) => void): Promise<void> {
  if (Number(await target.rpc('eth_blockNumber')) === 0) await deployToken(target)
  await target.rpc('evm_setAutomine', false)
  let first = (Number(await target.rpc('eth_blockNumber')) - SET_UP_BLOCKS) * A_BLOCK
  const next = () => batchOf(first, Math.min(first + A_BLOCK, total))
  let batch = next()
  while (first < total) {
    const answer = target.ask(post(target.url, batch))
    first += A_BLOCK
    // Sign the next block while the node works.
    batch = next()
    const answers = (await answer).toString()
    const error = answers.indexOf('"error":')
    if (error >= 0) throw new Error(`refused: ${answers.slice(error, error + 300)}`)
    const began = performance.now()
    await target.rpc('evm_mine')
    onBlock?.(performance.now() - began)
  }
}
