// Writes to a contract: a form for each function, simulated on the node before the wallet signs.
import type { AbiFunction } from 'abitype'
import { useEffect, useState } from 'preact/hooks'
import type { Abi } from 'viem'
import { api, type Transaction as TransactionRecord, useBlockVersion, useRead } from '../api.ts'
import { COIN, Status, TransactionLink } from '../parts.tsx'
import { quantity, rpc } from '../rpc.ts'
import { InputError, weiOfText } from './abi-text.ts'
import { ArgumentFields, LabelledField, useArguments } from './arguments.tsx'
import { DebugButton } from './debug-button.tsx'
import { DecodedCall } from './decoded-call.tsx'
import { describeError } from './errors.ts'
import { callData, FunctionList, outputsOf, writesIn } from './functions.tsx'
import { Enums, NO_ENUMS, useInterface } from './interfaces.ts'
import { Values } from './values.tsx'
import { WalletBar } from './wallet-bar.tsx'
import { send, type Transaction, useWallets } from './wallets.ts'

export function WriteContract({ to, abi }: { to: string; abi: Abi }) {
  const functions = writesIn(abi)
  const { enums = NO_ENUMS } = useInterface(to) ?? {}
  if (functions.length === 0) return <p class="note">It has no functions that write.</p>
  return (
    <Enums.Provider value={enums}>
      <WalletBar />
      <FunctionList of={functions}>{(one) => <WriteForm of={one} to={to} abi={abi} />}</FunctionList>
    </Enums.Provider>
  )
}

type WriteResult =
  | { readonly kind: 'fault'; readonly text: string }
  | { readonly kind: 'simulated'; readonly values: readonly unknown[] }
  | { readonly kind: 'sent'; readonly hash: string }

function WriteForm({ of, to, abi }: { of: AbiFunction; to: string; abi: Abi }) {
  const args = useArguments(of.inputs)
  const value = useAmount()
  const { connection } = useWallets()
  const [outcome, setOutcome] = useState<WriteResult>()
  const [isBusy, setBusy] = useState(false)

  const attempt = async (work: (transaction: Transaction) => Promise<WriteResult>) => {
    const values = args.read()
    const wei = value.read()
    if (values === undefined || wei === undefined) return
    setBusy(true)
    setOutcome(undefined)
    const data = callData(of, values)
    setOutcome(
      await work({ to, data, value: wei }).catch((error: unknown) => ({
        kind: 'fault' as const,
        text: describeError(error, abi),
      })),
    )
    setBusy(false)
  }
  const simulate = async ({ value: wei, ...transaction }: Transaction): Promise<WriteResult> => {
    const from = connection?.account
    const call = { ...transaction, value: quantity(wei), ...(from !== undefined && { from }) }
    return { kind: 'simulated', values: outputsOf(of, await rpc('eth_call', call, 'pending')) }
  }
  const write = async (transaction: Transaction): Promise<WriteResult> => {
    if (connection === undefined) return { kind: 'fault', text: 'Connect a wallet first.' }
    // Do not send a failing call to the wallet; the simulation has its revert reason.
    await simulate(transaction)
    return { kind: 'sent', hash: await send(connection, transaction) }
  }
  const submit = (event: Event) => {
    event.preventDefault()
    attempt(write)
  }
  return (
    <form onSubmit={submit}>
      <ArgumentFields of={args} parameters={of.inputs} />
      {of.stateMutability === 'payable' && <AmountField of={value} />}
      <button type="submit" class="action" disabled={isBusy || connection === undefined}>
        Write
      </button>
      <button type="button" class="action" disabled={isBusy} onClick={() => attempt(simulate)}>
        Simulate
      </button>
      <DebugButton
        callOf={() => {
          const values = args.read()
          const wei = value.read()
          if (values === undefined || wei === undefined) return undefined
          return { to, data: callData(of, values), from: connection?.account, value: quantity(wei) }
        }}
      />
      {connection === undefined && <span class="faint"> Connect a wallet to write.</span>}
      <div role="status">{outcome !== undefined && <Result of={outcome} called={of} />}</div>
    </form>
  )
}

type Amount = {
  readonly text: string
  readonly fault: string | undefined
  set(text: string): void
  read(): bigint | undefined
}

/** The coins sent with a call. */
function useAmount(): Amount {
  const [text, setText] = useState('')
  const [fault, setFault] = useState<string>()
  return {
    text,
    fault,
    set(changed) {
      setText(changed)
      setFault(undefined)
    },
    read() {
      try {
        return weiOfText(text)
      } catch (error) {
        if (!(error instanceof InputError)) throw error
        setFault(error.message)
        return undefined
      }
    },
  }
}

const AmountField = ({ of }: { of: Amount }) => (
  <LabelledField label={`Value in ${COIN}`} fault={of.fault}>
    {(attributes) => (
      <input
        {...attributes}
        class="short"
        inputMode="decimal"
        placeholder="0"
        value={of.text}
        onInput={({ currentTarget }) => of.set(currentTarget.value)}
      />
    )}
  </LabelledField>
)

function Result({ of, called }: { of: WriteResult; called: AbiFunction }) {
  if (of.kind === 'fault') return <p class="bad">{of.text}</p>
  if (of.kind === 'sent') return <Sent hash={of.hash} />
  return (
    <>
      <p class="ok">It would succeed{called.outputs.length > 0 ? ', and answer:' : '.'}</p>
      {called.outputs.length > 0 && <Values of={of.values} parameters={called.outputs} />}
    </>
  )
}

/** A sent transaction and its status, read again with each block until it is mined. */
export function Sent({ hash }: { hash: string }) {
  const version = useBlockVersion()
  const [settled, setSettled] = useState<TransactionRecord>()
  const { data } = useRead(
    settled === undefined ? api('/transactions/{transaction_hash_param}', { transaction_hash_param: hash }) : undefined,
    version,
  )
  useEffect(() => {
    if (data !== undefined && data.status !== null) setSettled(data)
  }, [data])
  const { status = null, revert_reason: reason = null } = settled ?? {}
  return (
    <p>
      Transaction <TransactionLink hash={hash} /> <Status of={status} />
      {reason !== null && ('raw' in reason ? <code class="raw">{reason.raw}</code> : <DecodedCall of={reason} />)}
    </p>
  )
}
