// Every type of page of Blockscout's own frontend over the full scenario, in a browser, on a desktop and a phone: it has the
// chain's words, nothing that a reader would take for a fault, its charts have lines, and no request failed. FRONTEND_PICTURES
// names a folder for a picture of each, for eyes.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Hex, parseEther } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NATIVE, play, spec } from '../explorer/full/script.ts'
import { type Scenario, scenario } from '../explorer/scenario.ts'
import { verify } from '../explorer/verified.ts'
import { accountAbstraction, executeData, GENEROUS } from '../support/account-abstraction.ts'
import { playground } from '../support/assembler.ts'
import { CHROMIUM, launchChromium } from '../support/browser.ts'
import { account } from '../support/chain.ts'
import { FRONTEND, startFrontend } from './frontend.ts'
import { pagesOf, type Visited } from './pages.ts'

const SCREENS = { desktop: { width: 1400, height: 900 }, phone: { width: 390, height: 844 } } as const
const WALKERS = 2
const PICTURES = process.env.FRONTEND_PICTURES

/** What every address page asks: whether it is a smart account. */
const ASKED = /\/account-abstraction\/accounts\/0x/

/** What only a fault writes. */
const FAULTS =
  /\bNaN\b|\bundefined\b|Invalid Date|\[object Object\]|Something went wrong|Oops|No data|didn.t load|Connection is lost/

const missing =
  FRONTEND === undefined ? 'no built frontend was named' : CHROMIUM === undefined ? 'no Chromium' : undefined

describe.skipIf(missing !== undefined)(
  `Blockscout's frontend${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  () => {
    const on = scenario(
      async (on) => {
        const operations = await playOperations(on)
        const made = { ...(await play(on)), ...operations }
        await verify(on, made.stage)
        return made
      },
      () => ({ spec: spec(), host: 'localhost' }),
    )
    let browser: Browser
    let frontend: Awaited<ReturnType<typeof startFrontend>>
    beforeAll(async () => {
      browser = await launchChromium()
      frontend = await startFrontend(FRONTEND ?? '', on().url)
    }, 120_000)
    afterAll(async () => {
      await browser.close()
      await frontend.stop()
    })

    it.each(Object.keys(SCREENS) as (keyof typeof SCREENS)[])(
      'is right on a %s',
      async (screen) => {
        const pages = pagesOf(await factsOf(on()))
        const waiting = [...pages.entries()]
        const faults: string[] = []
        const walker = async () => {
          const context = await browser.newContext({ viewport: SCREENS[screen], reducedMotion: 'reduce' })
          for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
            const [number, page] = next
            const found = await faultsOf(context, frontend.url, page, `${screen}-${number}`)
            faults.push(...found.map((fault) => `${page.path}: ${fault}`))
          }
          await context.close()
        }
        await Promise.all(Array.from({ length: WALKERS }, walker))
        expect(faults).toEqual([])
        expect(pages.length).toBeGreaterThanOrEqual(88)
      },
      1_200_000,
    )
  },
)

/** Two user operations in a bundle, of which the second one's call fails. */
async function playOperations(on: Scenario) {
  const aa = await accountAbstraction(on, '0.7')
  const paymaster = await playground(on).contract(GENEROUS)
  await aa.deposit(paymaster)
  const bob = account(1).address
  const operations = await Promise.all([
    aa.signed({ owner: 6, paymaster, callData: executeData(bob, 0n) }),
    aa.signed({ owner: 7, paymaster, callData: executeData(bob, parseEther('1000')) }),
  ])
  const { transactionHash: bundle } = await aa.handle(operations, account(9).address)
  return { operations, bundle, paymaster, accountFactory: aa.factory }
}
type Made = Awaited<ReturnType<typeof play>> & Awaited<ReturnType<typeof playOperations>>

async function factsOf({ viem, read, made }: Scenario & { made: Made }) {
  const head = Number(await viem.getBlockNumber())
  const full = await viem.getBlock({ blockNumber: BigInt(made.editedAt - 63) })
  const { items } = await read('/native/validators')
  const { items: delegations } = await read(`/addresses/${NATIVE.staking}/transactions?filter=to`)
  const newest = async (token: Hex) => (await read(`/tokens/${token}/transfers`)).items.at(-1).transaction_hash as Hex
  const { items: ofBob } = await read(`/addresses/${made.people.bob}/token-transfers?token=${made.coin.address}`)
  return {
    made,
    head,
    full: { number: Number(full.number), hash: full.hash, transactions: full.transactions.length },
    transactions: (await read('/stats')).total_transactions as number,
    validators: items.map((of: { moniker: string; address: { hash: Hex } }) => ({
      moniker: of.moniker,
      address: of.address.hash,
    })),
    hashes: {
      delegation: delegations.findLast(({ status }: { status: string }) => status === 'ok').hash as Hex,
      coin: ofBob.at(-1).transaction_hash as Hex,
      items: await newest(made.items.address),
      art: await newest(made.art.address),
    },
  }
}

/** Opens a page, waits until it has loaded, and says what is wrong with it. */
async function faultsOf(context: BrowserContext, url: string, visited: Visited, name: string): Promise<string[]> {
  const { path, words, charts = 0, refused = [], isEditor = false } = visited
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => isEditor || faults.push(`an error: ${error.message}`))
  page.on('response', (response) => {
    const status = response.status()
    if (status >= 400 && !refused.includes(status) && !ASKED.test(response.url()))
      faults.push(`${status} for ${response.url()}`)
  })
  await page.goto(url + path, { waitUntil: 'load' })
  const text = await settled(page, words)
  if (PICTURES !== undefined) {
    mkdirSync(PICTURES, { recursive: true })
    await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
  }
  for (const word of words)
    if (!(typeof word === 'string' ? text.includes(word) : word.test(text))) faults.push(`no ${word}`)
  const [fault] = FAULTS.exec(text) ?? []
  if (fault !== undefined) faults.push(`says ${fault}`)
  const { excess, skeletons, lines } = await page.evaluate<Layout>(LAYOUT)
  if (excess > 0) faults.push(`${excess} px wider than the screen`)
  if (skeletons > 0) faults.push(`${skeletons} parts still load`)
  if (lines < charts) faults.push(`${lines} charts of ${charts}`)
  await page.close()
  return faults
}

type Layout = { excess: number; skeletons: number; lines: number }
/** Frames for pictures of tokens that have none load for ever; they have no text. */
const LAYOUT = `({
  excess: document.documentElement.scrollWidth - window.innerWidth,
  skeletons: [...document.querySelectorAll('main [data-loading]')].filter((part) => part.textContent.trim() !== '').length,
  lines: [...document.querySelectorAll('svg path')].filter((path) => (path.getAttribute('d') ?? '').split(/[LC]/).length > 3
    && path.closest('svg').getBoundingClientRect().width > 150).length,
})`

/** The page's text, when it has the words and nothing loads any more, or has not after 30 seconds. */
async function settled(page: Page, words: Visited['words']): Promise<string> {
  const textOf = () => page.evaluate<string>("document.body.innerText.replaceAll('\\u00a0', ' ')")
  const hasWords = (text: string) =>
    words.every((word) => (typeof word === 'string' ? text.includes(word) : word.test(text)))
  for (let tries = 0; tries < 100; tries++) {
    await page.waitForTimeout(300)
    const { skeletons } = await page.evaluate<Layout>(LAYOUT)
    const text = await textOf()
    if (skeletons === 0 && hasWords(text)) break
  }
  await page.waitForTimeout(300)
  return textOf()
}
