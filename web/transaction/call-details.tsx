// One line of the tree of calls in full: accounts, arguments, results and data of a message; variables and words of a slot.
import type { StorageFrame } from '../../src/contracts/storage-steps.ts'
import type { EmbeddedAddress } from '../api.ts'
import { withCommas } from '../format.ts'
import { AddressLink, Coins, Copy, Fields, Raw } from '../parts.tsx'
import type { Call, Row } from './calls.ts'

/** Addresses of the transaction, by their lower-case form. */
export type Known = ReadonlyMap<string, EmbeddedAddress>

const NAMES: Readonly<Record<string, string>> = { event: 'Event', print: 'Printed', internal: 'Function' }

type DetailsProps = { of: Row; known: Known; names: ReadonlyMap<string, string> }

export function CallDetails({ of: { call, isUndone }, known, names }: DetailsProps) {
  const party = (hash: string) => <Party hash={hash} name={names.get(hash)} known={known} />
  const { kind, from, to, words, returns, value, failure, place, gas, gasUsed, storage } = call
  const isOfContract = kind === 'event' || storage !== undefined
  return (
    <section class="call-details" aria-label="Details of the line">
      <Fields
        of={{
          ...(isUndone && { Undone: <span class="bad">A call around it failed, so that it has no effect.</span> }),
          From: from === undefined ? null : party(from),
          [isOfContract ? 'Contract' : 'To']: to ? party(to) : null,
          [NAMES[kind] ?? 'Call']: words === undefined ? null : <code>{words}</code>,
          Returned: returns === undefined ? null : <code>{returns}</code>,
          Failure: failure === undefined ? null : <span class="bad">{failure}</span>,
          Value:
            value === undefined || BigInt(value) === 0n ? null : <Coins value={String(BigInt(value))} digits={18} />,
          'Called at': place === undefined ? null : <code>{place}</code>,
          Gas: gasUsed === undefined ? null : <Gas used={gasUsed} given={gas} />,
          ...(storage && storageFields(storage)),
          ...dataFields(call),
        }}
      />
    </section>
  )
}

const Gas = ({ used, given }: { used: string | number; given: string | undefined }) => (
  <>
    {withCommas(Number(used))}
    {given !== undefined && <span class="faint"> of {withCommas(Number(given))}</span>}
  </>
)

function Party({ hash, name, known }: { hash: string; name: string | undefined; known: Known }) {
  const address = known.get(hash)
  return (
    <span class="address">
      <AddressLink
        hash={address?.hash ?? hash}
        name={name ?? address?.name ?? null}
        isContract={address?.is_contract ?? name !== undefined}
        full
      />
    </span>
  )
}

const storageFields = ({ slot, before, value, variables = [] }: StorageFrame) => ({
  Variables:
    variables.length === 0
      ? null
      : variables.map(({ name, type, before, value }) => (
          <div key={name}>
            <code class="faint">{type}</code> <code>{name}</code> <Change before={before} value={value} />
          </div>
        )),
  Slot: <code>{slot}</code>,
  [before === undefined ? 'Word' : 'Before']: <code>{before ?? value}</code>,
  After: before === undefined ? null : <code>{value}</code>,
})

const Change = ({ before, value }: { before: string | undefined; value: string }) => (
  <>
    {before !== undefined && <code class="faint">{shown(before)} → </code>}
    <code>{shown(value)}</code>
  </>
)

/** A value of a variable: an empty text can be seen. */
export const shown = (value: string): string => (value === '' ? '""' : value)

const dataFields = ({ input = '0x', output = '0x' }: Call) => ({
  Input: input === '0x' ? null : <Data of={input} name="Input" />,
  Output: output === '0x' ? null : <Data of={output} name="Output" />,
})

const Data = ({ of, name }: { of: string; name: string }) => (
  <>
    <Raw label={name}>
      <code>{of}</code>
    </Raw>
    <Copy text={of} of={name.toLowerCase()} />
  </>
)
