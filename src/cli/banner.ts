// The text that `start` prints: where the node listens, which chain it runs, and the development accounts with their keys.
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { getAddress } from 'viem'
import { amount } from '../contracts/words.ts'
import { ANY } from '../http/access.ts'
import { type Address, toHex } from '../lib/hex.ts'
import type { Node } from '../node.ts'
import { untilComplete } from '../state/partial-state.ts'
import type { Wallet } from '../wallet/wallet.ts'
import type { Launched } from './launch.ts'
import { engineOf, type StartFlags } from './start-flags.ts'
import { VERSION } from './version.ts'

/**
 * The text, with a final line break. Shows the keys of `development`, never those of key files; `operators` are validators'
 * operators, for whom the node signs too.
 */
export async function banner({ node, flags, development, operators }: Launched): Promise<string> {
  const { spec, head } = node.chain
  const { url } = node
  const socket = url.replace(/^http/, 'ws')
  const facts: readonly (readonly [string, string | false])[] = [
    ['Chain', `${spec.name}, id ${spec.chainId} (0x${spec.chainId.toString(16)})`],
    ['Fork', forkedFrom(node)],
    ['JSON-RPC', `${url}/rpc   ${socket}/rpc`],
    ['Explorer', `${url}/   ${url}/api/v2`],
    [
      'Data',
      flags.inMemory ? 'in memory only: lost when the node stops' : `${resolve(flags.datadir)}   ${synced(flags)}`,
    ],
    ['Head', `block ${head.number}  ${head.hash}`],
    [
      'Blocks',
      flags.consensus === undefined
        ? miningMode(node.producer.mode())
        : `decided with other nodes by ${flags.consensus}`,
    ],
    ['Mode', flags.production ? 'production: no development methods' : 'development: --production turns it off'],
    ['Pages', pagesThatMayCall(flags)],
    ['Engine', engineOf(flags)],
    ['Builds', builds(flags)],
    ['Unlocked', listed(flags.unlock)],
    ['Operators', listed(operators)],
  ]
  const lines = facts.filter(([, value]) => value).map(([name, value]) => `  ${name.padEnd(10)}${value}`)
  const accounts = development.addresses().length > 0 ? await accountLines(node, flags, development) : []
  return [`kestrel ${VERSION}`, '', ...lines, '', ...accounts].map((line) => `${line}\n`).join('')
}

/** What accounts have at the head, in base units. */
export const balancesOf = (chain: Node['chain'], accounts: readonly Address[]): Promise<bigint[]> =>
  untilComplete(chain.missing, async () => {
    const { view } = await chain.at('latest')
    return accounts.map((account) => view.balance(account))
  })

async function accountLines(
  { chain }: Node,
  { mnemonic, mnemonicRandom }: StartFlags,
  wallet: Wallet,
): Promise<string[]> {
  const accounts = wallet.addresses()
  const balances = await balancesOf(chain, accounts)
  const symbol = chain.spec.native?.symbol ?? 'ETH'
  const index = (i: number) => `  (${i})`.padEnd(String(accounts.length - 1).length + 5)
  return [
    'Accounts',
    ...accounts.map((account, i) => `${index(i)}${getAddress(account)}  ${amount(balances[i] ?? 0n)} ${symbol}`),
    '',
    'Private keys',
    ...accounts.map((account, i) => `${index(i)}${toHex(wallet.privateKey(account))}`),
    '',
    ...(mnemonicRandom === undefined ? [] : ['Mnemonic', `  ${mnemonic}`, '']),
    mnemonic === undefined
      ? 'Warning: these keys are public. Coins that you send to these accounts on another chain are lost.'
      : 'Warning: these keys are printed unencrypted, here and in every log of this output.',
    '',
  ]
}

function forkedFrom({ chain: { forked, spec } }: Node): string | false {
  if (forked === undefined) return false
  const { at, remote } = forked
  const source = remote?.name ?? 'no --fork-url: only what was fetched before'
  const modules = spec.native === undefined ? '' : ', with native modules'
  return `of chain ${at.chainId} at block ${at.number}  ${at.hash}  (${source})${modules}`
}

/** The builds that are read, or else those of the working directory, which could be. */
function builds({ artifacts }: StartFlags): string | false {
  if (artifacts.length > 0) return artifacts.join('   ')
  const found = ['out', 'artifacts'].filter(looksLikeBuild)
  return found.length > 0 && `--artifacts ${found.join(' --artifacts ')} gives the contracts of your build names`
}

/** Whether Foundry or Hardhat could have written a folder. */
function looksLikeBuild(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => name === 'build-info' || name.endsWith('.sol'))
  } catch {
    return false
  }
}

/** The web pages that may call the node; false for the default, which is not shown. */
function pagesThatMayCall({ corsOrigins, unlock }: StartFlags): string | false {
  if (corsOrigins === undefined) return unlock.length > 0 && 'only the explorer may call (--cors-origins names others)'
  if (corsOrigins.includes(ANY))
    return 'any page may call. Warning: also every page that a browser on this machine opens'
  return corsOrigins.length === 0 ? 'only the explorer may call' : `may call from ${corsOrigins.join(', ')}`
}

/** One address per line; false for an empty list. */
const listed = (accounts: readonly Address[]): string | false =>
  accounts.map((account) => getAddress(account)).join('\n            ') || false

const synced = ({ durable }: StartFlags): string =>
  durable === 'block' ? 'each block is synced' : `synced within ${durable} ms`

const miningMode = ({ automine, interval }: { automine: boolean; interval: number }): string =>
  automine ? 'one for each transaction, at once' : interval > 0 ? `every ${interval} s` : 'only on request (evm_mine)'
