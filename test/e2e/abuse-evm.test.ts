// Calls that would run forever or take all memory: they stop at the node's limits, and other clients are still answered.
import { bn254 } from '@noble/curves/bn254.js'
import { concatHex, type Hex, numberToHex } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import { processForFile } from '../support/process.ts'
import { faultOf, type WireAnswer } from '../support/wire.ts'

const CALL_TIMEOUT = 1500
/** Milliseconds that other clients may wait, and by which a call may exceed its timeout; generous, for busy machines. */
const PROMPT = 1500
const LATE = 5000
const { node, rpc, raw } = await processForFile(['--in-memory', '--call-timeout', String(CALL_TIMEOUT)])

const CODE_AT = `0x${'e2'.repeat(20)}`
const precompile = (number: number): Hex => numberToHex(number, { size: 20 })

afterEach(async () => {
  expect(await rpc('eth_chainId')).toBe('0x7d')
  expect(node.isRunning()).toBe(true)
})

/** Runs requests while another client polls the block number; returns that client's longest wait (`waited`). */
async function whilePolling(...requests: Promise<unknown>[]) {
  const began = performance.now()
  let finished = false
  const all = Promise.all(requests).finally(() => {
    finished = true
  })
  let waited = 0
  while (!finished) {
    const sentAt = performance.now()
    await rpc('eth_blockNumber')
    waited = Math.max(waited, performance.now() - sentAt)
    // A pause between two requests of the other client, which waits for nothing.
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  for (const answer of (await all) as WireAnswer[]) expect(faultOf(answer)).toBeUndefined()
  return { waited, took: performance.now() - began, answers: (await all) as WireAnswer[] }
}

/** eth_call of code placed at an address by a state override. */
const run = (code: Hex, data: Hex = '0x', gas?: Hex) =>
  raw('eth_call', { to: CODE_AT, data, ...(gas && { gas }) }, 'latest', { [CODE_AT]: { code } })
const codeAtHead = { [CODE_AT]: { code: '0x5b5f56' } }

// JUMPDEST PUSH0 JUMP
const ENDLESS: Hex = '0x5b5f56'
/** Code that copies the calldata to memory, then calls a precompile with it in an endless loop. */
const endlessCallsOf = (number: number): Hex =>
  concatHex(['0x365f5f375b5f5f365f60', numberToHex(number, { size: 1 }), '0x5afa50600456'])

const word = (value: bigint) => numberToHex(value, { size: 32 })
/** The generators of both groups of the curve of EIP-197: one pair of ecPairing. */
const pair = (): Hex => {
  const { x, y } = bn254.G1.Point.BASE.toAffine()
  const q = bn254.G2.Point.BASE.toAffine()
  return concatHex([x, y, q.x.c1, q.x.c0, q.y.c1, q.y.c0].map(word))
}
/** Input of BLAKE2 F (EIP-152): rounds, state, message, offsets, the final flag. */
const blake2f = (rounds: number): Hex => concatHex([numberToHex(rounds, { size: 4 }), `0x${'00'.repeat(208)}01`])

describe('other clients are answered while a call', () => {
  test.each<[string, () => Promise<unknown>[]]>([
    ['loops forever', () => [run(ENDLESS)]],
    ['loops forever, in five requests', () => Array.from({ length: 5 }, () => run(ENDLESS))],
    ['loops forever with 2^63 gas', () => [run(ENDLESS, '0x', '0x8000000000000000')]],
    ['calls itself recursively', () => [run('0x5f5f5f5f5f305af1')]],
    ['calls itself recursively and loops when that fails', () => [run('0x5b5f5f5f5f5f305af1505f56')]],
    ['creates contracts in a loop', () => [run('0x5b5f5f5ff0505f56')]],
    ['logs in a loop', () => [run('0x5b5f5fa05f56')]],
    ['reads new slots in a loop', () => [run('0x5f5b600101805450600156')]],
    ['hashes 64 kB in a loop', () => [run('0x5b61ffff5f20505f56')]],
    ['hashes 1 MB in a loop', () => [run('0x5b620fffff5f20505f56')]],
    ['multiplies in long basic blocks', () => [run(`0x5b${'5f195f195f190950'.repeat(2000)}5f56`)]],
    ['computes pairings in a loop', () => [run(endlessCallsOf(8), pair())]],
    ['recovers signers in a loop', () => [run(endlessCallsOf(1), `0x${'01'.repeat(31)}1b${'01'.repeat(96)}`)]],
    ['hashes by precompile in a loop', () => [run(endlessCallsOf(3), `0x${'ab'.repeat(100_000)}`)]],
    ['requests 49 million rounds of BLAKE2', () => [raw('eth_call', { to: precompile(9), data: blake2f(49_000_000) })]],
    ['requests terabytes of memory', () => [run('0x6001640fffffffff52')]],
    ['loops forever in eth_estimateGas', () => [raw('eth_estimateGas', { to: CODE_AT }, 'latest', codeAtHead)]],
    [
      'loops forever in eth_createAccessList',
      () => [raw('eth_createAccessList', { to: CODE_AT }, 'latest', codeAtHead)],
    ],
    [
      'loops forever in debug_traceCall',
      () => [raw('debug_traceCall', { to: CODE_AT }, 'latest', { stateOverrides: codeAtHead })],
    ],
    [
      'loops forever in debug_traceCall with callTracer',
      () => [raw('debug_traceCall', { to: CODE_AT }, 'latest', { tracer: 'callTracer', stateOverrides: codeAtHead })],
    ],
    [
      'loops forever in each of 50 blocks of eth_simulateV1',
      () => [
        raw('eth_simulateV1', {
          blockStateCalls: Array(50).fill({ stateOverrides: codeAtHead, calls: [{ to: CODE_AT }, { to: CODE_AT }] }),
        }),
      ],
    ],
  ])('%s', async (_, requests) => {
    const { waited, took } = await whilePolling(...requests())
    // Time is the subject: it is the only sign of a call that is not stopped or does not yield.
    expect(waited, 'longest wait of the other client, ms').toBeLessThan(PROMPT)
    expect(took, 'ms').toBeLessThan(CALL_TIMEOUT + LATE)
  })
})

test('transactions that burn their gas are mined, and other clients are answered in the meantime', {
  timeout: 60_000,
}, async () => {
  await rpc('anvil_setCode', CODE_AT, ENDLESS)
  const [from] = (await rpc('eth_accounts')) as Hex[]
  // 30,000,000 of a block's 36,000,000: each needs a separate block.
  const burn = () => raw('eth_sendTransaction', { from, to: CODE_AT, gas: '0x1c9c380' })
  const { waited, answers } = await whilePolling(...Array.from({ length: 6 }, burn))
  expect(waited, 'longest wait of the other client, ms').toBeLessThan(PROMPT)
  for (const { result } of answers)
    expect(await rpc('eth_getTransactionReceipt', result)).toMatchObject({ status: '0x0', gasUsed: '0x1c9c380' })
})
