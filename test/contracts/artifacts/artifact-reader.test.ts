// What is read of builds as forge, Hardhat 2, Hardhat 3 and Vyper write them (`builds/README.md`).
import { cp, mkdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ArtifactReader, type ReaderLimits } from '../../../src/contracts/artifacts/artifact-reader.ts'
import type { ReadContract } from '../../../src/contracts/artifacts/build-file.ts'
import type { ReaderReport } from '../../../src/contracts/artifacts/messages.ts'
import { toHex } from '../../../src/lib/hex.ts'
import { temporaryFolder } from '../../support/process.ts'

const BUILDS = join(import.meta.dirname, 'builds')
const VYPER = join(import.meta.dirname, '../../explorer/contracts/jar-vyper-0.4.3.json')
const textOfVault = () => readFile(join(BUILDS, 'foundry/src/Vault.sol'), 'utf8')
const readJson = async (file: string) => JSON.parse(await readFile(join(BUILDS, file), 'utf8'))

/** A reader that keeps what it has reported. */
function readerOf(roots: readonly string[], limits: Partial<ReaderLimits> = {}) {
  const files = new Map<string, ReadContract[]>()
  const warnings: string[] = []
  let declarations: readonly { readonly name: string }[] = []
  const take = (report: ReaderReport) => {
    if (report.kind === 'warning') warnings.push(report.text)
    if (report.kind === 'gone') files.delete(report.file)
    if (report.kind === 'declarations') declarations = JSON.parse(report.json)
    if (report.kind === 'contracts')
      files.set(report.file, [...(report.isFirst ? [] : (files.get(report.file) ?? [])), ...report.contracts])
  }
  const reader = new ArtifactReader(roots, take, limits)
  const contracts = () => [...files].flatMap(([file, of]) => of.map((contract) => ({ file, ...contract })))
  return {
    reader,
    warnings,
    contracts,
    names: () =>
      contracts()
        .map(({ path, name }) => `${path}:${name}`)
        .sort(),
    declared: () => declarations.map(({ name }) => name).sort(),
    sourcesOf(name: string) {
      const found = contracts().find((contract) => contract.name === name)
      return found && reader.sources(found)
    },
  }
}

async function folder(): Promise<string> {
  const { path, remove } = await temporaryFolder()
  onTestFinished(remove)
  return path
}

/** The three contracts of `Vault.sol`, in a folder of the project. */
const contractsIn = (below: string) => ['Purse', 'Sums', 'Vault'].map((name) => `${below}/Vault.sol:${name}`)
const DECLARED = ['NotEnough', 'Put', 'add', 'held', 'least', 'put', 'take']

