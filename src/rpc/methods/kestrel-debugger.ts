// The debugger: steps through a mined transaction, or a call that is not mined, by source line, forward and backward.
// `contracts/debugger/` implements it. Each chain has one set of sessions.
import { z } from 'zod'
import type { Chain } from '../../chain/types.ts'
import type { DebugSessions, DebugTarget } from '../../contracts/debugger/sessions.ts'
import { ChainError } from '../../lib/errors.ts'
import { rpcMethod } from '../define.ts'
import { toCallRequest } from '../shapes/call.ts'
import {
  callKey,
  debuggerPosition,
  debuggerSteps,
  debugMove,
  debugTarget,
  openedDebugger,
  wireOpened,
  wirePosition,
} from '../shapes/debugger.ts'

const ofChains = new WeakMap<Chain, DebugSessions>()

/** The debugger's code is loaded at its first use. */
async function sessionsOf(chain: Chain): Promise<DebugSessions> {
  const { DebugSessions } = await import('../../contracts/debugger/sessions.ts')
  const known = ofChains.get(chain) ?? new DebugSessions(chain)
  ofChains.set(chain, known)
  return known
}

/** The target with its block, or the state that it runs on. */
async function identified(
  target: z.output<typeof debugTarget>,
  chain: Chain,
): Promise<DebugTarget & { readonly number: bigint | undefined }> {
  if ('transaction' in target) return { ...target, number: chain.transaction(target.transaction)?.header.number }
  const { call, block = 'latest' } = target
  if (block === 'pending') throw new ChainError('invalid-params', 'the pending block changes: name another one')
  const { header, view } = await chain.at(block)
  const request = toCallRequest(call, chain.spec.chainId)
  return { request, key: callKey(call), block: header.hash, version: view.version, number: header.number }
}

export const kestrel_openDebugger = rpcMethod({
  summary:
    'Records a mined transaction or a call for the debugger: the number of its steps, the step of its failure, the sources of ' +
    'the contracts that ran, and its messages.',
  params: [debugTarget],
  names: ['target'],
  result: openedDebugger,
  gate: 'development',
  heavy: true,
  async handler([target], { chain, contracts }) {
    const found = await identified(target, chain)
    const sessions = await sessionsOf(chain)
    return wireOpened(await sessions.get(found, contracts, true), found.number)
  },
})

export const kestrel_debuggerPosition = rpcMethod({
  summary: 'What the debugger shows where a move ends: place, functions, variables, storage, stack, memory, events.',
  params: [debugTarget, debugMove],
  names: ['target', 'move'],
  result: debuggerPosition,
  gate: 'development',
  heavy: true,
  async handler([target, move], { chain, contracts }, signal) {
    const sessions = await sessionsOf(chain)
    return wirePosition(await sessions.position(await identified(target, chain), contracts, move, signal))
  },
})

/** Most steps of an answer. */
const MOST_STEPS = 1_000

export const kestrel_debuggerSteps = rpcMethod({
  summary: 'Consecutive steps of a debugged transaction or call: program counter, opcode, gas, depth and line of each.',
  params: [
    debugTarget,
    z.int({ error: 'expected an integer' }).nonnegative({ error: 'negative number' }),
    z
      .int({ error: 'expected an integer' })
      .min(1)
      .max(MOST_STEPS, { error: `at most ${MOST_STEPS} steps` }),
  ],
  names: ['target', 'from', 'count'],
  result: debuggerSteps,
  gate: 'development',
  heavy: true,
  async handler([target, from, count], { chain, contracts }) {
    const sessions = await sessionsOf(chain)
    const { recording, activations } = await sessions.get(await identified(target, chain), contracts)
    const { steps } = recording
    const begin = Math.max(from, steps.first)
    const end = Math.min(from + count, steps.count)
    return Array.from({ length: Math.max(0, end - begin) }, (_, i) => {
      const step = begin + i
      const pc = steps.pc(step)
      const line = activations.at(step).code?.lineAt(pc)?.[1] ?? null
      return [pc, steps.nameAt(step), steps.gas(step), steps.depth(step), line] as const
    }).map(([...of]): z.output<typeof debuggerSteps>[number] => of)
  },
})
