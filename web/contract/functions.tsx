// The functions of a contract as an expandable list with a filter by name, and calls of them.
import type { AbiFunction } from 'abitype'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type Abi, decodeAbiParameters, encodeFunctionData, type Hex, toFunctionSelector } from 'viem'
import { isHex, RpcError } from '../rpc.ts'
import { declarationOf } from './abi-text.ts'
import { LabelledField } from './arguments.tsx'

/** Number of functions from which on there is a filter. */
const FILTERED_FROM = 8

const isView = ({ stateMutability }: AbiFunction): boolean => stateMutability === 'view' || stateMutability === 'pure'

/** The functions that read, or those that write. */
export const functionsIn = (abi: Abi, kind: 'read' | 'write'): readonly AbiFunction[] =>
  abi.filter((item): item is AbiFunction => item.type === 'function' && isView(item) === (kind === 'read'))

/**
 * A transfer of coins without a call, for contracts with `receive` or a payable `fallback`. Solidity has no function of this
 * name.
 */
const PLAIN_TRANSFER: AbiFunction = {
  type: 'function',
  name: 'send coins',
  inputs: [],
  outputs: [],
  stateMutability: 'payable',
}

/** Functions that write, and the plain transfer if the contract accepts coins. */
export function writesIn(abi: Abi): readonly AbiFunction[] {
  const takesCoins = abi.some(
    (item) => item.type === 'receive' || (item.type === 'fallback' && item.stateMutability === 'payable'),
  )
  return [...functionsIn(abi, 'write'), ...(takesCoins ? [PLAIN_TRANSFER] : [])]
}

export const callData = (of: AbiFunction, args: readonly unknown[]): Hex =>
  of === PLAIN_TRANSFER ? '0x' : encodeFunctionData({ abi: [of], functionName: of.name, args })

/** Decoded outputs of a call. Throws RpcError for data that does not match the outputs. */
export function outputsOf({ outputs }: AbiFunction, answer: unknown): readonly unknown[] {
  if (!isHex(answer) || (answer === '0x' && outputs.length > 0)) {
    throw new RpcError({ code: 0, message: 'The contract answered nothing: its code has no such function.' })
  }
  try {
    return decodeAbiParameters(outputs, answer)
  } catch {
    throw new RpcError({ code: 0, message: `The answer does not fit the ABI: ${answer.slice(0, 200)}` })
  }
}

export function FunctionList({
  of,
  children,
}: {
  of: readonly AbiFunction[]
  children: (one: AbiFunction) => ComponentChildren
}) {
  const [filter, setFilter] = useState('')
  const wanted = filter.trim().toLowerCase()
  return (
    <>
      {of.length >= FILTERED_FROM && (
        <LabelledField label="Filter functions">
          {(attributes) => (
            <input
              {...attributes}
              type="search"
              value={filter}
              onInput={({ currentTarget }) => setFilter(currentTarget.value)}
            />
          )}
        </LabelledField>
      )}
      {of.map((one) => {
        const declaration = declarationOf(one)
        const selector = one === PLAIN_TRANSFER ? '' : toFunctionSelector(one)
        const isShown = declaration.toLowerCase().includes(wanted) || selector.includes(wanted)
        return (
          <details class="function" key={declaration} hidden={!isShown}>
            <summary>
              <b>{one.name}</b> <code class="faint">{declaration.slice(one.name.length)}</code>{' '}
              {one.stateMutability === 'payable' && <span class="method">payable</span>}
              <code class="faint selector">{selector}</code>
            </summary>
            {children(one)}
          </details>
        )
      })}
    </>
  )
}
