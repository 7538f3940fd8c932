// Contracts with their code, and one with its sources, verified by the frontend's form.
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { NATIVE_CONTRACT } from '../../../src/spec/addresses.ts'
import type { Given } from './records.ts'

const SOURCE = 'test/explorer/full/contracts/stage.sol'

export function describeContracts(given: () => Given): void {
  const post = (address: Hex, way: string, form: object) =>
    given().visit.ask(`/smart-contracts/${address}/verification/via/${way}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(form),
    })

  describe('contract sources', () => {
    it('include the code of every contract', async () => {
      const { visit, on, book } = given()
      const { stage, mortal } = on.made
      const shown = await visit.read(`/smart-contracts/${stage.address}`)
      expect(shown).toMatchObject({ is_verified: false, is_self_destructed: false, proxy_type: null })
      expect(shown.deployed_bytecode).toBe(await on.viem.getCode({ address: stage.address }))
      expect(shown.creation_bytecode).toBe(book.transactions.find(({ created }) => created === stage.address)?.input)
      // EIP-6780: it was not created in the transaction of its self-destruct, so it remains.
      expect(await visit.read(`/smart-contracts/${mortal.address}`)).toMatchObject({ is_self_destructed: false })
      expect(await visit.read(`/smart-contracts/${stage.address}/interface`)).toEqual({ abi: [], enums: {} })
      expect(await visit.read(`/smart-contracts/${stage.address}/audit-reports`)).toEqual({
        items: [],
        next_page_params: null,
      })
    })

    it('are shown after verification, and then decode revert reasons', async () => {
      const { visit, on } = given()
      const { stage, refused, people } = on.made
      const ways = ['flattened-code', 'standard-input', 'multi-part', 'sourcify']
      for (const way of [...ways, 'vyper-code', 'vyper-multi-part', 'vyper-standard-input']) {
        expect((await post(stage.address, way, {})).status).toBe(422)
      }
      const { solidity_compiler_versions: versions, license_types } = await visit.read(
        '/smart-contracts/verification/config',
      )
      expect(license_types.none).toBe(1)
      const { status } = await post(stage.address, 'flattened-code', {
        compiler_version: versions[0],
        contract_name: 'Stage',
        license_type: 'mit',
        source_code: readFileSync(SOURCE, 'utf8'),
        evm_version: 'prague',
        is_optimization_enabled: true,
        optimization_runs: 200,
      })
      expect(status).toBe(200)
      const shown = () => visit.read(`/smart-contracts/${stage.address}`)
      while (!(await shown()).is_verified) await setTimeout(100)
      const { abi } = await shown()
      expect(await shown()).toMatchObject({ name: 'Stage', language: 'solidity', is_partially_verified: true })
      expect(await visit.read(`/smart-contracts/${stage.address}/interface`)).toEqual({ abi, enums: {} })
      const all = await visit.readAll('/smart-contracts', 7)
      // Then the native contracts of the chain: bech32, the five of the specification, bank and gov.
      expect(all.map(({ address }) => address.hash)[0]).toBe(stage.address)
      expect(all).toHaveLength(1 + 8)
      expect(await visit.read('/smart-contracts/counters')).toMatchObject({ verified_smart_contracts: '9' })
      expect(await visit.read(`/transactions/${refused.transactionHash}`)).toMatchObject({
        method: 'refuse',
        revert_reason: {
          method_call: 'Refused(address who, uint256 amount)',
          parameters: [{ value: people.alice }, { value: '42' }],
        },
      })
      const known = await visit.read(`/smart-contracts/${stage.address}/interface`)
      expect(known.abi).toEqual((await shown()).abi)
      expect(known.enums).toEqual({})
      // `VoteOption` of the module's interface, as in the Cosmos SDK.
      expect((await visit.read(`/smart-contracts/${NATIVE_CONTRACT.gov}/interface`)).enums).toEqual({
        VoteOption: ['Unspecified', 'Yes', 'Abstain', 'No', 'NoWithVeto'],
      })
      expect((await visit.ask(`/smart-contracts/${people.alice}/interface`)).status).toBe(404)
      // It declares no variables.
      const storage = `/smart-contracts/${stage.address}/storage`
      expect(await visit.read(storage)).toMatchObject({ items: [], layout_of: { hash: stage.address, name: 'Stage' } })
      expect((await visit.ask(`${storage}/history?path=owner`)).status).toBe(422)
      expect(await visit.read('/search?q=Stage')).toMatchObject({ items: [{ type: 'contract', name: 'Stage' }] })
    }, 60_000)
  })
}
