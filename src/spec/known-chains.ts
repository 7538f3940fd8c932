// Public chains that a fork may begin at: by chain id, the Ethereum fork whose rules a block of the chain has. They are used
// if the chain's nodes do not tell it themselves (`eth_config`). Every number is from the sources that a comment names. A fork
// that FORKS lacks is not here: its blocks count as blocks of the fork before it.
import { type Address, hexToAddress } from '../lib/hex.ts'
import type { BlobParams, Fork, ForkActivation } from './chain-spec.ts'
import { fromGenesis } from './forks.ts'

/** What execution needs to know of a chain; `blobs` left out: Ethereum mainnet's. */
export type KnownChain = {
  readonly name: string
  readonly forks: readonly ForkActivation[]
  readonly blobs?: ReadonlyMap<Fork, BlobParams>
  /** The contract of EIP-6110, whose logs are requests from Prague on. */
  readonly depositContract?: Address
}

/** The fork and its first block, or the time of its first block in Unix seconds. */
type Start = readonly [Fork, bigint]

/** Forks that begin by block number, whatever the time. */
const byBlock = (...starts: readonly Start[]): ForkActivation[] => starts.map(([fork, block]) => ({ fork, block }))
/** Forks that begin by time. `forkAt` reads them only if `paris` has begun. */
const byTime = (...starts: readonly Start[]): ForkActivation[] => starts.map(([fork, time]) => ({ fork, time }))

/** The same parameters in every fork. */
const constantBlobs = (params: BlobParams): ReadonlyMap<Fork, BlobParams> =>
  new Map<Fork, BlobParams>([
    ['cancun', params],
    ['prague', params],
    ['osaka', params],
  ])

/**
 * The OP Stack has no blobs, and its BLOBBASEFEE is always 1 (ethereum-optimism/optimism, the tests of alloy-op-evm). Since
 * Jovian `blobGasUsed` of its headers counts other data; with this fraction the price stays 1 nevertheless.
 */
const OP_STACK_BLOBS = constantBlobs({ target: 3n, max: 6n, baseFeeUpdateFraction: 1_000_000_000_000n })

// --- Ethereum. `paris` begins with the first block of proof of stake.

// ethereum/go-ethereum params/config.go; paris: ethereumjs/ethereumjs-monorepo packages/common/src/chains.ts
const ETHEREUM: KnownChain = {
  name: 'Ethereum',
  depositContract: hexToAddress('0x00000000219ab540356cbb839cbe05303d7705fa'),
  forks: [
    ...fromGenesis('chainstart'),
    ...byBlock(
      ['homestead', 1_150_000n],
      ['dao', 1_920_000n],
      ['tangerineWhistle', 2_463_000n],
      ['spuriousDragon', 2_675_000n],
      ['byzantium', 4_370_000n],
      ['constantinople', 7_280_000n],
      ['petersburg', 7_280_000n],
      ['istanbul', 9_069_000n],
      ['muirGlacier', 9_200_000n],
      ['berlin', 12_244_000n],
      ['london', 12_965_000n],
      ['arrowGlacier', 13_773_000n],
      ['grayGlacier', 15_050_000n],
      ['paris', 15_537_394n],
    ),
    ...byTime(
      ['shanghai', 1_681_338_455n],
      ['cancun', 1_710_338_135n],
      ['prague', 1_746_612_311n],
      ['osaka', 1_764_798_551n],
      ['bpo1', 1_765_290_071n],
      ['bpo2', 1_767_747_671n],
    ),
  ],
}

// ethereum/go-ethereum params/config.go; paris: ethereumjs/ethereumjs-monorepo packages/common/src/chains.ts
const SEPOLIA: KnownChain = {
  name: 'Sepolia',
  depositContract: hexToAddress('0x7f02c3e3c98b133055b8b348b2ac625669ed295d'),
  forks: [
    ...fromGenesis('london'),
    ...byBlock(['paris', 1_450_409n]),
    ...byTime(
      ['shanghai', 1_677_557_088n],
      ['cancun', 1_706_655_072n],
      ['prague', 1_741_159_776n],
      ['osaka', 1_760_427_360n],
      ['bpo1', 1_761_017_184n],
      ['bpo2', 1_761_607_008n],
      ['amsterdam', 1_791_294_816n],
    ),
  ],
}

