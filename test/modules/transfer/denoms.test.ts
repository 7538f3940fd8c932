// Denominations of IBC vouchers. V1 is the specification's vector; paths are split as in ibc-go v7.
import fc from 'fast-check'
import { getAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  checkDenom,
  checkTrace,
  fullPath,
  hashText,
  parseTrace,
  readHash,
  traceHash,
  voucherAddress,
  voucherDenom,
  voucherMetadata,
} from '../../../src/modules/transfer/denoms.ts'
import { nativeSpec } from '../../support/native.ts'

const UATOM = '27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2'

describe('hashes of denominations', () => {
  it('V1: are the SHA-256 of the whole path', () => {
    expect(hashText(traceHash('transfer/channel-0/uatom'))).toBe(UATOM)
    expect(hashText(traceHash('transfer/channel-3/uatom'))).toBe(
      'A4DB47A9D3CF9A068D454513891B526702455D3EF08FB9EB558C561F9DC2B701',
    )
    expect(hashText(traceHash('transfer/channel-1/aevmos'))).toBe(
      '6993F2B27985C9363D3B94D702111940055833A2BA86DA93F33A67D03E4D1B7D',
    )
    expect(hashText(traceHash('transfer/channel-0/transfer/channel-141/uosmo'))).toBe(
      '34DFCA8EEDE4A14ECDA79AC56E024EE3AA497DC4D7E812DE9FD09B17D348E282',
    )
    expect(voucherDenom(traceHash('transfer/channel-0/uatom'))).toBe(`ibc/${UATOM}`)
  })

  it('V1: end in the address of the ERC-20 contract', () => {
    expect(getAddress(voucherAddress(traceHash('transfer/channel-0/uatom')))).toBe(
      getAddress('0xf36e4C1F926001CEaDa9cA97ea622B25f41e5eB2'),
    )
  })

  it('are read with and without ibc/, in any case', () => {
    for (const text of [UATOM, UATOM.toLowerCase(), `ibc/${UATOM}`, `ibc/${UATOM.toLowerCase()}`]) {
      expect(hashText(readHash(text))).toBe(UATOM)
    }
    expect(() => readHash(`${UATOM}00`)).toThrow('expected size to be 32 bytes')
    expect(() => readHash(UATOM.replace('2', 'x'))).toThrow('expected hexadecimal digits')
    expect(() => readHash('')).toThrow('expected size to be 32 bytes')
  })
})

