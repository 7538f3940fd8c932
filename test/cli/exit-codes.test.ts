// Exit code 2 for a command line that is wrong by itself: every flag and operand of every command, taken from the commands'
// definitions, so that new ones are tested too. Errors of the disk or the node end with 1.
import type { Command, Option } from 'commander'
import { describe, expect, it } from 'vitest'
import { kebab } from '../../src/cli/option.ts'
import { createProgram } from '../../src/cli/program.ts'
import { folder, ONE_LINE, run, runHere } from './support.ts'

/** Flags whose value is a path or free text: only an empty value is wrong. */
const FREE = [
  ...['--artifacts', '--cometbft'],
  ...['--datadir', '--genesis', '--compilers', '--vyper', '--prices', '--keystore', '--password-file'],
  ...['--private-key-file', '--home', '--engine-home', '--output', '--from', '--config'],
  ...['--proposal', '--activate', '--deactivate'],
  ...['--state', '--load-state', '--dump-state', '--config-out', '--ipc', '--ipcpath', '--init', '--cache-path'],
  ...['--title', '--text-chain-id', '--symbol', '--moniker'],
]
/** Flags that may be empty as well. */
const ANY = ['--summary', '--identity', '--website', '--security-contact', '--details']
/** Valid values of operands that are not paths. */
const OPERANDS: Readonly<Record<string, string>> = {
  address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  number: '1',
  amount: '1',
  target: `0x${'12'.repeat(32)}`,
}
/** Arguments that a command needs before it checks the tested flag. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  start: ['--in-memory'],
  init: ['--genesis', 'genesis.json'],
  'params propose': ['--activate', 'kestrel_0'],
  rewind: ['--to', '0'],
  'validator create': ['--moniker', 'carol'],
  'snapshot export': ['--output', 'file'],
}

type Leaf = { readonly name: string; readonly command: Command }

/** Commands with an action, by their full names. */
const leaves = (command: Command, path: readonly string[] = []): Leaf[] =>
  command.commands.length === 0
    ? [{ name: path.join(' '), command }]
    : command.commands.flatMap((child) => leaves(child, [...path, child.name()]))

const commands = leaves(await createProgram(() => true))
const operandsOf = ({ command }: Leaf): string[] =>
  command.registeredArguments.filter(({ required }) => required).map((operand) => OPERANDS[operand.name()] ?? 'file')
const lineOf = (leaf: Leaf, ...more: string[]): string[] => [
  ...[...leaf.name.split(' '), ...operandsOf(leaf), ...(NEEDED[leaf.name] ?? [])],
  ...more,
]

const badValues = (flag: Option): string[] => {
  const name = flag.long ?? ''
  if (ANY.includes(name)) return []
  return FREE.includes(name) ? [''] : ['', 'nope!']
}

/** Runs a command line in this process: its exit code and the words of its refusal. */
async function codeOf(args: readonly string[]): Promise<{ code: number | null; words: string }> {
  const { code, stderr } = await runHere(...args)
  return { code, words: stderr }
}

const flags = commands.flatMap((leaf) =>
  leaf.command.options
    .filter((flag) => flag.required || flag.optional)
    .flatMap((flag) => badValues(flag).map((value) => [leaf.name, flag.long ?? '', value] as const)),
)

describe('bad values of flags', () => {
  it('are tested for every command and end with code 2 and one line', () => {
    expect(commands.length).toBeGreaterThan(20)
    expect(flags.length).toBeGreaterThan(150)
    const known = commands.flatMap(({ command }) => command.options.map(({ long }) => long))
    expect([...FREE, ...ANY].filter((name) => !known.includes(name))).toEqual([])
  })

  it.each(flags)('%s %s "%s" ends with 2', async (name, flag, value) => {
    const leaf = commands.find((of) => of.name === name)
    if (leaf === undefined) throw new Error(name)
    const { code, words } = await codeOf(lineOf(leaf, `${flag}=${value}`))
    // `--blockTime` and `--block-time` are one flag for the parser.
    expect({ code, words: kebab(words) }).toEqual({ code: 2, words: expect.stringContaining(kebab(flag)) })
  })
})

describe('missing, surplus or wrong operands, and unknown flags, end with 2', () => {
  it.each(commands.map(({ name }) => name))('%s', async (name) => {
    const leaf = commands.find((of) => of.name === name)
    if (leaf === undefined) throw new Error(name)
    expect((await codeOf(lineOf(leaf, '--no-such-flag'))).code).toBe(2)
    const operands = operandsOf(leaf)
    if (operands.length === 0) return
    expect((await codeOf([...name.split(' '), ...operands.slice(1), ...(NEEDED[name] ?? [])])).code).toBe(2)
    for (const index of operands.keys())
      expect((await codeOf([...name.split(' '), ...operands.with(index, ''), ...(NEEDED[name] ?? [])])).code).toBe(2)
  })

  it.each([
    [['gov', 'submit', '']],
    [['gov', 'submit']],
    [['gov', 'vote', '1', 'maybe']],
    [['gov', 'vote', '1', '--weights', 'yes=x,no=1']],
    [['gov', 'vote', '0', 'yes']],
    [['call', 'nothing']],
    [['call', 'staking', 'un']],
    [['send', 'gov', 'get']],
    [['params', 'propose']],
    [['export', 'x', '--first', '3', '--last', '2']],
    [['start', '--datadir', '']],
    [['start', '--cors-origins', '']],
  ])('the program ends with 2 after one line: %j', async (args) => {
    const { code, stdout, stderr } = await run(await folder(), ...args)
    expect(stderr).toMatch(ONE_LINE)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })

  it.each([
    [['accounts', 'list', '--datadir', 'nope']],
    [['accounts', 'list', '--keystore', 'nope']],
    [['start', '--in-memory', '--compilers', 'nope']],
    [['start', '--in-memory', '--genesis', 'nope']],
    [['start', '--in-memory', '--prices', 'nope']],
    [['import', 'nope']],
  ])('what is not there ends with 1: %j', async (args) => {
    const { code, stderr } = await run(await folder(), ...args)
    expect(stderr).toMatch(ONE_LINE)
    expect(code).toBe(1)
  })
})
