// Constructs the explorer of a node with its parts.
import { LocalArtifacts } from '../contracts/artifacts/local-artifacts.ts'
import type { Logger } from '../lib/log.ts'
import { Verification } from './contracts/verification.ts'
import { Explorer, type Parts } from './explorer.ts'
import { defaultExplorerOptions, type ExplorerOptions } from './options.ts'
import { Hub } from './socket/hub.ts'

/** The explorer with its live updates, contract verification and the developer's builds. */
export async function openExplorer(
  { log: root, ...parts }: Pick<Parts, 'chain' | 'queue' | 'network'> & { readonly log: Logger },
  given: Partial<ExplorerOptions> = {},
): Promise<Explorer> {
  const options = { ...defaultExplorerOptions, ...given }
  const log = root.child({ room: 'explorer' })
  const hub = new Hub()
  const verification = await Verification.open({ ...options, chain: parts.chain, hub, log })
  const artifacts = new LocalArtifacts(options.artifacts, root.child({ room: 'contracts' }))
  return new Explorer({ ...parts, options, hub, verification, artifacts, log })
}
