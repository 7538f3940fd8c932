// The scenario's expected data from JSON-RPC only: blocks, receipts, traces and logs, and what follows from them. The explorer
// is not used here.
import { decodeEventLog, getAddress, type Hex, type Log, numberToHex, parseAbi, type TransactionReceipt } from 'viem'
import { type Scenario, ZERO } from '../scenario.ts'
import { nativeTransfers } from './native-transfers.ts'
import type { Played } from './script.ts'

export type Frame = {
  readonly type: string
  readonly from: Hex
  readonly to?: Hex
  readonly value?: Hex
  readonly gas: Hex
  readonly gasUsed: Hex
  readonly input: Hex
  readonly output?: Hex
  readonly error?: string
  readonly calls?: readonly Frame[]
}

/** A message of a transaction; index 0 is the top-level one. */
export type Message = Frame & { readonly hash: Hex; readonly index: number; readonly isUndone: boolean }
export type TokenType = 'ERC-20' | 'ERC-721' | 'ERC-1155'
export type Transfer = {
  readonly hash: Hex
  readonly log: number
  readonly token: Hex
  readonly type: TokenType
  readonly from: Hex
  readonly to: Hex
  readonly id: bigint | undefined
  readonly amount: bigint
}
export type Mined = {
  readonly hash: Hex
  readonly from: Hex
  readonly to: Hex | null
  readonly created: Hex | undefined
  readonly value: bigint
  readonly input: Hex
  readonly receipt: TransactionReceipt
  readonly root: Frame
  /** The listed messages. */
  readonly messages: readonly Message[]
  readonly transfers: readonly Transfer[]
  readonly kinds: readonly string[]
  /** Whether the recipient had code. */
  readonly isCall: boolean
}
export type Book = Awaited<ReturnType<typeof readBook>>

const CREATIONS = ['CREATE', 'CREATE2']
const twenty = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 amount)',
  'event Deposit(address indexed holder, uint256 amount)',
  'event Withdrawal(address indexed holder, uint256 amount)',
])
const seven = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 indexed id)'])
const eleven = parseAbi([
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 amount)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] amounts)',
])

export async function readBook({ viem, rpc }: Scenario, played: Played) {
  const types = tokenTypes(played)
  const head = Number(await viem.getBlockNumber({ cacheTime: 0 }))
  const blocks = await Promise.all(
    Array.from({ length: head + 1 }, (_, number) =>
      viem.getBlock({ blockNumber: BigInt(number), includeTransactions: true }),
    ),
  )
  const transactions: Mined[] = []
  for (const block of blocks) {
    for (const { hash, from, to, value, input } of block.transactions) {
      const receipt = await viem.getTransactionReceipt({ hash })
      const root = (await rpc('debug_traceTransaction', hash, { tracer: 'callTracer' })) as Frame
      const created = receipt.contractAddress ? getAddress(receipt.contractAddress) : undefined
      const transfers = receipt.logs.flatMap((log) => transfersIn(log, types, played.plainWrapped.address))
      const code = to === null ? undefined : await viem.getCode({ address: to, blockNumber: block.number ?? 0n })
      const isCall = code !== undefined
      // A token without decimals is listed from its first transfer on.
      const kinds = [
        ...(value > 0n ? ['coin_transfer'] : []),
        ...(isCall ? ['contract_call'] : []),
        ...(to === null ? ['contract_creation'] : []),
        ...(transfers.length > 0 ? ['token_transfer'] : []),
        ...(created !== undefined && created !== played.bare.address && types.has(created) ? ['token_creation'] : []),
      ]
      const target = to === null ? null : getAddress(to)
      const moved = nativeTransfers(receipt.logs)
      const messages = [
        ...messagesOf(root, hash, (type) => (type === 'CREATE2' ? played.gem : created)),
        // In the scenario native contracts are called only by transactions, so their transfers come last.
        ...moved.map(({ from, to, value }, i) => ({
          ...({ type: 'CALL', from, to, value: numberToHex(value), gas: '0x0', gasUsed: '0x0', input: '0x' } as const),
          hash,
          index: 1 + i,
          isUndone: false,
        })),
      ].filter(({ index, type }) => index > 0 || CREATIONS.includes(type))
      const parties = { hash, from: getAddress(from), to: target, created, value, input }
      transactions.push({ ...parties, receipt, root, messages, transfers, kinds, isCall })
    }
  }
  const transfers = transactions.flatMap((of) => of.transfers)
  const messages = transactions.flatMap((of) => of.messages)
  const logs = transactions.flatMap(({ receipt }) => receipt.logs)
  return { head, blocks, transactions, transfers, messages, logs, types }
}

