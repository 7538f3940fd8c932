// Opcode proposals from the command line: users' modules, and proposals active from block 0.
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { request } from '../support/chain.ts'
import { folder, ONE_LINE, run, start } from './support.ts'

const AVERAGE = join(import.meta.dirname, '../../docs/examples/average.mjs')
const PLAIN = join(import.meta.dirname, '../conformance/execution-apis/genesis.json')

/** A creation whose init code, four zero bytes and four others, runs CREATE of an empty contract. */
const CREATION = { data: '0x600060006000f000' }
const creationCosts = (create: number) => `0x${(21_000 + 32_000 + 2 + 4 * 4 + 4 * 16 + 9 + create).toString(16)}`

const estimate = (url: string) => request(url, 'eth_estimateGas', [CREATION])
const active = async (url: string) => (await request(url, 'kestrel_getEvmParams')) as { extraEips: string[] }

test('a chain is created with opcode proposals, and continues with them', async () => {
  const cwd = await folder()
  const flags = ['--proposal', AVERAGE, '--activate', 'kestrel_0,kestrel_7']
  const first = await start(cwd, ...flags)
  expect(await active(first.url)).toEqual({ extraEips: ['kestrel_0', 'kestrel_7'] })
  expect(await estimate(first.url)).toBe(creationCosts(320_000))
  await request(first.url, 'evm_mine')
  await first.stop()

  // The chain names the module, so the commands need it; everything else is on disk.
  for (const command of [['start'], ['export', 'none.rlp'], ['reindex']]) {
    const { code, stderr } = await run(cwd, ...command)
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(ONE_LINE) })
    expect(stderr).toContain('--proposal: no module defines kestrel_7, which this chain may use; its file has sha256 ')
  }
  const second = await start(cwd, '--proposal', AVERAGE)
  expect(await active(second.url)).toEqual({ extraEips: ['kestrel_0', 'kestrel_7'] })
  await second.stop()
  const other = await run(cwd, 'start', '--proposal', AVERAGE, '--activate', 'kestrel_1')
  expect(other.stderr).toMatch(/^kestrel: --activate: kestrel-data holds the chain kestrel .* without these proposals/)

  // Another folder executes its blocks with the same module.
  await run(cwd, 'export', 'chain.rlp', '--proposal', AVERAGE)
  await writeFile(join(cwd, 'genesis.json'), (await run(cwd, 'genesis', '--datadir', 'kestrel-data')).stdout)
  const copy = ['--datadir', 'copy', '--proposal', AVERAGE]
  expect((await run(cwd, 'init', '--genesis', 'genesis.json', ...copy)).code).toBe(0)
  expect((await run(cwd, 'import', 'chain.rlp', ...copy)).stderr).toContain('the head is block 1 ')
})

test('genesis --activate adds opcode proposals to a genesis file', async () => {
  const cwd = await folder()
  const printed = await run(cwd, 'genesis', '--activate', 'kestrel_2')
  expect(JSON.parse(printed.stdout).kestrel.params).toEqual({ activeProposals: ['kestrel_2'] })
  await writeFile(join(cwd, 'genesis.json'), printed.stdout)
  const init = await run(cwd, 'init', '--genesis', 'genesis.json', '--activate', 'kestrel_0')
  expect(init).toMatchObject({ code: 0, stderr: '' })
  const node = await start(cwd, '--genesis', 'genesis.json', '--activate', 'kestrel_0')
  expect(await active(node.url)).toEqual({ extraEips: ['kestrel_2', 'kestrel_0'] })
  await node.stop()
})

test('a chain continues with a new module in development, and in production only with one that its genesis names', async () => {
  const cwd = await folder()
  const nine = `export default { number: 9, title: 'nine', apply() {} }`
  await writeFile(join(cwd, 'nine.mjs'), nine)
  const sha256 = createHash('sha256').update(nine).digest('hex')
  const printed = await run(cwd, 'genesis', '--proposal', AVERAGE)
  await writeFile(join(cwd, 'genesis.json'), printed.stdout)
  const genesis = ['--genesis', 'genesis.json']
  const named = JSON.parse(printed.stdout).kestrel.proposals
  expect(named).toMatchObject([{ name: 'kestrel_7', since: '0x0' }])

  const production = [...genesis, '--production', '--proposal', AVERAGE]
  const first = await start(cwd, ...production)
  await first.stop()
  const refused = await run(cwd, 'start', ...production, '--proposal', 'nine.mjs')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(ONE_LINE) })
  expect(refused.stderr).toContain(`has no {"name":"kestrel_9","sha256":"${sha256}"}`)

  // In development the same flags add the module.
  const second = await start(cwd, ...genesis, '--proposal', AVERAGE, '--proposal', 'nine.mjs')
  const known = (await request(second.url, 'kestrel_getProposals')) as { name: string }[]
  expect(known.map(({ name }) => name)).toEqual(expect.arrayContaining(['kestrel_7', 'kestrel_9']))
  await request(second.url, 'evm_mine')
  const { stderr } = await second.stop()
  expect(stderr).toContain(`this chain may use kestrel_9 from block 1 on: sha256 ${sha256}`)
  const stored = JSON.parse((await run(cwd, 'genesis', '--datadir', 'kestrel-data')).stdout)
  expect(stored.kestrel.proposals).toEqual([...named, { name: 'kestrel_9', sha256, since: '0x1' }])
  expect((await run(cwd, 'export', 'chain.rlp', '--proposal', 'nine.mjs', '--proposal', AVERAGE)).code).toBe(0)

  await writeFile(join(cwd, 'nine.mjs'), `${nine}\n`)
  const changed = await run(cwd, 'start', '--proposal', AVERAGE, '--proposal', 'nine.mjs')
  expect(changed.stderr).toMatch(/^kestrel: --proposal nine\.mjs: kestrel_9 has changed: [^\n]+another chain\n$/)
})

