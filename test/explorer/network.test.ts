// A network over the explorer API: votes and evidence of blocks, signing of validators, status of the consensus engine. Blocks
// and votes are made here; their effects on validators follow the Cosmos SDK's x/slashing.
import { beforeEach, describe, expect, it } from 'vitest'
import { toBech32 } from '../../src/lib/bech32.ts'
import { checksummed } from '../../src/lib/checksummed.ts'
import { account, testChain } from '../support/chain.ts'
import { networkSpec } from '../support/network.ts'
import { commitInfo, decide, networkChain, networkFaces, signerOf, votes } from '../support/network-faces.ts'
import { plainSpec } from '../support/plain-spec.ts'
import { api } from './support.ts'

const COMMIT = 2
const ABSENT = 1
const NIL = 3
/** The end of the jail time for a double sign: 9999-12-31. */
const DOUBLE_SIGN_JAIL_END_TIME = '9999-12-31T23:59:59.000000Z'
const consensus = (index: number) => toBech32('kestvalcons', signerOf(index))

/** Four blocks: without votes; with one absent and one nil vote; with all votes; with evidence against the third validator. */
async function network() {
  const chain = await networkChain()
  await decide(chain, commitInfo({ votes: [] }))
  await decide(chain, commitInfo({ round: 1n, votes: votes(COMMIT, ABSENT, NIL) }))
  await decide(chain, commitInfo())
  const evidence = { type: 1, address: signerOf(2), height: 2n, power: 1000n, time: 1_767_225_603_123_456_789n }
  await decide(chain, commitInfo({ evidence: [evidence], time: 1_767_225_609_000_001_000n }))
  const faces = await networkFaces({ chain })
  const operators = chain.spec.native?.validators.map(({ operator }) => checksummed(operator)) ?? []
  return { ...faces, ...api(faces.url), operators }
}

describe('the commit of a block', () => {
  let given: Awaited<ReturnType<typeof network>>
  beforeEach(async () => {
    given = await network()
  })

  it('has the voters and their votes', async () => {
    const { read, operators, chain } = given
    const commit = await read('/native/blocks/2/commit')
    expect(commit).toMatchObject({
      block_number: 2,
      engine: 'cometbft',
      voted_block_number: 1,
      round: 1,
      time: '2026-01-01T00:00:05.000000Z',
      signed_count: 1,
      // One of three equal validators, rounded down.
      signed_power_share: '0.333333333333333333',
      evidence: [],
    })
    expect(commit.votes).toMatchObject([
      {
        consensus_address: consensus(0),
        validator: { address: { hash: operators[0] } },
        power: '1000',
        vote: 'commit',
      },
      { consensus_address: consensus(1), validator: { moniker: 'kestrel-1' }, vote: 'absent' },
      { consensus_address: consensus(2), validator: { moniker: 'kestrel-2' }, vote: 'nil' },
    ])
    const hash = chain.canonicalHash(2n)
    expect(await read(`/native/blocks/${hash}/commit`)).toEqual(commit)
  })

  it('has the evidence against a validator', async () => {
    const { read } = given
    expect(await read('/native/blocks/4/commit')).toMatchObject({
      time: '2026-01-01T00:00:09.000001Z',
      signed_power_share: '1.000000000000000000',
      evidence: [
        {
          consensus_address: consensus(2),
          validator: { moniker: 'kestrel-2' },
          type: 'duplicate_vote',
          height: 2,
          power: '1000',
          time: '2026-01-01T00:00:03.123456Z',
        },
      ],
    })
  })

  it('has no votes in the first block, and nothing in the genesis', async () => {
    const { read } = given
    const empty = { voted_block_number: null, votes: [], evidence: [], signed_count: 0 }
    expect(await read('/native/blocks/1/commit')).toMatchObject({ ...empty, engine: 'cometbft', round: 0 })
    expect(await read('/native/blocks/0/commit')).toMatchObject({ ...empty, engine: null, round: null, time: null })
  })

  it('is not found for an unknown block, and refused for an invalid one', async () => {
    expect((await given.get('/native/blocks/5/commit')).status).toBe(404)
    expect((await given.get('/native/blocks/latest/commit')).status).toBe(422)
  })
})

