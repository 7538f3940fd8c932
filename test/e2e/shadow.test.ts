// `start --shadow`, as a terminal shows it: what is said at the start, how a difference ends the program, and that stopping
// does not wait for checks that hang.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toHex } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { run } from '../cli/support.ts'
import { asm } from '../support/assembler.ts'
import { account } from '../support/chain.ts'
import { clientsOf, startProcess, temporaryFolder } from '../support/process.ts'

/** A folder with a proposal module, `kestrel_7`, whose text sees on which thread it is. */
async function proposal(text: string) {
  const { path, remove } = await temporaryFolder()
  onTestFinished(remove)
  const file = join(path, 'seven.mjs')
  await writeFile(
    file,
    `import { isMainThread } from 'node:worker_threads'
     export default { number: 7, title: 'seven', apply(table) { ${text} } }`,
  )
  const engines = ['--engine', 'compiled', '--shadow', 'library']
  const flags = ['--datadir', join(path, 'data'), '--proposal', file, '--activate', 'kestrel_7', ...engines]
  return { path, flags }
}

test('a difference of the shadow ends the program with code 1 and one line, and keeps committed blocks', async () => {
  // Two pushes and a slot that is cold and empty: 21000 + 2 * 3 + 22100, and 2 * 5 on the thread.
  const { flags } = await proposal("table.op('PUSH1').setConstantGas(isMainThread ? 3n : 5n)")
  const node = await startProcess(flags)
  const { rpc } = clientsOf(node.url)
  const to = '0x00000000000000000000000000000000000c0ffe'
  await rpc('anvil_setCode', to, asm('PUSH1 0x01', 'PUSH1 0x00', 'SSTORE'))
  const hash = await rpc('eth_sendTransaction', { from: account(0).address, to, gas: toHex(100_000) })
  expect(await node.ended).toBe(1)
  const [line, ...others] = node
    .output()
    .split('\n')
    .filter((text) => text.includes('ERROR'))
  expect(line).toMatch(/ERROR.*shadow: block 1 \(0x[0-9a-f]{64}\): /)
  expect(line).toContain(`: transaction 0 (${hash}): gasUsed is 43106 on compiled, 43110 on library`)
  expect(others).toEqual([])
  expect(node.output()).toMatch(/^ {2}Engine {4}compiled, shadow: library$/m)
  expect(node.output()).toContain('engine: compiled; every block runs again on library')

  const again = await startProcess(flags)
  expect(await clientsOf(again.url).rpc('eth_getTransactionReceipt', hash)).toMatchObject({ blockNumber: '0x1' })
  expect(await again.stop()).toBe(0)
})

test('a shadow that hangs does not delay the end of the program', async () => {
  const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60000)'
  const { flags } = await proposal(`table.op('PUSH1').setConstantGas(3n); if (!isMainThread) ${wait}`)
  const node = await startProcess(flags)
  await clientsOf(node.url).rpc('anvil_mine', '0x3')
  const began = performance.now()
  expect(await node.stop()).toBe(0)
  // Time is the subject, since the check hangs for a minute: two seconds for the queue, and what the rest of closing takes on a busy machine.
  expect(performance.now() - began).toBeLessThan(5_000)
  expect(node.output()).toContain('shadow: 3 blocks were not checked before the node was closed')
})

test('--shadow refuses the engine that makes the blocks', async () => {
  const { path } = await proposal('')
  const { code, stderr } = await run(path, 'start', '--in-memory', '--engine', 'wasm', '--shadow', 'wasm')
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'kestrel: --shadow: wasm runs contracts already; choose another engine\n',
  })
})
