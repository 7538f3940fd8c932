// The form that verifies a contract: its address, the compiler, and the sources in one of the forms that this node accepts.
import { useEffect, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { api, type Contract, NotFound, useRead, type VerificationConfig } from '../api.ts'
import { LabelledField } from '../contract/arguments.tsx'
import { FileField } from '../contract/file-field.tsx'
import {
  compilerIn,
  isVyper,
  isWay,
  type SourceFile,
  type VerificationResult,
  verify,
  WAYS,
  type Way,
} from '../contract/verification.ts'
import { Settings, type SettingsValue } from '../contract/verification-settings.tsx'
import { useQuery } from '../location.ts'
import { Loaded } from '../parts.tsx'
import './contract.css'

export default function VerifyPage() {
  const config = useRead(api('/smart-contracts/verification/config'))
  return (
    <section class="card contract">
      <h1>Verify a contract</h1>
      <p class="note">
        The node compiles the sources and compares the result with the contract’s code. Nothing leaves this node.
      </p>
      <Loaded reading={config}>{(of) => <VerificationForm config={of} />}</Loaded>
    </section>
  )
}

/** The record of the address in the form. */
type Subject =
  | { readonly kind: 'none' | 'malformed' | 'absent' | 'verified' }
  | { readonly kind: 'contract'; readonly contract: Contract }

function useSubject(address: string): Subject {
  const [subject, setSubject] = useState<Subject>({ kind: 'none' })
  useEffect(() => {
    const isAddress = /^0x[0-9a-fA-F]{40}$/.test(address)
    setSubject({ kind: address === '' || isAddress ? 'none' : 'malformed' })
    if (!isAddress) return
    let isCurrent = true
    api('/smart-contracts/{address_hash_param}', { address_hash_param: address })
      .load()
      .then(
        (contract) =>
          isCurrent && setSubject(contract.is_fully_verified ? { kind: 'verified' } : { kind: 'contract', contract }),
        (error) => isCurrent && setSubject({ kind: error instanceof NotFound ? 'absent' : 'none' }),
      )
    return () => {
      isCurrent = false
    }
  }, [address])
  return subject
}

const FAULTS: Readonly<Partial<Record<Subject['kind'], string>>> = {
  malformed: 'An address has 0x and 40 hexadecimal digits.',
  absent: 'There is no contract at this address.',
}

function VerificationForm({ config }: { config: VerificationConfig }) {
  const [query, change] = useQuery()
  const address = (query.address ?? '').trim()
  const subject = useSubject(address)
  const ways = Object.keys(WAYS)
    .filter(isWay)
    .filter((one) => config.verification_options.includes(one))
  const [way, setWay] = useState<Way>(ways[0] ?? 'standard-input')
  const code = subject.kind === 'contract' ? subject.contract.deployed_bytecode : ''
  const made = compilerIn(code)
  useEffect(() => {
    const fitting = ways.find((one) => isVyper(one) === (made?.name === 'vyper'))
    if (made !== undefined && fitting !== undefined && isVyper(way) !== isVyper(fitting)) setWay(fitting)
  }, [code])
  if (ways.length === 0) return <p class="note">Contracts are not verified on this node.</p>
  return (
    <>
      <LabelledField label="Address of the contract" fault={FAULTS[subject.kind]}>
        {(attributes) => (
          <input
            {...attributes}
            required
            spellcheck={false}
            placeholder="0x…"
            value={address}
            onInput={({ currentTarget }) => change({ address: currentTarget.value }, { replace: true })}
          />
        )}
      </LabelledField>
      {subject.kind === 'verified' && (
        <p>
          This contract is verified already. <Link href={`/address/${address}?tab=contract`}>See its sources</Link>
        </p>
      )}
      <fieldset class="ways">
        <legend>Sources</legend>
        {ways.map((one) => (
          <label key={one}>
            <input type="radio" name="way" checked={one === way} onChange={() => setWay(one)} />
            <span>
              {WAYS[one].name} <span class="hint">{WAYS[one].hint}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <SourcesForm
        key={way}
        way={way}
        address={address}
        config={config}
        made={made}
        isReady={subject.kind === 'contract'}
      />
    </>
  )
}

type Made = ReturnType<typeof compilerIn>

function SourcesForm({
  way,
  address,
  config,
  made,
  isReady,
}: {
  way: Way
  address: string
  config: VerificationConfig
  made: Made
  isReady: boolean
}) {
  const [code, setCode] = useState('')
  const [files, setFiles] = useState<readonly SourceFile[]>([])
  const [settings, setSettings] = useState<SettingsValue>(() => ({
    compiler: '',
    contractName: '',
    licence: 'none',
    evmVersion: 'default',
    runs: undefined,
  }))
  const compilers = compilersFor(way, config)
  const named = compilers.find((version) => isVersion(version, made?.version)) ?? ''
  const chosen = { ...settings, compiler: settings.compiler === '' ? named : settings.compiler }
  const [outcome, setOutcome] = useState<VerificationResult | 'waiting'>()
  const submit = async (event: Event) => {
    event.preventDefault()
    setOutcome('waiting')
    setOutcome(
      await verify({ ...chosen, way, address, code, files }).catch((error: Error) => ({
        isVerified: false,
        reason: error.message,
      })),
    )
  }
  const hasSources = way.endsWith('-code') ? code.trim() !== '' : files.length > 0
  return (
    <form onSubmit={submit}>
      <Sources way={way} code={code} files={files} onCode={setCode} onFiles={setFiles} />
      <Settings
        of={chosen}
        way={way}
        config={config}
        compilers={compilers}
        hint={hintOf(made, compilers)}
        onChange={setSettings}
      />
      <button type="submit" class="action" disabled={outcome === 'waiting' || !isReady || !hasSources}>
        Verify
      </button>
      <ResultNote of={outcome} address={address} />
    </form>
  )
}

const Sources = ({
  way,
  code,
  files,
  onCode,
  onFiles,
}: {
  way: Way
  code: string
  files: readonly SourceFile[]
  onCode: (code: string) => void
  onFiles: (files: readonly SourceFile[]) => void
}) =>
  way.endsWith('-code') ? (
    <LabelledField label="Source">
      {(attributes) => (
        <textarea
          {...attributes}
          required
          rows={14}
          spellcheck={false}
          value={code}
          onInput={({ currentTarget }) => onCode(currentTarget.value)}
        />
      )}
    </LabelledField>
  ) : (
    <FileField way={way} files={files} onChange={onFiles} />
  )

const compilersFor = (way: Way, config: VerificationConfig): readonly string[] =>
  isVyper(way) ? config.vyper_compiler_versions : config.solidity_compiler_versions

/** Whether a compiler `v0.8.37+commit.f401782d` has a version `0.8.37`. */
const isVersion = (compiler: string, version: string | undefined): boolean =>
  version !== undefined && /\d+\.\d+\.\d+/.exec(compiler)?.[0] === version

function hintOf(made: Made, compilers: readonly string[]): string | undefined {
  if (made === undefined) return undefined
  const { name, version } = made
  const isThere = compilers.some((compiler) => isVersion(compiler, version))
  return `The contract’s code names ${name} ${version}${isThere ? '.' : ', which is not installed on this node.'}`
}

const ResultNote = ({ of, address }: { of: VerificationResult | 'waiting' | undefined; address: string }) => (
  <div role="status" class="outcome">
    {of === 'waiting' && <p>The node compiles and compares …</p>}
    {of !== undefined &&
      of !== 'waiting' &&
      (of.isVerified ? (
        <p class="ok">
          Verified. <Link href={`/address/${address}?tab=contract`}>See the contract</Link>
        </p>
      ) : (
        <>
          <p class="bad">Not verified:</p>
          <pre class="bad">{of.reason}</pre>
        </>
      ))}
  </div>
)
