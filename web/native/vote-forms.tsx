// Voting on a proposal and depositing from a wallet, through the Gov contract.
import { useEffect, useState } from 'preact/hooks'
import type { Proposal } from '../api.ts'
import { InputError } from '../contract/abi-text.ts'
import { ActionForm, choiceField, coinsField } from '../forms/action-form.tsx'
import { COIN } from '../parts.tsx'
import { GOV, readNative } from './contracts.ts'
import { type WalletAction, WalletActions } from './wallet-actions.tsx'

/** The contract's option numbers, most common first. */
const OPTIONS = [
  ['1', 'Yes'],
  ['3', 'No'],
  ['4', 'No with veto'],
  ['2', 'Abstain'],
] as const

export type GovRules = {
  readonly denom: string
  /** Fractions from 0 to 1. */
  readonly quorum: number
  readonly threshold: number
  readonly vetoThreshold: number
}

/** Governance's current parameters from the contract; undefined until they are read. */
export function useGovRules(isExpedited: boolean): GovRules | undefined {
  const [rules, setRules] = useState<GovRules>()
  useEffect(() => {
    readNative({ contract: GOV, functionName: 'getParams', args: [] }).then(
      (params) => {
        const field = (name: string): unknown =>
          typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined
        const deposits = field('minDeposit')
        const [deposit]: unknown[] = Array.isArray(deposits) ? deposits : []
        setRules({
          denom: typeof deposit === 'object' && deposit !== null ? String(Reflect.get(deposit, 'denom')) : '',
          quorum: Number(field('quorum')),
          threshold: Number(field(isExpedited ? 'expeditedThreshold' : 'threshold')),
          vetoThreshold: Number(field('vetoThreshold')),
        })
      },
      () => {},
    )
  }, [isExpedited])
  return rules
}

/** Wallet actions for the proposal's current status: vote, deposit; none after the voting period. */
export function ProposalActions({ of: { id, status }, rules }: { of: Proposal; rules: GovRules | undefined }) {
  const vote: WalletAction = {
    name: 'Vote',
    form: ({ connection, perform }) => (
      <ActionForm
        fields={{ option: choiceField('Your vote', OPTIONS) }}
        button="Vote"
        run={({ option }) =>
          perform({ contract: GOV, functionName: 'vote', args: [connection.account, BigInt(id), Number(option), ''] })
        }
      />
    ),
  }
  const deposit: WalletAction = {
    name: 'Deposit',
    form: ({ connection, perform }) => (
      <ActionForm
        fields={{ amount: coinsField(`Amount in ${COIN}`, '') }}
        button="Deposit"
        run={({ amount }) => {
          if (rules === undefined || amount === 0n) throw new InputError('An amount is expected, such as 1.5.')
          const coins = [{ denom: rules.denom, amount }]
          return perform({ contract: GOV, functionName: 'deposit', args: [connection.account, BigInt(id), coins] })
        }}
      />
    ),
  }
  const actions = status === 'voting' ? [vote, deposit] : status === 'deposit' ? [deposit] : []
  if (actions.length === 0) return null
  return (
    <section class="card" aria-label="Take part">
      <h2>Take part</h2>
      <WalletActions of={actions} />
    </section>
  )
}
