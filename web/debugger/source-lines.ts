// A source line by line. Lines are highlighted in chunks, when one of a chunk is first shown: a file of 10,000 lines at once would
// block the page for most of a second.
import type { ComponentChildren } from 'preact'
import { highlightedLines, type Language } from '../contract/highlight.ts'

/** Lines of a chunk, at least; highlighting them takes some 10 ms. */
const CHUNK = 200
const TAB = '    '

const languageOf = (path: string): Language => (/\.vyi?$/.test(path) ? 'vyper' : 'solidity')

/** Where a character is shown: tabs are as wide as `TAB`. */
export const columnOf = (line: string, at: number): number => line.slice(0, at).replaceAll('\t', TAB).length

export class SourceLines {
  readonly texts: readonly string[]
  /** Characters of the longest line. */
  readonly width: number
  readonly #language: Language
  /** First lines of the chunks, and the one behind the last. */
  readonly #starts: readonly number[]
  readonly #chunks = new Map<number, readonly ComponentChildren[]>()

  constructor({ path, text }: { readonly path: string; readonly text: string }) {
    this.texts = text.split('\n')
    this.width = this.texts.reduce((most, line) => Math.max(most, columnOf(line, line.length)), 0)
    this.#language = languageOf(path)
    this.#starts = startsOf(this.texts)
  }

  /** A line with its tokens. */
  shown(line: number): ComponentChildren {
    const chunk = this.#starts.findLastIndex((start) => start <= line)
    const start = this.#starts[chunk] ?? 0
    const known = this.#chunks.get(chunk) ?? this.#highlight(start, this.#starts[chunk + 1])
    this.#chunks.set(chunk, known)
    return known[line - start]
  }

  #highlight(start: number, end: number | undefined): readonly ComponentChildren[] {
    const text = this.texts.slice(start, end).join('\n').replaceAll('\t', TAB)
    return highlightedLines(text, this.#language)
  }
}

/** Chunks end at empty lines that are not within a comment. */
function startsOf(lines: readonly string[]): readonly number[] {
  const starts = [0]
  let isComment = false
  for (const [i, line] of lines.entries()) {
    if (!isComment && line.trim() === '' && i - (starts.at(-1) ?? 0) >= CHUNK) starts.push(i)
    const [opens, closes] = [line.lastIndexOf('/*'), line.lastIndexOf('*/')]
    if (opens !== closes) isComment = opens > closes
  }
  return starts
}
