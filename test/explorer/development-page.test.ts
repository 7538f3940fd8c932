// The development panel in a real browser; a node in production has none.
import type { Browser, Page } from 'playwright-core'
import { parseEther } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, launchChromium } from '../support/browser.ts'
import { account, testChain } from '../support/chain.ts'
import { plainSpec } from '../support/plain-spec.ts'
import { expectSound, openPage } from './pages-support.ts'

it('the node serves the panel in development only, and pages of modules only with native modules', async () => {
  const statusOf = async (url: string, path: string) =>
    (await fetch(url + path, { headers: { accept: 'text/html' } })).status
  const development = await testChain()
  const production = await testChain({ rpc: { development: false }, spec: plainSpec(account(0).address) })
  expect(await statusOf(development.url, '/dev')).toBe(200)
  expect(await statusOf(production.url, '/dev')).toBe(404)
  expect(await statusOf(development.url, '/validators')).toBe(200)
  expect(await statusOf(production.url, '/validators')).toBe(404)
})

describe.skipIf(CHROMIUM === undefined)('the development panel (skipped without Chromium)', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  }, 60_000)
  afterAll(() => browser.close())

  const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

  it('mines blocks, moves the clock, reverts to a snapshot, and sends coins', async () => {
    const { url, viem, rpc } = await testChain()
    const page = await openPage(browser, `${url}/dev`)
    const timeline = part(page, 'Timeline')
    await timeline.getByRole('button', { name: 'Take a snapshot' }).click()
    await page.getByText(/^Snapshot \d+ was taken/).waitFor()

    const blocks = part(page, 'Blocks')
    await blocks.getByLabel('Number of blocks').fill('1.5')
    await blocks.getByRole('button', { name: 'Make blocks' }).click()
    await page.getByText('A whole number from 1 on is expected.').waitFor()
    await blocks.getByLabel('Number of blocks').fill('5')
    await blocks.getByLabel('Number of blocks').press('Enter')
    await page.getByText('5 blocks were made.').waitFor()
    expect(await viem.getBlockNumber()).toBe(5n)

    const before = await viem.getBlock()
    const clock = part(page, 'Clock')
    await clock.getByLabel('Seconds to go forward').fill('86400')
    await clock.getByRole('button', { name: 'Go forward' }).click()
    await page.getByText(/^The clock went 86,400 s forward/).waitFor()
    expect((await viem.getBlock()).timestamp - before.timestamp).toBeGreaterThanOrEqual(86_400n)

    const stranger = '0x000000000000000000000000000000000000dEaD'
    const faucet = part(page, 'Faucet')
    await faucet.getByLabel('Address').fill('somebody')
    await faucet.getByRole('button', { name: 'Send coins' }).click()
    await page.getByText('An address is expected: 0x and 40 hexadecimal digits.').waitFor()
    await faucet.getByLabel('Address').fill(stranger)
    await faucet.getByLabel('Amount in KEST').fill('2.5')
    await faucet.getByRole('button', { name: 'Send coins' }).click()
    await page.getByText(/^2.5 KEST sent/).waitFor()
    expect(await viem.getBalance({ address: stranger })).toBe(parseEther('2.5'))
    await expectSound(page)

    // 5 blocks, the one of the clock, and the transfer's.
    await timeline.getByText('loses 7 blocks, 1 transaction', { exact: true }).waitFor()
    await timeline.getByRole('button', { name: 'Go back' }).click()
    await timeline.getByText('Back to snapshot 1: lost 7 blocks, 1 transaction', { exact: true }).waitFor()
    // The page has taken another one at the same point.
    await timeline.getByText('nothing would be lost', { exact: true }).waitFor()
    expect(await timeline.getByText('used up', { exact: true }).count()).toBe(1)
    expect([await viem.getBlockNumber(), await viem.getBalance({ address: stranger })]).toEqual([0n, 0n])
    expect(await rpc('anvil_getAutomine')).toBe(true)
    await blocks.getByRole('button', { name: 'Stop automatic mining' }).click()
    await blocks.getByRole('button', { name: 'Make a block for each transaction' }).waitFor()
    expect(await rpc('anvil_getAutomine')).toBe(false)
  }, 60_000)

  it('shows without a reload what other programs do: edits, time jumps, reverts', async () => {
    const { url, rpc, mine } = await testChain()
    const page = await openPage(browser, `${url}/dev`)
    const timeline = part(page, 'Timeline')
    await timeline.getByText(/^Nothing has happened yet\./).waitFor()
    const id = await rpc('evm_snapshot')
    await rpc('anvil_setBalance', account(1).address, '0x4563918244f40000')
    await timeline.getByText('10,000 → 5 KEST', { exact: true }).waitFor()
    await rpc('evm_increaseTime', 3600)
    await timeline.getByText('evm_increaseTime(3600)', { exact: true }).waitFor()
    await mine(3)
    await timeline.getByText('loses 3 blocks, 1 edit', { exact: true }).waitFor()
    await rpc('evm_revert', id)
    await timeline.getByText('Back to snapshot 1: lost 3 blocks, 1 edit', { exact: true }).waitFor()
    expect(await timeline.getByText('undone', { exact: true }).count()).toBe(2)
    await expectSound(page)
  }, 60_000)

  it('sets balances and impersonates accounts', async () => {
    const { url, viem, rpc } = await testChain()
    const stranger = '0x000000000000000000000000000000000000bEEF'
    const page = await openPage(browser, `${url}/dev`)
    const accounts = part(page, 'Accounts')
    await accounts.getByLabel('Account', { exact: true }).fill(stranger)
    await accounts.getByLabel('New balance in KEST').fill('3')
    await accounts.getByRole('button', { name: 'Set the balance' }).click()
    await page.getByText('It has 3 KEST now.').waitFor()
    expect(await viem.getBalance({ address: stranger })).toBe(parseEther('3'))
    await accounts.getByLabel('Account to impersonate').fill(stranger)
    await accounts.getByRole('button', { name: 'Impersonate', exact: true }).click()
    await page.getByText(/^It is one of this node’s accounts now/).waitFor()
    await rpc('eth_sendTransaction', { from: stranger, to: account(0).address, value: '0x1' })
    await accounts.getByRole('button', { name: /^Stop impersonating/ }).click()
    await page.getByRole('button', { name: /^Stop impersonating/ }).waitFor({ state: 'detached' })
    expect(await rpc('eth_accounts')).not.toContain(stranger.toLowerCase())
  }, 60_000)

  it('is not linked in production, where its path is unknown', async () => {
    const { url } = await testChain({ rpc: { development: false } })
    const page = await openPage(browser, `${url}/dev`)
    await page.getByRole('heading', { name: 'Not found' }).waitFor()
    expect(await page.locator('a[href="/dev"]').count()).toBe(0)
    expect(await page.locator('a[href="/validators"]').count()).toBe(1)
  }, 60_000)

  it('draws charts whose values are also in a table', async () => {
    const { url, viem, dev, walletOf, mine } = await testChain()
    await mine(2)
    const hash = await walletOf(0).sendTransaction({ to: account(1).address, value: 1n })
    const { blockNumber, gasUsed } = await viem.waitForTransactionReceipt({ hash })
    const page = await openPage(browser, `${url}/stats`)
    const chart = page.getByRole('figure', { name: /Gas used by block/ })
    await chart.locator('canvas').waitFor()
    await chart.getByText('As a table').click()
    const row = chart.getByRole('row', { name: new RegExp(`^${blockNumber} `) })
    expect(await row.getByRole('cell').last().innerText()).toBe(gasUsed.toLocaleString('en-US'))
    await expectSound(page)
    await page.getByRole('tab', { name: 'Transactions' }).click()
    await page.getByRole('figure', { name: 'Number of transactions' }).locator('canvas').waitFor()
    await expectSound(page)
    // The value of the last point stands beside the title; a library's legend does not.
    expect(await chart.locator('.u-legend').count()).toBe(0)
    await page.goto(url)
    await page.getByRole('heading', { name: 'Latest blocks' }).waitFor()
    const days = page.getByRole('figure', { name: 'Transactions per day' })
    expect(await days.count()).toBe(0)
    await dev.increaseTime({ seconds: 86_400 })
    await walletOf(0).sendTransaction({ to: account(1).address, value: 1n })
    await page.reload()
    await days.locator('canvas').waitFor()
    await expectSound(page)
  }, 60_000)
})
