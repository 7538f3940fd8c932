// A real browser, where there is one: Chromium, from its usual places or from the environment.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Undefined where no Chromium is installed. */
export const CHROMIUM = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path))

export const launchChromium = (...args: string[]): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox', ...args] })
