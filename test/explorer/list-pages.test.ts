// Lists of the explorer's pages in a real browser: rows say what differs, and are few lines on a phone.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, launchChromium } from '../support/browser.ts'
import { HOSTILE, play } from './pages/story.ts'
import { openPage } from './pages-support.ts'
import { scenario } from './scenario.ts'

const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 1280, height: 900 }

describe.skipIf(CHROMIUM === undefined)('lists on pages (skipped without Chromium)', () => {
  const on = scenario(play)
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  }, 60_000)
  afterAll(() => browser.close())

  const rows = (page: Page) => page.locator('tbody tr')
  const open = async (path: string, viewport = DESKTOP) => {
    const page = await openPage(browser, `${on().url}${path}`, { viewport })
    await rows(page).first().waitFor()
    return page
  }

  it('mark the transactions that failed, and no others', async () => {
    const { read, made } = on()
    const { items } = await read('/transactions')
    const failed = items.filter(({ status }: { status: string }) => status === 'error')
    expect(failed.map(({ hash }: { hash: string }) => hash)).toEqual([made.failed, made.refused])
    const page = await open('/txs')
    const marked = rows(page).filter({ hasText: 'failed' })
    expect(await marked.count()).toBe(failed.length)
    for (const { hash } of failed) expect(await marked.filter({ has: page.getByTitle(hash) }).count()).toBe(1)
    expect(await page.getByText('success').count()).toBe(0)
  }, 60_000)

  it('show values only where there are any, and all fees in one unit with digits', async () => {
    const { items } = await on().read('/transactions')
    const page = await open('/txs')
    const texts = async (column: string) => {
      const all = await page.locator(`td[data-column=${column}]`).allInnerTexts()
      return all.map((text) => text.trim())
    }
    const values = await texts('Value')
    const isZero = items.map(({ value }: { value: string }) => value === '0')
    expect(values.map((text) => text === '—')).toEqual(isZero)
    expect(values.filter((text) => text.startsWith('<') || text.startsWith('0 '))).toEqual([])
    expect(values).toEqual(expect.arrayContaining(['1.5 KEST', '7 wei', '1,000 wei']))
    // The dearest is a creation and the cheapest a transfer of 21,000 gas, both at more than a gwei: gwei without decimals.
    expect(await page.getByRole('columnheader', { name: 'Fee' }).innerText()).toBe('Fee gwei')
    const gwei = (wei: string) => (BigInt(wei) / 10n ** 9n).toLocaleString('en-US')
    expect(await texts('Fee')).toEqual(items.map(({ fee }: { fee: { value: string } }) => gwei(fee.value)))
  }, 60_000)

  it('have more than five transactions on the first screen of a phone, each with what matters', async () => {
    const { read } = on()
    const page = await open('/txs', PHONE)
    const bottoms = await rows(page).evaluateAll((all) => all.map((row) => row.getBoundingClientRect().bottom))
    expect(bottoms.filter((bottom) => bottom <= PHONE.height).length).toBeGreaterThan(5)
    const { items } = await read('/transactions')
    const failed = items.findIndex(({ status }: { status: string }) => status === 'error')
    const of = items[failed]
    const row = await rows(page).nth(failed).innerText()
    const short = (hash: string) => `${hash.slice(0, 8)}…${hash.slice(-6)}`
    for (const text of [short(of.hash), 'failed', of.method, short(of.from.hash), of.to.name, ' ago']) {
      expect(row).toContain(text)
    }
    for (const path of ['/blocks', '/token-transfers', '/internal-txs', '/accounts', '/tokens', '/validators']) {
      await page.goto(on().url + path)
      await rows(page).first().waitFor()
      const heights = await rows(page).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
      expect(Math.max(...heights), path).toBeLessThan(125)
    }
  }, 60_000)

  it('say in, out or self on the page of an address, which is no link to itself', async () => {
    const { made } = on()
    const page = await open(`/address/${made.bob}`)
    const directions = await page.locator('td .direction').allInnerTexts()
    const { items } = await on().read(`/addresses/${made.bob}/transactions`)
    expect(directions).toEqual(
      items.map(({ from, to }: { from: { hash: string }; to: { hash: string } }) =>
        from.hash !== made.bob ? 'in' : to.hash === made.bob ? 'self' : 'out',
      ),
    )
    expect(await page.locator(`td a[href="/address/${made.bob}"]`).count()).toBe(0)
    expect(new Set(directions)).toEqual(new Set(['in', 'out']))
  }, 60_000)

  it('name tokens in their own list only: their names are chosen by others', async () => {
    const { made } = on()
    const page = await open(`/address/${made.bob}`)
    const record = page.locator('main > section').first()
    const [, [, symbol]] = HOSTILE
    expect(await record.locator('a[href^="/token/"]').count()).toBe(0)
    await record.getByRole('button', { name: 'Show 10', exact: true }).click()
    await page.getByRole('cell').getByText(symbol, { exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe('?tab=tokens')
  }, 60_000)
})
