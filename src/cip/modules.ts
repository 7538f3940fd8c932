// Which users' proposals a chain may use. Its specification names them with the hash of their file, so that every node gives
// the same answer when a list is submitted: a node without exactly these modules does not start.
import { ChainError } from '../lib/errors.ts'
import type { Hash } from '../lib/hex.ts'
import type { ChainSpec, NamedProposal } from '../spec/chain-spec.ts'
import type { Proposal } from './define.ts'
import { proposalsOf } from './index.ts'
import type { Registry } from './registry.ts'

/** A loaded module file. */
export type ProposalModule = {
  /** Path as given. */
  readonly file: string
  /** SHA-256 of the file's bytes, without its imports. */
  readonly sha256: Hash
  readonly proposals: readonly Proposal[]
}

type Defined = { readonly module: ProposalModule; readonly proposal: Proposal }
type SpecWithNames = Pick<ChainSpec, 'name' | 'native'>

/**
 * The registry of a chain: built-in proposals, and those that the specification names, from their modules. Throws ChainError
 * `invalid-params` if a named one is missing or its file differs, and the registry's errors.
 */
export function registryOf(spec: SpecWithNames, modules: readonly ProposalModule[] = []): Registry {
  const registry = proposalsOf(spec.name)
  const defined = definitions(spec, modules)
  for (const named of namesOf(spec)) {
    const found = defined.get(named.name)
    if (found === undefined) throw refuse('', `no module defines ${named.name}, which this chain may use`, named)
    if (found.module.sha256 !== named.sha256) throw changed(found.module, named)
    registry.register(found.proposal, named.since)
  }
  return registry
}

/**
 * Adds the proposals of these modules that the specification does not name yet, usable from block `since` on. Throws ChainError
 * `invalid-params` on a plain chain.
 */
export function nameModules<S extends SpecWithNames>(spec: S, modules: readonly ProposalModule[], since: bigint): S {
  const { native } = spec
  if (modules.length === 0) return spec
  if (native === undefined) throw refuse('', 'a genesis without the section "kestrel" has no proposals')
  const known = new Set(native.proposals.map(({ name }) => name))
  const added = [...definitions(spec, modules)].flatMap(
    ([
      name,
      {
        module: { sha256 },
      },
    ]): NamedProposal[] => (known.has(name) ? [] : [{ name, sha256, since }]),
  )
  return added.length === 0 ? spec : { ...spec, native: { ...native, proposals: [...native.proposals, ...added] } }
}

/** Throws ChainError `invalid-params` for a module without any proposal that the chain names: it would have no effect. */
export function requireNamed(spec: SpecWithNames, modules: readonly ProposalModule[]): void {
  const known = new Set(namesOf(spec).map(({ name }) => name))
  for (const module of modules) {
    const names = module.proposals.map((proposal) => nameIn(spec, proposal))
    if (names.length === 0 || names.some((name) => known.has(name))) continue
    const entry = JSON.stringify({ name: names[0], sha256: digits(module.sha256) })
    throw refuse(
      module.file,
      `this chain does not name ${names.join(', ')}; kestrel.proposals of its genesis has no ${entry}`,
    )
  }
}

/** A log line for each proposal that only the second specification names. */
export const newNameLines = (before: SpecWithNames, after: SpecWithNames): readonly string[] =>
  newNames(before, after).map(
    ({ name, sha256, since }) => `this chain may use ${name} from block ${since} on: sha256 ${sha256.slice(2)}`,
  )

/** The proposals that only the second specification names. */
function newNames(before: SpecWithNames, after: SpecWithNames): readonly NamedProposal[] {
  const known = new Set(namesOf(before).map(({ name }) => name))
  return namesOf(after).filter(({ name }) => !known.has(name))
}

/**
 * The stored specification with the new proposal names of a genesis file; with it an operator adds a module to an existing
 * chain. Throws ChainError `invalid-genesis` for an entry whose first block is not above the head.
 */
export function withNewNames(stored: ChainSpec, file: ChainSpec, head: bigint): ChainSpec {
  const added = newNames(stored, file)
  const late = added.find(({ since }) => since <= head)
  if (late !== undefined) {
    const problem = `${late.name} since block ${late.since}: expected a block above the head, ${head}`
    throw new ChainError('invalid-genesis', `kestrel.proposals: ${problem}`)
  }
  const { native } = stored
  if (native === undefined || added.length === 0) return stored
  return { ...stored, native: { ...native, proposals: [...native.proposals, ...added] } }
}

const namesOf = ({ native }: SpecWithNames): readonly NamedProposal[] => native?.proposals ?? []

/** `kestrel_7`, also for a proposal that gives only its number. */
const nameIn = (chain: SpecWithNames, { name, number }: Proposal): string => name ?? `${chain.name}_${number}`

/** Proposals by name. Throws ChainError when two modules define the same one. */
function definitions(chain: SpecWithNames, modules: readonly ProposalModule[]): ReadonlyMap<string, Defined> {
  const defined = new Map<string, Defined>()
  for (const module of modules) {
    for (const proposal of module.proposals) {
      const name = nameIn(chain, proposal)
      const other = defined.get(name)
      if (other !== undefined) throw refuse(module.file, `${name} is defined by ${other.module.file} already`)
      defined.set(name, { module, proposal })
    }
  }
  return defined
}

const digits = (sha256: Hash): string => sha256.slice(2)

function changed({ file, sha256 }: ProposalModule, { name, sha256: named }: NamedProposal): ChainError {
  const hashes = `the file has sha256 ${digits(sha256)}, the chain names ${digits(named)}`
  const wayOut = 'give the file as it was, define what is new under another number, or begin another chain'
  return refuse(file, `${name} has changed: ${hashes}; ${wayOut}`)
}

function refuse(file: string, problem: string, named?: NamedProposal): ChainError {
  const subject = file === '' ? '--proposal' : `--proposal ${file}`
  const hash = named === undefined ? '' : `; its file has sha256 ${digits(named.sha256)}`
  return new ChainError('invalid-params', `${subject}: ${problem}${hash}`)
}
