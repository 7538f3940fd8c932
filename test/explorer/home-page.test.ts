// The home page in a real browser: what happened, what failed and why, the node's accounts, first steps on an empty chain.

import type { Browser, Page } from 'playwright-core'
import { encodeFunctionData, parseEther } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { walletOfMnemonic } from '../../src/wallet/mnemonic.ts'
import { CHROMIUM, launchChromium } from '../support/browser.ts'
import { account, MNEMONIC, testChain } from '../support/chain.ts'
import { token } from '../support/contracts.ts'
import { plainSpec } from '../support/plain-spec.ts'
import { CUT_TIMES, expectSound, openPage } from './pages-support.ts'

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

describe.skipIf(CHROMIUM === undefined)('the home page (skipped without Chromium)', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  }, 60_000)
  afterAll(() => browser.close())

  it('says what happened and what failed and why, as it happens', async () => {
    const { url, walletOf, viem } = await testChain()
    const deployed = await walletOf(0).deployContract({ ...token, args: ['Token', parseEther('5')] })
    const { contractAddress: to } = await viem.waitForTransactionReceipt({ hash: deployed })
    const page = await openPage(browser, url)
    await region(page, 'Latest transactions').getByText('created').waitFor()
    expect(await region(page, 'What failed, and why').count()).toBe(0)
    const data = encodeFunctionData({ abi: token.abi, functionName: 'refuse', args: ['not today'] })
    const hash = await walletOf(1).sendTransaction({ to, data, gas: 200_000n })
    // Without a reload.
    await region(page, 'What failed, and why').getByText('not today').waitFor()
    const newest = page.locator('[data-test=transactions] li').first()
    await newest.getByText('failed', { exact: true }).waitFor()
    await newest.getByText(/^\d+ s ago$/).waitFor()
    await expectSound(page)
    await region(page, 'What failed, and why').getByRole('link', { name: 'all →' }).click()
    const row = page.getByRole('row').filter({ hasText: 'not today' })
    expect(await row.getByRole('link').first().getAttribute('href')).toBe(`/tx/${hash}`)
    await expectSound(page)
  }, 60_000)

  it('shows the accounts that the node sends for, with balances and numbers of transactions', async () => {
    const { url, walletOf } = await testChain()
    const page = await openPage(browser, url)
    const accounts = region(page, 'Accounts of this node').getByRole('listitem')
    await accounts.nth(9).waitFor()
    expect(await accounts.count()).toBe(10)
    await walletOf(2).sendTransaction({ to: account(3).address, value: parseEther('7.5') })
    await accounts.nth(3).getByText('10,007.5 KEST').waitFor()
    await accounts.nth(2).getByText('1 sent').waitFor()
    await expectSound(page)
  }, 60_000)

  it('says on an empty chain how to connect', async () => {
    const { url, viem } = await testChain()
    const page = await openPage(browser, url)
    await page.getByText(url, { exact: true }).first().waitFor()
    await page.getByText(String(await viem.getChainId()), { exact: true }).waitFor()
    await page.getByText(`cast send --rpc-url ${url} --unlocked`).waitFor()
    await expectSound(page)
  }, 60_000)

  it('has no accounts on a node without keys', async () => {
    const { url } = await testChain({
      rpc: { development: false },
      wallet: walletOfMnemonic(MNEMONIC, 0),
      spec: plainSpec(account(0).address),
    })
    const page = await openPage(browser, url)
    await page.getByText('Nothing has been sent on this chain yet.').waitFor()
    await region(page, 'Latest blocks').getByRole('listitem').waitFor()
    expect(await region(page, 'Accounts of this node').count()).toBe(0)
    expect(await page.getByText('cast send').count()).toBe(0)
    await expectSound(page)
  }, 60_000)

  it('tells how many transactions wait, also of those that come while it is shown, and why', async () => {
    const { url, rpc, walletOf, mine } = await testChain()
    await rpc('evm_setAutomine', false)
    await rpc('evm_setIntervalMining', 0)
    const send = () => walletOf(0).sendTransaction({ to: account(1).address, value: 1n })
    await send()
    const page = await openPage(browser, url)
    const waiting = page.locator('[data-test=waiting]')
    await expect.poll(() => waiting.innerText()).toBe('1 transaction waits; blocks are made on request only')
    await send()
    await expect.poll(() => waiting.innerText()).toBe('2 transactions wait; blocks are made on request only')
    await expectSound(page)
    await waiting.getByRole('link').click()
    await page.getByRole('tab', { name: 'Waiting', selected: true }).waitFor()
    await page.goto(url)
    await waiting.waitFor()
    await mine()
    await expect.poll(() => waiting.count()).toBe(0)
  }, 60_000)

  it('reads at most six answers for each change that it shows', async () => {
    const { url, mine } = await testChain()
    const page = await openPage(browser, url)
    await region(page, 'Accounts of this node').getByRole('listitem').first().waitFor()
    // What is read after the page has joined its topics is no change.
    await page.waitForLoadState('networkidle')
    const reads: string[] = []
    page.on('request', (request) => reads.push(new URL(request.url()).pathname))
    for (let i = 0; i < 10; i++) await mine()
    await page.locator('[data-test=blocks]').getByRole('link', { name: '10', exact: true }).waitFor()
    await page.waitForLoadState('networkidle')
    const rounds = reads.filter((path) => path === '/api/v2/stats').length
    expect(rounds).toBeGreaterThan(0)
    expect(rounds).toBeLessThanOrEqual(10)
    expect(reads.length).toBeLessThanOrEqual(6 * rounds)
  }, 60_000)

  it('cuts no age', async () => {
    const { url, walletOf, mine } = await testChain()
    const deployed = await walletOf(0).sendTransaction({ data: '0xfe', gas: 100_000n })
    await walletOf(0).sendTransaction({ to: account(1).address, value: 1n })
    await mine()
    for (const minutes of [16, 60 * 24 * 333]) {
      // The browser's clock is ahead.
      const init = `{ const now = Date.now; Date.now = () => now() + ${minutes * 60_000} }`
      const page = await openPage(browser, url, { init })
      for (const path of ['/', '/txs', '/blocks']) {
        await page.goto(url + path)
        await page.locator('time').first().waitFor()
        await page.getByText(deployed.slice(0, 8)).or(page.getByText('Gas used')).first().waitFor()
        for (const width of [390, 1280]) {
          await page.setViewportSize({ width, height: 900 })
          expect(await page.locator('time').first().innerText()).toMatch(
            minutes === 16 ? /^1\d min ago$/ : /^33\d d ago$/,
          )
          expect(await page.evaluate<string[]>(CUT_TIMES), `${path} at ${width} px`).toEqual([])
        }
      }
    }
  }, 90_000)
})
