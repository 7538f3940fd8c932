// The built program on a chain of one node whose genesis names IBC: copies, rewinds, checks, edits and forks of it keep the provable
// store. Other chains are played by headers signed here.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeFunctionData, type Hex, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { ibcLayout } from '../../src/modules/ibc/layout.ts'
import { PACKET_KEY } from '../../src/modules/ibc/packets.ts'
import { GOV, vote, YES } from '../precompiles/gov-support.ts'
import { ICS20, abi as ics20Abi } from '../precompiles/ics20-support.ts'
import { account, request } from '../support/chain.ts'
import { CLIENT } from '../support/ibc-link.ts'
import { IBC, IbcPeer, ibcAbi } from '../support/ibc-peer.ts'
import { clientsOf } from '../support/process.ts'
import { provenAccount } from '../support/proofs.ts'
import { folder, run, start } from './support.ts'

const owner = account(0).address
const keyOf = (sequence: bigint) => toHex(PACKET_KEY.commitment(CLIENT, sequence))

/** The slots that a read of the module's storage loads. */
function slotsOf(read: (state: ReturnType<typeof ibcLayout.open>) => unknown): Hex[] {
  const slots: bigint[] = []
  const load = (slot: bigint) => {
    slots.push(slot)
    return 0n
  }
  read(ibcLayout.open({ load, store: () => undefined }))
  return slots.map((slot) => toHex(slot, { size: 32 }))
}
const ROOT = slotsOf(({ store }) => store.nodes.at(1n).get())

const rpcOf =
  ({ url }: { readonly url: string }) =>
  (method: string, ...params: unknown[]) =>
    request(url, method, params)

/** A running chain with a client and one packet in flight, in the folder `chain`. */
async function chainWithPacket() {
  const dir = await folder()
  const { stdout } = await run(dir, 'genesis')
  const genesis = JSON.parse(stdout)
  genesis.kestrel.modules.ibc = {}
  await writeFile(join(dir, 'genesis.json'), JSON.stringify(genesis))
  const node = await start(dir, '--genesis', 'genesis.json', '--datadir', 'chain')
  const { client, consensus } = new IbcPeer('peer-1').states
  await send(
    node,
    IBC,
    encodeFunctionData({ abi: ibcAbi, functionName: 'createClient', args: [toHex(client), toHex(consensus)] }),
  )
  const route = [CLIENT, [toHex('ibc'), '0x'], CLIENT] as const
  await send(node, IBC, encodeFunctionData({ abi: ibcAbi, functionName: 'registerCounterparty', args: route }))
  await sendCoins(node)
  return { dir, node, rpc: rpcOf(node) }
}

/** Sends a transaction that must succeed. */
async function send({ url }: { readonly url: string }, to: Hex, data: Hex): Promise<void> {
  const { viem, walletOf } = clientsOf(url)
  const hash = await walletOf(0).sendTransaction({ to, data, gas: 3_000_000n })
  expect((await viem.waitForTransactionReceipt({ hash })).status).toBe('success')
}

async function sendCoins(node: { readonly url: string }): Promise<void> {
  const { timestamp } = await clientsOf(node.url).viem.getBlock()
  const none = { revisionNumber: 0n, revisionHeight: 0n }
  const args = ['transfer', CLIENT, 'akest', 7n, owner, 'peer1receiver', none, timestamp + 3_600n, ''] as const
  await send(node, ICS20, encodeFunctionData({ abi: ics20Abi, functionName: 'transfer', args }))
}

type Proof = { readonly block: Hex; readonly value: Hex | null; readonly proof: Hex }

