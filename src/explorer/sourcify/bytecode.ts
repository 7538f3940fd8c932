// Compiled code and on-chain code in Sourcify's form: "transformations" list what deployment filled in (docs.sourcify.dev,
// "Bytecode transformations"). Applied to the compiled code they give the on-chain code.

import { metadataSpans } from '../../contracts/bytecode-match.ts'
import type { CompiledCode, SourceSpan } from '../../contracts/compiler-output.ts'
import type { VerifiedSources } from '../../contracts/verified-contracts.ts'
import { type Address, fromHex, rangeToHex, toHex } from '../../lib/hex.ts'

type Reason = 'cborAuxdata' | 'library' | 'immutable' | 'callProtection' | 'constructorArguments'
type Transformation = {
  readonly id?: string
  readonly type: 'replace' | 'insert'
  readonly offset: number
  readonly reason: Reason
}
type Values = {
  libraries?: Record<string, string>
  immutables?: Record<string, string>
  cborAuxdata?: Record<string, string>
  callProtection?: string
  constructorArguments?: string
}

/** Solidity's metadata of a contract, as text and parsed; undefined for other languages. */
export function metadataOf({ output }: VerifiedSources): { readonly text: string; readonly json: unknown } | undefined {
  const text = output?.metadata
  return typeof text === 'string' && text !== '' ? { text, json: JSON.parse(text) } : undefined
}

/** The creation code; `onchain` is the message's input, with the constructor's arguments. */
export function creationBytecode({ output, creationSize }: VerifiedSources, onchain: Uint8Array | undefined) {
  if (output === undefined) return null
  const { bytecode } = output.evm
  const isMatch = onchain !== undefined && creationSize !== undefined
  const found = isMatch ? transformationsOf(bytecode, onchain) : NONE
  const args = isMatch ? onchain.subarray(creationSize) : new Uint8Array(0)
  const hasArguments = isMatch && args.length > 0
  return {
    onchainBytecode: onchain === undefined ? null : toHex(onchain),
    ...recompiled(bytecode),
    transformations: [
      ...found.list,
      ...(hasArguments ? [{ type: 'insert', offset: creationSize, reason: 'constructorArguments' }] : []),
    ],
    transformationValues: { ...found.values, ...(hasArguments && { constructorArguments: toHex(args) }) },
  }
}

/** The runtime code; `onchain` is the account's. */
export function runtimeBytecode({ output, variable = [] }: VerifiedSources, onchain: Uint8Array, address: Address) {
  if (output === undefined) return null
  const { deployedBytecode: compiled } = output.evm
  const { list, values } = transformationsOf(compiled, onchain)
  const immutables: Record<string, string> = {}
  const filled: Transformation[] = Object.entries(compiled.immutableReferences).flatMap(([id, spans]) =>
    spans.map(({ start, length }) => {
      immutables[id] = rangeToHex(onchain, start, start + length)
      return { id, type: 'replace', offset: start, reason: 'immutable' }
    }),
  )
  const isProtected = variable.some(({ start, length }) => start === 1 && length === 20)
  return {
    onchainBytecode: toHex(onchain),
    ...recompiled(compiled),
    immutableReferences: compiled.immutableReferences,
    transformations: [
      ...[...list, ...filled],
      ...(isProtected ? [{ type: 'replace', offset: 1, reason: 'callProtection' }] : []),
    ],
    transformationValues: {
      ...values,
      ...(filled.length > 0 && { immutables }),
      ...(isProtected && { callProtection: address }),
    },
  }
}

const NONE = { list: [], values: {} }

/** The digits of compiled code, with zeros instead of libraries. */
function digitsOf({ object, linkReferences }: CompiledCode): string {
  let digits = object.replace(/^0x/, '')
  for (const { start, length } of linksOf(linkReferences)) {
    digits = digits.slice(0, 2 * start) + '00'.repeat(length) + digits.slice(2 * (start + length))
  }
  return digits
}

type Link = SourceSpan & { readonly library: string }

const linksOf = (references: CompiledCode['linkReferences']): Link[] =>
  Object.entries(references).flatMap(([path, inFile]) =>
    Object.entries(inFile).flatMap(([name, spans]) => spans.map((span) => ({ ...span, library: `${path}:${name}` }))),
  )

function recompiled(code: CompiledCode) {
  const digits = digitsOf(code)
  return {
    recompiledBytecode: `0x${digits}`,
    sourceMap: code.sourceMap ?? null,
    linkReferences: code.linkReferences,
    cborAuxdata: Object.fromEntries(
      metadataSpans(digits).map(({ start, length }, i) => [
        (i + 1).toString(),
        { value: `0x${digits.slice(2 * start, 2 * (start + length))}`, offset: start },
      ]),
    ),
  }
}

/** Transformations for libraries, and for metadata that differ. */
function transformationsOf(code: CompiledCode, onchain: Uint8Array): { list: Transformation[]; values: Values } {
  const digits = digitsOf(code)
  const compiled = fromHex(`0x${digits}`)
  const [list, values]: [Transformation[], Values] = [[], {}]
  for (const { library, start, length } of linksOf(code.linkReferences)) {
    values.libraries = { ...values.libraries, [library]: rangeToHex(onchain, start, start + length) }
    list.push({ id: library, type: 'replace', offset: start, reason: 'library' })
  }
  for (const [i, { start, length }] of metadataSpans(digits).entries()) {
    const there = rangeToHex(onchain, start, start + length)
    if (there === rangeToHex(compiled, start, start + length)) continue
    const id = (i + 1).toString()
    values.cborAuxdata = { ...values.cborAuxdata, [id]: there }
    list.push({ id, type: 'replace', offset: start, reason: 'cborAuxdata' })
  }
  return { list, values }
}
