// ICS20: transfers of coins and tokens to other chains over IBC channels. Transfers act for the sender in their arguments, if
// `authority.ts` allows the caller; grants are by channel and denomination.

import { ChainError } from '../lib/errors.ts'
import { type Address, hexToHash, ZERO_ADDRESS } from '../lib/hex.ts'
import type { Allocation } from '../modules/authz/allocations.ts'
import { MESSAGE } from '../modules/authz/messages.ts'
import { reverted } from '../modules/module.ts'
import { type DenomTrace, fullPath, hashText, readHash } from '../modules/transfer/denoms.ts'
import { PORT } from '../modules/transfer/genesis.ts'
import type { Sending } from '../modules/transfer/transfer.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import { authorizeTransfer, granterOf } from './authority.ts'
import { definePrecompile, type Functions, implement, type ReadCall, type WriteCall } from './define.ts'
import { ibcAbi, ics20Abi } from './generated/abi.ts'
import { shownPacket } from './ibc.ts'
import { type PaginationRequest, page } from './paging.ts'
import { tokensToCoins } from './tokens.ts'

/** Gas of each granted allocation, of each text in its lists, and of each returned allocation. */
const GRANT_GAS = 25_000n
const LISTED_GAS = 100n
const ALLOCATION_GAS = 500n
const APPROVE_GAS = 5_000n
/** Gas of converting tokens into coins, in addition to that of the token's contract. */
const CONVERT_GAS = 40_000n
const TRACE_GAS = 800n

const ANY_MEMO = ['*']

function grant(call: WriteCall<typeof ics20Abi>, spender: Address, allocations: readonly Allocation[]): void {
  const { authz, transfer } = call.modules
  if (spender === ZERO_ADDRESS) throw reverted(`invalid grantee address: ${spender}`)
  const granter = granterOf(call)
  authz.grantTransfer(granter, spender, allocations)
  for (const { sourcePort, sourceChannel } of allocations) {
    transfer.channels.end({ port: sourcePort, channel: sourceChannel })
  }
  for (const { sourcePort, sourceChannel, spendLimit } of authz.transferAllocations(granter, spender)) {
    call.emit('IBCTransferAuthorization', { grantee: spender, granter, sourcePort, sourceChannel, spendLimit })
  }
}

const changing =
  (how: 'increaseAllowance' | 'decreaseAllowance'): Functions<typeof ics20Abi>[typeof how] =>
  (call, spender, sourcePort, sourceChannel, denom, amount) => {
    const { authz } = call.modules
    const owner = granterOf(call)
    const change = how === 'increaseAllowance' ? 'increaseTransfer' : 'decreaseTransfer'
    const left = authz[change](owner, spender, { sourcePort, sourceChannel, denom }, amount)
    call.emit('AllowanceChange', { owner, spender, methods: [MESSAGE.transfer], values: [left] })
    return [true]
  }

/** Converts the sender's tokens into coins, as far as it lacks coins of the denomination. */
async function provideCoins(call: WriteCall<typeof ics20Abi>, { denom, sender, amount }: Sending): Promise<void> {
  const { erc20, bank } = call.modules
  const pair = erc20.pairOf(denom)
  if (pair?.owner !== 'external') return
  erc20.requireEnabled(pair)
  const missing = amount - bank.balance(sender, denom)
  if (missing <= 0n) return
  call.charge(CONVERT_GAS)
  await tokensToCoins(call, pair, sender, missing)
}