describe('a chain of one node with IBC', () => {
  it('goes on in a copy from a snapshot, and after a rewind, with the same provable store', {
    timeout: 120_000,
  }, async () => {
    const { dir, node, rpc } = await chainWithPacket()
    const before = (await rpc('kestrel_getIbcProof', keyOf(1n), 'latest')) as Proof
    expect(before).toMatchObject({ block: '0x3', value: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
    expect((await run(dir, 'snapshot', 'export', '--datadir', 'chain', '--output', 'file')).code).toBe(0)
    await sendCoins(node)
    expect(await rpc('kestrel_getIbcProof', keyOf(2n), 'latest')).toMatchObject({
      block: '0x4',
      value: expect.any(String),
    })
    // The proof of an old block is what it was.
    expect(await rpc('kestrel_getIbcProof', keyOf(1n), '0x3')).toEqual(before)
    expect(await rpc('dev_invariants')).toEqual([])
    expect((await node.stop()).code).toBe(0)

    expect((await run(dir, 'rewind', '--to', '3', '--datadir', 'chain')).code).toBe(0)
    expect((await run(dir, 'check', '--datadir', 'chain')).stderr).toMatch(/\nnothing is damaged\n$/)
    const imported = await run(dir, 'snapshot', 'import', 'file', '--datadir', 'copy')
    expect([imported.code, imported.stderr]).toEqual([0, ''])
    expect((await run(dir, 'check', '--datadir', 'copy')).stderr).toMatch(/\nnothing is damaged\n$/)
    for (const datadir of ['chain', 'copy']) {
      const again = await start(dir, '--datadir', datadir)
      const there = rpcOf(again)
      expect(await there('kestrel_getIbcProof', keyOf(1n), 'latest')).toEqual(before)
      expect(await there('kestrel_getIbcProof', keyOf(2n), 'latest')).toMatchObject({ value: null })
      await sendCoins(again)
      expect(await there('kestrel_getIbcProof', keyOf(2n), 'latest')).toMatchObject({
        block: '0x4',
        value: expect.any(String),
      })
      expect(await there('dev_invariants')).toEqual([])
      expect((await again.stop()).code).toBe(0)
    }
  })

  it('shows by dev_invariants and kestrel check that a slot of the store was edited', {
    timeout: 120_000,
  }, async () => {
    const { dir, node, rpc } = await chainWithPacket()
    await provenAccount(clientsOf(node.url), { address: IBC, slots: [...ROOT, toHex(77, { size: 32 })] }, 3n)
    const [root = '0x'] = ROOT
    const word = (await rpc('eth_getStorageAt', IBC, root, 'latest')) as Hex
    expect(BigInt(word)).not.toBe(0n)
    const broken = 'ibc: node 1 of the provable tree is not what its children make'
    await rpc('anvil_setStorageAt', IBC, root, toHex(BigInt(word) ^ 1n, { size: 32 }))
    expect(await rpc('dev_invariants')).toEqual([broken])
    expect((await node.stop()).code).toBe(0)
    const checked = await run(dir, 'check', '--datadir', 'chain')
    expect(checked.code).toBe(1)
    expect(checked.stdout).toContain(`modules: ${broken}`)
  })

  it('keeps its contract whatever code a developer gives to the address', { timeout: 60_000 }, async () => {
    const { node, rpc } = await chainWithPacket()
    await rpc('anvil_setCode', IBC, '0x00')
    await sendCoins(node)
    expect(await rpc('kestrel_getIbcProof', keyOf(2n), 'latest')).toMatchObject({ value: expect.any(String) })
    expect(await rpc('dev_invariants')).toEqual([])
    expect((await node.stop()).code).toBe(0)
  })

  it('recovers an expired client by `kestrel gov submit --recover-client` and votes', {
    timeout: 120_000,
  }, async () => {
    const { dir, node, rpc } = await chainWithPacket()
    const { viem } = clientsOf(node.url)
    const now = async () => (await viem.getBlock()).timestamp
    const peer = new IbcPeer('peer-1')
    const create = async (trusting: bigint) => {
      const height = peer.block(await now())
      const states = [toHex(peer.clientState(height, { trusting })), toHex(peer.consensusState(height))] as const
      await send(node, IBC, encodeFunctionData({ abi: ibcAbi, functionName: 'createClient', args: states }))
    }
    const status = async () => {
      const { stdout } = await run(dir, 'call', 'ibc', 'getClient', '07-tendermint-1', '--rpc-url', node.url)
      return /\b(Active|Expired|Frozen)\b/.exec(stdout)?.[1]
    }
    await create(100n)
    expect(await status()).toBe('Active')
    await rpc('evm_increaseTime', 200)
    await rpc('anvil_mine', '0x1')
    expect(await status()).toBe('Expired')
    await create(100_000n)
    const gov = (...args: string[]) => run(dir, 'gov', ...args, '--rpc-url', node.url)
    const submitted = await gov('submit', '--recover-client', '07-tendermint-1=07-tendermint-2')
    expect([submitted.code, submitted.stderr]).toEqual([0, ''])
    for (const index of [0, 1, 2]) {
      const operator = account(10 + index).address
      await rpc('anvil_impersonateAccount', operator)
      await rpc('eth_sendTransaction', { from: operator, to: GOV, data: vote(1n, operator, YES), gas: '0x100000' })
    }
    await rpc('evm_increaseTime', 60)
    await rpc('anvil_mine', '0x1')
    expect((await gov('show', '1')).stdout).toMatch(
      /passed[\s\S]*gives the IBC client 07-tendermint-1 the newest header of 07-tendermint-2/,
    )
    expect(await status()).toBe('Active')
    expect((await node.stop()).code).toBe(0)
  })

  it('can be forked: the fork has its storage and no IBC of its own', { timeout: 120_000 }, async () => {
    const { dir, node, rpc } = await chainWithPacket()
    const [root = '0x'] = ROOT
    const word = await rpc('eth_getStorageAt', IBC, root, 'latest')
    for (const [flags, expected] of [
      [[], word],
      // Modules begin anew, those of the preset.
      [['--native'], toHex(0, { size: 32 })],
    ] as const) {
      const fork = await start(dir, '--in-memory', '--fork-url', `${node.url}/rpc`, ...flags)
      const there = rpcOf(fork)
      await there('anvil_mine', '0x2')
      expect(await there('eth_getStorageAt', IBC, root, 'latest')).toBe(expected)
      await expect(there('kestrel_getIbcProof', keyOf(1n), 'latest')).rejects.toThrow('this chain has no IBC')
      expect((await fork.stop()).code).toBe(0)
    }
    expect((await node.stop()).code).toBe(0)
  })
})
