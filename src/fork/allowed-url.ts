// URLs that clients may name. A node in a cloud reaches its machine's keys at a link-local address, so those are refused.
import { BlockList, isIPv6 } from 'node:net'
import { checkedLookup, resolveHost } from '../lib/checked-lookup.ts'
import { ChainError } from '../lib/errors.ts'

const LINK_LOCAL = new BlockList()
LINK_LOCAL.addSubnet('169.254.0.0', 16, 'ipv4')
LINK_LOCAL.addSubnet('fe80::', 10, 'ipv6')
// The same addresses of IPv4 within IPv6.
for (const prefix of ['::ffff:', '64:ff9b::', '::']) LINK_LOCAL.addSubnet(`${prefix}169.254.0.0`, 112, 'ipv6')
// The metadata service of a large cloud over IPv6.
LINK_LOCAL.addAddress('fd00:ec2::254', 'ipv6')

const isAllowed = (address: string): boolean => !LINK_LOCAL.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
const REFUSAL = 'has a link-local address'

/** For connections to URLs that clients have named: their names may have other addresses than when `allowedUrl` looked them up. */
export const allowedLookup = checkedLookup({ resolve: resolveHost, isAllowed }, () => REFUSAL)

/** The URL of a JSON-RPC server; undefined: the text is none. */
export function serverUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^(https?|wss?):$/.test(url.protocol) && url.hostname !== '' ? url : undefined
}

/** The URL of a chain to fork. Throws ChainError `invalid-params` for another scheme and for a link-local address. */
export async function allowedUrl(text: string): Promise<URL> {
  const url = serverUrl(text)
  // The text may hold a key.
  if (url === undefined) throw new ChainError('invalid-params', 'expected an http, https, ws or wss URL')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const refuse = (why: string): never => {
    throw new ChainError('invalid-params', `${url.protocol}//${url.host} ${why}`)
  }
  const found = await resolveHost(host).catch(() => refuse('has no address'))
  if (!found.every(({ address }) => isAllowed(address))) refuse(REFUSAL)
  return url
}
