// The parameters of a decoded call or event with what the contract's interface and sources say of them: structs by their fields,
// enums by their members, of native contracts amounts in coins and validators by their names.
import type { Abi, AbiParameter } from 'abitype'
import type { ComponentChildren } from 'preact'
import type { EnumNames } from '../../src/contracts/enum-members.ts'
import { api, type Decoded, type EmbeddedAddress, useRead } from '../api.ts'
import { DenomAmount, useBaseDenomination } from '../native/amounts.tsx'
import { ValidatorLink } from '../native/parts.tsx'
import { Coins, NATIVE, Parameters, plainValue } from '../parts.tsx'
import { componentsOf, elementOf, namedType } from './abi-text.ts'
import { useInterface } from './interfaces.ts'
import { memberShown, type ShowSpecial, Special, Value } from './values.tsx'

/** `plain`: what is shown while nothing more is known. */
export default function NamedParameters({
  of,
  by,
  plain,
}: {
  of: Decoded
  by: EmbeddedAddress
  plain: ComponentChildren
}) {
  const known = useInterface(by.hash)
  const inputs = known && inputsOf(known.abi, of)
  if (known === undefined || inputs === undefined) return <>{plain}</>
  if (NATIVE.test(by.hash)) return <NativeParameters of={of} inputs={inputs} enums={known.enums} />
  return <Shown of={of} inputs={inputs} special={(value, parameter) => memberShown(known.enums, value, parameter)} />
}

type ShownProps = { of: Decoded; inputs: readonly AbiParameter[]; special: ShowSpecial }

const Shown = ({ of, inputs, special }: ShownProps) => (
  <Special.Provider value={special}>
    <Parameters
      of={{ ...of, parameters: of.parameters.map((each, i) => ({ ...each, type: namedType(inputs[i]) ?? each.type })) }}
      shown={of.parameters.map(({ value }, i) => {
        const input = inputs[i]
        if (input === undefined) return plainValue(value)
        const isNested = elementOf(input) !== undefined || input.type === 'tuple'
        if (isNested)
          return (
            <div class="contract">
              <Value of={value} parameter={input} />
            </div>
          )
        return special(value, input) ?? plainValue(value)
      })}
    />
  </Special.Provider>
)

// --- native contracts

/** Names of amounts of the base coin. */
const AMOUNT = /^(amount|value|tokens|balance|initialBalance|minSelfDelegation|commission)$/
const VALIDATOR = /^validator(Src|Dst)?Address$/
/** An indexed text of an event. */
const HASH = /^0x[0-9a-f]{64}$/
/** Names beside an amount of something else. */
const OF_OTHERS = /^(denom|contractAddress|erc20Address)$/

function NativeParameters({ of, inputs, enums }: Omit<ShownProps, 'special'> & { enums: EnumNames }) {
  const base = useBaseDenomination()
  const isOfBase = !inputs.some(({ name = '' }) => OF_OTHERS.test(name))
  const special: ShowSpecial = (value, parameter) => {
    const { type, name = '' } = parameter
    if (type === 'tuple') return coin(value, parameter, base)
    if (typeof value !== 'string') return undefined
    if (isOfBase && type === 'uint256' && AMOUNT.test(name)) return <Coins value={value} digits={18} />
    if (VALIDATOR.test(name) && !HASH.test(value)) return <Validator address={value} />
    return memberShown(enums, value, parameter)
  }
  return <Shown of={of} inputs={inputs} special={special} />
}

/** A struct of a denomination and an amount. */
function coin(value: unknown, parameter: AbiParameter, base: string | undefined): ComponentChildren | undefined {
  const [first, second, ...others] = componentsOf(parameter)
  const [denom, amount]: unknown[] = Array.isArray(value) ? value : []
  if (first?.name !== 'denom' || second?.name !== 'amount' || others.length > 0) return undefined
  if (typeof denom !== 'string' || typeof amount !== 'string') return undefined
  return <DenomAmount of={{ denom, amount }} base={base} />
}

/** A validator by its name, if there is one. */
function Validator({ address }: { address: string }) {
  const { data } = useRead(api('/native/validators/{address}', { address }))
  return data === undefined ? <code>{address}</code> : <ValidatorLink of={data} />
}

// --- interfaces

const typeOf = (parameter: AbiParameter): string =>
  parameter.type.startsWith('tuple')
    ? `(${componentsOf(parameter).map(typeOf).join(',')})${parameter.type.slice('tuple'.length)}`
    : parameter.type

/** The parameters of the function, event or error that was decoded. */
function inputsOf(abi: Abi, { method_call, parameters }: Decoded): readonly AbiParameter[] | undefined {
  const signature = `${method_call.slice(0, method_call.indexOf('('))}(${parameters.map(({ type }) => type).join(',')})`
  for (const item of abi) {
    if (item.type !== 'function' && item.type !== 'event' && item.type !== 'error') continue
    if (`${item.name}(${item.inputs.map(typeOf).join(',')})` === signature) return item.inputs
  }
  return undefined
}
