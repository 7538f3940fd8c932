// geth's noopTracer: watches nothing and answers an empty object. It measures what tracing itself costs.
import type { Tracer } from './tracer.ts'

export class NoopTracer implements Tracer {
  result(): unknown {
    return {}
  }
}
