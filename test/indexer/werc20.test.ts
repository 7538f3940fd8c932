// What the index shows of the base coin's own ERC-20 contract: its transfers, and the accounts as its holders. And a model of plain
// integers: after each block of random transfers, approvals, deposits, plain sends and delegations, token and coin balances are the
// model's, and their sum is the supply.
import fc from 'fast-check'
import { type Address, encodeFunctionData, erc20Abi, getAddress, parseAbi, parseEther } from 'viem'
import { expect, it } from 'vitest'
import { hexToAddress } from '../../src/lib/hex.ts'
import { presets } from '../../src/spec/presets.ts'
import { api } from '../explorer/support.ts'
import { account, testChain } from '../support/chain.ts'

const WERC20 = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const [owner, other] = [account(0).address, account(1).address]
const POOR = getAddress('0xabababababababababababababababababababab')
const spec = () => presets['cosmos-evm']({ accounts: [owner, other].map(hexToAddress), balance: parseEther('1000') })
const wrapping = parseAbi(['function deposit() payable', 'function withdraw(uint256)'])

it('the coin’s token has the accounts as holders, its Transfer events as transfers, and no counter that a plain send makes wrong', async () => {
  const { viem, walletOf, url } = await testChain({ spec: spec() })
  const { read } = api(url)
  const send = async (request: { to: Address; data?: `0x${string}`; value?: bigint }) =>
    viem.waitForTransactionReceipt({ hash: await walletOf(0).sendTransaction({ gas: 300_000n, ...request }) })
  await send({ to: POOR, value: 5n })
  await send({ to: WERC20, data: encodeFunctionData({ abi: wrapping, functionName: 'deposit' }), value: 9n })
  await send({ to: WERC20, data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [POOR, 2n] }) })

  const { items } = await read(`/tokens/${WERC20}/holders`)
  const held = Object.fromEntries(
    items.map(({ address, value }: { address: { hash: string }; value: string }) => [address.hash, BigInt(value)]),
  )
  expect([held[POOR], held[other]]).toEqual([7n, parseEther('1000')])
  for (const [holder, amount] of Object.entries(held))
    expect([holder, amount]).toEqual([holder, await viem.getBalance({ address: holder as Address })])
  const counters = await read(`/tokens/${WERC20}/counters`)
  expect(counters).toEqual({ token_holders_count: String(items.length), transfers_count: '1' })
  const supply = await viem.readContract({ address: WERC20, abi: erc20Abi, functionName: 'totalSupply' })
  expect(await read(`/tokens/${WERC20}`)).toMatchObject({
    name: 'Test Token',
    symbol: 'TEST',
    decimals: 18,
    total_supply: String(supply),
    holders_count: String(items.length),
  })
  const { items: transfers } = await read(`/tokens/${WERC20}/transfers`)
  expect(transfers).toHaveLength(1)
  expect(transfers[0]).toMatchObject({ from: { hash: owner }, to: { hash: POOR }, total: { value: '2' } })
  // The balance of coins is on the page already; a list of tokens would show it twice.
  expect((await read(`/addresses/${POOR}/tokens`)).items).toEqual([])
  expect((await read('/tokens')).items[0]).toMatchObject({ address_hash: WERC20 })
})

const STAKING = '0x0000000000000000000000000000000000000800'
const VALIDATOR = 'cosmosvaloper10jmp6sgh4cc6zt3e8gw05wavvejgr5pw4xyrql'
const staking = parseAbi(['function delegate(address, string, uint256) returns (bool)'])
const PEOPLE = [0, 1, 2].map((index) => account(index).address)
const amount = fc.oneof(fc.bigInt(0n, 3n), fc.bigInt(0n, parseEther('1200')))
const person = fc.nat(2)
const action = fc.record({
  kind: fc.constantFrom('transfer', 'approve', 'transferFrom', 'deposit', 'withdraw', 'send', 'delegate'),
  by: person,
  of: person,
  to: person,
  amount,
})
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

/** Balances and allowances as integers. */
class Model {
  readonly coins = PEOPLE.map(() => parseEther('1000'))
  readonly allowances = new Map<string, bigint>()

