// The text that `kestrel anvil` prints when it listens. It has the form of anvil's, because programs that start anvil wait for the last
// line and read accounts and keys from the others.
import { formatEther, getAddress } from 'viem'
import { toHex } from '../lib/hex.ts'
import { firstBlock } from '../spec/forks.ts'
import { balancesOf } from './banner.ts'
import { keySource } from './config-out.ts'
import type { Launched } from './launch.ts'
import { VERSION } from './version.ts'

/** The text, with a final line break. */
export async function anvilBanner({ node: { chain, url }, flags, development }: Launched): Promise<string> {
  const accounts = development.addresses()
  const balances = await balancesOf(chain, accounts)
  const { mnemonic, derivationPath } = keySource(flags)
  const { genesis, chainId } = chain.spec
  const parts: readonly (readonly [string, readonly string[]])[] = [
    [
      'Available Accounts',
      ['', ...accounts.map((account, i) => `(${i}) ${getAddress(account)} (${decimal(balances[i] ?? 0n)} ETH)`)],
    ],
    ['Private Keys', ['', ...accounts.map((account, i) => `(${i}) ${toHex(development.privateKey(account))}`)]],
    ['Wallet', [`Mnemonic:          ${mnemonic}`, `Derivation path:   ${derivationPath}`]],
    ['Chain ID', ['', String(chainId)]],
    ['Base Fee', ['', String(chain.fees.nextBaseFee() ?? 0n)]],
    ['Gas Limit', ['', String(chain.head.gasLimit)]],
    ['Genesis Timestamp', ['', String(genesis.timestamp)]],
    ['Genesis Number', ['', String(firstBlock(chain.spec))]],
  ]
  const texts = parts.map(([title, lines]) => `${title}\n==================\n${lines.join('\n')}\n\n`)
  return `kestrel ${VERSION}, with anvil's command line\n\n${texts.join('')}Listening on ${new URL(url).host}\n`
}

/** anvil writes all decimals. */
const decimal = (wei: bigint): string => {
  const [whole = '0', fraction = ''] = formatEther(wei).split('.')
  return `${whole}.${fraction.padEnd(18, '0')}`
}
