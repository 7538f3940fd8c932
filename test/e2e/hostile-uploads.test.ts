// Twenty hostile clients at all POST routes at once: the node keeps running, answers others, and its memory is bounded. Before
// bodies were bounded, a form of 26 MB blocked the thread for 11 s, and a multipart body of 1.2 GB took as much memory.
import { request } from 'node:http'
import { expect, test } from 'vitest'
import { processForFile } from '../support/process.ts'

const { node, url, rpc } = await processForFile(['--in-memory'])

const MB = 1 << 20
const CLIENTS = 20
const ROUTES = [
  '/',
  '/api',
  '/api?module=contract&action=verifysourcecode',
  '/api/eth-rpc',
  `/api/v2/smart-contracts/0x${'11'.repeat(20)}/verification/via/standard-input`,
  `/api/v2/smart-contracts/0x${'11'.repeat(20)}/verification/via/sourcify`,
  '/sourcify/verify',
  `/sourcify/v2/verify/metadata/125/0x${'11'.repeat(20)}`,
] as const

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'
const file = (name: string, megabytes: number) => [
  Buffer.from(`--x\r\ncontent-disposition: form-data; name="files[]"; filename="${name}"\r\n\r\n`),
  ...Array.from({ length: megabytes }, () => Buffer.alloc(MB, 'a')),
  Buffer.from('\r\n'),
]
const override = (i: number) => `"0x${(i + 1).toString(16).padStart(40, '0')}":{"balance":"0x1"}`
/** Bodies, in the chunks in which they are sent. */
const BODIES: readonly (readonly [type: string, pieces: readonly Buffer[]])[] = [
  [FORM, [Buffer.from(Array.from({ length: 400_000 }, (_, i) => `k${i}=1`).join('&'))]],
  [
    FORM,
    [Buffer.from('action=verifysourcecode&sourceCode='), ...Array.from({ length: 30 }, () => Buffer.alloc(MB, '%41'))],
  ],
  [JSON_TYPE, [Buffer.from('['.repeat(2 * MB)), Buffer.from(']'.repeat(2 * MB))]],
  [JSON_TYPE, [Buffer.from(`{${Array.from({ length: 300_000 }, (_, i) => `"k${i}":1`).join()}}`)]],
  [
    JSON_TYPE,
    [
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{},"latest",{'),
      Buffer.from(`${Array.from({ length: 40_000 }, (_, i) => override(i)).join()}}]}`),
    ],
  ],
  ['multipart/form-data; boundary=x', [...file('a.sol', 15), ...file('b.sol', 15), Buffer.from('--x--\r\n')]],
  ['multipart/form-data; boundary=x', Array.from({ length: 3 }, (_, i) => file(`${i}.sol`, 30)).flat()],
]

/** Sends a body in chunks; settles with the response's status, or undefined if the connection was closed without one. */
const post = (path: string, type: string, pieces: readonly Buffer[]) =>
  new Promise<number | undefined>((resolve) => {
    const sent = request(`${url}${path}`, { method: 'POST', headers: { 'content-type': type } }, (answer) => {
      answer.resume().on('close', () => resolve(answer.statusCode))
    })
    sent.on('error', () => resolve(undefined)).on('close', () => resolve(undefined))
    for (const piece of pieces) sent.write(piece)
    sent.end()
  })

test('hostile uploads to all endpoints at once do not end the node, and other clients are answered in the meantime', async () => {
  const tasks = ROUTES.flatMap((route) =>
    BODIES.map(
      ([type, pieces]) =>
        () =>
          post(route, type, pieces),
    ),
  )
  const total = tasks.length
  const statuses: (number | undefined)[] = []
  let answered = 0
  let peak = 0
  const clients = Array.from({ length: CLIENTS }, async () => {
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) statuses.push(await task())
  })
  const other = (async () => {
    while (statuses.length < total) {
      expect(await rpc('eth_chainId')).toBe('0x7d')
      answered++
      peak = Math.max(peak, await memory())
    }
  })()
  await Promise.all([...clients, other])
  expect(statuses).toHaveLength(total)
  // Accepted calls, refusals of each kind, and connections closed during endless bodies.
  expect(statuses.filter((status) => ![200, 400, 403, 404, 413, 422, 503, undefined].includes(status))).toEqual([])
  expect(answered).toBeGreaterThan(10)
  expect(node.isRunning()).toBe(true)
  // The process takes some 200 MB without load.
  expect(peak).toBeLessThan(1 << 30)
}, 120_000)

/** The memory of the process in bytes. */
async function memory(): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1])
}
