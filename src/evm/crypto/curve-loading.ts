// Loads the mcl library for a curve at its first use (about 50 ms). Expensive precompiles wait for it, because the slower
// fallback can block the event loop for seconds. The library and the set of loaded curves are per process: they hold no state
// of a chain, and there are two curves.
import type { Address } from '../../lib/hex.ts'
import { type CurveName, loadMcl, mclOf } from '../../primitives/mcl.ts'
import { type Precompile, precompileAddress } from '../precompile.ts'

/** Pairing of EIP-197; point evaluation of EIP-4844 and all of EIP-2537, by the last digits of their addresses. */
const LONG_WORK: Readonly<Record<CurveName, readonly string[]>> = {
  bn254: ['8'],
  bls12381: ['a', 'b', 'c', 'd', 'e', 'f', '10', '11'],
}

/** Makes precompiles wait until their curve is loaded; if it cannot be loaded, they use the fallback. */
export function awaitCurves(precompiles: Map<Address, Precompile>): void {
  for (const curve of ['bn254', 'bls12381'] as const) {
    for (const number of LONG_WORK[curve]) {
      const address = precompileAddress(number)
      const work = precompiles.get(address)
      if (work !== undefined) precompiles.set(address, (input, gas) => waitOnce(curve, () => work(input, gas)))
    }
  }
}

const settled = new Set<CurveName>()

function waitOnce<T>(curve: CurveName, work: () => T | Promise<T>): T | Promise<T> {
  if (settled.has(curve) || mclOf(curve) !== undefined) return work()
  return loadMcl(curve).then(() => {
    settled.add(curve)
    return work()
  })
}