const grants = implement(ics20Abi, {
  gas: {
    'approve(address,Allocation[])': APPROVE_GAS,
    'approve(address,ICS20Allocation[])': APPROVE_GAS,
    revoke: 8_000n,
    increaseAllowance: 8_000n,
    decreaseAllowance: 8_000n,
    allowance: 3_000n,
  },
  functions: {
    'approve(address,Allocation[])'(call, spender, allocations) {
      for (const { allowList } of allocations) call.charge(GRANT_GAS + LISTED_GAS * BigInt(allowList.length))
      const any = allocations.map((allocation) => ({ ...allocation, allowedPacketData: ANY_MEMO }))
      grant(call, spender, any)
      return [true]
    },
    // Since Evmos v19 an allocation also lists the allowed memos.
    'approve(address,ICS20Allocation[])'(call, spender, allocations) {
      for (const { allowList, allowedPacketData } of allocations) {
        call.charge(GRANT_GAS + LISTED_GAS * BigInt(allowList.length + allowedPacketData.length))
      }
      grant(call, spender, allocations)
      return [true]
    },
    revoke(call, spender) {
      const owner = granterOf(call)
      call.modules.authz.revokeTransfer(owner, spender)
      call.emit('RevokeIBCTransferAuthorization', { owner, spender })
      return [true]
    },
    increaseAllowance: changing('increaseAllowance'),
    decreaseAllowance: changing('decreaseAllowance'),
    allowance({ modules, spec, charge }, owner, spender) {
      const isSwapped = spec.compat.allowanceOrder === 'grantee-first'
      const [granter, grantee] = isSwapped ? [spender, owner] : [owner, spender]
      const allocations = modules.authz.transferAllocations(granter, grantee)
      charge(ALLOCATION_GAS * BigInt(allocations.length))
      return [allocations]
    },
  },
})

/** What Evmos and cosmos/evm share. */
export const transfers = implement(ics20Abi, {
  gas: { transfer: 60_000n, denomHash: 2_600n },
  functions: {
    async transfer(call, sourcePort, sourceChannel, named, amount, sender, receiver, height, timestamp, memo) {
      const { erc20, transfer } = call.modules
      const denom = erc20.named(named)?.denom ?? named
      // A client of IBC version 2 has no port of its own, as in cosmos/evm.
      const port = sourcePort === '' && transfer.isClient({ port: PORT, channel: sourceChannel }) ? PORT : sourcePort
      const source = { port, channel: sourceChannel }
      const sending = { source, denom, amount, sender, receiver, timeout: { height, timestamp }, memo }
      transfer.check(sending)
      authorizeTransfer(call, sender, { sourcePort: port, sourceChannel, denom, amount, receiver, memo })
      transfer.requireSendEnabled()
      await provideCoins(call, sending)
      const { sequence, packet } = transfer.send(sending)
      if (packet !== undefined) {
        const shown = { clientId: sourceChannel, sequence, packet: shownPacket(packet) }
        call.emitOf({ address: NATIVE_CONTRACT.ibc, abi: ibcAbi }, 'SendPacket', shown)
      }
      call.emit('IBCTransfer', { sender, receiver, sourcePort, sourceChannel, denom, amount, memo })
      return [sequence]
    },
    denomHash({ modules }, trace) {
      const hash = modules.transfer.hashOf(trace)
      return [hash === undefined ? '' : hashText(hash)]
    },
  },
})

export const TRACE_PRICES = { one: 2_600n, list: 3_000n }

const traces = implement(ics20Abi, {
  gas: { denomTrace: TRACE_PRICES.one, denomTraces: TRACE_PRICES.list },
  functions: {
    denomTrace: (call, text) => [traceNamed(call, text) ?? { path: '', baseDenom: '' }],
    denomTraces: (call, pageRequest) => tracesOf(call, pageRequest),
  },
})

/** The trace of a voucher by its hash. Throws ChainError for a malformed hash. */
export const traceNamed = ({ modules }: ReadCall, text: string): DenomTrace | undefined =>
  modules.transfer.trace(hashNamed(text))

/** A page of all traces. */
export function tracesOf({ modules: { transfer }, charge }: ReadCall, pageRequest: PaginationRequest) {
  const hashes = transfer.traces()
  const { places, response } = page(pageRequest, {
    length: hashes.length,
    keySize: 32,
    keyAt: (place) => hashes.at(place) ?? '0x',
    placeOf: (key) => hashes.below(hexToHash(key)),
  })
  const found = places.flatMap((place) => {
    charge(TRACE_GAS)
    const hash = hashes.at(place)
    return hash === undefined ? [] : (transfer.trace(hash) ?? [])
  })
  return [found.sort((a, b) => (fullPath(a) < fullPath(b) ? -1 : 1)), response] as const
}

function hashNamed(text: string) {
  try {
    return readHash(text)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw reverted(`invalid denom trace hash: ${text}, error: ${error.message}`)
  }
}

export const ics20 = definePrecompile({
  name: 'ics20',
  address: NATIVE_CONTRACT.ics20,
  since: 0n,
  abi: ics20Abi,
  functions: { ...grants, ...transfers, ...traces },
})
