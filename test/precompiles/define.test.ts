// The common code of all precompiles: guards, gas, decoding, events, and how errors become results.
// Golden values (selector, topics, calldata, gas of the input) are those of Evmos' staking precompile.
import { decodeErrorResult, encodeFunctionData, hexToBytes, parseAbi } from 'viem'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { NativeCall, NativeResult } from '../../src/evm/native-call.ts'
import { ChainError } from '../../src/lib/errors.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { definePrecompile, implement } from '../../src/precompiles/define.ts'
import { namedAbi } from '../../src/precompiles/named-abi.ts'
import type { StateView } from '../../src/state/types.ts'
import { alice, bob, emptyView, nativeCall, nativeSpec, runNow } from '../support/native.ts'

const address = hexToAddress('0x0000000000000000000000000000000000000800')
const abi = parseAbi([
  'struct Coin { string denom; uint256 amount; }',
  'function delegate(address delegatorAddress, string validatorAddress, uint256 amount) returns (bool success)',
  'function delegation(address delegatorAddress, string validatorAddress) view returns (uint256 shares, Coin balance)',
  'function pay() payable returns (uint256 value)',
  'function fail(string how)',
  'function work(uint256 items) returns (uint256 items)',
  'function write() view',
  'event Delegate(address indexed delegatorAddress, string indexed validatorAddress, uint256 amount, uint256 newShares)',
])
const validator = 'evmosvaloper10jmp6sgh4cc6zt3e8gw05wavvejgr5pwlawghe'
const SHARES = 10n ** 36n

let seen: unknown[]
const precompile = definePrecompile({
  name: 'trial',
  address,
  since: 0n,
  abi: namedAbi(abi),
  functions: implement(namedAbi(abi), {
    gas: { delegate: 75_000n, delegation: 6_000n, pay: 0n, fail: 2_000n, work: 100n, write: 0n },
    functions: {
      delegate(call, delegatorAddress, validatorAddress, amount) {
        seen.push([
          call.caller,
          call.origin,
          call.value,
          call.block.timestamp,
          delegatorAddress,
          validatorAddress,
          amount,
        ])
        call.modules.bank.transfer(delegatorAddress, bob, amount)
        call.emit('Delegate', { delegatorAddress, validatorAddress, amount, newShares: SHARES })
        return [true]
      },
      delegation(call) {
        return [SHARES, { denom: call.spec.denom, amount: 10n ** 18n }]
      },
      pay: (call) => [call.value],
      fail(call, how) {
        call.modules.bank.mint(alice, 1n)
        if (how === 'refuse') throw new ChainError('execution-reverted', 'no: invalid request')
        if (how === 'data') throw new ChainError('execution-reverted', 'with data', '0xdeadbeef')
        throw new Error('a bug')
      },
      work(call, items) {
        for (let i = 0n; i < items; i++) call.charge(1_000n)
        return [items]
      },
      write(call) {
        call.modules.params.setActiveProposals(['kestrel_0'])
        return []
      },
    },
  }),
})
const report = vi.fn()
const contract = precompile.on(nativeSpec, report)

let view: StateView
beforeEach(async () => {
  view = await emptyView()
  view.setBalance(alice, 10n ** 20n)
  seen = []
  report.mockClear()
})
const run = (input: Uint8Array | `0x${string}`, change: Partial<NativeCall> = {}): NativeResult =>
  runNow(contract, nativeCall(view, typeof input === 'string' ? hexToBytes(input) : input, change))
const delegate = encodeFunctionData({ abi, functionName: 'delegate', args: [alice, validator, 10n ** 18n] })
const fail = (how: string) => encodeFunctionData({ abi, functionName: 'fail', args: [how] })
const reason = (result: NativeResult) => {
  expect(result.error).toBe('revert')
  return decodeErrorResult({ abi: parseAbi(['error Error(string)']), data: `0x${hex(result.output)}` }).args[0]
}
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const word = (value: bigint) => value.toString(16).padStart(64, '0')

