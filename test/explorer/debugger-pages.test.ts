// The debugger in a real browser, over the contracts of a Foundry build, whose source's lines the expected values name.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { type Abi, encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NodeOptions } from '../../src/node.ts'
import { CHROMIUM, launchChromium } from '../support/browser.ts'
import { account, testChain } from '../support/chain.ts'
import { expectSound, openPage } from './pages-support.ts'

const BUILD = join(import.meta.dirname, '../contracts/artifacts/builds/foundry/out')
const PHONE = { width: 390, height: 844 }

type Artifact = { readonly abi: Abi; readonly bytecode: { readonly object: Hex } }
const artifact = (name: string): Artifact => JSON.parse(readFileSync(join(BUILD, `Vault.sol/${name}.json`), 'utf8'))

/** A chain with a vault that holds 77 of account 0, `put`, and has refused to give 5000, `take`. */
async function vaultChain(overrides: Partial<NodeOptions> = {}) {
  const chain = await testChain({ ...overrides, explorer: { artifacts: [BUILD] } })
  const send = async (data: Hex, to?: Hex) => {
    const answer = await chain.raw('eth_sendTransaction', { from: account(0).address, to, data, gas: '0x100000' })
    const failed = answer.error?.data as { txHash: Hex } | undefined
    return (answer.result ?? failed?.txHash) as Hex
  }
  const create = async (data: Hex) => {
    const receipt = await chain.viem.getTransactionReceipt({ hash: await send(data) })
    return receipt.contractAddress ?? '0x'
  }
  const { abi, bytecode } = artifact('Vault')
  const sums = await create(artifact('Sums').bytecode.object)
  const linked = bytecode.object.replace(/__\$\w{34}\$__/g, sums.slice(2)) as Hex
  const vault = await create(encodeDeployData({ abi, bytecode: linked }))
  const name = async () => {
    const response = await fetch(`${chain.url}/api/v2/smart-contracts/${vault}`)
    return Reflect.get(Object(await response.json()), 'name')
  }
  await expect.poll(name, { timeout: 30_000 }).toBe('Vault')
  const call = (functionName: string, amount: bigint) => encodeFunctionData({ abi, functionName, args: [amount] })
  const put = await send(call('put', 77n), vault)
  const take = await send(call('take', 5000n), vault)
  return { ...chain, vault, put, take, call }
}

const currentLine = (page: Page) => page.locator('.line.current button')
const atLine = (page: Page, line: number) => currentLine(page).getByText(String(line), { exact: true }).waitFor()
const stepIn = (page: Page) => Number(new URLSearchParams(new URL(page.url()).hash.slice(1)).get('step'))
const part = (page: Page, name: string) =>
  page.locator('details.part', { has: page.locator('summary', { hasText: name }) })

