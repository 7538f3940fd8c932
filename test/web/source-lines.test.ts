// Sources of the debugger, highlighted in chunks.
import { expect, test } from 'vitest'
import { SourceLines } from '../../web/debugger/source-lines.ts'

type Shown = string | { readonly props: { readonly class: string; readonly children: Shown | readonly Shown[] } }

const list = (of: unknown): readonly Shown[] => (Array.isArray(of) ? of : [of])
const textOf = (of: unknown): string =>
  list(of)
    .map((part) => (typeof part === 'string' ? part : textOf(part.props.children)))
    .join('')

test('each line has its text, in files of many chunks, with tabs as four spaces', () => {
  const lines = Array.from({ length: 5_000 }, (_, i) =>
    i % 7 === 0 ? '' : `\tuint256 constant c${i} = "${i}"; // ${i}`,
  )
  const source = new SourceLines({ path: 'a.sol', text: lines.join('\n') })
  expect(lines.map((_, i) => textOf(source.shown(i)))).toEqual(lines.map((line) => line.replace('\t', '    ')))
})

test('a comment is one over empty lines, in whatever chunk it is', () => {
  const before = Array.from({ length: 199 }, () => '')
  const source = new SourceLines({
    path: 'a.sol',
    text: [...before, '/* contract', '', '', 'contract', '*/'].join('\n'),
  })
  expect(list(source.shown(202))).toEqual([
    expect.objectContaining({ props: { class: 'token comment', children: 'contract' } }),
  ])
})
