// `module=contract`: sources of contracts and their verification for Hardhat and Foundry. These tools compare the texts of the
// answers.
import { z } from 'zod'
import { contractAbi, contractSources, proxyOf, twinOf } from '../../contracts/abi.ts'
import type { CompilerInput } from '../../contracts/compiler-output.ts'
import type { VerifiedSources } from '../../contracts/verified-contracts.ts'
import { toHex } from '../../lib/hex.ts'
import type { ExplorerContext } from '../context.ts'
import { creationOf } from '../contracts/creation.ts'
import { inputFromFiles, inputFromJson, licenceOf } from '../contracts/submissions.ts'
import { indexedTransaction, transactionSequence } from '../shapes/indexed-transaction.ts'
import { creationCode } from '../shapes/smart-contract.ts'
import { type Action, action, address, addresses, nonEmpty, Refused } from './define.ts'

const NOT_VERIFIED = 'Contract source code not verified'

const getabi = action(z.object({ address }), ({ address: of }, context) => {
  const abi = contractSources(context, of)?.abi ?? contractAbi(context, of)
  if (abi === undefined) throw new Refused(NOT_VERIFIED)
  return JSON.stringify(abi)
})

const getsourcecode = action(z.object({ address }), async ({ address: of }, context) => {
  const sources = contractSources(context, of)
  const proxy = proxyOf(context, of)
  return [
    {
      ...(sources === undefined ? UNVERIFIED : await sourceFields(context, of, sources)),
      Proxy: proxy === undefined ? '0' : '1',
      Implementation: proxy?.implementations[0] ?? '',
      SwarmSource: '',
      // Only the twin's address: tools skip a contract that has sources here, but a twin may still be verified itself.
      SimilarMatch: twinOf(context, of)?.address ?? '',
    },
  ]
})

const UNVERIFIED = {
  SourceCode: '',
  ABI: NOT_VERIFIED,
  ContractName: '',
  CompilerVersion: '',
  CompilerType: '',
  OptimizationUsed: '',
  Runs: '',
  ConstructorArguments: '',
  EVMVersion: 'Default',
  Library: '',
  LicenseType: 'Unknown',
}

async function sourceFields(
  context: ExplorerContext,
  of: z.output<typeof address>,
  sources: Omit<VerifiedSources, 'verifiedAt'>,
) {
  const { input, path, name, abi, creationSize, libraries } = sources
  const creation = creationSize === undefined ? undefined : await creationCode(context, of)
  return {
    // Etherscan's convention: double braces mark the compiler's complete input, in contrast to a single source.
    SourceCode: plainSource(input) ?? `{${JSON.stringify(input)}}`,
    ABI: JSON.stringify(abi),
    ContractName: name,
    CompilerVersion: sources.compilerVersion,
    CompilerType: sources.compilerVersion === 'native' ? 'native' : sources.language === 'vyper' ? 'vyper' : 'solc',
    OptimizationUsed: sources.isOptimized ? '1' : '0',
    Runs: sources.runs.toString(),
    ConstructorArguments: creation === undefined ? '' : toHex(creation.subarray(creationSize)).slice(2),
    EVMVersion: sources.evmVersion === 'default' ? 'Default' : sources.evmVersion,
    Library: libraries.map((library) => `${library.name}:${library.address.slice(2)}`).join(';'),
    LicenseType: sources.licence,
    ContractFileName: path,
  }
}

const OWN_FIELDS = ['optimizer', 'evmVersion', 'outputSelection']

/** The source of a contract with one file, if the answer has a field for each of its settings. */
function plainSource({ sources, settings }: CompilerInput): string | undefined {
  const [only, ...others] = Object.values(sources)
  const isPlain = others.length === 0 && Object.keys(settings).every((name) => OWN_FIELDS.includes(name))
  return isPlain ? only?.content : undefined
}

