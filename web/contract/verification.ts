// Submits sources for verification and waits for the result, which arrives on the socket or shows in the contract's record.
import { Socket } from 'phoenix'
import { act, api } from '../api.ts'

/** The kinds of submissions that this form supports, by the API's names. */
export const WAYS = {
  'standard-input': {
    name: 'Standard JSON input',
    hint: 'What Foundry and Hardhat give to the compiler: exact in all settings.',
  },
  'flattened-code': { name: 'One file', hint: 'A single source file, with all that it imports in it.' },
  'multi-part': { name: 'Several files', hint: 'Source files with the paths by which they import each other.' },
  sourcify: {
    name: 'metadata.json and files',
    hint: 'The metadata of the compiler, which name all settings, and the sources.',
  },
  'vyper-standard-input': {
    name: 'Vyper: standard JSON input',
    hint: 'What the Vyper compiler takes with --standard-json.',
  },
  'vyper-code': { name: 'Vyper: one file', hint: 'A single Vyper source.' },
  'vyper-multi-part': { name: 'Vyper: several files', hint: 'Vyper sources with their interfaces.' },
} as const
export type Way = keyof typeof WAYS

export const isWay = (name: string): name is Way => Object.hasOwn(WAYS, name)
export const isVyper = (way: Way): boolean => way.startsWith('vyper')
/** Whether the form has a field for the compiler: metadata contain its version. */
export const takesCompiler = (way: Way): boolean => way !== 'sourcify'
/** Whether the form has fields for the compiler's settings: a standard JSON input contains them. */
export const takesSettings = (way: Way): boolean => takesCompiler(way) && !way.endsWith('standard-input')

export type SourceFile = { readonly path: string; readonly content: Blob }

export type Submission = {
  readonly address: string
  readonly way: Way
  readonly compiler: string
  /** Empty: the contract is searched in all sources. */
  readonly contractName: string
  readonly licence: string
  /** Of a single file. */
  readonly code: string
  readonly files: readonly SourceFile[]
  readonly evmVersion: string
  /** undefined: the optimizer is off. */
  readonly runs: string | undefined
}

export type VerificationResult = { readonly isVerified: boolean; readonly reason: string }

/** Milliseconds between reads of the record, in case no event arrives on the socket. */
const POLL_INTERVAL = 3000
/** Maximum milliseconds to wait; the compiler itself is stopped earlier. */
const LONGEST_WAIT = 180_000

/** Submits, and resolves with the result. Throws Error if the node refuses the submission. */
export async function verify(submission: Submission): Promise<VerificationResult> {
  const { address, way } = submission
  const socket = new Socket(`${location.origin.replace(/^http/, 'ws')}/socket/v2`)
  let timer: ReturnType<typeof setInterval> | undefined
  try {
    const joined = await resultOnSocket(socket, address)
    const contract = { address_hash_param: address }
    await act('POST', `/smart-contracts/{address_hash_param}/verification/via/${way}`, contract, formOf(submission))
    const began = Date.now()
    const polled = new Promise<VerificationResult>((resolve) => {
      timer = setInterval(async () => {
        const record = await api('/smart-contracts/{address_hash_param}', contract)
          .load()
          .catch(() => undefined)
        if (record?.is_fully_verified) resolve({ isVerified: true, reason: '' })
        else if (Date.now() - began > LONGEST_WAIT) {
          resolve({ isVerified: false, reason: 'The node has sent no result. Look at the contract later.' })
        }
      }, POLL_INTERVAL)
    })
    return await Promise.race([joined.result, polled])
  } finally {
    clearInterval(timer)
    socket.disconnect()
  }
}

/** Joins the contract's topic. Resolves when joining has succeeded or failed, with a promise of the verification's result. */
function resultOnSocket(socket: Socket, address: string): Promise<{ result: Promise<VerificationResult> }> {
  socket.connect()
  const channel = socket.channel(`addresses:${address.toLowerCase()}`, {})
  const result = new Promise<VerificationResult>((resolve) => {
    channel.on('verification_result', (event: unknown) => resolve(resultOf(event)))
  })
  return new Promise((resolve) => {
    const done = () => resolve({ result })
    channel.join().receive('ok', done).receive('error', done).receive('timeout', done)
  })
}

/** `{ status: 'error', errors: { files: ['…'] } }` */
function resultOf(result: unknown): VerificationResult {
  if (typeof result !== 'object' || result === null) return { isVerified: false, reason: '' }
  if (Reflect.get(result, 'status') === 'success') return { isVerified: true, reason: '' }
  return { isVerified: false, reason: wordsIn(Reflect.get(result, 'errors')).join('\n') }
}

const wordsIn = (errors: unknown): string[] =>
  typeof errors === 'string'
    ? [errors]
    : typeof errors === 'object' && errors !== null
      ? Object.values(errors).flatMap(wordsIn)
      : []

/** The form in the format of Blockscout's frontend. */
function formOf(of: Submission) {
  const isSingleFile = of.way.endsWith('-code')
  return {
    fields: {
      compiler_version: of.compiler,
      contract_name: of.contractName,
      license_type: of.licence,
      ...(takesSettings(of.way) && { evm_version: of.evmVersion }),
      ...(takesSettings(of.way) &&
        !isVyper(of.way) && {
          is_optimization_enabled: String(of.runs !== undefined),
          optimization_runs: of.runs ?? '',
        }),
      ...(isSingleFile && {
        source_code: of.code,
        is_yul_contract: String(/^\s*object\s+"/m.test(of.code)),
      }),
    },
    files: (isSingleFile ? [] : of.files).map(({ path, content }, i) => {
      const field = isVyper(of.way) && /\.(vyi|json)$/.test(path) && takesSettings(of.way) ? 'interfaces' : 'files'
      return { field: `${field}[${i}]`, content, path }
    }),
  }
}

/** The end of metadata (CBOR): the compiler's name, its version (three bytes), and the total length (two bytes). */
const MADE_BY = {
  solc: /64736f6c6343((?:[0-9a-f]{2}){3})[0-9a-f]{4}$/,
  vyper: /65767970657283((?:[0-9a-f]{2}){3})[0-9a-f]{4}$/,
}

/** The compiler version in a code's metadata: `0.8.37`. */
export function compilerIn(code: string): { readonly name: 'solc' | 'vyper'; readonly version: string } | undefined {
  for (const name of ['solc', 'vyper'] as const) {
    const [, digits] = MADE_BY[name].exec(code) ?? []
    if (digits === undefined) continue
    const parts = [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16))
    return { name, version: parts.join('.') }
  }
  return undefined
}
