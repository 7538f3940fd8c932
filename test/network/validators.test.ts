// Stake, downtime and evidence with real CometBFTs: the effects on CometBFT's validators and on the chain's.

import { execFile } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { encodeFunctionData, parseEther } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { PROGRAM } from '../support/process.ts'
import { abi, editGenesis, NO_ENGINE, SLASHING, STAKING, TestNetwork } from './support.ts'

const run = promisify(execFile)
type Listed = { readonly pub_key: { readonly value: string }; readonly voting_power: string; readonly address: string }

/** CometBFT's validators: power by public key in base64. */
async function powers(network: TestNetwork, node = 0): Promise<Map<string, number>> {
  const { validators } = (await network.engine(node, 'validators')) as { validators: Listed[] }
  return new Map(validators.map(({ pub_key, voting_power }) => [pub_key.value, Number(voting_power)]))
}

const keyOf = async (network: TestNetwork, node: number): Promise<string> =>
  (await run(process.execPath, [PROGRAM, 'validator', 'key', '--home', network.home(node)])).stdout.trim()

const operator = (network: TestNetwork, index: number) => hexToAddress(network.wallet(0, 10 + index).account.address)
const bech32 = (network: TestNetwork, index: number) => toBech32('kestvaloper', operator(network, index))

async function call(network: TestNetwork, node: number, from: number, to: `0x${string}`, data: `0x${string}`) {
  const hash = await network.wallet(node, from).sendTransaction({ to, data, gas: 1_000_000n })
  const receipt = await network.viem(node).waitForTransactionReceipt({ hash })
  return receipt.status
}

describe.skipIf(NO_ENGINE !== undefined)(`validators of a network ${NO_ENGINE ?? ''}`, () => {
  let network: TestNetwork
  beforeAll(async () => {
    network = await TestNetwork.prepare({ validators: 4, readers: 1 })
    await editGenesis(network, ({ kestrel }) => {
      kestrel.modules = { slashing: { signedBlocksWindow: 10, downtimeJailDuration: 20 } }
    })
    for (const node of network.all) network.start(node)
    await network.reach(2n)
  })

  it('get voting power by their stake', async () => {
    const key = await keyOf(network, 0)
    expect((await powers(network)).get(key)).toBe(1000)
    const args = [network.wallet(0).account.address, bech32(network, 0), parseEther('500')] as const
    expect(await call(network, 1, 0, STAKING, encodeFunctionData({ abi, functionName: 'delegate', args }))).toBe(
      'success',
    )
    await network.eventually('power 1500', async () => (await powers(network)).get(key) === 1500)
    const undelegate = encodeFunctionData({ abi, functionName: 'undelegate', args })
    expect(await call(network, 2, 0, STAKING, undelegate)).toBe('success')
    await network.eventually('power 1000', async () => (await powers(network)).get(key) === 1000)
  })

  it('can be added by createValidator with the key of a reader, which then signs', async () => {
    const key = await keyOf(network, 4)
    expect((await powers(network)).has(key)).toBe(false)
    const newcomer = network.wallet(0, 5).account.address
    const data = encodeFunctionData({
      abi,
      functionName: 'createValidator',
      args: [
        { moniker: 'fifth', identity: '', website: '', securityContact: '', details: '' },
        { rate: 10n ** 17n, maxRate: 2n * 10n ** 17n, maxChangeRate: 10n ** 16n },
        1n,
        newcomer,
        key,
        parseEther('700'),
      ],
    })
    expect(await call(network, 0, 5, STAKING, data)).toBe('success')
    await network.eventually('power 700', async () => (await powers(network)).get(key) === 700)
    const { address } = ((await network.engine(0, 'validators')) as { validators: Listed[] }).validators.find(
      ({ pub_key }) => pub_key.value === key,
    ) ?? { address: '' }
    await network.eventually('its signature', async () => {
      const { signed_header } = (await network.engine(0, 'commit')) as {
        signed_header: { commit: { signatures: { validator_address: string; block_id_flag: number }[] } }
      }
      const { signatures } = signed_header.commit
      return signatures.some(
        ({ validator_address, block_id_flag }) => validator_address === address && block_id_flag === 2,
      )
    })
    const all = [newcomer, toBech32('kestvaloper', hexToAddress(newcomer)), parseEther('700')] as const
    expect(await call(network, 0, 5, STAKING, encodeFunctionData({ abi, functionName: 'undelegate', args: all }))).toBe(
      'success',
    )
    await network.eventually('its end', async () => !(await powers(network)).has(key))
  })

  it('are slashed and jailed for downtime, and can return after the jail time', async () => {
    const key = await keyOf(network, 3)
    await network.stop(3)
    await network.eventually('the jail', async () => !(await powers(network)).has(key))
    const unjail = encodeFunctionData({ abi, functionName: 'unjail', args: [operator(network, 3)] })
    const early = await network
      .viem(0)
      .call({ account: operator(network, 3), to: SLASHING, data: unjail })
      .catch(String)
    expect(String(early)).toContain('validator still jailed; cannot be unjailed')
    network.start(3)
    await network.eventually('the way back', async () => (await call(network, 0, 13, SLASHING, unjail)) === 'success')
    // Slashed by 1 % of 1,000.
    await network.eventually('power 990', async () => (await powers(network)).get(key) === 990)
    for (const node of network.all) expect(await network.rpc(node, 'dev_invariants', 'latest')).toEqual([])
  })

  it('are slashed and tombstoned when two CometBFTs sign with one key', async () => {
    const key = await keyOf(network, 2)
    // The reader's home gets the key of node 2: sooner or later both vote for different blocks in one round.
    await network.stop(4)
    const keyFile = 'engine/config/priv_validator_key.json'
    await cp(join(network.home(2), keyFile), join(network.home(4), keyFile))
    network.start(4)
    await network.eventually('the evidence', async () => !(await powers(network)).has(key), 120_000)
    const unjail = encodeFunctionData({ abi, functionName: 'unjail', args: [operator(network, 2)] })
    const answer = await network
      .viem(0)
      .call({ account: operator(network, 2), to: SLASHING, data: unjail })
      .catch(String)
    expect(String(answer)).toContain('validator still jailed; cannot be unjailed')
    await network.stop(4)
    await network.reach((await network.head(0)) + 3n, [0, 1, 3])
    expect(await network.differences([0, 1, 2, 3])).toEqual([])
    for (const node of [0, 1, 3]) expect(await network.rpc(node, 'dev_invariants', 'latest')).toEqual([])
  })
})