describe('a successful call of a precompile', () => {
  it('passes decoded arguments and the message to the function, and encodes its result', () => {
    const result = run(delegate, { caller: bob })
    expect(seen).toEqual([[bob, alice, 0n, 1_700_000_000n, alice, validator, 10n ** 18n]])
    expect(hex(result.output)).toBe(word(1n))
    expect(result.error).toBeUndefined()
    expect(view.balance(bob)).toBe(10n ** 18n)
  })

  it('decodes the published calldata of delegate', () => {
    const calldata =
      '0x53266bbb' +
      '0000000000000000000000007cb61d4117ae31a12e393a1cfa3bac666481d02e' +
      word(0x60n) +
      word(10n ** 18n) +
      word(0x33n) +
      '65766d6f7376616c6f70657231306a6d7036736768346363367a743365386777' +
      '303577617676656a67723570776c617767686500000000000000000000000000'
    const delegator = hexToAddress('0x7cb61d4117ae31a12e393a1cfa3bac666481d02e')
    view.setBalance(delegator, 10n ** 18n)
    expect(calldata.length).toBe(2 + 2 * 196)
    const result = run(hexToBytes(calldata as `0x${string}`), { caller: delegator, origin: delegator })
    expect(seen).toEqual([[delegator, delegator, 0n, 1_700_000_000n, delegator, validator, 10n ** 18n]])
    // The input costs 2000 + 30 * 192 = 7760, the function 75,000.
    expect(result.gasUsed).toBe(7_760n + 75_000n)
    expect(result.logs).toEqual([
      {
        address,
        topics: [
          '0x5a5adf903ba232ef17ed8be4ef872e1f60d17c5ba26a1ecbf44e388a672b118a',
          '0x0000000000000000000000007cb61d4117ae31a12e393a1cfa3bac666481d02e',
          '0x1c6aea4d1680b7c7712f31d50e4379e6e5ee2be10f8178e7f92e341028d8e6dd',
        ],
        data: hexToBytes(`0x${word(10n ** 18n)}${word(10n ** 36n)}`),
      },
    ])
  })

  it('encodes several results and a struct', () => {
    const input = encodeFunctionData({ abi, functionName: 'delegation', args: [alice, validator] })
    const result = run(input)
    expect(hex(result.output)).toBe(
      [
        word(SHARES),
        word(0x40n),
        word(0x40n),
        word(10n ** 18n),
        word(5n),
        Buffer.from('akest').toString('hex').padEnd(64, '0'),
      ].join(''),
    )
    // 164 bytes: 1000 + 3 * 160 = 1480.
    expect(input.length).toBe(2 + 2 * 164)
    expect(result.gasUsed).toBe(1_480n + 6_000n)
  })

  it('allows extra bytes after the arguments, and charges for them', () => {
    const result = run(`${delegate}0000`)
    expect(result.error).toBeUndefined()
    expect(result.gasUsed).toBe(7_760n + 75_000n + 60n)
  })
})

describe('guards of precompiles', () => {
  it.each(['0x', '0x53', '0x53266b'] as const)('reverts with empty data on %s', (input) => {
    expect(run(input)).toEqual({ output: new Uint8Array(0), gasUsed: 0n, logs: [], error: 'revert' })
  })

  it('report an unknown selector', () => {
    const result = run('0xdeadbeef')
    expect(reason(result)).toBe('unknown method: 0xdeadbeef')
    expect(result.gasUsed).toBe(0n)
  })

  it('refuse a value unless the ABI says payable', () => {
    expect(reason(run(delegate, { value: 1n }))).toBe('extension methods do not accept value')
    expect(seen).toEqual([])
    expect(hex(run(encodeFunctionData({ abi, functionName: 'pay' }), { value: 5n }).output)).toBe(word(5n))
  })

  it.each([{ isStatic: true }, { isDelegate: true }, { isStatic: true, isDelegate: true }])(
    'let only views run with %j',
    (frame) => {
      const result = run(delegate, frame)
      // The published revert data.
      expect(hex(result.output)).toBe(
        `08c379a0${word(0x20n)}${word(0x10n)}${'77726974652070726f74656374696f6e'.padEnd(64, '0')}`,
      )
      expect(seen).toEqual([])
      const query = encodeFunctionData({ abi, functionName: 'delegation', args: [alice, validator] })
      expect(run(query, frame).error).toBeUndefined()
    },
  )

  it('ignore the apparent value of a delegatecall', () => {
    const query = encodeFunctionData({ abi, functionName: 'delegation', args: [alice, validator] })
    expect(run(query, { isDelegate: true, value: 3n }).error).toBeUndefined()
    expect(reason(run(delegate, { isDelegate: true, value: 3n }))).toBe('write protection')
  })

  it('refuse malformed arguments, at the price of the input', () => {
    const dirty = hexToBytes(delegate)
    dirty[4] = 1
    const result = run(dirty)
    expect(reason(result)).toBe('invalid calldata: dirty address')
    expect(result.gasUsed).toBe(7_760n + 75_000n)
    expect(seen).toEqual([])
  })
})

describe('gas of precompiles', () => {
  it('is exactly enough when the limit equals the gas used', () => {
    expect(run(delegate, { gasLimit: 82_760n }).error).toBeUndefined()
    seen = []
    expect(run(delegate, { gasLimit: 82_759n })).toEqual({
      output: new Uint8Array(0),
      gasUsed: 82_759n,
      logs: [],
      error: 'out of gas',
    })
    expect(seen).toEqual([])
  })

  it('covers decoding and encoding on a chain with that rule', () => {
    const priced = precompile.on({ ...nativeSpec, nativeGas: 2 }, report)
    const input = encodeFunctionData({ abi, functionName: 'delegation', args: [alice, validator] })
    const runWith = (gasLimit: bigint) => runNow(priced, nativeCall(view, hexToBytes(input), { gasLimit }))
    // The work, 8,000 + 5 words at 300 + 6 words at 650, is more than the price, 1,480 + 6,000.
    expect(runWith(1_000_000n).gasUsed).toBe(13_400n)
    const pay = encodeFunctionData({ abi, functionName: 'pay' })
    // 8,000 and a word at 650 are more than 2,000.
    expect(runNow(priced, nativeCall(view, hexToBytes(pay))).gasUsed).toBe(8_650n)
    expect(runNow(priced, nativeCall(view, hexToBytes(pay), { gasLimit: 8_650n })).error).toBeUndefined()
    expect(runNow(priced, nativeCall(view, hexToBytes(pay), { gasLimit: 8_649n }))).toMatchObject({
      error: 'out of gas',
      gasUsed: 8_649n,
    })
    expect(runNow(priced, nativeCall(view, hexToBytes('0xdeadbeef'))).gasUsed).toBe(0n)
  })

  it('is charged for each item while the function runs', () => {
    const input = encodeFunctionData({ abi, functionName: 'work', args: [7n] })
    // 2000 + 30 * 32 + 100 + 7 * 1000
    expect(run(input).gasUsed).toBe(10_060n)
    expect(run(input, { gasLimit: 10_059n })).toMatchObject({ error: 'out of gas', gasUsed: 10_059n })
  })

  it('stops a loop when it runs out', () => {
    const input = encodeFunctionData({ abi, functionName: 'work', args: [1n << 255n] })
    expect(run(input)).toMatchObject({ error: 'out of gas', gasUsed: 1_000_000n })
  })
})

