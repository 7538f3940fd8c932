// How validators are named in calls and answers: bech32 text of their operator, `<prefix>valoper1…`. A call may also
// give the 20 bytes as 0x hex, because Solidity code can hardly write bech32.
import { readAddress, toBech32 } from '../lib/bech32.ts'
import { ChainError } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import { operatorPrefix } from '../spec/addresses.ts'
import type { NativeSpec } from '../spec/chain-spec.ts'

/** The operator that a text names. Throws ChainError `invalid validator address: <text>: <why>`. */
export function operatorNamed({ bech32Prefix }: NativeSpec, text: string): Address {
  try {
    return readAddress(operatorPrefix(bech32Prefix), text)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw new ChainError('execution-reverted', `invalid validator address: ${text}: ${error.message}`)
  }
}

/** Its text, lower case: what answers hold and what events hash. */
export const operatorName = ({ bech32Prefix }: NativeSpec, operator: Address): string =>
  toBech32(operatorPrefix(bech32Prefix), operator)
