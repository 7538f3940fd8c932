// What `kestrel-evm/explorer` offers.
import type { Client, ClientOptions } from 'openapi-fetch'
import type { components, operations, paths } from './schema.d.ts'

export type { components, operations, paths }

/** The named types of the API: `Schemas['Transaction']`. */
export type Schemas = components['schemas']
export type ExplorerClient = Client<paths>

/**
 * A client of the explorer API of the node at a URL, as `http://127.0.0.1:8545`. `client.GET(path, { params })` answers
 * `{ data, error, response }`: `data` with status 200, else `error`. Options are those of openapi-fetch, such as `fetch`.
 */
export declare function explorerClient(url: string, options?: Omit<ClientOptions, 'baseUrl'>): ExplorerClient
