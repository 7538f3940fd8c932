// Verification of contracts: compiles submitted sources with the submitted settings and compares the output with the code on
// the chain. Verifications run one at a time in the background; clients take turns. Clients poll for the outcome by an id, or
// listen on the socket. A verification continues after its client has disconnected.
import { createHash, randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { Chain } from '../../chain/types.ts'
import { artifactsOf, bestMatch, type Match, type MatchKind, skeletonOf } from '../../contracts/bytecode-match.ts'
import type { CompilerInput, CompilerOutput } from '../../contracts/compiler-output.ts'
import {
  LANGUAGE_OF,
  type Licence,
  VerifiedContracts,
  type VerifiedSources,
} from '../../contracts/verified-contracts.ts'
import { ChainError } from '../../lib/errors.ts'
import { TaskQueue } from '../../lib/fair-queue.ts'
import type { Address } from '../../lib/hex.ts'
import { keccakHash } from '../../lib/keccak.ts'
import type { Logger } from '../../lib/log.ts'
import { untilComplete } from '../../state/partial-state.ts'
import type { Hub } from '../socket/hub.ts'
import { type Compiler, type CompilerPlaces, Compilers } from './compilers.ts'
import { creationInput, creationOf } from './creation.ts'
import { settingsOf } from './submissions.ts'

/** A claim about a contract: these sources and settings compile to its code. */
export type VerificationSubmission = {
  readonly address: Address
  /** `v0.8.37+commit.f401782d`, or shorter. */
  readonly compilerVersion: string
  readonly input: CompilerInput
  /** `Name` or `path:Name`; undefined: any contract of the sources that matches. */
  readonly contractName: string | undefined
  readonly licence: Licence
  readonly isViaSourcify?: boolean
}

/** The invalid field of a submission, by its name in the forms. */
export type FaultyField = 'files' | 'compiler_version' | 'name'

export type VerificationOutcome =
  | { readonly state: 'pending' }
  | { readonly state: 'verified'; readonly match: MatchKind; readonly name: string }
  | { readonly state: 'failed'; readonly fault: FaultyField; readonly code: FailureCode; readonly reason: string }
type FinalOutcome = Exclude<VerificationOutcome, { state: 'pending' }>

/** Why a verification failed, with Sourcify's codes. */
export type FailureCode =
  | 'compiler_error'
  | 'contract_not_found_in_compiler_output'
  | 'no_match'
  | 'already_verified'
  | 'contract_not_deployed'
  | 'invalid_compiler_version'
  | 'no_similar_match_found'
  | 'internal_error'

export type VerificationJob = {
  readonly address: Address
  /** Milliseconds since 1970. */
  readonly begun: number
  readonly ended: number | undefined
  readonly outcome: VerificationOutcome
}

const REMEMBERED = 1000
/** Limits of the queue; `size`: characters of the waiting submissions, which are in memory. */
const QUEUE_LIMITS = { tasks: 32, tasksPerClient: 8, size: 64 * 1024 * 1024 }
/** Milliseconds for which a request for an outcome waits. */
const LONGEST_WAIT = 10_000
/** Maximum characters of the compiler's errors in an outcome. */
const LONGEST_REASON = 2000

class Refusal extends Error {
  readonly fault: FaultyField
  readonly code: FailureCode

  constructor(fault: FaultyField, code: FailureCode, reason: string) {
    super(reason.slice(0, LONGEST_REASON))
    this.fault = fault
    this.code = code
  }
}

type Services = {
  readonly chain: Chain
  /** Receives the outcomes. */
  readonly hub: Pick<Hub, 'push'>
  readonly log: Pick<Logger, 'error' | 'info'>
}

type CompilerOptions = { readonly compilers: CompilerPlaces; readonly compileTime: number }

export class Verification {
  readonly contracts: VerifiedContracts
  readonly compilers: Compilers
  readonly #services: Services
  readonly #jobs = new LRUCache<string, VerificationJob>({ max: REMEMBERED })
  readonly #queue = new TaskQueue(QUEUE_LIMITS)
  /** Ids of pending verifications, by hash of the submission. */
  readonly #unsettled = new Map<string, string>()
  /** Emits the id of each completed verification. */
  readonly #outcomes = new EventEmitter().setMaxListeners(0)

  private constructor(services: Services, contracts: VerifiedContracts, compilers: Compilers) {
    this.#services = services
    this.contracts = contracts
    this.compilers = compilers
  }

  /** `compileTime`: milliseconds of processor time of one run. */
  static async open({ compilers, compileTime, ...services }: Services & CompilerOptions) {
    const contracts = await VerifiedContracts.load(services.chain.store)
    return new Verification(services, contracts, new Compilers(compilers, { time: compileTime }))
  }

  /**
   * Queues a submission after those of the same client and returns the id of its outcome. While an equal submission is pending,
   * its id is returned. Throws ChainError: `not-found` if there is no contract, `invalid-params` if there is no such compiler,
   * `limit-exceeded` if the queue is full.
   * @param client - network address
   */
  async submit(submission: VerificationSubmission, client: string): Promise<string> {
    const { chain } = this.#services
    // The code of a forked chain's contract is fetched if it is not on disk.
    const code = await untilComplete(chain.missing, async () => {
      const { view } = await chain.at('latest')
      return view.code(submission.address)
    })
    if (code.length === 0) throw new ChainError('not-found', `no contract at ${submission.address}`)
    const language = submission.input.language === 'Vyper' ? 'vyper' : 'solidity'
    const compiler = await this.compilers.find(submission.compilerVersion, language)
    // The largest submissions take 0.1 s to read and 0.1 s here: let other requests run in between.
    await setImmediate()
    const text = JSON.stringify(submission)
    const key = createHash('sha256').update(text).digest('base64')
    const known = this.#unsettled.get(key)
    if (known !== undefined) return known
    const id = newId()
    const job = { address: submission.address, begun: Date.now(), ended: undefined }
    this.#queue.add(client, text.length, async () => {
      const outcome = await this.#settle(submission, compiler)
      this.#unsettled.delete(key)
      this.#jobs.set(id, { ...job, ended: Date.now(), outcome })
      this.#outcomes.emit(id)
      this.#announce(submission.address, outcome)
    })
    this.#unsettled.set(key, id)
    this.#jobs.set(id, { ...job, outcome: { state: 'pending' } })
    return id
  }

  /** Returns the id of a verification that has failed before it began. */
  fail(address: Address, code: FailureCode, reason: string): string {
    const id = newId()
    const now = Date.now()
    this.#jobs.set(id, {
      address,
      begun: now,
      ended: now,
      outcome: { state: 'failed', fault: 'files', code, reason },
    })
    return id
  }

  /** undefined: the id is unknown, or older than the last thousand. */
  job(id: string): VerificationJob | undefined {
    return this.#jobs.get(id)
  }

  outcome(id: string): VerificationOutcome | undefined {
    return this.job(id)?.outcome
  }

  /**
   * Waits until a verification has an outcome, at most `time` milliseconds and while the client is connected. Clients repeat a
   * request for a pending outcome after 3 to 15 seconds, and most compilations take one or two seconds.
   */
  async settled(id: string, signal: AbortSignal, time: number = LONGEST_WAIT): Promise<void> {
    if (this.outcome(id)?.state !== 'pending' || signal.aborted) return
    const end = new AbortController()
    const stop = () => end.abort()
    const timer = setTimeout(stop, time)
    signal.addEventListener('abort', stop, { once: true })
    await once(this.#outcomes, id, { signal: end.signal }).catch(() => undefined)
    signal.removeEventListener('abort', stop)
    clearTimeout(timer)
  }

  /** Ends a running compiler. */
  close(): void {
    this.compilers.close()
  }

  /** Pushes an outcome to the pages of the contract. */
  #announce(address: Address, outcome: FinalOutcome): void {
    const { hub } = this.#services
    const topic = `addresses:${address}`
    if (outcome.state === 'verified') hub.push(topic, 'smart_contract_was_verified', {})
    const result =
      outcome.state === 'verified'
        ? { status: 'success' }
        : { status: 'error', errors: { [outcome.fault]: [outcome.reason] } }
    hub.push(topic, 'verification_result', result)
  }

  async #settle(submission: VerificationSubmission, compiler: Compiler): Promise<FinalOutcome> {
    const { address } = submission
    try {
      const { match, artifact } = await this.#verify(submission, compiler)
      this.#services.log.info({ address, match }, `verified ${artifact.name} at ${address}`)
      return { state: 'verified', match, name: artifact.name }
    } catch (error) {
      if (error instanceof Refusal) return failed(error.fault, error.code, error.message)
      if (error instanceof ChainError) return failed('files', 'compiler_error', error.message)
      this.#services.log.error({ err: error, address }, 'verification failed')
      return failed('files', 'internal_error', 'internal error')
    }
  }

  async #verify(submission: VerificationSubmission, compiler: Compiler): Promise<Match> {
    const { address, input, contractName } = submission
    const output = await this.compilers.compile(compiler, input)
    const errors = output.errors.filter(({ severity }) => severity === 'error')
    if (errors.length > 0) {
      throw new Refusal('files', 'compiler_error', errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
    }
    const artifacts = artifactsOf(output, compiler.language === 'vyper')
    const named = artifacts.filter(({ path, name }) => isNamed(contractName, path, name))
    if (named.length === 0) {
      throw new Refusal('name', 'contract_not_found_in_compiler_output', notAmong(contractName, artifacts))
    }
    const { chain } = this.#services
    const { view } = await chain.at('latest')
    const code = view.code(address)
    const created = await creationOf(chain, chain.store, address)
    const creation = created && (await creationInput(chain, created, address))
    const found = bestMatch(named, { address, code, creation })
    if (found === undefined) {
      const words = `the compiled code is not the code at ${address}; sources or settings differ`
      throw new Refusal('files', 'no_match', words)
    }
    if (found.match === 'partial' && this.contracts.get(view, address) !== undefined) {
      const words = 'the contract is verified already; only an exact match replaces that'
      throw new Refusal('files', 'already_verified', words)
    }
    await this.contracts.add(address, sourcesOf(found, { submission, compiler, output, code }))
    return found
  }
}

