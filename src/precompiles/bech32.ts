// Bech32: addresses as text and back, which Solidity can hardly do itself. It reads no state.
// (The functions are Evmos'. There they are not `view`; here they are, so that view functions may call them too.)
import { parseAbi } from 'viem'
import { decodeBech32, fromBech32, isPrefix, toBech32 } from '../lib/bech32.ts'
import { ChainError } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import { consensusPrefix, NATIVE_CONTRACT, operatorPrefix } from '../spec/addresses.ts'
import { definePrecompile, implement } from './define.ts'

const abi = parseAbi([
  'function hexToBech32(address addr, string prefix) view returns (string bech32Address)',
  'function bech32ToHex(string bech32Address) view returns (address addr)',
])

const refused = (why: string): ChainError => new ChainError('execution-reverted', why)

export const bech32 = definePrecompile({
  name: 'bech32',
  address: NATIVE_CONTRACT.bech32,
  since: 0n,
  interfaces: [
    implement({
      abi,
      gas: { hexToBech32: 6_000n, bech32ToHex: 6_000n },
      functions: {
        hexToBech32({ spec }, addr, prefix) {
          if (prefix.trim() === '') {
            const own = spec.bech32Prefix
            const examples = [own, operatorPrefix(own), consensusPrefix(own)].join(', ')
            throw refused(`invalid bech32 human readable prefix (HRP): expected one such as ${examples}`)
          }
          return [encode(prefix, addr)]
        },
        bech32ToHex(_call, text) {
          if (!text.includes('1')) throw refused(`invalid bech32 address: ${text}`)
          return [fromBech32(decodeBech32(text).prefix, text)]
        },
      },
    }),
  ],
})

/** Throws ChainError on a prefix with characters outside ASCII's visible ones, or so long that the text exceeds 90. */
function encode(prefix: string, address: Address): string {
  if (isPrefix(prefix)) return toBech32(prefix, address)
  throw refused('invalid bech32 human readable prefix (HRP): expected up to 51 visible ASCII characters')
}
