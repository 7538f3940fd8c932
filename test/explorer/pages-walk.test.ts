// Every page of the explorer over a chain with hostile and ordinary content, in a real browser: on a desktop and a phone, light
// and dark. No page is wider than the screen, none has a fault that axe finds, none complains on the console, no link is dead.
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PAGES } from '../../src/explorer/pages.ts'
import { CHROMIUM, launchChromium } from '../support/browser.ts'
import { pathsOf } from './pages/examples.ts'
import { play } from './pages/story.ts'
import { scenario } from './scenario.ts'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const DESKTOP = { width: 1280, height: 900 }
const PHONE = { width: 390, height: 844 }
/** Pages that are walked at the same time. */
const WALKERS = 3
/** The first page's scripts, compressed. */
const MOST_BYTES = 150_000

declare global {
  interface Window {
    readonly axe: { run(options: object): Promise<AxeResults> }
  }
}

describe.skipIf(CHROMIUM === undefined)('pages in Chromium (skipped where no Chromium is installed)', () => {
  const on = scenario(play)
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  }, 60_000)
  afterAll(() => browser.close())

  it('fit their screen, are accessible and quiet, and link pages that exist', async () => {
    const { url, made } = on()
    const waiting = pathsOf(made)
    const faults: string[] = []
    const links = new Set<string>()
    const walker = async () => {
      const page = await browser.newPage({ viewport: DESKTOP, reducedMotion: 'reduce' })
      await page.addInitScript({ path: AXE })
      for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
        faults.push(...(await faultsOf(page, url, path)).map((fault) => `${path}: ${fault}`))
        for (const link of await page.locator('a[href^="/"]').evaluateAll(hrefs)) links.add(link)
      }
      await page.close()
    }
    await Promise.all(Array.from({ length: WALKERS }, walker))
    expect(faults).toEqual([])
    expect(links.size).toBeGreaterThan(100)
    expect([...links].filter((link) => !isKnown(link))).toEqual([])
  }, 180_000)

  it('load less than 150 KB of compressed scripts first', async () => {
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

const hrefs = (links: Element[]): string[] => links.map((link) => link.getAttribute('href') ?? '')

/** Whether a link is a page of ours, or of the API. */
const isKnown = (link: string): boolean => {
  const [path = ''] = link.split(/[?#]/)
  if (path.startsWith('/api/v2/')) return true
  return Object.keys(PAGES).some((page) => new RegExp(`^${page.replaceAll(/:\w+/g, '[^/]+')}$`).test(path))
}

/** Loads a page and looks at it in every form. */
async function faultsOf(page: Page, url: string, path: string): Promise<string[]> {
  const faults: string[] = []
  const onFault = (fault: Error) => faults.push(fault.message)
  const onConsole = (message: { type(): string; text(): string }) => {
    // That something is not there is what some pages are about.
    if (message.type() === 'error' && !/40[04]|422/.test(message.text())) faults.push(message.text())
  }
  page.on('pageerror', onFault)
  page.on('console', onConsole)
  await page.setViewportSize(DESKTOP)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(url + path)
  await page.locator('h1').first().waitFor({ state: 'attached' })
  await page.waitForFunction(() => document.querySelector('.loading') === null)
  const widthOf = () => page.evaluate(() => document.documentElement.scrollWidth)
  const colours = { runOnly: { type: 'rule', values: ['color-contrast'] } }
  if ((await widthOf()) > DESKTOP.width) faults.push(`${await widthOf()} px wide on a desktop`)
  faults.push(...(await violations(page, {}, 'desktop, light')))
  await page.emulateMedia({ colorScheme: 'dark' })
  faults.push(...(await violations(page, colours, 'desktop, dark')))
  await page.setViewportSize(PHONE)
  if ((await widthOf()) > PHONE.width) faults.push(`${await widthOf()} px wide on a phone`)
  faults.push(...(await violations(page, {}, 'phone, dark')))
  await page.emulateMedia({ colorScheme: 'light' })
  faults.push(...(await violations(page, colours, 'phone, light')))
  const letters = await page
    .locator('td .mono, td .cut')
    .evaluateAll((cells) => cells.filter((cell) => cell.getClientRects().length > 1).length)
  if (letters > 0) faults.push(`${letters} hashes or names are broken over lines`)
  if ((await page.locator('h1').count()) !== 1) faults.push('does not have one h1')
  page.off('pageerror', onFault)
  page.off('console', onConsole)
  return faults
}

async function violations(page: Page, options: object, form: string): Promise<string[]> {
  const { violations: found } = await page.evaluate((given) => window.axe.run(given), options)
  return found.map(
    ({ id, nodes }) =>
      `${id} (${form}) at ${nodes
        .slice(0, 3)
        .map(({ html }) => html.slice(0, 160))
        .join(' ; ')}`,
  )
}
