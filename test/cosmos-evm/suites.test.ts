// The suites of cosmos/evm, unchanged, against a node with its preset: each on a chain of its own, as their scripts run them. The
// checkout is no part of this repository; without one every suite says that it is skipped.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { request } from '../support/chain.ts'
import { startProcess } from '../support/process.ts'
import { findCheckout, prepare } from './checkout.ts'
import { simulator } from './simulator.ts'
import { type Outcome, SUITES as PROJECTS } from './suites.ts'

/**
 * A block at once for each transaction, and one each second: a test waits for the rewards of blocks without transactions. The variable
 * names other flags, such as `--preset cosmos-evm --block-time 1`: mining as on their node.
 */
const FLAGS = (process.env.COSMOS_EVM_FLAGS ?? '--preset cosmos-evm --block-time 1 --mixed-mining').split(' ')
/** Their scripts begin when the chain has this height, and some tests look back as far. */
const FIRST_BLOCKS = 10

const SUITES = [...PROJECTS, simulator]

const checkout = findCheckout()
const missing = checkout === undefined ? ' (skipped: no checkout was named)' : ''
if (missing !== '') console.info(`suites of cosmos/evm${missing}`)

describe.skipIf(checkout === undefined)(`suites of cosmos/evm${missing}`, () => {
  const outcomes = new Map<string, Outcome | { reason: string }>()
  beforeAll(() => prepare(checkout ?? ''), 1_800_000)
  afterAll(() => console.info(table(outcomes)))

  it.for(SUITES)('$name', async ({ name, total, lacks, run }, { skip }) => {
    const reason = lacks?.()
    if (reason !== undefined) {
      outcomes.set(name, { reason })
      skip(reason)
    }
    const node = await startProcess(['--in-memory', ...FLAGS])
    onTestFinished(async () => void (await node.stop()))
    await request(node.url, 'anvil_mine', [`0x${FIRST_BLOCKS.toString(16)}`])
    const outcome = await run(new URL(node.url).port)
    outcomes.set(name, outcome)
    expect(outcome).toEqual({ passed: total, failed: [] })
  })
})

/** A line for each suite, and one for each test that failed. */
function table(outcomes: ReadonlyMap<string, Outcome | { reason: string }>): string {
  const rows = SUITES.flatMap(({ name, total }) => {
    const outcome = outcomes.get(name) ?? { reason: 'no result' }
    if ('reason' in outcome) return [`${name.padEnd(20)} not run: ${outcome.reason}`]
    const { passed, failed } = outcome
    const numbers = [passed, failed.length, total].map((number) => String(number).padStart(6)).join('')
    return [`${name.padEnd(20)}${numbers}`, ...failed.map((test) => `  ${test}`)]
  })
  return [`${'suite'.padEnd(20)}passed failed  total`, ...rows].join('\n')
}
