// Verification by version 2 of the Sourcify API: a submission returns the id of a job, the job its outcome. A failed
// verification is an outcome, too; only an unreadable submission is refused.
import { z } from 'zod'
import { compilerInput } from '../../contracts/compiler-output.ts'
import { checksummed } from '../../lib/checksummed.ts'
import { ChainError } from '../../lib/errors.ts'
import type { Address } from '../../lib/hex.ts'
import { inputFromMetadata, solidityMetadata } from '../contracts/solidity-metadata.ts'
import type { Verification, VerificationJob, VerificationSubmission } from '../contracts/verification.ts'
import { LARGEST_UPLOAD } from '../uploads.ts'
import { addressIn, pageOf, type SourcifyAnswer, type SourcifyRequest, type SourcifyRoute } from './define.ts'
import { errorBody, invalidParameter, parsed, SourcifyError } from './errors.ts'
import { minimal, NOT_VERIFIED } from './lookup.ts'

type Given = Pick<VerificationSubmission, 'compilerVersion' | 'input' | 'contractName'>

const hash = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'expected a hash')
/** Accepted but not needed: the node knows the transaction that created a contract. */
const common = { creationTransactionHash: hash.nullish() }

const standardJson = z.object({
  ...common,
  stdJsonInput: compilerInput,
  compilerVersion: z.string('Compiler version is required.').regex(/^v?\d+\.\d+\.\d+.*$/, 'expected a version'),
  contractIdentifier: z
    .string('Contract identifier is required')
    .regex(/.:./, "must consist of the file path and the contract name separated by a ':'"),
})
const byMetadata = z.object({
  ...common,
  metadata: solidityMetadata,
  sources: z.record(z.string(), z.string()),
})
const bySimilarity = z.object(common).nullish()

/**
 * Queues a submission and returns the id of its job. If it cannot be started, the job has failed. Throws SourcifyError 409 if
 * the contract is already verified exactly, ChainError `limit-exceeded` if the queue is full.
 */
export async function submitted(request: SourcifyRequest, address: Address, given: Given): Promise<string> {
  const { verification, chainId } = request
  await request.withContext(({ view }) => {
    if (verification.contracts.get(view, address)?.match !== 'exact') return
    const words = `Contract ${checksummed(address)} on chain ${chainId} is already verified with an exact match`
    throw new SourcifyError(409, 'already_verified', words)
  })
  const submission = { ...given, address, licence: 'none', isViaSourcify: true } as const
  try {
    return await verification.submit(submission, request.client)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    if (error.code === 'not-found') {
      const words = `Chain #${chainId} does not have a contract deployed at ${checksummed(address)}.`
      return verification.fail(address, 'contract_not_deployed', words)
    }
    if (error.code === 'invalid-params') return verification.fail(address, 'invalid_compiler_version', error.message)
    throw error
  }
}

/** A route for one kind of submission. */
function submission(
  path: string,
  read: (request: SourcifyRequest, address: Address) => Given | Promise<Given>,
): SourcifyRoute {
  return {
    method: 'POST',
    path,
    bodyLimit: LARGEST_UPLOAD,
    async handle(request) {
      const address = addressIn(request.params)
      const id = await submitted(request, address, await read(request, address))
      return { status: 202, body: { verificationId: toUuid(id) } }
    },
  }
}

const verifyStandardJson = submission('/v2/verify/:chain/:address', ({ body }) => {
  const { stdJsonInput: input, compilerVersion, contractIdentifier: contractName } = parsed(standardJson, body)
  return { input, compilerVersion, contractName }
})

const verifyMetadata = submission('/v2/verify/metadata/:chain/:address', ({ body }) => {
  const { metadata, sources } = parsed(byMetadata, body)
  return inputFromMetadata(metadata, sources)
})

const verifySimilarity: SourcifyRoute = {
  method: 'POST',
  path: '/v2/verify/similarity/:chain/:address',
  async handle(request) {
    const address = addressIn(request.params)
    parsed(bySimilarity, request.body)
    const { verification } = request
    const twin = await request.withContext(({ view, rows }) => {
      const { address: of } = verification.contracts.twin(view, address) ?? {}
      return of && verification.contracts.sources(rows, view, of)
    })
    const id =
      twin === undefined
        ? verification.fail(address, 'no_similar_match_found', 'No similar verified contract was found.')
        : await submitted(request, address, { ...twin, contractName: `${twin.path}:${twin.name}` })
    return { status: 202, body: { verificationId: toUuid(id) } }
  },
}

const job: SourcifyRoute = {
  method: 'GET',
  path: '/v2/verify/:id',
  async handle(request) {
    const { verification, signal, params } = request
    const id = fromUuid(params.id ?? '')
    await verification.settled(id, signal)
    const found = verification.job(id)
    if (found === undefined) {
      throw new SourcifyError(404, 'job_not_found', `No verification job found for id ${params.id}`)
    }
    return { body: await showJob(request, id, found) }
  },
}

/** The page to which Hardhat sends users for a job. */
const jobPage: SourcifyRoute = {
  method: 'GET',
  path: '/verify-ui/jobs/:id',
  async handle({ verification, params }): Promise<SourcifyAnswer> {
    const found = verification.job(fromUuid(params.id ?? ''))
    if (found === undefined) throw new SourcifyError(404, 'job_not_found', 'There is no such verification job')
    return { location: pageOf(found.address) }
  },
}

async function showJob(request: SourcifyRequest, id: string, { address, begun, ended, outcome }: VerificationJob) {
  const { verification, chainId } = request
  const contract = await request.withContext(({ view }) =>
    outcome.state === 'verified' ? verification.contracts.get(view, address) : undefined,
  )
  return {
    isJobCompleted: outcome.state !== 'pending',
    verificationId: toUuid(id),
    jobStartTime: isoTime(begun),
    ...(ended !== undefined && { jobFinishTime: isoTime(ended), compilationTime: (ended - begun).toString() }),
    contract:
      contract === undefined
        ? { ...NOT_VERIFIED, chainId, address: checksummed(address) }
        : minimal(chainId, address, contract),
    ...(outcome.state === 'failed' && { error: errorBody({ code: outcome.code, message: outcome.reason }) }),
  }
}

/** Waits for the outcome of a job, for clients of version 1. */
export async function finished(verification: Verification, id: string, signal: AbortSignal): Promise<VerificationJob> {
  await verification.settled(id, signal, LONGEST_JOB)
  const found = verification.job(id)
  if (found === undefined) throw invalidParameter('the verification was forgotten, because others came after it')
  return found
}

/** Milliseconds that version 1 waits, because it has no other way to return the outcome. */
const LONGEST_JOB = 300_000

const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** Ids of verifications as UUIDs with dashes. */
const toUuid = (id: string): string => id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
const fromUuid = (id: string): string => id.replaceAll('-', '').toLowerCase()

export const verificationRoutes: readonly SourcifyRoute[] = [
  verifyStandardJson,
  verifyMetadata,
  verifySimilarity,
  job,
  jobPage,
]
