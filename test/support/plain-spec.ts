// A chain without native modules, from a genesis file as geth reads it: Prague from the beginning, one rich account.
import type { ChainSpec } from '../../src/spec/chain-spec.ts'
import { parseGenesisText } from '../../src/spec/genesis-file.ts'

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

export const plainSpec = (rich: string): ChainSpec =>
  parseGenesisText(
    JSON.stringify({
      config: {
        chainId: 1337,
        ...Object.fromEntries(FORKS.map((fork) => [`${fork}Block`, 0])),
        terminalTotalDifficulty: 0,
        ...{ shanghaiTime: 0, cancunTime: 0, pragueTime: 0 },
        blobSchedule: {
          cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 },
          prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
        },
      },
      difficulty: '0x0',
      gasLimit: '0x1c9c380',
      baseFeePerGas: '0x3b9aca00',
      timestamp: '0x0',
      alloc: { [rich]: { balance: '0xd3c21bcecceda1000000' } },
    }),
  )
