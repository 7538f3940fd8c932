// The meaning of each field of the genesis file, by its path, for docs/genesis.md. Types and defaults come from the schema; the
// generator refuses a field without a meaning, and a meaning without a field.
import { BLOB_FORKS, isBlobParameterFork, TIME_FORKS } from '../src/spec/chain-spec.ts'

const BLOB = 'target and maximum of blobs in a block, and the fraction by which their base fee moves (EIP-7840)'
const forks = {
  homesteadBlock: 'Homestead',
  daoForkBlock: 'DAO fork; left out: none',
  eip150Block: 'Tangerine Whistle',
  eip155Block: 'Spurious Dragon; the same as `eip158Block`',
  eip158Block: 'Spurious Dragon',
  byzantiumBlock: 'Byzantium',
  constantinopleBlock: 'Constantinople',
  petersburgBlock: 'Petersburg; left out: with Constantinople',
  istanbulBlock: 'Istanbul',
  muirGlacierBlock: 'Muir Glacier; may be left out',
  berlinBlock: 'Berlin',
  londonBlock: 'London (EIP-1559)',
  arrowGlacierBlock: 'Arrow Glacier; may be left out',
  grayGlacierBlock: 'Gray Glacier; may be left out',
}
const timeForks = Object.fromEntries(
  TIME_FORKS.map((fork) => [
    `${fork}Time`,
    isBlobParameterFork(fork)
      ? 'change of blob parameters (EIP-7892); may be left out'
      : `${fork.charAt(0).toUpperCase()}${fork.slice(1)}`,
  ]),
)
const later = ['ubtTime', 'verkleTime', 'enableVerkleAtGenesis', 'enableUBTAtGenesis']
const inConfig = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [`config.${name}`, text]))

