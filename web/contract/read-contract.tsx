// Reads a contract: getters without arguments at once, other functions by forms. All use eth_call on this node.
import type { AbiFunction } from 'abitype'
import { useEffect, useState } from 'preact/hooks'
import type { Abi } from 'viem'
import { call, quantity, RpcError, rpcBatch } from '../rpc.ts'
import { InputError, namedType, typeText, valueOfText } from './abi-text.ts'
import { ArgumentFields, LabelledField, useArguments } from './arguments.tsx'
import { DebugButton } from './debug-button.tsx'
import { describeError } from './errors.ts'
import { callData, FunctionList, functionsIn, outputsOf } from './functions.tsx'
import { Enums, NO_ENUMS, useInterface } from './interfaces.ts'
import { Value, Values } from './values.tsx'
import { useWallets } from './wallets.ts'

/** The common parameters of all reads of the page. */
type Reads = { readonly to: string; readonly abi: Abi; readonly block: string; readonly from: string | undefined }

export function ReadContract({ to, abi }: { to: string; abi: Abi }) {
  const functions = functionsIn(abi, 'read')
  const values = functions.filter(({ inputs }) => inputs.length === 0)
  const others = functions.filter(({ inputs }) => inputs.length > 0)
  const [text, setText] = useState('')
  const [block, fault] = blockOf(text)
  const from = useWallets().connection?.account
  const { enums = NO_ENUMS } = useInterface(to) ?? {}
  if (functions.length === 0) return <p class="note">It has no functions that only read.</p>
  const reads: Reads = { to, abi, block, from }
  return (
    <Enums.Provider value={enums}>
      <LabelledField label="Block" fault={fault} hint="The state of this block is read; empty: the newest.">
        {(attributes) => (
          <input
            {...attributes}
            class="short"
            inputMode="numeric"
            placeholder="latest"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        )}
      </LabelledField>
      {values.length > 0 && <Getters of={values} reads={reads} />}
      {others.length > 0 && <h2>Functions</h2>}
      <FunctionList of={others}>{(one) => <ReadForm of={one} reads={reads} />}</FunctionList>
    </Enums.Provider>
  )
}

/** The block parameter for JSON-RPC, and the error if the text is not a block number. */
function blockOf(text: string): [block: string, fault: string | undefined] {
  if (text.trim() === '') return ['latest', undefined]
  try {
    return [quantity(BigInt(String(valueOfText({ type: 'uint64' }, text)))), undefined]
  } catch (error) {
    return ['latest', error instanceof InputError ? error.message : String(error)]
  }
}

const callOf = (of: AbiFunction, args: readonly unknown[], { to, block, from }: Reads) =>
  call('eth_call', { to, data: callData(of, args), from }, block)

type ReadResult = { readonly values: readonly unknown[] } | { readonly fault: string }

function outcomeOf(of: AbiFunction, answer: unknown, abi: Abi): ReadResult {
  try {
    if (answer instanceof RpcError) throw answer
    return { values: outputsOf(of, answer) }
  } catch (error) {
    return { fault: describeError(error, abi) }
  }
}

/** Getters without arguments, read together. */
function Getters({ of, reads }: { of: readonly AbiFunction[]; reads: Reads }) {
  const [outcomes, setOutcomes] = useState<readonly ReadResult[]>([])
  const [version, setVersion] = useState(0)
  const { to, abi, block, from } = reads
  useEffect(() => {
    let isCurrent = true
    rpcBatch(of.map((one) => callOf(one, [], reads))).then(
      (answers) => isCurrent && setOutcomes(of.map((one, i) => outcomeOf(one, answers[i], abi))),
      (error) => isCurrent && setOutcomes(of.map(() => ({ fault: describeError(error) }))),
    )
    return () => {
      isCurrent = false
    }
  }, [to, abi, block, from, version])
  return (
    <section>
      <h2>
        Values{' '}
        <button type="button" class="action" onClick={() => setVersion(version + 1)}>
          Read again
        </button>
      </h2>
      <dl class="values">
        {of.map((one, i) => (
          <div key={one.name}>
            <dt>
              {one.name}{' '}
              <code class="faint">{one.outputs.map((output) => namedType(output) ?? typeText(output)).join(', ')}</code>
            </dt>
            <dd>
              <Answer of={one} outcome={outcomes[i]} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function Answer({ of: { outputs }, outcome }: { of: AbiFunction; outcome: ReadResult | undefined }) {
  if (outcome === undefined) return <span class="faint">…</span>
  if ('fault' in outcome) return <span class="bad">{outcome.fault}</span>
  const [only] = outputs
  if (outputs.length === 1 && only !== undefined) return <Value of={outcome.values[0]} parameter={only} />
  return <Values of={outcome.values} parameters={outputs} />
}

function ReadForm({ of, reads }: { of: AbiFunction; reads: Reads }) {
  const args = useArguments(of.inputs)
  const [outcome, setOutcome] = useState<ReadResult>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    const values = args.read()
    if (values === undefined) return
    setBusy(true)
    const answer = await callOf(of, values, reads)
      .load()
      .catch((error: unknown) => asRpcError(error))
    setOutcome(outcomeOf(of, answer, reads.abi))
    setBusy(false)
  }
  return (
    <form onSubmit={submit}>
      <ArgumentFields of={args} parameters={of.inputs} />
      <button type="submit" class="action" disabled={isBusy}>
        Read
      </button>
      <DebugButton
        callOf={() => {
          const values = args.read()
          return values && { to: reads.to, data: callData(of, values), from: reads.from }
        }}
        block={reads.block}
      />
      <div role="status">
        {outcome !== undefined &&
          ('fault' in outcome ? (
            <p class="bad">{outcome.fault}</p>
          ) : (
            <Values of={outcome.values} parameters={of.outputs} />
          ))}
      </div>
    </form>
  )
}

const asRpcError = (error: unknown): RpcError =>
  error instanceof RpcError ? error : new RpcError({ code: 0, message: describeError(error) })
