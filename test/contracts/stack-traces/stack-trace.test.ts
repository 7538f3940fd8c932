// Stack traces of failures in `scenario.sol`, whose lines and columns the expected values name, through the compiler's two
// pipelines with and without optimizer.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeAbiParameters, encodeFunctionData, type Hex, parseAbi, parseAbiParameters } from 'viem'
import { describe, expect, it } from 'vitest'
import { stackOfTransaction } from '../../../src/contracts/transaction-stack.ts'
import { hexToHash } from '../../../src/lib/hex.ts'
import { testChain } from '../../support/chain.ts'
import { localBuild } from '../../support/local-build.ts'
import { compile } from '../../support/solc.ts'

const path = 'contracts/Vault.sol'
const content = readFileSync(join(import.meta.dirname, 'scenario.sol'), 'utf8')
const abi = parseAbi([
  'function put(uint256) payable',
  'function take(uint256)',
  'function guarded()',
  'function shared(uint256)',
  'function burn()',
  'function lowLevel()',
  'function inherited(uint256)',
  'function unknown()',
  'function list(uint256)',
  'function takeFor(address, uint256)',
  'function caught(address, uint256)',
  'function ignored(address)',
  'function create(uint256)',
  'function callNothing(address)',
  'function readNothing(address)',
  'function pay(address)',
  'function forward(address, bytes)',
])
type Name = (typeof abi)[number]['name']
const call = (functionName: Name, ...args: unknown[]): Hex => encodeFunctionData({ abi, functionName, args } as never)

async function scenario(optimized: boolean, viaIR: boolean) {
  const outputSelection = { '*': { '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode'] } }
  const settings = { optimizer: { enabled: optimized, runs: 200 }, viaIR, evmVersion: 'cancun', outputSelection }
  const output = compile({ language: 'Solidity', sources: { [path]: { content } }, settings })
  const chain = await testChain()
  const { node, rpc } = chain
  const accounts = (await rpc('eth_accounts')) as Hex[]
  const [from, other] = accounts
  const send = async (fields: object): Promise<Hex> => {
    const sent = await chain.raw('eth_sendTransaction', { from, gas: '0x200000', ...fields })
    const data = sent.error?.data as { txHash?: Hex } | undefined
    return (sent.result ?? data?.txHash) as Hex
  }
  const create = (name: string, args: Hex = '0x'): Promise<Hex> => {
    const { object } = output.contracts?.[path]?.[name]?.evm.bytecode ?? {}
    return send({ data: `0x${object?.replace(/__\$\w{34}\$__/g, library.slice(2))}${args.slice(2)}` })
  }
  const deploy = async (name: string, args?: Hex) => {
    const receipt = (await rpc('eth_getTransactionReceipt', await create(name, args))) as { contractAddress: Hex }
    return receipt.contractAddress
  }
  const word = (value: bigint) => encodeAbiParameters(parseAbiParameters('uint256'), [value])
  let library = '0x'
  library = await deploy('Checks')
  const vault = await deploy('Vault', word(5n))
  const caller = await deploy('Caller')
  const proxy = await deploy('Proxy', word(BigInt(vault)))
  const artifacts = localBuild({ sources: { [path]: content }, output })
  const known = { rows: node.chain.store, spec: node.chain.spec, artifacts }
  const stack = async (hash: Hex) => {
    const lines = await stackOfTransaction(node.chain.traces, known, hexToHash(hash))
    return lines?.map((line) => line.replace(`(${path}:`, '('))
  }
  const failing = async (to: Hex, data: Hex, more: object = {}) => stack(await send({ to, data, ...more }))
  return { failing, stack, create, vault, caller, proxy, from: from ?? '0x', other: other ?? '0x', word }
}

const notEnough = (wants: number) => new RegExp(`^NotEnough\\(who: 0x\\w{40}, has: 0, wants: ${wants}\\) at `)

