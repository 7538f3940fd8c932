// Pages of token items in a real browser: images from the chain, and hostile metadata.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ALICE, BOB, tokenChain } from '../indexer/token-chain.ts'
import { CHROMIUM, launchChromium } from '../support/browser.ts'
import { expectSound, openPage } from './pages-support.ts'

const json = (value: object): string =>
  `data:application/json;base64,${Buffer.from(JSON.stringify(value)).toString('base64')}`
const svg = (content: string): string =>
  `data:image/svg+xml;base64,${Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="80" height="60">${content}</svg>`).toString('base64')}`
const BIRD = {
  name: 'A bird',
  description: 'It sings.\nLoudly.',
  image: svg('<rect width="80" height="60" fill="teal"/>'),
  attributes: [
    { trait_type: 'Beak', value: 'Red' },
    // 2024-01-01T00:00:00Z
    { trait_type: 'Hatched', display_type: 'date', value: 1_704_067_200 },
  ],
}

/** A server that records requests for images. */
async function pictureServer() {
  const requested: string[] = []
  const server = createServer((request, response) => {
    requested.push(request.url ?? '')
    response.setHeader('content-type', 'image/svg+xml').end('<svg xmlns="http://www.w3.org/2000/svg"/>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { requested, url: `http://127.0.0.1:${port}` }
}

it('the content security policy allows images of this node only, unless the operator lets it fetch metadata', async () => {
  const policy = async (explorer: object) => {
    const { url } = await tokenChain({ explorer })
    const { headers } = await fetch(`${url}/tokens`)
    return /img-src [^;]*/.exec(headers.get('content-security-policy') ?? '')?.[0]
  }
  expect(await policy({})).toBe("img-src 'self' data:")
  expect(await policy({ nftMetadata: 'fetch' })).toBe("img-src 'self' data: https:")
  expect(await policy({ nftMetadata: 'fetch', ipfsGateway: 'http://127.0.0.1:8080/ipfs' })).toBe(
    "img-src 'self' data: https: http://127.0.0.1:8080",
  )
})

describe.skipIf(CHROMIUM === undefined)('pages of items (skipped without Chromium)', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  }, 60_000)
  afterAll(() => browser.close())

  it('show a grid of images, small and large, that link to the item', async () => {
    const { deploy, send, url, walletOf } = await tokenChain()
    const art = await deploy('Drawings')
    await send(art, 'mint', [ALICE, 1n, json(BIRD)])
    // A large drawing, which lists show by the URL of a file on this node.
    const large = svg(`<rect width="80" height="60" fill="navy"/><!--${'a'.repeat(9_000)}-->`)
    const args = [BOB, 2n, json({ name: 'Large', image: large })]
    await walletOf(0).writeContract({ ...art, functionName: 'mint', args, gas: 25_000_000n })
    const page = await openPage(browser, `${url}/token/${art.address}?tab=items`)
    const widths = () =>
      page.evaluate("[...document.querySelectorAll('.inventory img.picture')].map(({ naturalWidth }) => naturalWidth)")
    await expect.poll(widths).toEqual([80, 80])
    expect(await page.locator('.inventory img.picture').first().getAttribute('referrerpolicy')).toBe('no-referrer')
    await expectSound(page)
    await page.getByRole('link', { name: 'A bird' }).click()
    await page.getByRole('heading', { name: /^A bird/ }).waitFor()
    expect(new URL(page.url()).pathname.toLowerCase()).toBe(`/token/${art.address}/instance/1`)
    expect(await page.title()).toBe('A bird of DRAW · kestrel')
    await page.getByText('It sings.').waitFor()
    await page.getByText('Red', { exact: true }).waitFor()
    await page.getByText('2024-01-01', { exact: true }).waitFor()
    await page.getByRole('cell', { name: 'minted' }).waitFor()
    await expectSound(page)
    await page.getByRole('tab', { name: 'Metadata' }).click()
    await page.getByText('"trait_type"').first().waitFor()
    await expectSound(page)
  }, 60_000)

  it('read metadata again on request', async () => {
    const { deploy, send, url } = await tokenChain()
    const art = await deploy('Drawings')
    // Expensive to read, so the node caches it.
    await send(art, 'mintMany', [ALICE, 1n, 1n, 0n, 2_000_000n])
    await send(art, 'set', [1n, json({ name: 'Before' })])
    const page = await openPage(browser, `${url}/token/${art.address}/instance/1`)
    await page.getByRole('heading', { name: /^(Before|#1)/ }).waitFor()
    await send(art, 'set', [1n, json({ name: 'After' })])
    await page.getByRole('button', { name: 'Refresh metadata' }).click()
    await page.getByRole('heading', { name: /^After/ }).waitFor()
    await page.getByText('Read again.').waitFor()
    await expectSound(page)
  }, 60_000)

  it('list the holders of an ERC-1155 item', async () => {
    const { deploy, send, url } = await tokenChain()
    const cards = await deploy('Cards', [json({ name: 'Card' })])
    await send(cards, 'transfer', [`0x${'00'.repeat(20)}`, ALICE, 7n, 5n])
    await send(cards, 'transfer', [ALICE, BOB, 7n, 2n])
    const page = await openPage(browser, `${url}/token/${cards.address}/instance/7?tab=holders`)
    await page.getByRole('tab', { name: 'Holders', selected: true }).waitFor()
    const rows = page.locator('tbody tr')
    const held = async () => (await rows.allInnerTexts()).map((row) => row.trim().split(/\s+/).at(-1))
    // The tab is there before its rows.
    await expect.poll(held).toEqual(['3', '2'])
    await expectSound(page)
  }, 60_000)

  it('neither execute scripts in metadata nor request images of other servers', async () => {
    const { deploy, send, url } = await tokenChain()
    const { requested, url: elsewhere } = await pictureServer()
    const art = await deploy('Drawings')
    const script = `<script>fetch('${elsewhere}/script')</script>`
    const hostile = [
      {
        name: `<img src="${elsewhere}/name">`,
        image: svg(`${script}<image href="${elsewhere}/inner" width="9" height="9"/>`),
      },
      { name: 'Remote', image: `${elsewhere}/remote`, external_url: 'javascript:alert(1)' },
      { name: 'Page', image: 'data:text/html,<script>alert(1)</script>', animation_url: 'data:text/html,<b>no</b>' },
      {
        name: 'n'.repeat(1000),
        description: 'd'.repeat(2000),
        image: svg(''),
        attributes: { a: 'v'.repeat(900), b: { value: 1 } },
      },
      { attributes: [null, 7, 'alone', { value: { deep: [] } }], name: 12, image: 5 },
    ]
    for (const [id, metadata] of hostile.entries()) await send(art, 'mint', [ALICE, BigInt(id), json(metadata)])
    const page = await openPage(browser, `${url}/token/${art.address}?tab=items`)
    let alerts = 0
    page.on('dialog', (dialog) => {
      alerts++
      void dialog.dismiss()
    })
    await page.getByText('Remote').waitFor()
    await expectSound(page)
    for (const id of hostile.keys()) {
      await page.goto(`${url}/token/${art.address}/instance/${id}`)
      await page.getByRole('button', { name: 'Refresh metadata' }).waitFor()
      await expectSound(page)
    }
    await page.goto(`${url}/token/${art.address}/instance/1`)
    const link = page.getByRole('link', { name: `open it at ${new URL(elsewhere).host}` })
    expect(await link.getAttribute('rel')).toContain('noreferrer')
    expect([requested, alerts]).toEqual([[], 0])
  }, 90_000)
})
