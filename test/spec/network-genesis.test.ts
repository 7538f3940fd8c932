// The section kestrel.consensus of a genesis file: its meaning, its errors, and that writing gives what was read.
import { expect, it } from 'vitest'
import { fileNetwork } from '../../src/cli/network/testnet-genesis.ts'
import { formatGenesis, parseGenesis } from '../../src/spec/genesis-file.ts'
import { presets } from '../../src/spec/presets.ts'
import { testKey } from '../support/network.ts'

type Section = Record<string, unknown>
type File = { config: Section; kestrel: { validators: Section[]; modules: Section; consensus?: Section } }

/** The preset's genesis file with this section, and with keys for its validators. */
function file(consensus: Section, change: (genesis: File) => void = () => undefined): File {
  const genesis = JSON.parse(JSON.stringify(formatGenesis(presets.kestrel()))) as File
  genesis.kestrel.consensus = { engine: 'cometbft', ...consensus }
  genesis.kestrel.validators.forEach((validator, index) => {
    validator.consensusKey = testKey(index)
  })
  change(genesis)
  return genesis
}

it('kestrel.consensus has defaults, and is written as it was read', () => {
  const spec = parseGenesis(file({}))
  expect(spec.native?.consensus).toEqual({ engine: 'cometbft', maxBytes: 4_194_304n, initialHeight: 1n, keys: [] })
  expect(parseGenesis(formatGenesis(spec))).toEqual(spec)
})

it('testnet adds the newest rules of modules to a genesis file without any', () => {
  const made = (consensus: Section, modules: Section) => {
    const json = file(consensus, ({ kestrel }) => (kestrel.modules = modules))
    const { validators } = json.kestrel
    return fileNetwork({ json, validators, path: 'genesis.json' }, [0, 1, 2].map(testKey), {}, 1_000n).native?.modules
  }
  const version2 = { version: 2 }
  expect(made({}, {})).toEqual({ distribution: version2, gov: version2, slashing: version2 })
  expect(made({}, { distribution: {} })?.distribution).toEqual({})
  expect(made({}, { slashing: {} })?.slashing).toEqual({})
  expect(made({ slashing: { signedBlocksWindow: 20 } }, {})?.slashing).toEqual({ signedBlocksWindow: 20 })
})

it('kestrel.consensus may contain the genesis of the slashing module, which every network has', () => {
  const slashing = { signedBlocksWindow: 20 }
  const without = ({ kestrel }: File) => {
    kestrel.modules = {}
  }
  expect(parseGenesis(file({ slashing }, without)).native?.modules.slashing).toEqual(slashing)
  expect(parseGenesis(file({}, without)).native?.modules.slashing).toEqual({})
  expect(() => parseGenesis(file({ slashing }))).toThrow(/kestrel.consensus.slashing: expected either this or/)
})

it.each<[string, Section, (genesis: File) => void, RegExp]>([
  ['an unknown engine', { engine: 'raft' }, () => undefined, /kestrel.consensus.engine/],
  ['blocks that are too small', { maxBytes: 1000 }, () => undefined, /kestrel.consensus.maxBytes: .*65536/],
  [
    'a validator without a consensus key',
    {},
    ({ kestrel }) => delete kestrel.validators[1]?.consensusKey,
    /kestrel.validators.1.consensusKey: expected a key/,
  ],
  [
    'keys to adopt from the beginning',
    { keys: [{ operator: `0x${'11'.repeat(20)}`, consensusKey: testKey(0) }] },
    () => undefined,
    /kestrel.consensus.keys: expected none/,
  ],
  [
    'a promoted chain without slashing',
    { initialHeight: 5 },
    ({ kestrel }) => (kestrel.modules = {}),
    /kestrel.consensus: expected kestrel.modules.slashing/,
  ],
  [
    'forks before Cancun',
    {},
    ({ config }) => {
      for (const field of ['cancunTime', 'pragueTime', 'osakaTime', 'bpo1Time', 'bpo2Time']) delete config[field]
    },
    /kestrel.consensus: expected Cancun/,
  ],
  ['an unknown field', { peers: [] }, () => undefined, /kestrel.consensus.peers: unknown field/],
])('kestrel.consensus refuses %s', (_, consensus, change, words) => {
  expect(() => parseGenesis(file(consensus, change))).toThrow(words)
})
