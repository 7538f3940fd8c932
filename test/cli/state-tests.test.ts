// `kestrel statetest` as fuzzers drive it: it answers a file before it is given the next one's name.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { PROGRAM } from '../support/process.ts'

test('statetest reads file names from standard input one by one', async () => {
  const child = spawn(process.execPath, [PROGRAM, 'statetest', '--jobs', '1'], { stdio: ['pipe', 'ignore', 'pipe'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const lines = createInterface({ input: child.stderr })
  for (const name of ['one.json', 'two.json']) {
    child.stdin.write(`${name}\n`)
    expect(await once(lines, 'line')).toEqual([`kestrel: ${name}: no such file or folder`])
  }
  child.stdin.end()
  expect(await once(child, 'exit')).toEqual([1, null])
})
