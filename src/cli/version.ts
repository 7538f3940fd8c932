// The version in package.json: the build inserts it; npm passes it when the sources run unbuilt.
export const VERSION: string = process.env.KESTREL_VERSION ?? process.env.npm_package_version ?? 'unbuilt'

/** Whether the command line is `--version --verbose`, in either order. */
export const isVerboseVersion = (args: readonly string[]): boolean =>
  args.length === 2 && args.includes('--verbose') && (args.includes('--version') || args.includes('-V'))

/** The output of `--version --verbose`: version, engine, Node.js and platform, one line each. */
export async function versionLines(): Promise<string> {
  const { reportEngine } = await import('../evm/engine-selection.ts')
  const { engine, warning } = reportEngine()
  const { version, platform, arch } = process
  const lines = [VERSION, `engine: ${engine}`, `node: ${version} ${platform} ${arch}`]
  return [...lines, ...(warning === undefined ? [] : [`warning: ${warning}`])].map((line) => `${line}\n`).join('')
}
