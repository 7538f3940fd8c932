// `kestrel testnet`, `validator key` and the refusals of `start` in a network, from the command line. Tests that need CometBFT
// are in test/network.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse as parseToml, type TomlTable } from 'smol-toml'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { parseGenesis } from '../../src/spec/genesis-file.ts'
import { MNEMONIC, rawRequest } from '../support/chain.ts'
import { PROGRAM, temporaryFolder } from '../support/process.ts'
import { folder, ONE_LINE, run, start } from './support.ts'

const json = async (path: string) => JSON.parse(await readFile(path, 'utf8'))
const operator = (index: number) => mnemonicToAccount(MNEMONIC, { addressIndex: index }).address.toLowerCase()

/** Public key and node id in CometBFT's files: the last 32 bytes of the private key, and the hash of the node's. */
async function keysOf(home: string) {
  const config = join(home, 'engine/config')
  const publicKey = async (file: string) =>
    Buffer.from((await json(join(config, file))).priv_key.value, 'base64').subarray(32)
  const validator = await publicKey('priv_validator_key.json')
  const node = createHash('sha256').update(await publicKey('node_key.json'))
  return {
    base64: validator.toString('base64'),
    hex: `0x${validator.toString('hex')}`,
    nodeId: node.digest('hex').slice(0, 40),
  }
}

