// Where the gas of a transaction went: by function, by line, and as folded stacks, from what solidityTracer answers. Also part of
// the transaction's page, so it imports only types.
import type { LineGas } from './solidity-trace.ts'

/** What a profile needs of a frame of solidityTracer. */
export type ProfiledFrame = {
  readonly type: string
  readonly function?: string | undefined
  /** Quantity or number; an event has none. */
  readonly gasUsed?: string | number | undefined
  readonly lines?: readonly LineGas[] | undefined
  readonly calls?: readonly ProfiledFrame[] | undefined
}

/** The calls of a function by the same callers, together. */
export type ProfileNode = {
  readonly name: string
  /** With what it calls. */
  readonly gas: number
  /** Without what it calls. */
  readonly own: number
  /** Number of calls. */
  readonly count: number
  readonly calls: readonly ProfileNode[]
}

export type FunctionGas = Omit<ProfileNode, 'calls'>

export type GasProfile = {
  /** Gas before refunds: the sum of `own` of all nodes. */
  readonly total: number
  /** Taken back for cleared storage; left out of `total`. */
  readonly refund: number
  readonly roots: readonly ProfileNode[]
}

/** Gas of a transaction before its first opcode: its base cost, data, access list, creation. */
export const INTRINSIC = 'intrinsic gas'
/** EIP-7623: what data cost at least, if execution was cheaper. */
export const FLOOR = 'least gas of the data'

/**
 * The profile of a mined transaction, whose gas is `total - refund`, or of a call (without `mined`), whose gas is `total`. `gas` of the
 * trace is what the limit leaves after the intrinsic gas.
 */
export function gasProfile(
  trace: ProfiledFrame & { readonly gas: string },
  mined?: { readonly gasLimit: number; readonly gasUsed: number },
): GasProfile {
  const roots = merged([trace])
  const intrinsic = mined === undefined ? 0 : mined.gasLimit - Number(trace.gas)
  const spent = intrinsic + (roots[0]?.gas ?? 0)
  const rest = mined === undefined ? 0 : mined.gasUsed - spent
  const leaf = (name: string, gas: number): ProfileNode[] =>
    gas > 0 ? [{ name, gas, own: gas, count: 1, calls: [] }] : []
  return {
    total: spent + Math.max(0, rest),
    refund: Math.max(0, -rest),
    roots: [...roots, ...leaf(INTRINSIC, intrinsic), ...leaf(FLOOR, rest)],
  }
}

/** Frames as nodes, those of one function together, in the order of their first calls. */
function merged(frames: readonly ProfiledFrame[]): readonly ProfileNode[] {
  const byName = new Map<string, ProfiledFrame[]>()
  for (const frame of frames) {
    if (frame.function === undefined) continue
    const same = byName.get(frame.function)
    if (same === undefined) byName.set(frame.function, [frame])
    else same.push(frame)
  }
  return [...byName].map(([name, same]) => {
    const gas = same.reduce((sum, { gasUsed }) => sum + Number(gasUsed ?? 0), 0)
    const calls = merged(same.flatMap((frame) => frame.calls ?? []))
    const within = calls.reduce((sum, call) => sum + call.gas, 0)
    return { name, gas, own: gas - within, count: same.length, calls }
  })
}

/** `Caller.takeFor;Vault.take;Vault._check 1234`: the format of flamegraph.pl, inferno and speedscope. */
export function foldedStacks({ roots }: GasProfile): readonly string[] {
  const lines: string[] = []
  const walk = ({ name, own, calls }: ProfileNode, above: string): void => {
    const path = `${above}${name.replaceAll(';', ',')}`
    if (own > 0) lines.push(`${path} ${own}`)
    for (const call of calls) walk(call, `${path};`)
  }
  for (const root of roots) walk(root, '')
  return lines
}

/** By function, the one with most own gas first. A recursive call counts once for the gas with what it calls. */
export function functionsOf({ roots }: GasProfile): readonly FunctionGas[] {
  const found = new Map<string, { name: string; gas: number; own: number; count: number }>()
  const running = new Set<string>()
  const walk = ({ name, gas, own, count, calls }: ProfileNode): void => {
    const sum = found.get(name) ?? { name, gas: 0, own: 0, count: 0 }
    found.set(name, sum)
    const isOutermost = !running.has(name)
    if (isOutermost) sum.gas += gas
    sum.own += own
    sum.count += count
    running.add(name)
    calls.forEach(walk)
    if (isOutermost) running.delete(name)
  }
  roots.forEach(walk)
  return [...found.values()].filter(({ gas }) => gas > 0).sort((a, b) => b.own - a.own)
}

/** By line, all messages together, in the order of files and lines. */
export function linesOf(trace: ProfiledFrame): readonly LineGas[] {
  const found = new Map<string, LineGas>()
  const walk = ({ lines = [], calls = [] }: ProfiledFrame): void => {
    for (const { file, line, gas, steps } of lines) {
      const key = `${file}:${line}`
      const sum = found.get(key) ?? { file, line, gas: 0, steps: 0 }
      found.set(key, sum)
      sum.gas += gas
      sum.steps += steps
    }
    calls.forEach(walk)
  }
  walk(trace)
  return [...found.values()].sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
}
