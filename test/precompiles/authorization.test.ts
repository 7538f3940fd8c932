// Grants by users and contracts, through a running node. Interface, selectors and topics are the published ones; numbers in
// titles are the specification's behaviour vectors.
import { formatAbi } from 'abitype'
import {
  type Address,
  decodeErrorResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  hexToBytes,
  maxUint256,
  numberToHex,
  parseAbi,
  parseEventLogs,
  toEventSelector,
  toFunctionSelector,
  toHex,
  zeroAddress,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { hexToAddress } from '../../src/lib/hex.ts'
import { initGenesis } from '../../src/modules/index.ts'
import { authorization, distributionAuthorization } from '../../src/precompiles/authorization.ts'
import { definePrecompile } from '../../src/precompiles/define.ts'
import { authorizationAbi } from '../../src/precompiles/generated/abi.ts'
import { NATIVE_CONTRACT } from '../../src/spec/addresses.ts'
import { presets } from '../../src/spec/presets.ts'
import { account, testChain } from '../support/chain.ts'
import { forwarder } from '../support/forwarder.ts'
import { alice, emptyView, nativeCall, nativeSpec, runNow, withFixedPrices } from '../support/native.ts'

const AUTHORIZATION = '0x0000000000000000000000000000000000000A00'
const CONTRACT = getAddress('0xcccccccccccccccccccccccccccccccccccccccc')
const YEAR = 31_536_000

const abi = parseAbi([
  'function approve(address spender, uint256 amount, string[] methods) returns (bool approved)',
  'function revoke(address spender, string[] methods) returns (bool revoked)',
  'function increaseAllowance(address spender, uint256 amount, string[] methods) returns (bool approved)',
  'function decreaseAllowance(address spender, uint256 amount, string[] methods) returns (bool approved)',
  'function allowance(address owner, address spender, string method) view returns (uint256 remaining)',
  'event Approval(address indexed owner, address indexed spender, string[] methods, uint256 value)',
  'event Revocation(address indexed owner, address indexed spender, string[] methods)',
  'event AllowanceChange(address indexed owner, address indexed spender, string[] methods, uint256[] values)',
])
type Transaction = 'approve' | 'revoke' | 'increaseAllowance' | 'decreaseAllowance'
const callData = (functionName: Transaction, ...args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData>[0])

const STAKING = ['MSG_DELEGATE', 'MSG_UNDELEGATE', 'MSG_REDELEGATE', 'MSG_CANCEL_UNDELEGATION']
const URL = {
  delegate: '/cosmos.staking.v1beta1.MsgDelegate',
  undelegate: '/cosmos.staking.v1beta1.MsgUndelegate',
  redelegate: '/cosmos.staking.v1beta1.MsgBeginRedelegate',
  cancel: '/cosmos.staking.v1beta1.MsgCancelUnbondingDelegation',
}
const owner = account(0).address
const missing = (url: string) => `authorization to ${url} for address ${CONTRACT} does not exist or is expired`

async function open(overrides: Parameters<typeof testChain>[0] = {}) {
  const chain = await testChain(overrides)
  const wallet = chain.walletOf(0)
  return {
    ...chain,
    /** Sends a transaction to `to`, by default the contract itself, and waits for its receipt. */
    async send(data: Hex, { to = AUTHORIZATION, gas }: { to?: Address; gas?: bigint } = {}) {
      const hash = await wallet.sendTransaction({ to, data, ...(gas !== undefined && { gas }) })
      const receipt = await chain.viem.waitForTransactionReceipt({ hash })
      return { ...receipt, events: parseEventLogs({ abi, logs: receipt.logs }) }
    },
    /** The reason of a call's refusal. */
    async refusal(data: Hex, { to = AUTHORIZATION, value = 0n }: { to?: Address; value?: bigint } = {}) {
      const { error } = await chain.raw('eth_call', { from: owner, to, data, value: numberToHex(value) }, 'latest')
      const [reason] = decodeErrorResult({ abi: parseAbi(['error Error(string)']), data: error?.data as Hex }).args
      return reason
    },
    allowance: (method: string, { to = AUTHORIZATION, granter = owner, grantee = CONTRACT }: Allowance = {}) =>
      chain.viem.readContract({ address: to, abi, functionName: 'allowance', args: [granter, grantee, method] }),
  }
}
type Allowance = { to?: Address; granter?: Address; grantee?: Address }

describe('the interface', () => {
  it('has the published selectors and topics', () => {
    const selectors = abi.flatMap((entry) => (entry.type === 'function' ? [toFunctionSelector(entry)] : []))
    expect(selectors).toEqual(['0xb6039895', '0x61dc5c3b', '0xa386a63c', '0xf007d286', '0xfc08930c'])
    const topics = abi.flatMap((entry) => (entry.type === 'event' ? [toEventSelector(entry)] : []))
    expect(topics).toEqual([
      '0xf2638649a77447a76543b3e27c31ee0febe7de7fb20e2b6a781d08207bc7cb8d',
      '0xb0901d422521d0496e60bfbd8023b219d603a6cb950b43b2fe95043676cb353e',
      '0x5a22c7e8af595d94a6d652de8e346a8ecdfe49fc2e0e976f33c9fc9358390ea4',
    ])
    expect(formatAbi(authorization.abi).toSorted()).toEqual(formatAbi(abi).toSorted())
  })
})

describe('approve', () => {
  it('1, 2, 3: refuses invalid lists of methods and grants nothing', async () => {
    const { refusal, send, allowance } = await open()
    expect(await refusal(callData('approve', CONTRACT, 1n, []))).toBe(
      'no methods defined; expected at least one message type url',
    )
    expect(await refusal(callData('approve', CONTRACT, 1n, ['MSG_DELEGATE', '']))).toBe(
      'empty string found in methods array; expected no empty strings to be passed; got: [MSG_DELEGATE ]',
    )
    const unknown = callData('approve', CONTRACT, maxUint256, ['MSG_DELEGATE', '/foo'])
    expect(await refusal(unknown)).toBe('invalid transaction type: /foo')
    // The second grant does not exist, so the first is not revoked either.
    await send(callData('approve', CONTRACT, 5n, ['MSG_DELEGATE']))
    const half = callData('approve', CONTRACT, 0n, ['MSG_DELEGATE', 'MSG_UNDELEGATE'])
    expect(await refusal(half)).toBe(missing(URL.undelegate))
    for (const data of [unknown, half]) {
      const { status, logs } = await send(data, { gas: 200_000n })
      expect([status, logs]).toEqual(['reverted', []])
    }
    expect(await allowance('MSG_DELEGATE')).toBe(5n)
  })

  it('4: grants every method of the list, by name or by URL, with one log', async () => {
    const { send, allowance } = await open()
    const { events, logs } = await send(callData('approve', CONTRACT, maxUint256, STAKING))
    expect(logs).toHaveLength(1)
    expect(events[0]).toMatchObject({
      eventName: 'Approval',
      address: AUTHORIZATION.toLowerCase(),
      args: { owner, spender: CONTRACT, methods: STAKING, value: maxUint256 },
    })
    for (const name of [...STAKING, ...Object.values(URL)]) expect(await allowance(name)).toBe(maxUint256)
    expect(await allowance(URL.delegate, { granter: CONTRACT, grantee: owner })).toBe(0n)
  })

  it('logs the data of the ABI encoding', async () => {
    const { send } = await open()
    const { logs } = await send(callData('approve', CONTRACT, 7n, ['MSG_DELEGATE']))
    const word = (value: string | number) => (typeof value === 'number' ? value.toString(16) : value).padStart(64, '0')
    expect(logs[0]?.topics).toEqual([
      '0xf2638649a77447a76543b3e27c31ee0febe7de7fb20e2b6a781d08207bc7cb8d',
      `0x${word(owner.slice(2).toLowerCase())}`,
      `0x${word(CONTRACT.slice(2).toLowerCase())}`,
    ])
    // The offset of `methods`, the value 7, one method, its offset, its length.
    const text = Buffer.from('MSG_DELEGATE').toString('hex').padEnd(64, '0')
    expect(logs[0]?.data).toBe(`0x${[0x40, 7, 1, 0x20, 12].map(word).join('')}${text}`)
  })

  it('5: revokes the grant when the amount is zero', async () => {
    const { send, refusal, allowance } = await open()
    const revoking = callData('approve', CONTRACT, 0n, [URL.delegate])
    expect(await refusal(revoking)).toBe(missing(URL.delegate))
    await send(callData('approve', CONTRACT, 5n, ['MSG_DELEGATE']))
    const { events } = await send(revoking)
    expect(events[0]).toMatchObject({ eventName: 'Approval', args: { methods: [URL.delegate], value: 0n } })
    expect(await allowance('MSG_DELEGATE')).toBe(0n)
  })

  it('grants distribution and vesting messages without an amount', async () => {
    const { send, allowance } = await open()
    await send(callData('approve', CONTRACT, 1n, ['MSG_WITHDRAW_DELEGATOR_REWARD', '/evmos.vesting.v2.MsgClawback']))
    expect(await allowance('/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward')).toBe(maxUint256)
    expect(await allowance('MSG_CLAWBACK')).toBe(maxUint256)
  })

  it('refuses the zero address and a value', async () => {
    const { refusal } = await open()
    expect(await refusal(callData('approve', zeroAddress, 1n, STAKING))).toBe(`invalid grantee address: ${zeroAddress}`)
    expect(await refusal(callData('approve', CONTRACT, 1n, STAKING), { value: 1n })).toBe(
      'extension methods do not accept value',
    )
  })

  it('costs the gas of the table, and as much as estimated', async () => {
    const { send, viem } = await open({ spec: withFixedPrices(presets.kestrel()) })
    const data = callData('approve', CONTRACT, 5n, ['MSG_DELEGATE', 'MSG_WITHDRAW_DELEGATOR_REWARD'])
    const estimate = await viem.estimateGas({ account: owner, to: AUTHORIZATION, data })
    const { gasUsed, status } = await send(data, { gas: estimate })
    const bytes = Buffer.from(data.slice(2), 'hex')
    const zeros = bytes.filter((byte) => byte === 0).length
    const intrinsic = 21_000 + 4 * zeros + 16 * (bytes.length - zeros)
    // Three validators are stored in the stake grant.
    const native = 2_000 + 30 * (bytes.length - 4) + 5_000 + 2 * 20_000 + 3 * 40
    expect([status, gasUsed]).toEqual(['success', BigInt(intrinsic + native)])
  })
})

describe('the five authorization functions at the distribution contract', () => {
  const contract = definePrecompile({
    name: 'trial',
    address: NATIVE_CONTRACT.distribution,
    since: 0n,
    abi: authorizationAbi,
    functions: distributionAuthorization,
  }).on(nativeSpec, (message) => expect.fail(message))

  it('accept the three messages of distribution, and log under its address', async () => {
    const view = await emptyView()
    initGenesis(view, nativeSpec, 0n, { number: 0n, timestamp: 0n, proposer: alice })
    const run = (data: Hex) => runNow(contract, nativeCall(view, hexToBytes(data)))
    const known = ['MSG_SET_WITHDRAWER_ADDRESS', 'MSG_WITHDRAW_DELEGATOR_REWARD', 'MSG_WITHDRAW_VALIDATOR_COMMISSION']
    expect(run(callData('approve', CONTRACT, 1n, known)).logs.map(({ address }) => address)).toEqual([
      NATIVE_CONTRACT.distribution,
    ])
    const reason = (data: Hex) =>
      decodeErrorResult({ abi: parseAbi(['error Error(string)']), data: toHex(run(data).output) }).args[0]
    for (const method of ['MSG_DELEGATE', '/evmos.vesting.v2.MsgClawback', '/foo']) {
      expect(reason(callData('approve', CONTRACT, 1n, [method]))).toBe(
        `invalid distribution transaction type: ${method}`,
      )
    }
    expect(reason(callData('increaseAllowance', CONTRACT, 1n, known))).toBe(
      'invalid staking transaction type: MSG_SET_WITHDRAWER_ADDRESS',
    )
  })
})

describe('increaseAllowance and decreaseAllowance', () => {
  it('6: do not change a grant without a limit, but log it', async () => {
    const { send, allowance } = await open()
    await send(callData('approve', CONTRACT, maxUint256, ['MSG_DELEGATE']))
    for (const change of ['increaseAllowance', 'decreaseAllowance'] as const) {
      const { events } = await send(callData(change, CONTRACT, 5n, ['MSG_DELEGATE']))
      expect(events[0]).toMatchObject({ eventName: 'AllowanceChange', args: { values: [maxUint256] } })
    }
    expect(await allowance('MSG_DELEGATE')).toBe(maxUint256)
  })

  it('7: change limits and log the new ones; refuse to go below zero', async () => {
    const { send, refusal, allowance } = await open()
    await send(callData('approve', CONTRACT, 5n, ['MSG_DELEGATE']))
    await send(callData('approve', CONTRACT, 8n, ['MSG_CANCEL_UNDELEGATION']))
    const both = ['MSG_DELEGATE', URL.cancel]
    const up = await send(callData('increaseAllowance', CONTRACT, 2n, both))
    expect(up.events[0]).toMatchObject({
      eventName: 'AllowanceChange',
      args: { owner, spender: CONTRACT, methods: both, values: [7n, 10n] },
    })
    expect(await refusal(callData('decreaseAllowance', CONTRACT, 8n, both))).toBe(
      'amount by which the allowance should be decreased is greater than the authorization limit: 8 > 7',
    )
    const down = await send(callData('decreaseAllowance', CONTRACT, 7n, both))
    expect(down.events[0]).toMatchObject({ args: { values: [0n, 3n] } })
    expect([await allowance('MSG_DELEGATE'), await allowance(URL.cancel)]).toEqual([0n, 3n])
  })

  it('are refused for messages other than those of staking', async () => {
    const { send, refusal } = await open()
    await send(callData('approve', CONTRACT, 1n, ['MSG_WITHDRAW_DELEGATOR_REWARD']))
    for (const change of ['increaseAllowance', 'decreaseAllowance'] as const) {
      expect(await refusal(callData(change, CONTRACT, 1n, ['MSG_WITHDRAW_DELEGATOR_REWARD']))).toBe(
        'invalid staking transaction type: MSG_WITHDRAW_DELEGATOR_REWARD',
      )
      expect(await refusal(callData(change, CONTRACT, 1n, ['MSG_REDELEGATE']))).toBe(missing(URL.redelegate))
      expect(await refusal(callData(change, CONTRACT, 1n, []))).toBe(
        'no methods defined; expected at least one message type url',
      )
    }
  })
})

describe('revoke', () => {
  it('8: removes grants, either all or none', async () => {
    const { send, refusal, allowance } = await open()
    expect(await refusal(callData('revoke', CONTRACT, ['MSG_DELEGATE']))).toBe(missing(URL.delegate))
    await send(callData('approve', CONTRACT, 5n, STAKING))
    expect(await refusal(callData('revoke', CONTRACT, ['MSG_DELEGATE', URL.delegate]))).toBe(missing(URL.delegate))
    const { events } = await send(callData('revoke', CONTRACT, [URL.delegate, 'MSG_REDELEGATE']))
    expect(events[0]).toMatchObject({
      eventName: 'Revocation',
      args: { owner, spender: CONTRACT, methods: [URL.delegate, 'MSG_REDELEGATE'] },
    })
    const left = await Promise.all(STAKING.map((name) => allowance(name)))
    expect(left).toEqual([0n, 5n, 0n, 5n])
  })
})

describe('allowance', () => {
  it('returns zero without a grant and for unknown messages', async () => {
    const { allowance } = await open()
    for (const method of ['MSG_DELEGATE', URL.delegate, '/ibc.applications.transfer.v1.MsgTransfer', '/foo']) {
      expect(await allowance(method)).toBe(0n)
    }
  })

  it('refuses empty arguments', async () => {
    const { refusal } = await open()
    const ask = (...args: [Address, Address, string]) =>
      refusal(encodeFunctionData({ abi, functionName: 'allowance', args }))
    expect(await ask(zeroAddress, CONTRACT, 'MSG_DELEGATE')).toBe(`invalid granter address: ${zeroAddress}`)
    expect(await ask(owner, zeroAddress, 'MSG_DELEGATE')).toBe(`invalid grantee address: ${zeroAddress}`)
    expect(await ask(owner, CONTRACT, '')).toBe('empty method defined; expected a valid message type url')
  })

  it('takes grantee and granter in the other order on chains with that rule', async () => {
    const spec = presets.kestrel()
    if (spec.native === undefined) throw new Error('the preset has no native part')
    const compat = { ...spec.native.compat, allowanceOrder: 'grantee-first' } as const
    const { send, allowance, refusal } = await open({ spec: { ...spec, native: { ...spec.native, compat } } })
    await send(callData('approve', CONTRACT, 5n, ['MSG_DELEGATE']))
    expect(await allowance('MSG_DELEGATE', { granter: CONTRACT, grantee: owner })).toBe(5n)
    expect(await allowance('MSG_DELEGATE')).toBe(0n)
    const data = encodeFunctionData({ abi, functionName: 'allowance', args: [zeroAddress, owner, 'MSG_DELEGATE'] })
    expect(await refusal(data)).toBe(`invalid grantee address: ${zeroAddress}`)
  })

  it('9: returns zero a year later, and the owner may grant again', async () => {
    const { send, allowance, dev } = await open()
    await send(callData('approve', CONTRACT, 5n, ['MSG_DELEGATE']))
    await dev.increaseTime({ seconds: YEAR - 60 })
    await dev.mine({ blocks: 1 })
    expect(await allowance('MSG_DELEGATE')).toBe(5n)
    await dev.increaseTime({ seconds: 61 })
    await dev.mine({ blocks: 1 })
    expect(await allowance('MSG_DELEGATE')).toBe(0n)
    await send(callData('approve', CONTRACT, 6n, ['MSG_DELEGATE']))
    expect(await allowance('MSG_DELEGATE')).toBe(6n)
  })

  it('can be queried at older blocks', async () => {
    const { send, viem } = await open()
    const { blockNumber } = await send(callData('approve', CONTRACT, 5n, ['MSG_DELEGATE']))
    await send(callData('revoke', CONTRACT, ['MSG_DELEGATE']))
    const at = (block: bigint) =>
      viem.readContract({
        address: AUTHORIZATION,
        abi,
        functionName: 'allowance',
        args: [owner, CONTRACT, 'MSG_DELEGATE'],
        blockNumber: block,
      })
    expect([await at(blockNumber - 1n), await at(blockNumber), await at(blockNumber + 1n)]).toEqual([0n, 5n, 0n])
  })
})

describe('contracts that call the authorization contract', () => {
  it('create grants of their own, not of the signer', async () => {
    const { send, dev, allowance } = await open()
    await dev.setCode({ address: CONTRACT, bytecode: forwarder(AUTHORIZATION) })
    const { events } = await send(callData('approve', owner, 5n, ['MSG_DELEGATE']), { to: CONTRACT })
    expect(events[0]).toMatchObject({ eventName: 'Approval', args: { owner: CONTRACT, spender: owner } })
    expect(await allowance('MSG_DELEGATE', { granter: CONTRACT, grantee: owner })).toBe(5n)
    await send(callData('approve', CONTRACT, 5n, ['MSG_DELEGATE']), { to: CONTRACT })
    expect(await allowance('MSG_DELEGATE')).toBe(0n)
  })

  it('10: create grants of the signer under Evmos’ rules', async () => {
    const { send, dev, allowance } = await open({
      spec: presets.evmos({ accounts: [hexToAddress(owner)], balance: 10n ** 21n }),
    })
    await dev.setCode({ address: CONTRACT, bytecode: forwarder(AUTHORIZATION) })
    const { events } = await send(callData('approve', CONTRACT, 5n, ['MSG_DELEGATE']), { to: CONTRACT })
    expect(events[0]).toMatchObject({ eventName: 'Approval', args: { owner, spender: CONTRACT } })
    // Evmos' query takes (grantee, granter).
    expect(await allowance('MSG_DELEGATE', { granter: CONTRACT, grantee: owner })).toBe(5n)
  })

  it('14: may query in every kind of call, but create grants in plain calls only', async () => {
    const { dev, viem, refusal } = await open()
    const approve = callData('approve', owner, 5n, ['MSG_DELEGATE'])
    const data = encodeFunctionData({ abi, functionName: 'allowance', args: [owner, CONTRACT, 'MSG_DELEGATE'] })
    for (const kind of ['staticcall', 'delegatecall', 'callcode'] as const) {
      await dev.setCode({ address: CONTRACT, bytecode: forwarder(AUTHORIZATION, kind) })
      expect(await refusal(approve, { to: CONTRACT })).toBe('write protection')
      expect(await viem.call({ to: CONTRACT, data })).toEqual({ data: `0x${'0'.repeat(64)}` })
    }
    // A plain call inside a static call.
    const outer = getAddress('0xdddddddddddddddddddddddddddddddddddddddd')
    await dev.setCode({ address: CONTRACT, bytecode: forwarder(AUTHORIZATION) })
    await dev.setCode({ address: outer, bytecode: forwarder(CONTRACT, 'staticcall') })
    expect(await refusal(approve, { to: outer })).toBe('write protection')
    await dev.setCode({ address: outer, bytecode: forwarder(CONTRACT) })
    expect(await viem.call({ to: outer, data: approve })).toEqual({ data: `0x${'1'.padStart(64, '0')}` })
  })
})
