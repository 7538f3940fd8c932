// The page of a development chain: panels for its blocks, clock and accounts, a faucet, and a timeline with its snapshots. They use JSON-RPC.
import type { ComponentChildren } from 'preact'
import { Accounts, Faucet } from '../development/accounts.tsx'
import { Blocks, Clock } from '../development/blocks.tsx'
import { type NodeState, useNodeState } from '../development/node-state.ts'
import { TimelinePanel } from '../development/timeline.tsx'
import { gwei, withCommas } from '../format.ts'
import { BlockLink, Fields } from '../parts.tsx'
import './development.css'

export default function DevelopmentPage() {
  const { state, error, reread } = useNodeState()
  return (
    <>
      <section class="card">
        <h1>Development</h1>
        <p class="note">
          These are methods of a development chain. A node in production has neither them nor this page.
        </p>
        {error !== undefined && <p class="bad">{error.message}</p>}
        {state === undefined ? error === undefined && <div class="loading" /> : <NodeFields of={state} />}
      </section>
      {state !== undefined && (
        <div class="panel">
          <Part name="Faucet">
            <Faucet state={state} />
          </Part>
          <Part name="Blocks">
            <Blocks state={state} reread={reread} />
          </Part>
          <Part name="Clock">
            <Clock state={state} reread={reread} />
          </Part>
          <Part name="Accounts">
            <Accounts state={state} reread={reread} />
          </Part>
        </div>
      )}
      {state !== undefined && (
        <Part name="Timeline">
          <TimelinePanel of={state.timeline} reread={reread} />
        </Part>
      )}
    </>
  )
}

const Part = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <section class="card" aria-label={name}>
    <h2>{name}</h2>
    {children}
  </section>
)

const NodeFields = ({ of }: { of: NodeState }) => (
  <Fields
    of={{
      Node: <code>{of.client}</code>,
      'Chain id': of.chainId,
      'Newest block': (
        <>
          <BlockLink number={of.blockNumber.toString()} />{' '}
          <span class="faint">{new Date(of.timestamp * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC</span>
        </>
      ),
      Hardfork: of.fork,
      'Next base fee': gwei(of.baseFee, 9),
      'Gas limit': withCommas(of.gasLimit),
      'Blocks are made': [
        of.automine && 'for each transaction',
        of.interval !== null && `every ${of.interval} s`,
        !of.automine && of.interval === null && 'on request only',
      ]
        .filter(Boolean)
        .join(', '),
      'JSON-RPC': of.namespaces.join(', '),
    }}
  />
)
