// A difference that was kept as a file must run as it did when it was found.
import { expect, test } from 'vitest'
import { makeProposalWorld, makeWorld, observe } from './differential.ts'
import { fileOf, worldOfFile } from './world-file.ts'

test.each([
  ['interpreter', makeWorld, 3],
  ['interpreter', makeWorld, 17],
  ['proposals', makeProposalWorld, 5],
] as const)('a world of %s runs from its file as from its seed', async (pairing, make, seed) => {
  const world = await make(seed)
  const { fork, messages } = world
  const difference = {
    seed,
    fork,
    reference: 'library',
    expected: '',
    found: '',
    world,
    messages,
    traced: true,
  } as const
  const file = JSON.parse(JSON.stringify(fileOf(pairing, difference)))
  const { world: again } = await worldOfFile(file)
  expect(await observe(again, 'wasm', again.messages, true)).toEqual(await observe(world, 'wasm', messages, true))
})
