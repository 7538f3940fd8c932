// A node that begins with a snapshot file, and becomes a validator by `kestrel validator`, with real CometBFTs.
import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { toHex } from '../../src/lib/hex.ts'
import { account } from '../support/chain.ts'
import { PROGRAM } from '../support/process.ts'
import { editGenesis, NO_ENGINE, TestNetwork } from './support.ts'

const READER = 2

describe.skipIf(NO_ENGINE !== undefined)(`a snapshot file in a network ${NO_ENGINE ?? ''}`, () => {
  let network: TestNetwork
  let file: string
  const kestrel = async (...args: string[]) => (await promisify(execFile)(process.execPath, [PROGRAM, ...args])).stdout
  const refusal = (...args: string[]) => kestrel(...args).then(String, (error) => String(error.stderr))
  const url = () => ['--rpc-url', `${network.url(0)}/rpc`]

  beforeAll(async () => {
    network = await TestNetwork.prepare({ validators: 2, readers: 1 })
    await editGenesis(network, ({ kestrel: { modules } }) => {
      modules.slashing = { signedBlocksWindow: 10, downtimeJailDuration: 20 }
    })
    for (const node of [0, 1]) network.start(node)
    await network.reach(3n, [0, 1])
    await network.wallet(0).sendTransaction({ to: account(7).address, value: 3n })
    await network.reach((await network.head(0)) + 2n, [0, 1])
    file = join(network.folder, 'snapshot')
    // The node runs on.
    await kestrel('snapshot', 'export', '--home', network.home(0), '--output', file)
  })

  it('is refused where CometBFT has blocks, for another hash, and for another network', async () => {
    const into = (home: string, ...flags: string[]) => refusal('snapshot', 'import', file, '--home', home, ...flags)
    expect(await into(network.home(1))).toContain('is not empty')
    expect(await into(network.home(READER), '--trust-hash', `0x${'22'.repeat(32)}`)).toContain('not the trusted one')
    const other = await TestNetwork.prepare({ validators: 1 })
    expect(await into(other.home(0))).toMatch(/another chain|home of the chain/)
    expect(await readdir(join(other.home(0), 'data')).catch(() => [])).toEqual([])
    expect(await readdir(join(other.home(0), 'engine/data'))).toEqual(['priv_validator_state.json'])
  })

  it('begins a node that fetches only later blocks, and then signs as a validator', async () => {
    const home = network.home(READER)
    const keys = await readFile(join(home, 'engine/config/priv_validator_key.json'), 'utf8')
    const stdout = await kestrel('snapshot', 'import', file, '--home', home)
    const [, block = '', hash = ''] = /begins at block (\d+), hash (0x[0-9a-f]{64})/.exec(stdout) ?? []
    expect((await network.blocksAt(BigInt(block), [0]))[0]?.hash).toBe(hash)
    expect(await readFile(join(home, 'engine/config/priv_validator_key.json'), 'utf8')).toBe(keys)
    network.start(READER)
    await network.reach((await network.head(0)) + 2n)
    expect(await network.rpc(READER, 'eth_getBalance', account(7).address, 'latest')).toBe(
      await network.rpc(0, 'eth_getBalance', account(7).address, 'latest'),
    )
    const earliest = (await network.rpc(READER, 'eth_getBlockByNumber', 'earliest', false)) as { number: string }
    expect(BigInt(earliest.number)).toBe(BigInt(block))

    const key = join(network.folder, 'operator.key')
    await writeFile(key, toHex(account(5).getHdKey().privateKey ?? new Uint8Array(0)), { mode: 0o600 })
    const signing = ['--private-key-file', key, ...url()]
    await kestrel('validator', 'create', '700KEST', '--moniker', 'third', '--home', home, ...signing)
    const status = async () => JSON.parse(await kestrel('validator', 'status', '--home', home, '--json', ...url()))
    await network.eventually('its vote', async () => (await status()).lastVote === 'commit')
    expect(await status()).toMatchObject({ isThisNode: true, power: '700', totalPower: '2700' })

    await network.stop(READER)
    await network.eventually('the jail', async () => (await status()).jailed)
    expect(await refusal('validator', 'unjail', ...signing)).toMatch(/is jailed until .* \(in \d+ s\)/)
    network.start(READER)
    await network.eventually('the way back', async () =>
      (await refusal('validator', 'unjail', ...signing)).includes('out of jail'),
    )
    await network.eventually('its vote after the jail', async () => (await status()).lastVote === 'commit')
    // Slashed by 1 % of 700.
    expect(await status()).toMatchObject({ power: '693', jailed: false })
    expect(await kestrel('validator', 'unbond', 'all', ...signing)).toContain('693 KEST taken back')
    await network.eventually('its end', async () => (await status()).power === '0')
    for (const node of network.all) expect(await network.rpc(node, 'dev_invariants', 'latest')).toEqual([])
  })
})
