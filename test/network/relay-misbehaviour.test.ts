// Validators of a network sign a second header of a height, in which coins go to a thief. A relayer that watches freezes the client that was
// deceived; after governance has recovered it transfers go on, and the forged header proves nothing.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createWalletClient, encodeFunctionData, type Hex, http, toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConsensusState } from '../../src/ibc/comet/client-state.ts'
import { PACKET_KEY, packetCommitment } from '../../src/modules/ibc/packets.ts'
import { account, MNEMONIC } from '../support/chain.ts'
import { deployWrapper, wrapperAbi } from '../support/eureka.ts'
import { IbcPeer, ibcAbi } from '../support/ibc-peer.ts'
import { forgedUpdate } from './forged-update.ts'
import { abi, BANK, CLIENT, end, endAll, escrow, IBC, ICS20, kestrel, Relay, voucherOf } from './relay-support.ts'
import { editGenesis, NO_ENGINE, TestNetwork } from './support.ts'

const PATIENCE = { timeout: 150_000 }
const SUBSTITUTE = '07-tendermint-1'
const user = account(0)
const thief = account(5)
const voucher = voucherOf('akest')

/** A packet that nobody has sent: 1,000 coins come home from the other chain, to the thief. */
const forgedPacket = {
  sequence: 77n,
  sourceClient: CLIENT,
  destClient: CLIENT,
  timeoutTimestamp: BigInt(Math.floor(Date.now() / 1000) + 3_600),
  payloads: [
    {
      ...{ sourcePort: 'transfer', destPort: 'transfer', version: 'ics20-1', encoding: 'application/json' },
      value: Buffer.from(
        JSON.stringify({
          ...{ denom: `transfer/${CLIENT}/akest`, amount: '1000', memo: '' },
          ...{ sender: thief.address, receiver: thief.address },
        }),
      ),
    },
  ],
}
const forgedKey = PACKET_KEY.commitment(CLIENT, forgedPacket.sequence)
/** The store in which it was sent. */
const forgedStore = new IbcPeer('kestrel_126-1', [[forgedKey, packetCommitment(forgedPacket)]])

