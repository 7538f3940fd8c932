// The storage tab of a contract in a real browser.
import type { Browser, Page } from 'playwright-core'
import { getAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, launchChromium } from '../../support/browser.ts'
import { account, testChain } from '../../support/chain.ts'
import { deployLedger } from '../../support/ledger.ts'
import { expectSound, openPage } from '../pages-support.ts'

describe.skipIf(CHROMIUM === undefined)('the storage tab (skipped without Chromium)', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  }, 60_000)
  afterAll(() => browser.close())

  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
  const named = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) })
  const [carol, dave] = [account(2).address, account(3).address]

  it('shows values, the parts of a variable, keys that are typed in, and histories', async () => {
    const chain = await testChain()
    const { address, call } = await deployLedger(chain)
    await call('set', [1, 7n, 5n, -7n]) // block 2
    await call('set', [2, 8n, 5n, -7n]) // block 3
    await call('write', ['<b>two words</b>', `0x${'ab'.repeat(500)}`])
    await call('transfer', [carol, 300n])
    await call('approve', [dave, 25n])
    for (let i = 0n; i < 60n; i++) await call('add', [i, -i])
    const page = await openPage(browser, `${chain.url}/address/${address}?tab=storage`)
    const text = async (name: string) => (await named(page, name).textContent()) ?? ''
    await named(page, 'level').waitFor()
    // The slot is 1, behind 28 bytes.
    expect(await text('level')).toContain('enum Ledger.LevelHigh1, byte 28')
    expect(await text('title')).toContain('string<b>two words</b>3')
    expect(await text('total')).toContain('uint25610000')
    const { alice } = chain
    expect(await named(page, 'owner').getByRole('link').first().getAttribute('href')).toBe(`/address/${alice.address}`)
    await expectSound(page)

    // The balances that transactions name; then one that nobody has named.
    await page.getByRole('button', { name: 'values of balances' }).click()
    await row(page, '700').waitFor()
    expect(await row(page, '300').getByRole('link').first().getAttribute('href')).toBe(`/address/${carol}`)
    await expectSound(page)
    await page.getByLabel('Key (address)').fill(dave)
    await page.getByRole('button', { name: 'Show value' }).click()
    await page.getByText(`balances[${dave}]`, { exact: true }).waitFor()
    expect(new URL(page.url()).searchParams.get('variable')).toBe(`balances[${dave}]`)
    await page.goBack()
    await row(page, '700').waitFor()

    // A mapping within a mapping.
    await page.getByRole('button', { name: '← all variables' }).click()
    await page.getByRole('button', { name: 'values of allowances' }).click()
    await page.getByRole('button', { name: `values of allowances[${alice.address}]` }).click()
    await row(page, '25').waitFor()

    // The second page of an array, and the members of an element.
    await page.getByRole('button', { name: '← all variables' }).click()
    await page.getByRole('button', { name: '60 elements of points' }).click()
    await page.getByRole('button', { name: 'next →' }).click()
    await page.getByRole('button', { name: 'members of points[59]' }).click()
    await row(page, '-59').waitFor()
    await expectSound(page)

    // What it was before.
    await page.getByRole('button', { name: '← all variables' }).click()
    await page.getByRole('button', { name: 'history of level' }).click()
    await row(page, 'High').waitFor()
    const rows = await page.getByRole('row').allTextContents()
    expect(rows.slice(1).map((of) => /^[A-Z][a-z]+\d/.exec(of)?.[0])).toEqual(['High3', 'Middle2', 'Low1'])
    expect(await row(page, 'High').getByRole('link').allTextContents()).toEqual(['3', expect.stringMatching(/^0x/)])
    await expectSound(page)
  }, 120_000)

  it('says when the variables are not known, with the way to verify them', async () => {
    const chain = await testChain()
    const { address } = await deployLedger(chain, false)
    const page = await openPage(browser, `${chain.url}/address/${address}`, { colorScheme: 'dark' })
    await page.getByRole('tab', { name: 'Storage' }).click()
    await page.getByText('Its variables are not known').waitFor()
    expect(await page.getByRole('link', { name: 'Verify the contract' }).getAttribute('href')).toBe(
      `/verify?address=${getAddress(address)}`,
    )
    await expectSound(page)
  }, 60_000)
})
