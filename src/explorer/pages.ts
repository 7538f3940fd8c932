// The explorer's pages by path pattern. The server answers these paths with the page, and `web/` must have a component for
// each, which its type enforces.

/** Path pattern and document title; a page that knows its subject replaces the title. */
export const PAGES = {
  '/': 'Home',
  '/blocks': 'Blocks',
  '/block/:id': 'Block',
  '/txs': 'Transactions',
  '/internal-txs': 'Internal transactions',
  '/tx/:hash': 'Transaction',
  '/tx/:hash/debug': 'Debugger',
  '/debug': 'Debugger',
  '/ops': 'User operations',
  '/op/:hash': 'User operation',
  '/address/:hash': 'Address',
  '/accounts': 'Top accounts',
  '/verified-contracts': 'Verified contracts',
  '/tokens': 'Tokens',
  '/token/:hash': 'Token',
  '/token-transfers': 'Token transfers',
  '/token/:hash/instance/:id': 'Item',
  '/verify': 'Verify a contract',
  '/advanced-filter': 'Filter',
  '/stats': 'Charts',
  '/validators': 'Validators',
  '/validator/:address': 'Validator',
  '/proposals': 'Proposals',
  '/proposal/:id': 'Proposal',
  '/parameters': 'Parameters',
  '/opcodes': 'Opcode proposals',
  '/transfers': 'Transfers to other chains',
  '/clients': 'Clients of other chains',
  '/client/:id': 'Client',
  '/packet/:client/:direction/:sequence': 'Packet',
  '/dev': 'Development',
  '/search': 'Search',
} as const

export type PagePath = keyof typeof PAGES

/** What pages must know about a node before any request: whether its chain has native modules and IBC, and its mode. */
export type SiteTraits = { readonly native: boolean; readonly ibc: boolean; readonly development: boolean }

/** Pages that only some nodes have. */
const NEEDS: { readonly [P in PagePath]?: keyof SiteTraits } = {
  '/validators': 'native',
  '/validator/:address': 'native',
  '/proposals': 'native',
  '/proposal/:id': 'native',
  '/parameters': 'native',
  '/opcodes': 'native',
  '/transfers': 'native',
  '/clients': 'ibc',
  '/client/:id': 'ibc',
  '/packet/:client/:direction/:sequence': 'ibc',
  '/dev': 'development',
  '/tx/:hash/debug': 'development',
  '/debug': 'development',
}

const isPath = (path: string): path is PagePath => path in PAGES

/** The pages that a node has. */
export const pagesOf = (traits: SiteTraits): readonly PagePath[] =>
  Object.keys(PAGES)
    .filter(isPath)
    .filter((path) => {
      const needed = NEEDS[path]
      return needed === undefined || traits[needed]
    })
