// Validators behind sentries, as `kestrel testnet --sentries` makes them: who is connected with whom, and whose id is told.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NO_ENGINE, TestNetwork } from './support.ts'

type Peer = { readonly node_info: { readonly id: string }; readonly is_outbound: boolean }

const idOf = async (network: TestNetwork, node: number): Promise<string> => {
  const { node_info: info } = (await network.engine(node, 'status')) as { node_info: { id: string } }
  return info.id
}

const peersOf = async (network: TestNetwork, node: number): Promise<readonly Peer[]> =>
  ((await network.engine(node, 'net_info')) as { peers: Peer[] }).peers

describe.skipIf(NO_ENGINE !== undefined)(`validators behind sentries ${NO_ENGINE ?? ''}`, () => {
  it('are known to their sentries only, and make blocks when one of these dies', async () => {
    // Validators 0 and 1, sentries 2 and 3 of 0, sentries 4 and 5 of 1, reader 6.
    const network = await TestNetwork.prepare({ validators: 2, readers: 1, flags: ['--sentries', '2'] })
    const nodes = [0, 1, 2, 3, 4, 5, 6]
    for (const node of nodes) network.start(node)
    await network.reach(3n, nodes)
    const ids = await Promise.all(nodes.map((node) => idOf(network, node)))
    const connected = async (node: number) =>
      (await peersOf(network, node)).map((peer) => ids.indexOf(peer.node_info.id)).toSorted()
    await network.eventually('all connections', async () => {
      const [reader, sentry, validator] = await Promise.all([connected(6), connected(2), connected(0)])
      return reader.length === 4 && sentry.length === 5 && validator.length === 2
    })
    expect(await connected(0)).toEqual([2, 3])
    expect(await connected(1)).toEqual([4, 5])
    for (const node of [2, 3]) expect(await connected(node)).not.toContain(1)
    expect(await connected(6)).toEqual([2, 3, 4, 5])

    const head = async () => network.head(6)
    await network.killApplication(2)
    await network.reach((await head()) + 3n, [0, 1, 3, 4, 5, 6])
    expect(await connected(0)).toEqual([3])
    // A validator whose sentries are all gone is alone: the chain needs both.
    await network.killApplication(3)
    await network.eventually('the end of the connections', async () => (await connected(0)).length === 0)
    const last = await head()
    network.start(2)
    await network.reach(last + 3n, [0, 1, 2, 4, 5, 6])

    // CometBFT writes its address book when it ends: those who exchange addresses know each other, and no validator.
    const book = async (node: number) =>
      readFile(join(network.home(node), 'engine/config/addrbook.json'), 'utf8').catch(() => '')
    await network.stopAll()
    const [validator = '', other = ''] = ids
    const reader = await book(6)
    for (const id of ids.slice(2, 6)) expect(reader).toContain(id)
    for (const node of [4, 5, 6]) expect(await book(node)).not.toContain(validator)
    for (const node of [2, 6]) expect(await book(node)).not.toContain(other)
  })
})
