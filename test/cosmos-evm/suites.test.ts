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

describe.skipIf(checkout === undefined)(
  `suites of cosmos/evm${checkout === undefined ? ' (skipped: no checkout was named)' : ''}`,
  () => {
    const outcomes = new Map<string, Outcome>()
    beforeAll(() => prepare(checkout ?? ''), 1_800_000)
    afterAll(() => console.info(table(outcomes)))

    it.for(SUITES)('$name', async ({ name, total, missing, run }, { skip }) => {
      const reason = missing?.()
      if (reason !== undefined) skip(reason)
      const node = await startProcess(['--in-memory', ...FLAGS])
      onTestFinished(async () => void (await node.stop()))
      await request(node.url, 'anvil_mine', [`0x${FIRST_BLOCKS.toString(16)}`])
      const outcome = await run(new URL(node.url).port)
      outcomes.set(name, outcome)
      expect(outcome).toEqual({ passed: total, failed: [] })
    })
  },
)

/** A line for each suite that ran, and one for each test that failed. */
function table(outcomes: ReadonlyMap<string, Outcome>): string {
  const rows = SUITES.flatMap(({ name, total }) => {
    const { passed, failed } = outcomes.get(name) ?? {}
    if (passed === undefined || failed === undefined) return [`${name.padEnd(20)} not run`]
    const numbers = [passed, failed.length, total].map((number) => String(number).padStart(6)).join('')
    return [`${name.padEnd(20)}${numbers}`, ...failed.map((test) => `  ${test}`)]
  })
  return [`${'suite'.padEnd(20)}passed failed  total`, ...rows].join('\n')
}
