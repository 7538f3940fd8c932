// The pages of a network in a real browser: votes and evidence of a block, signing of validators, the network's status.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHROMIUM, launchChromium } from '../support/browser.ts'
import { testChain } from '../support/chain.ts'
import { commitInfo, decide, networkChain, networkFaces, signerOf, votes } from '../support/network-faces.ts'
import { expectSound, openPage } from './pages-support.ts'

const COMMIT = 2
const ABSENT = 1

describe.skipIf(CHROMIUM === undefined)('the pages of a network (skipped without Chromium)', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  }, 60_000)
  afterAll(() => browser.close())

  async function network() {
    const chain = await networkChain()
    await decide(chain, commitInfo({ votes: [] }))
    const evidence = { type: 1, address: signerOf(2), height: 1n, power: 1000n, time: 1_767_225_603_000_000_000n }
    await decide(chain, commitInfo({ votes: votes(COMMIT, ABSENT), evidence: [evidence] }))
    return networkFaces({ chain })
  }

  it('show the voters of a block, and evidence in it', async () => {
    const { url } = await network()
    const page = await openPage(browser, `${url}/block/2`)
    await page.getByRole('tab', { name: 'Votes' }).click()
    await page.getByText('2 of 3 validators, 66.67 % of the power').waitFor()
    await page.getByRole('cell', { name: 'absent' }).waitFor()
    await page.getByRole('cell', { name: 'double vote' }).waitFor()
    await expect.poll(() => page.getByRole('cell', { name: 'for the block' }).count()).toBe(2)
    await expectSound(page)
    await page.goto(`${url}/block/1?tab=votes`)
    await page.getByText('The first block of a network comes without votes.').waitFor()
  }, 60_000)

  it('show the validators’ signing, and the status of the consensus engine', async () => {
    const { url, status, chain } = await network()
    const page = await openPage(browser, `${url}/validators`)
    await page.getByText('This node is part of a network (cometbft): 3 peers, in step with them.').waitFor()
    await page.getByRole('cell', { name: 'tombstoned' }).waitFor()
    await page.getByRole('cell', { name: '0.00 %' }).first().waitFor()
    await expectSound(page)
    status.progress = { startingBlock: 0n, currentBlock: 2n, highestBlock: 1_652n }
    await page.reload()
    await page.getByText('catching up: block 2 of 1,652').waitFor()
    const operator = chain.spec.native?.validators[1]?.operator
    await page.goto(`${url}/validator/${operator}?tab=votes`)
    await page.getByRole('cell', { name: 'absent' }).waitFor()
    await page.getByText('1 missed of the last 1 (window of 100 blocks)').waitFor()
    await expectSound(page)
    await page.goto(`${url}/validator/${chain.spec.native?.validators[2]?.operator}`)
    await page.getByText('for ever').waitFor()
  }, 60_000)

  it('show no votes on a chain of one node', async () => {
    const { url, mine } = await testChain()
    await mine(1)
    const page = await openPage(browser, `${url}/block/1`)
    await page.getByRole('tab', { name: 'Internal' }).waitFor()
    expect(await page.getByRole('tab', { name: 'Votes' }).count()).toBe(0)
    await page.goto(`${url}/validators`)
    await page.getByRole('cell', { name: '1,000 KEST' }).first().waitFor()
    expect(await page.getByText('part of a network').count()).toBe(0)
  }, 60_000)
})
