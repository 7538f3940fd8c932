// A chain without native modules, from a genesis file as geth reads it: Prague from block 0, one funded account, and the system
// contracts without which no Prague block is valid.
import { toHex } from '../../src/lib/hex.ts'
import type { GenesisSpec } from '../../src/spec/chain-spec.ts'
import { parseGenesisText } from '../../src/spec/genesis-file.ts'
import { systemContracts } from '../../src/spec/preinstalls.ts'

const FORKS = [
  'homestead',
  'eip150',
  'eip155',
  'eip158',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'berlin',
  'london',
]

/** Genesis accounts of the contracts that a fork's blocks call (EIPs 4788, 2935, 7002, 7251; 8282 from Amsterdam on). */
export const systemAlloc = (
  fork: 'prague' | 'amsterdam' = 'prague',
): Record<string, { nonce: string; balance: string; code: string }> =>
  Object.fromEntries(
    systemContracts(fork).map(({ address, code }) => [address, { nonce: '0x1', balance: '0x0', code: toHex(code) }]),
  )

export const plainSpec = (rich: string): GenesisSpec => parseGenesisText(JSON.stringify(plainGenesis(rich)))

/** The genesis file of `plainSpec`. */
export const plainGenesis = (rich: string) => ({
  config: {
    chainId: 1337,
    ...Object.fromEntries(FORKS.map((fork) => [`${fork}Block`, 0])),
    terminalTotalDifficulty: 0,
    shanghaiTime: 0,
    cancunTime: 0,
    pragueTime: 0,
    blobSchedule: {
      cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 },
      prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
    },
  },
  difficulty: '0x0',
  gasLimit: '0x1c9c380',
  baseFeePerGas: '0x3b9aca00',
  timestamp: '0x0',
  alloc: { ...systemAlloc(), [rich]: { balance: '0xd3c21bcecceda1000000' } },
})
