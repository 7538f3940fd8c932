// Chromium, from its usual paths or from the environment variable CHROMIUM.
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Undefined if no Chromium is installed. */
export const CHROMIUM = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path))

export const launchChromium = (...args: string[]): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox', ...args] })