export const meanings: Readonly<Record<string, string>> = {
  'config.chainId': 'chain id (EIP-155), above 0',
  ...inConfig(forks),
  'config.daoForkSupport': 'whether the DAO fork moves the balances',
  'config.mergeNetsplitBlock': 'block of the network split after the merge; changes no rule',
  'config.terminalTotalDifficulty': 'total difficulty at which proof of stake begins; 0: at block 0',
  'config.terminalTotalDifficultyPassed': 'true: the same as a terminal total difficulty of 0',
  ...inConfig(timeForks),
  ...Object.fromEntries(later.map((name) => [`config.${name}`, 'a fork that this node cannot run: must be left out'])),
  'config.contractSizeLimit':
    "most bytes of a contract's code, twice that of its init code; left out: those of the fork",
  'config.depositContractAddress': 'contract whose logs are deposit requests (EIP-6110); left out: the zero address',
  ...Object.fromEntries(
    BLOB_FORKS.flatMap((fork) => [
      [
        `config.blobSchedule.${fork}`,
        `${fork}: ${BLOB}${isBlobParameterFork(fork) ? '; needed with its fork' : '; left out: as on mainnet'}`,
      ],
    ]),
  ),
  nonce: 'nonce of the header of block 0; left out: 0',
  timestamp: 'its time in Unix seconds; left out: 0',
  extraData: 'its extra data; left out: none',
  gasLimit: 'its gas limit; 0 counts as 4,712,388. `--gas-limit` changes that of new blocks',
  difficulty: 'its difficulty; 0 after the merge',
  mixHash: 'its mixHash; left out: zero',
  coinbase: 'its fee recipient, and that of new blocks; left out: the zero address, and the bonded validators in turn',
  'alloc.ADDRESS.balance': 'coins in wei',
  'alloc.ADDRESS.nonce': 'nonce; 1 for contracts (EIP-161)',
  'alloc.ADDRESS.code': 'code of a contract',
  'alloc.ADDRESS.storage': 'its storage; slots and words may be short',
  number: 'number of the first block; left out: 0; needs 0 in a network',
  gasUsed: 'gas used of the header of block 0; left out: 0',
  parentHash: 'its parent hash; left out: zero',
  baseFeePerGas:
    'its base fee; left out: 1 gwei (EIP-1559), or the floor `kestrel.feeMarket.minBaseFee` where that is higher',
  excessBlobGas: 'its excess blob gas; left out: 0',
  blobGasUsed: 'its blob gas; left out: 0',
  slotNumber: 'its slot number (EIP-7843); left out: 0',
  'kestrel.name': 'name of the chain; proposals are `NAME_0`, `NAME_1`, …',
  'kestrel.textChainId': 'chain id as Cosmos writes it; left out: `NAME_CHAINID-1`',
  'kestrel.denom': 'denomination of the base unit',
  'kestrel.symbol': 'symbol of the coin, 18 decimals',
  'kestrel.coinName':
    "name of the coin in its ERC-20 contract, which chains with cosmos/evm's interfaces have; left out: the symbol",
  'kestrel.bech32Prefix': 'prefix of bech32 addresses; validators add `valoper` and `valcons`',
  'kestrel.interfaces':
    "whose ABIs, events and authority the native contracts have: Evmos' or those of its successor cosmos/evm; left out: `evmos`. [precompiles.md](precompiles.md#chains-of-cosmosevms-interfaces)",
  'kestrel.feeMarket.burnBaseFee': 'true: base fees are burnt, as on Ethereum; false: they go to the stakers',
  'kestrel.feeMarket.minBaseFee':
    'floor of the base fee in wei per gas, which governance may change; 0: none at first; left out: none, and governance cannot set one',
  'kestrel.clock':
    'whether a block may have the timestamp of its parent (`non-decreasing`) or must be later (`strictly-increasing`, Ethereum)',
  'kestrel.transactionGasCap': 'most gas of a transaction, at least 21000; left out: the gas limit of the block',
  'kestrel.boundedWork':
    'true: gas limits also bound the work that opcode proposals leave unpaid, and lists under which code could run for ever without gas are refused',
  'kestrel.nativeGas':
    'prices of native calls: 2 includes decoding, encoding and reads as measured ([gas](precompiles.md#gas)); 1, or left out: without',
  'kestrel.authz.granter': 'who grants with `approve`: its caller, or the signer of the transaction (Evmos)',
  'kestrel.compat.allowanceOrder': 'order of the arguments of `allowance`',
  'kestrel.compat.entriesAsStruct': 'true: unbonding entries in the form that Evmos answers since v15',
  'kestrel.compat.decCoinRaw': 'decimal coins of `Distribution` with their 18 decimals, instead of whole base units',
  'kestrel.compat.distributionGrants':
    'whether a contract needs a grant for distribution calls of the signer; evmosd asks for none',
  'kestrel.proposals[].name': 'opcode proposal of a file that this chain may use: [proposals.md](proposals.md)',
  'kestrel.proposals[].sha256': 'SHA-256 of that file',
  'kestrel.proposals[].since': 'block from which it may be used',
  'kestrel.params.activeProposals[]': 'opcode proposals that are active from block 0, in order of application',
  'kestrel.upgrades[].name': 'name of an upgrade',
  'kestrel.upgrades[].height': 'first block of it',
  'kestrel.upgrades[].params.activeProposals[]': 'replaces the list of active proposals',
  'kestrel.upgrades[].addProposals[]': 'adds to it',
  'kestrel.upgrades[].removeProposals[]': 'takes from it',
  'kestrel.validators[].operator': 'account of the validator',
  'kestrel.validators[].consensusKey': 'ed25519 public key; left out: derived from the operator',
  'kestrel.validators[].moniker': 'its name',
  'kestrel.validators[].commission.rate': 'part of the rewards that it keeps',
  'kestrel.validators[].commission.maxRate': 'the most that the rate may become',
  'kestrel.validators[].commission.maxChangeRate': 'the most that it may change in a day',
  'kestrel.validators[].selfDelegation': 'base units that the operator bonds at block 0, from its balance in `alloc`',
  'kestrel.validators[].minSelfDelegation': 'below this the validator is jailed',
  'kestrel.consensus.engine': 'consensus engine of a network of several nodes: [networks.md](networks.md)',
  'kestrel.consensus.maxBytes': 'most bytes of a block of the engine, 65536 to 104857600',
  'kestrel.consensus.blockTimeMs':
    'milliseconds from a decided block to the next proposal, 1000 to 86400000; left out: `timeout_commit` of each node',
  'kestrel.consensus.initialHeight':
    'first block that the engine decides; above 1 where a chain of one node became a network',
  'kestrel.consensus.keys[].operator': 'validator that gets a new key in that block',
  'kestrel.consensus.keys[].consensusKey': 'its ed25519 public key from then on',
  'kestrel.consensus.slashing': 'the same as `modules.slashing`, which every network has; one of the two',
  'kestrel.modules.NAME': 'parameters and first state of a native module: below',
}
