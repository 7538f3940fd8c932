// The contract tab and the verification form in a real browser: sources, reads, writes with wallets, proxies.
import type { Browser, Page } from 'playwright-core'
import { type Abi, getAddress, type Hex, parseEther } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, launchChromium } from '../../support/browser.ts'
import { account, testChain } from '../../support/chain.ts'
import { expectSound, openPage } from '../pages-support.ts'
import { announcedWallet, injectedWallet } from './announced-wallet.ts'
import { PROXY_SOURCES, SHOP_SOURCES } from './shop.ts'
import { compile, compilerVersion, type Input, standardInput } from './support.ts'

const input = standardInput(SHOP_SOURCES)

/** A chain with the shop contract, and helpers. */
async function shopChain() {
  const chain = await testChain()
  const deploy = async (artifact: { abi: Abi; bytecode: Hex }, args: readonly unknown[]) => {
    const hash = await chain.walletOf(0).deployContract({ ...artifact, args })
    const { contractAddress } = await chain.viem.waitForTransactionReceipt({ hash })
    return getAddress(contractAddress ?? '0x')
  }
  const artifact = compile(input)('src/Shop.sol:Shop')
  const shop = await deploy(artifact, ['Corner shop'])
  const read = (functionName: string, args: readonly unknown[] = [], address = shop) =>
    chain.viem.readContract({ address, abi: artifact.abi, functionName, args })
  const verify = async (address = shop) => {
    const form = new FormData()
    form.set('compiler_version', compilerVersion())
    form.set('files[0]', new Blob([JSON.stringify(input)]), 'input.json')
    const path = `${chain.url}/api/v2/smart-contracts/${address}`
    await fetch(`${path}/verification/via/standard-input`, { method: 'POST', body: form })
    const record = async () => (await fetch(path)).json()
    await expect.poll(record, { timeout: 60_000 }).toMatchObject({ is_verified: true })
  }
  const tab = (view: string, address = shop) => `${chain.url}/address/${address}?tab=contract&view=${view}`
  return { ...chain, abi: artifact.abi, deploy, shop, read, verify, tab }
}

const fileOf = (value: Input | string, name: string) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
})

/** Opens the form of a function. */
const unfold = (page: Page, name: string) =>
  page.locator('summary', { has: page.getByText(name, { exact: true }) }).click()