describe('errors of precompiles', () => {
  it('with a reason become Error(string) and return the unused gas', () => {
    const result = run(fail('refuse'))
    expect(reason(result)).toBe('no: invalid request')
    // 2000 + 30 * 96 for the input, 2,000 for the function.
    expect(result.gasUsed).toBe(4_880n + 2_000n)
    expect(result.logs).toEqual([])
  })

  it('with revert data are passed on unchanged', () => {
    expect(run(fail('data'))).toMatchObject({ output: hexToBytes('0xdeadbeef'), error: 'revert' })
  })

  it('that are internal consume all gas and are logged', () => {
    expect(run(fail('otherwise'))).toEqual({
      output: new Uint8Array(0),
      gasUsed: 1_000_000n,
      logs: [],
      error: 'invalid opcode',
    })
    expect(report).toHaveBeenCalledExactlyOnceWith(
      `precompile trial failed on ${fail('otherwise')}`,
      new Error('a bug'),
    )
  })

  it('include a write by a view', () => {
    expect(run(encodeFunctionData({ abi, functionName: 'write' })).error).toBe('invalid opcode')
    expect(report).toHaveBeenCalledOnce()
  })

  it('of the bank module keep their message', () => {
    view.setBalance(alice, 3n)
    expect(reason(run(delegate))).toBe(
      'spendable balance 3akest is smaller than 1000000000000000000akest: insufficient funds',
    )
  })
})

describe('the definition of a precompile', () => {
  const one = namedAbi(
    parseAbi(['function f(uint8 small) view returns (uint8 twice)', 'event E(string indexed s, address a)']),
  )

  it('joins functions that are implemented in several objects', () => {
    const parsed = parseAbi([
      'function f(uint8 small) view returns (uint8)',
      'function g(address a) view returns (address)',
    ])
    const both = namedAbi(parsed)
    const first = implement(both, { gas: { f: 1n }, functions: { f: (_, small) => [small * 2n] } })
    const second = implement(both, { gas: { g: 2n }, functions: { g: (_, account) => [account] } })
    const joined = definePrecompile({ name: 'both', address, since: 3n, abi: both, functions: { ...first, ...second } })
    expect(joined.abi).toHaveLength(2)
    const calls = [
      encodeFunctionData({ abi: parsed, functionName: 'f', args: [4] }),
      encodeFunctionData({ abi: parsed, functionName: 'g', args: [bob] }),
    ]
    const outputs = calls.map((input) =>
      hex(runNow(joined.on(nativeSpec, report), nativeCall(view, hexToBytes(input))).output),
    )
    expect(outputs).toEqual([word(8n), word(BigInt(bob))])
  })

  it('does not compile unless every entry of the ABI is implemented with its types', () => {
    const wrong = [
      // @ts-expect-error a function of the ABI is missing
      () => definePrecompile({ name: 'none', address, since: 0n, abi: one, functions: {} }),
      // @ts-expect-error a handler is missing
      () => implement(one, { gas: { f: 1n }, functions: {} }),
      // @ts-expect-error the ABI has no such function
      () => implement(one, { gas: { g: 1n }, functions: {} }),
      // @ts-expect-error the result has another type
      () => implement(one, { gas: { f: 1n }, functions: { f: (_, small) => [String(small)] } }),
      // @ts-expect-error a result is missing
      () => implement(one, { gas: { f: 1n }, functions: { f: () => [] } }),
      // @ts-expect-error a view may not emit
      () => implement(one, { gas: { f: 1n }, functions: { f: (call) => [call.emit('E', { s: '', a: bob })] } }),
    ]
    expect(wrong).toHaveLength(6)
    implement(namedAbi(parseAbi(['function g()', 'event E(string indexed s, address a)'])), {
      gas: { g: 0n },
      functions: {
        g(call) {
          // @ts-expect-error an event that is not in the ABI
          call.emit('F', {})
          // @ts-expect-error an event without one of its parameters
          call.emit('E', { s: '' })
          return []
        },
      },
    })
  })
})
