// What a newcomer reads first: where the node listens, which chain it is, and the accounts to play with, keys last.
import { resolve } from 'node:path'
import { formatUnits, getAddress } from 'viem'
import { toHex } from '../lib/hex.ts'
import type { Node } from '../node.ts'
import type { Wallet } from '../wallet/wallet.ts'
import type { StartFlags } from './start-flags.ts'
import { VERSION } from './version.ts'

/** What the banner may say of keys. */
export type Published = {
  /** Development accounts: shown with their keys. */
  readonly development: Wallet
  /** Accounts of key files: named only. */
  readonly unlocked: readonly Address[]
  /** In production, whether genesis gave coins to accounts whose keys everybody knows. */
  readonly everybodysCoins: boolean
}

/** The text, with a line break at its end. */
export async function banner(
  { chain, url, server, producer }: Node,
  flags: StartFlags,
  { development, unlocked, everybodysCoins }: Published,
): Promise<string> {
  const { spec, head } = chain
  const socket = url.replace(/^http/, 'ws')
  const hasExplorer = server.hasRoute({ method: 'GET', url: '/api/v2/stats' })
  const facts: [string, string][] = [
    ['Chain', `${spec.name}, id ${spec.chainId} (0x${spec.chainId.toString(16)})`],
    ['JSON-RPC', `${url}/rpc   ${socket}/rpc`],
    ...(hasExplorer ? ([['Explorer', `${url}/api/v2`]] satisfies [string, string][]) : []),
    ['Data', flags.inMemory ? 'in memory: gone when the node stops' : resolve(flags.datadir)],
    ['Head', `block ${head.number}  ${head.hash}`],
    ['Blocks', miningMode(producer.mode())],
    ['Mode', flags.production ? 'production: no development methods' : 'development: --production turns it off'],
  ]
  const lines = [`kestrel ${VERSION}`, '', ...facts.map(([name, value]) => `  ${name.padEnd(10)}${value}`), '']
  const accounts = development.addresses()
  if (accounts.length > 0) lines.push(...(await accountLines(accounts.length)))
  return `${lines.join('\n')}\n`

  async function accountLines(count: number): Promise<string[]> {
    const { view } = await chain.at('latest')
    const symbol = spec.native?.symbol ?? 'ETH'
    const index = (i: number) => `  (${i})`.padEnd(String(count).length + 5)
    return [
      'Accounts',
      ...accounts.map((account, i) => `${index(i)}${getAddress(account)}  ${amount(view.balance(account))} ${symbol}`),
      '',
      'Private keys',
      ...accounts.map((account, i) => `${index(i)}${toHex(development.privateKey(account))}`),
      '',
      flags.mnemonic === undefined
        ? '  Everybody knows these keys. Whatever you send to these accounts on another chain is lost.'
        : '  These keys are in the clear, here and in whatever records this output. Keep nothing of value there.',
      '',
    ]
  }
}

const miningMode = ({ automine, interval }: { automine: boolean; interval: number }): string =>
  automine ? 'at once for each transaction' : interval > 0 ? `every ${interval} s` : 'only when asked for (evm_mine)'

/** Coins with thousands separated. */
export function amount(value: bigint): string {
  const [whole = '0', decimals] = formatUnits(value, 18).split('.')
  const grouped = BigInt(whole).toLocaleString('en-US')
  return decimals === undefined ? grouped : `${grouped}.${decimals}`
}
