// The page of the advanced filters in a real browser: its form, its URL, and its list against the API.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, launchChromium } from '../support/browser.ts'
import { expectSound, openPage } from './pages-support.ts'
import { people, playRandomly } from './random-history.ts'
import { scenario } from './scenario.ts'

const on = scenario(playRandomly)
const [alice = ''] = people

describe.skipIf(CHROMIUM === undefined)('the page of filters (skipped without Chromium)', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  }, 60_000)
  afterAll(() => browser.close())

  it('has its conditions in the URL, in any form that they are written in', async () => {
    const { url, read } = on()
    const page = await openPage(browser, `${url}/advanced-filter`)
    const hashes = () =>
      page
        .locator('tbody td[data-column="Transaction"] a')
        .evaluateAll((all) => all.map((link) => link.getAttribute('title')))
    const expected = async (query: string) =>
      (await read(`/advanced-filters?${query}`)).items.map(({ hash }: { hash: string }) => hash)
    await expect.poll(hashes, { timeout: 10_000 }).toEqual(await expected(''))
    expect((await hashes()).length).toBe(50)
    // With the open form.
    await expectSound(page)

    await page.getByRole('button', { name: 'ERC-20', exact: true }).click()
    await page.getByLabel('Method').fill('transfer, 0xd0e30db0')
    await page.getByLabel('Amount from').fill('0.25')
    await page.getByLabel('Since').fill('2020-01-02T03:04')
    await page.getByRole('button', { name: 'Apply' }).click()
    const query = new URL(page.url()).searchParams
    expect(Object.fromEntries(query)).toEqual({
      transaction_types: 'ERC-20',
      methods: '0xd0e30db0',
      methods_names: 'transfer',
      amount_from: '0.25',
      age_from: '2020-01-02T03:04:00Z',
    })
    const found = await expected(query.toString())
    expect(found.length).toBeGreaterThan(3)
    await expect.poll(hashes, { timeout: 10_000 }).toEqual(found)
    await page.getByText('ERC-20 · since 2020-01-02 03:04 · method').waitFor()
    expect(await page.getByRole('link', { name: 'CSV', includeHidden: true }).getAttribute('href')).toBe(
      `/api/v2/advanced-filters/csv?${query}`,
    )
    await expectSound(page)
    await page.goBack()
    await expect.poll(hashes, { timeout: 10_000 }).toEqual(await expected(''))
  })

  it('turns its pages, and is linked from lists', async () => {
    const { url, read } = on()
    const page = await openPage(browser, `${url}/address/${alice}`, { colorScheme: 'dark' })
    await page.getByRole('link', { name: 'Filter', exact: true }).last().click()
    await page.waitForURL(/advanced-filter/)
    expect(new URL(page.url()).searchParams.get('to_address_hashes_to_include')).toBe(alice)
    await expectSound(page)
    const path = `/advanced-filters?from_address_hashes_to_include=${alice}&to_address_hashes_to_include=${alice}`
    const first = await read(path)
    const second = await read(`${path}&${new URLSearchParams(first.next_page_params)}`)
    const place = () => page.locator('tbody tr').first().textContent()
    await page.getByRole('button', { name: 'older →' }).click()
    await page.waitForURL(/block_number/)
    await expect.poll(place, { timeout: 10_000 }).toContain(`${second.items[0].hash.slice(-6)}`)
    await page.getByRole('button', { name: '← newest' }).click()
    await expect.poll(place, { timeout: 10_000 }).toContain(`${first.items[0].hash.slice(-6)}`)
  })
})
