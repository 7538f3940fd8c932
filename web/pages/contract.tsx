// The contract tab of an address: its code, and calls of its functions, as itself and as a proxy.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Abi } from 'viem'
import { Link } from 'wouter-preact'
import { api, type Contract, useRead } from '../api.ts'
import { Code } from '../contract/code.tsx'
import { functionsIn, writesIn } from '../contract/functions.tsx'
import { ReadContract } from '../contract/read-contract.tsx'
import { WriteContract } from '../contract/write-contract.tsx'
import { useQuery } from '../location.ts'
import { Loaded } from '../parts.tsx'
import './contract.css'

type View = { readonly id: string; readonly name: string; readonly content: () => ComponentChildren }

/** `hash`: the contract's address. */
export default function ContractTab({ hash }: { hash: string }) {
  const [version, setVersion] = useState(0)
  const reading = useRead(api('/smart-contracts/{address_hash_param}', { address_hash_param: hash }), version)
  return (
    <Loaded reading={reading}>
      {(of) => <Views of={of} address={hash} onVerified={() => setVersion((before) => before + 1)} />}
    </Loaded>
  )
}

function Views({ of, address, onVerified }: { of: Contract; address: string; onVerified: () => void }) {
  const [query, change] = useQuery()
  const implementations = useImplementations(of)
  const views: readonly View[] = [
    { id: 'code', name: 'Code', content: () => <Code of={of} address={address} onVerified={onVerified} /> },
    ...callsOf(address, abiOf(of), { prefix: '', name: '' }),
    ...implementations.flatMap(({ abi, at, name }) => [
      ...callsOf(address, abi, { prefix: 'proxy-', name: ' as proxy', of: { at, name } }),
    ]),
  ]
  const shown = views.find(({ id }) => id === query.view) ?? views[0]
  return (
    <div class="contract">
      {views.length > 1 && (
        <nav class="views" aria-label="Contract">
          {views.map(({ id, name }) => (
            <button
              type="button"
              key={id}
              aria-current={id === shown?.id ? 'true' : undefined}
              onClick={() => change({ view: id, file: undefined })}
            >
              {name}
            </button>
          ))}
        </nav>
      )}
      <div key={shown?.id}>{shown?.content()}</div>
    </div>
  )
}

type Implementation = { readonly at: string; readonly name: string | null; readonly abi: Abi }

/** Tabs that read and write with an ABI; `of`: the implementation that has the ABI. */
function callsOf(
  to: string,
  abi: Abi,
  { prefix, name, of }: { prefix: string; name: string; of?: Omit<Implementation, 'abi'> },
): View[] {
  const note = of && (
    <p class="note">
      Calls go to this contract, by the functions of its implementation{' '}
      <Link class="mono" href={`/address/${of.at}?tab=contract`}>
        {of.name ?? of.at}
      </Link>
      .
    </p>
  )
  const views: View[] = [
    {
      id: `${prefix}read`,
      name: `Read${name}`,
      content: () => [note, <ReadContract key="calls" to={to} abi={abi} />],
    },
    {
      id: `${prefix}write`,
      name: `Write${name}`,
      content: () => [note, <WriteContract key="calls" to={to} abi={abi} />],
    },
  ]
  return views.filter((_, i) => (i === 0 ? functionsIn(abi, 'read') : writesIn(abi)).length > 0)
}

const abiOf = (of: Pick<Contract, 'abi'> | undefined): Abi => (of?.abi ?? []).filter(isAbiItem)

const isAbiItem = (item: unknown): item is Abi[number] =>
  typeof item === 'object' && item !== null && typeof Reflect.get(item, 'type') === 'string'

/** The first implementation of a proxy, if its ABI is known. */
function useImplementations({ implementations }: Contract): readonly Implementation[] {
  const [first] = implementations
  const { data } = useRead(
    first && api('/smart-contracts/{address_hash_param}/interface', { address_hash_param: first.address_hash }),
  )
  const abi = abiOf(data)
  return first === undefined || abi.length === 0 ? [] : [{ at: first.address_hash, name: first.name, abi }]
}