describe.skipIf(CHROMIUM === undefined)('the debugger (skipped without Chromium)', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  }, 60_000)
  afterAll(() => browser.close())

  it('opens at the failure from the page of a transaction, goes to the start and back, and keeps its place in the URL', async () => {
    const { url, take } = await vaultChain()
    const page = await openPage(browser, `${url}/tx/${take}`)
    await page.getByRole('link', { name: 'Debug' }).click()
    // `if (held[msg.sender] < amount) revert NotEnough(…)`
    await atLine(page, 22)
    await page.getByRole('status').getByText('Purse.take').waitFor()
    await page.getByRole('status').getByText('REVERT').waitFor()
    await part(page, 'Variables').getByText('amount').waitFor()
    await part(page, 'Variables').getByText('5000', { exact: true }).waitFor()
    await expect.poll(() => stepIn(page)).toBeGreaterThan(0)
    const failure = stepIn(page)
    await page.getByRole('button', { name: 'Back to the start' }).click()
    await expect.poll(() => stepIn(page)).toBeLessThan(failure)
    await page.keyboard.press('F8')
    await expect.poll(() => stepIn(page)).toBe(failure)
    await page.reload()
    await atLine(page, 22)
    expect(stepIn(page)).toBe(failure)
    await expectSound(page)
  }, 120_000)

  it('steps into a library, out, over, back and to a line, by keys and buttons', async () => {
    const { url, put } = await vaultChain()
    const page = await openPage(browser, `${url}/tx/${put}/debug`)
    // `held[msg.sender] = Sums.add(held[msg.sender], amount)`, the first line
    await atLine(page, 29)
    await page.keyboard.press('F11')
    // `return a + b`
    await atLine(page, 6)
    const stack = page.locator('.frames button')
    expect(await stack.locator('bdi').allInnerTexts()).toEqual(['Sums.add', 'Vault.put'])
    await stack.last().click()
    await atLine(page, 29)
    await page.keyboard.press('Shift+F11')
    await expect.poll(() => stack.count()).toBe(1)
    await atLine(page, 29)
    await page.keyboard.press('n')
    // `emit Put(msg.sender, amount)`
    await atLine(page, 30)
    await page.keyboard.press('Shift+N')
    await atLine(page, 29)
    await page.getByRole('button', { name: 'Run to line 30' }).click()
    await atLine(page, 30)
    await page.getByRole('button', { name: 'Sums.add' }).click()
    await expect.poll(() => stack.first().innerText()).toContain('Sums.add')
    await page.getByRole('button', { name: 'Back out of the function' }).press('Enter')
    await atLine(page, 29)
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Back out of the function')
  }, 120_000)

  it('shows values where they change, and goes from write to write of a slot', async () => {
    const { url, put } = await vaultChain()
    const page = await openPage(browser, `${url}/tx/${put}/debug#step=end`)
    await part(page, 'Events').getByText('amount: 77').waitFor()
    await page.getByRole('button', { name: /^Previous write of slot 0x/ }).click()
    await page.getByRole('status').getByText('SSTORE').waitFor()
    await page.keyboard.press('i')
    // 77, where nothing was.
    await part(page, 'Storage').locator('.changed').filter({ hasText: 'held[0xf39F…2266]' }).getByText('77').waitFor()
    await part(page, 'Slots').locator('.changed').getByText('0x4d').waitFor()
    await page.getByRole('button', { name: /^Next write of slot 0x/ }).click()
    await page.getByText('There is no later write of the slot.').waitFor()
    await page.getByLabel('Number of the step').fill('0')
    await page.getByLabel('Number of the step').press('Enter')
    // The code of a contract begins with the pointer of its free memory: PUSH1 0x80, PUSH1 0x40, MSTORE.
    const opcodes = page.getByRole('region', { name: 'Opcodes' }).getByRole('button')
    expect((await opcodes.allInnerTexts()).slice(0, 3).map((row) => row.split(/\s+/)[1])).toEqual([
      'PUSH1',
      'PUSH1',
      'MSTORE',
    ])
    await opcodes.nth(3).click()
    await expect.poll(() => stepIn(page)).toBe(3)
    await part(page, 'Memory').getByText('00000000000000000000000000000080').waitFor()
  }, 120_000)

  it('debugs a call from the page of a contract, on a phone', async () => {
    const { url, vault } = await vaultChain()
    const page = await openPage(browser, `${url}/address/${vault}?tab=contract&view=write`, { viewport: PHONE })
    await page.locator('summary', { has: page.getByText('take', { exact: true }) }).click()
    const form = page.locator('details[open]')
    await form.getByLabel('amount').fill('78')
    await form.getByRole('button', { name: 'Debug' }).click()
    await atLine(page, 22)
    expect(new URLSearchParams(new URL(page.url()).hash.slice(1)).get('to')?.toLowerCase()).toBe(vault)
    for (const view of ['Calls', 'Opcodes', 'Values', 'Machine', 'Output']) {
      await page.getByRole('button', { name: view, exact: true }).click()
      await expectSound(page)
      await page.setViewportSize(PHONE)
    }
    await part(page, 'Events').waitFor()
    expect(await part(page, 'Memory').isVisible()).toBe(false)
  }, 120_000)

  it('says why there is nothing to debug', async () => {
    const { url, bob, walletOf, raw } = await vaultChain()
    const page = await openPage(browser, `${url}/tx/0x${'12'.repeat(32)}/debug`)
    await page.getByText('transaction not found').waitFor()
    const transfer = await walletOf(0).sendTransaction({ to: bob.address, value: 1n })
    await page.goto(`${url}/tx/${transfer}/debug`)
    await page.getByText('No opcode has run.').waitFor()
    await raw('evm_setAutomine', false)
    const pending = await walletOf(0).sendTransaction({ to: bob.address, value: 1n })
    await page.goto(`${url}/tx/${pending}/debug`)
    await page.getByText('It is not mined yet').waitFor()
    const pruned = await vaultChain({ prune: 1 })
    await pruned.mine(8)
    await page.goto(`${pruned.url}/tx/${pruned.put}/debug`)
    await page.getByText('were pruned').waitFor()
  }, 120_000)
})
