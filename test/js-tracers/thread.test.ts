// A thread of JavaScript tracers that cannot read a row: its task fails, and the node continues.
import { expect, it } from 'vitest'
import { defaultLimits } from '../../src/chain/limits.ts'
import { TracerThreadPool } from '../../src/js-tracers/thread-pool.ts'
import { NO_CONNECTION } from '../../src/lib/connection-signal.ts'
import { ReadFailure } from '../../src/lib/errors.ts'
import { ZERO_HASH } from '../../src/lib/hex.ts'
import { presets } from '../../src/spec/presets.ts'

const PLAIN = { disableStack: false, disableStorage: false, enableMemory: false, enableReturnData: false }

it('a tracer thread whose row cannot be read fails with the message of the read', async () => {
  const store = {
    get: () => {
      throw new ReadFailure('the disk has failed')
    },
  }
  const settings = { spec: presets.kestrel(), engine: 'wasm', proposalFiles: [], limits: defaultLimits } as const
  const traces = new TracerThreadPool(store, settings)
  const choice = { name: '{ fault() {}, result() {} }', config: undefined, structLogs: { limit: 0, ...PLAIN } }
  const run = traces.run(
    { kind: 'transaction', hash: ZERO_HASH },
    { choice, timeout: 5_000, signal: NO_CONNECTION },
    async () => undefined,
  )
  await expect(run).rejects.toThrow('the disk has failed')
  traces.close()
})
