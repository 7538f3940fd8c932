// The debugger of a mined transaction.
import type { Hex } from 'viem'
import { useRead } from '../api.ts'
import { Debugger } from '../debugger/debugger.tsx'
import { abbreviated } from '../format.ts'
import { useTitle } from '../location.ts'
import { TransactionLink } from '../parts.tsx'
import { call } from '../rpc.ts'

export default function TransactionDebugger({ hash }: { hash: string }) {
  useTitle(`Debugger of ${abbreviated(hash)}`)
  // The node checks what the URL has.
  const transaction = hash as Hex
  const isWaiting = useRead(call('eth_getTransactionByHash', transaction)).data?.blockNumber === null
  return (
    <section class="card debugger">
      <h1>
        Debugger <TransactionLink hash={hash} />
      </h1>
      {isWaiting ? (
        <p class="note">It is not mined yet: what it does is only known then.</p>
      ) : (
        <Debugger target={{ transaction }} />
      )}
    </section>
  )
}