describe.skipIf(CHROMIUM === undefined)('the contract pages (skipped without Chromium)', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  }, 60_000)
  afterAll(() => browser.close())

  it('verify a contract by its standard JSON input, and explain why another input does not match', async () => {
    const { url, shop } = await shopChain()
    const page = await openPage(browser, `${url}/address/${shop}?tab=contract`)
    await page.getByRole('link', { name: 'Verify it' }).click()
    expect(new URL(page.url()).search).toBe(`?address=${shop}`)
    // The compiler version is in the contract's metadata, so it is preselected.
    const version = compilerVersion()
    await page.getByText(`names solc ${version.slice(1).split('+')[0]}.`).waitFor()
    expect(await page.getByLabel('Compiler', { exact: true }).inputValue()).toBe(version)
    const sources = page.getByLabel('Standard JSON input (a file)')
    const other = standardInput({ ...SHOP_SOURCES, 'src/Shop.sol': 'contract Shop { uint256 public one = 1; }' })
    await sources.setInputFiles(fileOf(other, 'input.json'))
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('sources or settings differ').waitFor({ timeout: 60_000 })
    await expectSound(page)
    await sources.setInputFiles(fileOf(input, 'input.json'))
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('Verified.').waitFor({ timeout: 60_000 })
    await page.getByRole('link', { name: 'See the contract' }).click()
    await page.getByText('exact match').waitFor()
  }, 120_000)

  it('verify a contract by several files with editable paths', async () => {
    const { url, shop } = await shopChain()
    const page = await openPage(browser, `${url}/verify?address=${shop}`)
    await page.getByRole('radio', { name: /^Several files/ }).check()
    await page
      .getByLabel('Source files', { exact: true })
      .setInputFiles([
        fileOf(SHOP_SOURCES['src/Shop.sol'], 'Shop.sol'),
        fileOf(SHOP_SOURCES['src/lib/Orders.sol'], 'Orders.sol'),
      ])
    await page.getByLabel('Path of file 1').fill('src/Shop.sol')
    await page.getByLabel('Path of file 2').fill('src/lib/Orders.sol')
    await page.getByLabel('Optimizer', { exact: true }).selectOption('on')
    await page.getByLabel('Licence').selectOption('mit')
    await expectSound(page)
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('Verified.').waitFor({ timeout: 60_000 })
    const record = await (await fetch(`${url}/api/v2/smart-contracts/${shop}`)).json()
    expect(record).toMatchObject({ is_fully_verified: true, license_type: 'mit', optimization_runs: 200 })
  }, 120_000)

  it('show sources by file with highlighting, constructor arguments, settings, and downloads', async () => {
    const { verify, tab } = await shopChain()
    await verify()
    const page = await openPage(browser, tab('code'))
    const source = page.getByRole('region', { name: 'src/Shop.sol' })
    await source.locator('.token.keyword', { hasText: 'contract' }).first().waitFor()
    expect(await source.locator('pre').last().textContent()).toBe(SHOP_SOURCES['src/Shop.sol'])
    await page.getByRole('button', { name: 'Orders.sol' }).click()
    await page.getByRole('region', { name: 'src/lib/Orders.sol' }).getByText('What somebody wants.').waitFor()
    expect(new URL(page.url()).searchParams.get('file')).toBe('src/lib/Orders.sol')
    await page.getByText('Corner shop').waitFor()
    await page.getByText('enabled, 200 runs').waitFor()
    await expectSound(page)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download standard JSON' }).click()
    expect((await saving).suggestedFilename()).toBe('Shop.standard-input.json')
    const saved = JSON.parse(String(await readAll(await (await saving).createReadStream())))
    expect(saved).toEqual(input)
  }, 120_000)

  it('read values without arguments at once, and others by forms that refuse wrong types', async () => {
    const { verify, tab, walletOf, shop, abi, viem } = await shopChain()
    await verify()
    const before = await viem.getBlockNumber()
    await walletOf(0).writeContract({ address: shop, abi, functionName: 'rename', args: ['Other shop'] })
    const page = await openPage(browser, tab('read'))
    await page.getByText('Other shop').waitFor()
    await page
      .getByRole('link', { name: account(0).address })
      .first()
      .waitFor()
    await unfold(page, 'sum')
    const values = page.getByLabel('values')
    await values.fill('[1, two]')
    await page.locator('form').getByRole('button', { name: 'Read', exact: true }).click()
    await page.getByText('[1]: A whole number is expected.').waitFor()
    await values.fill('[1, 2, 1.5e18]')
    await values.press('Tab')
    await page.keyboard.press('Enter')
    // 1 + 2 + 1.5 · 10^18
    await page.getByText('1500000000000000003').waitFor()
    await expectSound(page)
    await page.getByLabel('Block', { exact: true }).fill(String(before))
    await page.getByText('Corner shop').waitFor()
  }, 120_000)

  it('write with a wallet announced by EIP-6963, to which the chain is added, and explain refusals', async () => {
    const { verify, tab, url, read } = await shopChain()
    await verify()
    const sender = account(3).address.toLowerCase()
    const page = await openPage(browser, tab('write'), { init: announcedWallet({ url, account: sender }) })
    await page.getByRole('button', { name: 'Test wallet' }).click()
    await page.getByRole('button', { name: 'Switch to kestrel' }).waitFor()
    await unfold(page, 'buy')
    await page.getByLabel('order').fill(`{"buyer": ${account(1).address}, "items": [7, 8], "tag": "0x12345678"}`)
    await page.getByLabel('gift').selectOption('true')
    await page.getByLabel('Value in KEST').first().fill('1.5')
    const write = page.locator('details[open]').getByRole('button', { name: 'Write' })
    await write.click()
    await page.getByText('Reverted: TooCheap(offered: 1500000000000000000, wanted: 2000000000000000000)').waitFor()
    await page.getByLabel('Value in KEST').first().fill('2.5')
    await page.evaluate('wallet.refuses = true')
    await write.click()
    await page.getByText('The request was refused in the wallet.').waitFor()
    await page.evaluate('wallet.refuses = false')
    await write.click()
    await page.locator('details[open]').getByText('success').waitFor()
    await expectSound(page)
    expect(await read('paid', [account(1).address])).toBe(parseEther('2.5'))
    expect(await read('lastOrder')).toEqual([{ buyer: account(1).address, items: [7n, 8n], tag: '0x12345678' }, 2n])
    expect(await page.evaluate('wallet.added')).toEqual({
      chainId: '0x7d',
      chainName: 'kestrel',
      rpcUrls: [`${url}/rpc`],
      blockExplorerUrls: [url],
      nativeCurrency: { name: 'KEST', symbol: 'KEST', decimals: 18 },
    })
    await page.locator('details[open]').getByRole('link', { name: /^0x/ }).click()
    await page.getByRole('heading', { name: /^Transaction/ }).waitFor()
  }, 120_000)

  it('find a wallet that is not announced, and remember it after a reload', async () => {
    const { verify, tab, url, read } = await shopChain()
    await verify()
    const sender = account(4).address.toLowerCase()
    const page = await openPage(browser, tab('write'), { init: injectedWallet({ url, account: sender }) })
    await page.getByRole('button', { name: 'Browser wallet' }).click()
    await page.getByLabel('Account (Browser wallet)').waitFor()
    await page.reload()
    await page.getByLabel('Account (Browser wallet)').waitFor()
    await unfold(page, 'send coins')
    await page.locator('details[open]').getByLabel('Value in KEST').fill('0.25')
    // By keyboard: from the field to the button.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.locator('details[open]').getByText('success').waitFor()
    expect(await read('paid', [account(4).address])).toBe(parseEther('0.25'))
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByRole('button', { name: 'Browser wallet' }).waitFor()
  }, 120_000)

  it('call a proxy with its implementation’s functions, from an account of the node', async () => {
    const { verify, tab, deploy, shop, read } = await shopChain()
    await verify()
    const proxy = await deploy(compile(standardInput(PROXY_SOURCES))('src/Proxy.sol:Proxy'), [shop])
    const page = await openPage(browser, tab('proxy-write', proxy))
    await page.getByRole('button', { name: 'Accounts of this node' }).click()
    await page.getByLabel('Account (Accounts of this node)').selectOption({ index: 2 })
    await unfold(page, 'rename')
    await page.getByLabel('to').fill('By proxy')
    await page.locator('details[open]').getByRole('button', { name: 'Simulate' }).click()
    await page.getByText('It would succeed.').waitFor()
    await page.locator('details[open]').getByRole('button', { name: 'Write' }).click()
    await page.locator('details[open]').getByText('success').waitFor()
    expect([await read('name', [], proxy), await read('name')]).toEqual(['By proxy', 'Corner shop'])
    await page.getByRole('button', { name: 'Read as proxy' }).click()
    await page.getByText('By proxy').waitFor()
    // The wallet stays connected, so reads use its account.
    await page.getByRole('link', { name: account(2).address }).waitFor()
    await expectSound(page)
  }, 120_000)
})

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
