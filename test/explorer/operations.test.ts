// User operations of ERC-4337 in the explorer's API, with entry points of three versions: each record against the events, receipts and
// structs of the chain.
import { encodeFunctionData, getAddress, type Hex, numberToHex, parseAbiItem, parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import { accountAbstraction, executeData, GENEROUS, VERSIONS } from '../support/account-abstraction.ts'
import { playground } from '../support/assembler.ts'
import { account } from '../support/chain.ts'
import { token } from '../support/contracts.ts'
import { type Scenario, scenario } from './scenario.ts'

const BUNDLER = account(9).address
const bob = account(1).address
const TRANSFERS = 'event Transfer(address indexed from, address indexed to, uint256 value)'

/** For each version a bundle of three: a sponsored transfer of tokens, one that fails, and a payment of coins. */
async function play(on: Scenario) {
  const { contract, send } = playground(on)
  const paymaster = await contract(GENEROUS)
  const coin = await on.deploy('Token', ['Silver', parseEther('1000')])
  const transfer = (amount: bigint) =>
    encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [bob, amount] })
  const bundles = []
  for (const version of VERSIONS) {
    const aa = await accountAbstraction(on, version)
    await aa.deposit(paymaster)
    const senders = await Promise.all([2, 3, 4].map((owner) => aa.senderOf(owner)))
    for (const sender of senders) await send(sender, { value: parseEther('2') })
    await on.call(coin, 'transfer', [senders[0], 50n])
    const operations = [
      await aa.signed({ owner: 2, paymaster, callData: executeData(coin.address, 0n, transfer(7n)) }),
      await aa.signed({ owner: 3, callData: executeData(coin.address, 0n, transfer(7000n)) }),
      await aa.signed({ owner: 4, callData: executeData(bob, parseEther('0.5')) }),
    ]
    bundles.push({ aa, operations, receipt: await aa.handle(operations, BUNDLER) })
  }
  return { paymaster, coin, bundles }
}

const on = scenario(play)
const BASE = '/proxy/account-abstraction'
const read = (path: string) => on().read(`${BASE}${path}`)
const hashesOf = async (query: string): Promise<string[]> =>
  (await on().readAll(`${BASE}/operations${query}`, 2)).map(({ hash }: { hash: string }) => hash)
const made = (): Awaited<ReturnType<typeof play>> => on().made
const of = (index: number) => made().bundles.map(({ operations }) => operations[index]?.hash)
const all = () => made().bundles.flatMap(({ operations }) => operations.map(({ hash }) => hash))

describe('the list of user operations', () => {
  it('is the newest first, and can be filtered by each part', async () => {
    const { paymaster, bundles } = made()
    expect(await hashesOf('')).toEqual(all().reverse())
    expect(await hashesOf(`?bundler=${BUNDLER}`)).toEqual(all().reverse())
    expect(await hashesOf(`?paymaster=${paymaster}`)).toEqual(of(0).reverse())
    for (const { aa, operations, receipt } of bundles) {
      const hashes = operations.map(({ hash }) => hash)
      expect(await hashesOf(`?sender=${operations[1]?.sender}`)).toEqual([hashes[1]])
      expect(await hashesOf(`?factory=${aa.factory}`)).toEqual(hashes.toReversed())
      expect(await hashesOf(`?entry_point=${aa.entryPoint}`)).toEqual(hashes.toReversed())
      expect(await hashesOf(`?transaction_hash=${receipt.transactionHash}`)).toEqual(hashes)
      expect(await hashesOf(`?transaction_hash=${receipt.transactionHash}&bundle_index=0`)).toEqual(hashes)
      expect(await hashesOf(`?transaction_hash=${receipt.transactionHash}&bundle_index=1`)).toEqual([])
      expect(await hashesOf(`?block_number=${receipt.blockNumber}`)).toEqual(hashes)
      expect(await hashesOf(`?block_number=${receipt.blockNumber - 1n}`)).toEqual([])
      expect(await hashesOf(`?paymaster=${paymaster}&entry_point=${aa.entryPoint}`)).toEqual([hashes[0]])
      expect(await hashesOf(`?paymaster=${paymaster}&block_number=${receipt.blockNumber}`)).toEqual([hashes[0]])
      expect(await hashesOf(`?paymaster=${paymaster}&sender=${operations[1]?.sender}`)).toEqual([])
    }
    expect(await hashesOf(`?transaction_hash=0x${'12'.repeat(32)}`)).toEqual([])
    expect((await on().get(`${BASE}/operations?sender=0x12`)).status).toBe(422)
  })
})

