// Every page of the explorer over a chain with hostile and ordinary content, in a real browser: on a desktop and a phone, light
// and dark. No page is wider than the screen, has a fault that axe finds, logs an error, or has a dead link.
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PAGES } from '../../src/explorer/pages.ts'
import { CHROMIUM, launchChromium } from '../support/browser.ts'
import { ibcPreset } from '../support/ibc-packets.ts'
import { pathsOf } from './pages/examples.ts'
import { playWithIbc } from './pages/story.ts'
import { CUT_TIMES } from './pages-support.ts'
import { scenario } from './scenario.ts'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const DESKTOP = { width: 1280, height: 900 }
const PHONE = { width: 390, height: 844 }
/** Pages that are visited at the same time. */
const WALKERS = 3
/** Limit for the compressed scripts of the first page. */
const MOST_BYTES = 150_000

describe.skipIf(CHROMIUM === undefined)('pages of the explorer (skipped without Chromium)', () => {
  const on = scenario(playWithIbc, () => ({ spec: ibcPreset() }))
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  }, 60_000)
  afterAll(() => browser.close())

  it('fit their screen, are accessible, log no errors, and have no dead links', async () => {
    const { url, made } = on()
    const waiting = pathsOf(made)
    const faults: string[] = []
    const links = new Set<string>()
    const walker = async () => {
      const page = await browser.newPage({ viewport: DESKTOP, reducedMotion: 'reduce' })
      await page.addInitScript({ path: AXE })
      for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
        faults.push(...(await faultsOf(page, url, path)).map((fault) => `${path}: ${fault}`))
        for (const link of await page.evaluate<string[]>(HREFS)) links.add(link)
      }
      await page.close()
    }
    await Promise.all(Array.from({ length: WALKERS }, walker))
    expect(faults).toEqual([])
    expect(links.size).toBeGreaterThan(100)
    expect([...links].filter((link) => !isKnown(link))).toEqual([])
  }, 300_000)

  it('suggest matches in the search box, and open one by keyboard', async () => {
    const page = await browser.newPage({ viewport: PHONE })
    await page.goto(`${on().url}/blocks`)
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('button', { name: /^Tokens/ }).click()
    await page.getByRole('link', { name: 'Token transfers' }).click()
    await page.getByRole('heading', { name: 'Token transfers' }).waitFor()
    await page.getByRole('searchbox').fill('silver')
    await page.getByRole('option', { name: /Silver Coin/ }).waitFor()
    await page.getByRole('searchbox').press('ArrowDown')
    await page.getByRole('searchbox').press('Enter')
    await page.getByRole('heading', { name: /^Silver Coin/ }).waitFor()
    const path = new URL(page.url()).pathname
    await page.close()
    expect(path).toBe(`/token/${on().made.coin.address}`)
  }, 60_000)

  it('mark names that can be confused with others', async () => {
    const page = await browser.newPage()
    await page.goto(`${on().url}/tokens`)
    const row = page.getByRole('row').filter({ hasText: 'Zerowidth' })
    await row.getByRole('img', { name: /invisible characters/ }).waitFor()
    await row.getByRole('link').first().click()
    await page.getByText('The contract gives a name or symbol with invisible characters').first().waitFor()
    await page.goto(`${on().url}/token/${on().made.coin.address}`)
    await page.getByRole('heading', { name: /^Silver Coin/ }).waitFor()
    const marks = await page.getByRole('img', { name: /characters|scripts|letters/ }).count()
    await page.close()
    expect(marks).toBe(0)
  }, 60_000)

  it('read a mined transaction once, also when blocks follow', async () => {
    const { url, made, mine } = on()
    const page = await browser.newPage()
    const reads: string[] = []
    const own = `/api/v2/transactions/${made.refused}`
    page.on('request', (request) => request.url() === url + own && reads.push(own))
    await page.goto(`${url}/tx/${made.refused}`)
    const confirmations = page.getByText(/\d+ confirmations/)
    const before = Number.parseInt(await confirmations.innerText(), 10)
    // Before the first response the page does not know that it is mined, and reads again on live updates.
    const known = reads.length
    for (let i = 0; i < 4; i++) await mine()
    await page.getByText(`${before + 4} confirmations`).waitFor()
    const more = reads.length - known
    await page.close()
    expect(known).toBeGreaterThan(0)
    expect(more).toBe(0)
  }, 60_000)

  it('load less than 150 KB of compressed scripts initially', async () => {
    const page = await browser.newPage()
    const scripts: string[] = []
    page.on('request', (request) => request.resourceType() === 'script' && scripts.push(request.url()))
    await page.goto(on().url)
    await page.getByRole('heading', { name: 'Latest blocks' }).waitFor()
    const sizes = await Promise.all(scripts.map(async (of) => gzipSync(await (await fetch(of)).text()).length))
    await page.close()
    expect(scripts.length).toBeGreaterThan(1)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES)
  }, 60_000)
})

