// Where Ethereum's state tests are. A small share of the suite stands in this folder, so that every test run has it;
// the whole suite is beside the checkout, or wherever it is said to be.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The share: one to four quick files of nearly each folder of the suite, unchanged. */
export const SHARE = join(import.meta.dirname, 'state-tests')
const SUITE = join(import.meta.dirname, '../../../shared/conformance/state-tests')

/** The whole suite, if it is there; else the share. */
export const suite = (): string => (existsSync(SUITE) ? SUITE : SHARE)

/** Paths of the files of tests below a folder, relative to it, in order. */
export const stateTestFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.json'))
    .sort()
