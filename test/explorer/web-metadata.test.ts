// Metadata of items that are web documents, on a running node, with a local server instead of the internet.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { DocumentRequests } from '../../src/explorer/metadata/document-request.ts'
import type { NodeOptions } from '../../src/node.ts'
import { ALICE, tokenChain } from '../indexer/token-chain.ts'
import { api } from './support.ts'

const CID = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'

/** Documents by path, and how often each was requested. */
async function web() {
  const documents = new Map<string, string>()
  const requests = new Map<string, number>()
  const server = createServer(({ url = '' }, response) => {
    requests.set(url, (requests.get(url) ?? 0) + 1)
    const text = documents.get(url)
    if (text === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': text.startsWith('{') ? 'application/json' : 'image/png' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const documentRequests = new DocumentRequests('kestrel/test', undefined, undefined, {
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    isAllowed: () => true,
  })
  return { documents, requests, documentRequests, origin: `http://nft.test:${port}` }
}

async function chainOn(explorer: NodeOptions['explorer']) {
  const chain = await tokenChain(explorer === undefined ? {} : { explorer })
  return { ...chain, ...api(chain.url) }
}

it('metadata are fetched by http and from an IPFS gateway', async () => {
  const { documents, requests, documentRequests, origin } = await web()
  const { deploy, send, read } = await chainOn({ nftMetadata: 'fetch', ipfsGateway: origin, documentRequests })
  documents.set('/1.json', JSON.stringify({ name: 'One', image: `ipfs://${CID}/1.png`, external_url: origin }))
  documents.set(`/ipfs/${CID}/2`, JSON.stringify({ name: 'Two', animation_url: 'https://a.example/2.mp4' }))
  documents.set('/3', 'PNG')
  const art = await deploy('Drawings')
  await send(art, 'mint', [ALICE, 1n, `${origin}/1.json`])
  await send(art, 'mint', [ALICE, 2n, `ipfs://${CID}/2`])
  await send(art, 'mint', [ALICE, 3n, `${origin}/3`])
  await send(art, 'mint', [ALICE, 4n, `${origin}/missing`])
  const { items } = await read(`/tokens/${art.address}/instances`)
  expect(items.map(({ metadata }: { metadata: { name?: string } }) => metadata?.name ?? null)).toEqual([
    ...[null, null, 'Two', 'One'],
  ])
  const item = (id: number) => read(`/tokens/${art.address}/instances/${id}`)
  expect(await item(1)).toMatchObject({
    image_url: `${origin}/ipfs/${CID}/1.png`,
    media_type: 'image/png',
    media_path: null,
    external_app_url: origin,
  })
  expect(await item(2)).toMatchObject({ media_url: 'https://a.example/2.mp4', media_type: 'video/mp4' })
  expect(await item(3)).toMatchObject({ metadata: { image: `${origin}/3` }, image_url: `${origin}/3` })
  expect(await item(4)).toMatchObject({ metadata: null })
  // Each was requested once, also the missing one.
  expect(Object.fromEntries(requests)).toEqual({ '/1.json': 1, [`/ipfs/${CID}/2`]: 1, '/3': 1, '/missing': 1 })
})

it('metadata of an ERC-1155 are fetched by the id in 64 digits', async () => {
  const { documents, documentRequests, origin } = await web()
  const { deploy, send, read } = await chainOn({ nftMetadata: 'fetch', documentRequests })
  const digits = `${'0'.repeat(62)}ff`
  documents.set(`/${digits}.json`, `{"name":"Card","image":"${origin}/{id}.png"}`)
  const cards = await deploy('Cards', [`${origin}/{id}.json`])
  await send(cards, 'transfer', [`0x${'00'.repeat(20)}`, ALICE, 255n, 3n])
  expect(await read(`/tokens/${cards.address}/instances/255`)).toMatchObject({
    metadata: { name: 'Card' },
    image_url: `${origin}/${digits}.png`,
  })
})

it('metadata are not fetched unless the operator allows it', async () => {
  const { documents, requests, documentRequests, origin } = await web()
  const { deploy, send, read } = await chainOn({ documentRequests })
  documents.set('/1.json', '{"name":"One"}')
  const art = await deploy('Drawings')
  await send(art, 'mint', [ALICE, 1n, `${origin}/1.json`])
  expect((await read(`/tokens/${art.address}/instances/1`)).metadata).toBeNull()
  expect(requests.size).toBe(0)
})

it('metadata are never fetched from private addresses', async () => {
  const { requests, documents, origin } = await web()
  const { deploy, send, read } = await chainOn({ nftMetadata: 'fetch' })
  documents.set('/1.json', '{"name":"One"}')
  const art = await deploy('Drawings')
  await send(art, 'mint', [ALICE, 1n, origin.replace('nft.test', '127.0.0.1').concat('/1.json')])
  await send(art, 'mint', [ALICE, 2n, origin.replace('nft.test', 'localhost').concat('/1.json')])
  for (const id of [1, 2]) expect((await read(`/tokens/${art.address}/instances/${id}`)).metadata).toBeNull()
  expect(requests.size).toBe(0)
})
