// Verification of contracts that are compiled independently of the node and deployed over JSON-RPC.
import { AbiCoder, id } from 'ethers'
import { encodeFunctionData, type Hex, keccak256, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { VerifiedContracts } from '../../../src/contracts/verified-contracts.ts'
import { hexToAddress } from '../../../src/lib/hex.ts'
import { compile, compilerVersion, type Input, standardInput, verifyingExplorer } from './support.ts'

let explorer: Awaited<ReturnType<typeof verifyingExplorer>>
beforeAll(async () => {
  explorer = await verifyingExplorer()
}, 60_000)
afterAll(() => explorer.close())

const HEAD = '// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\n'
const STORE = `${HEAD}
contract Store {
  uint256 public immutable top;
  address public immutable maker;
  string public name;
  // A comment.
  constructor(uint256 top_, string memory name_) { top = top_; maker = msg.sender; name = name_; }
  error TooMuch(uint256 value, uint256 top);
  function check(uint256 value) external view { if (value > top) revert TooMuch(value, top); }
}`
const passed = { status: '1', message: 'OK', result: 'Pass - Verified' }
const failed = { status: '0', message: 'NOTOK', result: expect.stringMatching(/^Fail - Unable to verify\. /) }

const deployStore = async (input: Input = standardInput({ 'src/Store.sol': STORE })) =>
  explorer.deploy(compile(input)('src/Store.sol:Store'), [7n, 'seven'])

describe('a match of a verification', () => {
  it('is exact for equal sources; immutables and constructor arguments are read from the chain', async () => {
    const input = standardInput({ 'src/Store.sol': STORE }, { evmVersion: 'prague' })
    const { address } = await deployStore(input)
    expect(await explorer.contract(address)).toMatchObject({ is_verified: false, abi: null, name: null })
    expect(await explorer.verify(address, input, 'src/Store.sol:Store', { licenseType: '3' })).toEqual(passed)
    expect(await explorer.contract(address)).toMatchObject({
      is_verified: true,
      is_fully_verified: true,
      is_partially_verified: false,
      name: 'Store',
      language: 'solidity',
      compiler_version: compilerVersion(),
      license_type: 'mit',
      optimization_enabled: true,
      optimization_runs: 200,
      evm_version: 'prague',
      file_path: 'src/Store.sol',
      source_code: STORE,
      additional_sources: [],
      external_libraries: [],
      abi: compile(input)('src/Store.sol:Store').abi,
      constructor_args: new AbiCoder().encode(['uint256', 'string'], [7n, 'seven']),
      decoded_constructor_args: [
        ['7', { name: 'top_', type: 'uint256', internalType: 'uint256' }],
        ['seven', { name: 'name_', type: 'string', internalType: 'string' }],
      ],
    })
    expect(await explorer.verificationResult(address)).toEqual({ status: 'success' })
  })

  it('is partial if only a comment differs, and can be replaced by an exact one, but not by another partial one', async () => {
    const input = standardInput({ 'src/Store.sol': STORE })
    const changed = standardInput({ 'src/Store.sol': STORE.replace('A comment', 'Another comment') })
    const { address } = await deployStore(input)
    expect(await explorer.verify(address, changed, 'Store')).toEqual(passed)
    expect(await explorer.contract(address)).toMatchObject({ is_fully_verified: false, is_partially_verified: true })
    expect((await explorer.verify(address, changed, 'Store')).result).toMatch(/verified already/)
    expect(await explorer.verify(address, input, 'Store')).toEqual(passed)
    expect(await explorer.contract(address)).toMatchObject({ is_fully_verified: true, is_partially_verified: false })
    expect(await explorer.verify(address, input, 'Store')).toEqual({
      status: '0',
      message: 'NOTOK',
      result: 'Contract source code already verified',
    })
  })

  it('is refused for different sources or settings', async () => {
    const input = standardInput({ 'src/Store.sol': STORE })
    const { address } = await deployStore(input)
    const other = standardInput({ 'src/Store.sol': STORE.replace('value > top', 'value >= top') })
    expect(await explorer.verify(address, other, 'Store')).toEqual(failed)
    const unoptimized = { ...input, settings: { optimizer: { enabled: false } } }
    expect(await explorer.verify(address, unoptimized, 'Store')).toEqual(failed)
    expect(await explorer.contract(address)).toMatchObject({ is_verified: false })
  })

  it('is searched among all contracts of the sources if none is named', async () => {
    const input = standardInput({ 'src/Store.sol': `${STORE}\ncontract Other { uint256 public one = 1; }` })
    const { address } = await explorer.deploy(compile(input)('src/Store.sol:Other'))
    expect(await explorer.verify(address, input, '')).toEqual(passed)
    expect(await explorer.contract(address)).toMatchObject({ name: 'Other', is_fully_verified: true })
  })

  it('is partial if a different constructor returned the code', async () => {
    // The same runtime code after a constructor that first writes 1 to slot 0.
    const input = standardInput({ 'a.sol': `${HEAD}contract Plain { uint256 public first; }` })
    const { abi } = compile(input)('a.sol:Plain')
    const { address } = await explorer.deploy(compile(input)('a.sol:Plain'))
    const runtime = (await explorer.rpc('eth_getCode', address, 'latest')) as Hex
    const size = (runtime.length - 2) / 2
    const prefix = `60015f5561${size.toString(16).padStart(4, '0')}80600e5f395ff3`
    const evil = await explorer.deploy({ abi, bytecode: `0x${prefix}${runtime.slice(2)}` })
    expect(await explorer.rpc('eth_getCode', evil.address, 'latest')).toBe(runtime)
    expect(await explorer.verify(evil.address, input, 'Plain')).toEqual(passed)
    expect(await explorer.contract(evil.address)).toMatchObject({
      is_fully_verified: false,
      is_partially_verified: true,
      constructor_args: null,
    })
  })
})

describe('linked libraries', () => {
  const sources = {
    'lib/Sums.sol': `${HEAD}library Sums { function sum(uint256 a, uint256 b) external pure returns (uint256) { return a + b; } }`,
    'src/Adder.sol': `${HEAD}import {Sums} from "../lib/Sums.sol";
contract Adder { function twice(uint256 a) external pure returns (uint256) { return Sums.sum(a, Sums.sum(a, 0)); } }`,
  }

  it('are read from the linked code, and can be verified themselves', async () => {
    const input = standardInput(sources)
    const contracts = compile(input)
    const library = await explorer.deploy(contracts('lib/Sums.sol:Sums'))
    const { abi, bytecode } = contracts('src/Adder.sol:Adder')
    const placeholder = `__$${keccak256(toHex('lib/Sums.sol:Sums')).slice(2, 36)}$__`
    expect(bytecode).toContain(placeholder)
    const linked = bytecode.replaceAll(placeholder, library.address.slice(2).toLowerCase()) as Hex
    const adder = await explorer.deploy({ abi, bytecode: linked })
    expect(await explorer.verify(adder.address, input, 'src/Adder.sol:Adder')).toEqual(passed)
    expect(await explorer.contract(adder.address)).toMatchObject({
      is_fully_verified: true,
      external_libraries: [{ name: 'Sums', address_hash: library.address }],
      additional_sources: [{ file_path: 'lib/Sums.sol', source_code: sources['lib/Sums.sol'] }],
    })
    expect(await explorer.verify(library.address, input, 'lib/Sums.sol:Sums')).toEqual(passed)
    expect(await explorer.contract(library.address)).toMatchObject({ is_fully_verified: true, name: 'Sums' })
  })

  it('can be given by the settings', async () => {
    const library = await explorer.deploy(compile(standardInput(sources))('lib/Sums.sol:Sums'))
    const input = standardInput(sources, { libraries: { 'lib/Sums.sol': { Sums: library.address } } })
    const adder = await explorer.deploy(compile(input)('src/Adder.sol:Adder'))
    expect(await explorer.verify(adder.address, input, 'Adder')).toEqual(passed)
    expect(await explorer.contract(adder.address)).toMatchObject({
      is_fully_verified: true,
      external_libraries: [{ name: 'Sums', address_hash: library.address }],
    })
    const wrong = standardInput(sources, { libraries: { 'lib/Sums.sol': { Sums: `0x${'22'.repeat(20)}` } } })
    const again = await explorer.deploy(compile(input)('src/Adder.sol:Adder'))
    expect(await explorer.verify(again.address, wrong, 'Adder')).toEqual(failed)
  })
})

describe('contracts created by a factory', () => {
  const FACTORY = `${HEAD}
contract Child { uint256 public immutable size; address public owner; constructor(uint256 size_, address owner_) { size = size_; owner = owner_; } }
contract Factory {
  event Made(address child);
  function make(uint256 size, bytes32 salt) external { emit Made(address(new Child{salt: salt}(size, msg.sender))); }
}`
  const input = standardInput({ 'Factory.sol': FACTORY })

  it('are verified with the constructor arguments of the factory', async () => {
    const { abi, bytecode } = compile(input)('Factory.sol:Factory')
    const factory = await explorer.deploy({ abi, bytecode })
    const hash = await explorer.walletOf(0).sendTransaction({
      to: factory.address,
      data: encodeFunctionData({ abi, functionName: 'make', args: [9n, `0x${'05'.repeat(32)}`] }),
    })
    const { logs } = await explorer.viem.waitForTransactionReceipt({ hash })
    const [child] = new AbiCoder().decode(['address'], logs[0]?.data ?? '0x') as unknown as [Hex]
    expect(await explorer.verify(child, input, 'Factory.sol:Child')).toEqual(passed)
    expect(await explorer.contract(child)).toMatchObject({
      is_fully_verified: true,
      constructor_args: new AbiCoder().encode(['uint256', 'address'], [9n, explorer.alice.address]),
    })
    const [creation] = (
      await explorer.etherscan({ module: 'contract', action: 'getcontractcreation', contractaddresses: child })
    ).result
    expect(creation).toMatchObject({
      contractCreator: explorer.alice.address.toLowerCase(),
      contractFactory: factory.address.toLowerCase(),
      txHash: hash,
      creationBytecode: expect.stringContaining(explorer.alice.address.slice(2).toLowerCase()),
    })
  })

  it('have their metadata in the factory’s code, whose match is partial if only their comment differs', async () => {
    const factory = await explorer.deploy(compile(input)('Factory.sol:Factory'))
    const changed = standardInput({ 'Factory.sol': FACTORY.replace('contract Child', '/* new */ contract Child') })
    expect(await explorer.verify(factory.address, changed, 'Factory')).toEqual(passed)
    expect(await explorer.contract(factory.address)).toMatchObject({ is_partially_verified: true })
    expect(await explorer.verify(factory.address, input, 'Factory')).toEqual(passed)
    expect(await explorer.contract(factory.address)).toMatchObject({ is_fully_verified: true })
  })
})

describe('a proxy', () => {
  it('is shown with its implementation, whose ABI decodes its calls', async () => {
    const slot = `0x${(BigInt(id('eip1967.proxy.implementation')) - 1n).toString(16)}`
    const input = standardInput({
      'P.sol': `${HEAD}
contract Logic { uint256 public level; function raise(uint256 steps) external { level += steps; } }
contract Proxy {
  constructor(address logic) { assembly { sstore(${slot}, logic) } }
  fallback() external payable { assembly {
    calldatacopy(0, 0, calldatasize())
    let ok := delegatecall(gas(), sload(${slot}), 0, calldatasize(), 0, 0)
    returndatacopy(0, 0, returndatasize())
    switch ok case 0 { revert(0, returndatasize()) } default { return(0, returndatasize()) }
  } }
}`,
    })
    const contracts = compile(input)
    const logic = await explorer.deploy(contracts('P.sol:Logic'))
    const proxy = await explorer.deploy(contracts('P.sol:Proxy'), [logic.address])
    expect(await explorer.verify(logic.address, input, 'Logic')).toEqual(passed)
    const data = encodeFunctionData({ abi: contracts('P.sol:Logic').abi, functionName: 'raise', args: [3n] })
    const hash = await explorer.walletOf(0).sendTransaction({ to: proxy.address, data })
    await explorer.viem.waitForTransactionReceipt({ hash })
    const transaction = await explorer.json(`/api/v2/transactions/${hash}`)
    expect(transaction).toMatchObject({ method: 'raise', decoded_input: { method_call: 'raise(uint256 steps)' } })
    expect(await explorer.contract(proxy.address)).toMatchObject({
      proxy_type: 'eip1967',
      is_verified: false,
      implementations: [{ address_hash: logic.address, name: 'Logic' }],
    })
    const ask = { module: 'contract', address: proxy.address }
    const [source] = (await explorer.etherscan({ ...ask, action: 'getsourcecode' })).result
    expect(source).toMatchObject({ Proxy: '1', Implementation: logic.address.toLowerCase(), SourceCode: '' })
    const { result: guid } = await explorer.post({ ...ask, action: 'verifyproxycontract' })
    const checked = await explorer.etherscan({ module: 'contract', action: 'checkproxyverification', guid })
    expect(checked.result).toContain(logic.address.toLowerCase())
  })
})

describe('a verified contract', () => {
  it('stays verified while its code is the same, also after a restart', async () => {
    const input = standardInput({ 'a.sol': `${HEAD}contract Kept { uint256 public kept; }` })
    const { address } = await explorer.deploy(compile(input)('a.sol:Kept'))
    const code = await explorer.rpc('eth_getCode', address, 'latest')
    // Code that was set by a development method has no creation to compare.
    const planted = `0x${'ab'.repeat(20)}` as const
    await explorer.rpc('anvil_setCode', planted, code)
    expect(await explorer.verify(planted, input, 'Kept')).toEqual(passed)
    const shown = await explorer.contract(planted)
    expect(shown).toMatchObject({ is_fully_verified: true, creation_bytecode: null, constructor_args: null })

    const { chain } = explorer.node
    const reopened = await VerifiedContracts.load(chain.store)
    const { view } = await chain.at('latest')
    expect(reopened.get(view, hexToAddress(planted))).toMatchObject({ name: 'Kept', match: 'exact' })
    expect(reopened.all(view).length).toBe(explorer.verification.contracts.all(view).length)

    await explorer.rpc('anvil_setCode', planted, '0x00')
    expect(await explorer.contract(planted)).toMatchObject({ is_verified: false, name: null })
    await explorer.rpc('anvil_setCode', planted, code)
    expect(await explorer.contract(planted)).toMatchObject({ is_verified: true, name: 'Kept' })
  })

  it('is listed and counted', async () => {
    const input = standardInput({ 'a.sol': `${HEAD}contract Zebra { constructor(uint256) {} }` })
    const { address } = await explorer.deploy(compile(input)('a.sol:Zebra'), [1n])
    await explorer.verify(address, input, 'Zebra')
    const { items, total_count } = await explorer.json('/api/v2/smart-contracts')
    expect(items[0]).toMatchObject({
      name: 'Zebra',
      language: 'solidity',
      has_constructor_args: true,
      transactions_count: 1,
      certified: false,
      address: { hash: address, is_verified: true, name: 'Zebra' },
      coin_balance: '0',
    })
    const counters = await explorer.json('/api/v2/smart-contracts/counters')
    expect(counters).toMatchObject({ verified_smart_contracts: String(total_count) })
    expect(Number(counters.smart_contracts)).toBeGreaterThan(total_count)
    for (const query of [`q=${address}`, 'q=zeb', 'q=zebra&filter=solidity&sort=balance&order=asc']) {
      const found = await explorer.json(`/api/v2/smart-contracts?${query}`)
      expect(
        found.items.map((item: { name: string }) => item.name),
        query,
      ).toEqual(['Zebra'])
    }
    expect((await explorer.json('/api/v2/smart-contracts?filter=vyper')).items).toEqual([])
    expect((await explorer.json('/api/v2/smart-contracts?q=zebra&page=2')).items).toEqual([])
    expect(await explorer.json(`/api/v2/smart-contracts/${address}/audit-reports`)).toEqual({
      items: [],
      next_page_params: null,
    })
  })
})

describe("the explorer's form", () => {
  const via = async (address: string, way: string, body: FormData | object) => {
    const isForm = body instanceof FormData
    const response = await fetch(`${explorer.explorerUrl}/api/v2/smart-contracts/${address}/verification/via/${way}`, {
      method: 'POST',
      ...(isForm ? { body } : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as { message: string } }
  }
  const started = { status: 200, body: { message: 'Smart-contract verification started' } }
  const text = (content: string) => new Blob([content], { type: 'text/plain' })

  it('lists the installed compilers and options', async () => {
    expect(await explorer.json('/api/v2/smart-contracts/verification/config')).toMatchObject({
      solidity_compiler_versions: [compilerVersion()],
      solidity_evm_versions: expect.arrayContaining(['default', 'osaka', 'homestead']),
      verification_options: ['flattened-code', 'standard-input', 'multi-part', 'sourcify'],
      license_types: { none: 1, mit: 3, bsl_1_1: 14 },
    })
  })

  it('accepts a single source as JSON', async () => {
    const { address } = await deployStore(standardInput({ 'src/Store.sol': STORE }))
    const form = {
      compiler_version: compilerVersion(),
      source_code: STORE,
      is_optimization_enabled: true,
      is_yul_contract: false,
      optimization_runs: '200',
      evm_version: 'default',
      license_type: 'mit',
      autodetect_constructor_args: true,
      constructor_args: '',
    }
    expect(await via(address, 'flattened-code', form)).toEqual(started)
    expect(await explorer.verificationResult(address)).toEqual({ status: 'success' })
    // The path of the source is part of the metadata.
    expect(await explorer.contract(address)).toMatchObject({ name: 'Store', is_partially_verified: true })
  })

  it('accepts the standard input as a file', async () => {
    const input = standardInput({ 'src/Store.sol': STORE })
    const { address } = await deployStore(input)
    const form = new FormData()
    for (const [name, value] of Object.entries({
      compiler_version: compilerVersion(),
      license_type: 'gnu_gpl_v3',
      contract_name: '',
      autodetect_constructor_args: 'false',
      constructor_args: '',
    })) {
      form.set(name, value)
    }
    form.set('files[0]', text(JSON.stringify(input)), 'input.json')
    expect(await via(address, 'standard-input', form)).toEqual(started)
    expect(await explorer.verificationResult(address)).toEqual({ status: 'success' })
    expect(await explorer.contract(address)).toMatchObject({ is_fully_verified: true, license_type: 'gnu_gpl_v3' })
    expect(await via(address, 'standard-input', form)).toEqual({ status: 422, body: { message: 'Already verified' } })
  })

  it('accepts several files, with the folders in their names', async () => {
    const sources = {
      'src/Box.sol': `${HEAD}import "./parts/Lid.sol"; contract Box is Lid { function open() external { lid = 2; } }`,
      'src/parts/Lid.sol': `${HEAD}contract Lid { uint256 public lid; }`,
    }
    const input = standardInput(sources)
    const { address } = await explorer.deploy(compile(input)('src/Box.sol:Box'))
    const form = new FormData()
    form.set('compiler_version', compilerVersion())
    form.set('evm_version', 'default')
    form.set('license_type', 'none')
    form.set('is_optimization_enabled', 'true')
    form.set('optimization_runs', '200')
    for (const [i, [path, content]] of Object.entries(sources).entries()) form.set(`files[${i}]`, text(content), path)
    expect(await via(address, 'multi-part', form)).toEqual(started)
    expect(await explorer.verificationResult(address)).toEqual({ status: 'success' })
    expect(await explorer.contract(address)).toMatchObject({ name: 'Box', is_fully_verified: true })
  })

  it('accepts Yul', async () => {
    const yul =
      'object "Five" { code { datacopy(0, dataoffset("run"), datasize("run")) return(0, datasize("run")) } object "run" { code { mstore(0, 5) return(0, 32) } } }'
    const input = { ...standardInput({ 'contract.yul': yul }), language: 'Yul' }
    const { address } = await explorer.deploy(compile(input)('contract.yul:Five'))
    const form = {
      compiler_version: compilerVersion(),
      source_code: yul,
      is_yul_contract: true,
      is_optimization_enabled: true,
    }
    expect(await via(address, 'flattened-code', form)).toEqual(started)
    expect(await explorer.verificationResult(address)).toEqual({ status: 'success' })
    // Yul has no metadata that could prove equal sources.
    expect(await explorer.contract(address)).toMatchObject({ name: 'Five', language: 'yul', is_fully_verified: false })
  })

  it('returns errors for invalid submissions', async () => {
    const { address } = await deployStore()
    const form = { compiler_version: compilerVersion(), source_code: STORE }
    expect((await via(`0x${'99'.repeat(20)}`, 'flattened-code', form)).status).toBe(404)
    expect((await via('0x99', 'flattened-code', form)).status).toBe(422)
    expect((await via(address, 'flattened-code', { source_code: STORE })).status).toBe(422)
    expect((await via(address, 'multi-part', { compiler_version: compilerVersion() })).status).toBe(422)
    const unknown = await via(address, 'flattened-code', { ...form, compiler_version: 'v0.4.11+commit.68ef5810' })
    expect(unknown).toMatchObject({ status: 422, body: { message: expect.stringContaining('is not installed here') } })
    expect(await via(address, 'unknown-way', form)).toMatchObject({ status: 400 })

    expect(await via(address, 'flattened-code', { ...form, source_code: 'contract {' })).toEqual(started)
    expect(await explorer.verificationResult(address)).toEqual({
      status: 'error',
      errors: { files: [expect.stringContaining('ParserError')] },
    })
    expect(await via(address, 'flattened-code', { ...form, contract_name: 'Nothing' })).toEqual(started)
    expect(await explorer.verificationResult(address)).toEqual({
      status: 'error',
      errors: { name: [expect.stringContaining('Store')] },
    })
    expect(await via(address, 'flattened-code', form)).toEqual(started)
    expect(await explorer.verificationResult(address)).toEqual({
      status: 'error',
      errors: { files: [expect.stringContaining('is not the code at')] },
    })
  })
})

describe('the queue of verifications', () => {
  it('merges equal submissions, and refuses a client that has too many', async () => {
    const own = await verifyingExplorer()
    const input = standardInput({ 'a.sol': `${HEAD}contract Plain { uint256 public first; }` })
    const { address } = await own.deploy(compile(input)('a.sol:Plain'))
    const begin = (contractname: string) =>
      own.post({
        module: 'contract',
        action: 'verifysourcecode',
        contractaddress: address,
        contractname,
        codeformat: 'solidity-standard-json-input',
        sourceCode: JSON.stringify(input),
        compilerversion: compilerVersion(),
      })
    const guids = []
    // One is running and eight are queued.
    for (let i = 0; i < 9; i++) guids.push((await begin(`Name${i}`)).result)
    expect(new Set(guids).size).toBe(9)
    expect((await begin('Name8')).result).toBe(guids[8])
    const busy = 'too much is waiting already; try again later'
    expect(await begin('Name9')).toEqual({ status: '0', message: 'NOTOK', result: busy })
    const path = `${own.explorerUrl}/api/v2/smart-contracts/${address}/verification/via/flattened-code`
    const form = new URLSearchParams({ compiler_version: compilerVersion(), source_code: 'contract A {}' })
    const refused = await fetch(path, { method: 'POST', body: form })
    expect([refused.status, await refused.json()]).toEqual([429, { message: busy }])
    await own.close()
  })
})
