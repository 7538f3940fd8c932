// Opcode proposals: their changes, and the blocks in which they were active, which follow from the history of the EVM's
// parameters. An upgrade applies from its own block on, a governance proposal from the block after its end.
import { z } from 'zod'
import type { ExplorerContext } from '../context.ts'
import { nativeOf } from './modules.ts'
import { parameterHistory } from './parameter-history.ts'

export const opcodeProposalSchema = z.strictObject({
  name: z.string(),
  title: z.string(),
  is_active: z.boolean(),
  changes: z
    .array(z.strictObject({ opcode: z.string(), code: z.number().int(), what: z.array(z.string()) }))
    .describe('what it changes by itself in the opcode table of the newest block'),
  active_blocks: z.array(
    z.strictObject({ from: z.number().int(), to: z.number().int().nullable().describe('null: it is active still') }),
  ),
})

const names = z.array(z.string())

/** The lists of active proposals, each with the first block it applies to. */
async function listsOf(context: ExplorerContext) {
  const { spec } = nativeOf(context, 'head')
  const changes = (await parameterHistory(context, 'head')).filter(({ module }) => module === 'evm')
  return [
    { from: 0, active: spec.params.activeProposals },
    ...changes.map(({ block, cause, after }) => {
      return { from: cause.type === 'upgrade' ? block : block + 1, active: names.parse(after) }
    }),
  ]
}

/** All proposals known on the chain, by name. */
export async function opcodeProposalsOf(context: ExplorerContext): Promise<z.input<typeof opcodeProposalSchema>[]> {
  const { chain, head } = context
  const known = await chain.stateQueries.proposals({ hash: head.hash })
  const lists = await listsOf(context)
  return known.map(({ name, title, isActive, changes }) => ({
    name,
    title,
    is_active: isActive,
    changes: changes.map(({ opcode, code, what }) => ({ opcode, code, what: [...what] })),
    active_blocks: rangesOf(name, lists),
  }))
}

function rangesOf(name: string, lists: Awaited<ReturnType<typeof listsOf>>) {
  const ranges: { from: number; to: number | null }[] = []
  for (const { from, active } of lists) {
    const last = ranges.at(-1)
    const isOpen = last !== undefined && last.to === null
    if (active.includes(name) && !isOpen) ranges.push({ from, to: null })
    if (!active.includes(name) && isOpen) ranges[ranges.length - 1] = { ...last, to: from - 1 }
  }
  // A list that was replaced before it applied to a block was never active.
  return ranges.filter(({ from, to }) => to === null || to >= from)
}
