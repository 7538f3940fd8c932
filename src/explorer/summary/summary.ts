// The sentence that says what a mined transaction has done. The first rule of `RULES` that applies gives it.
import { contractName, decodedEvent, methodName } from '../../contracts/abi.ts'
import { contractEnums } from '../../contracts/contract-layout.ts'
import { nativeAt, nativeTitle } from '../../contracts/native-sources.ts'
import { callInWords, errorInWords } from '../../contracts/words.ts'
import { callEntry, LIST, type TransferEntry, transferEntry } from '../../indexer/tables.ts'
import { type Address, toHex, ZERO_ADDRESS } from '../../lib/hex.ts'
import type { Shape } from '../../primitives/abi-decoder.ts'
import { entriesBetween } from '../../tables/list.ts'
import { type ExplorerContext, oncePerRequest } from '../context.ts'
import type { IndexedTransaction } from '../shapes/indexed-transaction.ts'
import { nativeCall } from './native-calls.ts'
import { account, coins, listed, type Phrase, say, token, tokens } from './phrase.ts'

const SELECTOR = 4
/** Transfers and messages that a summary looks at. */
const MOST = 200

type Rule = (context: ExplorerContext, of: IndexedTransaction) => Phrase | undefined

const RULES: readonly Rule[] = [failure, creation, native, approval, exchange, transfers, payment, call]

const enumsOf = oncePerRequest(contractEnums)

/** Every mined transaction has a summary. */
export async function summaryOf(context: ExplorerContext, of: IndexedTransaction): Promise<Phrase> {
  const { to } = of.transaction
  const known = to === null ? context : { ...context, enums: await enumsOf(context, to) }
  for (const rule of RULES) {
    const phrase = rule(known, of)
    if (phrase !== undefined) return phrase
  }
  return say`${account(context, of.transaction.from)} did nothing`
}

/** `Vault.put(amount: 77) failed: NotEnough(…)` */
function failure(context: ExplorerContext, { transaction, row, receipt }: IndexedTransaction): Phrase | undefined {
  if (row.error === undefined && receipt.status !== 0) return undefined
  const { from, to, data, value, gasLimit } = transaction
  const what =
    to === null
      ? say`The creation of a contract by ${account(context, from)}`
      : (nativeName(context, to, data) ??
        called(context, to, data) ??
        say`The transfer of ${coins(value)} to ${account(context, to)}`)
  if (row.error === 'out of gas')
    return say`${what} ran out of gas, with a limit of ${gasLimit.toLocaleString('en-US')}`
  if (row.revertData.length > 0)
    return say`${what} failed: ${errorInWords(context, to ?? undefined, row.revertData) ?? toHex(row.revertData)}`
  return row.error === REVERTED ? say`${what} failed without a reason` : say`${what} failed: ${row.error ?? REVERTED}`
}

export const REVERTED = 'execution reverted'

/** `Staking.delegate`: the reason of a failed native call names what matters of its arguments. */
function nativeName(context: ExplorerContext, to: Address, data: Uint8Array): Phrase | undefined {
  const native = nativeAt(context.spec, to)
  const method = data.length < SELECTOR ? undefined : methodName(context, to, toHex(data.subarray(0, SELECTOR)))
  return native === undefined || method === undefined ? undefined : say`${nativeTitle(native.name)}.${method}`
}

/** A call with the name of the contract, or else its address; undefined: no code and no input. */
function called(context: ExplorerContext, to: Address, data: Uint8Array): Phrase | undefined {
  const words = callInWords(context, to, data)
  if (words === undefined) return undefined
  return contractName(context, to) === undefined ? say`${words} of ${account(context, to)}` : say`${words}`
}

function creation(context: ExplorerContext, { transaction, receipt }: IndexedTransaction): Phrase | undefined {
  if (transaction.to !== null || receipt.contractAddress === null) return undefined
  const created = say`${account(context, transaction.from)} created the contract ${account(context, receipt.contractAddress)}`
  return transaction.value === 0n ? created : say`${created} with ${coins(transaction.value)}`
}

function native(context: ExplorerContext, { transaction, receipt }: IndexedTransaction): Phrase | undefined {
  const { from, to, data } = transaction
  return to === null ? undefined : nativeCall(context, { from, to, data, logs: receipt.logs })
}

const plain: Shape<bigint | boolean | string | undefined> = {
  scalar: (_type, value) => value,
  array: () => undefined,
  tuple: () => undefined,
}
const ALL = 2n ** 256n - 1n

/** An approval of a token's owner, if it is all that the transaction logged. */
function approval(context: ExplorerContext, { transaction, receipt }: IndexedTransaction): Phrase | undefined {
  const { from } = transaction
  const [log, ...others] = receipt.logs
  const event = log !== undefined && others.length === 0 ? decodedEvent(context, log, plain) : undefined
  if (log === undefined || event === undefined) return undefined
  const [owner, spender, amount] = event.values
  if (owner !== from || typeof spender !== 'string') return undefined
  const [who, other, of] = [account(context, from), account(context, spender as Address), token(context, log.address)]
  if (event.entry.signature === 'ApprovalForAll(address,address,bool)')
    return amount === true
      ? say`${who} allowed ${other} to move all of its ${of}`
      : say`${who} withdrew the approval of ${other} for ${of}`
  if (event.entry.signature !== 'Approval(address,address,uint256)' || typeof amount !== 'bigint') return undefined
  if (event.entry.inputs[2]?.indexed === true)
    return spender === ZERO_ADDRESS
      ? say`${who} withdrew the approval of ${of} ${String(amount)}`
      : say`${who} allowed ${other} to move ${of} ${String(amount)}`
  if (amount === 0n) return say`${who} withdrew the allowance of ${other} for ${of}`
  return say`${who} allowed ${other} to spend ${amount === ALL ? say`any amount of ${of}` : tokens(context, log.address, amount)}`
}

