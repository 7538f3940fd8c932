// Staking, votes and evidence in a network: validator updates to CometBFT, and the effects of votes and evidence. Expected
// values are calculated by the Cosmos SDK's rules (x/staking, x/slashing, x/distribution) with the genesis' parameters.
import { encodeFunctionData, parseAbi, parseEther } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { expect, onTestFinished, test } from 'vitest'
import { reindex } from '../../../src/chain/reindex.ts'
import { indexer } from '../../../src/indexer/indexer.ts'
import { toBech32 } from '../../../src/lib/bech32.ts'
import { type Address, fromHex, hexToAddress } from '../../../src/lib/hex.ts'
import { SLASH_WORK } from '../../../src/modules/staking/context.ts'
import { encodeBlock } from '../../../src/primitives/block.ts'
import { MisbehaviorType } from '../../../src/protobuf/generated/tendermint/abci/types_pb.ts'
import { Runtime } from '../../../src/runtime/runtime.ts'
import { consensusAddress } from '../../../src/spec/addresses.ts'
import { account, MNEMONIC } from '../../support/chain.ts'
import { type FakeEngine, fakeNetwork, networkSpec, openFresh, testKey } from '../../support/network.ts'

const STAKING = '0x0000000000000000000000000000000000000800'
const SLASHING = '0x0000000000000000000000000000000000000806'
const abi = parseAbi([
  'function delegate(address delegator, string validator, uint256 amount)',
  'function undelegate(address delegator, string validator, uint256 amount)',
  'function unjail(address validator)',
])
const signer = (index: number) => consensusAddress(testKey(index))
/** Operators of the preset's validators: accounts 10 to 12 of the mnemonic. */
const operatorAccount = (index: number) => mnemonicToAccount(MNEMONIC, { addressIndex: 10 + index })
const operator = (index: number) => hexToAddress(operatorAccount(index).address)

const nonces = new WeakMap<FakeEngine, Map<string, number>>()
/** Sends a transaction to the first node. */
async function send(
  engine: FakeEngine,
  from: ReturnType<typeof account>,
  to: Address | `0x${string}`,
  data: `0x${string}`,
) {
  const counts = nonces.get(engine) ?? new Map<string, number>()
  nonces.set(engine, counts)
  const nonce = counts.get(from.address) ?? 0
  counts.set(from.address, nonce + 1)
  const gas = { gas: 1_000_000n, maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1n }
  const raw = await from.signTransaction({ chainId: 125, type: 'eip1559', nonce, to, data, ...gas })
  const [node] = engine.nodes
  if (node === undefined) throw new Error('no node')
  return node.chain.submit(fromHex(raw))
}

async function validatorAt(engine: FakeEngine, operator: Address) {
  const chain = engine.nodes[0]?.chain
  if (chain === undefined) throw new Error('no node')
  const { header, view } = await chain.at('latest')
  const runtime = new Runtime(chain.spec)
  const modules = runtime.modules(view, runtime.env(header), 'read')
  const validator = modules?.staking.validator(operator)
  const info = validator && modules?.slashing?.signingInfo(consensusAddress(validator.consensusKey))
  const pending = modules?.staking.pendingSlashes()
  return { validator, info, pending, invariants: await chain.stateQueries.invariants('latest') }
}

const powers = (engine: FakeEngine) => engine.validators.map(({ power }) => power)

test('delegations are reported to CometBFT and take effect two blocks later', async () => {
  const engine = await fakeNetwork()
  const alice = account(0)
  await send(
    engine,
    alice,
    STAKING,
    encodeFunctionData({
      abi,
      functionName: 'delegate',
      args: [alice.address, toBech32('kestvaloper', operator(0)), parseEther('500')],
    }),
  )
  const answer = await engine.decide()
  expect(answer?.validatorUpdates).toEqual([
    { pubKey: { sum: { case: 'ed25519', value: fromHex(testKey(0)) } }, power: 1500n },
  ])
  expect(powers(engine)).toEqual([1000n, 1000n, 1000n])
  await engine.decide()
  expect(powers(engine).sort()).toEqual([1000n, 1000n, 1500n])
})

test('two votes in one round slash 5 % of the stake and tombstone the validator', async () => {
  const engine = await fakeNetwork()
  await engine.decideMany(3)
  const evidence = [{ address: signer(0), height: 2n, power: 1000n }]
  const answer = await engine.decide({ evidence })
  expect(answer?.validatorUpdates).toMatchObject([{ power: 0n }])
  const { validator, info, invariants } = await validatorAt(engine, operator(0))
  expect(validator).toMatchObject({ tokens: parseEther('950'), jailed: true, status: 'unbonding' })
  expect(info).toMatchObject({ tombstoned: true, jailedUntil: 253_402_300_799n })
  expect(invariants).toEqual([])
  // The same evidence again, and a later unjail, have no effect.
  await engine.decide({ evidence })
  const hash = await send(
    engine,
    operatorAccount(0),
    SLASHING,
    encodeFunctionData({ abi, functionName: 'unjail', args: [operator(0)] }),
  )
  await engine.decideMany(2)
  expect(engine.nodes[1]?.chain.receipt(hash)?.receipt.status).toBe(0)
  expect((await validatorAt(engine, operator(0))).validator).toMatchObject({ tokens: parseEther('950'), jailed: true })
})

