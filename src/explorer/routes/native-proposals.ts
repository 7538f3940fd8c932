// Proposals of governance.
import { z } from 'zod'
import { integer, labels } from '../codec.ts'
import { explorerRoute } from '../define.ts'
import { notFound } from '../errors.ts'
import { nativeOf } from '../native/modules.ts'
import { isStored, PROPOSAL_STATUSES, proposalSchema, showProposal } from '../native/proposal.ts'
import { depositSchema, depositsOn, showDeposit, showVote, voteSchema, votesOn } from '../native/vote.ts'
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

export const nativeProposalVotes = explorerRoute({
  path: '/native/proposals/{id}/votes',
  summary: 'The last vote of each account on a proposal, newest first',
  params,
  query: pageQuery,
  response: pageSchema(voteSchema),
  handler({ params: { id }, query }, context) {
    if (!isStored(context, id)) throw notFound()
    return arrayPage(votesOn(context, id), query, (party) => showVote(context, id, party))
  },
})

export const nativeProposalDeposits = explorerRoute({
  path: '/native/proposals/{id}/deposits',
  summary: 'Deposits of a proposal, oldest first, also when they were given back or burnt',
  params,
  query: pageQuery,
  response: pageSchema(depositSchema),
  async handler({ params: { id }, query }, context) {
    if (!isStored(context, id)) throw notFound()
    return arrayPage(await depositsOn(context, id), query, (deposit) => showDeposit(context, deposit))
  },
})
