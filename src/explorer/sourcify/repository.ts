// Serves verified files in the form of Sourcify's repository and version 1 of its API: one file by its path, or all of a
// contract.
import { checksummed } from '../../lib/checksummed.ts'
import { addressIn, pageOf, type SourcifyRequest, type SourcifyRoute } from './define.ts'
import { SourcifyError } from './errors.ts'
import { filesOf, folderOf, type RepositoryFiles } from './files.ts'

const notFound = (): SourcifyError => new SourcifyError(404, 'not_found', 'Files have not been found!')

async function filesAt({ params, withContext }: SourcifyRequest, isFullOnly: boolean): Promise<RepositoryFiles> {
  const address = addressIn(params)
  const found = await withContext((context) => filesOf(context, address))
  if (found === undefined || (isFullOnly && !found.isFull)) throw notFound()
  return found
}

/** A list of files: their contents or their URLs. */
function listOf({ params, chainId }: SourcifyRequest, { isFull, files }: RepositoryFiles, isTree: boolean) {
  const folder = folderOf(isFull, chainId, addressIn(params))
  return files.map(({ path, content }) =>
    isTree ? `/sourcify${folder}${path}` : { name: path.split('/').at(-1) ?? path, path: `${folder}${path}`, content },
  )
}

/** `any`: also partial matches; the answer says which it is. */
function fileList(path: string, { isTree, any }: { readonly isTree: boolean; readonly any: boolean }): SourcifyRoute {
  return {
    method: 'GET',
    path,
    async handle(request) {
      const found = await filesAt(request, !any)
      const files = listOf(request, found, isTree)
      return { body: any ? { status: found.isFull ? 'full' : 'partial', files } : files }
    },
  }
}

const contracts: SourcifyRoute = {
  method: 'GET',
  path: '/files/contracts/:chain',
  async handle({ verification, withContext }) {
    const all = await withContext(({ view }) => verification.contracts.all(view))
    const of = (wanted: 'exact' | 'partial') =>
      all.filter(({ match }) => match === wanted).map(({ address }) => checksummed(address))
    return { body: { full: of('exact'), partial: of('partial') } }
  },
}

const MATCHES = ['full_match', 'partial_match']

const file: SourcifyRoute = {
  method: 'GET',
  path: '/repository/contracts/:match/:chain/:address/*',
  async handle(request) {
    const { match = '', '*': path = '' } = request.params
    if (!MATCHES.includes(match)) throw notFound()
    // The folder itself, to which Hardhat sends users for a contract.
    if (path === '') return { location: pageOf(addressIn(request.params)) }
    const { isFull, files } = await filesAt(request, false)
    const found = files.find((one) => one.path === path)
    if (found === undefined || isFull !== (match === 'full_match')) throw notFound()
    const type = path.endsWith('.json') ? 'application/json' : 'text/plain'
    return { body: found.content, type: `${type}; charset=utf-8` }
  },
}

const folder: SourcifyRoute = {
  ...file,
  path: '/repository/contracts/:match/:chain/:address',
}

export const repositoryRoutes: readonly SourcifyRoute[] = [
  fileList('/files/any/:chain/:address', { isTree: false, any: true }),
  fileList('/files/tree/any/:chain/:address', { isTree: true, any: true }),
  fileList('/files/tree/:chain/:address', { isTree: true, any: false }),
  fileList('/files/:chain/:address', { isTree: false, any: false }),
  contracts,
  file,
  folder,
]
