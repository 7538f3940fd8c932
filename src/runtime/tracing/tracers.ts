// The registry of tracers: name, settings, constructor. A new tracer gets a line here.
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { CallTracer } from './call-tracer.ts'
import { BigramTracer, FourByteTracer, OpcodeCounter, TrigramTracer, UnigramTracer } from './counting-tracers.ts'
import { FlatCallTracer } from './flat-call-tracer.ts'
import { MuxTracer } from './mux-tracer.ts'
import { PrestateTracer } from './prestate-tracer.ts'
import { StructLogger, type StructLogOptions } from './struct-logger.ts'
import type { Tracer } from './tracer.ts'

/** Which tracer, with what settings. */
export type TracerChoice = {
  /** undefined or empty: the opcode logger. */
  readonly name: string | undefined
  /** The tracer's own settings, as the client wrote them. */
  readonly config: unknown
  readonly structLogs: StructLogOptions
}

/** Characters that all traces of one request may hold: what a JSON text can carry, and a heap. */
export const BUDGET = 128 * 1024 * 1024

const flag = z.boolean({ error: 'expected true or false' }).nullish()
const callOptions = z.object({ onlyTopCall: flag, withLog: flag })
const prestateOptions = z.object({ diffMode: flag, disableCode: flag, disableStorage: flag, includeEmpty: flag })
const flatOptions = z.object({ convertParityErrors: flag, includePrecompiles: flag })
const muxOptions = z.record(z.string(), z.unknown(), { error: 'expected tracers by name' })

type Maker = () => Tracer

/** Tracers that one request may name, those within muxTracer counted: scripts of a mux have a sandbox and a time each. */
const MOST_TRACERS = 32
type Room = { left: number }

/** Makes tracers of a client's JavaScript. `config`: JSON for the code's `setup`. */
export type ScriptMaker = (code: string, config: string) => Maker

const kind =
  <T extends z.ZodType>(schema: T, make: (config: z.output<T>) => Maker) =>
  (config: unknown): Maker => {
    const parsed = schema.safeParse(config ?? {})
    if (parsed.success) return make(parsed.data)
    const [issue] = parsed.error.issues
    throw new ChainError('invalid-params', `tracerConfig: ${[...(issue?.path ?? []), issue?.message].join(': ')}`)
  }

const tracers: Readonly<Record<string, (config: unknown, room: Room, script?: ScriptMaker) => Maker>> = {
  callTracer: kind(
    callOptions,
    ({ onlyTopCall, withLog }) =>
      () =>
        new CallTracer({ onlyTopCall: onlyTopCall === true, withLog: withLog === true }),
  ),
  flatCallTracer: kind(
    flatOptions,
    (flags) => () =>
      new FlatCallTracer({
        convertParityErrors: flags.convertParityErrors === true,
        includePrecompiles: flags.includePrecompiles === true,
      }),
  ),
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
  muxTracer: (config, room, script) =>
    kind(muxOptions, (parts) => {
      const makers = Object.entries(parts).map(([name, of]) => [name, named(name, of, room, script)] as const)
      return () => new MuxTracer(new Map(makers.map(([name, make]) => [name, make()])))
    })(config),
}

/** A word alone is the name of a tracer; JavaScript that makes an object has more to it. */
const NAME = /^\s*[\w$]*\s*$/
/** Characters of an unknown name that its error repeats. */
const LONGEST_NAME = 100

/** Whether a client's JavaScript is run for it: as the tracer, or as one of those that muxTracer feeds. */
export function isScripted(
  { name = '', config }: Pick<TracerChoice, 'name' | 'config'>,
  room = { left: MOST_TRACERS },
): boolean {
  // `named` refuses what is too much.
  if (room.left-- <= 0) return false
  if (name !== 'muxTracer') return !Object.hasOwn(tracers, name) && !NAME.test(name)
  const parts = muxOptions.safeParse(config)
  return parts.success && Object.entries(parts.data).some(([name, config]) => isScripted({ name, config }, room))
}

/**
 * A function that makes a tracer for each transaction. Throws ChainError `not-found` for a name that is none, for
 * JavaScript where there is no `script`, and `invalid-params` for settings that a tracer does not take.
 */
export function tracerMaker({ name, config, structLogs }: TracerChoice, script?: ScriptMaker): Maker {
  if (name !== undefined && name !== '') return named(name, config, { left: MOST_TRACERS }, script)
  const budget = { left: BUDGET }
  return () => new StructLogger(structLogs, budget)
}

function named(name: string, config: unknown, room: Room, script: ScriptMaker | undefined): Maker {
  if (room.left-- <= 0) throw new ChainError('invalid-params', `expected at most ${MOST_TRACERS} tracers in muxTracer`)
  const make = Object.hasOwn(tracers, name) ? tracers[name] : undefined
  if (make !== undefined) return make(config, room, script)
  if (NAME.test(name)) {
    const known = Object.keys(tracers).join(', ')
    throw new ChainError(
      'not-found',
      `tracer not found: ReferenceError: ${name.trim().slice(0, LONGEST_NAME)} is not defined, known are ${known}`,
    )
  }
  if (script === undefined) throw new ChainError('not-found', 'JavaScript tracers are not run here')
  return script(name, JSON.stringify(config ?? {}))
}

export class NoopTracer implements Tracer {
  result(): unknown {
    return {}
  }
}
