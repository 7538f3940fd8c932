// Identifies the client of a connection, for the limits that clients share: connections, memory, heavy calls, subscriptions.
import { BlockList, isIP, isIPv6 } from 'node:net'

/** The client of a network address; undefined for addresses without a share. */
export type ClientOf = (address: string | undefined) => string | undefined

/** Groups of 16 bits in an IPv6 prefix of one customer: 64 bits (RFC 6177), within which a customer can use any address. */
const IPV6_GROUPS = 4

/**
 * Identifies clients by IPv4 address, or by the first 64 bits of the IPv6 address. Programs of this machine have no share, nor
 * do `proxies` (addresses or CIDR networks), which connect for many clients.
 */
export function clientsBehind(proxies: readonly string[]): ClientOf {
  const exempt = new BlockList()
  for (const network of ['127.0.0.0/8', '::1/128', ...proxies]) {
    const { address, prefix, family } = parseNetwork(network)
    exempt.addSubnet(address, prefix, family)
  }
  return (given) => {
    if (given === undefined) return undefined
    const address = given.replace(/^::ffff:(?=\d+\.)/i, '')
    const isLong = isIPv6(address)
    if (exempt.check(address, isLong ? 'ipv6' : 'ipv4')) return undefined
    return isLong ? networkOf(address) : address
  }
}

/** Whether a text is an IP address or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  const { address, prefix, family } = parseNetwork(text)
  return isIP(address) > 0 && Number.isInteger(prefix) && prefix >= 0 && prefix <= (family === 'ipv6' ? 128 : 32)
}

function parseNetwork(text: string) {
  const [address = '', prefix] = text.split('/')
  const family = isIPv6(address) ? 'ipv6' : 'ipv4'
  const longest = family === 'ipv6' ? 128 : 32
  return {
    address,
    prefix: prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : NaN,
    family,
  } as const
}

/** The first 64 bits of an IPv6 address, unabbreviated: `2001:db8:0:0`. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? []
  const groups = (part: string | undefined) => (part ? part.split(':') : [])
  const before = groups(head)
  const after = groups(tail)
  const missing = tail === undefined ? 0 : 8 - before.length - after.length
  const all = [...before, ...Array.from({ length: Math.max(missing, 0) }, () => '0'), ...after]
  return all
    .slice(0, IPV6_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