describe('the signing of validators', () => {
  it('is counted over a window, with jail and tombstone', async () => {
    const { read, operators } = await network()
    const validator = (index: number) => read(`/native/validators/${operators[index]}`)
    expect(await validator(0)).toMatchObject({
      jailed_until: null,
      signing_info: {
        start_height: 0,
        votes_counted: 3,
        window: 100,
        missed_blocks: 0,
        uptime: '1.000000000000000000',
        jailed_until: null,
        tombstoned: false,
      },
    })
    // Two of three; a nil vote counts as a vote.
    expect((await validator(1)).signing_info).toMatchObject({ missed_blocks: 1, uptime: '0.666666666666666666' })
    expect(await validator(2)).toMatchObject({
      jailed: true,
      tombstoned: true,
      jailed_until: DOUBLE_SIGN_JAIL_END_TIME,
      signing_info: { missed_blocks: 0, jailed_until: DOUBLE_SIGN_JAIL_END_TIME, tombstoned: true },
    })
    const { items, total_count } = await read('/native/signing-infos')
    expect(total_count).toBe(3)
    const found = items.find(
      ({ consensus_address }: { consensus_address: string }) => consensus_address === consensus(1),
    )
    expect(found).toMatchObject({ validator: { moniker: 'kestrel-1' }, missed_blocks: 1, tombstoned: false })
  })

  it('shows the end of the jail time of a validator that has missed too many blocks', async () => {
    // It may miss one of two blocks, and the window is full after block 2.
    const spec = networkSpec(({ kestrel }) => {
      kestrel.modules = { slashing: { signedBlocksWindow: 2 } }
    })
    const chain = await networkChain(spec)
    await decide(chain, commitInfo({ votes: [] }))
    await decide(chain, commitInfo({ votes: votes(COMMIT, ABSENT) }))
    const { header } = await decide(chain, commitInfo({ votes: votes(COMMIT, ABSENT) }))
    const { read } = api((await networkFaces({ chain })).url)
    const body = await read(`/native/validators/${chain.spec.native?.validators[1]?.operator}`)
    // The default jail time is 600 seconds.
    const until = new Date(Number(header.timestamp + 600n) * 1000).toISOString().replace('Z', '000Z')
    expect(body).toMatchObject({ jailed: true, tombstoned: false, jailed_until: until })
    // Its votes are counted from zero again.
    expect(body.signing_info).toMatchObject({ jailed_until: until, missed_blocks: 0, votes_counted: 0, uptime: null })
  })

  it('is listed by blocks, newest first, in pages', async () => {
    const { read, operators, get, chain } = await network()
    const path = `/native/validators/${operators[1]}/votes`
    const { items, total_count } = await read(path)
    expect(total_count).toBe(3)
    expect(items).toMatchObject([
      { voted_block_number: 3, block_number: 4, vote: 'commit', power: '1000' },
      { voted_block_number: 2, block_number: 3, vote: 'commit', power: '1000' },
      { voted_block_number: 1, block_number: 2, vote: 'absent', power: '1000' },
    ])
    await decide(chain, commitInfo({ votes: votes().slice(0, 1) }))
    expect((await read(`${path}?items_count=1`)).items).toMatchObject([{ block_number: 5, vote: null, power: '0' }])
    expect((await get(`/native/validators/${account(0).address}/votes`)).status).toBe(404)
  })
})

describe('the network endpoint', () => {
  it('returns the status of the consensus engine', async () => {
    const { read, status } = await network()
    expect(await read('/native/network')).toEqual({
      engine: 'cometbft',
      initial_height: 1,
      peers_count: 3,
      syncing: null,
    })
    status.progress = { startingBlock: 1n, currentBlock: 4n, highestBlock: 90n }
    expect((await read('/native/network')).syncing).toEqual({ starting_block: 1, current_block: 4, highest_block: 90 })
    status.isReachable = false
    expect(await read('/native/network')).toMatchObject({ peers_count: null, syncing: null })
  })
})

describe('a chain of one node', () => {
  it('has no votes, no consensus engine and no peers', async () => {
    const { url, mine } = await testChain()
    await mine(2)
    const { read } = api(url)
    const operator = account(10).address
    expect(await read('/native/network')).toEqual({ engine: null, initial_height: null, peers_count: 0, syncing: null })
    expect(await read('/native/blocks/2/commit')).toMatchObject({ engine: null, round: null, votes: [], evidence: [] })
    expect(await read(`/native/validators/${operator}/votes`)).toMatchObject({ items: [], total_count: 0 })
    expect((await read(`/native/validators/${operator}`)).signing_info).toMatchObject({
      uptime: null,
      missed_blocks: 0,
    })
    expect((await read('/native/signing-infos')).total_count).toBe(3)
  })

  it('without native modules has no network endpoints', async () => {
    const { url } = await testChain({ spec: plainSpec(account(0).address) })
    for (const path of ['network', 'blocks/0/commit', 'signing-infos', `validators/${account(0).address}/votes`])
      expect((await api(url).get(`/native/${path}`)).status, path).toBe(404)
  })
})
