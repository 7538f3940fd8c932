// A decoded call, event or error. Names that its contract's interface has are loaded when it may have some.
import { lazy, Suspense } from 'preact/compat'
import type { Decoded, EmbeddedAddress } from '../api.ts'
import { NATIVE, Parameters, plainValue } from '../parts.tsx'

const Named = lazy(() => import('./named-parameters.tsx'))

/** Whether an interface has more to say: of a native contract, of structs, and of what may be an enum. */
const mayHaveNames = ({ parameters }: Decoded, by: EmbeddedAddress): boolean =>
  (by.is_verified === true || by.name !== null || by.implementations.length > 0) &&
  parameters.some(({ type }) => NATIVE.test(by.hash) || /\(|uint8\b/.test(type))
/** `by`: the contract whose interface has names for structs, enums and amounts. */
export function DecodedCall({ of, by = null }: { of: Decoded; by?: EmbeddedAddress | null }) {
  const plain = <Parameters of={of} shown={of.parameters.map(({ value }) => plainValue(value))} />
  return (
    <div class="call">
      <code>{of.method_call}</code>
      {by === null || !mayHaveNames(of, by) ? (
        plain
      ) : (
        <Suspense fallback={plain}>
          <Named of={of} by={by} plain={plain} />
        </Suspense>
      )}
    </div>
  )
}
