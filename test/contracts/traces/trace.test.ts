// solidityTracer over contracts with sources: the order of calls, events and prints, and where the gas went. kestrel_getFailure.
import { hexToBytes } from 'viem'
import { expect, it } from 'vitest'
import {
  FLOOR,
  foldedStacks,
  functionsOf,
  gasProfile,
  INTRINSIC,
  linesOf,
  type ProfiledFrame,
} from '../../../src/contracts/gas-profile.ts'
import type { Frame, MessageFrame, SolidityTrace } from '../../../src/contracts/solidity-trace.ts'
import { FILE, lineWith, SOURCE, tracedChain } from './scenario.ts'

type Chain = Awaited<ReturnType<typeof tracedChain>>

const traced = async ({ rpc }: Chain, hash: string, tracerConfig = {}) =>
  (await rpc('debug_traceTransaction', hash, { tracer: 'solidityTracer', tracerConfig })) as SolidityTrace

/** A tree as nested lists of names. */
const namesIn = (frame: Frame): unknown => {
  if (frame.type === 'EVENT') return frame.event
  if ('value' in frame && !('function' in frame)) return frame.type
  if (frame.console !== undefined) return `print ${frame.console}`
  const inner = (frame.calls ?? []).map(namesIn)
  return inner.length === 0 ? frame.function : [frame.function, ...inner]
}

