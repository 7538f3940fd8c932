// Panel of the development page: snapshots, reverting to them, and removing blocks.
import { useState } from 'preact/hooks'
import { describeError } from '../contract/errors.ts'
import { ActionForm, numberField } from '../forms/action-form.tsx'
import { BlockLink } from '../parts.tsx'
import { quantity, rpc } from '../rpc.ts'
import type { PanelProps } from './node-state.ts'

export function Snapshots({ state, reread }: PanelProps) {
  const [fault, setFault] = useState<string>()
  const revert = async (id: string) => {
    try {
      const isDone = await rpc('evm_revert', id)
      setFault(isDone ? undefined : 'This snapshot no longer exists.')
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
                Revert to it
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
          await rpc('anvil_rollback', quantity(blocks))
          return 'The blocks were removed.'
        }}
        onDone={reread}
      />
    </>
  )
}
