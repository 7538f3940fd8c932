// Which modules a chain may use: those that its specification names with the hash of their file, from genesis or a later block
// on. Other modules of a node have no effect on the chain, or are refused.
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeErrorResult, type Hex, parseAbi } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import type { Proposal } from '../../src/cip/define.ts'
import { loadModule } from '../../src/cip/load.ts'
import { nameModules, registryOf } from '../../src/cip/modules.ts'
import { hexToHash } from '../../src/lib/hex.ts'
import { startNode } from '../../src/node.ts'
import type { ChainSpec, NamedProposal } from '../../src/spec/chain-spec.ts'
import { formatGenesis, formatSpec, parseGenesis, parseSpec } from '../../src/spec/genesis-file.ts'
import { presets } from '../../src/spec/presets.ts'
import { evmParams, GOV, govChain, owner, submit } from '../precompiles/gov-support.ts'
import { nodeOptions, testChain, withClients } from '../support/chain.ts'
import { plainSpec } from '../support/plain-spec.ts'
import { temporaryFolder } from '../support/process.ts'
import { moduleOf, specWith } from './support.ts'

const proposal = (number: number): Proposal => ({ number, title: `no. ${number}`, apply: () => undefined })
const seven = moduleOf(proposal(7))
const hash = `0x${'ab'.repeat(32)}`

function naming(...proposals: readonly NamedProposal[]): ChainSpec {
  const spec = specWith({})
  if (spec.native === undefined) throw new Error('the preset has no native modules')
  return { ...spec, native: { ...spec.native, proposals } }
}

/** Options of a node whose chain is in a folder that is removed after the test. */
async function stored(spec: ChainSpec) {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  return nodeOptions({ datadir: folder.path, spec })
}

test('the spec of a new chain names its modules with the hash of their file', async () => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  const path = join(folder.path, 'nine.mjs')
  const text = `export default { number: 9, title: 'nine', apply() {} }`
  await writeFile(path, text)
  const sha256 = createHash('sha256').update(text).digest('hex')
  const { node } = await testChain({ spec: specWith({}), modules: [await loadModule(path)] })
  expect(node.chain.spec.native?.proposals).toEqual([{ name: 'kestrel_9', sha256: `0x${sha256}`, since: 0n }])
  const genesis = formatSpec(node.chain.spec)
  expect(genesis).toMatchObject({ kestrel: { proposals: [{ name: 'kestrel_9', sha256, since: '0x0' }] } })
  expect(parseSpec(genesis)).toEqual(node.chain.spec)
})

test('an existing chain may use a new module from the next block on', async () => {
  const options = await stored(specWith({}))
  const first = await startNode(options)
  await withClients(first).mine(2)
  await first.close()

  const { node, refusal, raw, rpc } = await govChain({ ...options, modules: [seven] })
  expect(node.chain.spec.native?.proposals).toEqual([{ name: 'kestrel_7', sha256: seven.sha256, since: 3n }])
  const list = submit([evmParams('kestrel_7')])
  // The node has made that block, so the module can be proposed at once; earlier blocks are executed as before.
  expect(BigInt(String(await rpc('eth_blockNumber')))).toBe(3n)
  expect(await refusal(list)).toBeUndefined()
  const { error } = await raw('eth_call', { from: owner, to: GOV, data: list }, '0x2')
  const reason = decodeErrorResult({ abi: parseAbi(['error Error(string)']), data: error?.data as Hex })
  expect(reason.args).toEqual(['message 0: EIP kestrel_7 is not activateable before block 3'])
})

test('a changed module is refused, and the error lists the remedies', async () => {
  const options = await stored(specWith({}))
  const first = await startNode({ ...options, modules: [seven] })
  await withClients(first).mine(2)
  await first.close()
  const edited = { ...moduleOf({ ...proposal(7), apply: (table) => void table.op('ADD') }), file: 'edited.mjs' }
  const hashes = `the file has sha256 ${edited.sha256.slice(2)}, the chain names ${seven.sha256.slice(2)}`
  const remedies = 'give the file as it was, define what is new under another number, or begin another chain'
  await expect(startNode({ ...options, modules: [edited] })).rejects.toMatchObject({
    code: 'invalid-params',
    message: `--proposal edited.mjs: kestrel_7 has changed: ${hashes}; ${remedies}`,
  })
  // The change under another number is accepted and stored.
  const eight = moduleOf(proposal(8))
  const modules = [seven, eight]
  await (await startNode({ ...options, modules })).close()
  const node = await startNode({ ...options, modules, namesModules: false })
  expect(node.chain.spec.native?.proposals).toEqual([
    { name: 'kestrel_7', sha256: seven.sha256, since: 0n },
    { name: 'kestrel_8', sha256: eight.sha256, since: 3n },
  ])
  await node.close()
})

