// The component of each page. A page's code is a separate chunk, loaded when the page is first shown.
import type { ComponentType } from 'preact'
import { lazy } from 'preact/compat'
import type { PagePath } from '../src/explorer/pages.ts'

/** The parameters in a pattern: `{ hash: string; id: string }` for `/token/:hash/instance/:id`. */
type ParametersOf<Pattern extends string> = Pattern extends `${infer Segment}/${infer Rest}`
  ? ParametersOf<Segment> & ParametersOf<Rest>
  : Pattern extends `:${infer Name}`
    ? { [N in Name]: string }
    : unknown

export const pages: { readonly [P in PagePath]: ComponentType<ParametersOf<P>> } = {
  '/': lazy(() => import('./pages/home.tsx')),
  '/blocks': lazy(() => import('./pages/blocks.tsx')),
  '/block/:id': lazy(() => import('./pages/block.tsx')),
  '/txs': lazy(() => import('./pages/transactions.tsx')),
  '/internal-txs': lazy(() => import('./pages/internal-transactions.tsx')),
  '/tx/:hash': lazy(() => import('./pages/transaction.tsx')),
  '/tx/:hash/debug': lazy(() => import('./pages/transaction-debugger.tsx')),
  '/debug': lazy(() => import('./pages/call-debugger.tsx')),
  '/ops': lazy(() => import('./pages/operations.tsx')),
  '/op/:hash': lazy(() => import('./pages/operation.tsx')),
  '/address/:hash': lazy(() => import('./pages/address.tsx')),
  '/accounts': lazy(() => import('./pages/accounts.tsx')),
  '/verified-contracts': lazy(() => import('./pages/verified-contracts.tsx')),
  '/tokens': lazy(() => import('./pages/tokens.tsx')),
  '/token/:hash': lazy(() => import('./pages/token.tsx')),
  '/token/:hash/instance/:id': lazy(() => import('./pages/token-instance.tsx')),
  '/verify': lazy(() => import('./pages/verify.tsx')),
  '/advanced-filter': lazy(() => import('./pages/advanced-filter.tsx')),
  '/stats': lazy(() => import('./pages/stats.tsx')),
  '/validators': lazy(() => import('./pages/validators.tsx')),
  '/validator/:address': lazy(() => import('./pages/validator.tsx')),
  '/proposals': lazy(() => import('./pages/proposals.tsx')),
  '/proposal/:id': lazy(() => import('./pages/proposal.tsx')),
  '/parameters': lazy(() => import('./pages/parameters.tsx')),
  '/opcodes': lazy(() => import('./pages/opcodes.tsx')),
  '/transfers': lazy(() => import('./pages/transfers.tsx')),
  '/clients': lazy(() => import('./pages/clients.tsx')),
  '/client/:id': lazy(() => import('./pages/client.tsx')),
  '/packet/:client/:direction/:sequence': lazy(() => import('./pages/packet.tsx')),
  '/dev': lazy(() => import('./pages/development.tsx')),
  '/token-transfers': lazy(() => import('./pages/token-transfers.tsx')),
  '/search': lazy(() => import('./pages/search.tsx')),
}
