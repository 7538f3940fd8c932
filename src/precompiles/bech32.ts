// Bech32: converts addresses to text and back, which is expensive in Solidity, and the validator names `<prefix>valoper1…` of
// the other precompiles. It reads no state. (The functions are those of Evmos, but `view`, so that view functions may call
// them.)

import { decodeBech32, fromBech32, isPrefix, readAddress, toBech32 } from '../lib/bech32.ts'
import { ChainError } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import { reverted } from '../modules/module.ts'
import { consensusPrefix, NATIVE_CONTRACT, operatorPrefix } from '../spec/addresses.ts'
import type { NativeSpec } from '../spec/chain-spec.ts'
import { definePrecompile, implement } from './define.ts'
import { bech32Abi } from './generated/abi.ts'

export const bech32 = definePrecompile({
  name: 'bech32',
  address: NATIVE_CONTRACT.bech32,
  since: 0n,
  abi: bech32Abi,
  functions: implement(bech32Abi, {
    gas: { hexToBech32: 6_000n, bech32ToHex: 6_000n },
    functions: {
      hexToBech32({ spec }, addr, prefix) {
        if (prefix.trim() === '') {
          const own = spec.bech32Prefix
          const examples = [own, operatorPrefix(own), consensusPrefix(own)].join(', ')
          throw reverted(`invalid bech32 human readable prefix (HRP): expected one such as ${examples}`)
        }
        return [encode(prefix, addr)]
      },
      bech32ToHex(_call, text) {
        if (!text.includes('1')) throw reverted(`invalid bech32 address: ${text}`)
        return [fromBech32(decodeBech32(text).prefix, text)]
      },
    },
  }),
})

/** Throws ChainError for a prefix with characters that are not visible ASCII, or with which the text exceeds 90 characters. */
function encode(prefix: string, address: Address): string {
  if (isPrefix(prefix)) return toBech32(prefix, address)
  throw reverted('invalid bech32 human readable prefix (HRP): expected up to 51 visible ASCII characters')
}

/** The operator's address for a validator name. Throws ChainError `invalid validator address: <text>: <why>`. */
export function operatorNamed({ bech32Prefix }: NativeSpec, text: string): Address {
  try {
    return readAddress(operatorPrefix(bech32Prefix), text)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw new ChainError('execution-reverted', `invalid validator address: ${text}: ${error.message}`)
  }
}

/** The validator in an event: its name, or with cosmos/evm's interfaces its operator's address. */
export const operatorInEvent = (spec: NativeSpec, operator: Address): string =>
  spec.interfaces === 'cosmos-evm' ? operator : operatorName(spec, operator)

/** The validator name, lower case, as in return values and hashed in events. */
export const operatorName = ({ bech32Prefix }: NativeSpec, operator: Address): string =>
  toBech32(operatorPrefix(bech32Prefix), operator)
