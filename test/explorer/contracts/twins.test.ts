// Unverified contracts with the code of a verified one: deployed again, or by a factory.
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compile, standardInput, verifyingExplorer } from './support.ts'

let explorer: Awaited<ReturnType<typeof verifyingExplorer>>
beforeAll(async () => {
  explorer = await verifyingExplorer()
}, 60_000)
afterAll(() => explorer.close())

const PATH = 'src/Cup.sol'
const source = (comment: string) => `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
// ${comment}
library Sizes { function twice(uint256 a) external pure returns (uint256) { return 2 * a; } }
contract Cup {
  uint256 public immutable size;
  event Filled(uint256 spoons);
  constructor(uint256 size_) { size = size_; }
  function fillCompletely(uint256 spoons) external { emit Filled(spoons); }
}
contract Bowl {
  uint256 public immutable size;
  constructor(uint256 size_) { size = size_; }
  function fillCompletely(uint256 spoons) external { }
}`
const input = standardInput({ [PATH]: source('A cup.') })
const commented = standardInput({ [PATH]: source('Another cup.') })
const passed = { status: '1', message: 'OK', result: 'Pass - Verified' }
const cup = (size: bigint, of = input) => explorer.deploy(compile(of)(`${PATH}:Cup`), [size])

// Each test runs a compiler several times.
describe('a contract with the code of a verified one', { timeout: 120_000 }, () => {
  it('is shown with its sources and its name, but is not verified', async () => {
    const first = await cup(1n)
    const second = await cup(1n)
    expect(await explorer.contract(second.address)).toMatchObject({ verified_twin_address_hash: null, abi: null })
    expect(await explorer.verify(first.address, input, `${PATH}:Cup`)).toEqual(passed)
    expect(await explorer.contract(second.address)).toMatchObject({
      is_verified: false,
      is_fully_verified: false,
      is_partially_verified: false,
      verified_twin_address_hash: first.address,
      name: 'Cup',
      file_path: PATH,
      source_code: source('A cup.'),
      abi: compile(input)(`${PATH}:Cup`).abi,
      constructor_args: null,
    })
    expect(await explorer.contract(first.address)).toMatchObject({
      is_verified: true,
      verified_twin_address_hash: null,
    })
    const shown = await explorer.json(`/api/v2/addresses/${second.address}`)
    expect(shown).toMatchObject({ name: 'Cup', is_verified: false })
  })

  it('may have different immutables and comments', async () => {
    const verified = await cup(10n)
    expect(await explorer.verify(verified.address, input, `${PATH}:Cup`)).toEqual(passed)
    const larger = await cup(2n ** 255n)
    const other = await cup(20n, commented)
    const codes = await Promise.all(
      [verified, larger, other].map(({ address }) => explorer.rpc('eth_getCode', address, 'latest')),
    )
    expect(new Set(codes).size).toBe(3)
    for (const { address } of [larger, other]) {
      expect(await explorer.contract(address)).toMatchObject({ is_verified: false, name: 'Cup' })
    }
  })

  it('has its calls and logs decoded', async () => {
    const { address } = await cup(3n)
    const abi = parseAbi(['function fillCompletely(uint256 spoons)'])
    const data = encodeFunctionData({ abi, args: [5n] })
    const hash = (await explorer.walletOf(0).sendTransaction({ to: address, data })) as Hex
    await explorer.viem.waitForTransactionReceipt({ hash })
    expect(await explorer.json(`/api/v2/transactions/${hash}`)).toMatchObject({
      method: 'fillCompletely',
      decoded_input: { method_call: 'fillCompletely(uint256 spoons)', parameters: [{ name: 'spoons', value: '5' }] },
    })
    const { items } = await explorer.json(`/api/v2/transactions/${hash}/logs`)
    expect(items[0].decoded).toMatchObject({ method_call: 'Filled(uint256 spoons)' })
  })

  it('can be verified itself, and is then no longer a twin', async () => {
    const { address } = await cup(4n)
    // Tools skip contracts with an ABI or sources here, and could never verify it.
    expect(await explorer.etherscan({ module: 'contract', action: 'getabi', address })).toMatchObject({ status: '0' })
    const { result } = await explorer.etherscan({ module: 'contract', action: 'getsourcecode', address })
    expect(result[0]).toMatchObject({ SourceCode: '', SimilarMatch: expect.stringMatching(/^0x[0-9a-f]{40}$/) })
    expect(await explorer.verify(address, input, `${PATH}:Cup`)).toEqual(passed)
    expect(await explorer.contract(address)).toMatchObject({ is_verified: true, verified_twin_address_hash: null })
  })

  it('is not a twin if any other bytes differ', async () => {
    const { address } = await explorer.deploy(compile(input)(`${PATH}:Bowl`), [1n])
    const code = (await explorer.rpc('eth_getCode', (await cup(5n)).address, 'latest')) as Hex
    const planted = `0x${'cd'.repeat(20)}` as const
    // PUSH1 0x80: the initial free memory pointer.
    expect(code).toMatch(/^0x6080/)
    await explorer.rpc('anvil_setCode', planted, code.replace('0x6080', '0x60a0'))
    for (const other of [address, planted]) {
      expect(await explorer.contract(other)).toMatchObject({ verified_twin_address_hash: null, abi: null })
    }
  })

  it('may be a library, whose code contains its address', async () => {
    const artifact = compile(input)(`${PATH}:Sizes`)
    const first = await explorer.deploy(artifact)
    const second = await explorer.deploy(artifact)
    expect(await explorer.verify(first.address, input, `${PATH}:Sizes`)).toEqual(passed)
    expect(await explorer.contract(second.address)).toMatchObject({ verified_twin_address_hash: first.address })
    const planted = `0x${'ce'.repeat(20)}` as const
    await explorer.rpc('anvil_setCode', planted, await explorer.rpc('eth_getCode', second.address, 'latest'))
    expect(await explorer.contract(planted)).toMatchObject({ verified_twin_address_hash: null })
  })

  it('is a twin only while the verified contract exists', async () => {
    const odd = standardInput({ [PATH]: `${source('Odd.')}\ncontract Odd { uint256 public odd = 1; }` })
    const artifact = compile(odd)(`${PATH}:Odd`)
    const snapshot = await explorer.rpc('evm_snapshot')
    const first = await explorer.deploy(artifact)
    expect(await explorer.verify(first.address, odd, `${PATH}:Odd`)).toEqual(passed)
    const second = await explorer.deploy(artifact)
    expect(await explorer.contract(second.address)).toMatchObject({ verified_twin_address_hash: first.address })
    const code = await explorer.rpc('eth_getCode', second.address, 'latest')
    await explorer.rpc('evm_revert', snapshot)
    const planted = `0x${'cf'.repeat(20)}` as const
    await explorer.rpc('anvil_setCode', planted, code)
    expect(await explorer.contract(planted)).toMatchObject({ verified_twin_address_hash: null, name: null })
  })
})
