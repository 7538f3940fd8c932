// The parameter and the result of kestrel_innerCall: values as Solidity encodes them, because the caller is a contract, in Foundry's
// EVM. `solidity/forge/Kestrel.sol` declares the same structures.
import { decodeAbiParameters, encodeAbiParameters, parseAbiParameters } from 'viem'
import { ChainError } from '../../lib/errors.ts'
import { bigToWord, fromHex, hexToAddress, hexToHash, toHex } from '../../lib/hex.ts'
import type { InnerCall, InnerCallOutcome } from '../../runtime/inner-call.ts'

const structs = [
  'struct Slot { bytes32 key; bytes32 word; }',
  'struct Account { address account; uint256 balance; bytes32 codeHash; bytes code; Slot[] slots; }',
  'struct Call { address origin; address sender; address to; uint256 value; bytes data; uint256 gas; bool isStatic; uint256 number; uint256 time; address coinbase; }',
  'struct Log { address emitter; bytes32[] topics; bytes data; }',
  'struct Outcome { bool success; bytes output; uint256 gasUsed; Log[] logs; Account[] before; Account[] later; }',
] as const
const parameters = parseAbiParameters(['Call call, Account[] known', ...structs])
const results = parseAbiParameters(['Outcome outcome', ...structs])

/** Throws ChainError `invalid-params` for bytes that are no encoding of a call. */
export function readInnerCall(encoded: Uint8Array): InnerCall {
  const [call, known] = decoded(encoded)
  return {
    origin: hexToAddress(call.origin),
    message: {
      from: hexToAddress(call.sender),
      to: hexToAddress(call.to),
      value: call.value,
      input: fromHex(call.data),
      gasLimit: call.gas,
      isStatic: call.isStatic,
    },
    block: { number: call.number, time: call.time, feeRecipient: hexToAddress(call.coinbase) },
    known: new Map(
      known.map(({ account, balance, codeHash, code, slots }) => [
        hexToAddress(account),
        {
          balance,
          codeHash: hexToHash(codeHash),
          code: fromHex(code),
          slots: new Map(slots.map(({ key, word }) => [hexToHash(key), hexToHash(word)])),
        },
      ]),
    ),
  }
}

function decoded(encoded: Uint8Array) {
  try {
    return decodeAbiParameters(parameters, toHex(encoded))
  } catch (error) {
    throw new ChainError('invalid-params', 'not the ABI encoding of a call and accounts', undefined, String(error))
  }
}

/** `later` has the accounts and slots of `before`, with code where it is new; it is empty after a failure. */
export function encodeInnerCallOutcome({ error, output, gasUsed, logs, accessed }: InnerCallOutcome): Uint8Array {
  const success = error === undefined
  const accountsAt = (time: 'before' | 'after') =>
    accessed.map(
      ({ address, newCode, slots, [time]: { balance, codeHash } }) =>
        ({
          account: address,
          balance,
          codeHash,
          code: time === 'after' && newCode !== undefined ? toHex(newCode) : '0x',
          slots: slots.map(({ key, [time]: word }) => ({ key, word: bigToWord(word) })),
        }) as const,
    )
  const outcome = {
    success,
    output: toHex(output),
    gasUsed,
    logs: logs.map(({ address, topics, data }) => ({ emitter: address, topics, data: toHex(data) })),
    before: accountsAt('before'),
    later: success ? accountsAt('after') : [],
  }
  return fromHex(encodeAbiParameters(results, [outcome]))
}