test('in production no module is added to the chain’s list', async () => {
  const options = { ...(await stored(specWith({}))), namesModules: false }
  const words = '--proposal test.mjs: this chain does not name kestrel_7; kestrel.proposals of its genesis has no '
  const refused = `${words}{"name":"kestrel_7","sha256":"${seven.sha256.slice(2)}"}`
  await expect(startNode({ ...options, modules: [seven] })).rejects.toThrow(refused)
  await (await startNode(options)).close()
  await expect(startNode({ ...options, modules: [seven] })).rejects.toThrow(refused)

  // Except by the genesis file, given again with another entry for a future block.
  const named = { name: 'kestrel_7', sha256: seven.sha256 }
  const late = { ...options, spec: naming({ ...named, since: 0n }), modules: [seven] }
  const problem = 'kestrel.proposals: kestrel_7 since block 0: expected a block above the head, 0'
  await expect(startNode(late)).rejects.toMatchObject({ code: 'invalid-genesis', message: problem })
  const node = await startNode({ ...options, spec: naming({ ...named, since: 5n }), modules: [seven] })
  expect(node.chain.spec.native?.proposals).toEqual([{ ...named, since: 5n }])
  await node.close()
})

test('a list may contain a module’s proposal from the module’s block on', () => {
  const registry = registryOf(naming({ name: 'kestrel_7', sha256: seven.sha256, since: 5n }), [seven])
  expect(() => registry.check(['kestrel_0', 'kestrel_7'], 5n)).not.toThrow()
  expect(() => registry.check(['kestrel_0', 'kestrel_7'], 4n)).toThrow(
    /^EIP kestrel_7 is not activateable before block 5$/,
  )
})

test('each name is defined by one module, and not by the program too', () => {
  const spec = specWith({})
  const twice = [seven, { ...moduleOf(proposal(7), proposal(8)), file: 'more.mjs' }]
  const words = '--proposal more.mjs: kestrel_7 is defined by test.mjs already'
  expect(() => nameModules(spec, twice, 0n)).toThrow(words)
  const zero = moduleOf(proposal(0))
  expect(() => registryOf(nameModules(spec, [zero], 0n), [zero])).toThrow('duplicate activation: kestrel_0')
  const reserved = moduleOf({ name: 'ethereum_7', title: 't', apply: () => undefined })
  expect(() => registryOf(nameModules(spec, [reserved], 0n), [reserved])).toThrow('are reserved')
  const plain = plainSpec('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')
  expect(() => nameModules(plain, [seven], 0n)).toThrow('a genesis without the section "kestrel" has no proposals')
})

test.each([
  [{ name: 'kestrel7', sha256: hash }, 'kestrel.proposals.0.name: EIP kestrel7 name is not valid'],
  [{ name: 'kestrel_7', sha256: 'abc' }, 'kestrel.proposals.0.sha256: expected the SHA-256 of a file, 64 hex digits'],
  [{ name: 'kestrel_7' }, 'kestrel.proposals.0.sha256: expected the SHA-256 of a file, 64 hex digits, got nothing'],
  [{ name: 'kestrel_7', sha256: hash, file: 'x' }, 'kestrel.proposals.0.file: unknown field'],
])('the genesis does not take %j', (entry, words) => {
  const genesis = formatGenesis(presets.kestrel()) as { kestrel: object }
  const read = (...proposals: object[]) => parseGenesis({ ...genesis, kestrel: { ...genesis.kestrel, proposals } })
  expect(() => read(entry)).toThrow(words)
  const sound = { name: 'kestrel_7', sha256: hash }
  expect(read(sound).native?.proposals).toEqual([{ name: 'kestrel_7', sha256: hexToHash(hash), since: 0n }])
  expect(() => read(sound, sound)).toThrow('kestrel.proposals.1.name: expected each name once')
})
