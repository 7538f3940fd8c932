// Runs the execution-apis suite: prints passed and failed per method, each failure with its reasons, and a last line
// `N passed, N failed`. Against a node in this process, or a running one with the suite's chain.
//   tsx test/conformance/run.ts [--url http://127.0.0.1:8545] [PART OF A NAME]
import { parseArgs } from 'node:util'
import { failures, startSuiteNode } from './execution-apis.ts'
import { loadIoTests } from './io.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { url: { type: 'string' } } })
if (values.url !== undefined) await run(values.url, positionals[0])
else {
  const node = await startSuiteNode()
  await run(node.url, positionals[0])
  await node.close()
}

async function run(url: string, part = ''): Promise<void> {
  const counts = new Map<string, { passed: number; failed: number }>()
  for (const test of loadIoTests()) {
    const name = `${test.method}/${test.name}`
    if (!name.includes(part)) continue
    const count = counts.get(test.method) ?? { passed: 0, failed: 0 }
    counts.set(test.method, count)
    const found = await failures(url, test)
    if (found.length === 0) count.passed++
    else count.failed++
    for (const reason of found) console.log(`${name}: ${reason}`)
  }
  for (const [method, { passed, failed }] of counts) console.log(`${method}: ${passed} passed, ${failed} failed`)
  const sum = (which: 'passed' | 'failed') => [...counts.values()].reduce((total, count) => total + count[which], 0)
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
  if (sum('failed') > 0) process.exitCode = 1
}
