// The console's functions and formats, against Hardhat's and forge-std's sources and the encoder of viem.
import { createHash } from 'node:crypto'
import { type AbiParameter, encodeAbiParameters, parseAbiParameters, toFunctionSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  CONSOLE,
  consoleCalls,
  consoleSignatures,
  consoleText,
  printedBelow,
  printedLines,
} from '../../src/contracts/console.ts'
import { type Address, fromHex, type Hex } from '../../src/lib/hex.ts'

const WHO = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

/** What the console prints for `log(types)`. */
function printed(types: string, values: readonly unknown[], signature = `log(${types})`): string | undefined {
  const parameters = types === '' ? [] : (parseAbiParameters(types) as readonly AbiParameter[])
  const data = encodeAbiParameters(parameters, values as never)
  return consoleText(fromHex(`${selectorOf(signature)}${data.slice(2)}` as Hex))
}
/** viem normalizes `uint`, so the legacy signatures are hashed here by their own text. */
const selectorOf = (signature: string): Hex =>
  (({ 'log(uint)': '0xf5b1bba9', 'log(string,uint)': '0x9710a9d0' })[signature] as Hex) ?? toFunctionSelector(signature)

const listOf = (signatures: Iterable<string>): string =>
  createHash('sha256')
    .update(
      [...signatures]
        .sort()
        .map((signature) => `${signature}\n`)
        .join(''),
    )
    .digest('hex')

describe('functions of the console', () => {
  const known = [...consoleSignatures()].map(([signature]) => signature)
  const current = known.filter((signature) => !/\bu?int\b/.test(signature))

  it('are those of the console.sol of Hardhat 2.29', () => {
    // grep -o '"log([a-z0-9,]*)"' console.sol | tr -d '"' | LC_ALL=C sort -u | sha256sum: 375 of them.
    const hardhat = current.filter((signature) => signature !== 'log(string,int256)')
    expect(new Set(hardhat).size).toBe(375)
    expect(listOf(new Set(hardhat))).toBe('e79c375fdc61c8e07b3fc83d7bb6b46942c6661be602f6f2f174c749749ed89d')
  })

  it('are those of the console.sol of forge-std, which has log(string,int256) too', () => {
    expect(new Set(current).size).toBe(376)
    expect(listOf(new Set(current))).toBe('44436cc8c00fe6b5743d6017e1b5ef9205354f98196ae2ee52a5151681bf05fa')
  })

  it('have the selectors of early versions, which hashed uint and int', () => {
    expect(known).toContain('log(uint)')
    expect(known).toContain('log(string,uint,bool,address)')
    expect(known).toContain('log(int)')
    // keccak256("log(uint)") begins with f5b1bba9, keccak256("log(string,uint)") with 9710a9d0.
    expect(printed('uint256', [7n], 'log(uint)')).toBe('7')
    expect(printed('string, uint256', ['n', 7n], 'log(string,uint)')).toBe('n 7')
  })

  it.each<[string, readonly unknown[], string]>([
    ['', [], ''],
    ['int256', [-5n], '-5'],
    ['bytes', ['0x0102'], '0x0102'],
    ['bytes4', ['0x01020304'], '0x01020304'],
    ['uint256,bool,address,string', [2n ** 256n - 1n, true, WHO, 'x'], `${2n ** 256n - 1n} true ${WHO} x`],
  ])('log(%s) prints its values', (types, values, text) => {
    expect(printed(types, values)).toBe(text)
  })

  it('nothing else is printed', () => {
    expect(consoleText(fromHex('0x12345678'))).toBeUndefined()
    expect(consoleText(fromHex('0x'))).toBeUndefined()
    // log(string) whose offset points behind the data.
    expect(consoleText(fromHex(`0x41304fac${'ff'.repeat(32)}`))).toBeUndefined()
  })
})

describe('formats of the console', () => {
  // The expected texts are Foundry's (crates/common/fmt, console_format) unless a line names Hardhat's (util.format).
  it.each<[string, string, readonly unknown[], string]>([
    ['values after the format follow it', 'string,uint256,bool', ['a', 1n, false], 'a 1 false'],
    ['%s, %d and %i', 'string,uint256,address,string', ['%d %s %i', 5n, WHO, 'x'], `5 ${WHO} x`],
    ['a specifier without value stays', 'string,uint256', ['%s and %s', 1n], '1 and %s'],
    ['%% is a percent sign', 'string,uint256', ['100%% of %d', 3n], '100% of 3'],
    ['%o quotes text', 'string,string,uint256', ['%o %o', 'foo', 4n], "'foo' 4"],
    ['%x of a number', 'string,uint256', ['%x', 255n], '0xff'],
    ['%e', 'string,uint256', ['%e', 1234n], '1.234e3'],
    ['%18e', 'string,uint256', ['%18e', 1_500_000_000_000_000_000n], '1.5'],
    ['%e of a negative number', 'string,int256', ['%e', -1200n], '-1.2e3'],
    // Hardhat: %d of text is the text; Foundry: NaN.
    ['%d of text', 'string,string', ['%d', 'foo'], 'foo'],
    ['%d of a bool', 'string,bool', ['%d', true], 'true'],
    ['an unknown specifier stays', 'string,uint256', ['%q', 1n], '%q 1'],
  ])('%s', (_, types, values, text) => {
    expect(printed(types, values)).toBe(text)
  })
})

describe('what a transaction prints', () => {
  const proxy = `0x${'11'.repeat(20)}` as Address
  const code = `0x${'22'.repeat(20)}` as Address
  const log = (from: Address, value: bigint) => ({
    from,
    to: CONSOLE,
    input: fromHex(`${toFunctionSelector('log(uint256)')}${value.toString(16).padStart(64, '0')}` as Hex),
    calls: [],
  })
  const frame = (from: Address, to: Address, calls: readonly object[]) =>
    ({ from, to, input: new Uint8Array(0), calls }) as never

  it('names the code that has called the console, in the order of the calls', () => {
    const tree = frame(code, proxy, [log(proxy, 1n), frame(proxy, code, [log(proxy, 2n)]), log(proxy, 3n)])
    const calls = [...consoleCalls(tree)]
    expect(calls.map(({ by }) => by)).toEqual([proxy, code, proxy])
    expect(printedLines(calls)).toEqual({ first: ['1', '2', '3'], more: 0 })
  })

  it('is bounded: 100,000 calls are 100 lines and a number', () => {
    const tree = frame(
      code,
      proxy,
      Array.from({ length: 100_000 }, () => log(proxy, 5n)),
    )
    const lines = printedBelow(printedLines(consoleCalls(tree)))
    expect(lines).toHaveLength(101)
    expect(lines.at(-1)?.text).toBe('… 99,900 more lines')
  })
})
