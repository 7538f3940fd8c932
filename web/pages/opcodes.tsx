// Opcode proposals: their changes, and the blocks in which they were active.
import { api, type OpcodeProposal, useBlockVersion } from '../api.ts'
import { Pill } from '../native/parts.tsx'
import { BlockLink, Fields, Paginated } from '../parts.tsx'
import '../native/native.css'

export default function OpcodesPage() {
  const version = useBlockVersion()
  return (
    <>
      <section class="card">
        <h1>Opcode proposals</h1>
        <p class="note">
          Changes of the EVM’s opcodes that this node knows. Governance and upgrades make them active by their names.
        </p>
      </section>
      <Paginated list={api('/native/opcode-proposals')} version={version} order="rank">
        {({ items }) => (items.length === 0 ? <p class="note">This node knows none.</p> : <Entries of={items} />)}
      </Paginated>
    </>
  )
}

/** EIPs that the chain's fork already includes come last, in short form. */
function Entries({ of }: { of: readonly OpcodeProposal[] }) {
  const useful = of.filter(isUseful)
  const idle = of.filter((one) => !isUseful(one))
  return (
    <>
      {useful.map((one) => (
        <Entry key={one.name} of={one} />
      ))}
      {idle.length > 0 && (
        <section class="card" aria-label="Without effect">
          <h2>Without effect on this chain’s fork</h2>
          <Fields of={Object.fromEntries(idle.map(({ name, title }) => [name, title]))} />
        </section>
      )}
    </>
  )
}

const isUseful = ({ changes, active_blocks }: OpcodeProposal): boolean => changes.length + active_blocks.length > 0

const Entry = ({ of: { name, title, is_active, changes, active_blocks } }: { of: OpcodeProposal }) => (
  <section class="card" aria-label={name}>
    <h2>
      <span>
        {name} {is_active ? <Pill kind="ok">active</Pill> : <Pill kind="plain">not active</Pill>}
      </span>
    </h2>
    <p class="prose">{title}</p>
    <p>
      {active_blocks.length === 0 ? (
        <span class="faint">It has been active in no block.</span>
      ) : (
        active_blocks.map(({ from, to }) => (
          <span class="blocks-range" key={from}>
            Blocks <BlockLink number={from} /> to {to === null ? 'now' : <BlockLink number={to} />}
          </span>
        ))
      )}
    </p>
    {changes.length === 0 ? (
      <p class="note">It changes no opcode of the newest block’s table.</p>
    ) : (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard
      <section class="scroll" tabIndex={0} aria-label={`Changes of ${name}`}>
        <table>
          <thead>
            <tr>
              <th>Opcode</th>
              <th>Code</th>
              <th>Change</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ opcode, code, what }) => (
              <tr key={code}>
                <td data-column="Opcode" class="mono">
                  {opcode}
                </td>
                <td data-column="Code" class="mono">
                  0x{code.toString(16).padStart(2, '0')}
                </td>
                <td data-column="Change">{what.join(', ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    )}
  </section>
)
