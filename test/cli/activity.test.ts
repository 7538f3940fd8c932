// The lines of the terminal in their order, under load, and in the width of a terminal.
import { expect, onTestFinished, test, vi } from 'vitest'
import { ChainEventEmitter } from '../../src/chain/events.ts'
import { type ActivityOptions, logActivity } from '../../src/cli/terminal/activity.ts'
import type { LineBelow, Logger } from '../../src/lib/log.ts'
import { testChain } from '../support/chain.ts'

/** Deploys `PUSH0 PUSH0 REVERT`. */
const REVERTS = '0x635f5ffd005f526004601cf3'

/** What the terminal shows of a chain. */
function terminalOf(chain: Parameters<typeof logActivity>[0], options: Partial<ActivityOptions> = {}) {
  const lines: string[] = []
  const write = (fields: object, text: string) => {
    const { lines: below = [] } = fields as { lines?: readonly LineBelow[] }
    lines.push(text, ...below.map((line) => `    ${line.text}`))
  }
  const log = { info: write, warn: write, debug: () => undefined } as unknown as Logger
  const usual = { verbosity: 0, prints: true, isBounded: true, contracts: {}, nameOf: () => undefined }
  return { lines, flush: logActivity(chain, log, { ...usual, ...options }) }
}

/** A chain in which a contract that fails was created, called, and followed by a payment. */
async function failingChain(options: Partial<ActivityOptions>) {
  const { node, rpc, alice, bob } = await testChain()
  const { lines } = terminalOf(node.chain, options)
  const send = (of: object) => rpc('eth_sendTransaction', { from: alice.address, gas: '0x20000', ...of })
  const created = await rpc('eth_getTransactionReceipt', await send({ data: REVERTS }))
  await send({ to: (created as { contractAddress: string }).contractAddress })
  await send({ to: bob.address, value: '0x1' })
  return lines
}

const until = (lines: readonly string[], text: string) =>
  vi.waitUntil(() => lines.some((line) => line.includes(text)), 30_000)

test('a transaction waits for the stack of the failure before it', async () => {
  let found: (stack: readonly string[]) => void = () => undefined
  const stack = new Promise<readonly string[]>((resolve) => {
    found = resolve
  })
  // Two seconds may be over before: the lines are then there without the stack.
  const lines = await failingChain({ stackOf: () => stack })
  found(['reverted without a reason at Tower.climb (Tower.sol:3:5)', 'at Tower.up (Tower.sol:9:9)'])
  await until(lines, 'block 3')
  const order = ['block 1', 'block 2', 'failed: ', 'block 3'].map((text) =>
    lines.findIndex((line) => line.includes(text)),
  )
  expect(order).not.toContain(-1)
  expect(order).toEqual(order.toSorted((a, b) => a - b))
})

test('the stack of a failure stands below it', async () => {
  const stackOf = async () => [
    'reverted without a reason at Tower.climb (Tower.sol:3:5)',
    'at Tower.up (Tower.sol:9:9)',
  ]
  const lines = await failingChain({ stackOf })
  await until(lines, 'block 3')
  const first = lines.indexOf('    failed: reverted without a reason at Tower.climb (Tower.sol:3:5)')
  expect(lines.slice(first - 1, first + 3)).toEqual([
    expect.stringContaining('block 2'),
    expect.anything(),
    '      at Tower.up (Tower.sol:9:9)',
    expect.stringContaining('block 3'),
  ])
})

test('a stack that does not come holds the lines up for two seconds only', async () => {
  const lines = await failingChain({ stackOf: () => new Promise(() => undefined) })
  await until(lines, 'block 3')
  expect(lines).toContain('    failed: execution reverted')
})

test('of a second 20 transactions are shown and the rest are one line', async () => {
  const { bob, node, alice, rpc } = await testChain({ automine: false })
  const blocks: (() => void)[] = []
  // Heard at once later, so that all are of one second.
  const events = new ChainEventEmitter(() => undefined)
  node.chain.events.on('block', (...block) => blocks.push(() => events.emit('block', ...block)))
  for (const count of [45, 30, 30]) {
    for (let i = 0; i < count; i++)
      await rpc('eth_sendTransaction', { from: alice.address, to: bob.address, value: '0x1' })
    await rpc('evm_mine', {})
  }
  const { lines, flush } = terminalOf({ spec: node.chain.spec, events })
  for (const hear of blocks) hear()
  flush()
  expect(lines.filter((line) => line.startsWith('1 wei to '))).toHaveLength(20)
  expect(lines).toContain('… and 35 more in block 1')
  expect(lines).toContain('… and 20 more in block 2')
  expect(lines).toContain('… and 30 transactions in 1 block, 630,000 gas')
})

test.each([80, 100, 140])('the lines fit a terminal of %i columns', async (columns) => {
  const { isTTY, columns: before } = process.stderr
  onTestFinished(() => {
    Object.assign(process.stderr, { isTTY, columns: before })
  })
  Object.assign(process.stderr, { isTTY: true, columns })
  const lines = await failingChain({ nameOf: () => 'account 0' })
  expect(lines.filter((line) => line.includes('block'))).toHaveLength(3)
  const printed = lines.map((line) => (line.startsWith(' ') ? line : `[00:00:00] INFO: ${line}`))
  for (const line of printed) expect(line.length).toBeLessThanOrEqual(columns)
})
