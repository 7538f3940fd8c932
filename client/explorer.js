// A typed client of the explorer API, for programs and for the node's own pages: openapi-fetch with the types of the
// OpenAPI document (`schema.d.ts`, written by `npm run generate`). It runs in browsers and in Node.js.
import createClient from 'openapi-fetch'

/** @type {import('./explorer.d.ts').explorerClient} */
export function explorerClient(url, options = {}) {
  return createClient({
    // Lists of labels are one value with commas: `type=ERC-20,ERC-721`.
    querySerializer: { array: { style: 'form', explode: false } },
    ...options,
    baseUrl: `${url.replace(/\/+$/, '')}/api/v2`,
  })
}
