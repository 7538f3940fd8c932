// A few hundred mutations of messages and proofs of IBC; `npm run test:ibc -- light` makes as many as one likes.
import { describe, expect, it } from 'vitest'
import { runMutations } from './mutations/run.ts'

describe('mutated headers, misbehaviours and proofs', () => {
  it('get the verdict of the rules, and are refused with a reason', async () => {
    const { answers, differences, originals } = await runMutations(400, 20_261_127)
    expect(differences).toEqual([])
    expect(originals).toBeGreaterThan(90)
    expect([...answers.keys()].filter((answer) => answer.startsWith('threw'))).toEqual([])
    // Mutations that no rule reads are accepted: otherwise the run would prove only that everything is refused.
    for (const answer of ['update', 'misbehaviour', 'proven']) expect(answers.get(answer)).toBeGreaterThan(10)
    expect(answers.size).toBeGreaterThan(30)
  })
})
