// The pages of our own explorer, by the patterns of their paths. The server answers these paths with the page, and `web/` must
// have a component for each: its type fails otherwise.

/** Pattern of the path, and the title of its document; a page that knows its subject replaces the title. */
export const PAGES = {
  '/': 'Home',
  '/blocks': 'Blocks',
  '/block/:id': 'Block',
  '/txs': 'Transactions',
  '/internal-txs': 'Internal transactions',
  '/tx/:hash': 'Transaction',
  '/address/:hash': 'Address',
  '/accounts': 'Top accounts',
  '/verified-contracts': 'Verified contracts',
  '/tokens': 'Tokens',
  '/token/:hash': 'Token',
  '/token-transfers': 'Token transfers',
  '/token/:hash/instance/:id': 'Item',
  '/verify': 'Verify a contract',
  '/search': 'Search',
} as const

export type PagePath = keyof typeof PAGES