  /** Applies an action of which the sender has paid the fee. Returns whether it may succeed. */
  apply({ kind, by, of, to, amount }: Action): boolean {
    const has = (who: number) => this.coins[who] ?? 0n
    const move = (from: number, to: number | undefined) => {
      this.coins[from] = has(from) - amount
      if (to !== undefined) this.coins[to] = has(to) + amount
    }
    const key = kind === 'approve' ? `${by} ${to}` : `${of} ${by}`
    const allowance = this.allowances.get(key) ?? 0n
    const isToken = kind === 'transfer' || kind === 'transferFrom' || kind === 'delegate'
    if (isToken && amount === 0n) return false
    if (kind === 'approve') this.allowances.set(key, amount)
    if (kind === 'deposit' || kind === 'approve') return true
    if (kind === 'withdraw') return has(by) >= amount
    const from = kind === 'transferFrom' ? of : by
    if (has(from) < amount || (kind === 'transferFrom' && allowance < amount)) return false
    if (kind === 'transferFrom') this.allowances.set(key, allowance - amount)
    move(from, kind === 'delegate' ? undefined : to)
    return true
  }
}

function requestOf({ kind, by, of, to, amount }: Action) {
  const [sender, owner, receiver] = [by, of, to].map((index) => account(index).address) as [Address, Address, Address]
  const token = { to: WERC20, value: 0n } as const
  switch (kind) {
    case 'transfer':
      return { ...token, data: encodeFunctionData({ abi: erc20Abi, functionName: kind, args: [receiver, amount] }) }
    case 'approve':
      return { ...token, data: encodeFunctionData({ abi: erc20Abi, functionName: kind, args: [receiver, amount] }) }
    case 'transferFrom':
      return {
        ...token,
        data: encodeFunctionData({ abi: erc20Abi, functionName: kind, args: [owner, receiver, amount] }),
      }
    case 'deposit':
      return { to: WERC20, value: amount, data: encodeFunctionData({ abi: wrapping, functionName: kind }) } as const
    case 'withdraw':
      return { ...token, data: encodeFunctionData({ abi: wrapping, functionName: kind, args: [amount] }) }
    case 'delegate': {
      const args = [sender, VALIDATOR, amount] as const
      return { to: STAKING, value: 0n, data: encodeFunctionData({ abi: staking, functionName: kind, args }) } as const
    }
    default:
      return { to: receiver, value: amount, data: '0x' } as const
  }
}

it('token and coin are one balance after random histories', async () => {
  const { viem, walletOf, url, node } = await testChain({
    spec: presets['cosmos-evm']({ accounts: PEOPLE.map(hexToAddress), balance: parseEther('1000') }),
  })
  const model = new Model()
  const { read } = api(url)
  const actions = fc.sample(action, { numRuns: 60, seed: Number(process.env['PROPERTY_SEED'] ?? 1) })
  let succeeded = 0
  for (const chosen of actions) {
    const { by } = chosen
    // Value and the highest fee must be there before a transaction starts.
    const isPayable = chosen.kind === 'deposit' || chosen.kind === 'send'
    const room = (model.coins[by] ?? 0n) - parseEther('1')
    if (room < 0n) continue
    const of = isPayable && chosen.amount > room ? { ...chosen, amount: room } : chosen
    const request = { ...requestOf(of), gas: 600_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 0n }
    const hash = await walletOf(by).sendTransaction(request)
    const { status, gasUsed, effectiveGasPrice } = await viem.waitForTransactionReceipt({ hash })
    const fee = gasUsed * effectiveGasPrice
    // An action sees the balance without what the gas limit costs; the unused part returns afterwards.
    const held = 600_000n * effectiveGasPrice
    model.coins[by] = (model.coins[by] ?? 0n) - held
    const expected = model.apply(of)
    model.coins[by] = (model.coins[by] ?? 0n) + held - fee
    expect([of, status]).toEqual([of, expected ? 'success' : 'reverted'])
    if (expected) succeeded++
    // A delegation also pays the rewards of the former ones, which are the distribution's to calculate.
    if (of.kind === 'delegate') model.coins[by] = await viem.getBalance({ address: account(by).address })
    for (const [index, address] of PEOPLE.entries()) {
      const coin = await viem.getBalance({ address })
      const token = await viem.readContract({
        address: WERC20,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [address],
      })
      expect([of, coin, token]).toEqual([of, model.coins[index], model.coins[index]])
    }
    expect(await viem.getBalance({ address: WERC20 })).toBe(0n)
  }
  expect(succeeded).toBeGreaterThan(10)
  for (const [key, left] of model.allowances) {
    const args = key.split(' ').map((index) => account(Number(index)).address) as [Address, Address]
    expect(await viem.readContract({ address: WERC20, abi: erc20Abi, functionName: 'allowance', args })).toBe(left)
  }
  const { items } = await read(`/tokens/${WERC20}/holders?items_count=50`)
  const sum = items.reduce((total: bigint, { value }: { value: string }) => total + BigInt(value), 0n)
  expect(sum).toBe(await viem.readContract({ address: WERC20, abi: erc20Abi, functionName: 'totalSupply' }))
  expect(node.chain.head.number).toBeGreaterThan(10n)
})
