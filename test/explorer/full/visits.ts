// A client that records the visited routes and every response.
import { expect } from 'vitest'
import { routes } from '../../../src/explorer/routes/index.ts'
import { type Answer, api, routeOf } from '../support.ts'

// Responses are accessed without types: `api` has checked them against their schemas.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Any = any

export type Visit = { readonly path: string; readonly route: string; readonly body: Answer['body'] }
export type Visitor = ReturnType<typeof visitor>

export function visitor(url: string) {
  const { request } = api(url)
  const visited = new Set<string>()
  const visits: Visit[] = []

  async function ask(path: string, init: RequestInit = {}): Promise<Answer> {
    const method = init.method ?? 'GET'
    const answer = await request(path, init)
    const route = routeOf(path, method)?.path
    if (route === undefined) return answer
    visited.add(`${method} ${route}`)
    if (answer.status === 200) visits.push({ path, route, body: answer.body })
    return answer
  }

  async function read(path: string, headers: Record<string, string> = {}): Promise<Answer['body']> {
    const { status, body } = await ask(path, { headers })
    expect({ path, status }).toEqual({ path, status: 200 })
    return body
  }

  /** All items of a list by pages of a size; every page but the last must be full. */
  async function readAll(path: string, size: number): Promise<Answer['body'][]> {
    const items: Answer['body'][] = []
    const joint = path.includes('?') ? '&' : '?'
    for (let query: Record<string, Any> | null = { items_count: size }; query !== null; ) {
      const text = new URLSearchParams(
        Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
      )
      const page: Answer['body'] = await read(`${path}${joint}${text}`)
      expect(page.next_page_params === null || page.items.length === size, path).toBe(true)
      items.push(...page.items)
      query = page.next_page_params
    }
    return items
  }

  return {
    ask,
    read,
    readAll,
    visits,
    unvisited: () => routes.map(({ method, path }) => `${method} ${path}`).filter((route) => !visited.has(route)),
  }
}

/** Keys that identify the items of lists. */
export const keyOf = {
  hash: (item: Any): string => item.hash,
  height: (item: Any): string => String(item.height),
  transfer: (item: Any): string => `${item.transaction_hash} ${item.log_index} ${item.total.token_id ?? ''}`,
  call: (item: Any): string => `${item.transaction_hash} ${item.index}`,
  log: (item: Any): string => `${item.block_number} ${item.index}`,
  coin: (item: Any): string => `${item.block_number} ${item.delta} ${item.value}`,
  account: (item: Any): string => `${item.hash} ${item.coin_balance}`,
  holder: (item: Any): string => `${item.address.hash} ${item.value}`,
  holding: (item: Any): string => `${item.token.address_hash} ${item.token_id ?? ''} ${item.value}`,
  token: (item: Any): string => item.address_hash,
  instance: (item: Any): string => `${item.token.address_hash} ${item.id}`,
  collection: (item: Any): string => `${item.token.address_hash} ${item.amount}`,
  withdrawal: (item: Any): string => String(item.index),
}
