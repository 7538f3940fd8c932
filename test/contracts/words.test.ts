// Calls, events and errors in words. Revert data is encoded by ethers.
import { Interface } from 'ethers'
import { beforeAll, describe, expect, it, test } from 'vitest'
import type { ContractsContext } from '../../src/contracts/abi.ts'
import { knownErrors } from '../../src/contracts/known-errors.ts'
import { callInWords, errorInWords, eventInWords, FULL, SHORT } from '../../src/contracts/words.ts'
import { fromHex, hexToAddress, hexToHash } from '../../src/lib/hex.ts'
import { presets } from '../../src/spec/presets.ts'
import { emptyView } from '../support/native.ts'

let known: ContractsContext
beforeAll(async () => {
  known = { view: await emptyView(), spec: presets.kestrel() }
})

/** EIP-55's example address. */
const who = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const staking = hexToAddress('0x0000000000000000000000000000000000000800')

const error = (signature: string, args: readonly unknown[] = []): string => {
  const face = new Interface([`error ${signature}`])
  return face.encodeErrorResult(signature.slice(0, signature.indexOf('(')), [...args])
}
const words = (data: string) => errorInWords(known, undefined, fromHex(data as `0x${string}`))

describe('revert data', () => {
  const panic = (code: string) => `0x4e487b71${code.padStart(64, '0')}`

  test.each([
    ['0x', undefined],
    ['0x12345678', undefined],
    ['0x08c379a0', undefined],
    [error('Error(string)', ['user error']), 'user error'],
    [panic('01'), 'assert(false)'],
    [panic('11'), 'arithmetic underflow or overflow'],
    [panic('99'), 'unknown panic code: 0x99'],
    [
      error('ERC20InsufficientBalance(address,uint256,uint256)', [who, 0n, 5000n]),
      `ERC20InsufficientBalance(sender: ${who}, balance: 0, needed: 5000)`,
    ],
    [error('EnforcedPause()'), 'EnforcedPause()'],
    [
      error('FailedOp(uint256,string)', [0, "AA21 didn't pay prefund"]),
      'FailedOp(opIndex: 0, reason: "AA21 didn\'t pay prefund")',
    ],
    [
      error(
        'ValidationResult((uint256,uint256,bool,uint48,uint48,bytes),(uint256,uint256),(uint256,uint256),(uint256,uint256))',
        [
          [1, 2, false, 3, 4, '0x'],
          [5, 6],
          [7, 8],
          [9, 10],
        ],
      ),
      'ValidationResult(returnInfo: (preOpGas: 1, prefund: 2, sigFailed: false, validAfter: 3, validUntil: 4, paymasterContext: 0x), ' +
        'senderInfo: (stake: 5, unstakeDelaySec: 6), factoryInfo: (stake: 7, unstakeDelaySec: 8), paymasterInfo: (stake: 9, unstakeDelaySec: 10))',
    ],
  ])('%s', (data, expected) => {
    expect(words(data)).toBe(expected)
  })

  it('has the errors that other contracts have returned, in words, four levels deep', () => {
    const inner = error('Error(string)', ['no'])
    expect(words(error('PostOpReverted(bytes)', [inner]))).toBe('PostOpReverted(returnData: "no")')
    const twice = error('FailedOpWithRevert(uint256,string,bytes)', [1, 'AA23 reverted', error('EnforcedPause()')])
    expect(words(error('ExecuteError(uint256,bytes)', [2, twice]))).toBe(
      'ExecuteError(index: 2, FailedOpWithRevert(opIndex: 1, reason: "AA23 reverted", inner: EnforcedPause()))',
    )
    const nested = (levels: number): string =>
      levels === 0 ? '0x' : error('PostOpReverted(bytes)', [nested(levels - 1)])
    expect(words(nested(6))?.match(/PostOpReverted/g)).toHaveLength(5)
  })

  it('with an unknown error inside shows its bytes', () => {
    expect(words(error('PostOpReverted(bytes)', ['0x12345678']))).toBe('PostOpReverted(returnData: 0x12345678)')
  })

  it('is cut', () => {
    const long = words(error('Error(string)', ['a'.repeat(100_000)]))
    expect(long).toBe(`${'a'.repeat(FULL.longest)}…`)
    expect(words(error('PostOpReverted(bytes)', [`0x${'00'.repeat(5_000)}`]))).toHaveLength(
      'PostOpReverted(returnData: …)'.length + FULL.longest,
    )
  })

  it('that does not fit a known error exactly is not shown as one', () => {
    expect(words(`${error('EnforcedPause()')}00`)).toBeUndefined()
    expect(words(`${error('OwnableUnauthorizedAccount(address)', [who]).slice(0, -2)}`)).toBeUndefined()
  })
})

