// URLs in the metadata of token items, and the resolution of their URIs, with expected values by hand.
import { describe, expect, it } from 'vitest'
import { linkIn, mediaContent, mediaIn, mediaOf } from '../../src/explorer/metadata/media.ts'
import { jsonObject, readUri, webUrl, withId } from '../../src/explorer/metadata/metadata-uri.ts'

const GATEWAY = 'https://gateway.example'
const CID = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'
const OLD_CID = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG'

describe('URLs in metadata', () => {
  it.each([
    ['https://example.org/a?b=c#d', true, true],
    ['HTTP://example.org', true, true],
    ['data:image/svg+xml;base64,PHN2Zy8+', false, true],
    ['data:image/svg+xml,<svg/>', false, true],
    ['data:image/png;base64,AAAA', false, true],
    ['data:image/jpg;base64,AAAA', false, true],
    ['data:video/mp4;base64,AAAA', false, true],
    ['data:audio/mpeg;base64,AAAA', false, true],
    ['data:image/x-icon;base64,AAAA', false, false],
    ['data:text/html,<script>alert(1)</script>', false, false],
    ['DATA:TEXT/HTML;base64,AAAA', false, false],
    ['data:image/svg+xml\n,<svg/>', false, false],
    ['data:application/pdf;base64,AAAA', false, false],
    ['data:,', false, false],
    ['javascript:alert(1)//https://example.org', false, false],
    [' https://example.org', false, false],
    ['https://example.org/\u0000', false, false],
    ['https://example.org/ onclick=alert(1)', false, false],
    ['file:///etc/passwd', false, false],
    ['blob:https://example.org/1', false, false],
    ['//example.org', false, false],
    ['https:', false, false],
    [7, false, false],
  ])('%j: a link %s, media %s', (url, isLink, isMedia) => {
    expect(linkIn({ url }, 'url')).toBe(isLink ? url : null)
    expect(mediaIn({ url }, ['url'], GATEWAY)).toBe(isMedia ? url : null)
  })

  it('of IPFS and Arweave are mapped to gateways', () => {
    const at = (image: string, gateway: string | undefined = GATEWAY) => mediaIn({ image }, ['image'], gateway)
    expect(at(`ipfs://${CID}/1.png`)).toBe(`${GATEWAY}/ipfs/${CID}/1.png`)
    expect(at(`ipfs://ipfs/${OLD_CID}`)).toBe(`${GATEWAY}/ipfs/${OLD_CID}`)
    expect(at(`${OLD_CID}/1.png`)).toBe(`${GATEWAY}/ipfs/${OLD_CID}/1.png`)
    expect(at(`ipfs://${CID}`, 'http://127.0.0.1:8080/ipfs/')).toBe(`http://127.0.0.1:8080/ipfs/${CID}`)
    expect(mediaIn({ image: `ipfs://${CID}` }, ['image'], undefined)).toBe(`ipfs://${CID}`)
    expect(at('ar://abc')).toBe('https://arweave.net/abc')
    // A path that leaves the folder of a gateway's files.
    for (const away of ['../api/v0/shutdown', `${CID}/../../api`, '%2e%2e/api', '..\\api']) {
      expect(webUrl(`ipfs://${away}`, GATEWAY)).toBeUndefined()
    }
  })

  it('are those of the first field with a safe URL', () => {
    const metadata = { image: 'javascript:1', image_url: 'https://a.example', other: 'https://example.org' }
    expect(mediaIn(metadata, ['missing', 'image', 'image_url', 'other'], GATEWAY)).toBe('https://a.example')
    expect(mediaIn(null, ['image'], GATEWAY)).toBeNull()
  })
})

