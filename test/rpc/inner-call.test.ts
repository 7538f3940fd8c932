// kestrel_innerCall and kestrel_getNativeContracts, by which Foundry's EVM reaches native contracts. test/clients/foundry.test.ts compares
// outcomes with those of transactions.
import {
  type Address,
  decodeAbiParameters,
  decodeErrorResult,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbi,
} from 'viem'
import { expect, it } from 'vitest'
import { MODULE_ACCOUNT, NATIVE_CONTRACT } from '../../src/spec/addresses.ts'
import { A, abi, COIN, delegate, owner, STAKING } from '../precompiles/staking-support.ts'
import { account, testChain } from '../support/chain.ts'
import { decodeOutcome, encodeInnerCall, type KnownAccount } from '../support/inner-call.ts'

const NO_CODE = keccak256('0x')
const other = account(1).address

async function open() {
  const chain = await testChain()
  const { timestamp } = await chain.viem.getBlock()
  const send = (encoded: Hex) => chain.raw('kestrel_innerCall', encoded)
  const run = async (changes: Parameters<typeof encodeInnerCall>[0] = {}, known: readonly KnownAccount[] = []) => {
    const call = { to: STAKING, data: delegate(COIN), time: timestamp, ...changes } as const
    return decodeOutcome((await send(encodeInnerCall(call, known))).result)
  }
  return { ...chain, send, run }
}

const reasonOf = ({ output }: { output: Hex }) =>
  decodeErrorResult({ abi: parseAbi(['error Error(string)']), data: output }).args[0]

it('kestrel_innerCall tells results, logs and changes, and changes nothing', async () => {
  const { run, viem } = await open()
  const before = await viem.getBalance({ address: owner })
  const { success, logs, before: read, later } = await run()
  expect([success, logs.map(({ emitter }) => emitter)]).toEqual([true, [STAKING]])
  const balancesIn = (accounts: typeof read, of: Address) =>
    accounts.find(({ account }) => account.toLowerCase() === of.toLowerCase())?.balance
  expect([balancesIn(read, owner), balancesIn(later, owner)]).toEqual([before, before - COIN])
  const pool = MODULE_ACCOUNT.bondedPool
  expect((balancesIn(later, pool) ?? 0n) - (balancesIn(read, pool) ?? 0n)).toBe(COIN)
  expect(later.map(({ account, slots }) => [account, slots.length])).toEqual(
    read.map(({ account, slots }) => [account, slots.length]),
  )
  expect(await viem.getBalance({ address: owner })).toBe(before)
})

it('kestrel_innerCall runs on the accounts that it is given', async () => {
  const { run } = await open()
  const { later } = await run()
  const asked = encodeFunctionData({ abi, functionName: 'delegation', args: [owner, A] })
  const [shares] = decodeAbiParameters(
    [{ type: 'uint256' }],
    (await run({ data: asked, isStatic: true }, later)).output,
  )
  expect(shares).toBe(COIN * COIN)
  const poor = { account: owner, balance: 1n, codeHash: NO_CODE, code: '0x', slots: [] } as const
  expect(reasonOf(await run({}, [poor]))).toMatch(/insufficient funds|smaller than/)
})

it('kestrel_innerCall tells sender, origin, value and static calls apart', async () => {
  const { run } = await open()
  const bySomeone = await run({ sender: other })
  expect(reasonOf(bySomeone)).toMatch(/^authorization to \S+ for address \S+ does not exist or is expired$/)
  expect(reasonOf(await run({ origin: other, sender: other }))).toMatch(/^origin address \S+ is not the same as/)
  expect(reasonOf(await run({ value: 1n }))).toBe('extension methods do not accept value')
  expect(reasonOf(await run({ isStatic: true }))).toBe('write protection')
  expect(await run({ gas: 1000n })).toMatchObject({ success: false, output: '0x', gasUsed: 1000n })
  expect(bySomeone.later).toEqual([])
})

it('kestrel_innerCall refuses what is no encoding of a call', async () => {
  const { send } = await open()
  for (const encoded of ['0x', '0x1234', `0x${'ff'.repeat(640)}`] as const) {
    expect((await send(encoded)).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('ABI encoding'),
    })
  }
})

it('kestrel_getNativeContracts names the accounts whose code is native', async () => {
  const { rpc, viem } = await open()
  const named = (await rpc('kestrel_getNativeContracts')) as { address: Address; name: string }[]
  expect(named).toContainEqual({ address: NATIVE_CONTRACT.staking, name: 'staking' })
  expect(named).toContainEqual({ address: MODULE_ACCOUNT.bondedPool, name: 'bonded_tokens_pool' })
  const codes = await Promise.all(named.map(({ address }) => viem.getCode({ address })))
  expect(new Set(codes)).toEqual(new Set(['0xfe']))
})
