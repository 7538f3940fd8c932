// Proposals of governance.
import { z } from 'zod'
import { integer, labels } from '../codec.ts'
import { explorerRoute } from '../define.ts'
import { notFound } from '../errors.ts'
import { nativeOf } from '../native/modules.ts'
import { isStored, PROPOSAL_STATUSES, proposalSchema, showProposal } from '../native/proposal.ts'
import { arrayPage, pageQuery, pageSchema } from '../pagination/page.ts'

const params = z.object({ id: integer(0, 2 ** 48).transform(BigInt) })

export const nativeProposals = explorerRoute({
  path: '/native/proposals',
  summary: 'Proposals of governance, newest first',
  query: pageQuery.extend({ status: labels(PROPOSAL_STATUSES) }),
  response: pageSchema(proposalSchema),
  handler({ query: { status, ...query } }, context) {
    const { gov } = nativeOf(context, 'head').modules
    const found: bigint[] = []
    for (let id = gov.lastId(); id > 0n; id--) {
      const is = gov.status(id)
      if (is !== 'none' && (status === undefined || status.includes(is))) found.push(id)
    }
    return arrayPage(found, query, (id) => showProposal(context, id))
  },
})

export const nativeProposal = explorerRoute({
  path: '/native/proposals/{id}',
  summary: 'A proposal of governance',
  params,
  response: proposalSchema,
  handler({ params: { id } }, context) {
    if (!isStored(context, id)) throw notFound()
    return showProposal(context, id)
  },
})
