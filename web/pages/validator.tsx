// The page of one validator: its record, staking actions, delegators, and the blocks it proposed.
import { type ApiRead, api, type List, useBlockVersion, useRead, type Validator } from '../api.ts'
import { utcTime, withCommas } from '../format.ts'
import { IS_NETWORK, useTitle } from '../location.ts'
import { DecCoins, percent, ShareBar, Site } from '../native/parts.tsx'
import { StakingActions } from '../native/staking-actions.tsx'
import { delegatorTable, jailEnd, redelegationTable, statusOf, unbondingTable, uptimeOf } from '../native/tables.tsx'
import { validatorVoteTable } from '../native/votes.tsx'
import { MissingRecord } from '../parts/missing.tsx'
import {
  Address,
  BlockLink,
  Coins,
  Copy,
  Cut,
  Fields,
  Identicon,
  LoadedPage,
  PaginatedTable,
  type Table,
  Tabs,
} from '../parts.tsx'
import { blockTable } from '../tables.tsx'
import '../native/native.css'

export default function ValidatorPage({ address }: { address: string }) {
  const version = useBlockVersion()
  const reading = useRead(api('/native/validators/{address}', { address }), version)
  useTitle(reading.data === undefined ? 'Validator' : `Validator ${reading.data.moniker.slice(0, 60)}`)
  return (
    <LoadedPage reading={reading} name="Validator" missing={<MissingRecord asked={address} />}>
      {(of) => (
        <>
          <Record of={of} />
          <section class="card" aria-label="Stake">
            <h2>Stake with this validator</h2>
            <StakingActions of={of} />
          </section>
          <Lists of={of} address={address} version={version} />
        </>
      )}
    </LoadedPage>
  )
}

function Lists({ of, address, version }: { of: Validator; address: string; version: number }) {
  const list =
    <T,>(rows: ApiRead<List<T>>, table: Table<T>, empty: string, order: 'time' | 'rank' = 'rank') =>
    () => <PaginatedTable list={rows} table={table} empty={empty} version={version} order={order} />
  return (
    <Tabs
      of={[
        {
          name: 'Delegators',
          count: of.delegators_count,
          content: list(
            api('/native/validators/{address}/delegations', { address }),
            delegatorTable(of),
            'Nobody delegates to it.',
          ),
        },
        {
          name: 'Unbondings',
          content: list(
            api('/native/validators/{address}/unbondings', { address }),
            unbondingTable('delegator'),
            'No tokens are leaving it.',
          ),
        },
        {
          name: 'Redelegations',
          content: list(
            api('/native/validators/{address}/redelegations', { address }),
            redelegationTable(false),
            'No tokens have moved away from it lately.',
          ),
        },
        {
          name: 'Blocks',
          content: list(
            api('/native/validators/{address}/blocks', { address }),
            blockTable,
            'It has made no blocks.',
            'time',
          ),
        },
        ...(IS_NETWORK
          ? [
              {
                name: 'Votes',
                content: list(
                  api('/native/validators/{address}/votes', { address }),
                  validatorVoteTable,
                  'There are no votes yet.',
                  'time',
                ),
              },
            ]
          : []),
      ]}
    />
  )
}

function Record({ of }: { of: Validator }) {
  const { description, commission, uptime } = of
  const signed = uptimeOf(of)
  return (
    <section class="card">
      <h1>
        <Identicon of={of.address.hash} size={28} />
        Validator <Cut text={of.moniker} /> {statusOf(of)}
      </h1>
      <Fields
        of={{
          Operator: (
            <>
              <code>{of.operator_address}</code> <Copy text={of.operator_address} of="operator address" />
            </>
          ),
          Account: <Address of={of.address} full />,
          'Consensus key': <code>{of.consensus_pubkey}</code>,
          'Consensus address': <code>{of.consensus_address}</code>,
          Tokens: <Coins value={of.tokens} digits={18} />,
          'Voting power': (
            <ShareBar
              of={Number(of.voting_power_share)}
              label={`${withCommas(of.voting_power)} (${percent(of.voting_power_share)})`}
            />
          ),
          'Own stake': (
            <>
              <Coins value={of.self_delegation} digits={6} />{' '}
              <span class="faint">
                (at least <Coins value={of.min_self_delegation} digits={18} />)
              </span>
            </>
          ),
          Commission: (
            <>
              {percent(commission.rate)}{' '}
              <span class="faint">
                at most {percent(commission.max_rate)}, {percent(commission.max_change_rate)} a day; since{' '}
                {utcTime(commission.updated_at)}
              </span>
            </>
          ),
          Uptime:
            uptime === null ? null : signed === undefined ? (
              <span class="faint">none of its votes are counted yet (window of {uptime.window} blocks)</span>
            ) : (
              <>
                {signed}{' '}
                <span class="faint">
                  {uptime.missed} missed of the last {uptime.signed + uptime.missed} (window of {uptime.window} blocks)
                </span>
              </>
            ),
          'Signs since':
            of.signing_info === null ? null : (
              <span>
                block <BlockLink number={of.signing_info.start_height} />
              </span>
            ),
          'Jailed until': jailEnd(of),
          'Unbonding ends': of.unbonding_time === null ? null : utcTime(of.unbonding_time),
          'Outstanding rewards': <DecCoins value={of.outstanding_rewards} />,
          'Commission to take': <DecCoins value={of.accumulated_commission} />,
          Website: description.website === '' ? null : <Site url={description.website} />,
          Contact: description.security_contact === '' ? null : <Cut text={description.security_contact} />,
          Identity: description.identity === '' ? null : <Cut text={description.identity} />,
          Details: description.details === '' ? null : <p class="prose">{description.details}</p>,
        }}
      />
    </section>
  )
}
