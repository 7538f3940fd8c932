// Actions of a delegator on its own address page, signed by a wallet: claim the rewards of all validators, cancel an unbonding.
import { api, type NativeAccount, type Unbonding, useRead } from '../api.ts'
import { units } from '../format.ts'
import { ActionForm, choiceField } from '../forms/action-form.tsx'
import { COIN } from '../parts.tsx'
import { DISTRIBUTION, STAKING } from './contracts.ts'
import { type Performer, WalletActions } from './wallet-actions.tsx'

/** Maximum validators of a `claimRewards` call. */
const MOST_CLAIMED = 100

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** Shown on every address page, because its owner is known only once a wallet is connected: the form compares the accounts. */
export const WithdrawAll = ({ of: { address } }: { of: NativeAccount }) => (
  <details class="more">
    <summary>Claim all rewards of this address</summary>
    <WalletActions of={[{ name: 'Claim rewards', form: (performer) => <Claim of={address.hash} by={performer} /> }]} />
  </details>
)

const NOT_CONNECTED = <p class="note">Select this account in your wallet.</p>

const Claim = ({ of, by: { connection, perform } }: { of: string; by: Performer }) =>
  isSame(of, connection.account) ? (
    <ActionForm
      fields={{}}
      button="Claim all rewards"
      run={() => perform({ contract: DISTRIBUTION, functionName: 'claimRewards', args: [of, MOST_CLAIMED] })}
    />
  ) : (
    NOT_CONNECTED
  )

/** Cancels an unbonding delegation (`cancelUnbondingDelegation`): its tokens are delegated to the validator again. */
export function CancelUnbonding({ of, version }: { of: string; version: number }) {
  const { data } = useRead(api('/native/addresses/{address}/unbondings', { address: of, items_count: 100 }), version)
  return (
    <details class="more">
      <summary>Cancel an unbonding</summary>
      <WalletActions
        of={[
          {
            name: 'Cancel',
            form: ({ connection, perform }) =>
              isSame(of, connection.account) ? <CancelForm of={data?.items ?? []} perform={perform} /> : NOT_CONNECTED,
          },
        ]}
      />
    </details>
  )
}

const CancelForm = ({ of, perform }: { of: readonly Unbonding[]; perform: Performer['perform'] }) => {
  const options = of.map(({ balance, validator, creation_height }, i) => {
    const name = validator.moniker || validator.operator_address
    return [String(i), `${units(balance, 18)} ${COIN} of ${name}, since block ${creation_height}`] as const
  })
  return (
    <ActionForm
      fields={{ entry: choiceField('Unbonding', options) }}
      button="Bond these tokens again"
      run={async ({ entry }) => {
        const chosen = of[Number(entry)]
        if (chosen === undefined) throw new Error('This unbonding no longer exists.')
        const { delegator, validator, balance, creation_height } = chosen
        const args = [delegator.hash, validator.operator_address, BigInt(balance), BigInt(creation_height)]
        return perform({ contract: STAKING, functionName: 'cancelUnbondingDelegation', args })
      }}
    />
  )
}
