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

export function highlighted(text: string, language: Language): ComponentChildren {
  if (text.length > MOST_HIGHLIGHTED) return text
  return refractor.highlight(text, language === 'vyper' ? 'python' : language).children.map(shown)
}

function shown(node: Node): ComponentChildren {
  if (node.type === 'text') return node.value
  if (node.type !== 'element') return null
  const { className } = node.properties
  return h('span', { class: Array.isArray(className) ? className.join(' ') : '' }, node.children.map(shown))
}
