// Random calls, estimates, traces and transactions on a fork, compared with the same on the forked chain at that block. The forked
// chain is a node of ours, so all of an answer must be equal: outputs, gas, logs, errors, traces.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeDeployData, encodeFunctionData, type Hex, numberToHex, pad, parseEther, toHex } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RunningNode, StartOptions } from '../../src/library.ts'
import { asm, returnTop } from '../support/assembler.ts'
import { rawRequest } from '../support/chain.ts'
import { token } from '../support/contracts.ts'
import { chainToFork, type Forked, forkOf } from '../support/forked.ts'
import { plainGenesis } from '../support/plain-spec.ts'

const CASES = Number(process.env['FORK_CASES'] ?? 300)
const SEED = Number(process.env['FORK_SEED'] ?? 29)
/** Cases on one fork, which knows more with each of them. */
const CASES_OF_FORK = 30
const CONTRACTS = 12

/** Marsaglia's xorshift32. */
function randomFrom(seed: number) {
  let state = seed | 1
  const below = (end: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % end
  }
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T
  return { below, one, chance: (percent: number) => below(100) < percent }
}
type Random = ReturnType<typeof randomFrom>

const byte = (value: number): string => `0x${value.toString(16).padStart(2, '0')}`
const addressOf = (index: number): Hex => pad(numberToHex(0xfab00000 + index), { size: 20 })
const CODES = Array.from({ length: CONTRACTS }, (_, index) => addressOf(index))
const PROXY = addressOf(100)
const accounts = Array.from({ length: 4 }, (_, index) => addressOf(300 + index))
const STRANGERS = Array.from({ length: 6 }, (_, index) => addressOf(200 + index))

let forked: Forked
let tokenAt: Hex
const folder = mkdtempSync(join(tmpdir(), 'kestrel-same-'))
/** All addresses that code and requests name. */
let known: readonly Hex[]

/** Opcodes that take the word on top of the stack and leave another. */
function step(random: Random): readonly string[] {
  const { below, one } = random
  const slot = `PUSH1 ${byte(below(8))}`
  const address = `PUSH20 ${one(known)}`
  switch (below(14)) {
    case 0:
      return [slot, 'SLOAD', 'XOR']
    case 1:
      return ['DUP1', slot, 'SSTORE']
    case 2:
      return ['PUSH0', slot, 'SSTORE']
    case 3:
      return [address, 'BALANCE', 'ADD']
    case 4:
      return [address, one(['EXTCODEHASH', 'EXTCODESIZE']), 'XOR']
    case 5:
      return [`PUSH1 ${byte(below(6))}`, 'NUMBER', 'SUB', 'BLOCKHASH', 'XOR']
    case 6:
      return ['DUP1', 'PUSH0', 'MSTORE', slot, 'PUSH1 0x20', 'PUSH0', 'LOG1']
    case 7:
      return ['SELFBALANCE', 'ADD', 'CALLER', 'XOR', 'PUSH0', 'CALLDATALOAD', 'ADD']
    case 8: {
      // Code that a contract makes: it keeps the slot 0 of its own.
      const init = asm('PUSH1 0x07', 'PUSH0', 'SSTORE', 'PUSH1 0x01', 'PUSH0', 'RETURN').slice(2)
      const size = init.length / 2
      const make = [`PUSH${size} 0x${init}`, 'PUSH0', 'MSTORE', `PUSH1 ${byte(below(3))}`, `PUSH1 ${byte(size)}`]
      return [...make, `PUSH1 ${byte(32 - size)}`, 'PUSH0', 'CREATE2', 'XOR']
    }
    case 9:
      return Array.from({ length: 20 }, (_, index) => [`PUSH1 ${byte(16 + index)}`, 'SLOAD', 'ADD']).flat()
    default: {
      const kind = one(['CALL', 'CALL', 'STATICCALL', 'DELEGATECALL', 'CALLCODE'])
      const value = kind === 'CALL' || kind === 'CALLCODE' ? [`PUSH1 ${byte(below(3))}`] : []
      const gas = `PUSH3 0x${(below(300_000) + 500).toString(16).padStart(6, '0')}`
      const into = ['DUP1', 'PUSH0', 'MSTORE', 'PUSH1 0x20', 'PUSH0', 'PUSH1 0x20', 'PUSH0']
      return [...into, ...value, address, gas, kind, 'XOR', 'PUSH0', 'MLOAD', 'XOR']
    }
  }
}