describe('kestrel testnet', () => {
  let root: string
  let text: string
  let remove: () => Promise<void>
  afterAll(() => remove())
  beforeAll(async () => {
    const made = await temporaryFolder()
    root = made.path
    remove = made.remove
    // Not `run`: it ends its processes after a test, and this is a hook.
    const flags = ['testnet', '--readers', '1', '--port', '9000', '--port-base', '9100']
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...flags], { cwd: root })
    text = stdout
  })
  const at = (...parts: string[]) => join(root, 'net', ...parts)

  it('creates homes of four validators and a reader, and prints how to start them', async () => {
    expect((await readdir(at())).sort()).toEqual([
      ...['compose-prometheus.yml', 'compose.yml', 'genesis.json', 'node0', 'node1', 'node2', 'node3', 'node4'],
      'prometheus.yml',
    ])
    expect(text).toContain('4 validators and 1 reader')
    for (let i = 0; i < 5; i++) expect(text).toContain(`  kestrel start --home net/node${i}\n`)
    expect(text).toContain('http://127.0.0.1:9004')
    expect(text).toMatch(/Warning: the keys of accounts and operators are public/)
    expect(await json(at('node2', 'node.json'))).toMatchObject({ consensus: 'cometbft', port: 9002 })
  })

  it('gives every home different keys and the same genesis', async () => {
    const genesis = parseGenesis(await json(at('genesis.json')))
    const keys = await Promise.all([0, 1, 2, 3].map((index) => keysOf(at(`node${index}`))))
    const validators = genesis.native?.validators ?? []
    expect(validators.map(({ consensusKey }) => consensusKey)).toEqual(keys.map(({ hex }) => hex))
    expect(validators.map((validator) => validator.operator)).toEqual([10, 11, 12, 13].map(operator))
    expect(validators.map(({ selfDelegation }) => selfDelegation)).toEqual(Array(4).fill(10n ** 21n))
    const homes = [0, 1, 2, 3, 4].map((index) => at(`node${index}`, 'engine/config/genesis.json'))
    const texts = await Promise.all(homes.map((path) => readFile(path, 'utf8')))
    expect(new Set(texts).size).toBe(1)
    expect(parseGenesis(JSON.parse(texts[0] ?? '').app_state)).toEqual(genesis)
    expect(genesis.native?.consensus).toMatchObject({ engine: 'cometbft', initialHeight: 1n, keys: [] })
    // Its timestamp is the present time, not the preset's.
    expect(Number(genesis.genesis.timestamp)).toBeGreaterThan(Date.now() / 1000 - 600)
  })

  it('lists all other nodes as peers of each CometBFT', async () => {
    const keys = await Promise.all([0, 1, 2, 3, 4].map((index) => keysOf(at(`node${index}`))))
    const config = await readFile(at('node1', 'engine/config/config.toml'), 'utf8')
    const peers = keys.map(({ nodeId }, index) => `${nodeId}@127.0.0.1:${9100 + 10 * index}`)
    expect(config).toContain(`persistent_peers = "${peers.filter((_, index) => index !== 1).join(',')}"`)
    expect(config).toContain('laddr = "tcp://127.0.0.1:9110"')
    expect(config).toContain('laddr = "tcp://127.0.0.1:9111"')
    expect(config).toContain('prometheus_listen_addr = "127.0.0.1:9112"')
    expect(config).toContain('timeout_commit = "3000ms"')
  })

  it('writes a compose file with a service for each node', async () => {
    const file = parseYaml(await readFile(at('compose.yml'), 'utf8'), { merge: true })
    expect(Object.keys(file.services)).toEqual([
      ...['node0', 'node1', 'node2', 'node3', 'node4', 'frontend', 'prometheus', 'grafana'],
    ])
    const { nodeId } = await keysOf(at('node0'))
    const { command, environment, image, ports, volumes } = file.services.node1
    expect(command.join(' ')).toContain(`--peers ${nodeId}@node0:26656,`)
    expect(environment.CMT_P2P_LADDR).toBe('tcp://0.0.0.0:26656')
    expect({ image, ports, volumes }).toEqual({
      image: 'kestrel-network',
      ports: ['127.0.0.1:9001:8545'],
      volumes: ['./node1:/node'],
    })
  })

  it('creates keys that `validator key` prints', async () => {
    const { base64, hex, nodeId } = await keysOf(at('node4'))
    const key = async (...args: string[]) => (await run(root, 'validator', 'key', ...args)).stdout
    expect(await key('--home', 'net/node4')).toBe(`${base64}\n`)
    expect(await key('--engine-home', 'net/node4/engine', '--hex')).toBe(`${hex}\n`)
    expect(await key('--home', 'net/node4', '--node-id')).toBe(`${nodeId}\n`)
  })

  it('`validator key` reports new keys, and refuses the data directory of a home', async () => {
    const key = (datadir: string) => run(root, 'validator', 'key', '--datadir', datadir)
    const made = await key('other')
    expect(made.stdout).toMatch(/^[A-Za-z0-9+/]{43}=\n$/)
    expect(made.stderr).toBe('kestrel: made new keys in other/engine/config\n')
    expect(await key('other')).toEqual({ ...made, stderr: '' })
    const { code, stdout, stderr } = await key('net/node0/data')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/--datadir: net\/node0\/data belongs to the home of a node.*; use --home net\/node0\n$/)
    expect(stderr).toMatch(ONE_LINE)
  })

  it('refuses a genesis file with fewer validators than requested, and one with a duplicate key', async () => {
    const file = await json(at('genesis.json'))
    const [first, second] = file.kestrel.validators
    const validators = [first, { ...second, consensusKey: first.consensusKey }]
    await writeFile(at('../twice.json'), JSON.stringify({ ...file, kestrel: { ...file.kestrel, validators } }))
    const few = await run(root, 'testnet', '--genesis', 'twice.json', '--validators', '3', '--output', 'few')
    expect(few.stderr).toBe('kestrel: --validators: twice.json has 2 validators; write the others into it\n')
    const start = ['start', '--consensus', 'cometbft', '--datadir', 'twice', '--genesis', 'twice.json']
    expect((await run(root, ...start)).stderr).toBe(
      'kestrel: twice.json: kestrel.validators.1.consensusKey: validator 0 has the same key\n',
    )
  })

  it('refuses a folder that is not empty', async () => {
    const { code, stderr } = await run(root, 'testnet')
    expect(code).toBe(1)
    expect(stderr).toBe('kestrel: --output: net is not empty; choose another folder\n')
  })

  describe('and `start` of a node', () => {
    const engine = async (version: string) => {
      const path = join(await folder(), 'cometbft')
      await writeFile(path, `#!/bin/sh\necho ${version}\n`)
      await chmod(path, 0o755)
      return path
    }

    it.each<[string[], RegExp, number]>([
      [['--gas-limit', '30000000'], /--gas-limit: not with --consensus/, 2],
      [
        ['--block-time', '2'],
        /--block-time: not with --consensus: .*in its genesis \(kestrel.consensus.blockTimeMs\)/,
        2,
      ],
      [['--no-mining'], /--no-mining: not with --consensus/, 2],
      [['--in-memory'], /--in-memory: not with --consensus/, 2],
      [['--activate', 'kestrel_0'], /--activate: not with --consensus/, 2],
      [['--engine-signer', 'localhost:1'], /--engine-signer: expected tcp:\/\/HOST:PORT/, 2],
      [['--peers', 'somebody'], /--peers: expected ID@HOST:PORT/, 2],
      [['--cometbft', './none'], /--cometbft: \.\/none: no such program; go install/, 1],
      [['--genesis', 'net/node0/node.json'], /node\.json: config: expected object/, 1],
    ])('refuses %j', async (flags, words, expected) => {
      const { code, stderr } = await run(root, 'start', '--home', 'net/node0', ...flags)
      expect(stderr).toMatch(words)
      expect(stderr).toMatch(ONE_LINE)
      expect(code).toBe(expected)
    })

    it('refuses unsupported CometBFTs', async () => {
      const starting = async (version: string) =>
        (await run(root, 'start', '--home', 'net/node0', '--cometbft', await engine(version))).stderr
      expect(await starting('0.37.0')).toMatch(/is cometbft 0\.37\.0: this node needs 0\.40 or 0\.38/)
      expect(await starting('0.38.26')).toMatch(/cometbft 0\.38\.26 has no mempool "app".*type = "flood"/)
    })

    it('refuses the CometBFT home of another chain, and network flags without --consensus', async () => {
      await cp(at('node3'), at('../foreign'), { recursive: true })
      const path = at('../foreign/engine/config/genesis.json')
      await writeFile(path, (await readFile(path, 'utf8')).replace('kestrel_125-1', 'kestrel_126-1'))
      const { code, stderr } = await run(root, 'start', '--home', 'foreign', '--cometbft', await engine('0.40.0'))
      expect(stderr).toMatch(/home of the chain kestrel_126-1, this one is kestrel_125-1; name another/)
      expect(code).toBe(1)
      expect((await run(root, 'start', '--peers', `${'ab'.repeat(20)}@host:1`)).stderr).toMatch(
        /--peers: only with --consensus cometbft, or --home/,
      )
      expect((await run(root, 'start', '--consensus', 'cometbft')).stderr).toMatch(/--consensus: .* --genesis FILE/)
    })

    it('refuses a node.json with an unknown flag', async () => {
      await mkdir(at('../bad'))
      await writeFile(at('../bad/node.json'), '{"blokTime":1}')
      expect((await run(root, 'start', '--home', 'bad')).stderr).toBe(
        'kestrel: bad/node.json: blokTime: no flag that a home may set\n',
      )
      expect((await run(root, 'start', '--home', 'none')).stderr).toBe(
        'kestrel: none/node.json: no such file or folder\n',
      )
    })
  })
})