describe.each([
  ['without', false],
  ['with', true],
])('a stack trace, compiled %s optimizer,', (_, optimized) => {
  it('goes from the failure outward through internal calls, messages and creations', async () => {
    const { failing, stack, create, vault, caller, proxy, other, word } = await scenario(optimized, false)
    const take = [expect.stringMatching(notEnough(5000)), 'at Vault.take (48:9)']
    expect(await failing(vault, call('take', 5000n))).toEqual(take)
    expect((await failing(vault, call('take', 5000n)))?.[0]).toMatch(/ at Vault\._check \(54:33\)$/)
    expect(await failing(caller, call('takeFor', vault, 5000n))).toEqual([...take, 'at Caller.takeFor (84:9)'])
    expect(await failing(proxy, call('take', 5000n))).toEqual([...take, 'at Proxy.fallback (135:23)'])
    // Passed on by hand.
    const forward = call('forward', vault, call('take', 5000n))
    expect(await failing(caller, forward)).toEqual([...take, 'at Caller.forward (115:42)'])
    const limit = ['too much at Checks.atMost (8:9)', 'at Vault.constructor (40:9)']
    expect(await stack(await create('Vault', word(50n)))).toEqual(limit)
    expect(await failing(caller, call('create', 50n))).toEqual([...limit, 'at Caller.create (99:16)'])
    // A modifier of a base contract, and a library's message.
    const guard = ['not the owner at Base.onlyOwner (25:9)', expect.stringMatching(/^at Vault\.guarded \(57:/)]
    expect(await failing(vault, call('guarded'), { from: other })).toEqual(guard)
    expect(await failing(vault, call('shared', 0n))).toEqual([
      'division or modulo by zero at Checks.shared (12:16)',
      'at Vault.shared (62:16)',
    ])
  })

  it('leaves out what was caught', async () => {
    const { failing, vault, caller } = await scenario(optimized, false)
    expect(await failing(caller, call('caught', vault, 5000n))).toEqual(['caught at Caller.caught (89:13)'])
    const ignored = await failing(caller, call('ignored', vault))
    expect(ignored?.[0]).toBe('not the owner at Base.onlyOwner (25:9)')
    expect(ignored?.at(-1)).toBe('at Caller.ignored (95:9)')
  })

  it('says which check of the compiler has failed', async () => {
    const { failing, vault, caller, other } = await scenario(optimized, false)
    // The column counts UTF-16 code units: the balloon has two.
    expect(await failing(vault, call('inherited', 0n))).toEqual(['assert(false) at Base.inherited (31:44)'])
    expect(await failing(vault, call('burn'))).toEqual([expect.stringMatching(/^out of gas at Vault\.burn \(67:/)])
    expect(await failing(vault, call('lowLevel'))).toEqual(['reverted without a reason at Vault.lowLevel (73:13)'])
    expect(await failing(vault, call('unknown'))).toEqual(['fallback at Vault.fallback (78:9)'])
    expect(await failing(vault, call('take', 0n), { value: '0x1' })).toEqual([
      'value sent to a function that is not payable at Vault.take (47:5)',
    ])
    expect(await failing(vault, call('take', 0n).slice(0, 20) as Hex)).toEqual([
      'the arguments cannot be decoded at Vault.take (47:5)',
    ])
    const unknown = 'is not recognised, and there is no fallback function at Caller.0x3d0a387c (82:1)'
    expect(await failing(caller, '0x3d0a387c')).toEqual([`the function selector 0x3d0a387c ${unknown}`])
    expect(await failing(caller, '0x')).toEqual([
      'a call without data, and there is no receive or fallback function at Caller.receive (82:1)',
    ])
    expect(await failing(caller, call('callNothing', other))).toEqual([
      'call of an account without code at Caller.callNothing (103:9)',
    ])
    expect((await failing(caller, call('readNothing', other)))?.[0]).toMatch(
      /^call of an account without code \(0x\w{40}\) at Caller\.readNothing \(107:16\)$/,
    )
    expect(await failing(caller, call('pay', other))).toEqual([
      'insufficient balance for transfer at Caller.pay (111:9)',
    ])
    expect(await failing(vault, call('put', 1n))).toBeUndefined()
  })
})

describe.each([
  ['without', false],
  ['with', true],
])('a stack trace, compiled via the IR %s optimizer,', (_, optimized) => {
  it('names the failing function, and the function of each message', async () => {
    const { failing, vault, caller, proxy } = await scenario(optimized, true)
    const take = [
      expect.stringMatching(/^NotEnough.* at Vault\._check \(54:33\)$/),
      expect.stringMatching(/^at Vault\.take \(48:/),
    ]
    expect(await failing(caller, call('takeFor', vault, 5000n))).toEqual([...take, 'at Caller.takeFor (84:9)'])
    expect(await failing(proxy, call('take', 5000n))).toEqual([...take, expect.stringMatching(/^at Proxy\.fallback/)])
    expect(await failing(caller, call('caught', vault, 5000n))).toEqual(['caught at Caller.caught (89:13)'])
    expect((await failing(caller, call('ignored', vault)))?.[0]).toMatch(/^not the owner at Base\.onlyOwner \(25:/)
  })
})
