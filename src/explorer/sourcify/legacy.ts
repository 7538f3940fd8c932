// Version 1 of the Sourcify API, for Hardhat 2 and older versions of Foundry: a submission of metadata and sources waits for
// its outcome, and lookups return "perfect" and "partial" matches.
import { z } from 'zod'
import type { MatchKind } from '../../contracts/bytecode-match.ts'
import { checksummed } from '../../lib/checksummed.ts'
import { type Address, hexToAddress } from '../../lib/hex.ts'
import { inputFromMetadata, metadataAmong } from '../contracts/solidity-metadata.ts'
import { inputFromJson } from '../contracts/submissions.ts'
import type { VerificationSubmission } from '../contracts/verification.ts'
import { filesIn, LARGEST_UPLOAD } from '../uploads.ts'
import { addressIn, type SourcifyAnswer, type SourcifyRequest, type SourcifyRoute, unknownChain } from './define.ts'
import { invalidParameter, parsed, SourcifyError } from './errors.ts'
import { finished, submitted } from './verify.ts'

const STATUS: Readonly<Record<MatchKind, string>> = { exact: 'perfect', partial: 'partial' }

// Forms contain only texts.
const text = z.union([z.string(), z.number()]).transform(String)
const form = z.looseObject({
  address: z.string(),
  chain: text,
  chosenContract: text.optional(),
  compilerVersion: z.string().optional(),
  contractName: z.string().optional(),
})

/** Files by their path: an object of texts, or uploads. */
function filesOf(body: Readonly<Record<string, unknown>>): Record<string, string> {
  const given = z.record(z.string(), z.string()).safeParse(body.files).data
  const files = given ?? Object.fromEntries(filesIn(body, 'files').map(({ filename, content }) => [filename, content]))
  if (Object.keys(files).length === 0) {
    throw new SourcifyError(
      404,
      'not_found',
      "Couldn't extract files from the request. Please make sure you have added files",
    )
  }
  return files
}

type Given = Pick<VerificationSubmission, 'compilerVersion' | 'input' | 'contractName'>
type Form = z.output<typeof form>

async function byMetadata(files: Readonly<Record<string, string>>, { chosenContract }: Form): Promise<Given> {
  const found = metadataAmong(Object.values(files))
  if (found.length === 0) throw invalidParameter('Metadata file not found. Did you include "metadata.json"?')
  if (found.length > 1 && chosenContract === undefined) {
    throw invalidParameter(
      `Detected ${found.length} contracts, but can only verify 1 at a time. Choose one by chosenContract`,
    )
  }
  const chosen = found[Number(chosenContract ?? 0)]
  if (chosen === undefined) throw new SourcifyError(404, 'not_found', 'Chosen contract not found')
  return inputFromMetadata(chosen, files)
}

function byStandardJson(files: Readonly<Record<string, string>>, given: Form): Given {
  const { compilerVersion, contractName } = given
  if (compilerVersion === undefined) throw invalidParameter('compilerVersion: expected a version')
  return { input: inputFromJson(Object.values(files)[0] ?? ''), compilerVersion, contractName }
}

const verification = (
  path: string,
  read: (files: Readonly<Record<string, string>>, given: Form) => Given | Promise<Given>,
): SourcifyRoute => ({
  method: 'POST',
  path,
  bodyLimit: LARGEST_UPLOAD,
  async handle(request) {
    const given = parsed(form, request.body)
    if (given.chain !== request.chainId) throw unknownChain(given.chain)
    const address = addressIn({ address: given.address })
    const known = await verifiedAt(request, address)
    if (known?.match === 'exact') return resultOf(request, address)
    const id = await submitted(request, address, await read(filesOf(given), given))
    const { outcome } = await finished(request.verification, id, request.signal)
    if (outcome.state === 'verified') return resultOf(request, address)
    if (outcome.state === 'pending') throw new SourcifyError(503, 'internal_error', 'the verification takes too long')
    // For these clients, submitting a partial match again is not an error.
    if (outcome.code === 'already_verified') return resultOf(request, address)
    throw new SourcifyError(400, 'invalid_parameter', outcome.reason)
  },
})

const verifiedAt = ({ verification: { contracts }, withContext }: SourcifyRequest, address: Address) =>
  withContext(({ view }) => contracts.get(view, address))

async function resultOf(request: SourcifyRequest, address: Address): Promise<SourcifyAnswer> {
  const found = await verifiedAt(request, address)
  const result = {
    address: checksummed(address),
    chainId: request.chainId,
    status: found === undefined ? 'false' : STATUS[found.match],
    libraryMap: Object.fromEntries((found?.libraries ?? []).map(({ name, address: of }) => [name, of])),
    ...(found && { contractName: found.name, storageTimestamp: new Date(found.verifiedAt * 1000).toISOString() }),
  }
  return { body: { result: [result] } }
}

const checkQuery = z.object({
  addresses: z.string('expected addresses').min(1),
  chainIds: z.string('expected chain ids').min(1),
})

/** `all`: also partial matches, with the status of each chain. */
const check = (path: string, all: boolean): SourcifyRoute => ({
  method: 'GET',
  path,
  async handle(request) {
    const { addresses, chainIds } = parsed(checkQuery, request.query)
    const isAsked = chainIds.split(',').includes(request.chainId)
    const found = addresses.split(',').map(async (given) => {
      const address = addressIn({ address: given })
      const contract = isAsked ? await verifiedAt(request, address) : undefined
      const shown = checksummed(hexToAddress(address))
      if (contract === undefined || (!all && contract.match !== 'exact')) return { address: shown, status: 'false' }
      const { chainId } = request
      return all
        ? { address: shown, chainIds: [{ chainId, status: STATUS[contract.match] }] }
        : { address: shown, status: 'perfect', chainIds: [chainId] }
    })
    return { body: await Promise.all(found) }
  },
})

const chains: SourcifyRoute = {
  method: 'GET',
  path: '/chains',
  handle: ({ chainId, withContext }) =>
    withContext(({ spec: { name } }) => {
      const title = name
      return { body: [{ name, title, chainId: Number(chainId), rpc: [], supported: true, etherscanAPI: false }] }
    }),
}

export const legacyRoutes: readonly SourcifyRoute[] = [
  verification('', byMetadata),
  verification('/verify', byMetadata),
  verification('/verify/solc-json', byStandardJson),
  check('/check-by-addresses', false),
  check('/checkByAddresses', false),
  check('/check-all-by-addresses', true),
  check('/checkAllByAddresses', true),
  chains,
]
