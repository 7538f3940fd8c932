// Handing in sources for verification, and waiting for the outcome: it comes on the socket, or shows in the contract's record.
import { Socket } from 'phoenix'
import { type Contract, read } from '../api.ts'

/** The ways to submit that this form has, under the API's names. */
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
/** Whether the form asks for the compiler: metadata name it themselves. */
export const takesCompiler = (way: Way): boolean => way !== 'sourcify'
/** Whether it asks for settings that a standard JSON input has in it. */
export const takesSettings = (way: Way): boolean => takesCompiler(way) && !way.endsWith('standard-input')

export type SourceFile = { readonly path: string; readonly content: Blob }

export type Submission = {
  readonly address: string
  readonly way: Way
  readonly compiler: string
  /** Empty: the contract is found among all of the sources. */
  readonly contractName: string
  readonly licence: string
  /** Of a single file. */
  readonly code: string
  readonly files: readonly SourceFile[]
  readonly evmVersion: string
  /** Undefined: the optimizer is off. */
  readonly runs: string | undefined
}

export type Outcome = { readonly isVerified: boolean; readonly reason: string }

/** How often the record is read, in milliseconds, in case the socket tells nothing. */
const POLL_INTERVAL = 3000
/** The compiler itself is stopped earlier. */
const LONGEST_WAIT = 180_000

/** Submits, and resolves when there is an outcome. Throws for what the node refuses at once. */
export async function verify(submission: Submission): Promise<Outcome> {
  const { address, way } = submission
  const socket = new Socket(`${location.origin.replace(/^http/, 'ws')}/socket/v2`)
  let timer: ReturnType<typeof setInterval> | undefined
  try {
    const told = await outcomeOnSocket(socket, address)
    const response = await fetch(`/api/v2/smart-contracts/${address}/verification/via/${way}`, {
      method: 'POST',
      body: formOf(submission),
    })
    if (!response.ok) throw new Error(await refusal(response))
    const began = Date.now()
    const polled = new Promise<Outcome>((resolve) => {
      timer = setInterval(async () => {
        const contract = await read<Contract>(`/smart-contracts/${address}`).catch(() => undefined)
        if (contract?.is_fully_verified) resolve({ isVerified: true, reason: '' })
        else if (Date.now() - began > LONGEST_WAIT) {
          resolve({ isVerified: false, reason: 'The node has not told an outcome. Look at the contract later.' })
        }
      }, POLL_INTERVAL)
    })
    return await Promise.race([told.outcome, polled])
  } finally {
    clearInterval(timer)
    socket.disconnect()
  }
}

/** Joins the contract's topic; resolves once joined, or when that fails, with the outcome that will be told. */
function outcomeOnSocket(socket: Socket, address: string): Promise<{ outcome: Promise<Outcome> }> {
  socket.connect()
  const channel = socket.channel(`addresses:${address.toLowerCase()}`, {})
  const outcome = new Promise<Outcome>((resolve) => {
    channel.on('verification_result', (result: unknown) => resolve(outcomeOf(result)))
  })
  return new Promise((resolve) => {
    const done = () => resolve({ outcome })
    channel.join().receive('ok', done).receive('error', done).receive('timeout', done)
  })
}

/** `{ status: 'error', errors: { files: ['…'] } }` */
function outcomeOf(result: unknown): Outcome {
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

/** Why the node did not begin: `{ message, errors: [{ title, detail }] }`. */
async function refusal(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined)
  if (typeof body !== 'object' || body === null) return `The node answered with status ${response.status}.`
  const errors: unknown = Reflect.get(body, 'errors')
  const details = Array.isArray(errors) ? errors.map((error: unknown) => detailOf(error)) : []
  const words = details.filter((detail) => detail !== '')
  return words.length > 0 ? words.join('\n') : String(Reflect.get(body, 'message'))
}

const detailOf = (error: unknown): string =>
  typeof error === 'object' && error !== null ? String(Reflect.get(error, 'detail') ?? '') : ''

/** The form as Blockscout's frontend sends it. */
function formOf(of: Submission): FormData {
  const form = new FormData()
  form.set('compiler_version', of.compiler)
  form.set('contract_name', of.contractName)
  form.set('license_type', of.licence)
  if (takesSettings(of.way)) form.set('evm_version', of.evmVersion)
  if (takesSettings(of.way) && !isVyper(of.way)) {
    form.set('is_optimization_enabled', String(of.runs !== undefined))
    form.set('optimization_runs', of.runs ?? '')
  }
  if (of.way.endsWith('-code')) {
    form.set('source_code', of.code)
    form.set('is_yul_contract', String(/^\s*object\s+"/m.test(of.code)))
  } else {
    of.files.forEach(({ path, content }, i) => {
      const field = isVyper(of.way) && /\.(vyi|json)$/.test(path) && takesSettings(of.way) ? 'interfaces' : 'files'
      form.set(`${field}[${i}]`, content, path)
    })
  }
  return form
}

/** The end of metadata (CBOR): the compiler's name, three bytes of its version, and the length of all in two bytes. */
const MADE_BY = {
  solc: /64736f6c6343((?:[0-9a-f]{2}){3})[0-9a-f]{4}$/,
  vyper: /65767970657283((?:[0-9a-f]{2}){3})[0-9a-f]{4}$/,
}

/** The version of the compiler that made a code, as the code's metadata tell it: `0.8.37`. */
export function compilerIn(code: string): { readonly name: 'solc' | 'vyper'; readonly version: string } | undefined {
  for (const name of ['solc', 'vyper'] as const) {
    const [, digits] = MADE_BY[name].exec(code) ?? []
    if (digits === undefined) continue
    const parts = [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16))
    return { name, version: parts.join('.') }
  }
  return undefined
}
