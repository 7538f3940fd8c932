// The contracts of a chain with cosmos/evm's interfaces: their ABIs, their events, and that only the owner itself may act.
import {
  type Abi,
  type AbiEvent,
  type AbiFunction,
  type AbiParameter,
  type Address,
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  pad,
  parseAbi,
  stringToHex,
  toFunctionSelector,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { precompilesWith } from '../../src/precompiles/index.ts'
import { NATIVE_CONTRACT, operatorPrefix } from '../../src/spec/addresses.ts'
import { presets } from '../../src/spec/presets.ts'
import { account, testChain } from '../support/chain.ts'
import { forwarder } from '../support/forwarder.ts'
import { FACTS } from './cosmos-evm-facts.ts'

const contracts = precompilesWith('cosmos-evm')

const typeOf = ({ type, ...rest }: AbiParameter): string =>
  'components' in rest ? `(${rest.components.map(typeOf).join()})${type.slice('tuple'.length)}` : type
const inputs = (of: AbiFunction | AbiEvent): string =>
  of.inputs.map((input) => `${typeOf(input)}${'indexed' in input && input.indexed ? ' indexed' : ''}`).join()
const factOf = (of: AbiFunction | AbiEvent): string =>
  of.type === 'event'
    ? `event ${of.name}(${inputs(of)})`
    : `${of.name}(${inputs(of)}) => (${of.outputs.map(typeOf).join()})`
const factsOf = (abi: Abi): string[] =>
  abi.flatMap((entry) => (entry.type === 'function' || entry.type === 'event' ? [factOf(entry)] : []))

describe('the contracts with cosmos/evm’s interfaces', () => {
  it('are those that have signatures here', () => {
    expect(contracts.map(({ name }) => name).toSorted()).toEqual(Object.keys(FACTS).toSorted())
  })

  it.each(contracts)('$name has its functions, results and events', ({ name, abi }) => {
    const own = [
      'getAuthority() => (string,address)',
      'getMessages(uint64) => (string[])',
      'getFailure(uint64) => (string)',
    ]
    const expected = [...(FACTS[name] ?? []), ...(name === 'gov' ? own : [])]
    // Theirs has no clients to create and no packets: those are messages of ibc-go there.
    const facts = factsOf(abi).filter((fact) => name !== 'ibc' || expected.includes(fact))
    expect(facts.toSorted()).toEqual(expected.toSorted())
  })
})

const COIN = 10n ** 18n
const OPERATOR = getAddress('0x7cB61D4117AE31a12E393a1Cfa3BaC666481D02E')
/** Stated in cosmos/evm's suites. */
const VALIDATOR = 'cosmosvaloper10jmp6sgh4cc6zt3e8gw05wavvejgr5pw4xyrql'
const DENOM = 'atest'
const owner = account(0).address
const stranger = account(1).address
const CONTRACT = getAddress('0xcccccccccccccccccccccccccccccccccccccccc')
const coins = (amount: bigint, denom = DENOM) => [{ denom, amount }]
const PAGE = { key: '0x', offset: 0n, limit: 0n, countTotal: true, reverse: false } as const

const abi = parseAbi([
  'struct Coin { string denom; uint256 amount; }',
  'struct DecCoin { string denom; uint256 amount; uint8 precision; }',
  'struct PageRequest { bytes key; uint64 offset; uint64 limit; bool countTotal; bool reverse; }',
  'struct PageResponse { bytes nextKey; uint64 total; }',
  'struct Description { string moniker; string identity; string website; string securityContact; string details; }',
  'struct CommissionRates { uint256 rate; uint256 maxRate; uint256 maxChangeRate; }',
  'struct Validator { string operatorAddress; string consensusPubkey; bool jailed; uint8 status; uint256 tokens; uint256 delegatorShares; Description description; int64 unbondingHeight; int64 unbondingTime; uint256 commission; uint256 minSelfDelegation; }',
  'struct UnbondingDelegationEntry { int64 creationHeight; int64 completionTime; uint256 initialBalance; uint256 balance; uint64 unbondingId; int64 unbondingOnHoldRefCount; }',
  'struct UnbondingDelegationOutput { string delegatorAddress; string validatorAddress; UnbondingDelegationEntry[] entries; }',
  'struct Hop { string portId; string channelId; }',
  'struct Denom { string base; Hop[] trace; }',
  'struct Height { uint64 revisionNumber; uint64 revisionHeight; }',
  'struct Vote { uint8 option; string weight; }',
  'function validator(address operator) view returns (Validator)',
  'function validators(string status, PageRequest page) view returns (Validator[], PageResponse)',
  'function unbondingDelegation(address delegator, string validator) view returns (UnbondingDelegationOutput)',
  'function createValidator(Description description, CommissionRates rates, uint256 minSelfDelegation, address operator, string pubkey, uint256 value) returns (bool)',
  'function delegate(address delegator, string validator, uint256 amount) returns (bool)',
  'function undelegate(address delegator, string validator, uint256 amount) returns (int64)',
  'function setWithdrawAddress(address delegator, string withdrawer) returns (bool)',
  'function withdrawDelegatorRewards(address delegator, string validator) returns (Coin[])',
  'function fundCommunityPool(address depositor, Coin[] amount) returns (bool)',
  'function depositValidatorRewardsPool(address depositor, string validator, Coin[] amount) returns (bool)',
  'function communityPool() view returns (DecCoin[])',
  'function validatorCommission(string validator) view returns (DecCoin[])',
  'function delegationRewards(address delegator, string validator) view returns (DecCoin[])',
  'function transfer(string port, string channel, string denom, uint256 amount, address sender, string receiver, Height height, uint64 timeout, string memo) returns (uint64)',
  'function denom(string hash) view returns (Denom)',
  'function denoms(PageRequest page) view returns (Denom[], PageResponse)',
  'function denomHash(string trace) view returns (string)',
  'function vote(address voter, uint64 proposalId, uint8 option, string metadata) returns (bool)',
  'function unjail(address validator) returns (bool)',
])
type Name = (typeof abi)[number]['name']

/** A chain of the preset without fees and inflation, so that nothing is distributed but what tests pay; the accounts are theirs. */
async function cosmosChain() {
  const preset = presets['cosmos-evm']({
    accounts: [0, 1, 2].map((index) => hexToAddress(account(index).address)),
    balance: 1_000n * COIN,
    baseFee: 0n,
  })
  if (preset.native === undefined) throw new Error('the preset is a native chain')
  const { inflation: _, ...modules } = preset.native.modules
  const chain = await testChain({ spec: { ...preset, native: { ...preset.native, modules } } })
  const encode = (functionName: Name, args: readonly unknown[]): Hex =>
    encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData>[0])
  return {
    ...chain,
    encode,
    async send(to: Address, functionName: Name, args: readonly unknown[]) {
      const fees = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
      const data = encode(functionName, args)
      const hash = await chain.walletOf(0).sendTransaction({ to, data, gas: 2_000_000n, ...fees })
      const receipt = await chain.viem.waitForTransactionReceipt({ hash })
      expect(receipt.status, functionName).toBe('success')
      return receipt
    },
    async read(to: Address, functionName: Name, args: readonly unknown[] = []): Promise<unknown> {
      const data = (await chain.rpc('eth_call', { to, data: encode(functionName, args) }, 'latest')) as Hex
      return decodeFunctionResult({ abi, functionName, data } as Parameters<typeof decodeFunctionResult>[0])
    },
    /** The reason with which a call is refused. */
    async refusal(call: { from?: Address; to: Address }, functionName: Name, args: readonly unknown[]) {
      const { from = owner, to } = call
      const { error } = await chain.raw('eth_call', { from, to, data: encode(functionName, args) }, 'latest')
      return decodeErrorResult({ abi: parseAbi(['error Error(string)']), data: error?.data as Hex }).args[0]
    },
  }
}

