// The accounts that the node sends for, with their balances and nonces.
import { Link } from 'wouter-preact'
import { type Read, useRead } from '../api.ts'
import { withCommas } from '../format.ts'
import { IS_DEVELOPMENT } from '../location.ts'
import { AddressLink, Coins, Copy } from '../parts.tsx'
import { call, rpcBatch } from '../rpc.ts'

/** Most accounts that are shown. */
const SHOWN = 10

type OwnAccount = { readonly address: string; readonly balance: string; readonly nonce: number }

/** All figures in one request. */
const figuresOf = (accounts: readonly string[]): Read<readonly OwnAccount[]> => ({
  key: accounts.join(),
  load: async () => {
    const answers = await rpcBatch([
      ...accounts.map((of) => call('eth_getBalance', of, 'latest')),
      ...accounts.map((of) => call('eth_getTransactionCount', of, 'latest')),
    ])
    return accounts.flatMap((address, i) => {
      const [balance, nonce] = [answers[i], answers[accounts.length + i]]
      if (typeof balance !== 'string' || typeof nonce !== 'string') return []
      return { address, balance: BigInt(balance).toString(), nonce: Number(nonce) }
    })
  },
})

/** The node's accounts; none on a node that has no keys, or does not name them. */
export const useOwnAccounts = (): readonly string[] => useRead(call('eth_accounts')).data ?? []

export function OwnAccounts({ of, version, order }: { of: readonly string[]; version: number; order: number }) {
  const { data } = useRead(figuresOf(of.slice(0, SHOWN)), version)
  return (
    <section class="card" aria-label="Accounts of this node" style={{ order }}>
      <h2>Accounts of this node {IS_DEVELOPMENT && <Link href="/dev">faucet, clock, snapshots →</Link>}</h2>
      {data === undefined ? (
        <div class="loading" />
      ) : (
        <ul class="feed accounts" data-test="accounts">
          {data.map(({ address, balance, nonce }) => (
            <li key={address}>
              <span class="address">
                <AddressLink hash={address} />
                <Copy text={address} of="address" />
              </span>
              <Coins value={balance} digits={2} />
              <span class="faint nowrap" title="Nonce: the number of transactions that it has sent">
                {withCommas(nonce)} sent
              </span>
            </li>
          ))}
        </ul>
      )}
      {of.length > SHOWN && <p class="note">and {withCommas(of.length - SHOWN)} more</p>}
    </section>
  )
}
