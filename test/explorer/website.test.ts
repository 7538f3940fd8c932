// The node's pages in a real browser. They use only /api/v2 and live updates.
import type { Browser, Page } from 'playwright-core'
import { encodeFunctionData, parseEther } from 'viem'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { CHROMIUM, launchChromium } from '../support/browser.ts'
import { account, testChain } from '../support/chain.ts'
import { token } from '../support/contracts.ts'

it('the node serves the page at / to browsers and a line of text to other clients', async () => {
  const { url } = await testChain()
  const browser = await fetch(url, { headers: { accept: 'text/html,*/*' } })
  expect(browser.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(await browser.text()).toContain('<div id="app">')
  expect(await (await fetch(url)).text()).toContain('JSON-RPC')
  for (const path of ['/', '/blocks', '/api/v2/docs']) {
    const { headers } = await fetch(url + path, { headers: { accept: 'text/html' } })
    expect(headers.get('content-security-policy')).toMatch(/default-src 'self';.*frame-ancestors 'none'/)
    expect(headers.get('content-security-policy')).not.toContain('unsafe')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
  for (const file of ['/web/main.js', '/web/main.css', '/favicon.svg', '/tx/0x00', '/tokens']) {
    expect((await fetch(`${url}${file}`)).status, file).toBe(200)
  }
})

it('the node answers unknown paths with status 404: the page for browsers, JSON for others', async () => {
  const { url } = await testChain()
  const page = await fetch(`${url}/nothing/here`, { headers: { accept: 'text/html' } })
  expect([page.status, await page.text()]).toEqual([404, expect.stringContaining('<div id="app">')])
  for (const path of ['/nothing/here', '/web/absent.js', '/web/..%2fmain.js']) {
    const answer = await fetch(url + path)
    expect(answer.status, path).toBe(404)
    expect(await answer.text(), path).not.toContain('node_modules')
  }
})

describe.skipIf(CHROMIUM === undefined)('the node’s website (skipped without Chromium)', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  }, 60_000)
  afterAll(() => browser.close())

  /** Opens a page that fails the test on script errors or violations of its content security policy. */
  async function open(url: string): Promise<Page> {
    const page = await browser.newPage()
    const faults: unknown[] = []
    page.on('pageerror', (fault) => faults.push(fault))
    page.on('console', (message) => {
      // Some pages request missing records.
      if (message.type() === 'error' && !message.text().includes('404')) faults.push(message.text())
    })
    onTestFinished(async () => {
      await page.close()
      expect(faults).toEqual([])
    })
    await page.goto(url)
    return page
  }

  it('shows new blocks and transactions without a reload, with links to each', async () => {
    const { url, walletOf, viem } = await testChain()
    const page = await open(url)
    await page.getByText('Nothing has been sent on this chain yet.').waitFor()
    const hash = await walletOf(0).sendTransaction({ to: account(1).address, value: parseEther('1.5') })
    await viem.waitForTransactionReceipt({ hash })
    // Without a reload.
    const row = page.locator('[data-test=transactions] li')
    await row.getByText('sent 1.5 KEST to').waitFor()
    await page.locator('[data-test=blocks]').getByText('1 transaction', { exact: true }).waitFor()

    await row.getByTitle(hash).click()
    await page.getByText('success').waitFor()
    await page.getByText(hash).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/tx/${hash}`)
    await page.getByRole('link', { name: account(1).address }).click()
    await page.getByText('10,001.5 KEST').waitFor()
    await page.getByRole('tab', { name: /Coin history/ }).click()
    await page.getByRole('cell', { name: '1.5 KEST', exact: true }).waitFor()
  }, 60_000)

  it('keeps the tab and the page of a list in the URL, for Back and links', async () => {
    const { url, mine } = await testChain()
    await mine(120)
    const page = await open(`${url}/blocks`)
    expect(await page.title()).toBe('Blocks · kestrel')
    await page.getByText('page 1 · 121 in all').waitFor()
    await page.getByRole('button', { name: 'older' }).click()
    await page.getByRole('link', { name: '70', exact: true }).waitFor()
    expect(new URL(page.url()).search).toBe('?page=2&anchor=121')
    await page.getByRole('link', { name: '70', exact: true }).click()
    await page.getByRole('heading', { name: /^Block 70/ }).waitFor()
    await page.goBack()
    await page.getByText('page 2 · 121 in all').waitFor()
    await page.goto(`${url}/address/${account(1).address}?tab=coin-history`)
    await page.getByRole('tab', { name: 'Coin history', selected: true }).waitFor()
    await page.goto(`${url}/nothing`)
    await page.getByRole('heading', { name: 'Not found' }).waitFor()
  }, 60_000)

  it('shows the API’s documentation and can send requests', async () => {
    const { url } = await testChain()
    const page = await open(`${url}/api/v2/docs`)
    await page.getByText('/stats', { exact: true }).first().click()
    await page.getByRole('button', { name: 'Try it out' }).click()
    await page.getByRole('button', { name: 'Execute' }).click()
    const answer = page.getByText('"total_blocks"').first()
    await answer.waitFor()
    expect(await answer.isVisible()).toBe(true)
  }, 60_000)

  it('redirects a search to the page of its one hit', async () => {
    const { url, mine } = await testChain()
    await mine(3)
    const page = await open(`${url}/blocks`)
    await page.getByRole('searchbox').fill('2')
    await page.getByRole('searchbox').press('Enter')
    await page.getByRole('heading', { name: /Block 2/ }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/block\//)
    await page.getByRole('searchbox').fill(account(3).address.toLowerCase())
    await page.getByRole('searchbox').press('Enter')
    await page.getByText('10,000 KEST').first().waitFor()
    await page.goto(`${url}/tx/0x${'12'.repeat(32)}`)
    await page.getByRole('heading', { name: 'Transaction: not found' }).waitFor()
  }, 60_000)

  it('shows a revert reason, state changes and a contract’s code', async () => {
    const { url, walletOf, viem } = await testChain()
    const created = await walletOf(0).deployContract({ ...token, args: ['Token', parseEther('1000')] })
    const { contractAddress: address } = await viem.waitForTransactionReceipt({ hash: created })
    if (!address) throw new Error('the contract was not deployed')
    const send = async (functionName: 'refuse' | 'transfer', ...args: unknown[]) => {
      const data = encodeFunctionData({ abi: token.abi, functionName, args } as Parameters<
        typeof encodeFunctionData
      >[0])
      const hash = await walletOf(0).sendTransaction({ to: address, data, gas: 200_000n })
      return (await viem.waitForTransactionReceipt({ hash })).transactionHash
    }
    const page = await open(`${url}/tx/${await send('refuse', 'not today')}`)
    await page.getByText('execution reverted').waitFor()
    await page.getByRole('region', { name: 'Failure' }).getByText('not today', { exact: true }).waitFor()
    expect(await page.getByText('success', { exact: true }).count()).toBe(0)
    await page.goto(`${url}/tx/${await send('transfer', account(1).address, parseEther('3'))}`)
    await page.getByRole('tab', { name: 'State changes' }).click()
    await page.getByRole('cell', { name: '997', exact: true }).waitFor()
    await page.goto(`${url}/address/${address}`)
    await page.getByRole('tab', { name: 'Contract' }).click()
    await page.getByText((await viem.getCode({ address })) ?? '').waitFor()
  }, 60_000)
})
