// What the app hash of a block commits to, and proofs of entries of IBC's provable store below it. Every node computes the same leaves
// from the block and the state after it; `ibc/ics23/prove.ts` makes the hash.
import { create, toBinary } from '@bufbuild/protobuf'
import { type AppHashLeaves, absenceProof, presenceProof, storeProof } from '../ibc/ics23/prove.ts'
import type { Hash } from '../lib/hex.ts'
import { ibcLayout } from '../modules/ibc/layout.ts'
import { ProvableStore } from '../modules/ibc/provable-store.ts'
import { MerkleProofSchema } from '../protobuf/generated/ibc/core/commitment/v1/commitment_pb.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import { hasIbc } from '../spec/block-rules.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import type { SlotAccess, StateView } from '../state/types.ts'

/** Whether the app hash commits to IBC's provable store. */
export const commitsToIbc = ({ native }: Pick<ChainSpec, 'native'>): boolean => native !== undefined && hasIbc(native)

const provableStoreOf = (slots: SlotAccess) => new ProvableStore(ibcLayout.open(slots).store)

/** Root of the provable store. `slots`: those of IBC's contract. */
export const ibcRoot = (slots: SlotAccess): Hash => provableStoreOf(slots).root

/** `evm`: hash of a block; `view`: the state after it, which a chain without IBC does not read. */
export const appHashLeaves = (spec: Pick<ChainSpec, 'native'>, evm: Hash, view: () => StateView): AppHashLeaves => ({
  evm,
  ibc: commitsToIbc(spec) ? ibcRoot(view().slots(NATIVE_CONTRACT.ibc, 'read')) : undefined,
})

/** An entry of the provable store, or that there is none. */
export type IbcProof = {
  /** undefined: the key has no value. */
  readonly value: Uint8Array | undefined
  /** The proofs of the entry below the store's root and of that root below the app hash, as ibc-go's MerkleProof. */
  readonly proof: Uint8Array
}

/** Proves an entry after a block of a chain with IBC. `view`: the state after it. */
export function ibcProof(evm: Hash, view: StateView, key: Uint8Array): IbcProof {
  const store = provableStoreOf(view.slots(NATIVE_CONTRACT.ibc, 'read'))
  const proven = store.prove(key)
  const isPresent = 'presence' in proven
  const entry = isPresent
    ? presenceProof(proven.presence)
    : absenceProof(key, proven.absence.left, proven.absence.right)
  const proofs = [entry, storeProof(evm, store.root)]
  return {
    value: isPresent ? proven.presence.value : undefined,
    proof: toBinary(MerkleProofSchema, create(MerkleProofSchema, { proofs })),
  }
}