/** The scenario's tokens. */
function tokenTypes(played: Played): ReadonlyMap<Hex, TokenType> {
  const { coin, fee, wrapped, plainWrapped, bare, innerCoin, gem, factoryMade, art, items } = played
  const twenties = [coin, fee, wrapped, plainWrapped, bare].map(({ address }) => address)
  return new Map<Hex, TokenType>([
    ...[...twenties, innerCoin, gem, ...factoryMade].map((of) => [of, 'ERC-20'] as const),
    [art.address, 'ERC-721'],
    [items.address, 'ERC-1155'],
  ])
}

/** The transfers of a log. One wrapped coin emits Deposit and Withdrawal instead of Transfer for mints and burns. */
function transfersIn(log: Log<bigint, number, false>, types: ReadonlyMap<Hex, TokenType>, plain: Hex): Transfer[] {
  const token = getAddress(log.address)
  const type = types.get(token)
  const at = { hash: log.transactionHash, log: log.logIndex, token }
  const { topics, data } = log
  const read = { topics, data, strict: true } as const
  switch (type) {
    case undefined:
      return []
    case 'ERC-721': {
      const { from, to, id } = decodeEventLog({ abi: seven, ...read }).args
      return [{ ...at, type, from, to, id, amount: 1n }]
    }
    case 'ERC-1155': {
      const { eventName, args } = decodeEventLog({ abi: eleven, ...read })
      const { from, to } = args
      if (eventName === 'TransferSingle') return [{ ...at, type, from, to, id: args.id, amount: args.amount }]
      return args.ids.map((id, i) => ({ ...at, type, from, to, id, amount: args.amounts[i] ?? 0n }))
    }
    case 'ERC-20': {
      const { eventName, args } = decodeEventLog({ abi: twenty, ...read })
      if (eventName === 'Transfer') return [{ ...at, type, ...args, id: undefined }]
      if (token !== plain) return []
      const [from, to] = eventName === 'Deposit' ? [ZERO, args.holder] : [args.holder, ZERO]
      return [{ ...at, type, from, to, id: undefined, amount: args.amount }]
    }
  }
}

/** Messages of a trace, which lacks the address of a failed creation; `placeOf` returns it. */
function messagesOf(root: Frame, hash: Hex, placeOf: (type: string) => Hex | undefined): Message[] {
  const found: Message[] = []
  const visit = (frame: Frame, isUndone: boolean): void => {
    const to = frame.to ?? (isCreation(frame) ? placeOf(frame.type) : undefined)
    found.push({ ...frame, ...(to && { to }), hash, index: found.length, isUndone })
    for (const call of frame.calls ?? []) visit(call, isUndone || frame.error !== undefined)
  }
  visit(root, false)
  return found
}

export const isCreation = ({ type }: Pick<Frame, 'type'>): boolean => CREATIONS.includes(type)
export const same = (a: string | null | undefined, b: string | null | undefined): boolean =>
  a?.toLowerCase() === b?.toLowerCase()

export const feeOf = ({ receipt }: Mined): bigint => receipt.gasUsed * receipt.effectiveGasPrice
export const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)