it('the tree has calls, internal calls, events and prints in the order in which they happened', async () => {
  const chain = await tracedChain()
  const { vault, caller } = chain
  const put = ['Vault.put', ['Vault._check', 'Checks.atMost', 'Checked(amount: 1)']]
  expect(namesIn(await traced(chain, await caller.call('work', vault.address, 1n)))).toEqual([
    'Caller.work',
    [...put, expect.stringMatching(/^Put\(from: 0x\w{40}, amount: 1, state: Open\)$/), 'print put 1'],
    ['Caller._square', 'Caller._times'],
    ['Vault.take', 'Vault._enough'],
    expect.stringMatching(/^Failed\(reason: 0x/),
    'print sum is 0',
  ])
  const { calls = [] } = await traced(chain, await caller.call('takeFor', vault.address, 5000n))
  expect(calls.at(-1)).toMatchObject({
    call: 'Vault.take(amount: 5000)',
    calledAt: `${FILE}:${lineWith('vault.take(amount);')}:9`,
    reason: expect.stringMatching(/^NotEnough\(who: 0x\w{40}, has: 2, wants: 5000\)$/),
  })
})

/** Messages within a frame, also those of its internal calls. */
const messagesIn = ({ calls = [] }: { readonly calls?: readonly Frame[] }): MessageFrame[] =>
  calls.flatMap((frame) => {
    if (frame.type === 'INTERNAL') return messagesIn(frame)
    return 'function' in frame ? [frame] : []
  })

it('the lines of a message use its gas, without that of the messages within', async () => {
  const chain = await tracedChain()
  const trace = await traced(chain, await chain.caller.call('work', chain.vault.address, 3n))
  const check = (frame: MessageFrame): void => {
    const inner = messagesIn(frame)
    const lines = (frame.lines ?? []).reduce((sum, { gas }) => sum + gas, 0)
    const within = inner.reduce((sum, { gasUsed }) => sum + Number(gasUsed), 0)
    expect(lines + within, frame.function).toBe(Number(frame.gasUsed))
    inner.filter(({ lines }) => lines !== undefined).forEach(check)
  }
  check(trace)
  expect(inOrder(linesOf(trace).map(({ line }) => line))).toBe(true)
})

const inOrder = (numbers: readonly number[]): boolean => numbers.every((of, i) => i === 0 || (numbers[i - 1] ?? 0) < of)

it('a profile has all gas of a transaction before refunds, with what its data cost', async () => {
  const chain = await tracedChain()
  const { vault, caller, viem } = chain
  await vault.call('put', 5n)
  for (const hash of [
    await caller.call('work', vault.address, 3n),
    await vault.call('clear'),
    await vault.call('take', 9n),
  ]) {
    const [{ gas, input }, { gasUsed }] = [
      await viem.getTransaction({ hash }),
      await viem.getTransactionReceipt({ hash }),
    ]
    const profile = gasProfile(await traced(chain, hash), { gasLimit: Number(gas), gasUsed: Number(gasUsed) })
    expect(profile.total - profile.refund).toBe(Number(gasUsed))
    // EIP-2028: 21,000, and for each byte 16, or 4 if it is zero.
    const intrinsic = hexToBytes(input).reduce((sum, byte) => sum + (byte === 0 ? 4 : 16), 21_000)
    expect(profile.roots.find(({ name }) => name === INTRINSIC)?.own).toBe(intrinsic)
    const own = foldedStacks(profile).map((line) => Number(line.slice(line.lastIndexOf(' '))))
    expect(own.reduce((sum, gas) => sum + gas, 0)).toBe(profile.total)
    expect(functionsOf(profile).reduce((sum, { own }) => sum + own, 0)).toBe(profile.total)
  }
  // EIP-3529: clearing a slot gives 4,800 back.
  const cleared = await vault.call('put', 1n).then(() => vault.call('clear'))
  const { gas } = await viem.getTransaction({ hash: cleared })
  const { gasUsed } = await viem.getTransactionReceipt({ hash: cleared })
  expect(gasProfile(await traced(chain, cleared), { gasLimit: Number(gas), gasUsed: Number(gasUsed) }).refund).toBe(
    4_800,
  )
})

it('a profile names what the data cost at least, folds equal calls, and counts a recursion once', () => {
  const leaf = (name: string, gasUsed: number, calls: ProfiledFrame[] = []) => ({
    type: 'INTERNAL',
    function: name,
    gasUsed,
    calls,
  })
  const trace = {
    ...{ type: 'CALL', function: 'A.a', gas: '0x64', gasUsed: '0x32' },
    calls: [leaf('A.b', 10, [leaf('A.b', 4)]), leaf('A;c', 5), leaf('A.b', 6), { type: 'EVENT', event: 'E()' }],
  }
  // Of a limit of 1,000 the trace got 100, and used 50: 950 together. EIP-7623 has taken 980.
  const profile = gasProfile(trace, { gasLimit: 1_000, gasUsed: 980 })
  expect(foldedStacks(profile)).toEqual([
    'A.a 29',
    'A.a;A.b 12',
    'A.a;A.b;A.b 4',
    'A.a;A,c 5',
    `${INTRINSIC} 900`,
    `${FLOOR} 30`,
  ])
  expect(functionsOf(profile).find(({ name }) => name === 'A.b')).toEqual({ name: 'A.b', gas: 16, own: 16, count: 3 })
  expect(gasProfile(trace)).toMatchObject({ total: 50, refund: 0 })
})

it('the trace has the sources of its lines on request', async () => {
  const chain = await tracedChain()
  const hash = await chain.vault.call('put', 1n)
  expect((await traced(chain, hash)).sources).toBeUndefined()
  expect((await traced(chain, hash, { withSources: true })).sources).toEqual([{ path: FILE, text: SOURCE }])
  await expect(traced(chain, hash, { withSources: 'yes' })).rejects.toThrow('tracerConfig: withSources')
})

it('kestrel_getFailure answers each function with the source around its line', async () => {
  const chain = await tracedChain()
  const { vault, caller, rpc } = chain
  const failure = await rpc('kestrel_getFailure', await caller.call('takeFor', vault.address, 5000n))
  const sources = SOURCE.split('\n')
  const at = (text: string, column: number) => {
    const line = lineWith(text)
    const place = { file: FILE, line, column }
    return { place, excerpt: { first: line - 3, lines: sources.slice(line - 4, line + 3) } }
  }
  const revert = lineWith('revert NotEnough')
  expect(failure).toEqual({
    reason: expect.stringMatching(/^NotEnough\(who: 0x\w{40}, has: 1, wants: 5000\)$/),
    frames: [
      { text: `at Vault._enough (${FILE}:${revert}:20)`, ...at('revert NotEnough', 20) },
      { text: `at Vault.take (${FILE}:${lineWith('_enough(amount);')}:9)`, ...at('_enough(amount);', 9) },
      { text: `at Caller.takeFor (${FILE}:${lineWith('vault.take(amount);')}:9)`, ...at('vault.take(amount);', 9) },
    ],
  })
  expect(await rpc('kestrel_getFailure', await vault.call('put', 1n))).toBeNull()
})
