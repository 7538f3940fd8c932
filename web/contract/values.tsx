// Values returned by a contract, by name and type: addresses are links, structs and lists are nested.
import type { AbiParameter } from 'abitype'
import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { type EnumNames, memberOf } from '../../src/contracts/enum-members.ts'
import { componentsOf, elementOf, namedType, typeText } from './abi-text.ts'
import { plainText } from './errors.ts'
import { Enums } from './interfaces.ts'

/** Maximum shown elements of a list; only the number of further ones is shown. */
const MOST_ELEMENTS = 200

export const Values = ({ of, parameters }: { of: readonly unknown[]; parameters: readonly AbiParameter[] }) => (
  <dl class="values">
    {parameters.map((parameter, i) => (
      // Outputs are ordered and may have no name.
      <div key={i}>
        <dt>
          {parameter.name} <code class="faint">{namedType(parameter) ?? typeText(parameter)}</code>
        </dt>
        <dd>
          <Value of={of[i]} parameter={parameter} />
        </dd>
      </div>
    ))}
  </dl>
)

/** Shows values for which their type says too little; undefined: as their type says. */
export type ShowSpecial = (of: unknown, parameter: AbiParameter) => ComponentChildren | undefined
export const Special = createContext<ShowSpecial>(() => undefined)

/** The member of an enum, with its number; undefined: a value of no enum that is known. */
export function memberShown(enums: EnumNames, value: unknown, parameter: AbiParameter): ComponentChildren | undefined {
  const name = memberOf(enums, parameter, value)
  if (name === undefined) return undefined
  return (
    <>
      <code>{name}</code> <span class="faint">{String(value)}</span>
    </>
  )
}

export function Value({ of, parameter }: { of: unknown; parameter: AbiParameter }): ComponentChildren {
  const enums = useContext(Enums)
  const special = useContext(Special)(of, parameter) ?? memberShown(enums, of, parameter)
  if (special !== undefined) return special
  const array = elementOf(parameter)
  if (array !== undefined && Array.isArray(of)) return <Elements of={of} element={array.element} />
  if (parameter.type === 'tuple') {
    const components = componentsOf(parameter)
    return <Values of={fieldsOf(of, components)} parameters={components} />
  }
  if (parameter.type === 'address') {
    const address = String(of)
    return (
      <Link class="mono" href={`/address/${address}`}>
        {address}
      </Link>
    )
  }
  if (parameter.type === 'string') return of === '' ? <span class="faint">empty</span> : <span>{String(of)}</span>
  return <code>{plainText(of)}</code>
}

function Elements({ of, element }: { of: readonly unknown[]; element: AbiParameter }) {
  if (of.length === 0) return <span class="faint">none</span>
  return (
    <ol class="elements" start={0}>
      {of.slice(0, MOST_ELEMENTS).map((value, i) => (
        // List elements have only an index.
        <li key={i}>
          <Value of={value} parameter={element} />
        </li>
      ))}
      {of.length > MOST_ELEMENTS && <li class="faint">and {of.length - MOST_ELEMENTS} more</li>}
    </ol>
  )
}

/** The decoder returns structs as objects, or as lists if a field has no name. */
function fieldsOf(of: unknown, components: readonly AbiParameter[]): readonly unknown[] {
  if (Array.isArray(of)) return of
  if (typeof of !== 'object' || of === null) return []
  return components.map(({ name }) => Reflect.get(of, name ?? ''))
}
