// Updates that a relayer makes of light blocks, by the rules of ICS-07: on a chain that exists only as headers and signatures.
import { create, fromBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { describe, expect, it } from 'vitest'
import { readClientMessage, readClientState, readConsensusState } from '../../src/ibc/comet/client-state.ts'
import { sha256 } from '../../src/lib/sha256.ts'
import { CommitSchema } from '../../src/protobuf/generated/tendermint/types/types_pb.ts'
import { lightBlockSchema } from '../../src/relay/comet-json.ts'
import type { LightBlock } from '../../src/relay/end.ts'
import { consensusStateOf, newClient, packedHeader, updatesTo } from '../../src/relay/headers.ts'
import { CometChain, Signer, validatorSet } from '../support/comet-chain.ts'

const SECOND = 1_000_000_000n
/** Unix milliseconds of block 1; block h is h seconds later. */
const START = 1_800_000_000_000

const chain = new CometChain('kestrel_126-1')
const signers = Array.from({ length: 18 }, (_, number) => new Signer(number, 10n))
/** At every tenth height three of the four validators are replaced. */
const validatorsAt = (height: number) => {
  const first = Math.floor(height / 10) * 3
  return Array.from({ length: 4 }, (_, i) => signers[(first + i) % signers.length] as Signer)
}

function blockAt(height: number): LightBlock {
  const validators = validatorsAt(height)
  const { header, commit } = chain.signed({
    height,
    time: START + height * 1000,
    appHash: sha256(`app ${height}`),
    validators,
    nextValidators: validatorsAt(height + 1),
  })
  return { header, commit: create(CommitSchema, commit), validators: validatorSet(validators) }
}

const traits = {
  chainId: 'kestrel_126-1',
  unbondingPeriod: 21n * 86_400n * SECOND,
  trees: ['smt', 'tendermint'] as const,
  prefix: [Buffer.from('ibc'), new Uint8Array(0)],
}

/** The heights of the updates from height 1 to a target, with what `change` makes of the blocks. */
async function way(target: number, change: (block: LightBlock) => LightBlock = (block) => block) {
  const asked: number[] = []
  const lightBlock = async (height: bigint) => {
    asked.push(Number(height))
    return change(blockAt(Number(height)))
  }
  const first = blockAt(1)
  const rules = readClientState(newClient(traits, first).clientState)
  const now = BigInt(START + target * 1000) * 1_000_000n
  const { headers, state } = await updatesTo(BigInt(target), {
    ...{ rules, from: 1n, trusted: consensusStateOf(first), now, lightBlock },
  })
  const heights = headers.map(({ trustedHeight, signedHeader }) => [
    Number(trustedHeight?.revisionHeight),
    Number(signedHeader?.header?.height),
  ])
  return { heights, state, headers, asked }
}

describe('a new client', () => {
  it('trusts for two thirds of the unbonding period, and a third of the power', () => {
    const { clientState, consensusState } = newClient(traits, blockAt(7))
    expect(readClientState(clientState)).toMatchObject({
      chainId: 'kestrel_126-1',
      trustLevel: { numerator: 1n, denominator: 3n },
      // 14 of 21 days.
      trustingPeriod: 14n * 86_400n * SECOND,
      unbondingPeriod: 21n * 86_400n * SECOND,
      maxClockDrift: 10n * SECOND,
      isFrozen: false,
      latest: { revisionNumber: 1n, revisionHeight: 7n },
      trees: [{ name: 'smt' }, { name: 'tendermint' }],
    })
    expect(readConsensusState(consensusState)).toEqual({
      time: BigInt(START + 7000) * 1_000_000n,
      root: sha256('app 7'),
      nextValidatorsHash: blockAt(8).header.validatorsHash,
    })
  })
})

describe('updates of a client', () => {
  it('are one header while the validators are the same', async () => {
    const { heights, state } = await way(9)
    expect(heights).toEqual([[1, 9]])
    expect(state.root).toEqual(sha256('app 9'))
  })

  it('lead over headers in between when too few of the trusted validators have signed', async () => {
    const { heights, state } = await way(45)
    expect(heights.at(-1)?.[1]).toBe(45)
    expect(state.root).toEqual(sha256('app 45'))
    // Each one begins where the one before ended. Sets change at 10, 20, 30 and 40, and one of four old validators is a quarter of the
    // power: only the last header of a set names the next one.
    expect(heights.map(([from]) => from)).toEqual([1, ...heights.slice(0, -1).map(([, to]) => to)])
    expect(heights.map(([, to]) => to)).toEqual(expect.arrayContaining([9, 19, 29, 39]))
  })

  it('are none for a chain whose headers do not verify, after a bounded number of questions', async () => {
    const asked = way(40, (block) => ({ ...block, header: { ...block.header, appHash: sha256('forged') } }))
    await expect(asked).rejects.toThrow('commit is of another header')
  })

  it('are packed with the name of their type', async () => {
    const [header] = (await way(3)).headers
    if (header === undefined) throw new Error('no header')
    expect(fromBinary(AnySchema, packedHeader(header)).typeUrl).toBe('/ibc.lightclients.tendermint.v1.Header')
    expect(readClientMessage(packedHeader(header))).toEqual({ type: 'header', header })
  })
})

describe("CometBFT's JSON of a light block", () => {
  // `/commit?height=1` and `/validators?height=1` of cometbft 0.40.0, shortened to the fields that are read.
  const hash = 'AB'.repeat(32)
  const id = { hash, parts: { total: 1, hash } }
  const json = {
    signed_header: {
      header: {
        version: { block: '11', app: '1' },
        chain_id: 'kestrel_126-1',
        height: '9007199254740993',
        time: '2026-11-27T08:11:31.020304Z',
        last_block_id: { hash: '', parts: { total: 0, hash: '' } },
        ...{ last_commit_hash: hash, data_hash: hash, validators_hash: hash, next_validators_hash: hash },
        ...{ consensus_hash: hash, app_hash: hash, last_results_hash: '', evidence_hash: hash },
        proposer_address: '0B'.repeat(20),
      },
      commit: {
        ...{ height: '9007199254740993', round: 2, block_id: id },
        signatures: [
          { block_id_flag: 1, validator_address: '', timestamp: '0001-01-01T00:00:00Z', signature: null },
          {
            block_id_flag: 2,
            validator_address: '0B'.repeat(20),
            timestamp: '2026-11-27T08:11:32Z',
            signature: Buffer.alloc(64, 7).toString('base64'),
          },
        ],
      },
    },
    validators: [10, 20].map((power, i) => ({
      address: (i === 0 ? '0A' : '0B').repeat(20),
      pub_key: { type: 'tendermint/PubKeyEd25519', value: Buffer.alloc(32, i + 1).toString('base64') },
      voting_power: String(power),
      proposer_priority: '-5',
    })),
  }

  it('is read exactly', () => {
    const { header, commit, validators } = lightBlockSchema.parse(json)
    expect(header.height).toBe(9_007_199_254_740_993n)
    // 2026-11-27T08:11:31Z is 1,795,767,091 seconds after 1970; the decimals are nanoseconds.
    expect(header.time).toMatchObject({ seconds: 1_795_767_091n, nanos: 20_304_000 })
    expect(header.appHash).toEqual(new Uint8Array(32).fill(0xab))
    // Go's zero time, 62,135,596,800 seconds before 1970.
    expect(commit.signatures[0]?.timestamp).toMatchObject({ seconds: -62_135_596_800n, nanos: 0 })
    expect(commit.signatures[1]?.signature).toEqual(new Uint8Array(64).fill(7))
    expect(validators.validators.map(({ votingPower }) => votingPower)).toEqual([10n, 20n])
    expect(validators.proposer?.votingPower).toBe(20n)
  })

  it('is refused with more validators than a chain has, other keys, or long values', () => {
    const [validator] = json.validators
    const many = Array.from({ length: 301 }, () => validator)
    expect(lightBlockSchema.safeParse({ ...json, validators: many }).success).toBe(false)
    const other = [{ ...validator, pub_key: { type: 'tendermint/PubKeySecp256k1', value: '' } }]
    expect(lightBlockSchema.safeParse({ ...json, validators: other }).success).toBe(false)
    const { signed_header } = json
    const long = { ...signed_header, header: { ...signed_header.header, app_hash: 'AB'.repeat(33) } }
    expect(lightBlockSchema.safeParse({ ...json, signed_header: long }).success).toBe(false)
    const late = { ...signed_header, header: { ...signed_header.header, time: 'tomorrow' } }
    expect(lightBlockSchema.safeParse({ ...json, signed_header: late }).success).toBe(false)
  })
})
