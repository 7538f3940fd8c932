// The chain's own spelling of addresses (BIP-173), as Cosmos wallets show them: `kest1…`.
import { bech32 } from '@scure/base'

/** Prefix of accounts; undefined of chains without native modules. The node writes it into the document. */
const PREFIX = document.documentElement.dataset.prefix

/** The address in the chain's own spelling; undefined where it has none. */
export function nativeSpelling(address: string): string | undefined {
  if (!PREFIX) return undefined
  const bytes = Uint8Array.from(address.slice(2).match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
  return bech32.encode(PREFIX, bech32.toWords(bytes))
}
