// Pages of the explorer in a real browser: opened at a width, and looked at for what no page may have.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'

/** A phone, and a desk. */
export const WIDTHS = [390, 1280] as const

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A page that fails the test when its scripts do, or when its own policy blocks what it needs. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions & { init?: string } = {}) {
  const { init, ...contextOptions } = options
  const context = await browser.newContext(contextOptions)
  const page = await context.newPage()
  const faults: unknown[] = []
  page.on('pageerror', (fault) => faults.push(fault))
  page.on('console', (message) => {
    // That something is not there is what some pages are about.
    if (message.type() === 'error' && !message.text().includes('404')) faults.push(message.text())
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

/** Fails for a page that is wider than each of the widths, and for violations of the accessibility rules in its content. */
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
