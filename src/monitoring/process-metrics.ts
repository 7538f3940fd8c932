// What the library tells of the process: processor time, memory, garbage collection, delay of the event loop. There is one
// set for a process, however many nodes run in it: the observers behind it cannot be taken away again.
import { collectDefaultMetrics, Registry } from 'prom-client'

let registry: Registry | undefined

/** The metrics of the process, observed from the first call on. */
export function processMetrics(): Registry {
  if (registry === undefined) {
    registry = new Registry()
    collectDefaultMetrics({ register: registry })
  }
  return registry
}
