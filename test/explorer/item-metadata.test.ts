// Metadata of token items on a running chain: drawings of any size and gas cost, changes, burnt items, and the API.
import { setTimeout as wait } from 'node:timers/promises'
import { Socket } from 'phoenix'
import { describe, expect, it, onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { ALICE, tokenChain } from '../indexer/token-chain.ts'
import { api } from './support.ts'

const json = (value: object): string =>
  `data:application/json;base64,${Buffer.from(JSON.stringify(value)).toString('base64')}`

/** A chain with drawings, and a reader of their records. */
async function drawings() {
  const chain = await tokenChain()
  const art = await chain.deploy('Drawings')
  const client = api(chain.url)
  const path = (id: bigint | string, rest = '') => `/tokens/${art.address}/instances/${id}${rest}`
  const item = (id: bigint) => client.read(path(id))
  return { ...chain, ...client, art, path, item }
}

describe('metadata of items on the chain', () => {
  it('are read at a cost of 30 million gas and a size of 100 KB', async () => {
    const { send, art, item, read, url, path } = await drawings()
    await send(art, 'mintMany', [ALICE, 1n, 1n, 100_000n, 30_000_000n])
    const { metadata, image_url, media_url, media_type, media_path } = await item(1n)
    expect(metadata.name).toBe('Drawing')
    const drawing = `<svg><!--${'a'.repeat(100_000)}--></svg>`
    expect(image_url).toBe(`data:image/svg+xml;utf8,${drawing}`)
    expect([media_url, media_type]).toEqual([image_url, 'image/svg+xml'])
    // A list has the URL of the file that this node serves.
    const [listed] = (await read(path('').replace(/\/$/, ''))).items
    expect(listed).toMatchObject({ media_path, metadata: { name: 'Drawing', image: listed.image_url } })
    expect(listed.image_url).toBe(`${url}${media_path}?field=image`)
    const file = await fetch(listed.image_url)
    expect(await file.text()).toBe(drawing)
    expect(file.headers.get('content-type')).toBe('image/svg+xml')
    expect(file.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/)
    expect(file.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('do not delay blocks, and lists of them are answered in time', async () => {
    const { send, art, read, path } = await drawings()
    let startedAt = performance.now()
    await send(art, 'mintMany', [ALICE, 1n, 50n, 1_000n, 20_000_000n])
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    const list = path('').replace(/\/$/, '')
    startedAt = performance.now()
    expect((await read(list)).items).toHaveLength(50)
    expect(performance.now() - startedAt).toBeLessThan(4_000)
    // All of them are read eventually.
    await expect
      .poll(async () => (await read(list)).items.filter(({ metadata }: { metadata: unknown }) => metadata === null), {
        timeout: 60_000,
        interval: 500,
      })
      .toEqual([])
    startedAt = performance.now()
    await read(list)
    expect(performance.now() - startedAt).toBeLessThan(1_000)
  }, 90_000)

  it('are the contract’s present answer if it is cheap', async () => {
    const { send, art, item } = await drawings()
    await send(art, 'mint', [ALICE, 5n, json({ name: 'first' })])
    expect((await item(5n)).metadata).toEqual({ name: 'first' })
    await send(art, 'set', [5n, json({ name: 'second' })])
    expect((await item(5n)).metadata).toEqual({ name: 'second' })
  })

  it('follow change events if reading is expensive', async () => {
    const { send, art, item, rpc, request, path } = await drawings()
    // A request waits for a moment only; on a busy machine the contract is read after it, and must be before it changes.
    const isRead = (name: string) => expect.poll(async () => (await item(1n)).metadata).toEqual({ name })
    await send(art, 'set', [1n, json({ name: 'first' })])
    await send(art, 'mintMany', [ALICE, 1n, 1n, 0n, 2_000_000n])
    await isRead('first')
    await send(art, 'set', [1n, json({ name: 'updated' })])
    expect((await item(1n)).metadata).toEqual({ name: 'first' })
    const snapshot = await rpc('evm_snapshot')
    await send(art, 'emitUpdate', [1n])
    await isRead('updated')
    await send(art, 'set', [1n, json({ name: 'asked for' })])
    // Changed items are read ahead 200 ms after the block, but not those that a request has read.
    await wait(500)
    expect((await item(1n)).metadata).toEqual({ name: 'updated' })
    expect(await request(path(1n, '/refetch-metadata'), { method: 'PATCH' })).toMatchObject({
      status: 200,
      body: { message: 'OK' },
    })
    await isRead('asked for')
    // Metadata read on rolled-back blocks are dropped.
    await rpc('evm_revert', snapshot)
    expect((await item(1n)).metadata).not.toEqual({ name: 'asked for' })
  })

  it('of a burnt item are its last ones', async () => {
    const { send, art, item } = await drawings()
    await send(art, 'mint', [ALICE, 5n, json({ name: 'mortal' })])
    await send(art, 'burn', [5n])
    expect(await item(5n)).toMatchObject({ owner: null, metadata: { name: 'mortal' } })
  })

  it('are null if the contract fails or burns all gas', async () => {
    const { send, art, item, request, path } = await drawings()
    await send(art, 'mintMany', [ALICE, 1n, 1n, 0n, 10n ** 12n])
    await send(art, 'mint', [ALICE, 2n, 'data:text/html,<script>alert(1)</script>'])
    const html = {
      image: 'data:text/html,<b>',
      animation_url: 'data:text/html;base64,PGI+',
      external_url: 'javascript:1',
    }
    await send(art, 'mint', [ALICE, 3n, json(html)])
    for (const id of [1n, 2n])
      expect(await item(id)).toMatchObject({ metadata: null, image_url: null, media_path: null })
    expect(await item(3n)).toMatchObject({
      metadata: html,
      image_url: null,
      animation_url: null,
      media_url: null,
      external_app_url: null,
    })
    for (const id of [1n, 2n, 3n]) expect((await request(path(id, '/media'))).status).toBe(404)
    expect((await request(path(99n, '/refetch-metadata'), { method: 'PATCH' })).status).toBe(404)
    expect((await request(path('x', '/refetch-metadata'), { method: 'PATCH' })).status).toBe(422)
  })

  it('are pushed to subscribers of a token’s items', async () => {
    const { send, art, url, request, path } = await drawings()
    await send(art, 'mint', [ALICE, 5n, json({ name: 'first' })])
    await wait(500)
    const socket = new Socket(`${url.replace('http', 'ws')}/socket/v2`, { transport: WebSocket })
    socket.connect()
    onTestFinished(() => socket.disconnect())
    const channel = socket.channel(`token_instances:${art.address}`, {})
    await new Promise((resolve) => channel.join().receive('ok', resolve))
    const pushed = new Promise((resolve) => channel.on('fetched_token_instance_metadata', resolve))
    const headers = { 'content-type': 'application/json' }
    expect((await request(path(5n, '/refetch-metadata'), { method: 'PATCH', headers })).status).toBe(200)
    expect(await pushed).toEqual({ token_id: 5, fetched_metadata: { name: 'first' } })
  })
})