// ethereum/go-ethereum params/config.go
const HOODI: KnownChain = {
  name: 'Hoodi',
  depositContract: hexToAddress('0x00000000219ab540356cbb839cbe05303d7705fa'),
  forks: [
    ...fromGenesis('paris'),
    ...byTime(
      ['shanghai', 0n],
      ['cancun', 0n],
      ['prague', 1_742_999_832n],
      ['osaka', 1_761_677_592n],
      ['bpo1', 1_762_365_720n],
      ['bpo2', 1_762_955_544n],
    ),
  ],
}

// --- other chains that merged

// NethermindEth/nethermind src/Nethermind/Nethermind.Specs/GnosisSpecProvider.cs, blobs: src/Nethermind/Chains/gnosis.json;
// paris: gnosischain/reth_gnosis src/initialize/mod.rs ("first post-merge block"). The chain's minimum blob price is 1 gwei,
// which BlobParams cannot say.
const GNOSIS: KnownChain = {
  name: 'Gnosis',
  // gnosischain/configs mainnet/config.yaml
  depositContract: hexToAddress('0x0b98057ea310f4d31f2a452b414647007d1645d9'),
  forks: [
    ...fromGenesis('byzantium'),
    ...byBlock(
      ['constantinople', 1_604_400n],
      ['petersburg', 2_508_800n],
      ['istanbul', 7_298_030n],
      ['berlin', 16_101_500n],
      ['london', 19_040_000n],
      ['paris', 25_349_537n],
    ),
    ...byTime(
      ['shanghai', 1_690_889_660n],
      ['cancun', 1_710_181_820n],
      ['prague', 1_746_021_820n],
      ['osaka', 1_776_168_380n],
    ),
  ],
  blobs: constantBlobs({ target: 1n, max: 2n, baseFeeUpdateFraction: 1_112_826n }),
}

// --- Chains that never merged. They have the opcodes of Ethereum's forks, and precompiles and limits of their own, which are
// not here. `paris` begins with London, because forks by time need it: from that block on opcode 0x44 gives the header's
// mixHash, where the chain's own nodes may give the difficulty or a constant.

// ethereum-optimism/superchain-registry superchain/configs/mainnet/op.toml, Karst: its pull request 1246; Berlin and Isthmus:
// ethereum-optimism/optimism rust/alloy-op-hardforks/src/optimism/mainnet.rs. Bedrock is block 105,235,063.
const OP_MAINNET: KnownChain = {
  name: 'OP Mainnet',
  forks: [
    ...fromGenesis('muirGlacier'),
    ...byBlock(['berlin', 3_950_000n], ['london', 105_235_063n], ['paris', 105_235_063n]),
    ...byTime(
      ['shanghai', 1_704_992_401n], // Canyon
      ['cancun', 1_710_374_401n], // Ecotone
      ['prague', 1_746_806_401n], // Isthmus
      ['osaka', 1_783_526_401n], // Karst
    ),
  ],
  blobs: OP_STACK_BLOBS,
}

// ethereum-optimism/superchain-registry superchain/configs/mainnet/base.toml; Azul, the first upgrade after Base left the OP
// Stack: docs.base.org/base-chain/specs/upgrades/azul/overview and base/base (`ContractUpgrade::execution_hardfork`)
const BASE: KnownChain = {
  name: 'Base',
  forks: [
    ...fromGenesis('paris'),
    ...byTime(
      ['shanghai', 1_704_992_401n], // Canyon
      ['cancun', 1_710_374_401n], // Ecotone
      ['prague', 1_746_806_401n], // Isthmus
      ['osaka', 1_779_991_200n], // Azul
    ),
  ],
  blobs: OP_STACK_BLOBS,
}

