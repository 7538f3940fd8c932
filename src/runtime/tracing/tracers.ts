// The registry of tracers: name, schema of its settings, constructor. Add a tracer by an entry in `tracers`.
import { z } from 'zod'
import type { ByteBudget } from '../../lib/budget.ts'
import { ChainError } from '../../lib/errors.ts'
import { CallTracer } from './call-tracer.ts'
import { BigramTracer, FourByteTracer, OpcodeCounter, TrigramTracer, UnigramTracer } from './counting-tracers.ts'
import { FlatCallTracer } from './flat-call-tracer.ts'
import { MuxTracer } from './mux-tracer.ts'
import { PrestateTracer } from './prestate-tracer.ts'
import { type Explain, StepRecorder } from './step-recorder.ts'
import { StructLogger, type StructLogOptions } from './struct-logger.ts'
import type { Tracer } from './tracer.ts'

/** The tracer that a client chose, with its settings. */
export type TracerChoice = {
  /** undefined or empty: the struct logger, geth's default. */
  readonly name: string | undefined
  /** `tracerConfig` as the client sent it. */
  readonly config: unknown
  readonly structLogs: StructLogOptions
  /** Describes what solidityTracer records. Called before the trace; may throw. Left out: solidityTracer is refused. */
  readonly explain?: ((options: ExplainOptions) => Explain) | undefined
  /** Whether solidityTracer keeps the values of stacks and memory, at 48 bytes a step. */
  readonly keepsValues?: boolean
}
/** `withSources`: whether the description contains the sources of the lines that ran. */
export type ExplainOptions = { readonly withSources: boolean }

/** Largest length of all traces of one request in characters, because they must fit one JSON string and the heap. */
export const BUDGET = 128 * 1024 * 1024
/** For the call trees of one request: a byte is two characters of hex. */
export const treeBudget = (): ByteBudget => ({ left: BUDGET / 2 })

const flag = z.boolean({ error: 'expected true or false' }).nullish()
const callOptions = z.object({ onlyTopCall: flag, withLog: flag })
const prestateOptions = z.object({ diffMode: flag, disableCode: flag, disableStorage: flag, includeEmpty: flag })
const flatOptions = z.object({ convertParityErrors: flag, includePrecompiles: flag })
const solidityOptions = z.object({ withSources: flag, withStorage: flag })
const muxOptions = z.record(z.string(), z.unknown(), { error: 'expected tracers by name' })

type Maker = () => Tracer

/** Most tracers of one request, including those within muxTracer, because each script has a separate sandbox and timeout. */
const MOST_TRACERS = 32
/** Tracers that the request may still name, and bytes of all their call trees. */
type Quota = {
  left: number
  readonly trees: ByteBudget
  explain?: TracerChoice['explain']
  readonly keepsValues?: boolean | undefined
}

/** Makes tracers of a client's JavaScript. `config`: JSON for the code's `setup`. */
export type ScriptMaker = (code: string, config: string) => Maker

const kind =
  <T extends z.ZodType>(schema: T, make: (config: z.output<T>, trees: ByteBudget) => Maker) =>
  (config: unknown, { trees }: Quota): Maker => {
    const parsed = schema.safeParse(config ?? {})
    if (parsed.success) return make(parsed.data, trees)
    const [issue] = parsed.error.issues
    throw new ChainError('invalid-params', `tracerConfig: ${[...(issue?.path ?? []), issue?.message].join(': ')}`)
  }

