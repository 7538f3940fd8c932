// The page of a transaction in a real browser: its failure with the source, its tree of calls, and its gas.
import type { Browser } from 'playwright-core'
import { encodeFunctionData, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compiledChain, lineWith, SHOP, SHOP_FILE, tracedChain } from '../contracts/traces/scenario.ts'
import { CHROMIUM, launchChromium } from '../support/browser.ts'
import { expectSound, openPage } from './pages-support.ts'
import { api } from './support.ts'

it('why it failed names members of enums, for its page as in lists', async () => {
  const { url, rpc, deploy } = await compiledChain(SHOP_FILE, SHOP)
  const shop = await deploy('Shop', 1)
  const hash = await shop.call('order', [{ item: 7n, count: 1n }])
  const reason = 'Missing(item: 7, mode: Closed)'
  expect(await rpc('kestrel_getFailure', hash)).toMatchObject({ reason })
  const { items } = await api(url).read('/transactions?filter=failed&summaries=true')
  const [summary] = (await api(url).read(`/transactions/${hash}/summary`)).data.summaries
  expect(JSON.stringify(summary)).toContain(reason)
  expect(items.map((of: { summary: unknown }) => of.summary)).toEqual([summary])
})

describe.skipIf(CHROMIUM === undefined)('the page of a transaction (skipped without Chromium)', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  }, 60_000)
  afterAll(() => browser.close())

  it('shows why it failed, with the source around the line of each function', async () => {
    const { url, vault, caller } = await tracedChain()
    const page = await openPage(browser, `${url}/tx/${await caller.call('takeFor', vault.address, 5000n)}`)
    const failure = page.getByRole('region', { name: 'Failure' })
    await failure.getByText(/^NotEnough\(who: 0x\w{40}, has: 1, wants: 5000\)$/).waitFor()
    const marked = failure.locator('[aria-current=true]')
    expect(await marked.innerText()).toMatch(/revert NotEnough\(msg\.sender, has, amount\);$/)
    await failure.getByRole('button', { name: /at Caller\.takeFor/ }).click()
    await failure.getByText(`contracts/Scenario.sol:${lineWith('vault.take(amount);')}`, { exact: true }).waitFor()
    expect(await marked.innerText()).toMatch(/vault\.take\(amount\);$/)
    const tree = page.getByRole('region', { name: 'Tree of calls' })
    expect(await tree.getByText(/^NotEnough\(/).count()).toBe(2)
    await expectSound(page)
  }, 60_000)

  it('shows calls with internal ones, events and prints, and still shows calls where debug methods are closed', async () => {
    const { url, vault, caller } = await tracedChain()
    const hash = await caller.call('work', vault.address, 2n)
    const page = await openPage(browser, `${url}/tx/${hash}`)
    const tree = page.getByRole('region', { name: 'Tree of calls' })
    for (const text of ['put(amount: 2)', 'Checks.atMost', 'Checked(amount: 1)', 'sum is 1'])
      await tree.getByText(text, { exact: true }).first().waitFor()
    // The failure that was caught.
    await tree.getByText(/^NotEnough\(/).waitFor()
    await page.getByRole('button', { name: 'Internal calls' }).click()
    await expect.poll(() => tree.getByText('Checks.atMost').count()).toBe(0)
    expect(await tree.getByText('Checked(amount: 1)', { exact: true }).count()).toBe(1)
    await expectSound(page)

    await page.route('**/rpc', async (route) => {
      const body = route.request().postData() ?? ''
      if (!body.includes('debug_')) return route.continue()
      const error = { code: -32601, message: 'the method debug_traceTransaction does not exist' }
      await route.fulfill({ json: [{ jsonrpc: '2.0', id: 0, error }] })
    })
    await page.reload()
    await tree.getByText('staticcall').first().waitFor()
    expect(await tree.getByText('Checks.atMost').count()).toBe(0)
    await page.getByRole('tab', { name: 'Gas' }).click()
    await page.getByText(/^The node does not tell it: the method/).waitFor()
  }, 60_000)

  it('shows storage in its place, marks what a failure has undone, and shows a line in full', async () => {
    const chain = await compiledChain(SHOP_FILE, SHOP)
    const shop = await chain.deploy('Shop', 1)
    const customer = await chain.deploy('Customer')
    await customer.call('stock', shop.address, 1n, { price: 5n, stock: 10n, name: 'tea', mode: 2 })
    const more = [
      { item: 1n, count: 1n },
      { item: 7n, count: 1n },
    ]
    const hash = await customer.call('buy', shop.address, [{ item: 1n, count: 2n }], more)
    const page = await openPage(browser, `${chain.url}/tx/${hash}`)
    const tree = page.getByRole('region', { name: 'Tree of calls' })
    await tree.getByText('→ Open, total: 10', { exact: true }).waitFor()
    await tree.getByText('spent: 0 → 10', { exact: true }).waitFor()
    await tree.getByRole('button', { name: /^write spent: 10 → 12345 undone$/ }).click()
    const details = page.getByRole('region', { name: 'Details of the line' })
    await details.getByText('A call around it failed, so that it has no effect.').waitFor()
    await details.getByText(`0x${'0'.repeat(60)}3039`, { exact: true }).waitFor()
    // 12345 is 0x3039. Of the failed calls one passes the failure of the other on.
    expect(await tree.getByText('Missing(item: 7, mode: Closed)', { exact: true }).count()).toBe(2)
    await expectSound(page)

    const reads = tree.getByText('read', { exact: true })
    expect(await reads.count()).toBe(0)
    await page.getByRole('button', { name: 'Storage reads' }).click()
    await reads.first().waitFor()
    await page.getByRole('button', { name: 'Storage writes' }).click()
    await expect.poll(() => tree.getByText('write', { exact: true }).count()).toBe(0)
    // The arrow keys walk through the lines, and fold and unfold.
    await tree.getByRole('button', { name: /^call Customer buy/ }).focus()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => reads.count()).toBe(0)
    await page.keyboard.press('ArrowRight')
    await reads.first().waitFor()
  }, 60_000)

  it('shows thousands of writes, of which only those in view are in the document', async () => {
    const { url, rpc, alice, deploy } = await compiledChain(SHOP_FILE, SHOP)
    const shop = await deploy('Shop', 1)
    const data = encodeFunctionData({ abi: shop.abi, functionName: 'spin', args: [7_000n] })
    const hash = await rpc('eth_sendTransaction', { from: alice.address, to: shop.address, gas: '0x1c9c380', data })
    const page = await openPage(browser, `${url}/tx/${hash}`)
    await page.getByText('4,000 more reads and writes of storage are not shown', { exact: false }).waitFor()
    const tree = page.getByRole('region', { name: 'Tree of calls' })
    // The last of the 5,000 that are shown writes 4999, which is 0x1387.
    await page.evaluate("document.querySelector('.calls .virtual').scrollTop = 1e9")
    await tree.getByText(/1387$/).waitFor()
    expect(await tree.getByText('write', { exact: true }).count()).toBeLessThan(100)
  }, 60_000)

  it('shows structs and enums by name, and amounts and validators of native calls', async () => {
    const { url, rpc, vault, alice } = await tracedChain()
    const own = [{ to: alice.address, amount: 7n, state: 1 }, [{ to: alice.address, amount: 8n, state: 2 }]] as const
    const page = await openPage(browser, `${url}/tx/${await vault.call('order', ...own)}`)
    const input = page.locator('dd').filter({ hasText: '260 bytes' })
    for (const text of ['Vault.Order first', 'Vault.Order[] more', 'Open', 'Paused'])
      await input.getByText(text, { exact: true }).waitFor()
    await expectSound(page)

    // The validator is given by its operator address in bech32.
    const [operator] = (await api(url).read('/native/validators')).items
    const data = encodeFunctionData({
      abi: parseAbi(['function delegate(address, string, uint256)']),
      args: [alice.address, operator.operator_address, parseEther('2.5')],
    })
    const call = { from: alice.address, to: '0x0000000000000000000000000000000000000800', data, gas: '0x100000' }
    const delegation = await rpc('eth_sendTransaction', call)
    await page.goto(`${url}/tx/${delegation}`)
    // What the contract has moved, to the pool of bonded coins.
    await page.getByRole('button', { name: /^coins 0x\w{4}…\w{4} 2\.5 KEST$/ }).waitFor()
    await page.goto(`${url}/tx/${delegation}?tab=logs`)
    const native = page.locator('dd').filter({ hasText: '196 bytes' })
    await native.getByRole('link', { name: operator.moniker }).waitFor()
    await native.getByText('2.5 KEST', { exact: true }).waitFor()
    const event = page.getByRole('tabpanel')
    await event.getByText('2.5 KEST', { exact: true }).waitFor()
    await expectSound(page)
  }, 60_000)

  it('shows the gas as a flame graph that keys and clicks move through, by function, and by line', async () => {
    const { url, viem, vault, caller } = await tracedChain()
    const hash = await caller.call('work', vault.address, 3n)
    const { gasUsed } = await viem.getTransactionReceipt({ hash })
    const page = await openPage(browser, `${url}/tx/${hash}?tab=gas`)
    await page.getByText(`${gasUsed.toLocaleString('en-US')} gas`, { exact: true }).waitFor()
    const flames = page.getByRole('group', { name: 'Flame graph of the gas' })
    const widthOf = async (name: RegExp) => (await flames.getByRole('button', { name }).boundingBox())?.width ?? 0
    const whole = await widthOf(/^all gas: /)
    expect(await widthOf(/^Vault\.put: /)).toBeLessThan(whole)
    await flames.getByRole('button', { name: /^Vault\.put: / }).click()
    await expect.poll(() => widthOf(/^Vault\.put: /)).toBe(whole)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    expect(await page.locator(':focus').getAttribute('title')).toMatch(/^all gas: /)
    await page.keyboard.press('Enter')
    await expect.poll(() => widthOf(/^Vault\.put: /)).toBeLessThan(whole)
    const functions = page.getByRole('region', { name: 'Gas by function' })
    const row = functions.getByRole('row').filter({ hasText: 'Vault._check' })
    expect(await row.getByRole('cell').nth(1).innerText()).toBe('3')
    const source = page.getByRole('region', { name: 'contracts/Scenario.sol' })
    expect(await source.getByRole('row').filter({ hasText: 'emit Put(' }).innerText()).toMatch(/^[\d,]+ [\d.]+ %\s/)
    await expectSound(page)
  }, 60_000)
})