test('an attack on light clients is slashed like two votes in one round', async () => {
  const engine = await fakeNetwork()
  await engine.decideMany(3)
  const evidence = [{ address: signer(0), height: 2n, power: 1000n, type: MisbehaviorType.LIGHT_CLIENT_ATTACK }]
  expect((await engine.decide({ evidence }))?.validatorUpdates).toMatchObject([{ power: 0n }])
  const { validator, info } = await validatorAt(engine, operator(0))
  expect(validator).toMatchObject({ tokens: parseEther('950'), jailed: true })
  expect(info).toMatchObject({ tombstoned: true })
})

test('an attack on light clients is slashed on a chain with IBC by version 1 of the slashing rules too', async () => {
  const engine = await fakeNetwork(
    2,
    networkSpec(({ kestrel }) => {
      kestrel.modules = { slashing: {}, ibc: {} }
    }),
  )
  await engine.decideMany(3)
  const evidence = [{ address: signer(0), height: 2n, power: 1000n, type: MisbehaviorType.LIGHT_CLIENT_ATTACK }]
  expect((await engine.decide({ evidence }))?.validatorUpdates).toMatchObject([{ power: 0n }])
  const { validator, info, invariants } = await validatorAt(engine, operator(0))
  // 5 % of 1,000.
  expect(validator).toMatchObject({ tokens: parseEther('950'), jailed: true, status: 'unbonding' })
  expect(info).toMatchObject({ tombstoned: true, jailedUntil: 253_402_300_799n })
  expect(invariants).toEqual([])
})

test('version 1 of the slashing rules does not punish an attack on light clients, as in old blocks', async () => {
  const engine = await fakeNetwork(
    2,
    networkSpec(({ kestrel }) => {
      kestrel.modules = { slashing: {} }
    }),
  )
  await engine.decideMany(3)
  await engine.decide({
    evidence: [{ address: signer(0), height: 2n, power: 1000n, type: MisbehaviorType.LIGHT_CLIENT_ATTACK }],
  })
  expect((await validatorAt(engine, operator(0))).validator).toMatchObject({
    tokens: parseEther('1000'),
    jailed: false,
  })
})

test('a slash of many entries takes several blocks, during which its stake is locked', async () => {
  const { ofBlock } = SLASH_WORK
  SLASH_WORK.ofBlock = 1
  onTestFinished(() => {
    SLASH_WORK.ofBlock = ofBlock
  })
  const people = [0, 1, 2].map(account)
  const engine = await fakeNetwork(
    2,
    networkSpec(({ kestrel }) => {
      const delegations = people.map(({ address }) => ({
        delegator: address,
        validator: operator(0),
        amount: parseEther('100').toString(),
      }))
      kestrel.modules = { slashing: { version: 2 }, staking: { delegations } }
    }),
  )
  await engine.decide()
  const text = toBech32('kestvaloper', operator(0))
  const call = (functionName: 'delegate' | 'undelegate', of: Address, amount: bigint) =>
    encodeFunctionData({ abi, functionName, args: [of, text, amount] })
  for (const person of people)
    await send(engine, person, STAKING, call('undelegate', hexToAddress(person.address), parseEther('10')))
  await engine.decideMany(2)
  await engine.decide({ evidence: [{ address: signer(0), height: 2n, power: 1300n }] })
  // One entry is slashed, two are not: 62 and more of the 65 coins are still to be slashed.
  const pendingAt = async () => (await validatorAt(engine, operator(0))).pending
  expect(await pendingAt()).toMatchObject([{ left: parseEther('64.5'), done: 1n }])
  expect((await validatorAt(engine, operator(0))).validator).toMatchObject({ tokens: parseEther('1270'), jailed: true })
  const [first = account(0)] = people
  const hash = await send(engine, first, STAKING, call('delegate', hexToAddress(first.address), 1n))
  await engine.decide()
  expect(engine.nodes[1]?.chain.receipt(hash)?.receipt.status).toBe(0)
  for (let blocks = 0; (await pendingAt())?.length !== 0; blocks++) {
    expect((await validatorAt(engine, operator(0))).invariants).toEqual([])
    expect(blocks).toBeLessThan(3)
    await engine.decide()
  }
  // 5 % of 1,300 less 0.5 of each entry.
  expect((await validatorAt(engine, operator(0))).validator).toMatchObject({ tokens: parseEther('1206.5') })
})

