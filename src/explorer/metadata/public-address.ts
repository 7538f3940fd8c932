// Which network addresses a document may be fetched from. URLs come from contracts, and the node may stand in a network whose
// other machines trust it, so only addresses of the public internet are called.
import ipaddr from 'ipaddr.js'

const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')

/**
 * Whether an IP address belongs to the public internet: neither private, loopback, link-local, shared, multicast, reserved,
 * nor an IPv6 address that stands for an IPv4 one (mapped, translated, tunnelled).
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST)
}