const topic = (signature: string): Hex => keccak256(stringToHex(signature))
const { staking, distribution, ics20, gov, slashing } = NATIVE_CONTRACT

describe('a chain of the preset cosmos-evm', () => {
  it('has no grants and no vesting contract', async () => {
    const { viem, raw } = await cosmosChain()
    for (const address of [NATIVE_CONTRACT.authorization, NATIVE_CONTRACT.vesting])
      expect(await viem.getCode({ address })).toBeUndefined()
    expect(await viem.getCode({ address: staking })).toBe('0xfe')
    const approve = toFunctionSelector('approve(address,uint256,string[])')
    const { error } = await raw('eth_call', { to: staking, data: approve }, 'latest')
    expect(error?.message).toBe(`execution reverted: unknown method: ${approve}`)
  })

  it('answers validators with their description and in hexadecimal', async () => {
    const { read } = await cosmosChain()
    const known = {
      operatorAddress: OPERATOR,
      jailed: false,
      status: 3,
      tokens: 1_000n * COIN,
      delegatorShares: 1_000n * COIN * COIN,
      description: { moniker: 'localtestnet', identity: '', website: '', securityContact: '', details: '' },
      commission: COIN / 10n,
    }
    expect(await read(staking, 'validator', [OPERATOR])).toMatchObject(known)
    expect(await read(staking, 'validators', ['', PAGE])).toMatchObject([[known], { nextKey: '0x', total: 1n }])
    expect(await read(staking, 'validator', [owner])).toMatchObject({
      operatorAddress: '',
      description: { moniker: '', details: '' },
    })
  })

  it('names validators by address in events', async () => {
    const { send } = await cosmosChain()
    const { logs } = await send(staking, 'delegate', [owner, VALIDATOR, 5n])
    expect(logs.map(({ topics }) => topics)).toEqual([
      [topic('Delegate(address,address,uint256,uint256)'), pad(owner), pad(OPERATOR)].map((of) => of.toLowerCase()),
    ])
    const withdrawn = await send(distribution, 'withdrawDelegatorRewards', [owner, VALIDATOR])
    expect(withdrawn.logs[0]?.topics).toEqual(
      [topic('WithdrawDelegatorReward(address,address,uint256)'), pad(owner), pad(OPERATOR)].map((of) =>
        of.toLowerCase(),
      ),
    )
  })

  it('answers unbonding entries with their names and numbers', async () => {
    const { send, read } = await cosmosChain()
    const name = toBech32('cosmos', hexToAddress(owner))
    const none = { delegatorAddress: '', validatorAddress: '', entries: [] }
    expect(await read(staking, 'unbondingDelegation', [owner, VALIDATOR])).toEqual(none)
    await send(staking, 'delegate', [owner, VALIDATOR, 5n])
    const { blockNumber } = await send(staking, 'undelegate', [owner, VALIDATOR, 2n])
    expect(await read(staking, 'unbondingDelegation', [owner, VALIDATOR])).toMatchObject({
      delegatorAddress: name,
      validatorAddress: VALIDATOR,
      entries: [{ creationHeight: blockNumber, initialBalance: 2n, balance: 2n, unbondingOnHoldRefCount: 0n }],
    })
  })

  it('lets only the account itself act', async () => {
    const { refusal, dev } = await cosmosChain()
    const differs = (caller: Address, of: Address) =>
      `msg.sender address ${caller} does not match the requester address ${of}`
    const none = { revisionNumber: 0n, revisionHeight: 0n }
    const calls: readonly (readonly [Address, Name, readonly unknown[]])[] = [
      [staking, 'delegate', [owner, VALIDATOR, 5n]],
      [distribution, 'setWithdrawAddress', [owner, stranger]],
      [distribution, 'fundCommunityPool', [owner, coins(5n)]],
      [distribution, 'depositValidatorRewardsPool', [owner, VALIDATOR, coins(5n)]],
      [ics20, 'transfer', ['transfer', 'channel-0', DENOM, 1n, owner, owner, none, 2n ** 63n, '']],
      [gov, 'vote', [owner, 1n, 1, '']],
      [slashing, 'unjail', [owner]],
    ]
    for (const [to, name, args] of calls) {
      expect(await refusal({ from: stranger, to }, name, args), name).toBe(differs(stranger, owner))
      // Not even a contract that the owner calls.
      await dev.setCode({ address: CONTRACT, bytecode: forwarder(to) })
      expect(await refusal({ to: CONTRACT }, name, args), name).toBe(differs(CONTRACT, owner))
    }
  })

  it('lets an account with an EIP-7702 delegation become an operator, and no contract', async () => {
    const { refusal, rpc, dev, encode } = await cosmosChain()
    const description = { moniker: 'm', identity: '', website: '', securityContact: '', details: '' }
    const rates = { rate: COIN / 20n, maxRate: COIN, maxChangeRate: COIN }
    const create = (operator: Address) =>
      [description, rates, 1n, operator, Buffer.alloc(32, 7).toString('base64'), COIN] as const
    await dev.setCode({ address: CONTRACT, bytecode: forwarder(staking) })
    const direct = 'this method can only be called directly to the precompile, not from a smart contract'
    expect(await refusal({ to: CONTRACT }, 'createValidator', create(CONTRACT))).toBe(direct)
    expect(await refusal({ to: CONTRACT }, 'createValidator', create(owner))).toBe(direct)
    expect(await refusal({ to: staking }, 'createValidator', create(stranger))).toBe(
      `msg.sender address ${owner} does not match the requester address ${stranger}`,
    )
    // Its code runs in a transaction of another account.
    const delegated = account(2).address
    await dev.setCode({ address: delegated, bytecode: `0xef0100${CONTRACT.slice(2)}` })
    const data = encode('createValidator', create(delegated))
    expect(await rpc('eth_call', { from: stranger, to: delegated, data, gas: '0x1e8480' }, 'latest')).toBe(
      pad('0x1', { size: 32 }),
    )
  })

  it('pays coins into the community pool', async () => {
    const { send, read, refusal } = await cosmosChain()
    expect(await read(distribution, 'communityPool')).toEqual([])
    const { logs } = await send(distribution, 'fundCommunityPool', [owner, coins(7n)])
    expect(logs[0]?.topics).toEqual(
      [topic('FundCommunityPool(address,string,uint256)'), pad(owner)].map((of) => of.toLowerCase()),
    )
    expect(await read(distribution, 'communityPool')).toEqual([{ denom: DENOM, amount: 7n, precision: 18 }])
    const refused = (given: unknown) => refusal({ to: distribution }, 'fundCommunityPool', [owner, given])
    expect(await refused(coins(0n))).toBe(`coin 0${DENOM} amount is not positive: invalid coins`)
    expect(await refused([])).toMatch(/invalid coins$/)
    expect(await refused(coins(1n, 'aother'))).toBe(
      `1aother: this chain's rewards and pools are in ${DENOM}: invalid coins`,
    )
    expect(await refused([...coins(1n), ...coins(1n)])).toBe(`duplicate denomination ${DENOM}: invalid coins`)
    expect(await refused(coins(10n ** 30n))).toMatch(/insufficient funds$/)
  })

  it('pays coins to a validator as rewards, after its commission', async () => {
    const { send, read, refusal } = await cosmosChain()
    const { logs } = await send(distribution, 'depositValidatorRewardsPool', [owner, VALIDATOR, coins(COIN)])
    expect(logs[0]?.topics).toEqual(
      [topic('DepositValidatorRewardsPool(address,address,string,uint256)'), pad(owner), pad(OPERATOR)].map((of) =>
        of.toLowerCase(),
      ),
    )
    // A commission of 10 %; the operator has the only delegation, of 1,000 coins.
    expect(await read(distribution, 'validatorCommission', [VALIDATOR])).toMatchObject([{ amount: COIN / 10n }])
    expect(await read(distribution, 'delegationRewards', [OPERATOR, VALIDATOR])).toMatchObject([
      { amount: (COIN / 10n) * 9n },
    ])
    const nobody = toBech32(operatorPrefix('cosmos'), hexToAddress(owner))
    expect(await refusal({ to: distribution }, 'depositValidatorRewardsPool', [owner, nobody, coins(1n)])).toBe(
      `${nobody}: validator does not exist`,
    )
  })

  it('names vouchers by their channels', async () => {
    const { send, read, mine } = await cosmosChain()
    const none = { revisionNumber: 0n, revisionHeight: 0n }
    const receiver = toBech32('cosmos', hexToAddress(owner))
    await send(ics20, 'transfer', ['transfer', 'channel-0', DENOM, 5n, owner, receiver, none, 2n ** 63n, ''])
    await mine(3)
    const voucher = { base: DENOM, trace: [{ portId: 'transfer', channelId: 'channel-1' }] }
    const hash = await read(ics20, 'denomHash', [`transfer/channel-1/${DENOM}`])
    expect(hash).toMatch(/^[0-9A-F]{64}$/)
    expect(await read(ics20, 'denom', [hash])).toEqual(voucher)
    expect(await read(ics20, 'denom', ['00'.repeat(32)])).toEqual({ base: '', trace: [] })
    expect(await read(ics20, 'denoms', [PAGE])).toEqual([[voucher], { nextKey: '0x', total: 1n }])
  })
})