test('a validator that misses more than half of a full window is slashed and jailed, and can return after the jail time', async () => {
  const engine = await fakeNetwork(
    2,
    networkSpec(({ kestrel }) => {
      kestrel.modules = { slashing: { signedBlocksWindow: 10, downtimeJailDuration: 60 } }
    }),
  )
  await engine.decide()
  // The window is full when the height is above start + 10: block 11 is the first, with votes from block 2 on.
  await engine.decideMany(9, { absent: [signer(2)] })
  expect((await validatorAt(engine, operator(2))).validator?.jailed).toBe(false)
  await engine.decide({ absent: [signer(2)] })
  const jailed = await validatorAt(engine, operator(2))
  expect(jailed.validator).toMatchObject({ tokens: parseEther('990'), jailed: true })
  const head = engine.nodes[0]?.chain.head
  expect(jailed.info).toMatchObject({
    jailedUntil: (head?.timestamp ?? 0n) + 60n,
    tombstoned: false,
    missedBlocksCounter: 0n,
  })
  await engine.decideMany(2)
  expect(engine.validators.length).toBe(2)
  const unjail = encodeFunctionData({ abi, functionName: 'unjail', args: [operator(2)] })
  const early = await send(engine, operatorAccount(2), SLASHING, unjail)
  await engine.decide()
  expect(engine.nodes[1]?.chain.receipt(early)?.receipt.status).toBe(0)
  await engine.decide({ time: (head?.timestamp ?? 0n) + 61n })
  await send(engine, operatorAccount(2), SLASHING, unjail)
  await engine.decideMany(3)
  expect(powers(engine).sort()).toEqual([1000n, 1000n, 990n])
  expect((await validatorAt(engine, operator(2))).invariants).toEqual([])
})

test('the last validator stays in the set, also after evidence', async () => {
  const engine = await fakeNetwork(2)
  await engine.decideMany(3)
  const guilty = [0, 1, 2].map(signer).map((address) => ({ address, height: 2n, power: 1000n }))
  const answer = await engine.decide({ evidence: guilty })
  expect(answer?.validatorUpdates?.length).toBe(2)
  await engine.decideMany(3)
  expect(engine.validators.length).toBe(1)
  const [last] = engine.validators
  const index = [0, 1, 2].findIndex((place) => signer(place) === last?.address)
  expect((await validatorAt(engine, operator(index))).validator).toMatchObject({ jailed: true, status: 'bonded' })
})

test('fees are distributed by the voting power of the votes', async () => {
  const engine = await fakeNetwork(2)
  const alice = account(0)
  await send(
    engine,
    alice,
    STAKING,
    encodeFunctionData({
      abi,
      functionName: 'delegate',
      args: [alice.address, toBech32('kestvaloper', operator(0)), parseEther('1000')],
    }),
  )
  await engine.decide()
  expect((await validatorAt(engine, operator(0))).validator?.tokens).toBe(parseEther('2000'))
  const before = await outstanding(engine)
  // Block 2 distributes the fees of block 1, whose commit was signed with equal powers.
  await engine.decide()
  const after = await outstanding(engine)
  const [one, two, three] = after.map((value, index) => value - (before[index] ?? 0n))
  expect(one).toBe(two)
  expect(two).toBe(three)
  expect(one).toBeGreaterThan(0n)
})

async function outstanding(engine: FakeEngine): Promise<bigint[]> {
  const chain = engine.nodes[0]?.chain
  if (chain === undefined) throw new Error('no node')
  const { header, view } = await chain.at('latest')
  const runtime = new Runtime(chain.spec)
  const distribution = runtime.modules(view, runtime.env(header), 'read')?.distribution
  return [0, 1, 2].map((index) => distribution?.outstandingRewards(operator(index)) ?? 0n)
}

test('blocks with evidence are executed again by traces, import and reindexing', async () => {
  const engine = await fakeNetwork(2)
  await engine.decideMany(3)
  await send(engine, account(0), operator(1), '0x')
  await engine.decide({ evidence: [{ address: signer(0), height: 2n, power: 1000n }] })
  await engine.decideMany(2)
  const [node] = engine.nodes
  if (node === undefined) throw new Error('no node')
  const { chain } = node
  expect(await chain.traces.replayBlock({ number: 4n })).toHaveLength(1)
  // Another chain of the same genesis imports the exported blocks and reaches the same state.
  const copy = await openFresh(networkSpec())
  for (let number = 1n; number <= engine.head; number++) {
    const block = await chain.block({ number })
    if (block === undefined) throw new Error(`no block ${number}`)
    await copy.importBlock(encodeBlock(block))
  }
  expect(copy.head.hash).toBe(chain.head.hash)
  const forged = await chain.block({ number: 4n })
  if (forged?.commit === undefined) throw new Error('block 4 has no commit info')
  const fresh = await openFresh(networkSpec())
  for (let number = 1n; number <= 3n; number++) {
    const block = await chain.block({ number })
    if (block !== undefined) await fresh.importBlock(encodeBlock(block))
  }
  await expect(
    fresh.importBlock(encodeBlock({ ...forged, commit: { ...forged.commit, evidence: [] } })),
  ).rejects.toThrow(/commit info has hash/)
  await expect(fresh.importBlock(encodeBlock({ ...forged, commit: undefined }))).rejects.toThrow(
    /commit info is missing/,
  )
  await reindex(chain.store, new Runtime(chain.spec), indexer, () => undefined)
})