describe.skipIf(NO_ENGINE !== undefined)(`a client that was deceived by its chain ${NO_ENGINE ?? ''}`, () => {
  let a: TestNetwork
  let b: TestNetwork
  let relay: Relay
  let forgedHeight: bigint

  const walletOf = (network: TestNetwork, of: typeof user) =>
    createWalletClient({ account: of, transport: http(`${network.url(0)}/rpc`) })
  /** Calls a contract by an account of node 0. Returns whether the transaction has succeeded. */
  async function call(network: TestNetwork, of: typeof user, to: Hex, data: Hex): Promise<boolean> {
    const hash = await walletOf(network, of).sendTransaction({ to, data, gas: 1_000_000n, chain: null })
    return (await network.viem(0).waitForTransactionReceipt({ hash })).status === 'success'
  }
  function transfer(network: TestNetwork, denom: string, amount: bigint): Promise<boolean> {
    const timeout = BigInt(Math.floor(Date.now() / 1000) + 3_600)
    const none = { revisionNumber: 0n, revisionHeight: 0n }
    const args = ['', CLIENT, denom, amount, user.address, user.address, none, timeout, ''] as const
    return call(network, user, ICS20, encodeFunctionData({ abi, functionName: 'transfer', args }))
  }
  const escrowed = () => a.viem(0).getBalance({ address: escrow })
  const ends = async () => (await relay.status()).ends
  const statusOnA = async () => (await ends())[0]?.status

  /** The call that takes the coins. Throws why it is refused. */
  function theft(): Promise<unknown> {
    const [payload] = forgedPacket.payloads
    const packet = { ...forgedPacket, payloads: payload ? [{ ...payload, value: toHex(payload.value) }] : [] }
    const height = { revisionNumber: 1n, revisionHeight: forgedHeight }
    const args = [packet, toHex(forgedStore.proof(forgedKey)), height] as const
    const request = { address: IBC, abi: ibcAbi, functionName: 'recvPacket', args, account: thief.address } as const
    return a.viem(0).simulateContract(request)
  }

  async function keyFile(index: number): Promise<string> {
    const file = join(a.folder, `key${index}`)
    const key = mnemonicToAccount(MNEMONIC, { addressIndex: index }).getHdKey().privateKey
    await writeFile(file, toHex(key ?? new Uint8Array(0)))
    return file
  }

  beforeAll(async () => {
    a = await TestNetwork.prepare({ validators: 2 })
    b = await TestNetwork.prepare({ validators: 2, flags: ['--chain-id', '126'] })
    await editGenesis(a, ({ kestrel: { modules } }) => {
      modules.gov = { version: 2, params: { votingPeriod: 15, expeditedVotingPeriod: 10 } }
    })
    for (const network of [a, b]) for (const index of network.all) network.start(index)
    await Promise.all([a.reach(3n), b.reach(3n)])
    relay = new Relay(join(a.folder, 'relay.json'))
    await kestrel('relay', 'init', a.folder, b.folder, '--config', relay.config)
  })
  afterAll(endAll)

  it('takes a second header of a height, which two thirds have signed, and would believe what it proves', async () => {
    const relayer = relay.start()
    expect(await transfer(a, 'akest', 1_000n)).toBe(true)
    await expect.poll(() => relay.isIdle(), PATIENCE).toBe(true)
    await end(relayer, 'SIGTERM')
    expect(await escrowed()).toBe(1_000n)
    const { root } = readConsensusState(forgedStore.states.consensus)
    const trusted = BigInt((await ends())[0]?.knownHeight ?? 0)
    const { height, update } = await forgedUpdate(b, trusted, root)
    forgedHeight = height
    // Through a contract, in which a relayer that watches has to find it.
    const wrapper = await deployWrapper({ viem: a.viem(0), wallet: walletOf(a, thief) }, CLIENT)
    const args = [toHex(update)] as const
    expect(
      await call(a, thief, wrapper, encodeFunctionData({ abi: wrapperAbi, functionName: 'updateClient', args })),
    ).toBe(true)
    expect((await ends())[0]).toMatchObject({ status: 'Active', knownHeight: Number(forgedHeight) })
    expect(await theft()).toMatchObject({ result: true })
  })

  it('is frozen by a relayer that watches, and nothing goes over it', async () => {
    const relayer = relay.start('--watch')
    await expect.poll(statusOnA, PATIENCE).toBe('Frozen')
    await expect(theft()).rejects.toThrow(`client (${CLIENT}) status is Frozen`)
    expect(await transfer(a, 'akest', 1n)).toBe(false)
    expect(await transfer(b, voucher.denom, 400n)).toBe(true)
    // Long enough for a packet over an active client.
    await a.reach((await a.head(0)) + 8n)
    expect((await ends()).map(({ inFlight }) => inFlight)).toEqual([0, 1])
    expect(await escrowed()).toBe(1_000n)
    await end(relayer, 'SIGTERM')
  })

  it('is recovered by governance: packets in flight arrive, transfers go on, and the forged header proves nothing', async () => {
    const other = join(a.folder, 'other.json')
    await kestrel('relay', 'init', a.folder, b.folder, '--config', other)
    expect(JSON.parse(await readFile(other, 'utf8')).a.client).toBe(SUBSTITUTE)
    const at = ['--rpc-url', `${a.url(0)}/rpc`]
    const by = async (index: number) => [...at, '--private-key-file', await keyFile(index)]
    await kestrel('gov', 'submit', '--recover-client', `${CLIENT}=${SUBSTITUTE}`, ...(await by(0)))
    for (const operator of [10, 11]) await kestrel('gov', 'vote', '1', 'yes', ...(await by(operator)))
    await expect.poll(statusOnA, PATIENCE).toBe('Active')

    await expect(theft()).rejects.toThrow(`client ${CLIENT} has no consensus state of height 1-${forgedHeight}`)
    // It finds the forged header again, in the blocks from before the recovery.
    relay.start('--watch')
    await expect.poll(escrowed, PATIENCE).toBe(600n)
    expect(await transfer(a, 'akest', 50n)).toBe(true)
    await expect.poll(() => relay.isIdle(), PATIENCE).toBe(true)
    expect(await escrowed()).toBe(650n)
    const read = { address: BANK, abi, functionName: 'supplyOf', args: [voucher.address] } as const
    expect(await b.viem(0).readContract(read)).toBe(650n)
    expect(await statusOnA()).toBe('Active')
    for (const network of [a, b]) expect(await network.rpc(0, 'dev_invariants', 'latest')).toEqual([])
  })
})
