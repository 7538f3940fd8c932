// How to connect to the node: its URL and chain id, and on an empty chain a first transaction.
import { useRead } from '../api.ts'
import { COIN, Copy } from '../parts.tsx'
import { call } from '../rpc.ts'

const URL = location.origin

export function Connection() {
  const { data } = useRead(call('eth_chainId'))
  return (
    <dl class="connection" aria-label="How to connect">
      <div>
        <dt>RPC</dt>
        <dd>
          <code>{URL}</code> <Copy text={URL} of="URL" />
        </dd>
      </div>
      <div>
        <dt>Chain id</dt>
        <dd>
          <code>{data === undefined ? '…' : Number(data)}</code>
          {data !== undefined && <Copy text={String(Number(data))} of="chain id" />}
        </dd>
      </div>
      <div>
        <dt>Coin</dt>
        <dd>{COIN}</dd>
      </div>
    </dl>
  )
}

/** The first steps on a chain without transactions. `accounts`: those that the node sends for. */
export function FirstSteps({ accounts }: { accounts: readonly string[] }) {
  const [from, to] = accounts
  return (
    <>
      <p class="note">Nothing has been sent on this chain yet.</p>
      <p>Any tool of Ethereum works with the URL above. It also takes WebSockets.</p>
      {from !== undefined && to !== undefined && (
        <Step
          name="A first transfer, signed by the node"
          text={`cast send --rpc-url ${URL} --unlocked --from ${from} ${to} --value 1ether`}
        />
      )}
      <Step name="Foundry, in foundry.toml" text={`[rpc_endpoints]\nlocal = "${URL}"`} />
      <Step name="Hardhat, in networks" text={`local: { type: 'http', url: '${URL}' }`} />
      <Step name="viem" text={`createPublicClient({ transport: http('${URL}') })`} />
    </>
  )
}

const Step = ({ name, text }: { name: string; text: string }) => (
  <div class="step">
    <h3>
      {name} <Copy text={text} of={name} />
    </h3>
    <code>{text}</code>
  </div>
)
