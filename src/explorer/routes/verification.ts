// Verification of a contract, as the frontend's form submits it. The answer says only that it has begun; the outcome is
// pushed on the socket, and shows in the contract's record.
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { addressParam } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import type { CompilerInput } from '../contracts/compilers.ts'
import { EVM_VERSIONS, inputFromFiles, inputFromJson, licenceOf } from '../contracts/submissions.ts'
import type { Verification } from '../contracts/verification.ts'
import { LICENCES } from '../contracts/verified-contracts.ts'
import { type ExplorerRoute, explorerRoute } from '../define.ts'
import { ExplorerError, invalidParameter } from '../errors.ts'
import { filesIn, type UploadedFile } from '../uploads.ts'

const params = z.object({ address_hash_param: addressParam })

export const verificationConfig = explorerRoute({
  path: '/smart-contracts/verification/config',
  summary: 'Compilers and methods of contract verification on this node',
  response: z.strictObject({
    solidity_compiler_versions: z.array(z.string()).describe('newest first'),
    solidity_evm_versions: z.array(z.string()),
    vyper_compiler_versions: z.array(z.never()),
    vyper_evm_versions: z.array(z.never()),
    verification_options: z.array(z.string()),
    is_rust_verifier_microservice_enabled: z.boolean().describe('the form need not ask for what can be found out'),
    license_types: z.record(z.string(), z.number().int()),
  }),
  async handler(_, { verification }) {
    const compilers = (await verification?.compilers.installed()) ?? []
    return {
      solidity_compiler_versions: compilers.map(({ version }) => version),
      solidity_evm_versions: ['default', ...EVM_VERSIONS],
      vyper_compiler_versions: [],
      vyper_evm_versions: [],
      verification_options: verification === undefined ? [] : ['flattened-code', 'standard-input', 'multi-part'],
      is_rust_verifier_microservice_enabled: true,
      license_types: Object.fromEntries(LICENCES.map((licence, i) => [licence, i + 1])),
    }
  },
})

// Forms send every field as text, empty ones too.
const text = z.string().trim().optional()
const requiredText = z.string().trim().min(1)
const yesNo = z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')])
const number = z.union([
  z.number().int(),
  z
    .string()
    .regex(/^\d{1,10}$/)
    .transform(Number),
])

const common = z.looseObject({
  compiler_version: requiredText.describe('v0.8.37+commit.f401782d'),
  contract_name: text.describe('the contract is found without it'),
  license_type: z.union([z.string(), z.number()]).optional(),
})
const settings = common.extend({
  is_optimization_enabled: yesNo.optional(),
  optimization_runs: number.or(z.literal('').transform(() => undefined)).nullish(),
  evm_version: text,
})

/** One way to submit sources; `input` turns the form into the compiler's input. */
function verificationVia<B extends typeof common>(
  way: string,
  summary: string,
  body: B,
  input: (form: z.output<B>) => CompilerInput,
): ExplorerRoute {
  return explorerRoute({
    method: 'POST',
    path: `/smart-contracts/{address_hash_param}/verification/via/${way}`,
    summary,
    params,
    body,
    response: z.strictObject({ message: z.string() }),
    async handler({ params: { address_hash_param: address }, body: form }, context) {
      const verification = verificationOf(context)
      if (verification.contracts.get(context.view, address)?.match === 'exact') {
        throw new ExplorerError(422, { message: 'Already verified' })
      }
      const { compiler_version, contract_name, license_type } = form as z.output<typeof common>
      const submission = {
        address,
        compilerVersion: compiler_version,
        input: input(form),
        contractName: contract_name === '' ? undefined : contract_name,
        licence: licenceOf(license_type),
      }
      await verification.submit(submission, context.client).catch(refuseBusy)
      return { message: 'Smart-contract verification started' }
    },
  })
}

function refuseBusy(error: unknown): never {
  if (error instanceof ChainError && error.code === 'limit-exceeded')
    throw new ExplorerError(429, { message: error.message })
  throw error
}

function verificationOf({ verification }: ExplorerContext): Verification {
  if (verification === undefined) throw new ExplorerError(403, { message: 'Contracts are not verified on this node' })
  return verification
}

export const verifyFlattenedCode = verificationVia(
  'flattened-code',
  'Verifies a contract by a single source',
  settings.extend({ source_code: z.string().min(1), is_yul_contract: yesNo.optional() }),
  ({ source_code, contract_name, is_yul_contract = false, ...form }) => {
    const name = `${contract_name || 'contract'}.${is_yul_contract ? 'yul' : 'sol'}`
    return inputFromFiles({ [name]: source_code }, { ...plain(form), isYul: is_yul_contract })
  },
)

export const verifyStandardInput = verificationVia(
  'standard-input',
  "Verifies a contract by the compiler's standard JSON input, a file of the form",
  common,
  (form) => inputFromJson(uploaded(form)[0]?.content ?? ''),
)

export const verifyMultiPart = verificationVia(
  'multi-part',
  'Verifies a contract by its source files',
  settings,
  (form) => {
    const sources = Object.fromEntries(uploaded(form).map(({ filename, content }) => [filename, content]))
    const isYul = Object.keys(sources).every((path) => path.endsWith('.yul'))
    return inputFromFiles(sources, { ...plain(form), isYul })
  },
)

const plain = ({
  is_optimization_enabled = false,
  optimization_runs,
  evm_version,
}: Pick<z.output<typeof settings>, 'is_optimization_enabled' | 'optimization_runs' | 'evm_version'>) => ({
  isOptimized: is_optimization_enabled,
  runs: optimization_runs ?? undefined,
  evmVersion: evm_version,
})

function uploaded(form: Readonly<Record<string, unknown>>): UploadedFile[] {
  const found = filesIn(form, 'files')
  if (found.length === 0) throw invalidParameter('files', 'Missing field: files')
  return found
}