// ArbitrumFoundation/docs docs/network-upgrades.md (times), OffchainLabs/go-ethereum params/config.go (which ArbOS has which
// fork). ArbOS 40 has the time when its vote was executed on Ethereum: that was after the time it had scheduled
// (1,750,176,000), and some minutes before the first block with the new rules. Nitro's nodes have blocks from 22,207,817 on.
const ARBITRUM_ONE: KnownChain = {
  name: 'Arbitrum One',
  forks: [
    ...fromGenesis('paris'),
    ...byTime(
      ['shanghai', 1_708_804_873n], // ArbOS 11
      ['cancun', 1_710_424_089n], // ArbOS 20
      ['prague', 1_750_200_983n], // ArbOS 40
      ['osaka', 1_767_891_600n], // ArbOS 51
    ),
  ],
}

// 0xPolygon/bor params/config.go, Lisovo: its pull request 2064; core/vm/jump_table.go (which fork has which opcodes). All
// forks begin by block number, so none has a time: `forkAt` reads `block` of any fork that has no `time`. BLOBHASH and
// BLOBBASEFEE do not exist there, and since Chicago (block 87,218,600) access to storage has other gas costs (PIP-88).
const POLYGON: KnownChain = {
  name: 'Polygon PoS',
  forks: [
    ...fromGenesis('petersburg'),
    ...byBlock(
      ['istanbul', 3_395_000n],
      ['muirGlacier', 3_395_000n],
      ['berlin', 14_750_000n],
      ['london', 23_850_000n],
      ['paris', 23_850_000n],
      ['shanghai', 50_523_000n], // Agra
      ['cancun', 54_876_000n], // Napoli
      ['prague', 73_440_256n], // Bhilai
      ['osaka', 83_756_500n], // Lisovo
    ),
  ],
}

// bnb-chain/reth-bsc src/hardforks/bsc.rs, blobs: src/chainspec/mod.rs (Cancun's parameters in every later fork)
const BNB: KnownChain = {
  name: 'BNB Smart Chain',
  forks: [
    ...fromGenesis('muirGlacier'),
    ...byBlock(['berlin', 31_302_048n], ['london', 31_302_048n], ['paris', 31_302_048n]), // Hertz
    ...byTime(
      ['shanghai', 1_705_996_800n], // Kepler
      ['cancun', 1_718_863_500n], // Haber
      ['prague', 1_742_436_600n], // Pascal
      ['osaka', 1_777_343_400n], // Mendel
    ),
  ],
  blobs: constantBlobs({ target: 3n, max: 6n, baseFeeUpdateFraction: 3_338_477n }),
}

// ava-labs/avalanchego vms/saevm/cchain/genesis_test.go (`TestParseGenesis`, mainnet). Fortuna, Granite and Helicon, the
// upgrades after Etna, bring no Ethereum fork.
const AVALANCHE: KnownChain = {
  name: 'Avalanche C-Chain',
  forks: [
    ...fromGenesis('muirGlacier'),
    ...byBlock(['berlin', 1_640_340n], ['london', 3_308_552n], ['paris', 3_308_552n]), // Apricot Phases 2 and 3
    ...byTime(['shanghai', 1_709_740_800n], ['cancun', 1_734_368_400n]), // Durango, Etna
  ],
}

/** By chain id. */
export const KNOWN_CHAINS: ReadonlyMap<bigint, KnownChain> = new Map<bigint, KnownChain>([
  [1n, ETHEREUM],
  [11_155_111n, SEPOLIA],
  [560_048n, HOODI],
  [100n, GNOSIS],
  [10n, OP_MAINNET],
  [8_453n, BASE],
  [42_161n, ARBITRUM_ONE],
  [137n, POLYGON],
  [56n, BNB],
  [43_114n, AVALANCHE],
])