const tracers: Readonly<Record<string, (config: unknown, quota: Quota, script?: ScriptMaker) => Maker>> = {
  callTracer: kind(
    callOptions,
    ({ onlyTopCall, withLog }, trees) =>
      () =>
        new CallTracer({ onlyTopCall: onlyTopCall === true, withLog: withLog === true }, trees),
  ),
  flatCallTracer: kind(flatOptions, (flags, trees) => {
    const convertParityErrors = flags.convertParityErrors === true
    const includePrecompiles = flags.includePrecompiles === true
    return () => new FlatCallTracer({ convertParityErrors, includePrecompiles }, trees)
  }),
  prestateTracer: kind(
    prestateOptions,
    (flags) => () =>
      new PrestateTracer({
        diffMode: flags.diffMode === true,
        disableCode: flags.disableCode === true,
        disableStorage: flags.disableStorage === true,
        includeEmpty: flags.includeEmpty === true,
      }),
  ),
  '4byteTracer': kind(z.unknown(), () => () => new FourByteTracer()),
  noopTracer: kind(z.unknown(), () => () => new NoopTracer()),
  opcountTracer: kind(z.unknown(), () => () => new OpcodeCounter()),
  unigramTracer: kind(z.unknown(), () => () => new UnigramTracer()),
  bigramTracer: kind(z.unknown(), () => () => new BigramTracer()),
  trigramTracer: kind(z.unknown(), () => () => new TrigramTracer()),
  solidityTracer: (config, quota) =>
    kind(solidityOptions, ({ withSources, withStorage }, trees) => {
      const explain = quota.explain?.({ withSources: withSources === true })
      // Each has 32 MB of steps, 96 MB with values.
      quota.explain = undefined
      if (explain === undefined)
        throw new ChainError('invalid-params', 'solidityTracer runs once, and not with JavaScript')
      return () => new StepRecorder(trees, explain, quota.keepsValues === true || withStorage === true)
    })(config, quota),
  muxTracer: (config, quota, script) =>
    kind(muxOptions, (parts) => {
      const makers = Object.entries(parts).map(([name, of]) => [name, named(name, of, quota, script)] as const)
      return () => new MuxTracer(new Map(makers.map(([name, make]) => [name, make()])))
    })(config, quota),
}

/** A single identifier is the name of a tracer; any other text is JavaScript. */
const NAME = /^\s*[\w$]*\s*$/
/** Characters of an unknown name that its error repeats. */
const LONGEST_NAME = 100

/** Whether the choice contains a client's JavaScript, as the tracer itself or within muxTracer. */
export function isScripted(
  { name = '', config }: Pick<TracerChoice, 'name' | 'config'>,
  quota: Pick<Quota, 'left'> = { left: MOST_TRACERS },
): boolean {
  // `named` refuses more tracers than allowed.
  if (quota.left-- <= 0) return false
  if (name !== 'muxTracer') return !Object.hasOwn(tracers, name) && !NAME.test(name)
  const parts = muxOptions.safeParse(config)
  return parts.success && Object.entries(parts.data).some(([name, config]) => isScripted({ name, config }, quota))
}

/**
 * A function that creates a tracer for each transaction. Throws ChainError `not-found` for an unknown name and for JavaScript
 * without `script`, and `invalid-params` for invalid settings.
 */
export function tracerMaker(
  { name, config, structLogs, explain, keepsValues }: TracerChoice,
  script?: ScriptMaker,
): Maker {
  if (name !== undefined && name !== '')
    return named(name, config, { left: MOST_TRACERS, trees: treeBudget(), explain, keepsValues }, script)
  const budget = { left: BUDGET }
  return () => new StructLogger(structLogs, budget)
}

function named(name: string, config: unknown, quota: Quota, script: ScriptMaker | undefined): Maker {
  if (quota.left-- <= 0) throw new ChainError('invalid-params', `expected at most ${MOST_TRACERS} tracers in muxTracer`)
  const make = Object.hasOwn(tracers, name) ? tracers[name] : undefined
  if (make !== undefined) return make(config, quota, script)
  if (NAME.test(name)) {
    const known = Object.keys(tracers).join(', ')
    throw new ChainError(
      'not-found',
      `tracer not found: ReferenceError: ${name.trim().slice(0, LONGEST_NAME)} is not defined, known are ${known}`,
    )
  }
  if (script === undefined)
    throw new ChainError('not-found', 'JavaScript tracers are not run here (--js-tracers allows them)')
  return script(name, JSON.stringify(config ?? {}))
}

export class NoopTracer implements Tracer {
  readonly readsRecording = true

  result(): unknown {
    return {}
  }
}
