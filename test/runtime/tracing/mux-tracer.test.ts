// Several tracers of one transaction.
import { expect, it } from 'vitest'
import type { MessageResult } from '../../../src/runtime/execute-message.ts'
import { MuxTracer } from '../../../src/runtime/tracing/mux-tracer.ts'

it('muxTracer asks each tracer for its result, also after one has failed', () => {
  const asked: string[] = []
  const failing = (words: string) => ({
    result(): unknown {
      asked.push(words)
      throw new Error(words)
    },
  })
  const answering = {
    result(): unknown {
      asked.push('third')
      return 3
    },
  }
  const mux = new MuxTracer(new Map(Object.entries({ a: failing('first'), b: failing('second'), c: answering })))
  expect(() => mux.result({} as MessageResult)).toThrow('first')
  expect(asked).toEqual(['first', 'second', 'third'])
})
