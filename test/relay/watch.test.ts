// Headers that contradict a chain's own, by ICS-07: other blocks of one height, or time that does not rise.
import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { readClientState } from '../../src/ibc/comet/client-state.ts'
import { verifyHeader } from '../../src/ibc/comet/light-client.ts'
import { equalBytes } from '../../src/lib/hex.ts'
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
const { clientState } = newClient(
  { chainId: 'kestrel_126-1', unbondingPeriod: 10n ** 15n, trees: ['smt', 'tendermint'], prefix: [] },
  block(2),
)
const heightOf = (height: number) => ({ revisionNumber: 1n, revisionHeight: BigInt(height) })

/** The height of a header that contradicts one which a client has taken from block 2. */
const look = (taken: LightBlock | undefined, head: number, height = Number(taken?.header.height)) =>
  contradiction(
    { trustedHeight: heightOf(2), height: heightOf(height) },
    async () => taken && consensusStateOf(taken),
    end,
    BigInt(head),
  )

/** Whether the client that has taken a header is frozen by the chain's own one of a height, by ICS-07: another of its height, or later below it. */
function freezes(taken: LightBlock, own: number): boolean {
  const now = BigInt(START + 60_000) * 1_000_000n
  const header = headerOf(block(own), 2n, validatorSet(validators))
  const verified = verifyHeader(readClientState(clientState), 2n, consensusStateOf(block(2)), header, { now })
  const { time, root } = consensusStateOf(taken)
  return verified.height === taken.header.height ? !equalBytes(verified.root, root) : verified.time >= time
}

describe('a header that a client has taken', () => {
  it('is no contradiction if the chain has it, has not come so far, or the client does not keep it any more', async () => {
    expect(await look(block(9), 12)).toBeUndefined()
    expect(await look(block(15), 12)).toBeUndefined()
    expect(await look(undefined, 12, 9)).toBeUndefined()
  })

  it('is proven false by the other block of its height', async () => {
    const forged = block(9, 'forged')
    expect(await look(forged, 12)).toBe(9n)
    expect(freezes(forged, 9)).toBe(true)
  })

  it('of a height to come is proven false by a header that is not earlier', async () => {
    const forged = block(1000, 'forged', START + 11_000)
    expect(await look(forged, 10)).toBeUndefined()
    expect(await look(forged, 11)).toBe(11n)
    expect(freezes(forged, 11)).toBe(true)
    expect(await look(forged, 12)).toBe(12n)
  })
})
