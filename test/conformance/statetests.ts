// Locations of Ethereum's state tests: a small part of the suite in this folder, for every test run, and the whole suite next
// to the checkout.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The part: one to four quick files of nearly every folder of the suite, unchanged. */
export const SHARE = join(import.meta.dirname, 'state-tests')
const SUITE = join(import.meta.dirname, '../../../shared/conformance/state-tests')

/** The whole suite if it exists, else the part. */
export const suite = (): string => (existsSync(SUITE) ? SUITE : SHARE)

/** Sorted paths of the test files below a folder, relative to it. */
export const stateTestFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.json'))
    .sort()
