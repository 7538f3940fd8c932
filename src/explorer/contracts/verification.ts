// Verification of contracts: submitted sources are compiled with the submitted settings, and the output is compared with
// the code on the chain. Verifications run one at a time in the background; clients take turns. Clients poll for the
// outcome by an id, or listen on the socket. A verification goes on after its client has disconnected.
import { createHash, randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Chain } from '../../chain/types.ts'
import { ChainError } from '../../lib/errors.ts'
import { TaskQueue } from '../../lib/fair-queue.ts'
import type { Address } from '../../lib/hex.ts'
import { keccakHash } from '../../lib/keccak.ts'
import type { Logger } from '../../lib/log.ts'
import type { Hub } from '../socket/hub.ts'
import { artifactsOf, bestMatch, type Match } from './bytecode-match.ts'
import { type Compiler, type CompilerInput, Compilers } from './compilers.ts'
import { creationInput, creationOf } from './creation.ts'
import { settingsOf } from './submissions.ts'
import { type Licence, VerifiedContracts, type VerifiedSources } from './verified-contracts.ts'

/** A claim about a contract: these sources and settings compile to its code. */
export type VerificationSubmission = {
  readonly address: Address
  /** `v0.8.37+commit.f401782d`, or shorter. */
  readonly compilerVersion: string
  readonly input: CompilerInput
  /** `Name` or `path:Name`; undefined: any contract of the sources that matches. */
  readonly contractName: string | undefined
  readonly licence: Licence
}

/** The field of a submission that is at fault, under its name in the forms. */
export type FaultyField = 'files' | 'compiler_version' | 'name'

export type VerificationOutcome =
  | { readonly state: 'pending' }
  | { readonly state: 'verified'; readonly match: 'exact' | 'partial'; readonly name: string }
  | { readonly state: 'failed'; readonly fault: FaultyField; readonly reason: string }
type FinalOutcome = Exclude<VerificationOutcome, { state: 'pending' }>

const REMEMBERED = 1000
/** `size` counts characters of submissions, which wait in memory: 64 M of them at most. */
const QUEUE_LIMITS = { tasks: 32, tasksPerClient: 8, size: 64 * 1024 * 1024 }
/** Characters of the compiler's errors that an outcome contains. */
const LONGEST_REASON = 2000

class Refusal extends Error {
  readonly fault: FaultyField

  constructor(fault: FaultyField, reason: string) {
    super(reason.slice(0, LONGEST_REASON))
    this.fault = fault
  }
}

type Services = {
  readonly chain: Chain
  /** Gets the outcomes. */
  readonly hub: Pick<Hub, 'push'>
  readonly log: Pick<Logger, 'error' | 'info'>
}

type CompilerOptions = { readonly compilers: string | undefined; readonly compileTime: number }

export class Verification {
  readonly contracts: VerifiedContracts
  readonly compilers: Compilers
  readonly #services: Services
  readonly #outcomes = new LRUCache<string, VerificationOutcome>({ max: REMEMBERED })
  readonly #queue = new TaskQueue(QUEUE_LIMITS)
  /** Ids of verifications without an outcome, by hash of the submission. */
  readonly #unsettled = new Map<string, string>()

  private constructor(services: Services, contracts: VerifiedContracts, compilers: Compilers) {
    this.#services = services
    this.contracts = contracts
    this.compilers = compilers
  }

  /** `compilers`: folder with further Solidity compilers; `compileTime`: milliseconds of processor time of one run. */
  static async open({ compilers, compileTime, ...services }: Services & CompilerOptions) {
    const contracts = await VerifiedContracts.load(services.chain.store)
    return new Verification(services, contracts, new Compilers(compilers, { time: compileTime }))
  }