describe('the media of an item', () => {
  it('have the type of their URL', () => {
    const typeOf = (image: string) => mediaOf({ image }, GATEWAY).type
    expect(typeOf('data:image/svg+xml;utf8,<svg/>')).toBe('image/svg+xml')
    expect(typeOf('data:image/jpg;base64,AAAA')).toBe('image/jpeg')
    expect(typeOf('https://example.org/a.PNG?x=1.gif')).toBe('image/png')
    expect(typeOf(`ipfs://${CID}/7.webp`)).toBe('image/webp')
    expect(typeOf('https://example.org/a')).toBeNull()
    expect(mediaOf({ image: 'https://a.example/a.png', animation_url: 'https://a.example/a.mp4' }, GATEWAY)).toEqual({
      image: 'https://a.example/a.png',
      animation: 'https://a.example/a.mp4',
      type: 'video/mp4',
    })
    expect(mediaOf({ animation_url: 'data:text/html,<script>1</script>' }, GATEWAY)).toEqual({
      image: null,
      animation: null,
      type: null,
    })
  })

  it('can be an image in the metadata', () => {
    const { image } = mediaOf({ image_data: '<svg xmlns="http://www.w3.org/2000/svg"/>' }, GATEWAY)
    expect(image).toMatch(/^data:image\/svg\+xml;base64,/)
    expect(Buffer.from(mediaContent(image ?? '')?.bytes ?? []).toString()).toContain('<svg xmlns')
    expect(mediaOf({ image_data: '<script>alert(1)</script>' }, GATEWAY).image).toBeNull()
  })

  it('are served unchanged from the data URI', () => {
    const text = (url: string) => Buffer.from(mediaContent(url)?.bytes ?? []).toString()
    expect(text('data:image/svg+xml;base64,PHN2Zy8+')).toBe('<svg/>')
    expect(text('data:image/svg+xml;utf8,%3Csvg%2F%3E')).toBe('<svg/>')
    expect(text('data:image/svg+xml,<svg width="100%"/>')).toBe('<svg width="100%"/>')
    expect(mediaContent('data:text/html,<b>')).toBeUndefined()
    expect(mediaContent('https://example.org/a.png')).toBeUndefined()
  })
})

describe('the URI of an item', () => {
  const contentOf = (uri: string) => readUri(uri, GATEWAY)
  const metadataOf = (uri: string) => {
    const content = contentOf(uri)
    return content?.kind === 'metadata' ? content.metadata : undefined
  }
  const text = '{"external_url":"data:text/html,hello"}'

  it('can contain the metadata', () => {
    const metadata = metadataOf(`data:application/json;base64,${Buffer.from(text).toString('base64')}`)
    expect(metadata).toEqual({ external_url: 'data:text/html,hello' })
    expect(linkIn(metadata ?? null, 'external_url')).toBeNull()
    expect(metadataOf(`data:application/json,${encodeURIComponent(text)}`)).toEqual(JSON.parse(text))
    expect(metadataOf('data:application/json;utf8,{"name":"100% pure"}')).toEqual({ name: '100% pure' })
    expect(metadataOf('{"name":"plain"}')).toEqual({ name: 'plain' })
    expect(metadataOf('data:image/png;base64,AAAA')).toEqual({ image: 'data:image/png;base64,AAAA' })
    for (const none of ['data:application/json,[1]', 'data:application/json,{', '']) {
      expect(contentOf(none)).toBeUndefined()
    }
  })

  it('can be that of a document', () => {
    expect(contentOf('https://example.org/1')).toEqual({ kind: 'document', url: 'https://example.org/1' })
    expect(contentOf(`ipfs://${CID}/1`)).toEqual({ kind: 'document', url: `${GATEWAY}/ipfs/${CID}/1` })
    expect(readUri(`ipfs://${CID}/1`, undefined)).toBeUndefined()
    for (const none of ['file:///etc/passwd', 'ftp://example.org', 'javascript:1', 'a word']) {
      expect(contentOf(none)).toBeUndefined()
    }
  })

  it('has the id in 64 hexadecimal digits (ERC-1155)', () => {
    // The standard's example.
    expect(withId('https://token-cdn-domain/{id}.json', 314_592n)).toBe(
      'https://token-cdn-domain/000000000000000000000000000000000000000000000000000000000004cce0.json',
    )
  })
})

it('metadata must be a JSON object', () => {
  expect(jsonObject('{"a":1}')).toEqual({ a: 1 })
  for (const other of ['[1]', 'null', '1', '"a"', '<html>', '']) expect(jsonObject(other)).toBeUndefined()
})
