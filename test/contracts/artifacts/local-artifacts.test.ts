// A node with builds of the developer (`--artifacts`): what its contracts are called on a chain, and in the explorer.
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Abi, encodeDeployData, encodeFunctionData, getAddress, type Hex, toHex } from 'viem'
import { expect, it, onTestFinished, vi } from 'vitest'
import { LocalArtifacts } from '../../../src/contracts/artifacts/local-artifacts.ts'
import { fromHex, hexToAddress } from '../../../src/lib/hex.ts'
import { createLogger } from '../../../src/lib/log.ts'
import { type RunningNode, startNode } from '../../../src/library.ts'
import { api } from '../../explorer/support.ts'
import { testChain } from '../../support/chain.ts'
import { temporaryFolder } from '../../support/process.ts'

const BUILDS = join(import.meta.dirname, 'builds')
const VYPER = join(import.meta.dirname, '../../explorer/contracts/jar-vyper-0.4.3.json')
const silent = createLogger({ level: 'silent', json: false })

type Compiled = { readonly abi: Abi; readonly bytecode: { readonly object: Hex } }
const compiled = async (name: string): Promise<Compiled> =>
  JSON.parse(await readFile(join(BUILDS, `foundry/out/Vault.sol/${name}.json`), 'utf8'))

/** A copy of a project of Foundry; its `out` is left out on request. */
async function project({ isBuilt = true } = {}): Promise<string> {
  const { path, remove } = await temporaryFolder()
  onTestFinished(remove)
  await cp(join(BUILDS, 'foundry'), path, { recursive: true })
  if (!isBuilt) await rm(join(path, 'out'), { recursive: true })
  return path
}

/** A node that reads builds, and the name that its explorer has for an address. */
async function nodeWith(artifacts: readonly string[]) {
  const node = await startNode({ artifacts })
  onTestFinished(() => node.stop())
  const { read } = api(node.url)
  const nameOf = async (address: string): Promise<string | null> => (await read(`/addresses/${address}`)).name
  return { node, read, nameOf }
}

async function send(node: RunningNode, transaction: { to?: string; data: Hex }) {
  const [from] = node.accounts
  const request = { from: from?.address, gas: '0xf4240', ...transaction }
  const hash = await node.request<Hex>('eth_sendTransaction', [request])
  return node.request<{ transactionHash: Hex; contractAddress: Hex; status: Hex }>('eth_getTransactionReceipt', [hash])
}

const deploy = async (node: RunningNode, data: Hex) => (await send(node, { data })).contractAddress

/** `Vault` with the address of its library in it: Foundry's placeholder is `__$`, 34 digits of a hash, `$__`. */
const linked = (code: Hex, library: string): Hex =>
  code.replace(/__\$[0-9a-f]{34}\$__/g, library.slice(2).toLowerCase()) as Hex

/** Code with another hash of the sources in its metadata: the digits behind `ipfs` and the two bytes of a multihash. */
const recommented = (code: Hex): Hex =>
  code.replace(/(64697066735822)1220[0-9a-f]{64}/g, `$11220${'ab'.repeat(32)}`) as Hex

