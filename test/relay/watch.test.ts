// Headers that contradict a chain's own, by ICS-07: other blocks of one height, or time that does not rise.
import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { readClientMessage, readClientState } from '../../src/ibc/comet/client-state.ts'
import { isFork, verifyConflictingHeader } from '../../src/ibc/comet/light-client.ts'
import { sha256 } from '../../src/lib/sha256.ts'
import { CommitSchema } from '../../src/protobuf/generated/tendermint/types/types_pb.ts'
import type { ChainEnd, LightBlock } from '../../src/relay/end.ts'
import { consensusStateOf, headerOf, newClient } from '../../src/relay/headers.ts'
import { contradiction } from '../../src/relay/watch.ts'
import { CometChain, Signer, validatorSet } from '../support/comet-chain.ts'

const chain = new CometChain('kestrel_126-1')
const validators = [new Signer(1, 10n), new Signer(2, 10n), new Signer(3, 10n)]
const START = 1_800_000_000_000

function block(height: number, app = `app ${height}`, time = START + height * 1000): LightBlock {
  const { header, commit } = chain.signed({
    ...{ height, time, appHash: sha256(app), validators, nextValidators: validators },
  })
  return { header, commit: create(CommitSchema, commit), validators: validatorSet(validators) }
}

/** Only what the watch asks. */
const end: Pick<ChainEnd, 'lightBlock'> = { lightBlock: async (height) => block(Number(height)) }
const look = (taken: LightBlock, head: number) =>
  contradiction(headerOf(taken, 2n, validatorSet(validators)), end, BigInt(head))

/** Whether a client that trusts block 2 takes the message as a proof. */
function isProof(update: Uint8Array | undefined): boolean {
  if (update === undefined) return false
  const message = readClientMessage(update)
  if (message.type !== 'misbehaviour') return false
  const rules = readClientState(
    newClient(
      { chainId: 'kestrel_126-1', unbondingPeriod: 10n ** 15n, trees: ['smt', 'tendermint'], prefix: [] },
      block(2),
    ).clientState,
  )
  const now = BigInt(START + 60_000) * 1_000_000n
  const [first, second] = [message.misbehaviour.header1, message.misbehaviour.header2].map((header) =>
    header === undefined ? undefined : verifyConflictingHeader(rules, 2n, consensusStateOf(block(2)), header, { now }),
  )
  return first !== undefined && second !== undefined && isFork(first, second)
}

describe('a header that a client has taken', () => {
  it('is no contradiction if the chain has it, or has not come so far', async () => {
    expect(await look(block(9), 12)).toBeUndefined()
    expect(await look(block(15), 12)).toBeUndefined()
  })

  it('is proven false by the other block of its height', async () => {
    expect(isProof(await look(block(9, 'forged'), 12))).toBe(true)
  })

  it('of a height to come is proven false by a header that is not earlier', async () => {
    const forged = block(1000, 'forged', START + 11_000)
    expect(await look(forged, 10)).toBeUndefined()
    expect(isProof(await look(forged, 11))).toBe(true)
    expect(isProof(await look(forged, 12))).toBe(true)
  })
})
