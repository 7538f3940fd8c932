// Bech32 addresses of the chain (BIP-173), as Cosmos wallets show them: `kest1…`.
import { bech32 } from '@scure/base'

/** Prefix of accounts, written into the document by the node; undefined on chains without native modules. */
const PREFIX = document.documentElement.dataset.prefix

/** The bech32 form of an address; undefined if the chain has no prefix. */
export function nativeSpelling(address: string): string | undefined {
  if (!PREFIX) return undefined
  const bytes = Uint8Array.from(address.slice(2).match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
  return bech32.encode(PREFIX, bech32.toWords(bytes))
}
