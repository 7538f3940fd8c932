// The CometBFT home: key files in CometBFT's format, a configuration that is read back, a genesis that follows from kestrel's
// alone. Existing files are not overwritten.
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ed25519 } from '@noble/curves/ed25519.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { configText, goDuration, readConfig } from '../../../src/consensus/cometbft/config.ts'
import { cometBftGenesisText } from '../../../src/consensus/cometbft/genesis.ts'
import {
  cometBftFiles,
  makeHome,
  makeKeys,
  missingFile,
  readConsensusKey,
  readHomeConfig,
  readNodeId,
  requireSameChain,
} from '../../../src/consensus/cometbft/home.ts'
import { newKey, nodeIdOf, nodeKeyFile, publicKeyIn, validatorKeyFile } from '../../../src/consensus/cometbft/keys.ts'
import { socketIn } from '../../../src/consensus/cometbft/options.ts'
import { toHash } from '../../../src/lib/hex.ts'
import { consensusAddress } from '../../../src/spec/addresses.ts'
import type { GenesisSpec } from '../../../src/spec/chain-spec.ts'
import { parseGenesis } from '../../../src/spec/genesis-file.ts'
import { presets } from '../../../src/spec/presets.ts'
import { temporaryFolder } from '../../support/process.ts'

/** Written by `cometbft init` of v0.40.0; the id is the output of `show-node-id`. */
const RECORDED = {
  validatorKey: `{
  "address": "A728C8EBDC8F22BCFD1B3E6781F0C4DA839F14B3",
  "pub_key": { "type": "tendermint/PubKeyEd25519", "value": "YCmD8Z+MYQ8wAu+/oiYjtikWpe4qpZhEGJdN4moz8tM=" },
  "priv_key": {
    "type": "tendermint/PrivKeyEd25519",
    "value": "9wt8m+U9XLK0EbVgV85uVyjY8zcsPlVUrHJrO/NLAYdgKYPxn4xhDzAC77+iJiO2KRal7iqlmEQYl03iajPy0w=="
  }
}`,
  nodeKey:
    '{"priv_key":{"type":"tendermint/PrivKeyEd25519","value":"uY2xjCcpfIaVm9HvWLOpMUQeV5rB1HNDXjJfgw9CRWcaW7iSr1S/B09CNAAhItk+0gMLYRAyqefCmuQvV/ZkFg=="}}',
  nodeId: '8966541ae7d395f221c6272a5866f78fb5e9c6a2',
}

const privateBytes = (text: string): Buffer => Buffer.from(JSON.parse(text).priv_key.value, 'base64')
const keyOf = (bytes: Buffer) => ({ seed: bytes.subarray(0, 32), publicKey: bytes.subarray(32) })

async function folder(): Promise<string> {
  const { path, remove } = await temporaryFolder()
  onTestFinished(remove)
  return join(path, 'engine')
}

const config = {
  moniker: 'node "0"',
  socket: '/data/abci.sock',
  p2p: '127.0.0.1:26656',
  rpc: '127.0.0.1:26657',
  prometheus: '127.0.0.1:26658',
  peers: [`${'ab'.repeat(20)}@10.0.0.1:26656`, `${'cd'.repeat(20)}@node.example:26656`],
  mempool: 'app',
  blockTime: 1_500,
  isLocal: true,
} as const

/** A network of one validator; `staking`: the module's section of the genesis. */
function network(staking?: object): GenesisSpec {
  const spec = presets.kestrel({ timestamp: 1_700_000_000n, gasLimit: 30_000_000n })
  const [first] = spec.native?.validators ?? []
  if (spec.native === undefined || first === undefined) throw new Error('the preset has validators')
  const validators = [{ ...first, consensusKey: toHash(publicKeyIn(RECORDED.validatorKey, '')) }]
  const consensus = { engine: 'cometbft', maxBytes: 4_194_304n, initialHeight: 1n, keys: [] } as const
  const modules = staking === undefined ? spec.native.modules : { ...spec.native.modules, staking }
  return { ...spec, native: { ...spec.native, validators, consensus, modules } }
}

async function genesisOf(spec: GenesisSpec) {
  let text = ''
  for await (const part of cometBftGenesisText(spec)) text += part
  return JSON.parse(text)
}

describe('key files of CometBFT', () => {
  it('are parsed as CometBFT writes them', () => {
    const key = toHash(publicKeyIn(RECORDED.validatorKey, 'key.json'))
    expect(consensusAddress(key)).toBe('0xa728c8ebdc8f22bcfd1b3e6781f0c4da839f14b3')
    expect(nodeIdOf(publicKeyIn(RECORDED.nodeKey, 'key.json'))).toBe(RECORDED.nodeId)
  })

  it('are written byte for byte as CometBFT writes them', () => {
    const validator = JSON.parse(validatorKeyFile(keyOf(privateBytes(RECORDED.validatorKey))))
    expect(validator).toEqual(JSON.parse(RECORDED.validatorKey))
    expect(nodeKeyFile(keyOf(privateBytes(RECORDED.nodeKey)))).toBe(`${RECORDED.nodeKey}\n`)
  })

  it('hold new ed25519 keys', () => {
    const { seed, publicKey } = newKey()
    expect(Buffer.from(ed25519.getPublicKey(seed)).equals(publicKey)).toBe(true)
    expect(Buffer.from(newKey().seed).equals(seed)).toBe(false)
  })

  it.each(['', '{}', '[]', RECORDED.nodeKey.replace('Ed25519', 'Secp256k1'), RECORDED.nodeKey.replace('uY2x', '')])(
    'are refused in one line: %s',
    (text) => {
      expect(() => publicKeyIn(text, 'key.json')).toThrow(/^key\.json: expected a key file of CometBFT/)
    },
  )
})