describe('the reader of artifacts', () => {
  it.each([
    ['Foundry', 'foundry/out', contractsIn('src')],
    ['Hardhat 2', 'hardhat-2/artifacts', contractsIn('contracts')],
    ['Hardhat 3', 'hardhat-3/artifacts', contractsIn('contracts')],
    ["Foundry's build-info", 'foundry-full/out/build-info', contractsIn('src')],
    // Hardhat's file of one contract names no immutables, and nothing else of its build is there.
    ['one file', 'foundry/out/Vault.sol/Vault.json', ['src/Vault.sol:Vault']],
  ])('reads a build of %s, each contract once', async (_, build, expected) => {
    const { reader, names, contracts, warnings, declared } = readerOf([join(BUILDS, build)])
    await reader.scan()
    expect(names()).toEqual(expected)
    expect(warnings).toEqual([])
    expect(DECLARED).toEqual(expect.arrayContaining(declared()))
    const vault = contracts().find(({ name }) => name === 'Vault')
    // `least` is a word, `Sums` an address.
    expect(vault?.runtime.immutables).toEqual([{ start: expect.any(Number), length: 32 }])
    expect(vault?.runtime.links).toEqual([{ library: 'Sums', start: expect.any(Number) }])
    expect(vault?.language).toBe('solidity')
  })

  it('takes the code and the places from the file', async () => {
    const { reader, contracts } = readerOf([join(BUILDS, 'foundry/out')])
    await reader.scan()
    const { bytecode, deployedBytecode } = await readJson('foundry/out/Vault.sol/Purse.json')
    const [purse] = contracts().filter(({ name }) => name === 'Purse')
    expect(toHex(purse?.creation.bytes ?? new Uint8Array())).toBe(bytecode.object)
    expect(toHex(purse?.runtime.bytes ?? new Uint8Array())).toBe(deployedBytecode.object)
    expect(purse?.runtime.immutables).toEqual(Object.values(deployedBytecode.immutableReferences).flat())
  })

  it('finds the immutables of a contract whose file does not name them', async () => {
    const path = await folder()
    await cp(join(BUILDS, 'hardhat-2/artifacts/contracts/Vault.sol/Purse.json'), join(path, 'Purse.json'))
    const alone = readerOf([path])
    await alone.reader.scan()
    const whole = readerOf([join(BUILDS, 'hardhat-2/artifacts')])
    await whole.reader.scan()
    const named = whole.contracts().find(({ name }) => name === 'Purse')
    expect(alone.contracts()[0]?.runtime.immutables).toEqual(named?.runtime.immutables)
    expect(named?.runtime.immutables).toHaveLength(1)
  })

  it('reads an output of Vyper', async () => {
    const path = await folder()
    const { output, source } = JSON.parse(await readFile(VYPER, 'utf8'))
    await writeFile(join(path, 'out.json'), JSON.stringify(output))
    const { abi, evm } = output.contracts['src/Jar.vy'].Jar
    const combined = { abi, bytecode: evm.bytecode.object, bytecode_runtime: evm.deployedBytecode.object }
    await writeFile(join(path, 'combined.json'), JSON.stringify({ version: '0.4.3', 'src/Pot.vy': combined }))
    const input = { language: 'Vyper', sources: { 'src/Jar.vy': { content: source } } }
    await writeFile(join(path, 'build.json'), JSON.stringify({ input, output }))
    const { reader, names, contracts, declared } = readerOf([path])
    await reader.scan()
    expect(names()).toEqual(['src/Jar.vy:Jar', 'src/Jar.vy:Jar', 'src/Pot.vy:Pot'])
    expect(contracts().map(({ isVyper, language }) => [isVyper, language])).toEqual(Array(3).fill([true, 'vyper']))
    expect(declared()).toEqual(['Filled', 'SIZE', 'fillJar', 'owner'])
    const build = contracts().find(({ file }) => file.endsWith('build.json'))
    expect(build && reader.sources(build)).toMatchObject({
      compilerVersion: 'vyper-0.4.3',
      sources: { 'src/Jar.vy': source },
    })
  })

  it('reads again what has changed, and forgets what is gone', async () => {
    const path = await folder()
    const { reader, names } = readerOf([join(path, 'out')])
    await reader.scan()
    expect(names()).toEqual([])
    await cp(join(BUILDS, 'foundry/out'), join(path, 'out'), { recursive: true })
    await reader.scan()
    expect(names()).toEqual(contractsIn('src'))
    const file = join(path, 'out/Vault.sol/Vault.json')
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replaceAll('\\"src/Vault.sol\\":\\"Vault\\"', '\\"src/Vault.sol\\":\\"Safe\\"'))
    await rm(join(path, 'out/Vault.sol/Purse.json'))
    await reader.scan()
    expect(names()).toEqual(['src/Vault.sol:Safe', 'src/Vault.sol:Sums'])
    await rm(join(path, 'out'), { recursive: true })
    await reader.scan()
    expect(names()).toEqual([])
  })

  it('warns of a broken file once, when nobody writes it any more', async () => {
    const path = await folder()
    const { reader, names, warnings } = readerOf([path])
    const file = join(path, 'Vault.json')
    const text = await readFile(join(BUILDS, 'foundry/out/Vault.sol/Vault.json'), 'utf8')
    await writeFile(file, text.slice(0, 1_000))
    await reader.scan()
    await writeFile(file, text)
    await reader.scan()
    expect([names(), warnings]).toEqual([['src/Vault.sol:Vault'], []])

    await writeFile(file, '{ "abi": [')
    await reader.scan()
    // What was read before stays, in case that somebody writes it.
    expect([names(), warnings]).toEqual([['src/Vault.sol:Vault'], []])
    await vi.waitUntil(
      async () => {
        await reader.scan()
        return warnings.length > 0
      },
      { timeout: 30_000, interval: 200 },
    )
    await reader.scan()
    expect([names(), warnings]).toEqual([[], [`${file}: not JSON`]])
    await writeFile(file, text)
    await reader.scan()
    expect([names(), warnings]).toEqual([['src/Vault.sol:Vault'], [`${file}: not JSON`]])
  })

  it('warns of what is no contract, and reads the others of the file', async () => {
    const path = await folder()
    const code = { object: '600100' }
    const contract = { abi: [], evm: { bytecode: code, deployedBytecode: code } }
    const contracts = {
      'a.sol': {
        Good: contract,
        'Bad\u001b[2J': contract,
        Odd: { ...contract, abi: [{ type: 'function', name: 'x\nINFO: y', inputs: [] }] },
      },
    }
    const file = join(path, 'all.json')
    await writeFile(file, JSON.stringify({ contracts }))
    await writeFile(join(path, 'package.json'), '{"name":"no build"}')
    await writeFile(join(path, 'list.json'), '[1,2]')
    const { reader, names, warnings } = readerOf([path])
    await reader.scan()
    await reader.scan()
    expect(names()).toEqual(['a.sol:Good'])
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain(`${file}: `)
  })

  it('leaves out what is too large, the older ones first', async () => {
    const path = await folder()
    await cp(join(BUILDS, 'foundry/out/Vault.sol'), path, { recursive: true })
    const now = Date.now() / 1_000
    for (const [i, name] of ['Vault', 'Purse', 'Sums'].entries()) await utimes(join(path, `${name}.json`), now, now - i)
    const small = readerOf([path], { fileSize: 7_000 })
    await small.reader.scan()
    await small.reader.scan()
    expect(small.names()).toEqual(['src/Vault.sol:Sums'])
    expect(small.warnings).toEqual([
      expect.stringContaining('Vault.json: larger'),
      expect.stringContaining('Purse.json: larger'),
    ])
    const whole = readerOf([path])
    await whole.reader.scan()
    const sizes = whole
      .contracts()
      .map(({ name, abi, creation }) => [name, abi.length + creation.bytes.length] as const)
    const sizeOf = new Map(sizes)
    const memory = (sizeOf.get('Vault') ?? 0) + (sizeOf.get('Purse') ?? 0)
    const full = readerOf([path], { memory })
    await full.reader.scan()
    await full.reader.scan()
    expect(full.names()).toEqual(['src/Vault.sol:Purse', 'src/Vault.sol:Vault'])
    expect(full.warnings).toHaveLength(1)
  })

  it('does not follow links to folders, and reads no packages', async () => {
    const path = await folder()
    await cp(join(BUILDS, 'foundry/out'), join(path, 'out'), { recursive: true })
    await symlink(path, join(path, 'out/loop'))
    await symlink(join(path, 'nowhere'), join(path, 'out/broken.json'))
    await mkdir(join(path, 'node_modules'))
    await cp(join(BUILDS, 'foundry/out'), join(path, 'node_modules/out'), { recursive: true })
    const { reader, names, warnings } = readerOf([path])
    await reader.scan()
    expect([names(), warnings]).toEqual([contractsIn('src'), []])
  })

  it('keeps the newest of the builds that are added at run time', async () => {
    const { input, output } = await readJson('foundry-full/out/build-info/8de17d819c530860.json')
    const { reader, names, sourcesOf } = readerOf([], { added: 2 })
    expect(reader.add({ solcVersion: '0.8.37', input: {}, output: {} })).toBe(false)
    const renamed = (name: string) => ({ 'src/Vault.sol': { [name]: output.contracts['src/Vault.sol'].Purse } })
    for (const name of ['One', 'Two', 'Three'])
      expect(reader.add({ solcVersion: '0.8.37', input, output: { ...output, contracts: renamed(name) } })).toBe(true)
    expect(names()).toEqual(['src/Vault.sol:Three', 'src/Vault.sol:Two'])
    expect(sourcesOf('Three')).toMatchObject({
      compilerVersion: '0.8.37',
      sources: { 'src/Vault.sol': await textOfVault() },
    })
  })
})

