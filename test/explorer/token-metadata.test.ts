import { expect, it } from 'vitest'
import { inlineMetadata, linkIn, mediaIn } from '../../src/explorer/token-metadata.ts'

it.each([
  ['https://example.org/a?b=c#d', true, true],
  ['HTTP://example.org', true, true],
  ['ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/1.png', false, true],
  ['ar://abc', false, true],
  ['data:image/svg+xml;base64,PHN2Zy8+', false, true],
  ['data:video/mp4;base64,AAAA', false, true],
  ['data:text/html,<script>alert(1)</script>', false, false],
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
  expect(mediaIn({ url }, 'url')).toBe(isMedia ? url : null)
})

it('token metadata takes the first field that fits', () => {
  const metadata = { image: 'javascript:1', image_url: 'ipfs://a', other: 'https://example.org' }
  expect(mediaIn(metadata, 'missing', 'image', 'image_url', 'other')).toBe('ipfs://a')
  expect(mediaIn(null, 'image')).toBeNull()
})

it('token metadata is read from a data URI', () => {
  const text = '{"external_url":"data:text/html,hello"}'
  const uri = `data:application/json;base64,${Buffer.from(text).toString('base64')}`
  expect(inlineMetadata(uri)).toEqual({ external_url: 'data:text/html,hello' })
  expect(linkIn(inlineMetadata(uri), 'external_url')).toBeNull()
  expect(inlineMetadata(`data:application/json,${encodeURIComponent(text)}`)).toEqual(JSON.parse(text))
  for (const none of ['https://example.org', 'data:application/json,[1]', 'data:application/json,{', ''])
    expect(inlineMetadata(none)).toBeNull()
})
