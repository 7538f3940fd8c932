// `--config-out`: the development accounts with their keys, and settings of the chain, as JSON in anvil's shape, for scripts.
import { writeFile } from 'node:fs/promises'
import { toHex } from '../lib/hex.ts'
import type { Node } from '../node.ts'
import { devKeys } from '../spec/presets.ts'
import { ETHEREUM_PATH, type Wallet } from '../wallet/wallet.ts'
import type { StartFlags } from './start-flags.ts'

/** From what the development accounts follow, as anvil says it: with a slash at the end of the path. */
export const keySource = ({
  preset = 'kestrel',
  mnemonic = devKeys[preset][0]?.mnemonic,
  derivationPath = `${ETHEREUM_PATH}/`,
}: Pick<StartFlags, 'preset' | 'mnemonic' | 'derivationPath'>) => ({ mnemonic, derivationPath })

/** Writes the file, which only its owner may read, or replaces it. Throws Node's file error. */
export async function writeConfig(
  file: string,
  { chain }: Pick<Node, 'chain'>,
  flags: StartFlags,
  development: Wallet,
): Promise<void> {
  const accounts = development.addresses()
  const { mnemonic, derivationPath } = keySource(flags)
  const config = {
    available_accounts: accounts,
    private_keys: accounts.map((account) => toHex(development.privateKey(account))),
    wallet: { derivation_path: derivationPath, mnemonic },
    base_fee: String(chain.fees.nextBaseFee() ?? 0n),
    gas_price: String(chain.fees.gasPrice()),
    gas_limit: String(chain.head.gasLimit),
    genesis_timestamp: String(chain.spec.genesis.timestamp),
  }
  await writeFile(file, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 })
}