describe('the sources of an artifact', () => {
  it.each([
    ['Foundry', 'foundry/out', 'src/Vault.sol'],
    ["Foundry's build-info", 'foundry-full/out', 'src/Vault.sol'],
    ['Hardhat 2', 'hardhat-2/artifacts', 'contracts/Vault.sol'],
    ['Hardhat 3', 'hardhat-3/artifacts', 'contracts/Vault.sol'],
  ])('are read with their maps: %s', async (_, build, path) => {
    const { reader, sourcesOf } = readerOf([join(BUILDS, build)])
    await reader.scan()
    const sources = sourcesOf('Vault')
    expect(sources).toMatchObject({
      compilerVersion: '0.8.37+commit.f401782d',
      sources: { [path]: await textOfVault() },
      sourceIds: { 0: path },
    })
    // `contract Vault` begins at character 642 and has 181.
    expect(sources?.runtime.sourceMap).toMatch(/^642:181:0/)
    expect(sources?.creation.sourceMap).toMatch(/^642:181:0/)
  })

  it('have generated Yul where the compiler tells of it', async () => {
    const { reader, sourcesOf } = readerOf([join(BUILDS, 'hardhat-2/artifacts')])
    await reader.scan()
    expect(sourcesOf('Vault')?.runtime.generatedSources[1]).toMatchObject({ name: '#utility.yul' })
  })

  it('are not those of a file that has changed since, and none of another folder', async () => {
    const path = await folder()
    await cp(join(BUILDS, 'foundry'), path, { recursive: true })
    const { reader, sourcesOf } = readerOf([join(path, 'out')])
    await reader.scan()
    await writeFile(join(path, 'src/Vault.sol'), '// changed')
    expect(sourcesOf('Vault')?.sources).toEqual({})
    await writeFile(join(path, 'out/Vault.sol/Vault.json'), '{}')
    expect(sourcesOf('Vault')).toBeUndefined()
  })
})
