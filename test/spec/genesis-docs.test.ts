// docs/genesis.md: its tables are generated from the schema, and its defaults of the modules are correct.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { withTables } from '../../scripts/genesis-reference.ts'
import { readDistributionGenesis } from '../../src/modules/distribution/distribution.ts'
import { readErc20Genesis } from '../../src/modules/erc20/erc20.ts'
import { readGovGenesis } from '../../src/modules/gov/params.ts'
import { readInflationGenesis } from '../../src/modules/inflation.ts'
import { readSlashingGenesis } from '../../src/modules/slashing/slashing.ts'
import { readStakingGenesis } from '../../src/modules/staking/genesis.ts'
import { readTransferGenesis } from '../../src/modules/transfer/genesis.ts'
import type { NativeSpec } from '../../src/spec/chain-spec.ts'
import { presets } from '../../src/spec/presets.ts'
import { testChain } from '../support/chain.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/genesis.md'), 'utf8')
const spec = presets.kestrel()
const native = spec.native as NativeSpec

it('docs/genesis.md has the fields of the schema (npm run genesis-docs writes them)', () => {
  expect(withTables(page)).toBe(page)
})

/** The defaults on the page, as a genesis file: `{ gov: { params: { votingPeriod: 30 } } }`. */
function documented(): Record<string, unknown> {
  const [, table = ''] = page.split(/<!-- \/?modules -->/)
  const modules: Record<string, unknown> = {}
  for (const [, path = '', value = ''] of table.matchAll(/^\| `([\w.]+)` \| `([^`]*)` \|/gm)) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    let place = modules
    for (const name of names) {
      place[name] ??= {}
      place = place[name] as Record<string, unknown>
    }
    place[last] = JSON.parse(value)
  }
  return modules
}

it('docs/genesis.md has all defaults of the modules', async () => {
  const modules = documented()
  const readers: Record<string, (json: unknown) => object> = {
    distribution: readDistributionGenesis,
    erc20: readErc20Genesis,
    gov: (json) => readGovGenesis({ ...native, modules: { gov: json } }),
    inflation: readInflationGenesis,
    slashing: (json) => readSlashingGenesis(json ?? {}),
    staking: (json) => readStakingGenesis([], json),
    transfer: readTransferGenesis,
  }
  for (const [name, read] of Object.entries(readers)) {
    const byDefault = read(undefined)
    expect(read(modules[name]), name).toEqual(byDefault)
    const { params = {}, validators: _, ...rest } = byDefault as { params?: object; validators?: unknown }
    const given = modules[name] as { params?: object }
    expect(Object.keys({ ...given.params }).sort(), name).toEqual(Object.keys(params).sort())
    expect(Object.keys({ ...given, params: 0 }).sort(), name).toEqual(Object.keys({ ...rest, params: 0 }).sort())
  }
  expect(Object.keys(modules).sort()).toEqual([...Object.keys(readers), 'authz'].sort())
  // A chain starts from the file with all defaults, and grants expire after the documented time.
  const { rpc } = await testChain({ spec: { ...spec, native: { ...native, modules } } })
  expect(await rpc('eth_blockNumber')).toBe('0x0')
  expect(modules.authz).toEqual({ defaultExpiration: 365 * 86_400 })
})
