// Lookups of host names that refuse addresses. The addresses that are checked are those that the connection uses: a name that is
// looked up for a check, and once more for the connection, may have another address by then (DNS rebinding).
import { lookup as dnsLookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'

type IpAddress = { readonly address: string; readonly family: number }

/** Resolves hosts and decides which addresses a request may use. */
export type Dialer = {
  /** Addresses of a host name. */
  readonly resolve: (host: string) => Promise<readonly IpAddress[]>
  readonly isAllowed: (address: string) => boolean
}

/** The system's resolver. */
export const resolveHost: Dialer['resolve'] = (host) => dnsLookup(host, { all: true, verbatim: true })

/** A name has an address that may not be used. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress'
}

/**
 * The `lookup` of a connection. One refused address makes it refuse the name, with the words of `refusal`. Sockets do not call it for
 * hosts that are addresses: check those before.
 */
export const checkedLookup =
  ({ resolve, isAllowed }: Dialer, refusal: (host: string) => string): LookupFunction =>
  (host, options, callback) => {
    resolve(host).then(
      (found) => {
        const [first] = found
        if (!found.every(({ address }) => isAllowed(address))) callback(new RefusedAddress(refusal(host)), '')
        else if (first === undefined) callback(new Error(`${host} has no address`), '')
        else if (options.all) callback(null, [...found])
        else callback(null, first.address, first.family)
      },
      (error: Error) => callback(error, ''),
    )
  }
