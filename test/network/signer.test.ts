// Validators whose key is at a remote signer, with other people's signers: CometBFT's own `priv_val_server` (beside the program
// that COMETBFT names, or PRIV_VAL_SERVER), and tmkms (TMKMS). Without a program its tests are skipped.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PROGRAM } from '../support/process.ts'
import { NO_ENGINE, TestNetwork } from './support.ts'

const run = promisify(execFile)
const { COMETBFT = '', PRIV_VAL_SERVER = join(dirname(COMETBFT), 'priv_val_server'), TMKMS = '' } = process.env
const skipped = (program: string, name: string) =>
  NO_ENGINE ?? (existsSync(program) ? undefined : `skipped: no ${name}`)
const NO_SERVER = skipped(PRIV_VAL_SERVER, 'priv_val_server of cometbft')
const NO_TMKMS = skipped(TMKMS, 'tmkms, as TMKMS would name it')

const validatorKey = (network: TestNetwork, node: number) =>
  run(process.execPath, [PROGRAM, 'validator', 'key', '--home', network.home(node)])

/** Moves the key of a node's home into a folder for its signer. */
async function takeKey(network: TestNetwork, node: number) {
  const engine = join(network.home(node), 'engine')
  const folder = join(network.home(node), 'signer')
  await mkdir(folder)
  const [key, state] = [join(folder, 'key.json'), join(folder, 'state.json')]
  await rename(join(engine, 'config/priv_validator_key.json'), key)
  await rename(join(engine, 'data/priv_validator_state.json'), state)
  const { address } = JSON.parse(await readFile(key, 'utf8'))
  return { folder, key, state, address: String(address) }
}

/** Writes the signer's address into the configuration of a home, and removes its key and signing state. */
async function useSigner(network: TestNetwork, node: number, address: string) {
  const engine = join(network.home(node), 'engine')
  const config = join(engine, 'config/config.toml')
  await writeFile(config, `priv_validator_laddr = "${address}"\n${await readFile(config, 'utf8')}`)
  for (const file of ['config/priv_validator_key.json', 'data/priv_validator_state.json'])
    await rm(join(engine, file), { force: true })
}

