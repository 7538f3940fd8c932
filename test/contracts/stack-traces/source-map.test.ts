// Source maps and definitions, also from files that say anything.
import { describe, expect, it } from 'vitest'
import { DebugCode } from '../../../src/contracts/debug-info.ts'
import { definitionsIn } from '../../../src/contracts/solidity-functions.ts'
import { JUMP, mapCode, SourceText } from '../../../src/contracts/source-map.ts'

describe('a source map', () => {
  it('names the source of each instruction, not of data of PUSH', () => {
    // PUSH2 0x0102, JUMP, JUMPDEST. The example of the format: empty fields repeat.
    const { start, length, source, jump } = mapCode(Uint8Array.of(0x61, 1, 2, 0x56, 0x5b), '1:2:1;:9:2:i;')
    expect([...start]).toEqual([1, -1, -1, 1, -1])
    expect([...length].slice(3)).toEqual([9, 0])
    expect([...source]).toEqual([1, -1, -1, 2, -1])
    expect(jump[3]).toBe(JUMP.into)
  })

  it('counts DUPN, SWAPN and EXCHANGE with their immediate byte as one instruction', () => {
    const { start } = mapCode(Uint8Array.of(0xe6, 0x80, 0xe7, 0x00, 0xe8, 0x8f, 0x5b), '1:1:0;2;3;4')
    expect([...start]).toEqual([1, -1, 2, -1, 3, -1, 4])
  })

  it('of anybody is read as far as the code goes, and what is out of range is unknown', () => {
    const large = `0:5:0:i;${'9'.repeat(100)}:-5:7:x:y:z;`.repeat(100_000)
    const code = new Uint8Array(24_576).fill(0x5b)
    const info = {
      sources: { 'a.sol': 'contract A {}' },
      sourceIds: { 0: 'a.sol', 7: '__proto__' },
      creation: {},
      runtime: {},
      settings: {},
      compilerVersion: undefined,
    }
    const debug = new DebugCode(code, large, info)
    expect(debug.locate(0)).toMatchObject({ file: 'a.sol', line: 1, column: 1 })
    expect(debug.locate(1)).toBeUndefined()
    expect(debug.functionAt(1)).toBeUndefined()
    expect(debug.locate(1_000_000)).toBeUndefined()
    expect(debug.lineAt(1)).toBeUndefined()
  })
})

describe('a source text', () => {
  it('counts lines from 1 and columns in UTF-16 code units', () => {
    const text = new SourceText('a\näb🎈c\n')
    // Bytes: a, newline, ä (2), b, balloon (4), c.
    expect(text.place(0)).toEqual({ line: 1, column: 1 })
    expect(text.place(2)).toEqual({ line: 2, column: 1 })
    expect(text.place(4)).toEqual({ line: 2, column: 2 })
    expect(text.place(9)).toEqual({ line: 2, column: 5 })
    expect(text.place(-1)).toBeUndefined()
    expect(text.place(100)).toBeUndefined()
  })
})

describe('definitions', () => {
  const named = (source: string) =>
    definitionsIn(Buffer.from(source)).functions.map(({ name, kind }) => `${kind} ${name}`)

  it('are found in sources of every version', () => {
    const old =
      'contract Old { uint public x; function Old() public {} function () payable {} function f() m { } modifier m { _; } }'
    expect(named(old)).toEqual([
      'getter Old.x',
      'constructor Old.constructor',
      'fallback Old.fallback',
      'function Old.f',
      'modifier Old.m',
    ])
    const young = `function free() pure {} library L { function g(uint a) internal {} }
      abstract contract C is B(1), D { error E(uint a); mapping(address => uint[]) public override(A, B) held;
      constructor() B(2) { if (true) { "}"; } } receive() external payable {} fallback() external { /* } */ }
      struct S { uint a; } function h() external virtual; uint y = 1; }`
    expect(named(young)).toEqual([
      'function free',
      'function L.g',
      'getter C.held',
      'constructor C.constructor',
      'receive C.receive',
      'fallback C.fallback',
      'function C.h',
    ])
  })

  it('have the extents in bytes', () => {
    const source = 'contract A { /* ü */\n// ü\nfunction f() public { }\n}'
    const [found] = definitionsIn(Buffer.from(source)).functions
    const bytes = Buffer.from(source)
    expect(bytes.toString('utf8', found?.start, found?.end)).toBe('function f() public { }')
  })

  it.each([
    ['brackets', '{('.repeat(500_000)],
    ['contracts', 'contract A { function '.repeat(100_000)],
    ['strings', '"\\'.repeat(500_000)],
    ['a comment', `contract A { /*${'*'.repeat(1_000_000)}`],
  ])('of a source that never ends its %s are found without a failure', (_, source) => {
    expect(named(source).length).toBeLessThan(100_001)
  })
})
