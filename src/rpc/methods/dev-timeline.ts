// Development: what was done to the chain, for the development page.
import { ChainError } from '../../lib/errors.ts'
import { rpcMethod } from '../define.ts'
import type { Timeline } from '../development-timeline.ts'

export const kestrel_getTimeline = rpcMethod({
  summary:
    'Blocks, edits, snapshots, reverts and settings since the node began, newest first, with what each changed: the newest 500. And the snapshots, with what going back to them would lose.',
  params: [],
  result: (timeline: Timeline) => timeline,
  gate: 'development',
  handler(_, { development }) {
    if (development.timeline === undefined) throw new ChainError('not-allowed', 'this node keeps no timeline')
    return development.timeline.get()
  },
})
