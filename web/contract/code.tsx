// The code of a contract: how it was verified, its sources, ABI and bytecode.
import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import { type Contract, useLive } from '../api.ts'
import { utcTime, withCommas } from '../format.ts'
import { Copy, Fields } from '../parts.tsx'
import { SourceFiles } from './source-files.tsx'
import { TextBox } from './text-box.tsx'

/** `onVerified` is called when the contract becomes verified while the page is open. */
export function Code({ of, address, onVerified }: { of: Contract; address: string; onVerified: () => void }) {
  return (
    <>
      {!of.is_verified && <NotVerified of={of} address={address} onVerified={onVerified} />}
      {of.name !== null && <Compilation of={of} />}
      {of.source_code !== null && <SourceFiles of={of} />}
      <ConstructorArguments of={of} />
      {of.abi !== null && (
        <TextBox
          title="ABI"
          text={JSON.stringify(of.abi, null, 2)}
          language="json"
          file={`${of.name ?? address}.abi.json`}
        />
      )}
      {of.compiler_settings !== null && (
        <TextBox title="Compiler settings" text={JSON.stringify(of.compiler_settings, null, 2)} language="json" />
      )}
      {of.creation_bytecode !== null && <Bytes title="Creation code" of={of.creation_bytecode} />}
      <Bytes title="Deployed code" of={of.deployed_bytecode} />
    </>
  )
}

const Bytes = ({ title, of }: { title: string; of: string }) => (
  <TextBox title={`${title}, ${withCommas((of.length - 2) / 2)} bytes`} text={of} />
)

const matchOf = ({ is_fully_verified, is_partially_verified, verified_by }: Contract): ComponentChildren =>
  verified_by !== null ? (
    <span>by {verified_by}, on the chain that was forked; not compiled here</span>
  ) : is_fully_verified ? (
    <span class="ok">exact match: sources and metadata are the deployed ones</span>
  ) : is_partially_verified ? (
    <span>the code is equal, its metadata are not: comments or names may differ</span>
  ) : null

const Compilation = ({ of }: { of: Contract }) => (
  <Fields
    of={{
      Name: of.name,
      Verified: matchOf(of),
      Since: of.verified_at === null ? null : utcTime(of.verified_at),
      Compiler: of.compiler_version,
      'EVM version': of.evm_version,
      Optimization:
        of.optimization_enabled === null
          ? null
          : of.optimization_enabled
            ? `enabled${of.optimization_runs === null ? '' : `, ${withCommas(of.optimization_runs)} runs`}`
            : 'disabled',
      Licence: of.license_type === null || of.license_type === 'none' ? null : of.license_type,
      Libraries: of.external_libraries.length === 0 ? null : <Libraries of={of.external_libraries} />,
    }}
  />
)

const Libraries = ({ of }: { of: Contract['external_libraries'] }) => (
  <>
    {of.map(({ name, address_hash }) => (
      <div key={`${name} ${address_hash}`}>
        {name}{' '}
        <Link class="mono" href={`/address/${address_hash}`}>
          {address_hash}
        </Link>
      </div>
    ))}
  </>
)

function NotVerified({ of, address, onVerified }: { of: Contract; address: string; onVerified: () => void }) {
  useLive(`addresses:${address.toLowerCase()}`, 'smart_contract_was_verified', onVerified)
  const twin = of.verified_twin_address_hash
  return (
    <p class="note">
      {of.from_local_artifacts ? (
        'From local artifacts: a build on the machine of this node. Nothing was verified. '
      ) : twin === null ? (
        'The sources of this contract are not known here. '
      ) : (
        <>
          This contract is not verified itself. Its code is that of{' '}
          <Link class="mono" href={`/address/${twin}?tab=contract`}>
            {twin}
          </Link>
          , whose sources are shown.{' '}
        </>
      )}
      {of.is_self_destructed ? 'It has destroyed itself.' : <Link href={`/verify?address=${address}`}>Verify it</Link>}
    </p>
  )
}

function ConstructorArguments({ of }: { of: Contract }) {
  if (of.constructor_args === null) return null
  return (
    <section>
      <h2>
        Constructor arguments <Copy text={of.constructor_args} of="the encoded arguments" />
      </h2>
      {of.decoded_constructor_args === null ? (
        <code>{of.constructor_args}</code>
      ) : (
        <dl class="values">
          {of.decoded_constructor_args.map(([value, { name, type }], i) => (
            // Arguments are ordered and may have no name.
            <div key={i}>
              <dt>
                {name} <code class="faint">{type}</code>
              </dt>
              <dd>
                {type === 'address' && typeof value === 'string' ? (
                  <Link class="mono" href={`/address/${value}`}>
                    {value}
                  </Link>
                ) : (
                  <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}
