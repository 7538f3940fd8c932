// The visited pages: every page of `src/explorer/pages.ts`. A page with parameters in its path needs an example here, or this
// file does not compile.
import { PAGES, type PagePath } from '../../../src/explorer/pages.ts'
import type { Story } from './story.ts'

type WithParameters = { [P in PagePath]: P extends `${string}:${string}` ? P : never }[PagePath]

/** Example paths of a page, with its tabs and views. */
export const EXAMPLES: { readonly [P in WithParameters]: (story: Story) => readonly string[] } = {
  '/block/:id': ({ tokens }) => {
    const number = tokens[0]?.receipt.blockNumber
    return ['/block/0', `/block/${number}`, `/block/${number}?tab=internal`, '/block/99999999']
  },
  '/tx/:hash': ({
    airdrop,
    batch,
    delegation,
    failed,
    delegated,
    blobs,
    paid,
    nested,
    refused,
    created,
    deep,
    ...of
  }) => [
    ...[airdrop, batch, blobs, failed, delegated, of.waiting, refused].map((hash) => `/tx/${hash}`),
    ...[nested, deep, delegation, created].map((hash) => `/tx/${hash}?tab=calls`),
    ...['gas', 'internal', 'state-changes', 'logs'].map((tab) => `/tx/${paid}?tab=${tab}`),
    `/tx/${of.packet}?tab=packets`,
    `/tx/0x${'12'.repeat(32)}`,
    `/tx/${of.bundle}?tab=user-operations`,
  ],
  '/op/:hash': ({ operations }) => [
    ...operations.map((hash) => `/op/${hash}`),
    ...['token-transfers', 'struct'].map((tab) => `/op/${operations[0]}?tab=${tab}`),
    `/op/0x${'12'.repeat(32)}`,
  ],
  '/tx/:hash/debug': ({ nested, refused, created, waiting }) => [
    ...[nested, created, waiting, `0x${'12'.repeat(32)}`].map((hash) => `/tx/${hash}/debug`),
    `/tx/${refused}/debug#step=failure`,
  ],
  '/address/:hash': ({ bob, stage, tokens, paymaster }) => [
    ...['', '?tab=token-transfers', '?tab=tokens', '?tab=internal', '?tab=coin-history'].map(
      (tab) => `/address/${bob}${tab}`,
    ),
    `/address/${stage.address}?tab=contract`,
    `/address/${tokens[0]?.address}?tab=logs`,
    `/address/${paymaster}?tab=user-operations`,
    '/address/0x12',
  ],
  '/token/:hash': ({ tokens, items, art }) => [
    ...tokens.slice(0, 3).map(({ address }) => `/token/${address}`),
    ...[items, art].flatMap(({ address }) => [`/token/${address}?tab=items`, `/token/${address}?tab=holders`]),
    `/token/${tokens[0]?.address}?tab=holders`,
  ],
  '/validator/:address': ({ validator }) => [`/validator/${validator}`, `/validator/0x${'12'.repeat(20)}`],
  '/client/:id': ({ client }) => [
    ...['', '?tab=history', '?status=error', '?direction=received'].map((query) => `/client/${client}${query}`),
    '/client/07-tendermint-99',
  ],
  '/packet/:client/:direction/:sequence': ({ client }) => [
    ...['sent/1', 'sent/2', 'received/1', `received/${2n ** 64n - 1n}`, 'received/99'].map(
      (packet) => `/packet/${client}/${packet}`,
    ),
  ],
  '/proposal/:id': () => ['/proposal/1', '/proposal/77'],
  '/token/:hash/instance/:id': ({ art }) => [
    `/token/${art.address}/instance/1`,
    `/token/${art.address}/instance/${2n ** 256n - 1n}`,
  ],
}

/** Additional paths of pages without parameters. */
const MORE: { readonly [P in PagePath]?: readonly string[] } = {
  '/txs': ['/txs?tab=waiting', '/txs?tab=failed', '/txs?type=token_transfer'],
  '/advanced-filter': [
    '/advanced-filter?transaction_types=ERC-721,ERC-1155',
    '/advanced-filter?methods_names=transfer&amount_from=1',
    '/advanced-filter?amount_from=99999999999',
  ],
  '/ops': ['bundles', 'accounts', 'bundlers', 'paymasters', 'factories'].map((tab) => `/ops?tab=${tab}`),
  '/tokens': ['/tokens?q=silver'],
  '/transfers': ['/transfers?status=pending', '/transfers?direction=received'],
  '/debug': [`/debug#to=0x${'12'.repeat(20)}&data=0x1234`],
  '/search': ['/search?q=coin', `/search?q=${'W'.repeat(120)}`],
}

const isPage = (path: string): path is PagePath => path in PAGES
const hasParameters = (path: PagePath): path is WithParameters => path.includes(':')

/** Every path to visit. */
export function pathsOf(story: Story): string[] {
  const pages = Object.keys(PAGES).filter(isPage)
  return [
    ...pages.flatMap((page) => (hasParameters(page) ? EXAMPLES[page](story) : [page, ...(MORE[page] ?? [])])),
    '/no/such/page',
  ]
}
