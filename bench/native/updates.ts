// Updates of IBC's clients, whose work grows with the other chain's validators: of the next header, of a later one, and a misbehaviour.
import { encodeFunctionData, hexToBytes, toHex } from 'viem'
import { ibc } from '../../src/precompiles/ibc.ts'
import type { GrownCall } from '../../test/precompiles/grown-calls.ts'
import { addressOf, type Grown, modulesOn, START } from '../../test/precompiles/grown-state.ts'
import { SignedHeaders } from '../../test/support/ibc-peer.ts'

const SETS = [4, 100, 300]
const LATER = 50

/** Makes a client for each set on the state, and the calls that update it. */
export function updateCalls(grown: Grown): readonly GrownCall[] {
  const { clients } = modulesOn(grown).ibc ?? missing()
  return SETS.flatMap((size) => {
    const chain = new SignedHeaders('peer-1', size)
    for (const height of [1, 2, LATER]) chain.add(height, (Number(START) + height) * 1_000, new Uint8Array(32))
    const id = clients.create(addressOf(0), chain.clientState(1), chain.consensusState(1))
    const call = (name: string, message: Uint8Array): GrownCall => ({
      name: `ibc.updateClient ${name} of ${size} validators`,
      isView: false,
      input: hexToBytes(encodeFunctionData({ abi: ibc.abi, functionName: 'updateClient', args: [id, toHex(message)] })),
      from: addressOf(0),
      contract: ({ spec }, report) => ibc.on(spec, report),
    })
    return [
      call('next header', chain.update(2, 1)),
      call('later header', chain.update(LATER, 1)),
      call('misbehaviour', chain.misbehaviour(LATER, 1)),
    ]
  })
}

const missing = (): never => {
  throw new Error('the state has no IBC')
}