it('a node knows the contracts of a build: libraries, immutables, other metadata, proxies', async () => {
  const { node, read, nameOf } = await nodeWith([join(await project(), 'out')])
  const [purse, sums, vault] = await Promise.all(['Purse', 'Sums', 'Vault'].map(compiled))
  if (purse === undefined || sums === undefined || vault === undefined) throw new Error('a contract is missing')
  const library = await deploy(node, sums.bytecode.object)
  await vi.waitUntil(() => nameOf(library), { timeout: 30_000 })
  expect(await nameOf(library)).toBe('Sums')

  const vaultAt = await deploy(node, linked(vault.bytecode.object, library))
  expect(await nameOf(vaultAt)).toBe('Vault')
  const abi = vault.abi
  const put = await send(node, { to: vaultAt, data: encodeFunctionData({ abi, functionName: 'put', args: [77n] }) })
  expect(await read(`/transactions/${put.transactionHash}`)).toMatchObject({
    status: 'ok',
    method: 'put',
    to: { name: 'Vault' },
    decoded_input: { method_call: 'put(uint256 amount)', parameters: [{ name: 'amount', value: '77' }] },
  })
  expect((await read(`/transactions/${put.transactionHash}/logs`)).items).toMatchObject([
    { decoded: { method_call: 'Put(address indexed from, uint256 amount)' } },
  ])
  const take = await send(node, { to: vaultAt, data: encodeFunctionData({ abi, functionName: 'take', args: [78n] }) })
  expect(await read(`/transactions/${take.transactionHash}`)).toMatchObject({
    status: 'error',
    revert_reason: {
      method_call: 'NotEnough(address who, uint256 has, uint256 wants)',
      parameters: [{ value: node.accounts[0]?.address }, { value: '77' }, { value: '78' }],
    },
  })
  const [from] = node.accounts
  const call = {
    from: from?.address,
    to: vaultAt,
    data: encodeFunctionData({ abi, functionName: 'take', args: [78n] }),
  }
  await expect(node.request('eth_call', [call, 'latest'])).rejects.toThrow(
    `execution reverted: NotEnough(who: ${from?.address}, has: 77, wants: 78)`,
  )
  const { data } = await read(`/transactions/${take.transactionHash}/summary`)
  expect(data.summaries[0].summary_template_variables).toMatchObject({
    string_0: { value: 'Vault.take(amount: 78)' },
    string_2: { value: `NotEnough(who: ${from?.address}, has: 77, wants: 78)` },
  })

  const creation = encodeDeployData({ abi: purse.abi, bytecode: purse.bytecode.object, args: [9n] })
  expect(await nameOf(await deploy(node, creation))).toBe('Purse')
  const otherComments = recommented(creation)
  expect(otherComments).not.toBe(creation)
  expect(await nameOf(await deploy(node, otherComments))).toBe('Purse')
  // The last byte before the metadata is INVALID; another opcode is another contract.
  expect(await nameOf(await deploy(node, creation.replace(/fe(a264697066735822)/, '00$1') as Hex))).toBeNull()

  // EIP-1167: a contract that delegates to the address in its code.
  const clone = await deploy(
    node,
    `0x3d602d80600a3d3981f3363d3d373d3d3d363d73${vaultAt.slice(2)}5af43d82803e903d91602b57fd5bf3`,
  )
  const through = await send(node, { to: clone, data: encodeFunctionData({ abi, functionName: 'put', args: [1n] }) })
  expect(await read(`/transactions/${through.transactionHash}`)).toMatchObject({
    to: { implementations: [{ name: 'Vault' }] },
    decoded_input: { method_call: 'put(uint256 amount)' },
  })
})

it('the explorer says that a contract is of local artifacts, with interface, arguments and sources', async () => {
  const path = await project()
  const { node, read, nameOf } = await nodeWith([join(path, 'out')])
  const { abi, bytecode } = await compiled('Purse')
  const address = await deploy(node, encodeDeployData({ abi, bytecode: bytecode.object, args: [9n] }))
  await vi.waitUntil(() => nameOf(address), { timeout: 30_000 })
  expect(await read(`/smart-contracts/${address}`)).toMatchObject({
    from_local_artifacts: true,
    is_verified: false,
    is_fully_verified: false,
    is_partially_verified: false,
    name: 'Purse',
    language: 'solidity',
    compiler_version: 'v0.8.37+commit.f401782d',
    compiler_settings: { optimizer: { enabled: true, runs: 200 } },
    file_path: 'src/Vault.sol',
    source_code: await readFile(join(path, 'src/Vault.sol'), 'utf8'),
    decoded_constructor_args: [['9', { name: 'least_', type: 'uint256' }]],
  })
  expect(await read(`/addresses/${address}`)).toMatchObject({ is_verified: false, name: 'Purse' })
})

it('a build that is made, changed or removed while the node runs is known at once', async () => {
  const path = await project({ isBuilt: false })
  const out = join(path, 'out')
  const { node, nameOf } = await nodeWith([out])
  const { bytecode } = await compiled('Sums')
  const address = await deploy(node, bytecode.object)
  expect(await nameOf(address)).toBeNull()
  const becomes = (name: string | null) =>
    vi.waitUntil(async () => (await nameOf(address)) === name, { timeout: 30_000 })

  await cp(join(BUILDS, 'foundry/out'), out, { recursive: true })
  await becomes('Sums')
  const file = join(out, 'Vault.sol/Sums.json')
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replaceAll('\\"src/Vault.sol\\":\\"Sums\\"', '\\"src/Vault.sol\\":\\"Adding\\"'))
  await becomes('Adding')
  await rm(out, { recursive: true })
  await becomes(null)
  expect(await nameOf(address)).toBeNull()
})

