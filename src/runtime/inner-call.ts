// Runs one message as code within a transaction sends it: its sender need not be the transaction's. The result has everything
// of the state that the run has read or changed, so that whoever has another state (Foundry's fork, after a test has written to it)
// can see whether the run holds there too, and if not repeat it with the values of that state.

import type { InnerMessage, InnerResult } from '../evm/native-call.ts'
import { callFromProtocol } from '../evm/run-native.ts'
import { Deadline } from '../lib/deadline.ts'
import { type Address, EMPTY_BYTES, type Hash } from '../lib/hex.ts'
import { yieldToEventLoop } from '../lib/scheduler.ts'
import type { SealedHeader } from '../primitives/types.ts'
import { SYSTEM_ADDRESS } from '../spec/addresses.ts'
import { NEW_ACCOUNT } from '../state/accounts.ts'
import type { Account, AccountDiff, StateView } from '../state/types.ts'
import type { CallLimits } from './call.ts'
import { applyOverrides } from './overrides.ts'
import type { BlockHashes, Runtime } from './runtime.ts'
import type { AccountOverride, StateOverrides } from './types.ts'

/** An account of the caller's state. */
export type KnownAccount = {
  readonly balance: bigint
  readonly codeHash: Hash
  /** Needed if the account has other code here. */
  readonly code: Uint8Array
  readonly slots: ReadonlyMap<Hash, Hash>
}

export type InnerCall = {
  readonly message: InnerMessage
  /** `tx.origin`. */
  readonly origin: Address
  readonly block: { readonly number: bigint; readonly time: bigint; readonly feeRecipient: Address }
  readonly known: ReadonlyMap<Address, KnownAccount>
}

/** An account that was read or changed, with what was read or changed of its storage. */
export type AccessedAccount = {
  readonly address: Address
  readonly before: Account
  readonly after: Account
  /** undefined: it is unchanged. */
  readonly newCode: Uint8Array | undefined
  readonly slots: AccountDiff['slots']
}

export type InnerCallOutcome = InnerResult & { readonly accessed: readonly AccessedAccount[] }

/** Runs the call on a view, which is then to be dropped. Throws ChainError `limit-exceeded` at the deadline. */
export async function runInnerCall(
  runtime: Runtime,
  view: StateView,
  header: SealedHeader,
  { message, origin, block, known }: InnerCall,
  blockHash: BlockHashes,
  { gasCap, time }: CallLimits,
  signal?: AbortSignal,
): Promise<InnerCallOutcome> {
  const { number, time: timestamp, feeRecipient: coinbase } = block
  const env = { ...runtime.env(header), number, timestamp, coinbase }
  const pause = yieldToEventLoop('heavy', signal)
  const machine = runtime.machine(view, env, blockHash, pause, new Deadline(time))
  await applyOverrides(
    machine,
    differences(view, known, (address) => machine.isPrecompile(address)),
    pause,
  )
  // A write gives the contents of storage a number of their own: no cache answers in the view's place, so that it holds all that is read.
  view.setStorage(message.to, 0n, view.storage(message.to, 0n))
  let result: InnerResult | undefined
  // The transaction's own message goes to a native contract that sends the inner one.
  machine.contracts.add({
    address: SYSTEM_ADDRESS,
    async run({ callContract, gasLimit }) {
      result = await callContract({ ...message, gasLimit })
      return { output: EMPTY_BYTES, gasUsed: 0n, logs: result.logs, error: undefined }
    },
  })
  const gasLimit = message.gasLimit < gasCap ? message.gasLimit : gasCap
  await callFromProtocol(machine, env, {
    from: origin,
    to: SYSTEM_ADDRESS,
    input: EMPTY_BYTES,
    gasLimit,
    isStatic: false,
  })
  if (result === undefined) throw new Error('the inner message was not sent')
  return { ...result, accessed: accessedIn(view) }
}

/** What is to be changed for a view to have these accounts. */
function differences(
  view: StateView,
  known: ReadonlyMap<Address, KnownAccount>,
  isPrecompile: (address: Address) => boolean,
): StateOverrides {
  const overrides = new Map<Address, AccountOverride>()
  for (const [address, { balance, codeHash, code, slots }] of known) {
    if (isPrecompile(address)) continue
    const { balance: hasBalance, codeHash: hasCode } = view.account(address) ?? NEW_ACCOUNT
    overrides.set(address, {
      balance: balance === hasBalance ? undefined : balance,
      code: codeHash === hasCode ? undefined : code,
      stateDiff: slots,
    })
  }
  return overrides
}

const accessedIn = (view: StateView): AccessedAccount[] =>
  view.accesses().map(({ address, before = NEW_ACCOUNT, after = NEW_ACCOUNT, slots }) => {
    const newCode = after.codeHash === before.codeHash ? undefined : view.codeWith(after.codeHash)
    return { address, before, after, newCode, slots }
  })
