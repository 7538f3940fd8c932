// Proxy patterns and slots of the standards; slots are hashed here independently.
import { id, toBeHex } from 'ethers'
import { describe, expect, it } from 'vitest'
import { proxyIn } from '../../src/contracts/proxy.ts'
import { type Address, fromHex, hexToAddress, hexToHash } from '../../src/lib/hex.ts'
import type { StateView } from '../../src/state/types.ts'
import { emptyView } from '../support/native.ts'

const proxy = hexToAddress(`0x${'11'.repeat(20)}`)
const target = hexToAddress(`0x${'be'.repeat(20)}`)
const owner = hexToAddress(`0x${'0f'.repeat(20)}`)
const beacon = hexToAddress(`0x${'bc'.repeat(20)}`)
const CODE = fromHex('0x6000')

const standardSlot = (name: string): string => toBeHex(BigInt(id(name)) - 1n, 32)
const first = toBeHex(0, 32)
const second = toBeHex(1, 32)

function put(view: StateView, of: Address, slot: string, value: Address): void {
  view.setWord(of, hexToHash(slot), fromHex(value))
}

async function world(code: Uint8Array = CODE): Promise<StateView> {
  const view = await emptyView()
  view.setCode(proxy, code)
  view.setCode(target, CODE)
  return view
}

describe('proxy detection by code', () => {
  const minimal = `363d3d373d3d3d363d73${target.slice(2)}5af43d82803e903d91602b57fd5bf3`

  it.each([
    ['EIP-1167', minimal],
    ['EIP-1167 with arguments behind it', `${minimal}0000002a`],
    ['the shorter clone', `3d3d3d3d363d3d37363d73${target.slice(2)}5af43d3d93803e602a57fd5bf3`],
    ['ERC-7511', `365f5f375f5f365f73${target.slice(2)}5af43d5f5f3e5f3d91602a57fd5bf3`],
  ])('is %s', async (_, code) => {
    const view = await world(fromHex(`0x${code}`))
    expect(proxyIn(view, proxy)).toEqual({ type: 'eip1167', implementations: [target] })
  })

  it('finds an account that delegates (EIP-7702)', async () => {
    const view = await world(fromHex(`0xef0100${target.slice(2)}`))
    expect(proxyIn(view, proxy)).toEqual({ type: 'eip7702', implementations: [target] })
  })

  it('does not find code that only begins like a proxy', async () => {
    expect(proxyIn(await world(fromHex(`0x${minimal.slice(0, -2)}`)), proxy)).toBeUndefined()
    expect(proxyIn(await world(fromHex(`0xef0100${target.slice(2)}00`)), proxy)).toBeUndefined()
    expect(proxyIn(await world(), owner)).toBeUndefined()
  })
})

describe('proxy detection by storage', () => {
  it.each([
    ['eip1967', standardSlot('eip1967.proxy.implementation')],
    ['eip1822', id('PROXIABLE')],
    ['eip1967', id('org.zeppelinos.proxy.implementation')],
  ])('is %s at %s', async (type, slot) => {
    const view = await world()
    expect(proxyIn(view, proxy)).toBeUndefined()
    put(view, proxy, slot, target)
    expect(proxyIn(view, proxy)).toEqual({ type, implementations: [target] })
  })

  it.each([
    ['behind its owner', second],
    ['first', first],
    ['where proxies do', standardSlot('eip1967.proxy.implementation')],
  ])('follows a beacon that keeps it %s', async (_, slot) => {
    const view = await world()
    put(view, proxy, standardSlot('eip1967.proxy.beacon'), beacon)
    expect(proxyIn(view, proxy)).toEqual({ type: 'eip1967', implementations: [] })
    view.setCode(beacon, CODE)
    if (slot === second) {
      put(view, beacon, first, owner)
      view.setCode(owner, CODE)
    }
    put(view, beacon, slot, target)
    expect(proxyIn(view, proxy)).toEqual({ type: 'eip1967', implementations: [target] })
  })

  it('finds a Safe, which answers masterCopy()', async () => {
    const selector = id('masterCopy()').slice(2, 10)
    const view = await world(fromHex(`0x73${'ff'.repeat(20)}7f${selector}${'00'.repeat(28)}f4`))
    expect(proxyIn(view, proxy)).toBeUndefined()
    put(view, proxy, first, target)
    expect(proxyIn(view, proxy)).toEqual({ type: 'master_copy', implementations: [target] })
  })

  it('does not find a slot that holds no address', async () => {
    const view = await world()
    view.setWord(proxy, hexToHash(id('PROXIABLE')), fromHex(`0x01${target.slice(2)}`))
    expect(proxyIn(view, proxy)).toBeUndefined()
  })
})
