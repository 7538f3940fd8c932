// `--call-timeout` is of CPU time: on a machine that gives the node a third of its time, a call has as much as on a quiet one.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { rawRequest } from '../support/chain.ts'
import { startProcess } from '../support/process.ts'

const LIMIT = 900
/** Milliseconds that the node runs and stands. */
const RUNS = 100
const STANDS = 200

/** CPU milliseconds of a process: the 14th and 15th field of its line, in hundredths of a second (proc(5)). */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

test.runIf(process.platform === 'linux')('a call has its CPU time, however long that takes, and ends', async () => {
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
    await sleep(STANDS)
    process.kill(node.pid, 'SIGCONT')
  }
  expect((await answer).error?.message).toContain('the call took longer than this node allows')
  // By the wall clock it would have had a third of it.
  expect(cpuOf(node.pid) - before).toBeGreaterThan(0.8 * LIMIT)
})