const transfersOf = ({ rows }: ExplorerContext, { row }: IndexedTransaction): TransferEntry[] =>
  entriesBetween(rows, LIST.transfers, row.firstTransfer, row.firstTransfer + Math.min(row.transfers, MOST)).map(
    (entry) => transferEntry.decode(entry),
  )

/** What the sender gave and got, when it did both: coins and tokens by their sums, without the fee. */
function exchange(context: ExplorerContext, of: IndexedTransaction): Phrase | undefined {
  const { from, to, value } = of.transaction
  const moved = transfersOf(context, of)
  if (to === null || moved.length === 0) return undefined
  const sums = sumsOf(moved, (one) => (one.to === from ? 1n : 0n) - (one.from === from ? 1n : 0n))
  const coinSum = receivedCoins(context, of) - value
  const changes = sums.map((one) => ({
    sum: one.amount,
    words: () => amountOf(context, { ...one, amount: abs(one.amount) }),
  }))
  const all = [...(coinSum === 0n ? [] : [{ sum: coinSum, words: () => coins(abs(coinSum)) }]), ...changes]
  const gave = all.filter(({ sum }) => sum < 0n).map(({ words }) => words())
  const got = all.filter(({ sum }) => sum > 0n).map(({ words }) => words())
  if (gave.length === 0 || got.length === 0) return undefined
  const [paid, gained] = [listed(gave, 'other tokens'), listed(got, 'other tokens')]
  const isSwap = gave.length === 1 && got.length === 1
  const verb = isSwap ? say`swapped` : say`exchanged`
  return say`${account(context, from)} ${verb} ${paid} for ${gained} at ${account(context, to)}`
}

/** One transfer for each token and item, with the sum of the amounts times their sign. */
function sumsOf(moved: readonly TransferEntry[], sign: (one: TransferEntry) => bigint): TransferEntry[] {
  const sums = new Map<string, TransferEntry>()
  for (const one of moved) {
    const key = `${one.token} ${one.id ?? ''}`
    sums.set(key, { ...one, amount: (sums.get(key)?.amount ?? 0n) + sign(one) * one.amount })
  }
  return [...sums.values()]
}

const abs = (amount: bigint): bigint => (amount < 0n ? -amount : amount)

/** Coins that messages have sent to the sender. */
function receivedCoins({ rows }: ExplorerContext, { row, transaction }: IndexedTransaction): bigint {
  return entriesBetween(rows, LIST.calls, row.firstCall, row.firstCall + Math.min(row.calls, MOST))
    .map((entry) => callEntry.decode(entry))
    .filter(
      ({ type, to, error, isUndone }) => moves(type) && to === transaction.from && error === undefined && !isUndone,
    )
    .reduce((sum, { value }) => sum + value, 0n)
}

const moves = (type: string): boolean => type === 'CALL' || type === 'TRANSFER' || type === 'SELFDESTRUCT'

/** An amount of a token, or an item. */
const amountOf = (context: ExplorerContext, { token: of, id, amount, type }: TransferEntry): Phrase => {
  if (id === undefined) return tokens(context, of, amount)
  const item = say`${token(context, of)} ${`#${id}`}`
  return type === 'ERC-721' ? item : say`${String(amount)} of ${item}`
}

/** Token transfers: one of the sender, or by a call that moved several. */
function transfers(context: ExplorerContext, of: IndexedTransaction): Phrase | undefined {
  const { from, to, data } = of.transaction
  const moved = transfersOf(context, of)
  const [first, ...others] = moved
  if (first === undefined || to === null) return undefined
  const who = account(context, from)
  if (others.length > 0) {
    const words = listed(
      sumsOf(moved, () => 1n).map((one) => amountOf(context, one)),
      'other tokens',
    )
    return say`${who} called ${called(context, to, data) ?? account(context, to)}, which moved ${words}`
  }
  const what = amountOf(context, first)
  const receiver = account(context, first.to)
  if (first.from === ZERO_ADDRESS)
    return first.to === from ? say`${who} minted ${what}` : say`${who} minted ${what} for ${receiver}`
  const owner = first.from === from ? undefined : account(context, first.from)
  if (first.to === ZERO_ADDRESS)
    return owner === undefined ? say`${who} burnt ${what}` : say`${who} burnt ${what} of ${owner}`
  return owner === undefined
    ? say`${who} sent ${what} to ${receiver}`
    : say`${who} moved ${what} from ${owner} to ${receiver}`
}

/** Coins to an account without code. */
function payment(context: ExplorerContext, { transaction, row }: IndexedTransaction): Phrase | undefined {
  const { from, to, value } = transaction
  if (to === null || row.selector.length > 0 || callInWords(context, to, transaction.data) !== undefined)
    return undefined
  return say`${account(context, from)} sent ${coins(value)} to ${account(context, to)}`
}

function call(context: ExplorerContext, { transaction }: IndexedTransaction): Phrase | undefined {
  const { from, to, data, value } = transaction
  if (to === null) return undefined
  const words = say`${account(context, from)} called ${called(context, to, data) ?? account(context, to)}`
  return value === 0n ? words : say`${words} with ${coins(value)}`
}
