// Panels of the development page: mining (on request, for each transaction, at an interval), and the chain's clock.
import { InputError } from '../contract/abi-text.ts'
import { withCommas } from '../format.ts'
import { ActionForm, type Field, numberField } from '../forms/action-form.tsx'
import { quantity, rpc } from '../rpc.ts'
import type { PanelProps } from './node-state.ts'

export function Blocks({ state, reread }: PanelProps) {
  const setAutomine = async () => {
    await rpc('anvil_setAutomine', !state.automine)
    return state.automine ? 'Transactions now wait for a block.' : 'Each transaction now gets a block.'
  }
  return (
    <>
      <ActionForm
        fields={{ blocks: numberField('Number of blocks', 1, 1), interval: numberField('Seconds between them', 0) }}
        button="Make blocks"
        run={async ({ blocks, interval }) => {
          await rpc('anvil_mine', quantity(blocks), quantity(interval))
          return `${withCommas(blocks)} ${blocks === 1 ? 'block was' : 'blocks were'} made.`
        }}
        onDone={reread}
      />
      <ActionForm
        fields={{}}
        button={state.automine ? 'Stop automatic mining' : 'Make a block for each transaction'}
        run={setAutomine}
        onDone={reread}
      />
      <ActionForm
        fields={{ seconds: numberField('A block every … seconds (0: never)', state.interval ?? 0) }}
        button="Set the interval"
        run={async ({ seconds }) => {
          await rpc('anvil_setIntervalMining', seconds)
          return seconds === 0 ? 'No blocks are made by the clock.' : `There is a block every ${seconds} s now.`
        }}
        onDone={reread}
      />
    </>
  )
}

/** A time in UTC, read as unix seconds. */
const momentField = (label: string, initial: string): Field<number> => ({
  label,
  initial,
  hint: 'UTC, such as 2030-01-31 12:00:00',
  read(text) {
    const time = Date.parse(`${text.trim().replace(' ', 'T')}Z`)
    if (Number.isFinite(time) && time > 0) return Math.floor(time / 1000)
    throw new InputError('A moment is expected, such as 2030-01-31 12:00:00.')
  },
})

const DAY = 86_400

export function Clock({ state, reread }: PanelProps) {
  const tomorrow = new Date((state.timestamp + DAY) * 1000).toISOString().slice(0, 19).replace('T', ' ')
  return (
    <>
      <ActionForm
        fields={{ seconds: numberField('Seconds to go forward', DAY, 1) }}
        button="Go forward"
        run={async ({ seconds }) => {
          await rpc('evm_increaseTime', quantity(seconds))
          await rpc('anvil_mine')
          return `The clock went ${withCommas(seconds)} s forward, and a block was made.`
        }}
        onDone={reread}
      />
      <ActionForm
        fields={{ moment: momentField('Time of the next block', tomorrow) }}
        button="Set the time"
        run={async ({ moment }) => {
          await rpc('evm_setNextBlockTimestamp', quantity(moment))
          return 'The next block has this time; the clock goes on from there.'
        }}
        onDone={reread}
      />
    </>
  )
}
