// Where compilers are on the disk: in folders of the operator, and where other people's tools keep those that they have
// downloaded. Nothing is downloaded here, and no file is run before somebody needs its version.
import { constants } from 'node:fs'
import { access, readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'

export type CompilerFile = {
  readonly file: string
  readonly language: 'solidity' | 'vyper'
  /** javascript: a soljson build, which Node.js loads; native: a program that reads standard JSON with `--standard-json`. */
  readonly kind: 'javascript' | 'native'
}

/** Folders in which a folder of compilers is searched: `0.8.20/solc-0.8.20`, `compilers-v2/linux-amd64/solc-…`. */
const DEPTH = 2

/**
 * Folders in which tools keep the compilers that they have downloaded for this user: Foundry (svm), Hardhat, solc-select,
 * Brownie and Ape (solcx, vvm).
 */
export function toolFolders(home: string = homedir(), env: NodeJS.ProcessEnv = process.env): readonly string[] {
  const inCache = (name: string) => [
    join(env.XDG_CACHE_HOME ?? join(home, '.cache'), name),
    join(home, 'Library', 'Caches', name),
  ]
  return [
    join(home, '.svm'),
    join(env.XDG_DATA_HOME ?? join(home, '.local', 'share'), 'svm'),
    join(home, 'Library', 'Application Support', 'svm'),
    ...inCache('hardhat-nodejs'),
    join(home, '.solc-select', 'artifacts'),
    join(home, '.solcx'),
    join(home, '.vvm'),
  ]
}

/** The compilers in a folder, told by the names of files; none when there is no such folder. */
export async function compilersIn(folder: string, depth = DEPTH): Promise<CompilerFile[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const found = await Promise.all(
    entries.map(async (entry): Promise<CompilerFile[]> => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return depth > 0 ? compilersIn(path, depth - 1) : []
      const compiler = compilerOf(path, depth === DEPTH)
      return compiler !== undefined && (await isUsable(compiler)) ? [compiler] : []
    }),
  )
  return found.flat()
}

/** The compiler that an operator has named as Vyper's. */
export const vyperAt = (file: string): CompilerFile => ({ file, language: 'vyper', kind: 'native' })

const JAVASCRIPT = /^soljson.*\.c?js$/
/** In folders below, `solc.js` is the wrapper of a package. */
const JAVASCRIPT_ON_TOP = /^solc.*\.c?js$/
const NATIVE = /^(solc|vyper)(?![a-z])(?!-json|-serve)(?!.*\.(?:c?js|json|lock|sha256|zip|tmp|md|txt|work)$)[\w.+-]*$/

/** undefined: the name is none of a compiler. */
function compilerOf(file: string, isOnTop: boolean): CompilerFile | undefined {
  const name = basename(file).replace(/\.exe$/, '')
  if (JAVASCRIPT.test(name) || (isOnTop && JAVASCRIPT_ON_TOP.test(name)))
    return { file, language: 'solidity', kind: 'javascript' }
  const [, language] = NATIVE.exec(name) ?? []
  if (language === undefined) return undefined
  return { file, language: language === 'vyper' ? 'vyper' : 'solidity', kind: 'native' }
}

const isUsable = ({ file, kind }: CompilerFile): Promise<boolean> =>
  access(file, kind === 'native' ? constants.X_OK : constants.R_OK).then(
    () => true,
    () => false,
  )
