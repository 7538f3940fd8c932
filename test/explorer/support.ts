// A client of a running node's explorer API. Every response with status 200 is checked against its route's schema and the
// OpenAPI document.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import type { ExplorerRoute } from '../../src/explorer/define.ts'
import { openApi } from '../../src/explorer/openapi.ts'
import { routes } from '../../src/explorer/routes/index.ts'

export type Answer = {
  readonly status: number
  // Tests access responses without types: their schema has been checked.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any
  readonly headers: Headers
}

/** A client of the explorer API at a node's URL; paths are relative to `/api/v2`. */
export function api(url: string) {
  const request = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(`${url}/api/v2${path}`, init)
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    const body: unknown = response.status === 304 ? undefined : isJson ? await response.json() : await response.text()
    if (response.status === 200) expectSchema(path, init.method ?? 'GET', body)
    return { status: response.status, body, headers: response.headers }
  }
  const get = (path: string, headers: Record<string, string> = {}) => request(path, { headers })

  /** The body of a successful response; fails the test otherwise. */
  const read = async (path: string, headers: Record<string, string> = {}) => {
    const { status, body } = await get(path, headers)
    expect({ path, status, body }).toMatchObject({ status: 200 })
    return body
  }

  /** Every item of a list, following `next_page_params` to the end. */
  const readAll = async (path: string, itemsCount = 50) => {
    const items: Answer['body'][] = []
    let query: Record<string, string | number> | null = { items_count: itemsCount }
    while (query !== null) {
      const parameters: string[] = Object.entries(query).map(([name, value]) => `${name}=${value}`)
      const page: Answer['body'] = await read(`${path}${path.includes('?') ? '&' : '?'}${parameters.join('&')}`)
      items.push(...page.items)
      query = page.next_page_params
    }
    return items
  }

  return { get, read, readAll, request }
}

/** Fails unless the body matches the schema of the path's route. */
export function expectSchema(path: string, method: string, body: unknown): void {
  const route = routeOf(path, method)
  if (route === undefined) throw new Error(`no route answers ${method} ${path}`)
  const parsed = route.response.safeParse(body)
  const issues = parsed.error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) ?? []
  expect(issues, `${method} ${path}`).toEqual([])
  const documented = documentedAnswer(route)
  documented(body)
  expect(documented.errors ?? [], `${method} ${path} by the OpenAPI document`).toEqual([])
}

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
const validators = new Map<ExplorerRoute, ValidateFunction>()

/** A validator of a route's response, made only from the OpenAPI document. */
function documentedAnswer(route: ExplorerRoute): ValidateFunction {
  if (ajv.getSchema('openapi') === undefined) ajv.addSchema(openApi(routes, '0'), 'openapi')
  const escaped = route.path.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')
  const content = `content/${route.produces.replace('/', '~1')}/schema`
  const $ref = `openapi#/paths/${escaped}/${route.method.toLowerCase()}/responses/200/${content}`
  const validator = validators.get(route) ?? ajv.compile({ $ref })
  validators.set(route, validator)
  return validator
}

/** The route for a path; literal segments take precedence over parameters. */
export function routeOf(path: string, method: string): ExplorerRoute | undefined {
  const segments = (path.split('?')[0] ?? '').replace(/\/$/, '').split('/')
  const fitting = routes.filter((route) => {
    const parts = route.path.split('/')
    return (
      route.method === method &&
      parts.length === segments.length &&
      parts.every((part, i) => part.startsWith('{') || part === segments[i])
    )
  })
  const parameters = (route: ExplorerRoute) => route.path.split('{').length
  return fitting.sort((a, b) => parameters(a) - parameters(b))[0]
}
