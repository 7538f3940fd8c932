// Delegates to a validator from a wallet, through the Staking and Distribution contracts.
import { api, useBlockVersion, useRead, type Validator } from '../api.ts'
import { InputError } from '../contract/abi-text.ts'
import { ActionForm, choiceField, coinsField, type Field } from '../forms/action-form.tsx'
import { COIN, Coins } from '../parts.tsx'
import { DISTRIBUTION, SLASHING, STAKING } from './contracts.ts'
import { DecCoins } from './parts.tsx'
import { type Performer, type WalletAction, WalletActions } from './wallet-actions.tsx'

/** An amount above zero. */
const stakeField: Field<bigint> = {
  ...coinsField(`Amount in ${COIN}`, ''),
  read(text) {
    const amount = coinsField('', '').read(text)
    if (amount === 0n) throw new InputError('An amount is expected, such as 1.5.')
    return amount
  },
}

export function StakingActions({ of }: { of: Validator }) {
  const isOperatorOf = (account: string) => account.toLowerCase() === of.address.hash.toLowerCase()
  const actions: WalletAction[] = [
    { name: 'Delegate', form: (performer) => <Amount of={of} performer={performer} functionName="delegate" /> },
    { name: 'Undelegate', form: (performer) => <Amount of={of} performer={performer} functionName="undelegate" /> },
    { name: 'Redelegate', form: (performer) => <Redelegate of={of} performer={performer} /> },
    { name: 'Withdraw rewards', form: (performer) => <Withdraw of={of} performer={performer} /> },
    {
      name: 'As the operator',
      form: (performer) =>
        isOperatorOf(performer.connection.account) ? (
          <OperatorActions of={of} performer={performer} />
        ) : (
          <p class="note">The connected account is not the operator of this validator.</p>
        ),
    },
  ]
  return <WalletActions of={actions} above={(account) => <OwnStake account={account} of={of} />} />
}

/** The delegation and rewards of an account at the validator. */
function OwnStake({ account, of }: { account: string; of: Validator }) {
  const { data } = useRead(api('/native/addresses/{address}/delegations', { address: account }), useBlockVersion())
  const own = data?.items.find(({ validator }) => validator.operator_address === of.operator_address)
  if (own === undefined) return null
  return (
    <p>
      This account has <Coins value={own.balance} /> here, and <DecCoins value={own.rewards} /> of rewards to withdraw.
    </p>
  )
}

type ActionProps = { readonly of: Validator; readonly performer: Performer }

const BUTTONS = { delegate: 'Delegate', undelegate: 'Undelegate' } as const
const HINTS = {
  delegate: 'The coins stay yours, and may lose value when the validator is slashed.',
  undelegate: 'The coins come back when the unbonding time is over.',
} as const

const Amount = ({
  of,
  performer: { connection, perform },
  functionName,
}: ActionProps & { functionName: keyof typeof BUTTONS }) => (
  <ActionForm
    fields={{ amount: { ...stakeField, hint: HINTS[functionName] } }}
    button={BUTTONS[functionName]}
    run={({ amount }) =>
      perform({ contract: STAKING, functionName, args: [connection.account, of.operator_address, amount] })
    }
  />
)

function Redelegate({ of, performer: { connection, perform } }: ActionProps) {
  const { data } = useRead(api('/native/validators', { items_count: 100 }))
  const others = (data?.items ?? []).filter(({ operator_address }) => operator_address !== of.operator_address)
  if (data === undefined) return <div class="loading" />
  if (others.length === 0) return <p class="note">There is no other validator.</p>
  const options = others.map(
    ({ operator_address, moniker }) => [operator_address, moniker || operator_address] as const,
  )
  return (
    <ActionForm
      fields={{ to: choiceField('To the validator', options), amount: stakeField }}
      button="Redelegate"
      run={({ to, amount }) =>
        perform({
          contract: STAKING,
          functionName: 'redelegate',
          args: [connection.account, of.operator_address, to, amount],
        })
      }
    />
  )
}

const Withdraw = ({ of, performer: { connection, perform } }: ActionProps) => (
  <ActionForm
    fields={{}}
    button="Withdraw rewards"
    run={() =>
      perform({
        contract: DISTRIBUTION,
        functionName: 'withdrawDelegatorRewards',
        args: [connection.account, of.operator_address],
      })
    }
  />
)

const OperatorActions = ({ of, performer: { connection, perform } }: ActionProps) => (
  <>
    <ActionForm
      fields={{}}
      button="Withdraw commission"
      run={() =>
        perform({ contract: DISTRIBUTION, functionName: 'withdrawValidatorCommission', args: [of.operator_address] })
      }
    />
    {of.jailed && (
      <ActionForm
        fields={{}}
        button="Unjail"
        run={() => perform({ contract: SLASHING, functionName: 'unjail', args: [connection.account] })}
      />
    )}
  </>
)