function code(random: Random): Hex {
  const { below, one, chance } = random
  const steps = Array.from({ length: 3 + below(8) }, () => step(random)).flat()
  const end = chance(8)
    ? [`PUSH20 ${one(known)}`, 'SELFDESTRUCT']
    : chance(12)
      ? ['PUSH0', 'MSTORE', 'PUSH1 0x20', 'PUSH0', 'REVERT']
      : returnTop
  return asm('PUSH0', ...steps, ...end)
}

/** Passes everything on to the token, whose storage it has. */
const proxyCode = () =>
  asm(
    ...['CALLDATASIZE', 'PUSH0', 'PUSH0', 'CALLDATACOPY', 'PUSH0', 'PUSH0', 'CALLDATASIZE', 'PUSH0'],
    ...[`PUSH20 ${tokenAt}`, 'GAS', 'DELEGATECALL', 'RETURNDATASIZE', 'PUSH0', 'PUSH0', 'RETURNDATACOPY'],
    ...['POP', 'RETURNDATASIZE', 'PUSH0', 'RETURN'],
  )

/** The accounts of requests have no keys. */
async function impersonate(node: RunningNode): Promise<void> {
  for (const account of accounts) await node.request('anvil_impersonateAccount', [account])
  await node.request('anvil_setCoinbase', [addressOf(400)])
}

