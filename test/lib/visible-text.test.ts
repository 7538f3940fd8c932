// Names made safe to read: invisible characters by their Unicode properties, mixed scripts by UTS #39.
import { describe, expect, it } from 'vitest'
import { textWarning, visibleText } from '../../src/lib/visible-text.ts'

describe('text without invisible characters', () => {
  it.each([
    ['Kest\u200b\u200brel Dollar', 'Kestrel Dollar'],
    ['K\u2060U\ufeffS\u00adD\u034f', 'KUSD'],
    ['USD\u202eCDS\u2066\u200f', 'USDCDS'],
    ['A\u0000B\u0007C\nD\u2028E', 'ABC D E'],
    ['\u3164\u115f\u2800Coin\ufe0f\u{e0041}', 'Coin'],
    ['  A\u00a0\u2003B\u3000 ', 'A B'],
    ['Z\u0301\u0302\u0303\u0304\u0305\u0306\u0307o', 'Z\u0301\u0302\u0303\u0304o'],
    ['Ünïcødé 🍣 代币', 'Ünïcødé 🍣 代币'],
    // A family, a heart, a dark thumb: meaningful sequences with invisible characters.
    ['👨\u200d👩\u200d👧 ❤\ufe0f 👍🏿', '👨\u200d👩\u200d👧 ❤\ufe0f 👍🏿'],
    ['A\u200dB 👨\u200d', 'AB 👨'],
    // Persian and Hindi spelling uses joiners.
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['क्\u200dष', 'क्\u200dष'],
  ])('turns %j into %j', (text, shown) => {
    expect(visibleText(text)).toBe(shown)
  })

  it.each(['', ' ', '\u200b', '\u3164\u2800', '\u0000\u0301'])('removes all of %j', (text) => {
    expect(visibleText(text)).toBeUndefined()
  })
})

describe('the warning about a text', () => {
  it.each([
    ['Kestrel Dollar', undefined],
    ['USD Coin (PoS) v2.0', undefined],
    ['Café Ærø', undefined],
    ['Δ Finance', undefined],
    ['日本円 JPYコイン', undefined],
    ['원KRW', undefined],
    ['Привет Coin', undefined],
    ['👨\u200d👩\u200d👧 Family', undefined],
    ['می\u200cخواهم', undefined],
    ['K\u200bUSD', 'invisible_characters'],
    ['US\u202eD', 'invisible_characters'],
    ['USDС', 'mixed_scripts'],
    ['Ξther', 'mixed_scripts'],
    ['Tоken', 'mixed_scripts'],
    ['ЕТН', 'lookalike_letters'],
    ['ΒΝΒ', 'lookalike_letters'],
    ['𝐔𝐒𝐃𝐂', 'lookalike_letters'],
    ['ＵＳＤ', 'lookalike_letters'],
  ])('for %j is %s', (text, warning) => {
    expect(textWarning(text)).toBe(warning)
  })
})
