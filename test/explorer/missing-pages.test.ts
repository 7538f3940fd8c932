// Pages whose subject the node does not have, in a real browser: why that may be, and where to go on.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, launchChromium } from '../support/browser.ts'
import { account, testChain } from '../support/chain.ts'
import { expectSound, openPage } from './pages-support.ts'

const UNKNOWN = `0x${'12'.repeat(32)}`

describe.skipIf(CHROMIUM === undefined)('pages of what is not there (skipped without Chromium)', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  }, 60_000)
  afterAll(() => browser.close())

  it('name the newest block, and show a block as soon as it is made', async () => {
    const { url, mine } = await testChain()
    await mine(2)
    const page = await openPage(browser, `${url}/block/5`)
    await page.getByRole('heading', { name: 'Block 5: not found' }).waitFor()
    await page.getByText('the newest block is 2').waitFor()
    await page
      .getByRole('navigation', { name: 'Where to go on' })
      .getByRole('link', { name: 'Newest blocks' })
      .waitFor()
    await expectSound(page)
    await mine(3)
    await page.getByRole('heading', { name: /^Block 5/ }).waitFor()
    await page.getByText('State root').waitFor()
    await page.goto(`${url}/block/five`)
    await page.getByText('neither the number of a block nor a hash').waitFor()
  }, 60_000)

  it('name the chain, and what else has a hash', async () => {
    const { url, viem, mine } = await testChain()
    await mine()
    const page = await openPage(browser, `${url}/tx/${UNKNOWN}`)
    await page.getByText(`kestrel with the chain id ${await viem.getChainId()}`).waitFor()
    await page.getByText('evm_revert').waitFor()
    await expectSound(page)
    const { hash } = await viem.getBlock({ blockNumber: 1n })
    await page.goto(`${url}/tx/${hash}`)
    const other = page.getByText('It is the hash of a').getByRole('link', { name: 'block' })
    await other.click()
    await page.getByRole('heading', { name: /^Block 1/ }).waitFor()
    await page.goto(`${url}/tx/0x1234`)
    await page.getByText('64 hexadecimal digits, and here are 4.').waitFor()
  }, 60_000)

  it('lead from an account that is no token to its page', async () => {
    const { url } = await testChain()
    const page = await openPage(browser, `${url}/token/${account(1).address}`)
    await page.getByText('is no token').waitFor()
    await expectSound(page)
    await page.locator(`main a[href="/address/${account(1).address}"]`).click()
    await page.getByText('10,000 KEST').first().waitFor()
    await page.goto(`${url}/address/0x12`)
    await page.getByText('40 hexadecimal digits, and here are 2.').waitFor()
  }, 60_000)

  it('search for the last part of a path that is no page', async () => {
    const { url } = await testChain()
    const page = await openPage(browser, `${url}/account/${account(1).address}`)
    await page.getByText('This explorer has no page at this path').waitFor()
    await page.getByRole('link', { name: 'Search for it' }).click()
    await page.getByText('10,000 KEST').first().waitFor()
    expect(new URL(page.url()).pathname.toLowerCase()).toBe(`/address/${account(1).address.toLowerCase()}`)
  }, 60_000)
})
