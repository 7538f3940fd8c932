// Choice of a wallet and one of its accounts.
import { useState } from 'preact/hooks'
import { useRead } from '../api.ts'
import { abbreviated } from '../format.ts'
import { CHAIN } from '../location.ts'
import { call } from '../rpc.ts'
import { LabelledField } from './arguments.tsx'
import { describeError } from './errors.ts'
import { type Connection, chooseAccount, connect, disconnect, switchChain, useWallets, type Wallet } from './wallets.ts'

export function WalletBar() {
  const { data: chainId } = useRead(call('eth_chainId'))
  const { wallets, connection } = useWallets()
  const [fault, setFault] = useState<string>()
  const attempt = (work: Promise<void>) => {
    setFault(undefined)
    work.catch((error: unknown) => setFault(describeError(error)))
  }
  return (
    <div class="wallet">
      {connection === undefined ? (
        <Choice of={wallets} onChoice={(wallet) => attempt(connect(wallet))} />
      ) : (
        <Connected of={connection} chainId={chainId} onSwitch={() => attempt(switchChain(connection))} />
      )}
      <div role="alert">{fault !== undefined && <p class="bad">{fault}</p>}</div>
    </div>
  )
}

function Choice({ of, onChoice }: { of: readonly Wallet[]; onChoice: (wallet: Wallet) => void }) {
  if (of.length === 0) {
    return (
      <p class="note">
        No wallet is here. Install one in your browser (it must announce itself by EIP-6963), then reload this page.
      </p>
    )
  }
  return (
    <>
      <span>Connect a wallet:</span>
      {of.map((wallet) => (
        <button type="button" class="action" key={wallet.id} onClick={() => onChoice(wallet)}>
          {wallet.icon !== undefined && <img src={wallet.icon} alt="" width="18" height="18" />} {wallet.name}
        </button>
      ))}
    </>
  )
}

function Connected({
  of: { wallet, accounts, account, chainId: walletChain },
  chainId,
  onSwitch,
}: {
  of: Connection
  chainId: string | undefined
  onSwitch: () => void
}) {
  const isOther = chainId !== undefined && BigInt(walletChain) !== BigInt(chainId)
  return (
    <>
      <LabelledField label={`Account (${wallet.name})`}>
        {(attributes) => (
          <select
            {...attributes}
            class="mono"
            value={account}
            onChange={({ currentTarget }) => chooseAccount(currentTarget.value)}
          >
            {accounts.map((one) => (
              <option key={one} value={one}>
                {abbreviated(one, 8)}
              </option>
            ))}
          </select>
        )}
      </LabelledField>
      {isOther && (
        <button type="button" class="action" onClick={onSwitch}>
          Switch to {CHAIN}
        </button>
      )}
      <button type="button" class="action" onClick={disconnect}>
        Disconnect
      </button>
    </>
  )
}