it('hardhat_addCompilationResult adds a build, without --artifacts', async () => {
  const { node, nameOf } = await nodeWith([])
  const file = join(BUILDS, 'hardhat-2/artifacts/build-info/a4a8841545ed3f46689c60fe88ee23ac.json')
  const { solcVersion, input, output } = JSON.parse(await readFile(file, 'utf8'))
  const { Sums } = output.contracts['contracts/Vault.sol']
  const address = await deploy(node, `0x${Sums.evm.bytecode.object}`)
  expect(await nameOf(address)).toBeNull()
  expect(await node.request('hardhat_addCompilationResult', [solcVersion, input, {}])).toBe(false)
  expect(await node.request('hardhat_addCompilationResult', [solcVersion, input, output])).toBe(true)
  expect(await nameOf(address)).toBe('Sums')
})

it('a contract of Vyper has its calls decoded, with immutables behind its code', async () => {
  const { path, remove } = await temporaryFolder()
  onTestFinished(remove)
  const { output } = JSON.parse(await readFile(VYPER, 'utf8'))
  await writeFile(join(path, 'jar.json'), JSON.stringify(output))
  const { node, read, nameOf } = await nodeWith([join(path, 'jar.json')])
  const { abi, evm } = output.contracts['src/Jar.vy'].Jar
  const jar = await deploy(node, encodeDeployData({ abi, bytecode: evm.bytecode.object, args: [5n] }))
  await vi.waitUntil(() => nameOf(jar), { timeout: 30_000 })
  const data = encodeFunctionData({ abi, functionName: 'fillJar', args: [3n] })
  const { transactionHash } = await send(node, { to: jar, data })
  expect(await read(`/transactions/${transactionHash}`)).toMatchObject({
    to: { name: 'Jar' },
    decoded_input: { method_call: 'fillJar(uint256 spoons)' },
  })
})

it('lookups find a contract by its code and by what creates it', async () => {
  const { node, walletOf, viem } = await testChain()
  const [purse, sums, vault] = await Promise.all(['Purse', 'Sums', 'Vault'].map(compiled))
  if (purse === undefined || sums === undefined || vault === undefined) throw new Error('a contract is missing')
  const path = await project()
  const artifacts = new LocalArtifacts([join(path, 'out')], silent)
  onTestFinished(() => artifacts.close())
  const creation = fromHex(encodeDeployData({ abi: purse.abi, bytecode: purse.bytecode.object, args: [9n] }))
  // Declarations come when all files of a scan have been read.
  await vi.waitUntil(() => artifacts.abi.length > 0, { timeout: 30_000 })
  const found = artifacts.created(creation)
  if (found === undefined) throw new Error('the contract was not found')
  expect(found).toMatchObject({ name: 'Purse', path: 'src/Vault.sol', creationSize: creation.length - 32 })
  const other = getAddress(toHex(1n, { size: 20 }))
  expect(artifacts.created(fromHex(linked(vault.bytecode.object, other)))?.name).toBe('Vault')
  expect(artifacts.created(creation.subarray(0, -64))).toBeUndefined()
  expect(artifacts.created(new Uint8Array())).toBeUndefined()
  // The names of the build, in any order: `add`, `put` and the others are functions.
  const names = artifacts.abi.map((item) => ('name' in item ? item.name : item.type))
  expect(names.sort()).toEqual(['NotEnough', 'Put', 'add', 'held', 'least', 'put', 'take'])

  const hash = await walletOf(0).deployContract({ abi: sums.abi, bytecode: sums.bytecode.object })
  const { contractAddress } = await viem.waitForTransactionReceipt({ hash })
  const { view } = await node.chain.at('latest')
  const at = hexToAddress(contractAddress ?? '0x')
  expect(artifacts.get(view, at)?.name).toBe('Sums')
  expect(artifacts.get(view, hexToAddress(walletOf(0).account.address))).toBeUndefined()
  const sources = await artifacts.details(found)
  expect(sources?.sources).toEqual({ 'src/Vault.sol': await readFile(join(path, 'src/Vault.sol'), 'utf8') })
})
