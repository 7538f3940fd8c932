// The first call of a curve's precompile waits until the curve is loaded; later calls do not.
import { expect, it } from 'vitest'
import { awaitCurves } from '../../../src/evm/crypto/curve-loading.ts'
import { type Precompile, precompileAddress, succeeded } from '../../../src/evm/precompile.ts'
import { mclOf } from '../../../src/primitives/mcl.ts'

it.each([
  ['bn254', '8'],
  ['bls12381', 'c'],
] as const)('%s', async (curve, number) => {
  const address = precompileAddress(number)
  const wasThere: boolean[] = []
  const work: Precompile = () => {
    wasThere.push(mclOf(curve) !== undefined)
    return succeeded(1n, new Uint8Array(0))
  }
  const precompiles = new Map([[address, work]])
  awaitCurves(precompiles)
  const input = new Uint8Array(0)
  const first = precompiles.get(address)?.(input, 1n)
  expect(first).toBeInstanceOf(Promise)
  expect(wasThere).toEqual([])
  expect(await first).toMatchObject({ gasUsed: 1n })
  expect(precompiles.get(address)?.(input, 1n)).not.toBeInstanceOf(Promise)
  expect(wasThere).toEqual([true, true])
})
