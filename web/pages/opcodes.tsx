// Opcode proposals: what each changes, and the blocks in which it was active.
import { type OpcodeProposal, useBlockVersion } from '../api.ts'
import { Pill } from '../native/parts.tsx'
import { BlockLink, Paginated } from '../parts.tsx'
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
      <Paginated<OpcodeProposal> path="/native/opcode-proposals" version={version} order="rank">
        {(items) =>
          items.length === 0 ? (
            <p class="note">This node knows none.</p>
          ) : (
            items.map((of) => <Entry key={of.name} of={of} />)
          )
        }
      </Paginated>
    </>
  )
}

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
      <div class="scroll">
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
      </div>
    )}
  </section>
)