describe("CometBFT's configuration", () => {
  it('is written and read back', () => {
    expect(readConfig(configText(config), 'config.toml')).toEqual({
      socket: '/data/abci.sock',
      rpcUrl: 'http://127.0.0.1:26657',
      rpc: { host: '127.0.0.1', port: 26657 },
      p2p: { host: '127.0.0.1', port: 26656 },
      hasPeers: true,
      mempool: 'app',
      batch: 100,
      proposeTimeout: 3000,
      commitTimeout: 1500,
      stateSync: false,
    })
    expect(configText(config)).toContain('timeout_commit = "1500ms"')
    expect(configText(config)).toContain(`persistent_peers = "${config.peers.join(',')}"`)
  })

  it('falls back to CometBFT’s defaults', () => {
    expect(readConfig('', 'config.toml')).toEqual({
      socket: undefined,
      rpcUrl: 'http://127.0.0.1:26657',
      rpc: { host: '127.0.0.1', port: 26657 },
      p2p: { host: '0.0.0.0', port: 26656 },
      hasPeers: false,
      mempool: 'flood',
      batch: 10,
      proposeTimeout: 3000,
      commitTimeout: 1000,
      stateSync: false,
    })
  })

  it('has statesync.enable, by which a new CometBFT fetches a state snapshot', () => {
    expect(readConfig('[statesync]\nenable = true', 'config.toml').stateSync).toBe(true)
    expect(() => readConfig('[statesync]\nenable = 1', 'config.toml')).toThrow('config.toml: statesync.enable: ')
  })

  it.each<[string, RegExp]>([
    ['x = [', /^config\.toml: expected TOML: /],
    ['[rpc]\nladdr = "here"', /^config\.toml: rpc\.laddr: expected tcp:\/\/HOST:PORT, not "here"$/],
    ['[consensus]\ntimeout_propose = "3"', /^config\.toml: consensus\.timeout_propose: expected a duration/],
    ['[mempool]\ntype = "nop"', /^config\.toml: mempool\.type: /],
  ])('is refused in one line: %j', (text, words) => {
    expect(() => readConfig(text, 'config.toml')).toThrow(words)
  })

  it.each([
    ['3s', 3000],
    ['1m30s', 90_000],
    ['250ms', 250],
    ['1.5s', 1500],
    ['1h', 3_600_000],
    ['', undefined],
    ['5', undefined],
    ['1 s', undefined],
  ])("reads Go's duration %j", (text, milliseconds) => {
    expect(goDuration(text)).toBe(milliseconds)
  })

  it.each([
    ['tcp://0.0.0.0:1', 'http://127.0.0.1:1'],
    ['tcp://[::1]:2', 'http://[::1]:2'],
    ['tcp://:3', 'http://127.0.0.1:3'],
    ['10.1.2.3:4', 'http://10.1.2.3:4'],
  ])('asks an RPC that listens on %s at %s', (laddr, url) => {
    expect(readConfig(`[rpc]\nladdr = "${laddr}"`, '').rpcUrl).toBe(url)
  })
})

describe("CometBFT's genesis", () => {
  it('has the parameters of the chain, and kestrel’s genesis as app_state', async () => {
    const spec = network()
    const genesis = await genesisOf(spec)
    expect(genesis).toMatchObject({
      genesis_time: '2023-11-14T22:13:20.000Z',
      chain_id: 'kestrel_125-1',
      initial_height: '1',
      validators: [],
      consensus_params: {
        block: { max_bytes: '4194304', max_gas: '30000000' },
        // 21 days; a block takes three seconds.
        evidence: { max_age_duration: '1814400000000000', max_age_num_blocks: '604800', max_bytes: '1048576' },
        validator: { pub_key_types: ['ed25519'] },
      },
    })
    expect(parseGenesis(genesis.app_state)).toEqual(spec)
  })

  it('keeps evidence for the unbonding time, during which stake can be slashed', async () => {
    const { consensus_params: params } = await genesisOf(network({ params: { unbondingTime: '100' } }))
    expect(params.evidence).toMatchObject({ max_age_duration: '100000000000', max_age_num_blocks: '34' })
  })

  it('keeps evidence for the unbonding time divided by the block time, in blocks', async () => {
    const { native, ...spec } = network({ params: { unbondingTime: '100' } })
    if (native?.consensus === undefined) throw new Error('no network')
    const faster = { ...spec, native: { ...native, consensus: { ...native.consensus, blockTimeMs: 1_500n } } }
    const { consensus_params: params } = await genesisOf(faster)
    expect(params.evidence).toMatchObject({ max_age_duration: '100000000000', max_age_num_blocks: '67' })
  })

  it('is refused for a chain of one node', async () => {
    await expect(genesisOf(presets.kestrel())).rejects.toThrow('kestrel is a chain of one node')
  })
})

