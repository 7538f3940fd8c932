// `kestrel trace` and `kestrel profile` against a node that knows the contracts by their build.
import { expect, it } from 'vitest'
import { FILE, lineWith, tracedChain } from '../contracts/traces/scenario.ts'
import { api } from '../explorer/support.ts'
import { runHere } from './support.ts'

async function commands() {
  const chain = await tracedChain()
  const program = (...args: string[]) => runHere(...args, '--rpc-url', `${chain.url}/rpc`)
  const lines = async (...args: string[]) => {
    const { code, stdout, stderr } = await program(...args)
    expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' })
    return stdout.trimEnd().split('\n')
  }
  return { ...chain, program, lines }
}

const at = (text: string, column: number) => `${FILE}:${lineWith(text)}:${column}`
const withoutGas = (line: string) => line.replace(/[\d,]+ gas/, 'N gas').replace(/0x\w{4}…\w{4}/g, '0x…')

it('trace shows the calls of a transaction as a tree, and where it failed', async () => {
  const { vault, caller, lines } = await commands()
  const hash = await caller.call('takeFor', vault.address, 5000n)
  const failure = 'failed: NotEnough(who: 0x…, has: 1, wants: 5000)'
  expect((await lines('trace', hash)).map(withoutGas)).toEqual([
    `Caller.takeFor(vault: 0x…, amount: 5000)  N gas  ${failure}`,
    `├─ Vault.put(amount: 1)  at ${at('vault.put(1);', 9)}  N gas`,
    `│  ├─ Vault._check  at ${at('_check(amount);', 9)}  N gas`,
    `│  │  ├─ Checks.atMost  at ${at('Checks.atMost(', 9)}  N gas`,
    '│  │  └─ event Checked(amount: 1)',
    '│  ├─ event Put(from: 0x…, amount: 1, state: Open)',
    '│  └─ console.log: put 1',
    `└─ Vault.take(amount: 5000)  at ${at('vault.take(amount);', 9)}  N gas  ${failure}`,
    `   └─ Vault._enough  at ${at('_enough(amount);', 9)}  N gas`,
    `${failure} at Vault._enough (${at('revert NotEnough', 20)})`,
    `  at Vault.take (${at('_enough(amount);', 9)})`,
    `  at Caller.takeFor (${at('vault.take(amount);', 9)})`,
  ])
})

it('trace and profile try a call of an address or of a native contract', async () => {
  const { url, vault, program, lines, bob } = await commands()
  const [first] = await lines('trace', vault.address, 'take(uint256 amount)', '7', '--from', bob.address)
  expect(first).toMatch(
    /^Vault\.take\(amount: 7\) {2}[\d,]+ gas {2}failed: NotEnough\(who: 0x7099…79C8, has: 0, wants: 7\)$/,
  )
  expect((await lines('trace', 'bank', 'supplyOf', bob.address))[0]).toMatch(/^Bank\.supplyOf\(/)
  expect((await lines('profile', vault.address, 'put(uint256)', '7')).map((line) => line.replace(/ \d+$/, ''))).toEqual(
    ['Vault.put', 'Vault.put;Vault._check', 'Vault.put;Vault._check;Checks.atMost', 'Vault.put;console.log'],
  )
  // What the contract would move is among the lines.
  const [operator] = (await api(url).read('/native/validators')).items
  const delegation = await lines('trace', 'staking', 'delegate', 'me', operator.operator_address, '1.5KEST')
  expect(delegation).toContainEqual(expect.stringMatching(/^├─ 1\.5 KEST to 0x\w{4}…\w{4}$/))
  for (const wrong of [[vault.address, 'take'], ['0x12'], ['nothing', 'f']])
    expect((await program('trace', ...wrong)).code).toBe(2)
})

it('profile has folded stacks, which add up to the gas, and gas by line', async () => {
  const { viem, vault, caller, lines } = await commands()
  const hash = await caller.call('work', vault.address, 2n)
  const { gasUsed } = await viem.getTransactionReceipt({ hash })
  const stacks = await lines('profile', hash)
  expect(stacks).toContainEqual(expect.stringMatching(/^Caller\.work;Vault\.put;Vault\._check;Checks\.atMost \d+$/))
  const sum = stacks.reduce((sum, line) => sum + BigInt(line.slice(line.lastIndexOf(' ') + 1)), 0n)
  expect(sum).toBe(gasUsed)
  const [file, ...byLine] = await lines('profile', hash, '--lines')
  expect(file).toBe(FILE)
  const number = lineWith('emit Put(')
  expect(byLine).toContainEqual(
    expect.stringMatching(
      new RegExp(`^ +[\\d,]+ gas +[\\d.]+ % +${number} {10}emit Put\\(msg\\.sender, amount, state\\);$`),
    ),
  )
  expect(JSON.parse((await lines('profile', hash, '--json')).join('\n'))).toMatchObject({
    total: Number(gasUsed),
    refund: 0,
  })
})
