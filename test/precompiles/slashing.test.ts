// Jailing, slashing and unjailing through a running node. The interface is that of Evmos v20 and later; amounts follow the
// specification's rules (4.1.4).
import { createHash } from 'node:crypto'
import {
  type Address,
  decodeErrorResult,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseEventLogs,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { slashing } from '../../src/precompiles/slashing.ts'
import { operatorPrefix } from '../../src/spec/addresses.ts'
import { presets } from '../../src/spec/presets.ts'
import { account, testChain } from '../support/chain.ts'
import { forwarder } from '../support/forwarder.ts'

const SLASHING = '0x0000000000000000000000000000000000000806'
const STAKING = '0x0000000000000000000000000000000000000800'
const DISTRIBUTION = '0x0000000000000000000000000000000000000801'
const BANK = '0x0000000000000000000000000000000000000804'
const CONTRACT = '0xcccccccccccccccccccccccccccccccccccccccc'
const COIN = 10n ** 18n
const DOUBLE_SIGN_JAIL_END_TIME = 253_402_300_799n

const abi = parseAbi([
  'struct PageRequest { bytes key; uint64 offset; uint64 limit; bool countTotal; bool reverse; }',
  'struct PageResponse { bytes nextKey; uint64 total; }',
  'struct Dec { uint256 value; uint8 precision; }',
  'struct SigningInfo { address validatorAddress; int64 startHeight; int64 indexOffset; int64 jailedUntil; bool tombstoned; int64 missedBlocksCounter; }',
  'struct Params { int64 signedBlocksWindow; Dec minSignedPerWindow; int64 downtimeJailDuration; Dec slashFractionDoubleSign; Dec slashFractionDowntime; }',
  'function getSigningInfo(address consAddress) view returns (SigningInfo signingInfo)',
  'function getSigningInfos(PageRequest pagination) view returns (SigningInfo[] signingInfos, PageResponse pageResponse)',
  'function getParams() view returns (Params params)',
  'function unjail(address validatorAddress) returns (bool success)',
  'event ValidatorUnjailed(address indexed validator)',
])
const other = parseAbi([
  'struct Entry { int64 creationHeight; int64 completionTime; uint256 initialBalance; uint256 balance; }',
  'struct Validator { string operatorAddress; string consensusPubkey; bool jailed; uint8 status; uint256 tokens; uint256 delegatorShares; string description; int64 unbondingHeight; int64 unbondingTime; uint256 commission; uint256 minSelfDelegation; }',
  'struct Dec { uint256 value; uint8 precision; }',
  'struct PageResponse { bytes nextKey; uint64 total; }',
  'struct Slash { uint64 validatorPeriod; Dec fraction; }',
  'function delegate(address delegatorAddress, string validatorAddress, uint256 amount) returns (bool success)',
  'function undelegate(address delegatorAddress, string validatorAddress, uint256 amount) returns (int64 completionTime)',
  'function redelegate(address delegatorAddress, string validatorSrcAddress, string validatorDstAddress, uint256 amount) returns (int64 completionTime)',
  'function validator(string validatorAddress) view returns (Validator validator)',
  'function unbondingDelegation(address delegatorAddress, string validatorAddress) view returns (Entry[] entries)',
  'function validatorSlashes(string validatorAddress, uint64 startingHeight, uint64 endingHeight) view returns (Slash[] slashes, PageResponse pageResponse)',
  'function supplyOf(address erc20Address) view returns (uint256 totalSupply)',
])
const BONDED = 3
const UNBONDING = 2

const unjail = (of: Address): Hex => encodeFunctionData({ abi, functionName: 'unjail', args: [of] })
/** The preset's three validators are accounts 10 to 12 of the mnemonic, with 1,000 coins each. */
const operator = (index: number): Address => account(10 + index).address
const valoper = (index: number): string => toBech32(operatorPrefix('kest'), hexToAddress(operator(index)))

async function slashingChain() {
  const chain = await testChain()
  const { viem, raw, walletOf, rpc } = chain
  const staking = { address: STAKING, abi: other } as const
  const validator = (index: number) =>
    viem.readContract({ ...staking, functionName: 'validator', args: [valoper(index)] })
  return {
    ...chain,
    validator,
    async send(data: Hex, { to = SLASHING as Address, from = 0 } = {}) {
      const hash = await walletOf(from).sendTransaction({ to, data })
      return viem.waitForTransactionReceipt({ hash })
    },
    async refusal(data: Hex, { to = SLASHING as Address, from = 0 } = {}) {
      const { error } = await raw('eth_call', { from: account(from).address, to, data }, 'latest')
      return decodeErrorResult({ abi: parseAbi(['error Error(string)']), data: error?.data as Hex }).args[0]
    },
    async signingInfo(index: number) {
      const key = Buffer.from((await validator(index)).consensusPubkey, 'base64')
      const signer = `0x${createHash('sha256').update(key).digest('hex').slice(0, 40)}` as Address
      return viem.readContract({ address: SLASHING, abi, functionName: 'getSigningInfo', args: [signer] })
    },
    slashes: async (index: number) =>
      (
        await viem.readContract({
          address: DISTRIBUTION,
          abi: other,
          functionName: 'validatorSlashes',
          args: [valoper(index), 0n, 1_000n],
        })
      )[0],
    supply: () =>
      viem.readContract({ address: BANK, abi: other, functionName: 'supplyOf', args: [`0x${'0'.repeat(40)}`] }),
    wholeBooks: async () => expect(await rpc('dev_invariants')).toEqual([]),
  }
}
const staked = (functionName: 'delegate' | 'undelegate', index: number, amount: bigint, of = account(0).address): Hex =>
  encodeFunctionData({ abi: other, functionName, args: [of, valoper(index), amount] })

describe('the interface', () => {
  it('has the published functions and event', () => {
    const ours = slashing.abi.flatMap((entry) => (entry.type === 'function' ? [toFunctionSelector(entry)] : []))
    const theirs = abi.flatMap((entry) => (entry.type === 'function' ? [toFunctionSelector(entry)] : []))
    expect(ours.toSorted()).toEqual(theirs.toSorted())
    const events = slashing.abi.flatMap((entry) => (entry.type === 'event' ? [toEventSelector(entry)] : []))
    expect(events).toEqual([toEventSelector('ValidatorUnjailed(address)')])
  })

  it('returns parameters and signing infos', async () => {
    const { viem, signingInfo, raw } = await slashingChain()
    const read = { address: SLASHING, abi } as const
    expect(await viem.readContract({ ...read, functionName: 'getParams' })).toEqual({
      signedBlocksWindow: 100n,
      minSignedPerWindow: { value: COIN / 2n, precision: 18 },
      downtimeJailDuration: 600n,
      slashFractionDoubleSign: { value: COIN / 20n, precision: 18 },
      slashFractionDowntime: { value: COIN / 100n, precision: 18 },
    })
    const first = { key: '0x', offset: 0n, limit: 2n, countTotal: true, reverse: false } as const
    const [infos, { nextKey, total }] = await viem.readContract({
      ...read,
      functionName: 'getSigningInfos',
      args: [first],
    })
    const [rest] = await viem.readContract({
      ...read,
      functionName: 'getSigningInfos',
      args: [{ ...first, key: nextKey }],
    })
    const all = [...infos, ...rest]
    expect([infos.length, total, all.length]).toEqual([2, 3n, 3])
    const signers = all.map(({ validatorAddress }) => validatorAddress.toLowerCase())
    expect(signers).toEqual([...signers].sort())
    expect(all).toContainEqual(await signingInfo(1))
    expect(await signingInfo(0)).toMatchObject({
      startHeight: 0n,
      indexOffset: 0n,
      jailedUntil: 0n,
      tombstoned: false,
      missedBlocksCounter: 0n,
    })
    const data = encodeFunctionData({ abi, functionName: 'getSigningInfo', args: [CONTRACT] })
    const { error } = await raw('eth_call', { to: SLASHING, data }, 'latest')
    expect(error?.message).toMatch(/SigningInfo not found for validator 0xCcC/)
  })
})

describe('a report of double signing', () => {
  it('slashes all stake at the infraction height, and tombstones the validator', async () => {
    const { send, rpc, viem, validator, signingInfo, slashes, supply, refusal, wholeBooks, mine } =
      await slashingChain()
    const before = await supply()
    const owner = account(0).address
    await send(staked('delegate', 0, 100n * COIN), { to: STAKING })
    const move = { functionName: 'redelegate', args: [owner, valoper(0), valoper(1), 20n * COIN] } as const
    await send(encodeFunctionData({ abi: other, ...move }), { to: STAKING })
    await send(staked('undelegate', 0, 40n * COIN), { to: STAKING })
    // The stake behind block 3 is that after block 2: 1,080 coins, a twentieth is 54. Of this the 20 coins redelegated since
    // block 2 pay 1, the 40 unbonding since block 3 pay 2, and the remaining 1,040 pay 51.
    expect(BigInt((await rpc('dev_reportDoubleSign', valoper(0))) as Hex)).toBe(51n * COIN)
    expect(await validator(0)).toMatchObject({ jailed: true, status: UNBONDING, tokens: 989n * COIN })
    expect((await validator(1)).tokens).toBe(1_019n * COIN)
    const entries = await viem.readContract({
      address: STAKING,
      abi: other,
      functionName: 'unbondingDelegation',
      args: [owner, valoper(0)],
    })
    expect(entries).toMatchObject([{ initialBalance: 40n * COIN, balance: 38n * COIN }])
    expect(await supply()).toBe(before - 54n * COIN)
    // 51 / 1040, rounded up.
    expect(await slashes(0)).toMatchObject([{ fraction: { value: 49_038_461_538_461_539n, precision: 18 } }])
    await wholeBooks()
    await mine()
    expect((await validator(0)).status).toBe(UNBONDING)
    expect(await signingInfo(0)).toMatchObject({ tombstoned: true, jailedUntil: DOUBLE_SIGN_JAIL_END_TIME })
    expect(await refusal(unjail(operator(0)), { from: 10 })).toBe('validator still jailed; cannot be unjailed')
    await expect(rpc('dev_reportDoubleSign', operator(0))).rejects.toMatchObject({ code: -32602 })
    await wholeBooks()
  })

  it('about an earlier block counts the power at that block', async () => {
    const { send, rpc, validator, mine } = await slashingChain()
    await mine(3)
    await send(staked('delegate', 0, 100n * COIN), { to: STAKING })
    await mine(2)
    expect(BigInt((await rpc('dev_reportDoubleSign', operator(0), '0x2')) as Hex)).toBe(50n * COIN)
    expect((await validator(0)).tokens).toBe(1_050n * COIN)
  })
})

describe('downtime and unjailing', () => {
  it('slash a hundredth and jail for ten minutes, after which the operator can unjail', async () => {
    const { send, rpc, url, viem, validator, signingInfo, refusal, slashes, wholeBooks, mine, dev } =
      await slashingChain()
    await mine()
    const { timestamp } = await viem.getBlock()
    expect(BigInt((await rpc('dev_reportDowntime', valoper(1))) as Hex)).toBe(10n * COIN)
    expect(await validator(1)).toMatchObject({ jailed: true, status: UNBONDING, tokens: 990n * COIN })
    await wholeBooks()
    expect((await signingInfo(1)).jailedUntil).toBe(timestamp + 600n)
    expect(await slashes(1)).toMatchObject([{ fraction: { value: COIN / 100n } }])
    await expect(rpc('dev_reportDowntime', valoper(1))).rejects.toThrow('validator is already jailed')
    await mine()
    expect(await refusal(unjail(operator(1)), { from: 11 })).toBe('validator still jailed; cannot be unjailed')
    await rpc('evm_increaseTime', 601)
    await mine()
    expect(await refusal(unjail(operator(1)))).toBe(
      `tx origin address ${account(0).address} does not match the validator address ${operator(1)}`,
    )
    await dev.setCode({ address: CONTRACT, bytecode: forwarder(SLASHING) })
    expect(await refusal(unjail(operator(1)), { from: 11, to: CONTRACT })).toBe(
      'this method can only be called directly to the precompile, not from a smart contract',
    )
    const { status, logs, blockNumber, transactionHash } = await send(unjail(operator(1)), { from: 11 })
    expect(status).toBe('success')
    expect(parseEventLogs({ abi, logs }).map(({ eventName, args, address }) => [eventName, args, address])).toEqual([
      ['ValidatorUnjailed', { validator: operator(1) }, SLASHING],
    ])
    expect(await validator(1)).toMatchObject({ jailed: false, status: BONDED, tokens: 990n * COIN })
    expect((await signingInfo(1)).startHeight).toBe(blockNumber)
    expect(await refusal(unjail(operator(1)), { from: 11 })).toBe('validator not jailed; cannot be unjailed')
    await wholeBooks()
    const api = async (path: string) => (await fetch(`${url}/api/v2/${path}`)).json()
    expect(await api(`transactions/${transactionHash}`)).toMatchObject({
      method: 'unjail',
      to: { name: 'Slashing' },
      decoded_input: { method_call: 'unjail(address validatorAddress)' },
    })
    expect(await api(`transactions/${transactionHash}/logs`)).toMatchObject({
      items: [{ decoded: { method_call: 'ValidatorUnjailed(address indexed validator)' } }],
    })
  })

  it('let an operator unjail after raising its self-delegation to the minimum again', async () => {
    const { send, validator, refusal, wholeBooks } = await slashingChain()
    await send(staked('undelegate', 2, 1_000n * COIN, operator(2)), { to: STAKING, from: 12 })
    expect(await validator(2)).toMatchObject({ jailed: true, status: UNBONDING, tokens: 0n })
    expect(await refusal(unjail(operator(2)), { from: 12 })).toBe(
      'validator has no self-delegation; cannot be unjailed',
    )
    await send(staked('delegate', 2, 5n * COIN, operator(2)), { to: STAKING, from: 12 })
    expect((await send(unjail(operator(2)), { from: 12 })).status).toBe('success')
    expect(await validator(2)).toMatchObject({ jailed: false, status: BONDED, tokens: 5n * COIN })
    await wholeBooks()
  })

  it('are reverted with a snapshot', async () => {
    const { rpc, validator, slashes, mine } = await slashingChain()
    await mine()
    const snapshot = await rpc('evm_snapshot')
    await rpc('dev_reportDowntime', operator(0))
    await mine()
    await rpc('evm_revert', snapshot)
    expect(await validator(0)).toMatchObject({ jailed: false, status: BONDED, tokens: 1_000n * COIN })
    expect(await slashes(0)).toEqual([])
  })
})

describe('a chain without the slashing section in its genesis', () => {
  it('has no slashing contract, like chains that began before the module existed', async () => {
    const spec = presets.kestrel()
    if (spec.native === undefined) throw new Error('the preset has no native part')
    const { viem, rpc } = await testChain({ spec: { ...spec, native: { ...spec.native, modules: {} } } })
    expect(await viem.getCode({ address: SLASHING })).toBeUndefined()
    expect(await viem.call({ to: SLASHING, data: unjail(operator(0)) })).toEqual({ data: undefined })
    await expect(rpc('dev_reportDowntime', operator(0))).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('this chain has no slashing'),
    })
  })
})
