// `module=token`, and the tokens of an account: what a token is, who holds it, and what an address holds.
import { z } from 'zod'
import { RECORD } from '../../indexer/records.ts'
import { HOLDERS, MEMBER, RANKING, TOKEN_TYPES } from '../../indexer/tables.ts'
import { membersFrom, readDescending } from '../../tables/ranking.ts'
import { tokenSupply } from '../contract-reads.ts'
import { concatenatedMembers } from '../pagination/rankings.ts'
import { shownNames } from '../shapes/token.ts'
import { amountHeld } from '../shapes/token-balances.ts'
import { type Action, action, address, integer, nonEmpty, Refused } from './define.ts'

/** Maximum rows of a page: the balance of each is read from its token, which may take 100,000 gas. */
const MOST_ROWS = 200
const page = z.object({
  page: integer.default(1).refine((number) => number > 0, 'pages begin with 1'),
  offset: integer.default(MOST_ROWS).transform((size) => Math.min(size || MOST_ROWS, MOST_ROWS)),
})

const gettoken = action(z.object({ contractaddress: address }), async ({ contractaddress: of }, context) => {
  const token = RECORD.token.get(context.rows, of)
  if (token === undefined) throw new Refused(null, 'contract address not found')
  const { name, symbol } = shownNames(token)
  return {
    cataloged: true,
    contractAddress: of,
    decimals: token.decimals?.toString() ?? '',
    name: name ?? '',
    symbol: symbol ?? '',
    totalSupply: ((await tokenSupply(context, of)) ?? token.supply)?.toString() ?? '',
    type: token.type,
  }
})

const gettokenholders = action(
  page.extend({ contractaddress: address }),
  async ({ contractaddress: of, page, offset }, context) => {
    const members = await membersFrom(context.rows, HOLDERS.ranking(of), (page - 1) * offset, offset)
    const held = { token: of, type: RECORD.token.get(context.rows, of)?.type }
    const rows = members.map(async (order) => {
      const { value, rest } = readDescending(order)
      const holder = HOLDERS.decode(of, rest)
      return { address: holder, value: (await amountHeld(context, held, holder, value)).toString() }
    })
    return nonEmpty(await Promise.all(rows), 'No holders found')
  },
)

const tokenlist = action(page.extend({ address }), async ({ address: of, page, offset }, context) => {
  const rankings = TOKEN_TYPES.map((type) => ({ name: type, ranking: RANKING.owned(of, type) }))
  const members = await concatenatedMembers(context.rows, rankings, (page - 1) * offset, offset)
  const rows = members.map(async ({ name: type, member }) => {
    const { value, rest } = readDescending(member)
    const { token, id } = MEMBER.item(rest)
    const record = RECORD.token.get(context.rows, token)
    const { name, symbol } = shownNames(record ?? { name: undefined, symbol: undefined })
    return {
      balance: (await amountHeld(context, { token, type }, of, value)).toString(),
      contractAddress: token,
      decimals: record?.decimals?.toString() ?? '',
      ...(id !== undefined && { id: id.toString() }),
      name: name ?? '',
      symbol: symbol ?? '',
      type,
    }
  })
  return nonEmpty(await Promise.all(rows), 'No tokens found')
})

export const token: Readonly<Record<string, Action>> = { gettoken, gettokenholders }
export const tokensOfAccount: Readonly<Record<string, Action>> = { tokenlist }
