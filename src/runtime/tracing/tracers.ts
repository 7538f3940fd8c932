// The tracers by their names, each with the settings it takes. A new one gets a line here.
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { CallTracer } from './call-tracer.ts'
import { FlatCallTracer } from './flat-call-tracer.ts'
import { FourByteTracer } from './four-byte-tracer.ts'
import { MuxTracer } from './mux-tracer.ts'
import { NoopTracer } from './noop-tracer.ts'
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

/** Characters that all opcode logs of one request may hold: what a JSON text can carry, and a heap. */
const BUDGET = 128 * 1024 * 1024

const flag = z.boolean({ error: 'expected true or false' }).nullish()
const callOptions = z.object({ onlyTopCall: flag, withLog: flag })
const prestateOptions = z.object({ diffMode: flag, disableCode: flag, disableStorage: flag, includeEmpty: flag })
const flatOptions = z.object({ convertParityErrors: flag, includePrecompiles: flag })
const muxOptions = z.record(z.string(), z.unknown(), { error: 'expected tracers by name' })

type Maker = () => Tracer

const kind =
  <T extends z.ZodType>(schema: T, make: (config: z.output<T>) => Maker) =>
  (config: unknown): Maker => {
    const parsed = schema.safeParse(config ?? {})
    if (parsed.success) return make(parsed.data)
    const [issue] = parsed.error.issues
    throw new ChainError('invalid-params', `tracerConfig: ${[...(issue?.path ?? []), issue?.message].join(': ')}`)
  }

const tracers: Readonly<Record<string, (config: unknown) => Maker>> = {
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
  muxTracer: kind(muxOptions, (parts) => {
    const makers = Object.entries(parts).map(([name, config]) => [name, named(name, config)] as const)
    return () => new MuxTracer(new Map(makers.map(([name, make]) => [name, make()])))
  }),
}

/**
 * What makes a tracer for each transaction. Throws ChainError `not-found` for a name that is none (JavaScript is not
 * run here) and `invalid-params` for settings it does not take.
 */
export function tracerMaker({ name, config, structLogs }: TracerChoice): Maker {
  if (name !== undefined && name !== '') return named(name, config)
  const budget = { left: BUDGET }
  return () => new StructLogger(structLogs, budget)
}

function named(name: string, config: unknown): Maker {
  const make = Object.hasOwn(tracers, name) ? tracers[name] : undefined
  if (make !== undefined) return make(config)
  const known = Object.keys(tracers).join(', ')
  throw new ChainError('not-found', `tracer not found: JavaScript tracers are not supported, known are ${known}`)
}