describe('kestrel testnet with flags', () => {
  it('replaces the validator keys of a genesis file, and keeps the rest', async () => {
    const cwd = await folder()
    const { stdout } = await run(cwd, 'genesis', '--chain-id', '777')
    await writeFile(join(cwd, 'mine.json'), stdout)
    expect(await run(cwd, 'testnet', '--genesis', 'mine.json')).toMatchObject({ code: 0, stderr: '' })
    const given = JSON.parse(stdout)
    const made = await json(join(cwd, 'net/genesis.json'))
    const keys = await Promise.all([0, 1, 2].map((index) => keysOf(join(cwd, `net/node${index}`))))
    expect(made.kestrel.validators).toEqual(
      given.kestrel.validators.map((validator: object, index: number) => ({
        ...validator,
        consensusKey: keys[index]?.hex,
      })),
    )
    // `genesis` writes a chain of one node, which has no base fee floor.
    expect([given, made].map(({ kestrel }) => kestrel.feeMarket.minBaseFee)).toEqual(['0x0', '0x5f5e100'])
    expect({ alloc: made.alloc, config: made.config, timestamp: made.timestamp }).toEqual({
      alloc: given.alloc,
      config: given.config,
      timestamp: given.timestamp,
    })
    expect(await readdir(join(cwd, 'net'))).not.toContain('node3')
  })

  it.each([
    [[], '0x5f5e100', '0x3b9aca00'],
    [['--min-base-fee', '0'], '0x0', '0x3b9aca00'],
    // Block 0's base fee is the floor too.
    [['--min-base-fee', '7000000000'], '0x1a13b8600', '0x1a13b8600'],
  ])('writes the floor of the base fee: %j', async (flags, floor, first) => {
    const cwd = await folder()
    expect(await run(cwd, 'testnet', '--validators', '1', ...flags)).toMatchObject({ code: 0, stderr: '' })
    const { kestrel, baseFeePerGas } = await json(join(cwd, 'net/genesis.json'))
    expect([kestrel.feeMarket.minBaseFee, baseFeePerGas]).toEqual([floor, first])
    const again = await run(cwd, 'testnet', '--genesis', 'net/genesis.json', '--output', 'again')
    expect(again).toMatchObject({ code: 0, stderr: '' })
    const kept = await json(join(cwd, 'again/genesis.json'))
    expect(kept.kestrel.feeMarket.minBaseFee).toBe(floor === '0x0' ? '0x5f5e100' : floor)
  })

  it('uses the block time of a genesis file, and refuses a different flag', async () => {
    const cwd = await folder()
    const given = JSON.parse((await run(cwd, 'genesis')).stdout)
    given.kestrel.consensus = { engine: 'cometbft', blockTimeMs: 2500 }
    await writeFile(join(cwd, 'mine.json'), JSON.stringify(given))
    const { code, stderr } = await run(cwd, 'testnet', '--genesis', 'mine.json', '--block-time', '1')
    expect([code, stderr]).toEqual([
      1,
      'kestrel: --block-time: mine.json has a block time of 2.5 s; leave the flag out\n',
    ])
    expect(await run(cwd, 'testnet', '--genesis', 'mine.json')).toMatchObject({ code: 0, stderr: '' })
    expect(await readFile(join(cwd, 'net/node0/engine/config/config.toml'), 'utf8')).toContain(
      'timeout_commit = "2500ms"',
    )
    given.kestrel.consensus.blockTimeMs = 999
    await writeFile(join(cwd, 'fast.json'), JSON.stringify(given))
    expect((await run(cwd, 'testnet', '--genesis', 'fast.json', '--output', 'fast')).stderr).toMatch(
      /kestrel\.consensus\.blockTimeMs: expected 1000 to 86400000 milliseconds/,
    )
  })

  it('creates a network whose block time also a joining node has', async () => {
    const cwd = await folder()
    await run(cwd, 'testnet', '--block-time', '2')
    const joins = [
      '--consensus',
      'cometbft',
      '--genesis',
      'net/genesis.json',
      '--external-engine',
      '--datadir',
      'joined',
    ]
    const config = join(cwd, 'joined/engine/config/config.toml')
    await (await start(cwd, ...joins)).stop()
    const text = await readFile(config, 'utf8')
    expect(text).toContain('timeout_commit = "2000ms"')
    // If the operator changes it, one line reports it.
    await writeFile(config, text.replace('2000ms', '9s'))
    const { stderr } = await (await start(cwd, ...joins)).stop()
    expect(stderr).toMatch(
      /timeout_commit is 9000 ms in .*config\.toml, and blockTimeMs 2000 in the genesis: write timeout_commit = "2000ms"/,
    )
  })

  it('puts sentries before each validator, whose id they hide, and who knows nobody else', async () => {
    const cwd = await folder()
    const { stdout } = await run(cwd, 'testnet', '--validators', '2', '--sentries', '2', '--readers', '1')
    expect(stdout).toContain('2 validators behind 4 sentries and 1 reader')
    // Validators 0 and 1, sentries 2 and 3 of 0, 4 and 5 of 1, reader 6.
    const homes = Array.from({ length: 7 }, (_, index) => join(cwd, 'net', `node${index}`))
    const ids = await Promise.all(homes.map(async (home) => (await keysOf(home)).nodeId))
    const p2p = async (index: number) =>
      parseToml(await readFile(join(homes[index] ?? '', 'engine/config/config.toml'), 'utf8')).p2p as TomlTable
    const peers = async (index: number) =>
      String((await p2p(index)).persistent_peers)
        .split(',')
        .map((peer) => ids.indexOf(peer.split('@')[0] ?? ''))
    expect(await Promise.all(homes.map((_, index) => peers(index)))).toEqual([
      [2, 3],
      [4, 5],
      [0, 3, 4, 5, 6],
      [0, 2, 4, 5, 6],
      [1, 2, 3, 5, 6],
      [1, 2, 3, 4, 6],
      [2, 3, 4, 5],
    ])
    expect(await p2p(0)).toMatchObject({ pex: false })
    expect(await p2p(4)).toMatchObject({ private_peer_ids: ids[1], unconditional_peer_ids: ids[1] })
    for (const index of [2, 6]) expect(await p2p(index)).not.toHaveProperty('pex')
    expect(await p2p(6)).not.toHaveProperty('private_peer_ids')
    const { services } = parseYaml(await readFile(join(cwd, 'net/compose.yml'), 'utf8'))
    expect(services.node0.command.at(-1)).toBe(`${ids[2]}@node2:26656,${ids[3]}@node3:26656`)
  })

  it('a node that joins gets the ports and the signer of its flags, and keeps them', async () => {
    const cwd = await folder()
    await run(cwd, 'testnet')
    const joins = ['--consensus', 'cometbft', '--external-engine', '--datadir', 'joined']
    const own = ['--engine-port-base', '27000', '--engine-signer', 'unix:///run/signer.sock']
    await (await start(cwd, ...joins, '--genesis', 'net/genesis.json', ...own)).stop()
    const { priv_validator_laddr, p2p, rpc, instrumentation } = parseToml(
      await readFile(join(cwd, 'joined/engine/config/config.toml'), 'utf8'),
    )
    expect(priv_validator_laddr).toBe('unix:///run/signer.sock')
    expect(p2p).toMatchObject({ laddr: 'tcp://0.0.0.0:27000', allow_duplicate_ip: true, addr_book_strict: false })
    expect(rpc).toMatchObject({ laddr: 'tcp://127.0.0.1:27001' })
    expect(instrumentation).toMatchObject({ prometheus_listen_addr: '127.0.0.1:27002' })
    await (await start(cwd, ...joins, ...own)).stop()

    const others = ['--engine-port-base', '28000']
    expect((await run(cwd, 'start', '--port', '0', ...joins, ...others)).stderr).toMatch(
      /^kestrel: --engine-port-base: .*config\.toml has the ports 27000 and 27001; change laddr there\n$/,
    )
    const signer = ['--engine-signer', 'tcp://127.0.0.1:26659']
    expect((await run(cwd, 'start', '--port', '0', ...joins, ...signer)).stderr).toMatch(
      /^kestrel: --engine-signer: .* names unix:\/\/\/run\/signer\.sock; write priv_validator_laddr = "tcp:\/\/127\.0\.0\.1:26659" at its top\n$/,
    )
  })

  it('creates a network of the requested preset', async () => {
    const cwd = await folder()
    const flags = ['--preset', 'evmos', '--validators', '2', '--gas-limit', '20000000', '--block-time', '1']
    expect(await run(cwd, 'testnet', ...flags, '--mempool', 'flood')).toMatchObject({ code: 0, stderr: '' })
    const { native, genesis } = parseGenesis(await json(join(cwd, 'net/genesis.json')))
    // Accounts of the mnemonic: everybody knows the key of Evmos' validator.
    const operators = native?.validators.map((validator) => validator.operator)
    expect(operators).toEqual([operator(10), operator(11)])
    expect(genesis.gasLimit).toBe(20_000_000n)
    expect(native?.consensus?.blockTimeMs).toBe(1_000n)
    const config = await readFile(join(cwd, 'net/node0/engine/config/config.toml'), 'utf8')
    expect(config).toContain('type = "flood"')
    expect(config).toContain('timeout_commit = "1000ms"')
  })

  it('gives the stake to the operators of --mnemonic, and does not call it public', async () => {
    const cwd = await folder()
    const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
    const { stdout } = await run(cwd, 'testnet', '--validators', '1', '--mnemonic', words, '--accounts', '2')
    expect(stdout).not.toContain('public')
    const { native, genesis } = parseGenesis(await json(join(cwd, 'net/genesis.json')))
    const own = (index: number) => mnemonicToAccount(words, { addressIndex: index }).address.toLowerCase()
    expect(native?.validators.map((validator) => validator.operator)).toEqual([own(10)])
    const funded = [...genesis.alloc].filter(([, { balance }]) => balance > 0n).map(([address]) => address)
    expect(funded.sort()).toEqual([own(0), own(1), own(10)].sort())
  })

  it('copies the chain of one node into each home, and replaces its validators’ keys', async () => {
    const cwd = await folder()
    const node = await start(cwd, '--datadir', 'solo')
    for (let block = 0; block < 2; block++) await rawRequest(node.url, 'evm_mine', [])
    const busy = await run(cwd, 'testnet', '--from', 'solo')
    expect(busy).toMatchObject({ code: 1, stderr: 'kestrel: solo/chain is in use by another process\n' })
    await node.stop()
    expect(await readdir(cwd)).toEqual(['solo'])

    expect(await run(cwd, 'testnet', '--from', 'solo')).toMatchObject({ code: 0, stderr: '' })
    const keys = await Promise.all([0, 1, 2].map((index) => keysOf(join(cwd, `net/node${index}`))))
    const { native } = parseGenesis(await json(join(cwd, 'net/genesis.json')))
    expect(native?.consensus?.initialHeight).toBe(3n)
    expect(native?.consensus?.keys.map(({ consensusKey }) => consensusKey)).toEqual(keys.map(({ hex }) => hex))
    expect((await json(join(cwd, 'net/node2/engine/config/genesis.json'))).initial_height).toBe('3')
    const copies = await Promise.all(
      [0, 1, 2].map((index) => run(cwd, 'genesis', '--datadir', `net/node${index}/data`)),
    )
    const file = await readFile(join(cwd, 'net/genesis.json'), 'utf8')
    expect(copies.map(({ stdout }) => stdout)).toEqual([file, file, file])
    expect((await run(cwd, 'start', '--datadir', 'net/node0/data', '--port', '0')).stderr).toContain('is a network')
    expect(await run(cwd, 'rewind', '--to', '1', '--datadir', 'net/node0/data')).toMatchObject({
      code: 1,
      stderr: 'kestrel: --to: the chain is a network since block 3\n',
    })
    // The original chain is unchanged.
    expect((await run(cwd, 'genesis', '--datadir', 'solo')).stdout).not.toContain('consensus"')
  })

  it.each<[string[], RegExp, number]>([
    [['--block-time', '0.5'], /--block-time: expected at least 1 second/, 2],
    [['--number', '5'], /--number: a network begins with block 0/, 2],
    [['--validators', '0'], /--validators: expected a whole number from 1 to 100/, 2],
    [['--port-base', '65530'], /--port-base: 4 nodes need ports up to 65562; begin lower/, 2],
    [['--mempool', 'none'], /--mempool: expected one of app, flood/, 2],
    [['--from', 'nowhere'], /nowhere holds no chain/, 1],
    [['--from', 'nowhere', '--chain-id', '5'], /--chain-id: not with --from/, 2],
    [['--genesis', 'none.json'], /none\.json: no such file or folder/, 1],
    [['--genesis', 'plain.json'], /plain\.json: kestrel\.validators: expected the validators of the network/, 1],
  ])('refuses %j and leaves nothing behind', async (flags, words, expected) => {
    const cwd = await folder()
    await writeFile(join(cwd, 'plain.json'), '{}')
    const { code, stderr } = await run(cwd, 'testnet', ...flags)
    expect(stderr).toMatch(words)
    expect(stderr).toMatch(ONE_LINE)
    expect(code).toBe(expected)
    expect(await readdir(cwd)).toEqual(['plain.json'])
  })
})