describe('a user operation', () => {
  it('has what its event, its bundle and its block say', async () => {
    for (const { aa, operations, receipt } of made().bundles) {
      const block = await on().viem.getBlock({ blockNumber: receipt.blockNumber })
      for (const [index, { args }] of aa.eventsOf(receipt).entries()) {
        const signed = operations[index]
        const record = await read(`/operations/${signed?.hash}`)
        const isSponsored = index === 0
        expect(record).toMatchObject({
          hash: args.userOpHash,
          sender: { hash: args.sender, is_contract: true },
          nonce: numberToHex(args.nonce, { size: 32 }),
          status: args.success,
          fee: String(args.actualGasCost),
          gas_used: String(args.actualGasUsed),
          gas_price: String(args.actualGasCost / args.actualGasUsed),
          entry_point: { hash: aa.entryPoint },
          entry_point_version: `v${aa.version}`,
          bundler: { hash: BUNDLER },
          factory: { hash: aa.factory },
          paymaster: isSponsored ? { hash: args.paymaster } : null,
          aggregator: null,
          transaction_hash: receipt.transactionHash,
          block_number: String(receipt.blockNumber),
          block_hash: block.hash,
          ...{ bundle_index: 0, index },
          ...{ call_gas_limit: '200000', verification_gas_limit: '600000', pre_verification_gas: '50000' },
          ...{ max_fee_per_gas: '4000000000', max_priority_fee_per_gas: '1000000000' },
          // The sum of the limits; 0.6 verifies three times with a paymaster, later versions have 150,000 for it.
          gas: String(850_000 + (isSponsored ? (aa.version === '0.6' ? 1_200_000 : 150_000) : 0)),
          // An account without a deposit makes one when it is asked.
          sponsor_type: isSponsored ? 'paymaster_sponsor' : 'wallet_deposit',
        })
        expect(Date.parse(record.timestamp)).toBe(Number(block.timestamp) * 1000)
        const { initCode, ...struct } = signed?.struct ?? {}
        expect(record.raw).toMatchObject({ sender: args.sender, nonce: '0', init_code: String(initCode).toLowerCase() })
        expect(record.call_data).toBe(struct.callData)
        expect(record.signature).toBe(struct.signature)
        expect(record.raw).toMatchObject(
          aa.version === '0.6'
            ? { call_gas_limit: '200000', max_fee_per_gas: '4000000000' }
            : { account_gas_limits: struct.accountGasLimits, gas_fees: struct.gasFees },
        )
      }
    }
  })

  it('has the call of its account, decoded, and why it failed', async () => {
    const { coin, bundles } = made()
    for (const { operations } of bundles) {
      const [moved, failed, paid] = await Promise.all(operations.map(({ hash }) => read(`/operations/${hash}`)))
      expect(moved).toMatchObject({
        revert_reason: null,
        execute_target: { hash: coin.address },
        decoded_call_data: { method_id: 'b61d27f6', method_call: 'execute(address dest, uint256 value, bytes func)' },
        decoded_execute_call_data: { method_id: 'a9059cbb', parameters: [{ value: bob }, { value: '7' }] },
      })
      // The account answers with the error of the token.
      const call = on().viem.call({ account: failed.sender.hash, to: coin.address, data: failed.execute_call_data })
      const error = await call.then(
        () => undefined,
        (thrown: { walk: (of: (each: unknown) => boolean) => { data?: Hex } }) =>
          thrown.walk((each) => Object.hasOwn(each as object, 'data')).data,
      )
      expect(failed.revert_reason).toBe(error)
      expect(paid).toMatchObject({
        execute_target: { hash: bob },
        execute_call_data: '0x',
        decoded_execute_call_data: null,
      })
    }
  })

  it('has the logs and token transfers of its call', async () => {
    const { coin, bundles } = made()
    for (const { operations, receipt } of bundles) {
      const [moved, ...others] = await Promise.all(operations.map(({ hash }) => read(`/operations/${hash}`)))
      const [log] = await on().viem.getLogs({
        address: coin.address,
        event: parseAbiItem(TRANSFERS),
        fromBlock: receipt.blockNumber,
        toBlock: receipt.blockNumber,
      })
      expect(moved).toMatchObject({ user_logs_start_index: log?.logIndex, user_logs_count: 1 })
      expect(others).toMatchObject([{ user_logs_count: 0 }, { user_logs_count: 0 }])
      const path = `/operations/${moved.hash}`
      expect((await read(`${path}/logs`)).items).toMatchObject([
        { index: log?.logIndex, address: { hash: coin.address } },
      ])
      expect((await read(`${path}/token-transfers`)).items).toMatchObject([
        { log_index: log?.logIndex, to: { hash: bob } },
      ])
      for (const { hash } of others) {
        expect((await read(`/operations/${hash}/logs`)).items).toEqual([])
        expect((await read(`/operations/${hash}/token-transfers`)).items).toEqual([])
      }
    }
  })

  it('has a sentence, and so has its transaction', async () => {
    const templateOf = async (path: string) => {
      const { summary_template: template, summary_template_variables: variables } = (await on().read(path)).data
        .summaries[0]
      return template.replace(/\{(\w+)\}/g, (_: string, name: string) => {
        if (name === 'native') return 'KEST'
        const { type, value } = variables[name]
        return type === 'address' ? value.hash : type === 'token' ? value.symbol : value
      })
    }
    for (const { operations, receipt } of made().bundles) {
      const [moved, failed, paid] = await Promise.all(
        operations.map(({ hash }) => templateOf(`${BASE}/operations/${hash}/summary`)),
      )
      const senders = operations.map(({ sender }) => sender)
      expect(moved).toBe(`${senders[0]} sent 0.000000000000000007 TOK to ${bob}`)
      expect(failed).toMatch(/^transfer\(to: 0x7099…79C8, value: 7000\) of 0x\w{40} failed: /)
      expect(paid).toBe(`${senders[2]} sent 0.5 KEST to ${bob}`)
      expect(await templateOf(`/transactions/${receipt.transactionHash}/summary`)).toBe(
        `${account(0).address} sent 3 user operations of ${senders[0]}, ${senders[1]} and ${senders[2]}`,
      )
    }
  })

  it('that is unknown is not found', async () => {
    const unknown = `0x${'12'.repeat(32)}`
    for (const part of ['', '/summary', '/logs', '/token-transfers'])
      expect((await on().get(`${BASE}/operations/${unknown}${part}`)).status, part).toBe(404)
  })
})

