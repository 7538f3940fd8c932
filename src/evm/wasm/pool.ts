// The engines of this process. A machine takes one for a message and gives it back: the next machine finds it warm, with
// the code loaded that ran last.
import { Instance } from './instance.ts'
import { engineModule } from './module.ts'

/** More are made if so many messages are under way; they are not kept. */
const KEPT = 8
/** One that has grown beyond, in bytes, gives its memory back by being forgotten. */
const LARGEST_KEPT = 128 << 20

const idle: Instance[] = []

/** Undefined where there is no engine. */
export function takeEngine(): Instance | undefined {
  const module = engineModule()
  return module && (idle.pop() ?? new Instance(module))
}

export function returnEngine(engine: Instance): void {
  if (idle.length < KEPT && engine.size <= LARGEST_KEPT) idle.push(engine)
}

export const hasEngine = (): boolean => engineModule() !== undefined
