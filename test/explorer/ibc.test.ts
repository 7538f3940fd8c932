// Clients and packets of IBC in the explorer's API, against a peer that exists only as headers and proofs: every state of a packet,
// filters and pages, what strangers write, and the same rows after a rewind and after reindexing.
import { concat, encodeAbiParameters, type Hex, toEventSelector, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { reindex } from '../../src/chain/reindex.ts'
import { indexer } from '../../src/indexer/indexer.ts'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import { RANGE } from '../../src/state/keyspace.ts'
import { asm } from '../support/assembler.ts'
import { account, testChain } from '../support/chain.ts'
import { ibcChain, ibcPeer, REFUSED, SUCCESS } from '../support/ibc-packets.ts'
import { IBC, ibcAbi } from '../support/ibc-peer.ts'
import { api } from './support.ts'

const owner = account(0).address
const other = account(1).address
const bech32 = (of: Hex) => toBech32('kest', hexToAddress(of.toLowerCase()))
const hashes = (items: { transaction_hash: string }[]) => items.map(({ transaction_hash }) => transaction_hash)
const sequences = (items: { direction: string; sequence: number }[]) =>
  items.map(({ direction, sequence }) => `${direction} ${sequence}`)

/** A packet in each state, over the chain's first client; one more, in flight, over a second one. */
async function everyState() {
  const chain = await ibcChain()
  const peer = await ibcPeer(chain)
  const second = await ibcPeer(chain, { chainId: 'other-1', clientId: '07-tendermint-9' })
  const sent = [await peer.transfer({ memo: 'one' }), await peer.transfer(), await peer.transfer({ seconds: 600n })]
  const [first, refused, late] = sent
  if (first === undefined || refused === undefined || late === undefined) throw new Error('nothing was sent')
  const received = await peer.deliver({ transfer: { receiver: bech32(other), amount: '7', memo: 'hello' } })
  const rejected = await peer.deliver({ data: '0x1234' })
  const acknowledged = await peer.acknowledge(first.packet)
  const turnedBack = await peer.acknowledge(refused.packet, REFUSED)
  const timedOut = await peer.timeout(late.packet)
  const waiting = await peer.transfer()
  const elsewhere = await second.transfer()
  const { read, readAll, get } = api(chain.url)
  return {
    ...{ chain, peer, second, read, readAll, get, first, refused, late, received, rejected, waiting, elsewhere },
    ...{ acknowledged, turnedBack, timedOut },
  }
}

describe('packets over clients of IBC', () => {
  it('have their state, their transactions and what they carry', async () => {
    const of = await everyState()
    const packet = (path: string) => of.read(`/native/packets/07-tendermint-0/${path}`)
    const place = ({ transactionHash, blockNumber }: { transactionHash: Hex; blockNumber: bigint }) => ({
      transaction_hash: transactionHash,
      block_number: Number(blockNumber),
    })
    expect(await packet('sent/1')).toMatchObject({
      sequence: 1,
      direction: 'sent',
      client: '07-tendermint-0',
      status: 'success',
      source: { port: 'transfer', channel: '07-tendermint-0' },
      destination: { port: 'transfer', channel: '07-tendermint-4' },
      denom: 'akest',
      amount: (10n ** 18n).toString(),
      sender: { hash: owner },
      sender_text: bech32(owner),
      receiver: 'cosmos1receiver',
      receiver_address: null,
      memo: 'one',
      timeout_height: null,
      timeout_time: `${new Date(Number(of.first.packet.timeoutTimestamp) * 1000).toISOString().slice(0, -1)}000Z`,
      ...place(of.first.receipt),
      ended: place(of.acknowledged),
      version: 'ics20-1',
      encoding: 'application/json',
      data: of.first.packet.payloads[0]?.value,
      acknowledgement: SUCCESS,
    })
    expect(await packet('sent/2')).toMatchObject({
      status: 'error',
      ended: place(of.turnedBack),
      acknowledgement: REFUSED,
    })
    expect(await packet('sent/3')).toMatchObject({
      status: 'timeout',
      ended: place(of.timedOut),
      acknowledgement: null,
    })
    expect(await packet('sent/4')).toMatchObject({ status: 'pending', ended: null, ...place(of.waiting.receipt) })
    expect(await packet('received/1')).toMatchObject({
      status: 'success',
      source: { channel: '07-tendermint-4' },
      destination: { channel: '07-tendermint-0' },
      denom: 'uatom',
      amount: '7',
      sender: null,
      sender_text: 'cosmos1sender',
      receiver: bech32(other),
      receiver_address: { hash: other },
      memo: 'hello',
      ...place(of.received.receipt),
      ended: null,
      acknowledgement: SUCCESS,
    })
    expect(await packet('received/2')).toMatchObject({
      status: 'error',
      denom: null,
      receiver: null,
      data: '0x1234',
      acknowledgement: REFUSED,
    })
    for (const path of ['sent/5', 'received/3', `sent/${2n ** 64n - 1n}`])
      expect((await of.get(`/native/packets/07-tendermint-0/${path}`)).status).toBe(404)
    for (const path of [
      '07-tendermint-0/sent/x',
      '07-tendermint-00/sent/1',
      `07-tendermint-0/sent/${2n ** 64n}`,
      '07-tendermint-0/both/1',
    ])
      expect((await of.get(`/native/packets/${path}`)).status).toBe(422)
  })

  it('are listed by client, direction and status, newest first, page by page', async () => {
    const { readAll } = await everyState()
    const list = async (query: string) => sequences(await readAll(`/native/packets?${query}`, 2))
    const ofFirst = ['sent 4', 'received 2', 'received 1', 'sent 3', 'sent 2', 'sent 1']
    expect(await list('')).toEqual(['sent 1', ...ofFirst])
    expect(await list('client=07-tendermint-0')).toEqual(ofFirst)
    expect(await list('client=07-tendermint-1')).toEqual(['sent 1'])
    expect(await list('client=07-tendermint-2')).toEqual([])
    expect(await list('direction=received')).toEqual(['received 2', 'received 1'])
    expect(await list('client=07-tendermint-0&direction=sent')).toEqual(['sent 4', 'sent 3', 'sent 2', 'sent 1'])
    expect(await list('status=pending')).toEqual(['sent 1', 'sent 4'])
    expect(await list('client=07-tendermint-0&status=pending')).toEqual(['sent 4'])
    expect(await list('status=success')).toEqual(['received 1', 'sent 1'])
    expect(await list('status=error&direction=sent')).toEqual(['sent 2'])
    expect(await list('status=timeout')).toEqual(['sent 3'])
    expect(await list('status=timeout&direction=received')).toEqual([])
  })

  it('are in the list of all transfers, of their accounts and of their transactions', async () => {
    const of = await everyState()
    expect(await of.readAll('/native/transfers')).toHaveLength(7)
    expect(sequences(await of.readAll(`/native/addresses/${owner}/transfers`))).toEqual([
      'sent 1',
      'sent 4',
      'sent 3',
      'sent 2',
      'sent 1',
    ])
    expect(sequences(await of.readAll(`/native/addresses/${other}/transfers`))).toEqual(['received 1'])
    for (const [{ transactionHash }, expected] of [
      [of.first.receipt, ['sent 1']],
      [of.acknowledged, ['sent 1']],
      [of.timedOut, ['sent 3']],
      [of.rejected.receipt, ['received 2']],
      [of.peer.created, []],
    ] as const)
      expect(sequences(await of.readAll(`/native/transactions/${transactionHash}/packets`))).toEqual(expected)
  })

  it('with what a hostile chain writes do not break an answer', async () => {
    const chain = await ibcChain()
    const peer = await ibcPeer(chain)
    const { read, readAll } = api(chain.url)
    const markup = '<img src=x onerror=alert(1)>\u202e\u0000'
    await peer.deliver({ sequence: 2n ** 64n - 1n, timeoutTimestamp: 2n ** 64n - 1n, transfer: { memo: markup } })
    await peer.deliver({ sequence: 2n ** 53n, data: toHex('['.repeat(60_000)) })
    await peer.deliver({ sequence: 7n, transfer: { amount: '0', denom: markup, receiver: markup, sender: markup } })
    const [zero, deep, largest] = await readAll('/native/packets')
    expect(largest).toMatchObject({
      sequence: (2n ** 64n - 1n).toString(),
      timeout_time: '9999-12-31T23:59:59.000000Z',
      status: 'success',
      memo: markup,
    })
    expect(deep).toMatchObject({ sequence: (2n ** 53n).toString(), status: 'error', denom: null, memo: null })
    expect(zero).toMatchObject({ sequence: 7, status: 'error', denom: null })
    expect(await read(`/native/packets/07-tendermint-0/received/${2n ** 64n - 1n}`)).toMatchObject({ memo: markup })
  })

  it('over channels stay what they are, beside packets over clients in one block', async () => {
    const chain = await ibcChain()
    const peer = await ibcPeer(chain)
    const { readAll } = api(chain.url)
    const { transfer, ICS20 } = await import('../precompiles/ics20-support.ts')
    await chain.rpc('evm_setAutomine', false)
    const channel = await chain
      .walletOf(1)
      .sendTransaction({ to: ICS20, data: transfer({ sender: other }), gas: 500_000n })
    const over = peer.transfer({ from: 2, amount: 3n })
    const last = await chain.walletOf(3).sendTransaction({
      to: ICS20,
      data: transfer({ sender: account(3).address, amount: 4n }),
      gas: 500_000n,
    })
    await expect.poll(async () => Number(Object(await chain.rpc('txpool_status')).pending)).toBe(3)
    await chain.mine()
    await over
    const items = await readAll('/native/transfers')
    expect(items.map(({ client, amount, sender }) => [client, amount, sender.hash]).sort()).toEqual(
      [
        ['07-tendermint-0', '3', account(2).address],
        [null, (10n ** 18n).toString(), other],
        [null, '4', account(3).address],
      ].sort(),
    )
    expect(hashes(items)).toEqual(expect.arrayContaining([channel, last]))
  })
})

it('calls of the contract of IBC have a sentence and the source of its interface', async () => {
  const of = await everyState()
  const sentence = async ({ transactionHash }: { transactionHash: Hex }) => {
    const { data } = await of.read(`/transactions/${transactionHash}/summary`)
    const { summary_template: template, summary_template_variables: variables } = data.summaries[0]
    return template.replace(
      /\{(\w+)\}/g,
      (_: string, name: string) => variables[name].value.hash ?? variables[name].value,
    )
  }
  const relayer = account(9).address
  expect(await sentence(of.peer.created)).toBe(`${owner} made the client 07-tendermint-0 of the chain peer-7`)
  expect(await sentence(of.peer.registered)).toBe(
    `${owner} registered 07-tendermint-4 as the counterparty of the client 07-tendermint-0`,
  )
  expect(await sentence(of.received.receipt)).toBe(`${relayer} delivered packet 1 over 07-tendermint-0`)
  expect(await sentence(of.acknowledged)).toBe(
    `${relayer} delivered the acknowledgement of packet 1 over 07-tendermint-0`,
  )
  expect(await sentence(of.timedOut)).toBe(`${relayer} ended packet 3 over 07-tendermint-0 by its timeout`)
  const contract = await of.read('/smart-contracts/0x0000000000000000000000000000000000000807')
  expect(contract).toMatchObject({ name: 'IBC', file_path: 'IBC.sol' })
  expect(contract.source_code).toContain('interface IBCI')
})

describe('clients of IBC', () => {
  it('have their state, their history and the numbers of their packets', async () => {
    const of = await everyState()
    const { chain, peer } = of
    const [newest, oldest] = await of.readAll('/native/clients', 1)
    expect(newest).toMatchObject({
      client_id: '07-tendermint-1',
      chain_id: 'other-1',
      counterparty_client_id: '07-tendermint-9',
    })
    expect(oldest).toEqual(await of.read('/native/clients/07-tendermint-0'))
    expect(oldest).toMatchObject({
      client_id: '07-tendermint-0',
      chain_id: 'peer-7',
      status: 'active',
      // Header 2 made it; two packets, two answers and a timeout took one each.
      latest_height: { revision: '7', height: '7' },
      creator: { hash: owner },
      counterparty_client_id: '07-tendermint-4',
      counterparty_prefix: [toHex('ibc'), '0x'],
      changes_count: 7,
      packets: {
        sent: { pending: 1, success: 1, error: 1, timeout: 1 },
        received: { success: 1, error: 1 },
      },
    })
    // 14 days after the header's time.
    expect(Date.parse(oldest.expires_at) - Date.parse(oldest.latest_time)).toBe(14 * 86_400_000)
    const history = await of.readAll('/native/clients/07-tendermint-0/history', 3)
    expect(history.map(({ type }: { type: string }) => type)).toEqual([
      ...Array.from({ length: 5 }, () => 'updated'),
      'registered',
      'created',
    ])
    expect(hashes(history).slice(-2)).toEqual([peer.registered.transactionHash, peer.created.transactionHash])
    // The escrow holds what has left and has neither come back nor arrived: one coin of the first, one of the fourth packet.
    expect(await chain.viem.getBalance({ address: oldest.escrow.hash })).toBe(2n * 10n ** 18n)
    await peer.fork()
    expect(await of.read('/native/clients/07-tendermint-0')).toMatchObject({ status: 'frozen' })
    expect((await of.readAll('/native/clients/07-tendermint-0/history'))[0]).toMatchObject({ type: 'frozen' })
    await chain.rpc('evm_increaseTime', toHex(15 * 86_400))
    await chain.mine()
    expect(await of.read('/native/clients/07-tendermint-1')).toMatchObject({ status: 'expired', seconds_left: 0 })
    await ibcPeer(chain, { chainId: 'a\u202eb\u200b-1' })
    expect(await of.read('/native/clients/07-tendermint-2')).toMatchObject({ chain_id: 'ab-1' })
    expect((await of.get('/native/clients/07-tendermint-3')).status).toBe(404)
    expect((await of.get('/native/clients/07-tendermint-3/history')).status).toBe(404)
  })

  it('and packets are restored by a rewind, and the same after reindexing', async () => {
    const { chain, peer, readAll, read } = await everyState()
    const all = async () => ({
      clients: await readAll('/native/clients'),
      history: await readAll('/native/clients/07-tendermint-0/history'),
      packets: await readAll('/native/packets'),
      pending: await readAll('/native/packets?status=pending'),
      transfers: await readAll(`/native/addresses/${owner}/transfers`),
    })
    const before = await all()
    const snapshot = await chain.rpc('evm_snapshot')
    const { packet } = await peer.transfer()
    await peer.acknowledge(packet)
    await peer.deliver()
    expect(await read('/native/clients/07-tendermint-0')).toMatchObject({
      packets: { sent: { success: 2 }, received: { success: 2 } },
    })
    await chain.rpc('evm_revert', snapshot)
    expect(await all()).toEqual(before)
    const { store, spec } = chain.node.chain
    const rows = async () => {
      const found: string[] = []
      for await (const [key, value] of store.scan(RANGE.index())) found.push(`${toHex(key)} ${toHex(value)}`)
      return found
    }
    const written = await rows()
    await reindex(store, new Runtime(spec), indexer, () => undefined)
    expect(await all()).toEqual(before)
    expect(await rows()).toEqual(written)
  })

  it('are not there on a chain without IBC', async () => {
    const { url } = await testChain()
    const { get } = api(url)
    for (const path of [
      '/clients',
      '/clients/07-tendermint-0',
      '/clients/07-tendermint-0/history',
      '/packets',
      '/packets/07-tendermint-0/sent/1',
    ])
      expect(await get(`/native${path}`)).toMatchObject({ status: 404, body: { message: 'This chain has no IBC' } })
  })

  it('are not read from logs of other code at the address of the contract', async () => {
    const { dev, walletOf, viem, url } = await testChain()
    // Logs the calldata after the first word, with that word as the topic.
    const copy = ['PUSH1 0x20', 'CALLDATASIZE', 'SUB', 'DUP1', 'PUSH1 0x20', 'PUSH0', 'CALLDATACOPY']
    await dev.setCode({ address: IBC, bytecode: asm('PUSH0', 'CALLDATALOAD', ...copy, 'PUSH0', 'LOG1', 'STOP') })
    const events = ibcAbi.filter((entry) => entry.type === 'event')
    const created = encodeAbiParameters([{ type: 'string' }, { type: 'string' }], ['another client', 'peer-1'])
    for (const event of events)
      for (const data of ['0x', '0xff', created] as const) {
        const hash = await walletOf(0).sendTransaction({
          to: IBC,
          data: concat([toEventSelector(event), data]),
          gas: 200_000n,
        })
        const { status, logs } = await viem.waitForTransactionReceipt({ hash })
        expect([status, logs.length]).toEqual(['success', 1])
        expect((await api(url).get(`/transactions/${hash}`)).status).toBe(200)
      }
  })
})
