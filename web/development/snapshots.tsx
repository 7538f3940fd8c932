// Snapshots of the chain, and the ways back.
import { useState } from 'preact/hooks'
import { describeError, quantity, rpc } from '../contract/rpc.ts'
import { ActionForm, numberField } from '../forms/action-form.tsx'
import type { PanelProps } from '../pages/development.tsx'
import { BlockLink } from '../parts.tsx'

export function Snapshots({ state, reread }: PanelProps) {
  const [fault, setFault] = useState<string>()
  const revert = async (id: string) => {
    try {
      const isDone = await rpc('evm_revert', [id])
      setFault(isDone === true ? undefined : 'This snapshot is no longer there.')
    } catch (error) {
      setFault(describeError(error))
    }
    reread()
  }
  return (
    <>
      <ActionForm
        fields={{}}
        button="Take a snapshot"
        run={async () => `Snapshot ${Number(await rpc('evm_snapshot'))} was taken.`}
        onDone={reread}
      />
      {state.snapshots.length === 0 ? (
        <p class="note">There are no snapshots.</p>
      ) : (
        <ul class="rows">
          {state.snapshots.map(({ id, block }) => (
            <li key={id}>
              <span>
                Snapshot {Number(id)} at block <BlockLink number={block} />
              </span>
              <button type="button" class="action" onClick={() => revert(id)}>
                Go back to it
              </button>
            </li>
          ))}
        </ul>
      )}
      <p role="alert" class="bad">
        {fault}
      </p>
      <ActionForm
        fields={{ blocks: numberField('Newest blocks to remove', 1, 1) }}
        button="Remove blocks"
        run={async ({ blocks }) => {
          await rpc('anvil_rollback', [quantity(blocks)])
          return 'They are gone.'
        }}
        onDone={reread}
      />
    </>
  )
}
