// Actions of a connected wallet: one form is open at a time and shows the transaction that it sent.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { WalletBar } from '../contract/wallet-bar.tsx'
import { type Connection, useWallets } from '../contract/wallets.ts'
import { Sent } from '../contract/write-contract.tsx'
import { type NativeCall, sendNative } from './contracts.ts'
import '../pages/contract.css'

export type WalletAction = {
  readonly name: string
  /** `perform` sends the call and returns the content to show. */
  readonly form: (of: Performer) => ComponentChildren
}

export type Performer = {
  readonly connection: Connection
  readonly perform: (call: NativeCall) => Promise<ComponentChildren>
}

/** `above`: content for the connected account, shown above the actions. */
export function WalletActions({
  of,
  above,
}: {
  of: readonly WalletAction[]
  above?: (account: string) => ComponentChildren
}) {
  const { connection } = useWallets()
  const [chosen, setChosen] = useState(of[0]?.name)
  const action = of.find(({ name }) => name === chosen) ?? of[0]
  return (
    <div class="contract">
      <WalletBar />
      {connection !== undefined && (
        <>
          {above?.(connection.account)}
          <fieldset class="views" aria-label="What to do">
            {of.map(({ name }) => (
              <button
                type="button"
                key={name}
                aria-pressed={name === action?.name}
                aria-current={name === action?.name ? 'true' : undefined}
                onClick={() => setChosen(name)}
              >
                {name}
              </button>
            ))}
          </fieldset>
          <div key={action?.name}>
            {action?.form({
              connection,
              perform: async (call) => <Sent hash={await sendNative(connection, call)} />,
            })}
          </div>
        </>
      )}
    </div>
  )
}
