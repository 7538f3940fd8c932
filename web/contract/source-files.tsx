// The verified sources of a contract: a tree of files and the open one. The open file is in the URL.
import { useMemo } from 'preact/hooks'
import type { Contract } from '../api.ts'
import { useQuery } from '../location.ts'
import { SaveButton, TextBox } from './text-box.tsx'

export type File = { readonly path: string; readonly text: string }

/** The sources, beginning with the file of the contract. */
function filesOf({ file_path, source_code, additional_sources }: Contract): readonly File[] {
  if (source_code === null) return []
  const others = additional_sources.map((of) => ({ path: of.file_path, text: of.source_code }))
  return [{ path: file_path ?? 'contract', text: source_code }, ...others]
}

export function SourceFiles({ of }: { of: Contract }) {
  const files = filesOf(of)
  const [query, change] = useQuery()
  const tree = useMemo(() => treeOf(files.map(({ path }) => path)), [of])
  const open = files.find(({ path }) => path === query.file) ?? files[0]
  if (open === undefined) return null
  return (
    <section>
      <h2>
        Sources <span class="faint">{files.length === 1 ? 'one file' : `${files.length} files`}</span>
        <SaveButton
          text={JSON.stringify(standardInput(of, files), null, 2)}
          file={`${of.name ?? 'contract'}.standard-input.json`}
          label="Download standard JSON"
        />
      </h2>
      <div class={files.length === 1 ? '' : 'with-tree'}>
        {files.length > 1 && (
          <nav class="tree" aria-label="Source files">
            <Folder of={tree} open={open.path} onChoice={(file) => change({ file }, { replace: true })} />
          </nav>
        )}
        <TextBox
          key={open.path}
          title={open.path}
          text={open.text}
          language={of.is_vyper_contract ? 'vyper' : 'solidity'}
          file={open.path.split('/').at(-1) ?? 'source'}
        />
      </div>
    </section>
  )
}

/** The compiler's input, with which anyone can compile the contract again. */
const standardInput = ({ language, compiler_settings }: Contract, files: readonly File[]) => ({
  language: language === null ? 'Solidity' : `${language.charAt(0).toUpperCase()}${language.slice(1)}`,
  sources: Object.fromEntries(files.map(({ path, text }) => [path, { content: text }])),
  settings: compiler_settings ?? {},
})

// --- the tree

type Tree = { readonly folders: ReadonlyMap<string, Tree>; readonly files: readonly string[] }

/** A folder whose only entry is another folder is shown together with it: `@openzeppelin/contracts/token`. */
function treeOf(paths: readonly string[], depth = 0): Tree {
  const names = [...new Set(paths.map((path) => path.split('/').slice(depth)).flatMap(folderOf))]
  const folders = names.map((name): [string, Tree] => {
    const inside = paths.filter((path) => folderOf(path.split('/').slice(depth))[0] === name)
    const tree = treeOf(inside, depth + 1)
    const [only] = tree.folders
    return tree.files.length === 0 && tree.folders.size === 1 && only !== undefined
      ? [`${name}/${only[0]}`, only[1]]
      : [name, tree]
  })
  return { folders: new Map(folders), files: paths.filter((path) => path.split('/').length === depth + 1) }
}

/** The folder of a path; empty for a file. */
const folderOf = ([first, ...rest]: readonly string[]): string[] =>
  first === undefined || rest.length === 0 ? [] : [first]

type Choice = { readonly open: string; readonly onChoice: (path: string) => void }

const Folder = ({ of, open, onChoice }: { of: Tree } & Choice) => (
  <ul>
    {[...of.folders].map(([name, inside]) => (
      <li key={name}>
        <details open>
          <summary>{name}</summary>
          <Folder of={inside} open={open} onChoice={onChoice} />
        </details>
      </li>
    ))}
    {of.files.map((path) => (
      <li key={path}>
        <button
          type="button"
          aria-current={path === open ? 'true' : undefined}
          title={path}
          onClick={() => onChoice(path)}
        >
          {path.split('/').at(-1)}
        </button>
      </li>
    ))}
  </ul>
)
