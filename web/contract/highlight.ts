// Highlights sources as a tree of spans; a contract's text never becomes markup.
import { type ComponentChildren, h } from 'preact'
import { refractor } from 'refractor/core'
import json from 'refractor/json'
import python from 'refractor/python'
import solidity from 'refractor/solidity'
import './source.css'

for (const grammar of [solidity, python, json]) refractor.register(grammar)

/** Vyper is highlighted as Python, whose syntax it uses; Yul as Solidity, which contains it. */
export type Language = 'solidity' | 'vyper' | 'json'

/** Maximum characters of a highlighted text; the tokenizer would block the page for longer ones. */
const MOST_HIGHLIGHTED = 400_000

type Node = ReturnType<typeof refractor.highlight>['children'][number]

const nodesOf = (text: string, language: Language): readonly Node[] =>
  text.length > MOST_HIGHLIGHTED
    ? [{ type: 'text', value: text }]
    : refractor.highlight(text, language === 'vyper' ? 'python' : language).children

export const highlighted = (text: string, language: Language): ComponentChildren => nodesOf(text, language).map(shown)

function shown(node: Node): ComponentChildren {
  if (node.type === 'text') return node.value
  if (node.type !== 'element') return null
  return h('span', { class: classOf(node) }, node.children.map(shown))
}

const classOf = ({ properties: { className } }: Extract<Node, { type: 'element' }>): string =>
  Array.isArray(className) ? className.join(' ') : ''

/** As `highlighted`, line by line: a token of several lines, as a comment, is a span in each of them. */
export function highlightedLines(text: string, language: Language): readonly ComponentChildren[] {
  const lines: ComponentChildren[][] = [[]]
  const add = (node: Node, style: string): void => {
    if (node.type === 'element') for (const child of node.children) add(child, `${style} ${classOf(node)}`.trim())
    if (node.type !== 'text') return
    for (const [i, part] of node.value.split('\n').entries()) {
      if (i > 0) lines.push([])
      if (part !== '') lines.at(-1)?.push(style === '' ? part : h('span', { class: style }, part))
    }
  }
  for (const node of nodesOf(text, language)) add(node, '')
  return lines
}
