// What each transaction of the scenario has done, in a sentence.
import { expect, it } from 'vitest'
import type { Given } from './records.ts'

type Variable = { readonly type: string; readonly value: unknown }
type Summary = {
  readonly summary_template: string
  readonly summary_template_variables: Readonly<Record<string, Variable>>
}

/** A summary as a person reads it: names, or else addresses; KEST is the scenario's coin. */
function sentence({ summary_template: template, summary_template_variables: variables }: Summary): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'native') return 'KEST'
    const { type, value } = variables[name] ?? { type: 'string', value: '?' }
    if (type === 'address') {
      const { name: known, hash } = value as { name: string | null; hash: string }
      return known ?? `${hash.slice(0, 6)}…${hash.slice(-4)}`
    }
    if (type === 'token') return (value as { symbol: string | null }).symbol ?? 'tokens'
    return String(value)
  })
}

/** By the script: what is known of the contracts is their tokens' names. */
const SAID = [
  '0xf39F…2266 sent 1.5 KEST to 0x7099…79C8',
  '0xf39F…2266 sent 12 wei to 0x0000…0094',
  '0xf39F…2266 sent 0 KEST to 0x0000…0088',
  '0xf39F…2266 created the contract Silver Coin',
  '0xf39F…2266 created the contract 0xa852…338f with 3 KEST',
  '0xf39F…2266 sent 0.001234 SLV to 0x7099…79C8',
  '0x3C44…93BC minted 0.000099 SLV',
  '0x7099…79C8 burnt 0.000034 SLV',
  '0x7099…79C8 swapped 2 KEST for 2 WCOIN at Wrapped Coin',
  '0x7099…79C8 swapped 0.5 WCOIN for 0.5 KEST at Wrapped Coin',
  '0xf39F…2266 sent ART #2 to 0x3C44…93BC',
  '0xf39F…2266 minted ART #250 for 0x7099…79C8',
  '0xf39F…2266 called 0x32a93da6(…) of Silver Coin, which moved 0.00016 SLV',
  '0xf39F…2266 delegated 5 KEST to kestrel-0',
  '0xf39F…2266 allowed 0xa852…338f MsgDelegate of up to 100 wei',
  '0xf39F…2266 sent 1000 wei to 0x7099…79C8 over channel-2',
  '0xf39F…2266 submitted proposal 1 with a deposit of 10000000 wei',
  'kestrel-0 voted yes on proposal 1',
  '0xa97b0c88(…) of 0xa852…338f failed: in vain',
  'The creation of a contract by 0xf39F…2266 failed without a reason',
  '0xfb878360() of 0x9E54…3042 ran out of gas, with a limit of 90,000',
]

type Frame = { readonly error?: string; readonly reason?: string; readonly calls?: readonly Frame[] }

export function describeSummaries(given: () => Given): void {
  it('says what every transaction has done', async () => {
    const { book, visit } = given()
    const said: string[] = []
    for (const { hash } of book.transactions) {
      const { data } = await visit.read(`/transactions/${hash}/summary`)
      expect(data.summaries).toHaveLength(1)
      said.push(sentence(data.summaries[0]))
    }
    for (const expected of SAID) expect(said).toContain(expected)
    expect(said.length).toBeGreaterThanOrEqual(120)
    expect(said.filter((text) => text.endsWith('did nothing'))).toEqual([])
  }, 120_000)

  it('of every failed message solidityTracer says why it failed', async () => {
    const { on, book } = given()
    const reasons: string[] = []
    const walk = ({ error, reason = '', calls = [] }: Frame): void => {
      if (error !== undefined) reasons.push(reason)
      calls.forEach(walk)
    }
    for (const { hash } of book.transactions)
      walk((await on.rpc('debug_traceTransaction', hash, { tracer: 'solidityTracer' })) as Frame)
    for (const expected of ['in vain', 'not on this stage', 'contract address collision', 'out of gas'])
      expect(reasons).toContain(expected)
    expect(reasons.filter((reason) => reason === '' || reason === 'execution reverted')).toEqual([])
  }, 120_000)
}
