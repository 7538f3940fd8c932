// Modules of users: their exports, and the errors for unusable ones.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadModule } from '../../src/cip/load.ts'
import { temporaryFolder } from '../support/process.ts'

const loadProposals = async (path: string) => (await loadModule(path)).proposals

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder.remove())

async function file(name: string, text: string): Promise<string> {
  const path = join(folder.path, name)
  await writeFile(path, text)
  return path
}

it('a proposal module exports one proposal or a list of them', async () => {
  const one = await file('one.mjs', `export default { number: 7, title: 'seven', apply() {} }`)
  const [seven, ...none] = await loadProposals(one)
  expect(none).toEqual([])
  expect(seven).toMatchObject({ number: 7, title: 'seven' })
  const several = await file(
    'several.mjs',
    `const apply = () => {}
     export default [{ number: 8, title: 'eight', apply }, { name: 'other_9', title: 'nine', apply }]`,
  )
  expect((await loadProposals(several)).map(({ name, number }) => name ?? number)).toEqual([8, 'other_9'])
})

it('a proposal module may export an object with methods', async () => {
  const path = await file(
    'method.mjs',
    `export default new (class { number = 3; title = 't'; seen = []; apply() { this.seen.push(1) } })()`,
  )
  const [proposal] = await loadProposals(path)
  // @ts-expect-error: this one has no parameter.
  proposal?.apply()
  expect(proposal).toMatchObject({ seen: [1] })
})

it('a proposal module may be TypeScript, with imports', async () => {
  await file('price.ts', 'export const price: bigint = 5n')
  const path = await file(
    'typed.ts',
    `import { price } from './price.ts'
     type Table = { op(name: string): { setConstantGas(gas: bigint): unknown } }
     export default { number: 4, title: 'four', apply(table: Table): void { table.op('ADD').setConstantGas(price) } }`,
  )
  const [proposal] = await loadProposals(path)
  const set: unknown[] = []
  // @ts-expect-error: only the part of a table that it uses.
  proposal?.apply({ op: (name) => ({ setConstantGas: (gas) => set.push([name, gas]) }) })
  expect(set).toEqual([['ADD', 5n]])
})

it.each([
  ['no-default.mjs', 'export const a = 1', 'default export: expected an object { number, title, apply }'],
  ['text.mjs', `export default 'x'`, 'default export: expected an object { number, title, apply }'],
  ['number.mjs', `export default { number: -1, title: 't', apply() {} }`, 'default export: '],
  ['neither.mjs', `export default { title: 't', apply() {} }`, 'default export: expected either a number or a name'],
  ['both.mjs', `export default { name: 'a_1', number: 1, title: 't', apply() {} }`, 'either a number or a name'],
  ['title.mjs', `export default [{ number: 1, apply() {} }]`, 'default export, element 0: title: expected a text'],
  ['apply.mjs', `export default { number: 1, title: 't' }`, 'default export: apply: expected a function'],
  ['throws.mjs', `throw new Error('not\\ntoday')`, 'not today'],
  ['broken.ts', 'export default {', 'broken.ts'],
])('refuses %s', async (name, text, words) => {
  const path = await file(name, text)
  await expect(loadProposals(path)).rejects.toMatchObject({ code: 'invalid-params' })
  const message = await loadProposals(path).catch(({ message }: Error) => message)
  expect(message).toContain(words)
  expect(message).toMatch(new RegExp(`^${path}: [^\\n]+$`))
})

it('a proposal module that does not exist is refused', async () => {
  const path = join(folder.path, 'nothing.mjs')
  const refused = { code: 'invalid-params', message: `${path}: no such file` }
  await expect(loadProposals(path)).rejects.toMatchObject(refused)
})