const getcontractcreation = action(
  z.object({ contractaddresses: addresses }),
  async ({ contractaddresses: all }, context) => {
    const { chain, rows } = context
    const found = await Promise.all(
      all.map(async (of) => {
        const creation = await creationOf(chain, rows, of)
        if (creation === undefined) return []
        const { transaction, number, creator } = creation
        const mined = chain.transaction(transaction.hash)
        if (mined === undefined) return []
        const { header } = await indexedTransaction(context, transactionSequence(context, number, mined.index))
        return {
          contractAddress: of,
          contractCreator: transaction.from,
          txHash: transaction.hash,
          blockNumber: number.toString(),
          timestamp: header.timestamp.toString(),
          contractFactory: creator === transaction.from ? '' : creator,
          creationBytecode: toHex((await creationCode(context, of)) ?? new Uint8Array(0)),
        }
      }),
    )
    return nonEmpty(found.flat(), 'No data found')
  },
)

const flag = z.enum(['0', '1', 'true', 'false', '']).transform((text) => text === '1' || text === 'true')

const verifysourcecode = action(
  z.object({
    contractaddress: address,
    sourcecode: z.string('expected sources').min(1),
    codeformat: z.string().default('solidity-single-file'),
    contractname: z.string().optional(),
    compilerversion: z.string('expected a version').min(1),
    optimizationused: flag.optional(),
    runs: z.string().regex(/^\d*$/).optional(),
    evmversion: z.string().optional(),
    viair: flag.optional(),
    licensetype: z.string().optional().describe('numbered from 1'),
  }),
  async (fields, context) => {
    const { contractaddress: of, contractname } = fields
    const { verification, view } = context
    if (verification === undefined) throw new Refused('Error! Contracts are not verified on this node')
    if (view.code(of).length === 0) throw new Refused(`Unable to locate ContractCode at ${of}`)
    if (verification.contracts.get(view, of)?.match === 'exact') {
      throw new Refused('Contract source code already verified')
    }
    const submission = {
      address: of,
      compilerVersion: fields.compilerversion,
      input: inputOf(fields),
      contractName: contractname === '' ? undefined : contractname,
      licence: licenceOf(fields.licensetype),
    }
    return verification.submit(submission, context.client)
  },
)

function inputOf(fields: {
  readonly sourcecode: string
  readonly codeformat: string
  readonly contractname?: string | undefined
  readonly optimizationused?: boolean | undefined
  readonly runs?: string | undefined
  readonly evmversion?: string | undefined
  readonly viair?: boolean | undefined
}): CompilerInput {
  const { sourcecode, codeformat, contractname = '' } = fields
  if (codeformat === 'solidity-standard-json-input' || codeformat === 'vyper-json') return inputFromJson(sourcecode)
  if (codeformat !== 'solidity-single-file') throw new Refused(`Error! Invalid codeformat: ${codeformat}`)
  const [path = ''] = contractname.includes(':') ? contractname.split(':') : [`${contractname || 'contract'}.sol`]
  return inputFromFiles(
    { [path]: sourcecode },
    {
      isOptimized: fields.optimizationused ?? false,
      runs: fields.runs === undefined || fields.runs === '' ? undefined : Number(fields.runs),
      evmVersion: fields.evmversion?.toLowerCase(),
      viaIR: fields.viair,
    },
  )
}

const checkverifystatus = action(z.object({ guid: z.string('expected a guid') }), ({ guid }, { verification }) => {
  const outcome = verification?.outcome(guid)
  if (outcome === undefined) throw new Refused('Unable to locate GUID')
  if (outcome.state === 'pending') throw new Refused('Pending in queue')
  if (outcome.state === 'failed') throw new Refused(`Fail - Unable to verify. ${outcome.reason}`)
  return 'Pass - Verified'
})

// Proxies need no verification: each request reads the implementation from the state.
const verifyproxycontract = action(z.object({ address }), ({ address: of }, context) => {
  if (proxyOf(context, of) === undefined) throw new Refused('The contract is no proxy that is known here')
  return of
})

const checkproxyverification = action(z.object({ guid: address }), ({ guid: of }, context) => {
  const implementation = proxyOf(context, of)?.implementations[0]
  if (implementation === undefined) {
    throw new Refused('A corresponding implementation contract was unfortunately not detected for the proxy address.')
  }
  return `The proxy's (${of}) implementation contract is found at ${implementation} and is successfully updated.`
})

export const contract: Readonly<Record<string, Action>> = {
  getabi,
  getsourcecode,
  getcontractcreation,
  verifysourcecode,
  checkverifystatus,
  verifyproxycontract,
  checkproxyverification,
}
