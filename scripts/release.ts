// `npm run release`: makes in build/release/ what a maintainer publishes of the version in package.json: the npm package, which
// `npm run check:pack` has checked, its bill of materials, SHA-256 sums, and the notes out of CHANGELOG.md. Then prints the commands
// that publish them. Nothing is uploaded. Refuses a version that is not ready; with `--rehearse` it only says what it would refuse.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const FOLDER = 'build/release'
const SUMS = 'SHA256SUMS'
const NOTES = 'notes.md'

const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
const npm = (...args: string[]) => execFileSync('npm', args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })

const { version, repository }: { version: string; repository?: unknown } = JSON.parse(read('package.json'))
const tag = `v${version}`
const { date, text } = notesOf(read('CHANGELOG.md'))
const reasons = [...refusals()]
for (const reason of reasons) console.error(`release: ${reason}`)
if (reasons.length > 0 && !process.argv.includes('--rehearse')) process.exitCode = 1
else release()

/** The section of this version, `## VERSION (DATE)`: both are undefined when there is none. */
function notesOf(changelog: string): { readonly date?: string | undefined; readonly text?: string | undefined } {
  const sections = changelog.split(/^## /m).map((section) => /^(\S+) \(([^)\n]*)\)\n(.*)$/s.exec(section))
  const [, , date, text] = sections.find((section) => section?.[1] === version) ?? []
  return { date, text: text?.trim() }
}

/** Why this version must not be published, one line each. */
function* refusals(): Generator<string> {
  if (git('status', '--porcelain') !== '') yield 'there are changes that are not committed'
  if (!text) yield `CHANGELOG.md has no notes below \`## ${version} (DATE)\``
  else if (!/^\d{4}-\d\d-\d\d$/.test(date ?? ''))
    yield `CHANGELOG.md: \`## ${version} (${date})\` needs the date of the release`
  const [tagged = ''] = git('for-each-ref', '--format=%(*objectname) %(objectname)', `refs/tags/${tag}`)
    .trim()
    .split(' ')
  if (tagged !== '' && tagged !== git('rev-parse', 'HEAD')) yield `the tag ${tag} is another commit`
  if (repository === undefined) yield 'package.json names no `repository`, which npm compares with the provenance'
}

function release(): void {
  const folder = join(root, FOLDER)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  npm('run', '-s', 'package')
  npm('pack', '--silent', '--pack-destination', FOLDER, './build/package')
  const [tarball = ''] = readdirSync(folder)
  npm('run', '-s', 'check:pack', '--', join(folder, tarball))
  copyFileSync(join(root, 'dist/sbom.cdx.json'), join(folder, 'sbom.cdx.json'))
  const sums = readdirSync(folder).map((name) => {
    const hash = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')
    return `${hash}  ${name}\n`
  })
  writeFileSync(join(folder, SUMS), sums.join(''))
  // A release's page is outside the files that the links of the changelog are relative to.
  const notes = text?.replace(/\[[^\]]*\]\((docs\/[^)#]+)[^)]*\)/g, '$1') ?? ''
  writeFileSync(join(folder, NOTES), `${notes}\n`)
  const files = [tarball, 'sbom.cdx.json', SUMS].map((name) => `${FOLDER}/${name}`).join(' ')
  console.log(`
${sums.join('')}
${FOLDER}/ has the files. Nothing was uploaded. To publish them:

  git tag -a ${tag} -m 'kestrel ${version}' && git push origin ${tag}
  gh workflow run release.yml --ref ${tag}

The workflow tests the tag, makes the files again, waits for the approval and publishes them. Without the workflow, which alone can
add npm's provenance:

  npm publish ./${FOLDER}/${tarball} --access public
  gh release create ${tag} ${files} --verify-tag --title 'kestrel ${version}' --notes-file ${FOLDER}/${NOTES}`)
}
