// A chain without native modules on which Amsterdam is active from block 0, as go-ethereum's `geth init` takes it.
import { toHex } from '../../src/lib/hex.ts'
import type { GenesisSpec } from '../../src/spec/chain-spec.ts'
import { parseGenesisText } from '../../src/spec/genesis-file.ts'
import { systemContracts } from '../../src/spec/preinstalls.ts'
import { plainGenesis } from './plain-spec.ts'

/** `rich`: the account with coins. */
export const amsterdamSpec = (rich: string): GenesisSpec => parseGenesisText(JSON.stringify(amsterdamGenesis(rich)))

function amsterdamGenesis(rich: string): object {
  const plain = plainGenesis(rich)
  const system = systemContracts('amsterdam').map(({ address, code }) => [
    address,
    { nonce: '0x1', balance: '0x0', code: toHex(code) },
  ])
  const { config, alloc } = plain
  return {
    ...plain,
    config: { ...config, osakaTime: 0, amsterdamTime: 0 },
    alloc: { ...alloc, ...Object.fromEntries(system) },
  }
}
