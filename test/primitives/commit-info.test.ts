// The encoding of votes and evidence, whose hash is in the headers of a network.
import { expect, it } from 'vitest'
import { fromHex, hexToAddress, toHex } from '../../src/lib/hex.ts'
import { keccakHash } from '../../src/lib/keccak.ts'
import { commitInfoHash, decodeCommitInfo, encodeCommitInfo } from '../../src/primitives/commit-info.ts'

const address = hexToAddress(`0x${'aa'.repeat(20)}`)
const commit = {
  round: 1n,
  votes: [{ address, power: 1000n, flag: 2 }],
  evidence: [{ type: 1, address, height: 5n, power: 7n, time: 0n }],
  time: 256n,
}
// By hand (Yellow Paper, appendix B): the vote is c0+25 = d9 with 94 address, 82 03e8, 02; its list da. The evidence is d9 with
// 01, 94 address, 05, 07, 80; its list da. The whole is f8+ with 01, da…, da…, 82 0100: 1 + 27 + 27 + 3 = 58 bytes, f8 3a.
const vote = `d994${'aa'.repeat(20)}8203e802`
const evidence = `d90194${'aa'.repeat(20)}050780`
const encoded = `0xf83a01da${vote}da${evidence}820100` as const

it('commit info is encoded as RLP and decoded to the same value', () => {
  expect(toHex(encodeCommitInfo(commit))).toBe(encoded)
  expect(decodeCommitInfo(fromHex(encoded))).toEqual(commit)
  expect(commitInfoHash(commit)).toBe(keccakHash(fromHex(encoded)))
})

it.each([
  ['0x', 'nothing'],
  ['0xc0', 'an empty list'],
  ['0xc401c0c080ff', 'more bytes than its list'],
  [`0xf83a00da${vote}da${evidence}820100`, 'a leading zero'],
  [`0xf83b01da${vote}da${evidence}82010001`, 'a fifth element'],
])('refuses %s: %s', (bytes) => {
  expect(() => decodeCommitInfo(fromHex(bytes as `0x${string}`))).toThrow(
    expect.objectContaining({ name: 'ChainError', code: 'invalid-block' }),
  )
})
