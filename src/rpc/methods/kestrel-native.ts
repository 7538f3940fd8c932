// The native contracts, and messages to them from a state that is not the chain's: Foundry's EVM reaches them so
// (`solidity/forge/Kestrel.sol`).
import { z } from 'zod'
import { address, atBlock, data, string } from '../codec.ts'
import { rpcMethod } from '../define.ts'
import { encodeInnerCallOutcome, readInnerCall } from '../shapes/inner-call.ts'

export const kestrel_getNativeContracts = rpcMethod({
  summary:
    'The accounts whose code is part of the node, after a block: native contracts, module accounts, contracts of coins.',
  params: [atBlock],
  names: ['block'],
  result: z.array(z.object({ address, name: string })).readonly(),
  heavy: true,
  committed: true,
  handler: ([ref], { chain }, signal) => chain.stateQueries.nativeAccounts(ref, signal),
})

export const kestrel_innerCall = rpcMethod({
  summary:
    'Runs a message as a contract within a transaction sends it, on the state after the block of its number, or the newest, with ' +
    'the given accounts. Parameter and result are ABI-encoded, as solidity/forge/Kestrel.sol declares them; the result has ' +
    'everything that was read or changed of the state.',
  params: [data],
  names: ['call'],
  result: data,
  heavy: true,
  committed: true,
  async handler([encoded], { chain }, signal) {
    const call = readInnerCall(encoded)
    const { number } = call.block
    const ref = number < chain.head.number ? { number } : 'latest'
    return encodeInnerCallOutcome(await chain.innerCall(call, ref, signal))
  },
})
