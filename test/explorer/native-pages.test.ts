// The pages of the native modules in a real browser: stake and votes with a wallet, checked against the contracts.
import type { Browser, Page } from 'playwright-core'
import { parseEther } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { evmParams, GOV, abi as govAbi, govChain, NO, VALIDATORS, vote, YES } from '../precompiles/gov-support.ts'
import { A, abi, B, COIN, delegate, owner, STAKING, stakingChain, undelegate } from '../precompiles/staking-support.ts'
import { CHROMIUM, launchChromium } from '../support/browser.ts'
import { account } from '../support/chain.ts'
import { announcedWallet } from './contracts/announced-wallet.ts'
import { expectSound, openPage } from './pages-support.ts'

const connect = (page: Page) => page.getByRole('button', { name: 'Test wallet' }).click()
const success = (page: Page) => page.getByText('success', { exact: true }).waitFor()

describe.skipIf(CHROMIUM === undefined)('the pages of the modules (skipped without Chromium)', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  }, 60_000)
  afterAll(() => browser.close())

  it('delegate, redelegate and undelegate with a wallet', async () => {
    const { url, viem } = await stakingChain()
    const delegation = async (validator: string) => {
      const [, balance] = await viem.readContract({
        address: STAKING,
        abi,
        functionName: 'delegation',
        args: [owner, validator],
      })
      return balance.amount
    }
    const page = await openPage(browser, `${url}/validators`, { init: announcedWallet({ url, account: owner }) })
    await page.getByRole('cell', { name: '1,000 KEST' }).first().waitFor()
    await expectSound(page)
    await page.goto(`${url}/validator/${account(10).address}`)
    await connect(page)
    await page.getByLabel('Amount in KEST').fill('0')
    await page.getByRole('button', { name: 'Delegate', exact: true }).last().click()
    await page.getByText('An amount is expected, such as 1.5.').waitFor()
    await page.getByLabel('Amount in KEST').fill('7.5')
    await page.getByRole('button', { name: 'Delegate', exact: true }).last().click()
    await success(page)
    expect(await delegation(A)).toBe(parseEther('7.5'))
    await page.getByRole('cell', { name: '7.5 KEST' }).waitFor()

    await page.getByRole('button', { name: 'Redelegate' }).click()
    await page.getByLabel('To the validator').selectOption(B)
    await page.getByLabel('Amount in KEST').fill('2')
    await page.getByRole('button', { name: 'Redelegate' }).last().click()
    await success(page)
    expect([await delegation(A), await delegation(B)]).toEqual([parseEther('5.5'), 2n * COIN])

    await page.getByRole('button', { name: 'Undelegate' }).click()
    await page.getByLabel('Amount in KEST').fill('100')
    await page.getByRole('button', { name: 'Undelegate' }).last().click()
    await page.getByText(/^Reverted: .*invalid/).waitFor()
    await page.getByLabel('Amount in KEST').fill('5.5')
    await page.getByRole('button', { name: 'Undelegate' }).last().click()
    await success(page)
    await page.getByRole('tab', { name: 'Unbondings' }).click()
    // 21 days, minus the time of the test.
    await page.getByText(/^in (21 d|20 d 23 h)/).waitFor()
    await expectSound(page)
  }, 90_000)

  it('show the delegations of an address, and cancel an unbonding', async () => {
    const { url, send, viem } = await stakingChain()
    await send(delegate(9n * COIN))
    await send(undelegate(4n * COIN))
    const page = await openPage(browser, `${url}/address/${owner}?tab=staking`, {
      init: announcedWallet({ url, account: owner }),
    })
    await page.getByRole('cell', { name: '5 KEST', exact: true }).waitFor()
    await page.getByRole('cell', { name: '4 KEST', exact: true }).waitFor()
    await expectSound(page)
    await page.getByText('Cancel an unbonding').click()
    await connect(page)
    await page.getByRole('button', { name: 'Bond these tokens again' }).click()
    await page.getByText('No tokens are on their way back.').waitFor()
    const [, { amount }] = await viem.readContract({
      address: STAKING,
      abi,
      functionName: 'delegation',
      args: [owner, A],
    })
    expect(amount).toBe(9n * COIN)
  }, 60_000)

  it('vote with a wallet, and show the result with its changes', async () => {
    const { url, rpc, send, viem, propose, conclude } = await govChain()
    const name = 'kestrel_0'
    const id = await propose([evmParams(name)], { title: 'Other prices for opcodes' })
    const [yes, ...others] = VALIDATORS.map((index) => account(index).address)
    // The node has no keys of validators.
    await rpc('anvil_impersonateAccount', yes)
    const page = await openPage(browser, `${url}/proposals`, {
      init: announcedWallet({ url, account: yes ?? '0x' }),
    })
    await page.getByRole('link', { name: 'Other prices for opcodes' }).click()
    await page.getByText(/^in 2 h/).waitFor()
    await connect(page)
    await page.getByLabel('Your vote').selectOption('Yes')
    await page.getByRole('button', { name: 'Vote' }).last().click()
    await success(page)
    const cast = await viem.readContract({
      address: GOV,
      abi: govAbi,
      functionName: 'getVote',
      args: [id, yes ?? '0x'],
    })
    expect(cast.options).toEqual([{ option: YES, weight: '1.000000000000000000' }])
    // Three validators with equal stake: 1,000 KEST of 3,000 have voted.
    await page.getByText('100.00 % 1,000 KEST').waitFor()
    await page.getByText(/^33.33 % of the bonded tokens/).waitFor()
    await page.getByRole('tab', { name: /Messages/ }).press('ArrowRight')
    await page.getByRole('tab', { name: /Votes/, selected: true }).waitFor()
    await expectSound(page)

    await send(vote(id, others[0] ?? '0x', YES), { from: VALIDATORS[1] })
    await send(vote(id, others[1] ?? '0x', NO), { from: VALIDATORS[2] })
    await conclude(id)
    await page.getByText('passed', { exact: true }).waitFor()
    await page.getByText('66.67 % 2,000 KEST').waitFor()
    await page.goto(`${url}/parameters?tab=history`)
    const row = page.getByRole('row', { name: /active proposals/ })
    await row.getByText(name).waitFor()
    await row.getByRole('link', { name: /Other prices/ }).waitFor()
    await expectSound(page)
    const { number } = await viem.getBlock()
    await page.goto(`${url}/opcodes`)
    await page
      .getByRole('region', { name, exact: true })
      .getByText(`Blocks ${number + 1n} to now`)
      .waitFor()
    await expectSound(page)
  }, 90_000)
})
