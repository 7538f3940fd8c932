// Version 2 of governance's rules: the messages that it adds, and that chains of version 1 do not know them.
import { describe, expect, it } from 'vitest'
import { toBech32 } from '../../../src/lib/bech32.ts'
import { MODULE_ACCOUNT } from '../../../src/spec/addresses.ts'
import { delegator, GOV, type GovChain, govChain, MIN, message, P } from './support.ts'

const alice = delegator(0)
const bech32 = (of: typeof alice) => toBech32('kest', of)
const coin = (amount: bigint) => [{ denom: 'akest', amount: amount.toString() }]
const send = (amount: bigint, to = bech32(alice)) => ({
  '@type': '/cosmos.bank.v1beta1.MsgSend',
  from_address: bech32(GOV),
  to_address: to,
  amount: coin(amount),
})
const FUND = '/cosmos.distribution.v1beta1.MsgFundCommunityPool'
const CONSENSUS = '/cosmos.consensus.v1.MsgUpdateParams'
const UPGRADE = '/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade'
const CANCEL = '/cosmos.upgrade.v1beta1.MsgCancelUpgrade'
const plan = (name: string, height: bigint | string, info = '') =>
  message(UPGRADE, { plan: { name, height: height.toString(), info } })

const version2 = () => govChain({}, undefined, { version: 2 })

function outcome(chain: GovChain, ...messages: readonly object[]) {
  const id = chain.submit(messages)
  chain.pass(id)
  return [chain.gov.proposal(id).status, chain.gov.texts(id).failure]
}

const refusal = (chain: GovChain, ...messages: readonly object[]) =>
  chain.attempt(({ gov }) => {
    const json = Buffer.from(JSON.stringify({ title: 'T', summary: 'S', messages }))
    gov.submit(alice, gov.read(json), 0n)
  })

const ALL: readonly object[] = [
  send(1n),
  { '@type': FUND, depositor: bech32(GOV), amount: coin(1n) },
  message('/cosmos.distribution.v1beta1.MsgUpdateParams', {
    params: { community_tax: '0.5', withdraw_addr_enabled: false },
  }),
  message('/kestrel.inflation.v1.MsgUpdateParams', { params: { per_block: '7', staking_share: '1' } }),
  message('/cosmos.evm.erc20.v1.MsgUpdateParams', { params: { enable_erc20: false } }),
  {
    '@type': '/ibc.applications.transfer.v1.MsgUpdateParams',
    signer: bech32(GOV),
    params: { send_enabled: false, receive_enabled: false },
  },
  message(CONSENSUS, { block: { max_gas: '30000000', max_bytes: '1048576' } }),
  plan('v2', 1_000_000n),
  message(CANCEL, {}),
]

