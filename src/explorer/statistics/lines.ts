// Charts over time, as in Blockscout's statistics service: the changes of a day, week, month or year, and the values at its
// end. Values are computed from exact totals, never from rounded values of shorter periods.
import { isoDay } from '../codec.ts'
import { toCoins, toGwei } from '../contract-reads.ts'
import { type DailyTotals, MOST_DAYS, NOTHING, plus, type Totals } from './daily-totals.ts'

export const RESOLUTIONS = ['DAY', 'WEEK', 'MONTH', 'YEAR'] as const
export type Resolution = (typeof RESOLUTIONS)[number]

type Line = {
  readonly title: string
  readonly description: string
  /** `coin` is replaced by the symbol of the chain's coin. */
  readonly units?: string
  /** The value of a period, from its changes and the totals at its end. */
  readonly value: (period: Totals, all: Totals) => string
}

/** Sections in Blockscout's order, each with its lines under their ids. */
export const SECTIONS = {
  accounts: {
    title: 'Accounts',
    lines: {
      accountsGrowth: {
        title: 'Number of accounts',
        description: 'Addresses that have taken part in anything',
        value: (_, all) => String(all.accounts),
      },
      newAccounts: {
        title: 'New accounts',
        description: 'Addresses that took part in something for the first time',
        value: ({ accounts }) => String(accounts),
      },
    },
  },
  transactions: {
    title: 'Transactions',
    lines: {
      averageTxnFee: {
        title: 'Average transaction fee',
        description: 'Average fee of a transaction',
        units: 'coin',
        value: ({ fees, transactions }) => toCoins(average(fees, transactions)),
      },
      txnsFee: {
        title: 'Transactions fees',
        description: 'Fees that were paid',
        units: 'coin',
        value: ({ fees }) => toCoins(fees),
      },
      newTxns: {
        title: 'Number of transactions',
        description: 'New transactions',
        value: ({ transactions }) => String(transactions),
      },
      txnsGrowth: {
        title: 'Transactions growth',
        description: 'Transactions in all',
        value: (_, all) => String(all.transactions),
      },
      txnsSuccessRate: {
        title: 'Transaction success rate',
        description: 'Successful transactions as a part of all, from 0 to 1',
        value: ({ transactions, failed }) => String(transactions === 0 ? 0 : (transactions - failed) / transactions),
      },
    },
  },
  blocks: {
    title: 'Blocks',
    lines: {
      newBlocks: { title: 'New blocks', description: 'New blocks', value: ({ blocks }) => String(blocks) },
    },
  },
  tokens: {
    title: 'Tokens',
    lines: {
      newTokenTransfers: {
        title: 'New token transfers',
        description: 'Transfers of ERC-20, ERC-721 and ERC-1155 tokens',
        value: ({ transfers }) => String(transfers),
      },
    },
  },
  gas: {
    title: 'Gas',
    lines: {
      averageGasPrice: {
        title: 'Average gas price',
        description: 'Average price per gas of a transaction',
        units: 'Gwei',
        value: ({ gasPrices, transactions }) => toGwei(average(gasPrices, transactions)),
      },
      newGasUsed: { title: 'Gas used', description: 'Gas used', value: ({ gasUsed }) => String(gasUsed) },
      gasUsedGrowth: {
        title: 'Gas used growth',
        description: 'Gas used in all',
        value: (_, all) => String(all.gasUsed),
      },
    },
  },
  contracts: {
    title: 'Contracts',
    lines: {
      newContracts: {
        title: 'New contracts',
        description: 'Contracts that were created',
        value: ({ contracts }) => String(contracts),
      },
      contractsGrowth: {
        title: 'Contracts growth',
        description: 'Contracts in all',
        value: (_, all) => String(all.contracts),
      },
      newVerifiedContracts: {
        title: 'New verified contracts',
        description: 'Contracts that were verified',
        value: ({ verified }) => String(verified),
      },
      verifiedContractsGrowth: {
        title: 'Verified contracts growth',
        description: 'Verified contracts in all',
        value: (_, all) => String(all.verified),
      },
    },
  },
} as const satisfies Readonly<
  Record<string, { readonly title: string; readonly lines: Readonly<Record<string, Line>> }>
>

const average = (sum: bigint, count: number): bigint => (count === 0 ? 0n : sum / BigInt(count))

const LINES: ReadonlyMap<string, Line> = new Map(
  Object.values(SECTIONS).flatMap(({ lines }) => Object.entries<Line>(lines)),
)
/** A line by its id. */
export const lineOf = (id: string): Line | undefined => LINES.get(id)

/** A line's description for clients. */
export const lineInfo = (id: string, { title, description, units }: Line, coin: string) => ({
  id,
  title,
  description,
  ...(units !== undefined && { units: units === 'coin' ? coin : units }),
  resolutions: [...RESOLUTIONS],
})

type Period = { readonly from?: number | undefined; readonly to?: number | undefined }

/** Days before the last one that a line has when no first day is asked for; a frontend does not draw fewer than three points. */
const LEAST_DAYS = { DAY: 30, WEEK: 11 * 7, MONTH: 334, YEAR: 730 } as const satisfies Readonly<
  Record<Resolution, number>
>

/**
 * The points of a line, oldest first, for the periods with a day from `from` to `to` (days since 1970), and none after today.
 * Days before the chain began and after its head have points too: nothing happened on them.
 */
export function pointsOf({ value }: Line, { before, days }: DailyTotals, resolution: Resolution, { from, to }: Period) {
  const [first = 0, last = 0] = [days[0]?.day, days.at(-1)?.day]
  const today = Math.max(last, Math.floor(Date.now() / 86_400_000))
  const end = Math.min(to ?? last, today)
  const start = Math.max(from ?? Math.min(first, end - LEAST_DAYS[resolution]), end - MOST_DAYS + 1)
  const points: { date: string; date_to: string; value: string; is_approximate: boolean }[] = []
  let period = NOTHING
  let all = before
  const finalDay = Math.min(today, spanOf(end, resolution).end)
  for (let day = Math.min(first, spanOf(start, resolution).start); day <= finalDay; day++) {
    const { totals = NOTHING } = days[day - first] ?? {}
    period = plus(period, totals)
    all = plus(all, totals)
    const span = spanOf(day, resolution)
    if (day < span.end && day < finalDay) continue
    if (span.end >= start) {
      const [date, date_to] = [isoDay(span.start), isoDay(span.end)]
      points.push({ date, date_to, value: value(period, all), is_approximate: span.end >= last })
    }
    period = NOTHING
  }
  return points
}

/** First and last day of the period that a day belongs to. Weeks begin with Monday. */
function spanOf(day: number, resolution: Resolution): { start: number; end: number } {
  if (resolution === 'DAY') return { start: day, end: day }
  // 1970-01-01 was a Thursday, the fourth day of its week.
  if (resolution === 'WEEK') {
    const start = day - ((day + 3) % 7)
    return { start, end: start + 6 }
  }
  const date = new Date(day * 86_400_000)
  const year = date.getUTCFullYear()
  const month = date.getUTCMonth()
  if (resolution === 'MONTH') return { start: dayAt(year, month), end: dayAt(year, month + 1) - 1 }
  return { start: dayAt(year, 0), end: dayAt(year + 1, 0) - 1 }
}

const dayAt = (year: number, month: number): number => Date.UTC(year, month) / 86_400_000
