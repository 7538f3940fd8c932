// Start of a node with a new chain: time until its first answer, and its memory after that.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Group } from '../bench.ts'
import { SETTLING, type Target } from '../target.ts'

export const startup: Group = {
  name: 'startup',
  title: 'Start and memory',
  of: 'both',
  async rows(contender) {
    const started = async <T>(read: (target: Target) => T | Promise<T>): Promise<T> => {
      const target = await contender.start()
      try {
        return await read(target)
      } finally {
        await target.stop()
      }
    }
    return [
      {
        name: 'start until the first answer',
        unit: 'ms',
        better: 'less',
        run: () => started((target) => ({ value: target.startedIn, cpu: target.cpuTime() })),
      },
      {
        name: 'resident memory after the start',
        unit: 'MB',
        better: 'less',
        run: () =>
          started(async (target) => {
            await sleep(SETTLING)
            return { value: target.residentMemory() / 1e6 }
          }),
      },
    ]
  },
}
