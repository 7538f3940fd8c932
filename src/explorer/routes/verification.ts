// Verification of a contract by the frontend's form. The answer says only that it has begun; the outcome is pushed on the
// socket, and is visible in the contract's record.
import { z } from 'zod'
import { LICENCES } from '../../contracts/verified-contracts.ts'
import { ChainError } from '../../lib/errors.ts'
import { addressParam } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import type { CompilerLanguage } from '../contracts/compilers.ts'
import { inputFromMetadata, metadataAmong } from '../contracts/solidity-metadata.ts'
import {
  EVM_VERSIONS,
  inputFromFiles,
  inputFromJson,
  licenceOf,
  VYPER_EVM_VERSIONS,
  vyperInput,
} from '../contracts/submissions.ts'
import type { Verification, VerificationSubmission } from '../contracts/verification.ts'
import { explorerRoute } from '../define.ts'
import { ExplorerError, invalidParameter } from '../errors.ts'
import { filesIn, LARGEST_UPLOAD, type UploadedFile } from '../uploads.ts'

const params = z.object({ address_hash_param: addressParam })

const SOLIDITY_OPTIONS = ['flattened-code', 'standard-input', 'multi-part', 'sourcify']
const VYPER_OPTIONS = ['vyper-code', 'vyper-multi-part', 'vyper-standard-input']

export const verificationConfig = explorerRoute({
  path: '/smart-contracts/verification/config',
  summary: 'Compilers and methods of contract verification on this node',
  response: z.strictObject({
    solidity_compiler_versions: z.array(z.string()).describe('newest first'),
    solidity_evm_versions: z.array(z.string()),
    vyper_compiler_versions: z.array(z.string()),
    vyper_evm_versions: z.array(z.string()),
    verification_options: z.array(z.string()),
    is_rust_verifier_microservice_enabled: z.boolean().describe('the form need not ask for what can be found out'),
    license_types: z.record(z.string(), z.number().int()),
  }),
  async handler(_, { verification }) {
    const compilers = (await verification?.compilers.installed()) ?? []
    const versionsOf = (wanted: CompilerLanguage) =>
      compilers.filter(({ language }) => language === wanted).map(({ version }) => version)
    const vyper = versionsOf('vyper')
    return {
      solidity_compiler_versions: versionsOf('solidity'),
      solidity_evm_versions: ['default', ...EVM_VERSIONS],
      vyper_compiler_versions: vyper,
      vyper_evm_versions: vyper.length > 0 ? ['default', ...VYPER_EVM_VERSIONS] : [],
      verification_options:
        verification === undefined ? [] : [...SOLIDITY_OPTIONS, ...(vyper.length > 0 ? VYPER_OPTIONS : [])],
      is_rust_verifier_microservice_enabled: true,
      license_types: Object.fromEntries(LICENCES.map((licence, i) => [licence, i + 1])),
    }
  },
})

// Forms send every field as text, including empty ones.
const text = z.string().trim().optional()
const yesNo = z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')])
const number = z.union([
  z.number().int(),
  z
    .string()
    .regex(/^\d{1,10}$/)
    .transform(Number),
])

const common = z.looseObject({
  compiler_version: text.describe('v0.8.37+commit.f401782d'),
  contract_name: text.describe('the contract is found without it'),
  license_type: z.union([z.string(), z.number()]).optional(),
})
const settings = common.extend({
  is_optimization_enabled: yesNo.optional(),
  optimization_runs: number.or(z.literal('').transform(() => undefined)).nullish(),
  evm_version: text,
})

/** The result of reading a form: the compiler's input, and other fields of the submission. */
type FromForm = Pick<VerificationSubmission, 'input'> &
  Partial<Pick<VerificationSubmission, 'compilerVersion' | 'contractName' | 'isViaSourcify'>>

/** One way to submit sources. */
function verificationVia<const W extends string, B extends typeof common>(
  way: W,
  summary: string,
  body: B,
  read: (form: z.output<B>) => FromForm | Promise<FromForm>,
) {
  return explorerRoute({
    method: 'POST',
    path: `/smart-contracts/{address_hash_param}/verification/via/${way}`,
    summary,
    params,
    body,
    bodyLimit: LARGEST_UPLOAD,
    response: z.strictObject({ message: z.string() }),
    async handler({ params: { address_hash_param: address }, body: form }, context) {
      const verification = verificationOf(context)
      if (verification.contracts.get(context.view, address)?.match === 'exact') {
        throw new ExplorerError(422, { message: 'Already verified' })
      }
      const { compiler_version = '', contract_name, license_type } = form as z.output<typeof common>
      const given = await read(form)
      if (given.compilerVersion === undefined && compiler_version === '') {
        throw invalidParameter('compiler_version', 'Missing field: compiler_version')
      }
      const submission = {
        address,
        compilerVersion: compiler_version,
        contractName: contract_name === '' ? undefined : contract_name,
        licence: licenceOf(license_type),
        ...given,
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
    return { input: inputFromFiles({ [name]: source_code }, { ...plain(form), isYul: is_yul_contract }) }
  },
)

export const verifyStandardInput = verificationVia(
  'standard-input',
  "Verifies a contract by the compiler's standard JSON input, a file of the form",
  common,
  (form) => ({ input: inputFromJson(uploaded(form)[0]?.content ?? '') }),
)

export const verifyMultiPart = verificationVia(
  'multi-part',
  'Verifies a contract by its source files',
  settings,
  (form) => {
    const sources = byPath(uploaded(form))
    const isYul = Object.keys(sources).every((path) => path.endsWith('.yul'))
    return { input: inputFromFiles(sources, { ...plain(form), isYul }) }
  },
)

export const verifySourcify = verificationVia(
  'sourcify',
  'Verifies a contract by its metadata.json and source files, which need no settings',
  common,
  async (form) => {
    const files = uploaded(form)
    const metadata = metadataAmong(files.map(({ content }) => content))
    const chosen = metadata[Number(form.chosen_contract_index ?? 0)]
    if (chosen === undefined) throw invalidParameter('files', 'there is no metadata of a contract among the files')
    return { ...(await inputFromMetadata(chosen, byPath(files))), isViaSourcify: true }
  },
)

/** Vyper's compiler names a contract after its file, while forms have a name chosen by the author. */
const ANY_CONTRACT = { contractName: undefined }

export const verifyVyperCode = verificationVia(
  'vyper-code',
  'Verifies a contract of Vyper by a single source',
  common.extend({ source_code: z.string().min(1), evm_version: text }),
  ({ source_code, contract_name, evm_version }) => ({
    ...ANY_CONTRACT,
    input: vyperInput({ [`${contract_name || 'Vyper_contract'}.vy`]: source_code }, {}, evm_version),
  }),
)

export const verifyVyperMultiPart = verificationVia(
  'vyper-multi-part',
  'Verifies a contract of Vyper by its source files, with those of interfaces in a field of their own',
  common.extend({ evm_version: text }),
  (form) => ({
    ...ANY_CONTRACT,
    input: vyperInput(byPath(uploaded(form)), byPath(filesIn(form, 'interfaces')), form.evm_version),
  }),
)

export const verifyVyperStandardInput = verificationVia(
  'vyper-standard-input',
  "Verifies a contract by Vyper's standard JSON input, a file of the form",
  common,
  (form) => ({ ...ANY_CONTRACT, input: inputFromJson(uploaded(form)[0]?.content ?? '') }),
)

const byPath = (files: readonly UploadedFile[]): Record<string, string> =>
  Object.fromEntries(files.map(({ filename, content }) => [filename, content]))

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