  /**
   * Queues a submission after those of the same client and returns the id of its outcome. While an equal submission is
   * pending, its id is returned. Throws ChainError: `not-found` when there is no contract,
   * `invalid-params` when there is no such compiler, `limit-exceeded` when the queue is full.
   * @param client - network address
   */
  async submit(submission: VerificationSubmission, client: string): Promise<string> {
    const { view } = await this.#services.chain.at('latest')
    if (view.code(submission.address).length === 0) {
      throw new ChainError('not-found', `no contract at ${submission.address}`)
    }
    const compiler = await this.compilers.find(submission.compilerVersion)
    const text = JSON.stringify(submission)
    const key = createHash('sha256').update(text).digest('base64')
    const known = this.#unsettled.get(key)
    if (known !== undefined) return known
    const id = randomUUID().replaceAll('-', '')
    this.#queue.add(client, text.length, async () => {
      const outcome = await this.#settle(submission, compiler)
      this.#unsettled.delete(key)
      this.#outcomes.set(id, outcome)
      this.#announce(submission.address, outcome)
    })
    this.#unsettled.set(key, id)
    this.#outcomes.set(id, { state: 'pending' })
    return id
  }

  /** undefined: the id is unknown, or older than the last thousand. */
  outcome(id: string): VerificationOutcome | undefined {
    return this.#outcomes.get(id)
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
      if (error instanceof Refusal) return { state: 'failed', fault: error.fault, reason: error.message }
      if (error instanceof ChainError) return { state: 'failed', fault: 'files', reason: error.message }
      this.#services.log.error({ err: error, address }, 'verification failed')
      return { state: 'failed', fault: 'files', reason: 'internal error' }
    }
  }

  async #verify({ address, input, contractName, licence }: VerificationSubmission, compiler: Compiler): Promise<Match> {
    const output = await this.compilers.compile(compiler, input)
    const errors = output.errors.filter(({ severity }) => severity === 'error')
    if (errors.length > 0) throw new Refusal('files', errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
    const artifacts = artifactsOf(output)
    const named = artifacts.filter(({ path, name }) => isNamed(contractName, path, name))
    if (named.length === 0) throw new Refusal('name', notAmong(contractName, artifacts))

    const { chain } = this.#services
    const { view } = await chain.at('latest')
    const code = view.code(address)
    const created = await creationOf(chain, chain.store, address)
    const creation = created && (await creationInput(chain, created, address))
    const found = bestMatch(named, { address, code, creation })
    if (found === undefined) {
      throw new Refusal('files', `the compiled code is not the code at ${address}; sources or settings are others`)
    }
    if (found.match === 'partial' && this.contracts.get(view, address) !== undefined) {
      throw new Refusal('files', 'the contract is verified already; only an exact match replaces that')
    }
    await this.contracts.add(address, sourcesOf(found, { input, compiler, licence, code }))
    return found
  }
}

function sourcesOf(
  { artifact, match, libraries, creationSize }: Match,
  of: Pick<VerificationSubmission, 'input' | 'licence'> & { readonly compiler: Compiler; readonly code: Uint8Array },
): VerifiedSources {
  const { path, name, abi } = artifact
  const { libraries: given, ...settings } = settingsOf(of.input)
  return {
    codeHash: keccakHash(of.code),
    match,
    name,
    path,
    language: of.input.language === 'Yul' ? 'yul' : 'solidity',
    compilerVersion: of.compiler.version,
    abi,
    licence: of.licence,
    libraries: [...libraries, ...given],
    creationSize,
    ...settings,
    verifiedAt: Math.floor(Date.now() / 1000),
    input: of.input,
  }
}

/** Whether a contract has the submitted name; its path counts only if it was submitted. */
function isNamed(wanted: string | undefined, path: string, name: string): boolean {
  if (wanted === undefined) return true
  return wanted.includes(':') ? wanted === `${path}:${name}` : wanted === name
}

const notAmong = (wanted: string | undefined, artifacts: readonly { readonly name: string }[]): string =>
  wanted === undefined
    ? 'there is no contract with code in the sources'
    : `there is no contract ${wanted} in the sources; there is ${artifacts.map(({ name }) => name).join(', ') || 'none'}`
