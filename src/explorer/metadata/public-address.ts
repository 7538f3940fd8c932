// Which network addresses documents may be fetched from. URLs come from contracts, and other machines of the node's network may
// trust it, so only addresses of the public internet are called.
import ipaddr from 'ipaddr.js'

const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')

/**
 * Whether an IP address is on the public internet: not private, loopback, link-local, shared, multicast, reserved, nor an IPv6
 * address that contains an IPv4 one (mapped, translated, tunnelled).
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST)
}
