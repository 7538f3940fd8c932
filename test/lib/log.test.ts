import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ChainError } from '../../src/lib/errors.ts'
import { bounded, boundedFields, FIELD_SIZE } from '../../src/lib/log.ts'

const sizeOf = (value: unknown): number => JSON.stringify(value).length

it('a short log field is unchanged', () => {
  const value = { a: [1, true, null, 'text', { b: 'c' }], d: '0x00' }
  expect(bounded(value)).toEqual(value)
  expect(bounded(12n)).toBe('12')
  expect(bounded(new Date(0))).toBe('1970-01-01T00:00:00.000Z')
  expect(bounded(new Uint8Array(1000))).toBe('1000 bytes')
})

const cycle: Record<string, unknown> = {}
cycle.self = [cycle, cycle]
let deep: unknown = 'end'
for (let i = 0; i < 100_000; i++) deep = [deep]

it.each([
  ['a long string', 'x'.repeat(16_000_000)],
  ['many items', Array.from({ length: 1_000_000 }, () => 1)],
  ['many empty objects', Array.from({ length: 1_000_000 }, () => ({}))],
  ['many names', Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`name${i}`, i]))],
  ['a long name', { ['n'.repeat(1_000_000)]: 1 }],
  ['a cycle', cycle],
  ['deep nesting', deep],
  ['an error', new ChainError('execution-reverted', 'm'.repeat(1_000_000), `0x${'00'.repeat(100_000)}`)],
])('a log field is bounded: %s', (_, value) => {
  // Slightly more than the budget: the note about what was left out, quotes and commas.
  expect(sizeOf(bounded(value))).toBeLessThan(2 * FIELD_SIZE)
  expect(sizeOf(boundedFields({ value, other: 'kept' }))).toBeLessThan(2 * FIELD_SIZE)
})

it('a bounded log field states how much was left out', () => {
  expect(bounded('x'.repeat(5000))).toMatch(/^x{2044}… \(5000 characters\)$/)
  const items = bounded(Array.from({ length: 5000 }, () => 1)) as unknown[]
  expect(items.at(-1)).toBe('… (5000 items)')
})

it('log fields whose names suggest secrets are hidden', () => {
  const params = [{ from: '0x1', password: 'sesame', nested: { privateKey: '0x2', Mnemonic: 'test junk' } }]
  const text = JSON.stringify(boundedFields({ method: 'eth_x', params, password: 'sesame' }))
  expect(text).not.toMatch(/sesame|0x2|junk/)
  expect(text).toContain('"from":"0x1"')
})

it.each([true, false])('every line of a logger is bounded (json: %s)', (json) => {
  const script = `
    const { createLogger } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/lib/log.ts'))})
    const log = createLogger({ level: 'info', json: ${json} }).child({ room: 'rpc' })
    const params = ['0x' + '00'.repeat(8_000_000)]
    log.info({ method: 'eth_sendRawTransaction', params, error: { message: 'no' } }, 'method refused')
    const error = new Error('broken'.repeat(100_000))
    log.error({ err: error }, 'method failed')
    log.error(error)
    log.info('m'.repeat(1_000_000))`
  const { stderr } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script])
  const text = stderr.toString()
  expect(text).toContain('method refused')
  expect(text).toContain('method failed')
  expect(text.length).toBeLessThan(20_000)
})

it.each([
  [{ NO_COLOR: '1' }, false],
  [{ FORCE_COLOR: '0' }, false],
  [{ FORCE_COLOR: '1' }, true],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  // Standard error is no terminal here.
  [{}, false],
])('the environment decides on colours: %o', (environment, isColoured) => {
  const script = `
    const { createLogger } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/lib/log.ts'))})
    createLogger({ level: 'info', json: false }).warn({ lines: [{ text: 'below', colour: 'red' }] }, 'above')`
  const { FORCE_COLOR: _force, NO_COLOR: _no, ...env } = process.env
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script]
  const text = spawnSync(process.execPath, args, { env: { ...env, ...environment } }).stderr.toString()
  expect(text).toMatch(/above[\s\S]*below/)
  expect(text.includes('\u001b[')).toBe(isColoured)
})
