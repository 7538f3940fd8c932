// Web pages in a real browser: requests of a foreign page are refused, those of a page of this machine succeed.
// `evil.example` resolves to this machine, as with DNS rebinding.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { originsOf } from '../../src/http/access.ts'
import { CHROMIUM, launchChromium } from '../support/browser.ts'
import { account, testChain } from '../support/chain.ts'
import { tryAllRequests } from './browser-requests.js'

const SEND = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'eth_sendTransaction',
  params: [{ from: account(0).address, to: account(1).address, value: '0x1' }],
})
const SIGN = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'eth_sign',
  params: [account(0).address, '0xdeadbeef'],
})

describe.skipIf(CHROMIUM === undefined)('in Chromium (skipped if not installed)', () => {
  let browser: Browser
  let pages: Server
  beforeAll(async () => {
    browser = await launchChromium('--host-resolver-rules=MAP evil.example 127.0.0.1')
    pages = createServer((_request, response) => response.end('<!doctype html><body>')).listen(0, '127.0.0.1')
    await once(pages, 'listening')
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    pages.close()
    pages.closeAllConnections()
  })

  async function open(url: string): Promise<Page> {
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    await page.goto(url)
    return page
  }
  const pageOf = (name: string) => open(`http://${name}:${(pages.address() as AddressInfo).port}/`)
  const expectNothingRan = async (rpc: (method: string, ...params: unknown[]) => Promise<unknown>) => {
    expect(await rpc('eth_blockNumber')).toBe('0x0')
    expect(await rpc('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  }

  it.each([
    ['in development', false],
    ['with an unlocked key', true],
  ])(
    'a page of another site cannot call the node %s',
    async (_what, hasKeys) => {
      const { url, rpc } = await testChain({ http: { origins: originsOf(undefined, hasKeys) } })
      const page = await pageOf('evil.example')
      expect(await page.evaluate(tryAllRequests, { node: url, bodies: [SEND, SIGN] })).toEqual([])
      await expectNothingRan(rpc)
    },
    60_000,
  )

  it('a host name of another site that resolves to this machine is refused', async () => {
    const { url, rpc } = await testChain()
    const here = url.replace('127.0.0.1', 'evil.example')
    const page = await open(here)
    expect(await page.evaluate(tryAllRequests, { node: here, bodies: [SEND, SIGN] })).toEqual([])
    await expectNothingRan(rpc)
  }, 60_000)

  it('a page of this machine may call in development, but not with an unlocked key', async () => {
    const open = await testChain()
    for (const name of ['127.0.0.1', 'localhost']) {
      const page = await pageOf(name)
      const read = await page.evaluate(tryAllRequests, { node: open.url, bodies: [SIGN] })
      expect(read).toEqual(
        expect.arrayContaining(['cors /rpc application/json', 'cors / text/plain', 'WebSocket /rpc']),
      )
    }
    const closed = await testChain({ http: { origins: originsOf(undefined, true) } })
    const page = await pageOf('localhost')
    expect(await page.evaluate(tryAllRequests, { node: closed.url, bodies: [SEND, SIGN] })).toEqual([])
    await expectNothingRan(closed.rpc)
  }, 60_000)

  it("the node's own pages work with an unlocked key and cannot be framed", async () => {
    const { url } = await testChain({ http: { origins: originsOf(undefined, true) } })
    const page = await open(url)
    await page.getByText('Nothing has been sent on this chain yet.').waitFor()
    const outside = await pageOf('localhost')
    const blocked = outside.waitForEvent('console', (message) => message.text().includes('frame-ancestors'))
    await outside.setContent(`<iframe src="${url}"></iframe>`)
    expect((await blocked).text()).toContain(url)
  }, 60_000)
})