/** Starts a signer, whose output goes into a file of the folder. */
function startSigner(program: string, args: readonly string[], folder: string): ChildProcess {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr])
    stream.pipe(createWriteStream(join(folder, 'log'), { flags: 'a' }), { end: false })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function end(child: ChildProcess) {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

type Commit = {
  readonly signed_header: {
    readonly commit: {
      readonly height: string
      readonly signatures: { readonly validator_address: string; readonly block_id_flag: number }[]
    }
  }
}

/** Whether a validator has signed the newest commit that a node has. */
async function signs(network: TestNetwork, node: number, address: string): Promise<boolean> {
  const { signed_header: header } = (await network.engine(node, 'commit')) as Commit
  return header.commit.signatures.some(({ validator_address: of, block_id_flag: flag }) => of === address && flag === 2)
}

/** A signer program: what it needs in its folder, and how it runs. */
type Signer = {
  readonly name: string
  readonly skipped: string | undefined
  readonly laddr: (network: TestNetwork, folder: string) => string
  /** Prepares the folder with the key, and returns program, arguments and the file in which it notes what it has signed. */
  readonly prepare: (folder: string, laddr: string) => Promise<readonly [string, readonly string[], string]>
  /** What it says when it is asked for a height before one that it has signed. */
  readonly refusal: string
}

const signers: readonly Signer[] = [
  {
    name: "CometBFT's priv_val_server",
    skipped: NO_SERVER,
    laddr: (_, folder) => `unix://${join(folder, 'signer.sock')}`,
    prepare: async (folder, laddr) => {
      const state = join(folder, 'state.json')
      const files = ['-priv-key', join(folder, 'key.json'), '-priv-state', state]
      return [PRIV_VAL_SERVER, ['-addr', laddr, '-chain-id', 'kestrel_125-1', ...files], state]
    },
    refusal: 'height regression',
  },
  {
    name: 'tmkms',
    skipped: NO_TMKMS,
    laddr: (network) => `tcp://127.0.0.1:${Number(new URL(network.engineUrl(0)).port) + 4}`,
    prepare: async (folder, laddr) => {
      const file = (name: string) => join(folder, name)
      await run(TMKMS, ['softsign', 'keygen', file('identity.key')])
      await run(TMKMS, ['softsign', 'import', file('key.json'), file('secret.key')])
      await writeFile(
        file('tmkms.toml'),
        `[[chain]]
id = "kestrel_125-1"
key_format = { type = "bech32", account_key_prefix = "kestpub", consensus_key_prefix = "kestvalconspub" }
state_file = "${file('kms-state.json')}"

[[providers.softsign]]
chain_ids = ["kestrel_125-1"]
key_type = "consensus"
path = "${file('secret.key')}"

[[validator]]
chain_id = "kestrel_125-1"
addr = "${laddr}"
secret_key = "${file('identity.key')}"
protocol_version = "v0.34"
reconnect = true
`,
      )
      return [TMKMS, ['start', '-c', file('tmkms.toml')], file('kms-state.json')]
    },
    refusal: 'double sign',
  },
]

describe.each(signers)('a validator whose key is at $name $skipped', ({ skipped, laddr, prepare, refusal }) => {
  it.skipIf(skipped !== undefined)(
    'waits for it, signs with it, misses blocks without it, signs no height twice',
    async () => {
      const network = await TestNetwork.prepare({ validators: 4 })
      const { folder, key, address } = await takeKey(network, 0)
      const { pub_key: publicKey } = JSON.parse(await readFile(key, 'utf8'))
      await useSigner(network, 0, laddr(network, folder))
      const [program, args, state] = await prepare(folder, laddr(network, folder))
      const log = () => readFile(join(folder, 'log'), 'utf8').catch(() => '')
      const height = async () => Number(JSON.parse(await readFile(state, 'utf8')).height)
      let signer: ChildProcess | undefined
      const stop = async () => {
        if (signer !== undefined) await end(signer)
      }
      /** priv_val_server gives up when its node does not listen for a second: as a supervisor would, this starts it again. */
      const untilSigned = (what: string) =>
        network.eventually(what, async () => {
          if (await signs(network, 1, address)) return true
          if (signer === undefined || signer.exitCode !== null || /dialed maximum retries/.test(await log())) {
            await stop()
            await rm(join(folder, 'log'), { force: true })
            signer = startSigner(program, args, folder)
          }
          return false
        })

      for (const node of network.all) network.start(node)
      await network.reach(2n, [1, 2, 3])
      await network.eventually('the line', async () =>
        (await network.log(0)).includes('waiting for the signer to connect'),
      )
      await expect(validatorKey(network, 0)).rejects.toThrow(/the key is at the signer that connects to /)
      expect(await signs(network, 1, address)).toBe(false)
      await untilSigned('a signature')
      expect(await network.log(0)).toContain('the signer is there')
      expect((await validatorKey(network, 0)).stdout.trim()).toBe(publicKey.value)

      await stop()
      await network.eventually('a block without it', async () => !(await signs(network, 1, address)))
      const before = await height()
      signer = undefined
      await untilSigned('its signature again')
      await stop()
      expect(await height()).toBeGreaterThan(before)

      // A signer that has signed a later height refuses the ones before it.
      const signed = JSON.parse(await readFile(state, 'utf8'))
      await writeFile(state, JSON.stringify({ ...signed, height: '1000000' }))
      await rm(join(folder, 'log'))
      signer = startSigner(program, args, folder)
      await network.eventually('a refusal', async () => (await log()).includes(refusal))
      await network.reach((await network.head(1)) + 3n, [1, 2, 3])
      expect(await signs(network, 1, address)).toBe(false)
      expect(network.isRunning(0)).toBe(true)
      expect(await network.differences()).toEqual([])
    },
  )
})