describe('the CometBFT home', () => {
  it('is created with private file modes, and existing files are kept', async () => {
    const home = await folder()
    const keys = await makeKeys(home)
    await makeHome(home, network(), config)
    expect(await missingFile(home)).toBeUndefined()
    await rename(cometBftFiles(home).signatures, join(home, 'elsewhere'))
    expect(await missingFile(home)).toBe(cometBftFiles(home).signatures)
    await rename(join(home, 'elsewhere'), cometBftFiles(home).signatures)
    const read = async () => ({ consensusKey: await readConsensusKey(home), nodeId: await readNodeId(home) })
    expect(await read()).toEqual(keys)
    expect((await readHomeConfig(home)).mempool).toBe('app')
    const files = cometBftFiles(home)
    const secret = [files.validatorKey, files.nodeKey, files.signatures]
    const modes = await Promise.all(secret.map(async (path) => (await stat(path)).mode & 0o777))
    expect(modes).toEqual([0o600, 0o600, 0o600])
    expect(JSON.parse(await readFile(files.signatures, 'utf8'))).toEqual({ height: '0', round: 0, step: 0 })

    await writeFile(files.config, '[mempool]\ntype = "flood"\n')
    await makeHome(home, network(), config)
    expect(await read()).toEqual(keys)
    expect((await readHomeConfig(home)).mempool).toBe('flood')
  })

  it('has no consensus key and no signing state where a signer has them', async () => {
    const home = await folder()
    const signer = 'unix:///run/signer.sock'
    await makeHome(home, network(), { ...config, signer })
    const { validatorKey, signatures, nodeKey, config: path } = cometBftFiles(home)
    expect([validatorKey, signatures].map((file) => existsSync(file))).toEqual([false, false])
    expect(await missingFile(home)).toBeUndefined()
    expect((await readHomeConfig(home)).signer).toBe(signer)
    await rm(nodeKey)
    expect(await missingFile(home)).toBe(nodeKey)

    // Without the setting the home lacks its key.
    await makeHome(home, network(), { ...config, signer })
    await writeFile(path, (await readFile(path, 'utf8')).replace(/^priv_validator_laddr.*$/m, ''))
    expect(await missingFile(home)).toBe(validatorKey)
  })

  it('of a signer tells its key while CometBFT runs only, and says whom to start', async () => {
    const home = await folder()
    // Nothing listens at port 1.
    await makeHome(home, network(), { ...config, rpc: '127.0.0.1:1', signer: 'tcp://127.0.0.1:26659' })
    await expect(readConsensusKey(home)).rejects.toThrow(
      `the key is at the signer that connects to tcp://127.0.0.1:26659 (priv_validator_laddr in ${cometBftFiles(home).config}), and this home's CometBFT, which asks it, does not run: start the node and the signer first`,
    )
  })

  it('gets no new key and no new signing state once CometBFT has run', async () => {
    const home = await folder()
    await makeKeys(home)
    const { blocks, signatures, validatorKey } = cometBftFiles(home)
    await mkdir(blocks)
    await rm(signatures)
    await expect(makeKeys(home)).rejects.toThrow(`${signatures} is gone: restore it`)
    await rm(validatorKey)
    await expect(makeKeys(home)).rejects.toThrow(`${validatorKey} is gone: restore it`)
    expect(existsSync(validatorKey)).toBe(false)
  })

  it('is refused if it belongs to another chain, or lacks the chain’s blocks', async () => {
    const home = await folder()
    const spec = network()
    await makeHome(home, spec, config)
    await expect(requireSameChain(home, spec, 0n)).resolves.toBeUndefined()
    await expect(requireSameChain(home, spec, 7n)).rejects.toThrow(/the chain is at block 7, and CometBFT .* no blocks/)
    await mkdir(cometBftFiles(home).blocks)
    await expect(requireSameChain(home, spec, 7n)).resolves.toBeUndefined()
    const other = { ...spec, native: spec.native && { ...spec.native, textChainId: 'other_1-1' } }
    await expect(requireSameChain(home, other, 0n)).rejects.toThrow(
      /home of the chain kestrel_125-1, this one is other_1-1/,
    )
  })
})

it('the ABCI socket is in the data directory, unless that path is too long for a socket', () => {
  expect(socketIn('/data/chain')).toBe('/data/chain/abci.sock')
  const long = socketIn(`/${'d'.repeat(120)}`)
  expect(long.length).toBeLessThan(104)
  expect(long).not.toBe(socketIn(`/${'e'.repeat(120)}`))
})
