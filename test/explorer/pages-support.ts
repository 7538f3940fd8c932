// Opens pages of the explorer in a real browser, and checks them for layout and accessibility faults.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'

/** Widths of a phone and of a desktop. */
export const WIDTHS = [390, 1280] as const

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Ages that are not wholly visible: cut by their own box, or by one around them. */
export const CUT_TIMES = `[...document.querySelectorAll('time')].filter((of) => {
  const range = document.createRange()
  range.selectNodeContents(of)
  const { left, right } = range.getBoundingClientRect()
  for (let box = of; box !== null; box = box.parentElement) {
    const bounds = box.getBoundingClientRect()
    const hides = getComputedStyle(box).overflowX !== 'visible'
    if (hides && (right > bounds.right + 1 || left < bounds.left - 1)) return true
  }
  return false
}).map((of) => of.textContent)`

/** Opens a page that fails the test on script errors or violations of its content security policy. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions & { init?: string } = {}) {
  const { init, ...contextOptions } = options
  const context = await browser.newContext(contextOptions)
  const page = await context.newPage()
  const faults: unknown[] = []
  page.on('pageerror', (fault) => faults.push(fault))
  page.on('console', (message) => {
    // Some pages request missing records.
    if (message.type() === 'error' && !/status of (404|422)/.test(message.text())) faults.push(message.text())
  })
  onTestFinished(async () => {
    await context.close()
    expect(faults).toEqual([])
  })
  if (init !== undefined) await page.addInitScript(init)
  await page.goto(url)
  return page
}

type AxeResult = { violations: { id: string; nodes: { html: string }[] }[] }

/** Fails if a page is wider than one of the widths, or its content violates accessibility rules. */
export async function expectSound(page: Page): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    const excess = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
    expect(excess, `${page.url()} at ${width} px`).toBeLessThanOrEqual(0)
  }
  await page.evaluate(axe)
  const { violations } = await page.evaluate<AxeResult>("axe.run('main')")
  expect(violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 200))])).toEqual([])
}
