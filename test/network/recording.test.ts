// Renews the recording of test/consensus/network/recorded.test.ts: the ABCI messages between the first node and its CometBFT,
// in a network with every event that a block may begin with. Only with RECORD=FOLDER:
//   RECORD=test/consensus/network/recording npm run test:network -- test/network/recording.test.ts
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { encodeFunctionData, parseEther } from 'viem'
import { afterAll, expect, it } from 'vitest'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress, toHex } from '../../src/lib/hex.ts'
import { PROGRAM } from '../support/process.ts'
import { abi, editGenesis, SLASHING, STAKING, TestNetwork } from './support.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const RECORD = process.env.RECORD

/** The first node's CometBFT and the recorder, which is between CometBFT and the application. */
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

function startRecorded(network: TestNetwork, output: string): void {
  const sockets = {
    application: join(network.home(0), 'data/abci.sock'),
    engine: join(network.home(0), 'engine/recorder.sock'),
  }
  const words = ['--application', sockets.application, '--listen', sockets.engine, '--output', output]
  children.push(
    spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'scripts/record-abci.ts'), ...words], {
      stdio: 'inherit',
      cwd: ROOT,
    }),
  )
  network.start(0, ['--external-engine'])
  const home = join(network.home(0), 'engine')
  const engine = `until [ -S ${sockets.application} ] && [ -S ${sockets.engine} ]; do sleep 0.2; done; exec "$COMETBFT" start --home ${home} --proxy_app unix://${sockets.engine}`
  children.push(spawn('bash', ['-c', engine], { stdio: 'ignore' }))
}

it.skipIf(RECORD === undefined)(
  'records the ABCI messages of a network (only with RECORD)',
  async () => {
    const network = await TestNetwork.prepare({ validators: 4, readers: 1 })
    await editGenesis(network, ({ kestrel }) => {
      kestrel.modules = {
        slashing: { signedBlocksWindow: 10, downtimeJailDuration: 15 },
        gov: { params: { votingPeriod: 30, expeditedVotingPeriod: 20 } },
      }
    })
    const output = join(network.folder, 'recording.txt')
    startRecorded(network, output)
    for (const node of [1, 2, 3, 4]) network.start(node)
    await network.reach(2n)

    const call = async (from: number, to: `0x${string}` | undefined, data: `0x${string}`, value = 0n) => {
      const hash = await network.wallet(1, from).sendTransaction({ ...(to && { to }), data, value, gas: 2_000_000n })
      return network.viem(1).waitForTransactionReceipt({ hash })
    }
    const keyFile = join(network.folder, 'keys.txt')
    const key = network.wallet(1, 10).account
    if (!('getHdKey' in key)) throw new Error('the operator has no key here')
    await writeFile(keyFile, toHex(key.getHdKey().privateKey ?? new Uint8Array(0)))
    const cli = (...args: string[]) =>
      run(process.execPath, [PROGRAM, ...args, '--rpc-url', `${network.url(1)}/rpc`, '--private-key-file', keyFile])

    // A transfer, a contract that stores its argument, a call of it, and a transaction that fails.
    const { address } = network.wallet(1, 1).account
    expect((await call(0, hexToAddress(address), '0x', parseEther('1'))).status).toBe('success')
    const deployed = await call(0, undefined, '0x6007600c60003960076000f360003560005500')
    expect(deployed.status).toBe('success')
    expect((await call(0, deployed.contractAddress ?? undefined, `0x${'07'.padStart(64, '0')}`)).status).toBe('success')
    expect((await call(0, STAKING, '0xdeadbeef')).status).toBe('reverted')

    // Delegations, and a fifth validator.
    const operator = (index: number) => hexToAddress(network.wallet(1, 10 + index).account.address)
    const delegation = [
      network.wallet(1, 0).account.address,
      toBech32('kestvaloper', operator(0)),
      parseEther('500'),
    ] as const
    await call(0, STAKING, encodeFunctionData({ abi, functionName: 'delegate', args: delegation }))
    const { stdout } = await run(process.execPath, [PROGRAM, 'validator', 'key', '--home', network.home(4)])
    const newcomer = network.wallet(1, 5).account.address
    const description = { moniker: 'fifth', identity: '', website: '', securityContact: '', details: '' }
    const rates = { rate: 10n ** 17n, maxRate: 2n * 10n ** 17n, maxChangeRate: 10n ** 16n }
    const create = [description, rates, 1n, newcomer, stdout.trim(), parseEther('700')] as const
    expect(
      (await call(5, STAKING, encodeFunctionData({ abi, functionName: 'createValidator', args: create }))).status,
    ).toBe('success')

    // A proposal that passes and fails in execution, and one that changes opcodes.
    await cli('gov', 'submit', '--spend', `${address}:1000000`)
    await cli('gov', 'submit', '--activate', 'kestrel_0')
    for (const index of [0, 1, 2, 3]) {
      const of = network.wallet(1, 10 + index).account
      if ('getHdKey' in of) await writeFile(keyFile, toHex(of.getHdKey().privateKey ?? new Uint8Array(0)))
      for (const proposal of ['1', '2']) await cli('gov', 'vote', proposal, 'yes')
    }

    // Downtime, and unjailing.
    await network.stop(3)
    const unjail = encodeFunctionData({ abi, functionName: 'unjail', args: [operator(3)] })
    await network.reach((await network.head(1)) + 14n, [0, 1, 2, 4])
    network.start(3)
    await network.eventually('the way back', async () => (await call(13, SLASHING, unjail)).status === 'success')

    // Two CometBFTs with one key.
    await call(
      5,
      STAKING,
      encodeFunctionData({
        abi,
        functionName: 'undelegate',
        args: [newcomer, toBech32('kestvaloper', hexToAddress(newcomer)), parseEther('700')],
      }),
    )
    await network.stop(4)
    const validatorKey = 'engine/config/priv_validator_key.json'
    await cp(join(network.home(2), validatorKey), join(network.home(4), validatorKey))
    network.start(4)
    await network.eventually(
      'the evidence',
      async () => (await network.log(1)).includes('two votes in one round'),
      120_000,
    )
    await network.stop(4)
    await network.reach((await network.head(1)) + 4n, [0, 1, 3])

    await mkdir(RECORD ?? '', { recursive: true })
    const files = [
      ['recording.txt.gz', await readFile(output)],
      ['genesis.json.gz', await readFile(join(network.home(0), 'genesis.json'))],
    ] as const
    for (const [name, content] of files)
      await writeFile(join(RECORD ?? '', name), await promisify(gzip)(content, { level: 9 }))
  },
  600_000,
)
