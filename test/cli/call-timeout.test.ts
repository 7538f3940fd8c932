// `--call-timeout` limits CPU time: a call gets the same on a machine that runs the node a third of the time.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { rawRequest } from '../support/chain.ts'
import { startProcess } from '../support/process.ts'

const LIMIT = 900
/** Milliseconds that the node runs, and that it is stopped, in turns. */
const RUNS = 100
const PAUSES = 200

/** CPU milliseconds of a process: fields 14 and 15 of /proc/PID/stat, in hundredths of a second (proc(5)). */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

test.runIf(process.platform === 'linux')(
  '--call-timeout ends a call by its CPU time, not by the wall clock',
  async () => {
    const node = await startProcess(['--in-memory', '--call-timeout', String(LIMIT), '--call-gas-cap', '1000000000000'])
    let isOver = false
    onTestFinished(async () => {
      isOver = true
      process.kill(node.pid, 'SIGCONT')
      await node.stop()
    })
    const before = cpuOf(node.pid)
    const endless = { to: `0x${'c0'.repeat(20)}` }
    const code = { [endless.to]: { code: '0x5b5f56' } }
    const answer = rawRequest(node.url, 'eth_call', [endless, 'latest', code])
    void answer.finally(() => {
      isOver = true
    })
    // Time is the subject.
    while (!isOver) {
      await sleep(RUNS)
      process.kill(node.pid, 'SIGSTOP')
      await sleep(PAUSES)
      process.kill(node.pid, 'SIGCONT')
    }
    expect((await answer).error?.message).toContain('the call took longer than this node allows')
    // A limit by the wall clock would have given a third of it.
    expect(cpuOf(node.pid) - before).toBeGreaterThan(0.8 * LIMIT)
  },
)
