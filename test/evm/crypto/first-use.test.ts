// The first question for a curve waits until it is loaded; later ones do not.
import type { ExecResult, PrecompileFunc } from '@ethereumjs/evm'
import { expect, it } from 'vitest'
import { awaitCurves } from '../../../src/evm/crypto/first-use.ts'
import { mclOf } from '../../../src/lib/mcl.ts'

it.each([
  ['bn254', '8'],
  ['bls12381', 'c'],
] as const)('%s', async (curve, number) => {
  const address = number.padStart(40, '0')
  const wasThere: boolean[] = []
  const work = (): ExecResult => {
    wasThere.push(mclOf(curve) !== undefined)
    return { executionGasUsed: 1n, returnValue: new Uint8Array(0) }
  }
  const precompiles = new Map<string, PrecompileFunc>([[address, work]])
  awaitCurves(precompiles)
  // The work looks at nothing that it is given.
  const input = {} as Parameters<PrecompileFunc>[0]
  const first = precompiles.get(address)?.(input)
  expect(first).toBeInstanceOf(Promise)
  expect(wasThere).toEqual([])
  expect(await first).toMatchObject({ executionGasUsed: 1n })
  expect(precompiles.get(address)?.(input)).not.toBeInstanceOf(Promise)
  expect(wasThere).toEqual([true, true])
})
