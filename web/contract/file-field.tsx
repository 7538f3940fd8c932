// The files of a verification, and the paths under which the sources import each other.
import { LabelledField } from './arguments.tsx'
import type { SourceFile, Way } from './verification.ts'

/** An attribute of all browsers that is missing in Preact's types. */
const WHOLE_FOLDER = { webkitdirectory: true }

type Props = { way: Way; files: readonly SourceFile[]; onChange: (files: readonly SourceFile[]) => void }

export function FileField({ way, files, onChange }: Props) {
  const isJson = way.endsWith('standard-input')
  const take = ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
    onChange(
      [...(currentTarget.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, content: file })),
    )
  return (
    <>
      <div class="columns">
        <LabelledField label={isJson ? 'Standard JSON input (a file)' : 'Source files'}>
          {(attributes) => (
            <input
              {...attributes}
              type="file"
              multiple={!isJson}
              accept={isJson ? '.json,application/json' : '.sol,.yul,.vy,.vyi,.json'}
              onChange={take}
            />
          )}
        </LabelledField>
        {!isJson && (
          <LabelledField label="Or a folder of them">
            {(attributes) => <input {...attributes} {...WHOLE_FOLDER} type="file" onChange={take} />}
          </LabelledField>
        )}
      </div>
      {!isJson && files.length > 0 && <Paths files={files} onChange={onChange} />}
    </>
  )
}

const Paths = ({ files, onChange }: Omit<Props, 'way'>) => (
  <fieldset class="paths">
    <legend>Paths, as the sources import them</legend>
    {files.map(({ path }, i) => (
      <input
        // A file keeps its position while its path is edited.
        key={i}
        aria-label={`Path of file ${i + 1}`}
        value={path}
        spellcheck={false}
        onInput={({ currentTarget }) =>
          onChange(files.map((file, at) => (at === i ? { ...file, path: currentTarget.value } : file)))
        }
      />
    ))}
  </fieldset>
)