const HREFS = `[...document.querySelectorAll('a[href^="/"]')].map((link) => link.getAttribute('href'))`

/** Whether a link is a page of the explorer, or of the API. */
const isKnown = (link: string): boolean => {
  const [path = ''] = link.split(/[?#]/)
  if (path.startsWith('/api/v2/')) return true
  return Object.keys(PAGES).some((page) => new RegExp(`^${page.replaceAll(/:\w+/g, '[^/]+')}$`).test(path))
}

/** Loads a page and returns its faults on a light desktop and a dark phone. */
async function faultsOf(page: Page, url: string, path: string): Promise<string[]> {
  const faults: string[] = []
  const onFault = (fault: Error) => faults.push(fault.message)
  const onConsole = (message: { type(): string; text(): string }) => {
    // Some pages request missing records.
    if (message.type() === 'error' && !/status of (404|422)/.test(message.text())) faults.push(message.text())
  }
  page.on('pageerror', onFault)
  page.on('console', onConsole)
  await page.setViewportSize(DESKTOP)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(url + path)
  await page.locator('h1').first().waitFor({ state: 'attached' })
  // Wait until no placeholder is left. A function in the page would need eval, which the policy forbids.
  await expect.poll(() => page.locator('.loading').count(), { timeout: 20_000 }).toBe(0)
  faults.push(...(await faultsNow(page, 'desktop', DESKTOP.width)))
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize(PHONE)
  faults.push(...(await faultsNow(page, 'phone', PHONE.width)))
  if ((await page.locator('h1').count()) !== 1) faults.push('does not have one h1')
  page.off('pageerror', onFault)
  page.off('console', onConsole)
  return faults
}

/** Number of hashes and names in tables that wrap onto several lines. */
const BROKEN =
  '[...document.querySelectorAll("td .mono, td .cut")].filter((of) => of.getClientRects().length > 1).length'
/** Excludes table rows after the sixth, which are like the first. */
const AXE_RUN = 'axe.run({ exclude: [["tbody tr:nth-child(n+7)"]] })'

async function faultsNow(page: Page, form: string, most: number): Promise<string[]> {
  const faults: string[] = []
  const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
  if (width > most) faults.push(`${width} px wide on a ${form}`)
  const broken = Number(await page.evaluate(BROKEN))
  if (broken > 0) faults.push(`${broken} hashes or names broken over lines on a ${form}`)
  const cut = await page.evaluate<string[]>(CUT_TIMES)
  if (cut.length > 0) faults.push(`ages cut on a ${form}: ${cut.slice(0, 3).join(', ')}`)
  const { violations } = await page.evaluate<Pick<AxeResults, 'violations'>>(AXE_RUN)
  for (const { id, nodes } of violations) {
    const places = nodes.slice(0, 3).map(({ html }) => html.slice(0, 160))
    faults.push(`${id} on a ${form} at ${places.join(' ; ')}`)
  }
  return faults
}
