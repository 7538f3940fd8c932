// The native modules in the scenario: one visit of every endpoint, checked against the scenario's actions.
import { describe, expect, it } from 'vitest'
import { account } from '../../support/chain.ts'
import type { Given } from './records.ts'

export function describeNative(given: () => Given): void {
  describe('the native modules', () => {
    it('show the scenario’s stake, grant, vote and transfer', async () => {
      const { visit } = given()
      const { read } = visit
      const delegator = account(0).address
      const operator = account(10).address
      expect((await read('/native/validators')).total_count).toBe(3)
      expect(await read(`/native/validators/${operator}`)).toMatchObject({ status: 'bonded' })
      expect((await read(`/native/validators/${operator}/delegations`)).total_count).toBe(2)
      for (const list of ['unbondings', 'redelegations', 'blocks', 'votes'])
        await read(`/native/validators/${operator}/${list}`)
      expect((await read(`/native/addresses/${delegator}`)).delegations_count).toBe(1)
      for (const list of ['unbondings', 'redelegations', 'rewards'])
        await read(`/native/addresses/${delegator}/${list}`)
      expect((await read(`/native/addresses/${delegator}/delegations`)).total_count).toBe(1)
      expect((await read(`/native/addresses/${delegator}/grants`)).items).toMatchObject([{ limit: '100' }])
      expect((await read(`/native/addresses/${delegator}/transfers`)).items).toMatchObject([{ status: 'success' }])
      expect((await read(`/native/addresses/${operator}/votes`)).items).toMatchObject([
        { proposal: { title: 'Play on' } },
      ])
      expect((await visit.ask(`/native/addresses/${delegator}/vesting`)).status).toBe(404)
      expect((await read('/native/transfers')).total_count).toBe(1)
      expect((await read('/native/denominations')).items).toMatchObject([{ kind: 'base' }])
      expect((await read('/native/proposals')).items).toMatchObject([{ title: 'Play on', status: 'voting' }])
      expect(await read('/native/proposals/1')).toMatchObject({ votes_count: 1 })
      expect((await read('/native/proposals/1/votes')).total_count).toBe(1)
      expect((await read('/native/proposals/1/deposits')).total_count).toBe(1)
      expect((await read('/native/parameters')).gov.voting_period).toBe(1_000_000)
      expect((await read('/native/parameters/history')).items).toEqual([])
      expect((await read('/native/opcode-proposals')).total_count).toBeGreaterThan(0)
      expect((await read('/native/modules')).items[0].name).toBe('fee_collector')
      expect((await read('/native/network')).engine).toBeNull()
      expect((await read('/native/blocks/1/commit')).votes).toEqual([])
      // This chain's genesis has no slashing.
      expect((await read('/native/signing-infos')).items).toEqual([])
      // Nor has it IBC (test/explorer/ibc.test.ts); its packets are over channels.
      const packet = (await read('/native/transfers')).items[0]
      expect((await read(`/native/transactions/${packet.transaction_hash}/packets`)).items).toEqual([packet])
      for (const path of ['clients', 'clients/07-tendermint-0', 'clients/07-tendermint-0/history', 'packets'])
        expect((await visit.ask(`/native/${path}`)).status).toBe(404)
      expect((await visit.ask('/native/packets/07-tendermint-0/sent/1')).status).toBe(404)
      expect((await read('/native/pool')).validators_count).toBe(3)
      expect((await read('/validators/blackfort')).total_count).toBe(3)
      expect((await read('/validators/blackfort/counters')).validators_counter).toBe('3')
    })
  })
}
