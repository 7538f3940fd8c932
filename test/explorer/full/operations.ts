// A bundle of user operations at the end of the scenario; every list of operations against the events of the entry point.
import { expect, it } from 'vitest'
import { accountAbstraction, executeData, GENEROUS } from '../../support/account-abstraction.ts'
import { playground } from '../../support/assembler.ts'
import { account } from '../../support/chain.ts'
import type { Given } from './records.ts'

const BASE = '/proxy/account-abstraction'

/** Call it last: it adds blocks that the book does not have. */
export function describeOperations(given: () => Given): void {
  it('lists user operations, their bundles and parties', async () => {
    const { on, visit } = given()
    // The script has left transactions waiting.
    await on.rpc('evm_setAutomine', true)
    const aa = await accountAbstraction(on, '0.7')
    const paymaster = await playground(on).contract(GENEROUS)
    await aa.deposit(paymaster)
    const [bundler, bob] = [account(9).address, account(1).address]
    const owners = [6, 7, 8]
    const signed = await Promise.all(
      owners.map((owner) => aa.signed({ owner, paymaster, callData: executeData(bob, 0n) })),
    )
    const receipt = await aa.handle(signed, bundler)
    const hashes = aa.eventsOf(receipt).map(({ args }) => args.userOpHash)
    expect(hashes).toEqual(signed.map(({ hash }) => hash))

    const filters = [
      '',
      `?sender=${signed[0]?.sender}`,
      `?bundler=${bundler}`,
      `?transaction_hash=${receipt.transactionHash}`,
    ]
    const expected = [hashes.toReversed(), hashes.slice(0, 1), hashes.toReversed(), hashes]
    for (const [i, filter] of filters.entries()) {
      const items = await visit.readAll(`${BASE}/operations${filter}`, 2)
      expect(
        items.map(({ hash }) => hash),
        filter,
      ).toEqual(expected[i])
    }
    for (const hash of hashes) {
      expect(await visit.read(`${BASE}/operations/${hash}`)).toMatchObject({ hash, status: true })
      expect((await visit.read(`${BASE}/operations/${hash}/summary`)).data.summaries).toHaveLength(1)
      for (const list of ['logs', 'token-transfers'])
        expect((await visit.read(`${BASE}/operations/${hash}/${list}`)).total_count, list).toBe(0)
    }
    const parts = [
      ['accounts', signed[0]?.sender, 3, { total_ops: 1 }],
      ['bundlers', bundler, 1, { total_bundles: 1, total_ops: 3 }],
      ['paymasters', paymaster, 1, { total_ops: 3 }],
      ['factories', aa.factory, 1, { total_accounts: 3 }],
    ] as const
    for (const [kind, of, count, totals] of parts) {
      expect((await visit.read(`${BASE}/${kind}`)).total_count, kind).toBe(count)
      expect(await visit.read(`${BASE}/${kind}/${of}`), kind).toMatchObject(totals)
    }
    expect(await visit.read(`${BASE}/addresses/${bundler}`)).toMatchObject({ sender: 0, bundler: 3 })
    expect((await visit.read(`${BASE}/bundles`)).items).toMatchObject([{ total_ops: 3 }])
  })
}