it('knows errors of OpenZeppelin, ERC-4337 and Uniswap', () => {
  const names = new Set(knownErrors().map((item) => (item.type === 'error' ? item.name : '')))
  for (const name of [
    'GovernorUnmetDelay',
    'SignatureValidationFailed',
    'AllowanceExpired',
    'CurrencyNotSettled',
    'V3TooLittleReceived',
  ])
    expect(names).toContain(name)
})

describe('a call', () => {
  const input = new Interface(['function delegate(address,string,uint256)']).encodeFunctionData('delegate', [
    who,
    'kestrelvaloper1x',
    77n,
  ])

  it('of a native contract has its name and short addresses', () => {
    expect(callInWords(known, staking, fromHex(input as `0x${string}`), SHORT)).toBe(
      'Staking.delegate(delegatorAddress: 0x5aAe…eAed, validatorAddress: "kestrelvaloper1x", amount: 77akest)',
    )
  })

  it('of a native contract has amounts of the base coin in coins, and of other coins as they are', () => {
    const words = (to: string, signature: string, args: readonly unknown[]) => {
      const face = new Interface([`function ${signature}`])
      const data = face.encodeFunctionData(signature.slice(0, signature.indexOf('(')), [...args])
      return callInWords(known, hexToAddress(to), fromHex(data as `0x${string}`))
    }
    const coins = 1_234_500_000_000_000_000_000n
    const delegate = 'delegate(address,string,uint256)'
    expect(words(staking, delegate, [who, 'v', coins])).toMatch(/, amount: 1,234\.5 KEST\)$/)
    expect(words(staking, delegate, [who, 'v', 10n ** 12n])).toMatch(/, amount: 0\.000001 KEST\)$/)
    // A contract that is not native.
    const transfer = ['transfer(address,uint256)', [who, coins]] as const
    expect(words(`0x${'12'.repeat(20)}`, ...transfer)).toMatch(/1234500000000000000000\)$/)
    const ics20 = '0x0000000000000000000000000000000000000802'
    const sent = (denom: string) =>
      words(ics20, 'transfer(string,string,string,uint256,address,string,(uint64,uint64),uint64,string)', [
        ...['transfer', 'channel-0', denom, coins, who, 'cosmos1x', [0, 0], 0, ''],
      ])
    expect(sent('akest')).toContain('denom: "akest", amount: 1,234.5 KEST,')
    expect(sent('ibc/12')).toContain('denom: "ibc/12", amount: 1234500000000000000000,')
  })

  it('of an unknown contract has the selector; without input there is none', () => {
    const other = hexToAddress(who)
    expect(callInWords(known, other, fromHex('0x12345678ff'))).toBe('0x12345678(…)')
    expect(callInWords(known, other, fromHex('0x12345678'))).toBe('0x12345678()')
    expect(callInWords(known, other, fromHex('0x'))).toBeUndefined()
  })
})

it('an event has its values', () => {
  const topic = new Interface(['event Transfer(address indexed from, address indexed to, uint256 value)']).getEvent(
    'Transfer',
  )?.topicHash
  const padded = (of: string) => hexToHash(`0x${of.slice(2).padStart(64, '0').toLowerCase()}`)
  const log = {
    address: hexToAddress(who),
    topics: [hexToHash(topic as `0x${string}`), padded(who), padded(`0x${'11'.repeat(20)}`)],
    data: fromHex(`0x${'5'.padStart(64, '0')}`),
  }
  expect(eventInWords(known, log)).toBe('Transfer(from: 0x5aAe…eAed, to: 0x1111…1111, value: 5)')
})
