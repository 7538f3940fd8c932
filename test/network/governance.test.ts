// Votes of a network with real CometBFTs: consensus parameters arrive there, and an upgrade stops every node before its height.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, it } from 'vitest'
import { MNEMONIC } from '../support/chain.ts'
import { PROGRAM } from '../support/process.ts'
import { editGenesis, NO_ENGINE, TestNetwork } from './support.ts'

const run = promisify(execFile)

describe.skipIf(NO_ENGINE !== undefined)(`governance of a network ${NO_ENGINE ?? ''}`, () => {
  let network: TestNetwork
  let proposals = 0

  async function kestrel(account: number, ...args: string[]): Promise<string> {
    const key = join(network.folder, `key${account}`)
    const { privateKey } = mnemonicToAccount(MNEMONIC, { addressIndex: account }).getHdKey()
    await writeFile(key, toHex(privateKey ?? new Uint8Array(0)))
    const where = ['--rpc-url', network.url(0), '--private-key-file', key]
    return (await run(process.execPath, [PROGRAM, ...args, ...where])).stdout
  }

  /** Submits a proposal, on which all validators vote yes, and waits until it has passed. */
  async function decide(...flags: string[]): Promise<void> {
    await kestrel(0, 'gov', 'submit', ...flags)
    proposals++
    await Promise.all([10, 11].map((operator) => kestrel(operator, 'gov', 'vote', String(proposals), 'yes')))
    await network.eventually('the end of the vote', async () => {
      const { stdout } = await run(process.execPath, [
        ...[PROGRAM, 'gov', 'show', String(proposals), '--json'],
        ...['--rpc-url', network.url(0)],
      ])
      return JSON.parse(stdout).status === 'passed'
    })
  }

  beforeAll(async () => {
    network = await TestNetwork.prepare({ validators: 2 })
    await editGenesis(network, ({ kestrel }) => {
      kestrel.modules = {
        ...kestrel.modules,
        gov: { version: 2, params: { votingPeriod: 15, expeditedVotingPeriod: 10 } },
      }
    })
    for (const node of network.all) network.start(node)
    await network.reach(2n)
  })

  it('sets the parameters of CometBFT, the gas limit of headers and the time between blocks', async () => {
    await decide('--block-gas-limit', '40000000', '--block-max-bytes', '1048576', '--block-time', '2')
    const params = async (node: number) => (await network.engine(node, 'consensus_params')).consensus_params
    for (const node of network.all)
      await network.eventually('the new parameters', async () => {
        const { block } = (await params(node).catch(() => ({}))) as { block?: unknown }
        return JSON.stringify(block) === '{"max_bytes":"1048576","max_gas":"40000000"}'
      })
    // A quarter of the bytes, which is less than the megabyte of the genesis.
    expect(await params(1)).toMatchObject({ evidence: { max_bytes: '262144' } })
    for (const node of network.all)
      expect(await network.log(node)).toContain('governance has set 2000 ms between blocks')
    const from = await network.head(0)
    await network.reach(from + 6n)
    const times = await Promise.all(
      [from + 2n, from + 6n].map(async (blockNumber) => (await network.viem(1).getBlock({ blockNumber })).timestamp),
    )
    // Four blocks of two seconds and their rounds; before, a second each.
    expect(Number((times[1] ?? 0n) - (times[0] ?? 0n))).toBeGreaterThanOrEqual(8)
    const { gasLimit } = await network.viem(0).getBlock()
    expect(gasLimit).toBeGreaterThan(36_000_000n + 5n * 35_155n)
  })

  it('stops every node before an upgrade that it does not know, and goes on when all skip it', async () => {
    const height = (await network.head(0)) + 20n
    await decide('--upgrade', `v2@${height}`, '--upgrade-info', 'https://example.org/v2')
    await network.eventually('the stop', async () => network.all.every((node) => !network.isRunning(node)))
    for (const node of network.all) {
      expect(await network.log(node)).toContain(`UPGRADE "v2" NEEDED at height: ${height}: https://example.org/v2`)
      const info = await readFile(join(network.home(node), 'data', 'upgrade-info.json'), 'utf8')
      expect(JSON.parse(info)).toEqual({ name: 'v2', height: Number(height), info: 'https://example.org/v2' })
    }
    // Still the old program: it ends again, with exit code 3.
    await expect(run(process.execPath, [PROGRAM, 'start', '--home', network.home(0)])).rejects.toMatchObject({
      code: 3,
    })
    for (const node of network.all) network.start(node, ['--skip-upgrades', String(height)])
    await network.reach(height + 2n)
    const block = await network.viem(1).getBlock({ blockNumber: height })
    // "upgrade skipped"
    expect(block.extraData).toBe('0x7570677261646520736b6970706564')
    expect(await network.rpc(0, 'kestrel_getUpgrades')).toEqual([])
  })
})
