// Proxies: contracts that run another contract's code. Kind and implementation are derived from the state alone, by the
// standards' code patterns and storage slots.
import {
  type Address,
  equalBytes,
  fromHex,
  type Hash,
  hexToHash,
  padLeft,
  toAddress,
  ZERO_ADDRESS,
} from '../lib/hex.ts'
import { delegationOf } from '../primitives/delegation.ts'
import type { StateView } from '../state/types.ts'

/** Names of the kinds, as in Blockscout's API. */
export type ProxyType = 'eip1167' | 'eip1967' | 'eip1822' | 'eip7702' | 'master_copy'
export type ProxyOf = { readonly type: ProxyType; readonly implementations: readonly Address[] }

/** Code before and after the address in a minimal proxy: EIP-1167, its shorter variant, ERC-7511. */
const MINIMAL = [
  ['0x363d3d373d3d3d363d73', '0x5af43d82803e903d91602b57fd5bf3'],
  ['0x3d3d3d3d363d3d37363d73', '0x5af43d3d93803e602a57fd5bf3'],
  ['0x365f5f375f5f365f73', '0x5af43d5f5f3e5f3d91602a57fd5bf3'],
].map(([before = '', after = '']) => ({ before: fromHex(before), after: fromHex(after) }))

/** EIP-1967: keccak256('eip1967.proxy.implementation') - 1, and '…beacon'. */
const IMPLEMENTATION = hexToHash('0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc')
const BEACON = hexToHash('0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50')
/** EIP-1822: keccak256('PROXIABLE'). */
const PROXIABLE = hexToHash('0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7')
/** keccak256('org.zeppelinos.proxy.implementation'), of proxies older than the standards. */
const ZEPPELIN = hexToHash('0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3')

/** The Safe's proxy implements `masterCopy()` itself: its code pushes this selector as a word. Slot 0 has the singleton. */
const MASTER_COPY = Buffer.from(`7fa619486e${'00'.repeat(28)}`, 'hex')
/** Maximum code size for searching MASTER_COPY; the Safe's proxy has less than 200 bytes. */
const MAX_SAFE_PROXY = 512

const slot = (position: number): Hash => hexToHash(`0x${position.toString(16).padStart(64, '0')}`)
/** Slots in which beacons store the implementation: after the owner (OpenZeppelin), or first. */
const BEACON_SLOTS = [slot(1), slot(0), IMPLEMENTATION]

/** The kind and implementation of a proxy; undefined for other accounts. */
export function proxyIn(view: StateView, address: Address): ProxyOf | undefined {
  const code = view.code(address)
  if (code.length === 0) return undefined
  const delegate = delegationOf(code)
  if (delegate !== undefined) return { type: 'eip7702', implementations: [delegate] }
  const target = minimalProxyTarget(code)
  if (target !== undefined) return { type: 'eip1167', implementations: [target] }

  const named = (type: ProxyType, at: Hash): ProxyOf | undefined => {
    const implementation = addressIn(view, address, at)
    return implementation && { type, implementations: [implementation] }
  }
  return (
    named('eip1967', IMPLEMENTATION) ??
    beaconProxy(view, address) ??
    named('eip1822', PROXIABLE) ??
    named('eip1967', ZEPPELIN) ??
    (code.length < MAX_SAFE_PROXY && Buffer.from(code).includes(MASTER_COPY)
      ? named('master_copy', slot(0))
      : undefined)
  )
}

/** The implementation in the code of a minimal proxy. Immutable arguments may follow that code. */
function minimalProxyTarget(code: Uint8Array): Address | undefined {
  for (const { before, after } of MINIMAL) {
    const end = before.length + 20
    if (!equalBytes(code.subarray(0, before.length), before)) continue
    if (equalBytes(code.subarray(end, end + after.length), after)) return toAddress(code.subarray(before.length, end))
  }
  return undefined
}

/** Reads the implementation from the beacon's storage, so the beacon need not be called. */
function beaconProxy(view: StateView, address: Address): ProxyOf | undefined {
  const beacon = addressIn(view, address, BEACON)
  if (beacon === undefined) return undefined
  const implementation = BEACON_SLOTS.map((at) => addressIn(view, beacon, at)).find(
    (found) => found !== undefined && view.code(found).length > 0,
  )
  return { type: 'eip1967', implementations: implementation === undefined ? [] : [implementation] }
}

/** The address in a slot; undefined for an empty slot, or a value that is not an address. */
function addressIn(view: StateView, of: Address, at: Hash): Address | undefined {
  const word = view.word(of, at)
  if (word.length === 0 || word.length > 20) return undefined
  const found = toAddress(padLeft(word, 20))
  return found === ZERO_ADDRESS ? undefined : found
}
