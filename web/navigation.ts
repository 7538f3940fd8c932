// The header's links in groups. Pages that this build or chain does not have are left out.
import { NODE_PAGES } from './location.ts'

export type Place = { readonly path: string; readonly name: string }
export type Group = { readonly name: string; readonly places: readonly Place[] }

const isPage = (path: string): boolean => NODE_PAGES.some((page) => page === path)

const place = (path: string, name: string): Place => ({ path, name })

const ALL: readonly Group[] = [
  {
    name: 'Blockchain',
    places: [
      place('/blocks', 'Blocks'),
      place('/txs', 'Transactions'),
      place('/internal-txs', 'Internal transactions'),
      place('/ops', 'User operations'),
      place('/accounts', 'Top accounts'),
      place('/verified-contracts', 'Verified contracts'),
      place('/advanced-filter', 'Filter'),
      place('/stats', 'Charts'),
    ],
  },
  {
    name: 'Tokens',
    places: [place('/tokens', 'All tokens'), place('/token-transfers', 'Token transfers')],
  },
  {
    name: 'Chain',
    places: [
      place('/validators', 'Validators'),
      place('/proposals', 'Proposals'),
      place('/parameters', 'Parameters'),
      place('/opcodes', 'Opcode proposals'),
      place('/transfers', 'Transfers to other chains'),
      place('/clients', 'Clients of other chains'),
    ],
  },
  {
    name: 'Tools',
    places: [place('/verify', 'Verify a contract'), place('/api/v2/docs', 'API'), place('/dev', 'Development')],
  },
]

/** Paths that the node serves and that are not pages of the explorer. */
export const isOutside = (path: string): boolean => path.startsWith('/api/')

export const NAVIGATION: readonly Group[] = ALL.map(({ name, places }) => ({
  name,
  places: places.filter(({ path }) => isPage(path) || isOutside(path)),
})).filter(({ places }) => places.length > 0)