beforeAll(async () => {
  // A fork has no native modules, so this chain has none.
  const genesis = join(folder, 'genesis.json')
  const [from = '0x'] = accounts
  writeFileSync(genesis, JSON.stringify(plainGenesis(from)))
  forked = await chainToFork({ genesis, chainId: undefined })
  const { origin } = forked
  await impersonate(origin)
  for (const account of accounts) await origin.request('anvil_setBalance', [account, toHex(parseEther('1000'))])
  const data = encodeDeployData({ ...token, args: ['Forked', parseEther('1000')] })
  const sent = await origin.request('eth_sendTransaction', [{ from, data, gas: '0x2dc6c0' }])
  const receipt = await origin.request<{ contractAddress: Hex }>('eth_getTransactionReceipt', [sent])
  tokenAt = receipt.contractAddress
  known = [...CODES, PROXY, tokenAt, ...STRANGERS, ...accounts]
  const random = randomFrom(SEED)
  await origin.request('anvil_setCode', [PROXY, proxyCode()])
  for (const address of CODES) {
    await origin.request('anvil_setCode', [address, code(random)])
    await origin.request('anvil_setBalance', [address, toHex(random.below(1000))])
    for (let slot = 0; slot < 40; slot++)
      if (random.chance(60))
        await origin.request('anvil_setStorageAt', [address, numberToHex(slot), pad(toHex(random.below(1 << 30)))])
  }
  for (const address of STRANGERS.slice(0, 3))
    await origin.request('anvil_setBalance', [address, toHex(random.below(9))])
  await origin.request('anvil_mine', ['0x5'])
})
afterAll(async () => {
  await forked[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

const TRACERS = [
  { tracer: 'callTracer', tracerConfig: { withLog: true } },
  { tracer: 'prestateTracer' },
  { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
  {},
  {
    tracer:
      '{ seen: [], fault: function() {}, step: function(log, db) { this.seen.push(log.op.toString(), ' +
      'db.getBalance(log.contract.getAddress()).toString(), log.getGas()) }, result: function() { return this.seen } }',
  },
]

type Request = { readonly method: string; readonly params: readonly unknown[] }

/** A message of one of the accounts, or of anybody for a call. */
function message(random: Random, isSent: boolean): object {
  const { below, one, chance } = random
  const from = isSent || chance(60) ? one(accounts) : one(known)
  const gas = chance(20) ? 21_000 + below(60_000) : 3_000_000
  const value = chance(20) ? toHex(below(5)) : undefined
  const plain = { from, gas: toHex(gas), ...(value && { value }) }
  if (chance(10)) return { ...plain, data: code(random) }
  if (chance(30)) {
    const to = chance(50) ? tokenAt : PROXY
    const who = one(known)
    const { abi } = token
    const data = one([
      encodeFunctionData({ abi, functionName: 'balanceOf', args: [who] }),
      encodeFunctionData({ abi, functionName: 'transfer', args: [who, BigInt(below(5))] }),
      encodeFunctionData({ abi, functionName: 'approve', args: [who, 5n] }),
      encodeFunctionData({ abi, functionName: 'transferFrom', args: [one(known), who, 1n] }),
      encodeFunctionData({ abi, functionName: 'refuse', args: ['no'] }),
    ])
    return { ...plain, to, data }
  }
  return { ...plain, to: one(known), data: pad(toHex(below(1000))) }
}

function readOf(random: Random): Request {
  const { below, one, chance } = random
  const call = message(random, false)
  const overrides = chance(25)
    ? [{ [one(known)]: one([{ balance: '0x5' }, { code: code(random) }, { stateDiff: { [pad('0x1')]: pad('0x2') } }]) }]
    : []
  switch (below(5)) {
    case 0:
      return { method: 'eth_estimateGas', params: [call, 'latest', ...overrides] }
    case 1:
      return { method: 'eth_createAccessList', params: [call, 'latest'] }
    case 2:
    case 3: {
      const [stateOverrides] = overrides
      return { method: 'debug_traceCall', params: [call, 'latest', { ...one(TRACERS), stateOverrides }] }
    }
    default:
      return { method: 'eth_call', params: [call, 'latest', ...overrides] }
  }
}

const ask = async (node: RunningNode, { method, params }: Request) => {
  const { result, error } = await rawRequest(node.rpcUrl.replace(/\/rpc$/, ''), method, params)
  return { result, error }
}

/** A transaction on the fork's block, which is undone: receipt and trace. */
async function sent(node: RunningNode, message: object, time: Hex) {
  const snapshot = await node.request('evm_snapshot')
  await node.request('evm_setNextBlockTimestamp', [time])
  const { result: hash, error } = await ask(node, { method: 'eth_sendTransaction', params: [message] })
  const receipt = await node.request<object | null>('eth_getTransactionReceipt', [hash ?? pad('0x0')])
  const traced = { method: 'debug_traceTransaction', params: [hash, { tracer: 'prestateTracer', tracerConfig: DIFF }] }
  const trace = error === undefined ? await ask(node, traced) : undefined
  await node.request('evm_revert', [snapshot])
  const text = JSON.stringify({ hash, error, receipt, trace })
  // The block's hash follows from the state root, which differs.
  const { blockHash } = { blockHash: pad('0x0'), ...receipt }
  return JSON.parse(text.replaceAll(blockHash, 'the block'))
}

const DIFF = { diffMode: true }

const SETTINGS: readonly (StartOptions & { readonly foresees?: boolean })[] = [
  {},
  { foresees: false, engine: 'wasm' },
  { forkVerify: true },
  { engine: 'library' },
  { foresees: false },
]

it(`${CASES} random requests have the same answers`, { timeout: 600_000 }, async () => {
  const { origin, proxy } = forked
  const random = randomFrom(SEED + 1)
  const head = await origin.request<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
  const time = toHex(BigInt(head.timestamp) + 100n)
  let done = 0
  let succeeded = 0
  for (let round = 0; done < CASES; round++) {
    const { foresees = true, ...options } = SETTINGS[round % SETTINGS.length] ?? {}
    proxy.spoil = ({ method }) =>
      method === 'eth_createAccessList' && !foresees
        ? { result: undefined, error: { code: -32601, message: 'no such method' } }
        : undefined
    await using fork = await forkOf(proxy, options)
    await impersonate(fork)
    for (const end = Math.min(CASES, done + CASES_OF_FORK); done < end; done++) {
      if (random.chance(30)) {
        const request = message(random, true)
        const expected = await sent(origin, request, time)
        succeeded += Number(expected.receipt?.status === '0x1')
        expect([done, request, await sent(fork, request, time)]).toEqual([done, request, expected])
        continue
      }
      const request = readOf(random)
      const expected = await ask(origin, request)
      succeeded += Number(expected.error === undefined)
      expect([done, request, await ask(fork, request)]).toEqual([done, request, expected])
    }
  }
  // Not only refusals are equal.
  expect(succeeded).toBeGreaterThan(CASES / 2)
})
