// Verifies the contract `Stage` of the scenarios with its sources.
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { Deployed, Scenario } from './scenario.ts'

/** Settles when the contract is shown as verified. */
export async function verify({ read, request }: Scenario, { address }: Deployed): Promise<void> {
  const { solidity_compiler_versions: versions } = await read('/smart-contracts/verification/config')
  const form = {
    compiler_version: versions[0],
    contract_name: 'Stage',
    license_type: 'mit',
    evm_version: 'prague',
    source_code: readFileSync('test/explorer/full/contracts/stage.sol', 'utf8'),
    is_optimization_enabled: true,
    optimization_runs: 200,
  }
  await request(`/smart-contracts/${address}/verification/via/flattened-code`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(form),
  })
  while (!(await read(`/smart-contracts/${address}`)).is_verified) await setTimeout(100)
}
