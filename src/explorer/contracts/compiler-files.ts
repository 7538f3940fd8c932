// Finds compilers on the disk: in the operator's folders, and in the folders of tools that have downloaded some. Downloads
// nothing, and runs a file only when its version is needed.
import { constants } from 'node:fs'
import { access, readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join, resolve } from 'node:path'

export type CompilerFile = {
  readonly file: string
  readonly language: 'solidity' | 'vyper'
  /** javascript: a soljson build, which Node.js loads; native: a program that reads standard JSON with `--standard-json`. */
  readonly kind: 'javascript' | 'native'
}

/** Depth at which compilers are searched in a folder: `0.8.20/solc-0.8.20`, `compilers-v2/linux-amd64/solc-…`. */
const DEPTH = 2

/** Folders of downloaded compilers of this user: Foundry (svm), Hardhat, solc-select, Brownie and Ape (solcx, vvm). */
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

/** The compilers in a folder, recognized by their file names; none if there is no such folder. */
export async function compilersIn(folder: string, depth = DEPTH): Promise<CompilerFile[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const found = await Promise.all(
    entries.map(async (entry): Promise<CompilerFile[]> => {
      // Absolute, because compilers run in another folder.
      const path = resolve(folder, entry.name)
      if (entry.isDirectory()) return depth > 0 ? compilersIn(path, depth - 1) : []
      const compiler = compilerOf(path, depth === DEPTH)
      return compiler !== undefined && (await isUsable(compiler)) ? [compiler] : []
    }),
  )
  return found.flat()
}

/** The Vyper compiler that the operator has configured. */
export const vyperAt = (file: string): CompilerFile => ({ file: resolve(file), language: 'vyper', kind: 'native' })

const JAVASCRIPT = /^soljson.*\.c?js$/
/** In subfolders `solc.js` is the wrapper of a package. */
const JAVASCRIPT_ON_TOP = /^solc.*\.c?js$/
const NATIVE = /^(solc|vyper)(?![a-z])(?!-json|-serve)(?!.*\.(?:c?js|json|lock|sha256|zip|tmp|md|txt|work)$)[\w.+-]*$/

/** undefined: not the name of a compiler. */
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