describe('parties of user operations', () => {
  it('have totals', async () => {
    const { paymaster, bundles } = made()
    expect(await read(`/bundlers/${BUNDLER}`)).toMatchObject({ total_bundles: 3, total_ops: 9 })
    expect((await read('/bundlers')).items).toEqual([await read(`/bundlers/${BUNDLER}`)])
    expect((await read('/paymasters')).items).toMatchObject([
      { address: { hash: getAddress(paymaster) }, total_ops: 3 },
    ])
    expect(await read(`/paymasters/${paymaster}`)).toMatchObject({ total_ops: 3 })
    expect((await read('/factories')).total_count).toBe(3)
    for (const { aa, operations, receipt } of bundles) {
      expect(await read(`/factories/${aa.factory}`)).toMatchObject({ total_accounts: 3 })
      const [first] = operations
      expect(await read(`/accounts/${first?.sender}`)).toMatchObject({
        creation_op_hash: first?.hash,
        creation_transaction_hash: receipt.transactionHash,
        factory: { hash: aa.factory },
        total_ops: 1,
      })
      const senders = (await read(`/accounts?factory=${aa.factory}`)).items.map(
        (one: { address: { hash: string } }) => one.address.hash,
      )
      expect(senders).toEqual(operations.map(({ sender }) => sender).reverse())
      expect(await read(`/addresses/${aa.entryPoint}`)).toEqual({
        sender: 0,
        bundler: 0,
        paymaster: 0,
        factory: 0,
        entry_point: 3,
      })
    }
    expect((await read('/accounts')).total_count).toBe(9)
    for (const kind of ['accounts', 'bundlers', 'paymasters', 'factories'])
      expect((await on().get(`${BASE}/${kind}/${bob}`)).status, kind).toBe(404)
  })

  it('are in bundles', async () => {
    const { bundles } = made()
    const expected = bundles.map(({ receipt }) => ({
      transaction_hash: receipt.transactionHash,
      bundler: { hash: BUNDLER },
      block_number: String(receipt.blockNumber),
      bundle_index: 0,
      total_ops: 3,
    }))
    expect((await read('/bundles')).items).toMatchObject(expected.toReversed())
    expect((await read(`/bundles?bundler=${BUNDLER}`)).items).toMatchObject(expected.toReversed())
    const [first] = bundles
    expect((await read(`/bundles?bundler=${BUNDLER}&entry_point=${first?.aa.entryPoint}`)).items).toMatchObject([
      expected[0],
    ])
    expect((await read(`/bundles?bundler=${bob}`)).items).toEqual([])
  })
})

describe('the search for the hash of a user operation', () => {
  it('finds it', async () => {
    const [hash] = all()
    const hit = { type: 'user_operation', user_operation_hash: hash, url: `/op/${hash}` }
    expect((await on().read(`/search?q=${hash}`)).items).toMatchObject([hit])
    expect(await on().read(`/search/quick?q=${hash}`)).toMatchObject([hit])
    expect(await on().read(`/search/check-redirect?q=${hash}`)).toEqual({
      redirect: true,
      type: 'user_operation',
      parameter: hash,
    })
  })
})