test('a genesis with upgrades that cannot be applied is refused', async () => {
  const cwd = await folder()
  const genesis = JSON.parse((await run(cwd, 'genesis')).stdout)
  const add = (height: number, name: string) => ({ name: `v${height}`, height, addProposals: [name] })
  const upgrades = [add(5, 'kestrel_0'), add(9, 'kestrel_10')]
  const kestrel = { ...genesis.kestrel, upgrades }
  await writeFile(join(cwd, 'genesis.json'), JSON.stringify({ ...genesis, kestrel }))
  for (const command of [['init'], ['start', '--in-memory', '--port', '0']]) {
    const { code, stderr } = await run(cwd, ...command, '--genesis', 'genesis.json')
    const words =
      'kestrel: EIP kestrel_10 is not activateable (at upgrade v9, block 9): this chain may use ethereum_1344, '
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(words) })
    expect(stderr).toMatch(ONE_LINE)
  }
})

test('--proposal takes modules in TypeScript', async () => {
  const cwd = await folder()
  await writeFile(join(cwd, 'price.ts'), 'export const price: bigint = 40_000n')
  await writeFile(
    join(cwd, 'typed.ts'),
    `import { price } from './price.ts'
     type Table = { op(name: string): { setConstantGas(gas: bigint): unknown } }
     export default { number: 4, title: 'four', apply(table: Table): void { table.op('CREATE').setConstantGas(price) } }`,
  )
  const node = await start(
    cwd,
    '--in-memory',
    '--proposal',
    'typed.ts',
    '--proposal',
    AVERAGE,
    '--activate',
    'kestrel_4',
  )
  expect(await estimate(node.url)).toBe(creationCosts(40_000))
  const known = (await request(node.url, 'kestrel_getProposals')) as { name: string }[]
  expect(known.map(({ name }) => name)).toEqual(expect.arrayContaining(['kestrel_4', 'kestrel_7']))
})

test('--proposal prints one line for a wrong module, with its file', async () => {
  const cwd = await folder()
  await writeFile(join(cwd, 'words.txt'), 'hello')
  await writeFile(join(cwd, 'broken.ts'), 'export default {')
  await writeFile(join(cwd, 'wrong.mjs'), 'export default { number: 1 }')
  await writeFile(join(cwd, 'twice.mjs'), `export default { number: 0, title: 'again', apply() {} }`)
  await writeFile(join(cwd, 'fails.mjs'), `export default { number: 9, title: 't', apply: (t) => t.op('NOTHING') }`)
  const cases = [
    [['--proposal', 'none.mjs'], '--proposal: none.mjs: no such file'],
    [['--proposal', 'words.txt'], '--proposal: words.txt: expected a JavaScript or TypeScript module'],
    [['--proposal', 'broken.ts'], '--proposal: broken.ts: '],
    [['--proposal', 'wrong.mjs'], '--proposal: wrong.mjs: default export: title: expected a text'],
    [['--proposal', 'twice.mjs'], 'duplicate activation: kestrel_0 is already present in [ethereum_1344 '],
    [['--proposal', 'fails.mjs', '--activate', 'kestrel_9'], 'EIP kestrel_9 failed to activate: no opcode NOTHING'],
    [['--activate', 'kestrel_99'], 'EIP kestrel_99 is not activateable'],
    [['--activate', 'kestrel_0,kestrel_0'], 'found duplicate EIP: kestrel_0'],
    [['--activate', 'zero'], 'EIP zero name is not valid'],
    [['--genesis', PLAIN, '--activate', 'kestrel_0'], '--activate: a genesis without the section "kestrel"'],
  ] as const
  const ends = await Promise.all(cases.map(([flags]) => run(cwd, 'start', '--in-memory', '--port', '0', ...flags)))
  for (const [index, { code, stdout, stderr }] of ends.entries()) {
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(ONE_LINE)
    expect(stderr).toContain(cases[index]?.[1])
  }
})
