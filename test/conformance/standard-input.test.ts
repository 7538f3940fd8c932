// `statetest` as fuzzers use it: it prints the results of a file before it reads the next name.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'

const PROGRAM = join(import.meta.dirname, 'statetest.ts')

test('statetest reads file names from standard input one by one', { timeout: 60_000 }, async () => {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, '--jobs', '1'], {
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const lines = createInterface({ input: child.stderr })
  for (const name of ['one.json', 'two.json']) {
    child.stdin.write(`${name}\n`)
    expect(await once(lines, 'line')).toEqual([`statetest: ${name}: no such file or folder`])
  }
  child.stdin.end()
  expect(await once(child, 'exit')).toEqual([1, null])
})

test.each([[[]], [['']], [['--fork', 'Cancan', 'file']]])(
  'statetest refuses %j in one line with exit code 2',
  {
    timeout: 60_000,
  },
  async (args) => {
    const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let text = ''
    child.stderr.on('data', (part) => {
      text += part
    })
    expect(await once(child, 'close')).toEqual([2, null])
    expect(text).toMatch(/^statetest: [^\n]+\n$/)
  },
)
