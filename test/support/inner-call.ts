// The encodings of kestrel_innerCall, as solidity/forge/Kestrel.sol declares them.
import {
  type Address,
  decodeAbiParameters,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { account } from './chain.ts'

const structs = [
  'struct Slot { bytes32 key; bytes32 word; }',
  'struct Account { address account; uint256 balance; bytes32 codeHash; bytes code; Slot[] slots; }',
  'struct Call { address origin; address sender; address to; uint256 value; bytes data; uint256 gas; bool isStatic; uint256 number; uint256 time; address coinbase; }',
  'struct Log { address emitter; bytes32[] topics; bytes data; }',
  'struct Outcome { bool success; bytes output; uint256 gasUsed; Log[] logs; Account[] before; Account[] later; }',
] as const
const parameters = parseAbiParameters(['Call call, Account[] known', ...structs])
const results = parseAbiParameters(['Outcome outcome', ...structs])

const owner: Address = account(0).address
const bech32 = parseAbi(['function hexToBech32(address account, string prefix) view returns (string)'])

const CALL = {
  origin: owner,
  sender: owner,
  to: '0x0000000000000000000000000000000000000400' as Address,
  value: 0n,
  data: encodeFunctionData({ abi: bech32, functionName: 'hexToBech32', args: [owner, 'kest'] }),
  gas: 1_000_000n,
  isStatic: false,
  number: 0n,
  time: 0n,
  coinbase: `0x${'00'.repeat(20)}` as Address,
}

export type KnownAccount = {
  readonly account: Address
  readonly balance: bigint
  readonly codeHash: Hex
  readonly code: Hex
  readonly slots: readonly { readonly key: Hex; readonly word: Hex }[]
}

/** A query of the first account in block 0, with these changes. */
export const encodeInnerCall = (changes: Partial<typeof CALL> = {}, known: readonly KnownAccount[] = []): Hex =>
  encodeAbiParameters(parameters, [{ ...CALL, ...changes }, known])

export const decodeOutcome = (result: unknown) => decodeAbiParameters(results, result as Hex)[0]