describe('a chain of version 1', () => {
  it('knows none of the messages', async () => {
    const chain = await govChain()
    for (const of of ALL) expect(refusal(chain, of)).toMatch(/^message 0: unable to resolve type URL \//)
  })
})

describe('a chain of version 2', () => {
  it('executes each of them', async () => {
    const chain = await version2()
    chain.view.setBalance(GOV, 10n * P)
    for (const of of ALL) expect([of, ...outcome(chain, of)]).toEqual([of, 'passed', ''])
    const { distribution, inflation, erc20, transfer, params, upgrades } = chain.modules
    expect(distribution.params()).toEqual({ communityTax: P / 2n, withdrawAddrEnabled: false })
    expect(inflation.params()).toEqual({ perBlock: 7n, stakingShare: P })
    expect(erc20.params()).toEqual({ isEnabled: false })
    expect(transfer.params()).toEqual({ sendEnabled: false, receiveEnabled: false })
    expect(params.consensus()).toMatchObject({ gasLimit: 30_000_000n, maxBytes: 1_048_576n, hasEvidence: false })
    expect(upgrades.plan()).toBeUndefined()
  })

  it('sends what its account holds beside the deposits, to accounts that may receive', async () => {
    const chain = await version2()
    chain.view.setBalance(GOV, 5n)
    // The deposit of a proposal that is still open.
    chain.submit([], { deposit: MIN - 1n, by: delegator(1) })
    const before = chain.view.balance(alice)
    expect(outcome(chain, send(6n))).toEqual([
      'failed',
      'message 0: the governance account does not have sufficient coins beside the deposits',
    ])
    expect(outcome(chain, send(5n))).toEqual(['passed', ''])
    expect(chain.view.balance(alice) - before).toBe(5n)
    expect(chain.view.balance(GOV)).toBe(MIN - 1n)
    expect(outcome(chain, send(1n, bech32(MODULE_ACCOUNT.bondedPool)))[1]).toBe(
      'message 0: the recipient is not allowed to receive funds',
    )
    expect(outcome(chain, { '@type': FUND, depositor: bech32(GOV), amount: coin(1n) })[0]).toBe('failed')
    expect(chain.gov.invariants()).toEqual([])
  })

  it('is the only sender', async () => {
    const chain = await version2()
    expect(refusal(chain, { ...send(1n), from_address: bech32(alice) })).toMatch(/expected gov account as only signer/)
  })
})

describe('consensus parameters', () => {
  const with_ = (fields: object) => message(CONSENSUS, fields)
  it('stay within bounds in which the chain goes on', async () => {
    const chain = await version2()
    for (const [fields, words] of [
      [{ block: { max_gas: '4999999' } }, /block.maxGas: expected 5000000 to 1000000000 gas/],
      [{ block: { max_gas: '-1' } }, /block.maxGas/],
      [{ block: { max_gas: '1000000001' } }, /block.maxGas/],
      [{ block: { max_bytes: '524287' } }, /block.maxBytes: expected 524288 to 104857600 bytes/],
      [{ block: { max_bytes: '-1' } }, /block.maxBytes/],
      [{ block_time_ms: 999 }, /blockTimeMs: expected 1000 to 60000 milliseconds/],
      [{ block_time_ms: 60_001 }, /blockTimeMs/],
      [{ evidence: { max_age_num_blocks: '0', max_age_duration: '1s', max_bytes: '1' } }, /evidence.maxAgeNumBlocks/],
      [{ validator: { pub_key_types: ['secp256k1'] } }, /validator/],
      [{ abci: { vote_extensions_enable_height: '5' } }, /abci/],
    ] as const)
      expect(refusal(chain, with_(fields))).toMatch(words)
  })

  it('keep what a message leaves out', async () => {
    const chain = await version2()
    const evidence = { max_age_num_blocks: '100', max_age_duration: '600s', max_bytes: '1000' }
    expect(outcome(chain, with_({ evidence, validator: { pub_key_types: ['ed25519'] } }))).toEqual(['passed', ''])
    expect(outcome(chain, with_({ block: { max_gas: '40000000' }, block_time_ms: '2000' }))).toEqual(['passed', ''])
    expect(chain.modules.params.consensus()).toEqual({
      gasLimit: 40_000_000n,
      maxBytes: 0n,
      blockTimeMs: 2_000n,
      evidenceBlocks: 100n,
      evidenceSeconds: 600n,
      evidenceBytes: 1_000n,
      hasEvidence: true,
    })
  })
})

describe('a plan of an upgrade', () => {
  it('has a name, a later height, and a name that was not used', async () => {
    const chain = await version2()
    expect(refusal(chain, plan('', 100n))).toMatch(/plan.name/)
    expect(refusal(chain, plan('\u001b[31mv2', 100n))).toMatch(/plan.name/)
    expect(refusal(chain, plan('v2', 0n))).toMatch(/plan.height/)
    expect(refusal(chain, plan('v2', 'x'))).toMatch(/plan.height/)
    expect(refusal(chain, plan('v2', chain.block.number))).toBe(
      'message 0: upgrade cannot be scheduled in the past: invalid request',
    )
    expect(refusal(chain, plan('v2', 10n ** 16n))).toMatch(/plan.height/)
    expect(refusal(chain, plan('v2', 100n, '{"proposals":{"add":"kestrel_0"}}'))).toMatch(/info.proposals/)
    expect(refusal(chain, plan('v2', 1_000n, '{"proposals":{"add":["kestrel_0","kestrel_0"]}}'))).toMatch(/duplicate/)
    const height = chain.block.number + 10n
    expect(outcome(chain, plan('v2', height))).toEqual(['passed', ''])
    while (chain.block.number <= height) chain.next()
    expect(chain.modules.upgrades.done()).toEqual([{ name: 'v2', height, isProgram: true }])
    expect(refusal(chain, plan('v2', height + 100n))).toBe(
      'message 0: upgrade with name v2 has already been completed: invalid request',
    )
  })

  it('replaces the former one, and MsgCancelUpgrade removes it', async () => {
    const chain = await version2()
    expect(outcome(chain, plan('v2', 500n), plan('v3', 600n, 'https://example.org'))).toEqual(['passed', ''])
    expect(chain.modules.upgrades.plan()).toEqual({ name: 'v3', height: 600n, info: 'https://example.org' })
    expect(outcome(chain, message(CANCEL, {}))).toEqual(['passed', ''])
    expect(chain.modules.upgrades.plan()).toBeUndefined()
  })

  it('changes the opcode proposals that its info names, before the transactions of its block', async () => {
    const chain = await version2()
    const height = chain.block.number + 10n
    const info = JSON.stringify({ proposals: { add: ['kestrel_1', 'kestrel_0'], remove: ['kestrel_1'] } })
    expect(outcome(chain, plan('opcodes', height, info))).toEqual(['passed', ''])
    while (chain.block.number < height - 1n) chain.next()
    expect(chain.modules.params.activeProposals()).toEqual([])
    chain.next()
    expect(chain.block.number).toBe(height)
    expect(chain.modules.params.activeProposals()).toEqual(['kestrel_0'])
    expect(chain.modules.upgrades.done()).toEqual([{ name: 'opcodes', height, isProgram: false }])
    expect(chain.modules.upgrades.plan()).toBeUndefined()
  })
})