describe('denomination traces', () => {
  it.each([
    ['uatom', '', 'uatom'],
    ['transfer/channel-0/uatom', 'transfer/channel-0', 'uatom'],
    ['transfer/channel-0/transfer/channel-141/uosmo', 'transfer/channel-0/transfer/channel-141', 'uosmo'],
    [
      'transfer/channel-1/erc20/0x5FbDB2315678afecb367f032d93F642f64180aa3',
      'transfer/channel-1',
      'erc20/0x5FbDB2315678afecb367f032d93F642f64180aa3',
    ],
    ['gamm/pool/1', '', 'gamm/pool/1'],
    ['transfer/channel-0/gamm/pool/1', 'transfer/channel-0', 'gamm/pool/1'],
    ['transfer/channelToA/uatom', '', 'transfer/channelToA/uatom'],
    // The last segment is the base denomination even if it looks like a channel.
    ['transfer/channel-0', '', 'transfer/channel-0'],
    ['transfer/channel-0/', 'transfer/channel-0', ''],
  ])('%s is split into path and base denomination', (full, path, baseDenom) => {
    expect(parseTrace(full, 'channels')).toEqual({ path, baseDenom })
    expect(fullPath({ path, baseDenom })).toBe(full)
  })

  // The cases of ibc-go's TestExtractDenomFromPath, and ids of other clients. ibc-go leaves nothing of invalid path (3) as base, which it
  // refuses; here it has a slash, which is refused too.
  it.each([
    ['atom/', '', 'atom/'],
    ['foo///bar//baz/atom/', '', 'foo///bar//baz/atom/'],
    ['transfer/channel-0/atom', 'transfer/channel-0', 'atom'],
    ['transfer/07-tendermint-0/atom', 'transfer/07-tendermint-0', 'atom'],
    ['transfer/channel-0/transfer/channel-60/atom', 'transfer/channel-0/transfer/channel-60', 'atom'],
    ['//uatom', '', '//uatom'],
    [
      'transfer/channel-1/erc20/0x85bcBCd7e79Ec36f4fBBDc54F90C643d921151AA',
      'transfer/channel-1',
      'erc20/0x85bcBCd7e79Ec36f4fBBDc54F90C643d921151AA',
    ],
    ['customtransfer/channel-1/uatom', 'customtransfer/channel-1', 'uatom'],
    ['channel-1/transfer/uatom', '', 'channel-1/transfer/uatom'],
    ['transfer/channel-1', '', 'transfer/channel-1'],
    ['transfer/channelToA/uatom', '', 'transfer/channelToA/uatom'],
    ['transfer/08-wasm-12/transfer/client-0/uatom', 'transfer/08-wasm-12/transfer/client-0', 'uatom'],
    ['transfer/-tendermint-0/atom', '', 'transfer/-tendermint-0/atom'],
    ['transfer/07-tendermint-/atom', '', 'transfer/07-tendermint-/atom'],
  ])('%s is split as in ibc-go 11 on chains with IBC', (full, path, baseDenom) => {
    expect(parseTrace(full, 'clients')).toEqual({ path, baseDenom })
  })

  it('of a hostile name are split in time that grows with its length', () => {
    const name = `transfer/${'a-'.repeat(30_000)}/x`
    const start = process.cpuUsage()
    expect(parseTrace(name, 'clients')).toEqual({ path: '', baseDenom: name })
    // 60,000 letters take below 10 ms; an expression that tries every division of them takes seconds to hours.
    expect(process.cpuUsage(start).user).toBeLessThan(500_000)
  })

  it('are rebuilt from their parts', () => {
    const hop = fc.nat(9_999).map((number) => `transfer/channel-${number}`)
    const base = fc.stringMatching(/^[a-z][a-z0-9]{2,20}(\/[a-z0-9]{1,9})?$/)
    fc.assert(
      fc.property(fc.array(hop, { maxLength: 5 }), base, (hops, baseDenom) => {
        const trace = { path: hops.join('/'), baseDenom }
        expect(parseTrace(fullPath(trace), 'channels')).toEqual(trace)
      }),
    )
  })

  it('have a valid base denomination, ports and channels', () => {
    expect(() => checkTrace(parseTrace('transfer/channel-0/', 'channels'))).toThrow('base denomination cannot be blank')
    expect(() => checkTrace(parseTrace('', 'channels'))).toThrow('base denomination cannot be blank')
    expect(() => checkTrace(parseTrace('(transfer)/channel-0/uatom', 'channels'))).toThrow(
      'invalid port ID at position 0',
    )
    expect(() => checkTrace(parseTrace('transfer/channel-0/uatom', 'channels'))).not.toThrow()
  })
})

describe('texts of denominations', () => {
  it.each(['akest', `ibc/${UATOM}`, `ibc/${UATOM.toLowerCase()}`, 'erc20/0x5FbDB2315678afecb367f032d93F642f64180aa3'])(
    '%s may be sent',
    (denom) => expect(() => checkDenom(denom)).not.toThrow(),
  )

  it.each([
    ['ab', 'invalid denom: ab'],
    ['1akest', 'invalid denom: 1akest'],
    ['a kest', 'invalid denom: a kest'],
    [`a${'k'.repeat(128)}`, 'invalid denom: '],
    ['ibc/', 'invalid denom trace hash : expected size to be 32 bytes'],
    ['ibc/27394F', 'invalid denom trace hash 27394F: expected size to be 32 bytes'],
    [`ibc/${UATOM.replace('2', 'x')}`, 'expected hexadecimal digits'],
  ])('%s may not be sent', (denom, why) => expect(() => checkDenom(denom)).toThrow(why))
})

describe('ERC-20 metadata of vouchers', () => {
  it('take decimals from the first letter, as Evmos does', () => {
    expect(voucherMetadata(nativeSpec, 'uatom', undefined)).toEqual({ name: 'Atom', symbol: 'ATOM', decimals: 6n })
    expect(voucherMetadata(nativeSpec, 'aevmos', undefined)).toEqual({ name: 'Evmos', symbol: 'EVMOS', decimals: 18n })
  })

  it('use the known metadata of the chain’s coin and token pairs, and do not guess that of other coins', () => {
    expect(voucherMetadata(nativeSpec, 'akest', undefined)).toEqual({ name: 'KEST', symbol: 'KEST', decimals: 18n })
    expect(voucherMetadata(nativeSpec, 'gamm/pool/1', undefined)).toEqual({
      name: 'gamm/pool/1',
      symbol: 'gamm/pool/1',
      decimals: 0n,
    })
  })
})