const newId = (): string => randomUUID().replaceAll('-', '')

const failed = (fault: FaultyField, code: FailureCode, reason: string): FinalOutcome => ({
  state: 'failed',
  fault,
  code,
  reason,
})

type Verified = {
  readonly submission: VerificationSubmission
  readonly compiler: Compiler
  readonly output: CompilerOutput
  readonly code: Uint8Array
}

function sourcesOf(found: Match, { submission, compiler, output, code }: Verified): VerifiedSources {
  const { match, runtimeMatch, creationMatch, libraries, creationSize, variable } = found
  const { path, name, abi } = found.artifact
  const { input, licence, isViaSourcify = false } = submission
  const { libraries: given, ...settings } = settingsOf(input)
  const compiled = output.contracts[path]?.[name]
  return {
    codeHash: keccakHash(code),
    skeleton: keccakHash(skeletonOf(code)),
    variable,
    match,
    runtimeMatch,
    creationMatch,
    isViaSourcify,
    name,
    path,
    language: LANGUAGE_OF[input.language],
    compilerVersion: compiler.version,
    abi,
    licence,
    libraries: [...libraries, ...given],
    creationSize,
    ...settings,
    verifiedAt: Math.floor(Date.now() / 1000),
    input,
    ...(compiled && { output: compiled }),
    sourceIds: output.sources,
  }
}

/** Whether a contract has the submitted name; the path is compared only if it was submitted. */
function isNamed(wanted: string | undefined, path: string, name: string): boolean {
  if (wanted === undefined) return true
  return wanted.includes(':') ? wanted === `${path}:${name}` : wanted === name
}

const notAmong = (wanted: string | undefined, artifacts: readonly { readonly name: string }[]): string =>
  wanted === undefined
    ? 'there is no contract with code in the sources'
    : `there is no contract ${wanted} in the sources; there is ${artifacts.map(({ name }) => name).join(', ') || 'none'}`
