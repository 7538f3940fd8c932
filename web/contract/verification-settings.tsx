// The settings of a verification: compiler, name, licence, and the settings that standard JSON input would contain.
import type { VerificationConfig } from '../api.ts'
import { LabelledField } from './arguments.tsx'
import { isVyper, takesCompiler, takesSettings, type Way } from './verification.ts'

export type SettingsValue = {
  readonly compiler: string
  readonly contractName: string
  readonly licence: string
  readonly evmVersion: string
  /** undefined: the optimizer is off. */
  readonly runs: string | undefined
}

/** Runs of the optimizer by default, as in solc. */
const DEFAULT_RUNS = '200'

export function Settings({
  of,
  way,
  config,
  compilers,
  hint,
  onChange,
}: {
  of: SettingsValue
  way: Way
  config: VerificationConfig
  compilers: readonly string[]
  hint: string | undefined
  onChange: (value: SettingsValue) => void
}) {
  const change = (changes: Partial<SettingsValue>) => onChange({ ...of, ...changes })
  return (
    <>
      <div class="columns">
        {takesCompiler(way) && (
          <Choice
            label="Compiler"
            value={of.compiler}
            options={compilers}
            hint={hint}
            placeholder="Choose …"
            onChange={(compiler) => change({ compiler })}
          />
        )}
        <LabelledField label="Name of the contract" hint="May be left empty: all contracts of the sources are tried.">
          {(attributes) => (
            <input
              {...attributes}
              spellcheck={false}
              value={of.contractName}
              onInput={({ currentTarget }) => change({ contractName: currentTarget.value })}
            />
          )}
        </LabelledField>
        <Choice
          label="Licence"
          value={of.licence}
          options={Object.keys(config.license_types)}
          onChange={(licence) => change({ licence })}
        />
      </div>
      {takesSettings(way) && <CompilerSettings of={of} way={way} config={config} onChange={change} />}
    </>
  )
}

function CompilerSettings({
  of,
  way,
  config,
  onChange,
}: {
  of: SettingsValue
  way: Way
  config: VerificationConfig
  onChange: (changes: Partial<SettingsValue>) => void
}) {
  return (
    <div class="columns">
      <Choice
        label="EVM version"
        value={of.evmVersion}
        options={isVyper(way) ? config.vyper_evm_versions : config.solidity_evm_versions}
        onChange={(evmVersion) => onChange({ evmVersion })}
      />
      {!isVyper(way) && (
        <Choice
          label="Optimizer"
          value={of.runs === undefined ? 'off' : 'on'}
          options={['off', 'on']}
          onChange={(word) => onChange({ runs: word === 'on' ? DEFAULT_RUNS : undefined })}
        />
      )}
      {!isVyper(way) && of.runs !== undefined && (
        <LabelledField label="Runs of the optimizer">
          {(attributes) => (
            <input
              {...attributes}
              inputMode="numeric"
              pattern="\d{1,10}"
              required
              value={of.runs}
              onInput={({ currentTarget }) => onChange({ runs: currentTarget.value })}
            />
          )}
        </LabelledField>
      )}
    </div>
  )
}

function Choice({
  label,
  value,
  options,
  hint,
  placeholder,
  onChange,
}: {
  label: string
  value: string
  options: readonly string[]
  hint?: string | undefined
  placeholder?: string
  onChange: (value: string) => void
}) {
  return (
    <LabelledField label={label} hint={hint}>
      {(attributes) => (
        <select
          {...attributes}
          required={placeholder !== undefined}
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        >
          {placeholder !== undefined && <option value="">{placeholder}</option>}
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      )}
    </LabelledField>
  )
}
