// Panels of the development page: a faucet, balances, and impersonated accounts.
import { useState } from 'preact/hooks'
import { units, withCommas } from '../format.ts'
import { ActionForm, addressField, coinsField } from '../forms/action-form.tsx'
import { AddressLink, COIN, TransactionLink } from '../parts.tsx'
import { quantity, rpc } from '../rpc.ts'
import type { PanelProps } from './node-state.ts'

/** Sends coins of the node's first account. */
export function Faucet({ state: { accounts } }: Pick<PanelProps, 'state'>) {
  const [from] = accounts
  if (from === undefined) return <p class="note">This node has no account with coins to send.</p>
  return (
    <>
      <p class="note">
        From the node’s first account{' '}
        <span class="address">
          <AddressLink hash={from} />
        </span>
      </p>
      <ActionForm
        fields={{ to: addressField('Address'), amount: coinsField(`Amount in ${COIN}`, '100') }}
        button="Send coins"
        run={async ({ to, amount }) => {
          const hash = await rpc('eth_sendTransaction', { from, to, value: quantity(amount) })
          return (
            <>
              {units(amount.toString(), 18)} {COIN} sent: <TransactionLink hash={hash} />
            </>
          )
        }}
      />
    </>
  )
}

export function Accounts({ state: { accounts }, reread }: PanelProps) {
  const [impersonated, setImpersonated] = useState<readonly string[]>([])
  return (
    <>
      <ActionForm
        fields={{ account: addressField('Account'), balance: coinsField(`New balance in ${COIN}`, '1000') }}
        button="Set the balance"
        run={async ({ account, balance }) => {
          await rpc('anvil_setBalance', account, quantity(balance))
          return `It has ${units(balance.toString(), 18)} ${COIN} now.`
        }}
      />
      <ActionForm
        fields={{ account: addressField('Account to impersonate') }}
        button="Impersonate"
        run={async ({ account }) => {
          await rpc('anvil_impersonateAccount', account)
          setImpersonated([...new Set([...impersonated, account])])
          return 'It is one of this node’s accounts now: contracts can be written to from it.'
        }}
        onDone={reread}
      />
      {impersonated.map((account) => (
        <ActionForm
          key={account}
          fields={{}}
          button={`Stop impersonating ${account.slice(0, 8)}…`}
          run={async () => {
            await rpc('anvil_stopImpersonatingAccount', account)
            setImpersonated(impersonated.filter((other) => other !== account))
            return null
          }}
          onDone={reread}
        />
      ))}
      <details class="more">
        <summary>{withCommas(accounts.length)} accounts that this node sends for</summary>
        <ul class="rows">
          {accounts.map((account) => (
            <li key={account}>
              <span class="address">
                <AddressLink hash={account} />
              </span>
            </li>
          ))}
        </ul>
      </details>
    </>
  )
}
