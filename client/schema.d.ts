// Generated from the OpenAPI document of the explorer API. Do not edit.

export interface paths {
readonly "/addresses": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Accounts that hold coins, the richest first */
readonly get: operations["getAddresses"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/addresses/{address_hash_param}": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** The record of an address */
readonly get: operations["getAddress"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/addresses/{address_hash_param}/blocks-validated": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Blocks of which an address is the coinbase */
readonly get: operations["getAddressBlocksValidated"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/addresses/{address_hash_param}/coin-balance-history": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Blocks in which the balance of an address changed, newest first */
readonly get: operations["getAddressCoinBalanceHistory"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/addresses/{address_hash_param}/coin-balance-history-by-day": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Balances of an address at the end of the last days */
readonly get: operations["getAddressCoinBalanceHistoryByDay"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/addresses/{address_hash_param}/counters": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** The number of transactions and transfers of an address, and the gas it used */
readonly get: operations["getAddressCounters"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/addresses/{address_hash_param}/internal-transactions": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Messages within transactions from an address or to it */
readonly get: operations["getAddressInternalTransactions"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/addresses/{address_hash_param}/internal-transactions/csv": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Messages from an address or to it as CSV, 10000 at most */
readonly get: operations["getAddressInternalTransactionsCsv"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/addresses/{address_hash_param}/logs": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Logs that an address has emitted */
readonly get: operations["getAddressLogs"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/addresses/{address_hash_param}/logs/csv": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Logs that an address has emitted as CSV, 10000 at most */
readonly get: operations["getAddressLogsCsv"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/addresses/{address_hash_param}/nft": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Single items that an address holds */
readonly get: operations["getAddressNft"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/addresses/{address_hash_param}/nft/collections": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Tokens of which an address holds items, with the first of them */
readonly get: operations["getAddressNftCollections"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/addresses/{address_hash_param}/tabs-counters": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Lengths of the lists of an address */
readonly get: operations["getAddressTabsCounters"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/addresses/{address_hash_param}/token-balances": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Token balances of an address at once, 200 at most */
readonly get: operations["getAddressTokenBalances"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/addresses/{address_hash_param}/token-transfers": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Token transfers from an address or to it */
readonly get: operations["getAddressTokenTransfers"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/addresses/{address_hash_param}/token-transfers/csv": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Token transfers of an address as CSV, 10000 at most */
readonly get: operations["getAddressTokenTransfersCsv"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/addresses/{address_hash_param}/tokens": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Token balances of an address, the largest of each type first */
readonly get: operations["getAddressTokens"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/addresses/{address_hash_param}/transactions": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Transactions from an address, to it, or that created it */
readonly get: operations["getAddressTransactions"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/addresses/{address_hash_param}/transactions/csv": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Transactions of an address as CSV, 10000 at most */
readonly get: operations["getAddressTransactionsCsv"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/addresses/{address_hash_param}/withdrawals": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Withdrawals of the consensus layer to an address */
readonly get: operations["getAddressWithdrawals"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/blocks": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Blocks, newest first */
readonly get: operations["getBlocks"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/blocks/{block_hash_or_number_param}": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** A block by number or hash */
readonly get: operations["getBlock"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/blocks/{block_hash_or_number_param}/countdown": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** The time until a block is made */
readonly get: operations["getBlockCountdown"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/blocks/{block_hash_or_number_param}/internal-transactions": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Messages within the transactions of a block, in order */
readonly get: operations["getBlockInternalTransactions"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/blocks/{block_hash_or_number_param}/transactions": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Transactions of a block, in order */
readonly get: operations["getBlockTransactions"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/blocks/{block_hash_or_number_param}/withdrawals": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Withdrawals of a block, in order */
readonly get: operations["getBlockWithdrawals"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/config/backend-version": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Version of this program */
readonly get: operations["getConfigBackendVersion"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/config/csv-export": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Limit of exported rows */
readonly get: operations["getConfigCsvExport"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/internal-transactions": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Messages within transactions, newest first */
readonly get: operations["getInternalTransactions"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/main-page/blocks": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** The 4 newest blocks */
readonly get: operations["getMainPageBlocks"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/main-page/indexing-status": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Progress of the index: always complete, because it is written with the blocks */
readonly get: operations["getMainPageIndexingStatus"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/main-page/transactions": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** The 6 newest transactions */
readonly get: operations["getMainPageTransactions"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/main-page/transactions/watchlist": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Not offered: transactions of watched addresses */
readonly get: operations["getMainPageTransactionsWatchlist"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/addresses/{address}": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** An account’s coins: spendable, delegated, unbonding, earned, locked */
readonly get: operations["getNativeAddress"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/addresses/{address}/delegations": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** An account’s delegations, in order of operator */
readonly get: operations["getNativeAddressDelegations"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/addresses/{address}/grants": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Grants that an account has given or received and that are alive */
readonly get: operations["getNativeAddressGrants"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/addresses/{address}/redelegations": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** An account’s tokens that still answer for the validator they have left, in order of completion */
readonly get: operations["getNativeAddressRedelegations"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/addresses/{address}/rewards": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** What each delegation of an account has earned and not taken, in order of operator */
readonly get: operations["getNativeAddressRewards"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/addresses/{address}/transfers": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** ICS-20 transfers from an account, or to it over a channel between two ends of this chain, newest first */
readonly get: operations["getNativeAddressTransfers"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/addresses/{address}/unbondings": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** An account’s tokens that are leaving their validators, in order of completion */
readonly get: operations["getNativeAddressUnbondings"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/addresses/{address}/vesting": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** The schedules of an account whose coins vest; 404 for any other */
readonly get: operations["getNativeAddressVesting"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/addresses/{address}/votes": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Votes that an account has cast, newest first, replaced ones too */
readonly get: operations["getNativeAddressVotes"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/blocks/{block_hash_or_number_param}/commit": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Who voted in the commit that a block came with, and the evidence in it; no votes on a chain of one node */
readonly get: operations["getNativeBlockCommit"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/denominations": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Denominations of coins: the base coin, then vouchers and coins of token pairs by name */
readonly get: operations["getNativeDenominations"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/modules": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Module accounts and the escrow accounts of channels, with their coins */
readonly get: operations["getNativeModules"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/network": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** The network of this node: its engine, peers, and whether the node catches up with them */
readonly get: operations["getNativeNetwork"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/opcode-proposals": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Opcode proposals that this chain knows: what they change, and in which blocks they were active */
readonly get: operations["getNativeOpcodeProposals"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/parameters": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** The parameters of all modules */
readonly get: operations["getNativeParameters"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/parameters/history": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Every change of a parameter, newest first, with the proposal or upgrade that caused it */
readonly get: operations["getNativeParametersHistory"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/pool": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Stake and supply of the base coin */
readonly get: operations["getNativePool"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/proposals": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Proposals of governance, newest first */
readonly get: operations["getNativeProposals"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/proposals/{id}": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** A proposal of governance */
readonly get: operations["getNativeProposal"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/proposals/{id}/deposits": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Deposits of a proposal, oldest first, also when they were given back or burnt */
readonly get: operations["getNativeProposalDeposits"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/proposals/{id}/votes": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** The last vote of each account on a proposal, newest first */
readonly get: operations["getNativeProposalVotes"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/signing-infos": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** How all that have ever been bonded have signed, by consensus address; empty on chains without slashing */
readonly get: operations["getNativeSigningInfos"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/transfers": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** ICS-20 transfers that left over a channel of this chain, newest first */
readonly get: operations["getNativeTransfers"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/validators": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Validators, those with the most tokens first */
readonly get: operations["getNativeValidators"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/validators/{address}": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** A validator */
readonly get: operations["getNativeValidator"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/validators/{address}/blocks": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Blocks whose coinbase is the operator, newest first */
readonly get: operations["getNativeValidatorBlocks"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/validators/{address}/delegations": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Delegations to a validator, the largest first */
readonly get: operations["getNativeValidatorDelegations"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/validators/{address}/redelegations": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Tokens that have moved away from a validator and still answer for its faults, in order of completion */
readonly get: operations["getNativeValidatorRedelegations"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/validators/{address}/unbondings": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Tokens that are leaving a validator, in order of completion */
readonly get: operations["getNativeValidatorUnbondings"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/native/validators/{address}/votes": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** A validator’s votes for the blocks of a network, newest first; none on a chain of one node */
readonly get: operations["getNativeValidatorVotes"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/proxy/account-abstraction/status": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Index of user operations (ERC-4337): there is none, for no version of the EntryPoint contract */
readonly get: operations["getProxyAccountAbstractionStatus"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/search": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Tokens, addresses, blocks, transactions, contracts, modules, validators and proposals that match a query */
readonly get: operations["getSearch"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/search/check-redirect": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** The one record that a query names exactly, if there is one */
readonly get: operations["getSearchCheckRedirect"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/search/quick": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** The best of each kind, 50 at most */
readonly get: operations["getSearchQuick"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/smart-contracts": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Verified contracts, the newest first */
readonly get: operations["getSmartContracts"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/smart-contracts/counters": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** The number of contracts and of verified contracts */
readonly get: operations["getSmartContractsCounters"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/smart-contracts/verification/config": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Compilers and methods of contract verification on this node */
readonly get: operations["getSmartContractsVerificationConfig"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/smart-contracts/{address_hash_param}": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Code of a contract, and its sources when they are verified */
readonly get: operations["getSmartContract"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/smart-contracts/{address_hash_param}/audit-reports": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Audits of a contract: always empty, because this node has no source of audits */
readonly get: operations["getSmartContractAuditReports"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/smart-contracts/{address_hash_param}/verification/via/flattened-code": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly get?: never;
readonly put?: never;
/** Verifies a contract by a single source */
readonly post: operations["postSmartContractVerificationViaFlattenedCode"];
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/smart-contracts/{address_hash_param}/verification/via/multi-part": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly get?: never;
readonly put?: never;
/** Verifies a contract by its source files */
readonly post: operations["postSmartContractVerificationViaMultiPart"];
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/smart-contracts/{address_hash_param}/verification/via/sourcify": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly get?: never;
readonly put?: never;
/** Verifies a contract by its metadata.json and source files, which need no settings */
readonly post: operations["postSmartContractVerificationViaSourcify"];
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/smart-contracts/{address_hash_param}/verification/via/standard-input": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly get?: never;
readonly put?: never;
/** Verifies a contract by the compiler's standard JSON input, a file of the form */
readonly post: operations["postSmartContractVerificationViaStandardInput"];
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/smart-contracts/{address_hash_param}/verification/via/vyper-code": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly get?: never;
readonly put?: never;
/** Verifies a contract of Vyper by a single source */
readonly post: operations["postSmartContractVerificationViaVyperCode"];
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/smart-contracts/{address_hash_param}/verification/via/vyper-multi-part": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly get?: never;
readonly put?: never;
/** Verifies a contract of Vyper by its source files, with those of interfaces in a field of their own */
readonly post: operations["postSmartContractVerificationViaVyperMultiPart"];
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/smart-contracts/{address_hash_param}/verification/via/vyper-standard-input": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly get?: never;
readonly put?: never;
/** Verifies a contract by Vyper's standard JSON input, a file of the form */
readonly post: operations["postSmartContractVerificationViaVyperStandardInput"];
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/stats": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Figures of the chain. Gas prices are wei; with the header `updated-gas-oracle: true` each is an object */
readonly get: operations["getStats"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/stats/charts/market": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Prices of the coin per day, newest day first; empty when the operator provides none */
readonly get: operations["getStatsChartsMarket"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/stats/charts/secondary-coin-market": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Always empty: there is no second coin */
readonly get: operations["getStatsChartsSecondaryCoinMarket"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/stats/charts/transactions": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Transactions per day, newest day first, without gaps */
readonly get: operations["getStatsChartsTransactions"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/token-transfers": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Token transfers, newest first */
readonly get: operations["getTokenTransfersOfChain"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/tokens": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Tokens of the network, those with the most holders first */
readonly get: operations["getTokens"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/tokens/{address_hash_param}": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** The record of a token */
readonly get: operations["getToken"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/tokens/{address_hash_param}/counters": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** The number of holders and of transfers of a token */
readonly get: operations["getTokenCounters"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/tokens/{address_hash_param}/holders": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Holders of a token, the largest balance first */
readonly get: operations["getTokenHolders"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/tokens/{address_hash_param}/holders/csv": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Holders of a token as CSV, the largest balance first, 10000 at most */
readonly get: operations["getTokenHoldersCsv"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/tokens/{address_hash_param}/instances": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Items of a token, the highest id first */
readonly get: operations["getTokenInstances"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/tokens/{address_hash_param}/instances/{token_id_param}": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** The record of an item */
readonly get: operations["getTokenInstance"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/tokens/{address_hash_param}/instances/{token_id_param}/holders": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Holders of an item, the largest amount first */
readonly get: operations["getTokenInstanceHolders"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/tokens/{address_hash_param}/instances/{token_id_param}/media": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** The picture, video or sound of an item whose metadata are on the chain */
readonly get: operations["getTokenInstanceMedia"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/tokens/{address_hash_param}/instances/{token_id_param}/refetch-metadata": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly get?: never;
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
/** Reads the metadata of an item again; live updates tell when it is done */
readonly patch: operations["patchTokenInstanceRefetchMetadata"];
readonly trace?: never;
};
readonly "/tokens/{address_hash_param}/instances/{token_id_param}/transfers": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Transfers of an item, newest first */
readonly get: operations["getTokenInstanceTransfers"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/tokens/{address_hash_param}/instances/{token_id_param}/transfers-count": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** The number of transfers of an item */
readonly get: operations["getTokenInstanceTransfersCount"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/tokens/{address_hash_param}/transfers": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Transfers of a token, newest first */
readonly get: operations["getTokenTransfers"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/transactions": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Transactions, newest first: mined or pending */
readonly get: operations["getTransactions"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/transactions/stats": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Transactions of the last 24 hours, and the number of pending ones */
readonly get: operations["getTransactionsStats"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/transactions/{transaction_hash_param}": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** A transaction: mined, pending, or recently dropped */
readonly get: operations["getTransaction"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/transactions/{transaction_hash_param}/internal-transactions": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Messages within a transaction, in call order */
readonly get: operations["getTransactionInternalTransactions"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/transactions/{transaction_hash_param}/logs": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Logs of a transaction, in order */
readonly get: operations["getTransactionLogs"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/transactions/{transaction_hash_param}/raw-trace": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** The messages of a transaction, as Parity traces */
readonly get: operations["getTransactionRawTrace"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/transactions/{transaction_hash_param}/state-changes": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** What a transaction changed: coins, then tokens */
readonly get: operations["getTransactionStateChanges"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/transactions/{transaction_hash_param}/summary": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Not offered: an interpretation of a transaction */
readonly get: operations["getTransactionSummary"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/transactions/{transaction_hash_param}/token-transfers": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Token transfers of a transaction, in order of their logs */
readonly get: operations["getTransactionTokenTransfers"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/validators/blackfort": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Validators as a Blockscout frontend lists them */
readonly get: operations["getValidatorsBlackfort"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/validators/blackfort/counters": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** The number of validators, and of those that were created in the last 24 hours */
readonly get: operations["getValidatorsBlackfortCounters"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/withdrawals": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** Withdrawals, newest first */
readonly get: operations["getWithdrawals"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
readonly "/withdrawals/counters": {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
/** The number of withdrawals and their sum */
readonly get: operations["getWithdrawalsCounters"];
readonly put?: never;
readonly post?: never;
readonly delete?: never;
readonly options?: never;
readonly head?: never;
readonly patch?: never;
readonly trace?: never;
};
}

export interface components {
readonly schemas: {
readonly "Address": {
/** address with EIP-55 checksum */
readonly "hash": string;
/** it has code, delegations (EIP-7702) included, or had it and was destroyed */
readonly "is_contract": boolean;
/** null when it is no contract */
readonly "is_verified": (boolean | null);
readonly "name": (string | null);
readonly "is_scam": boolean;
readonly "reputation": "ok" | "neutral" | "scam";
readonly "proxy_type": (string | null);
readonly "implementations": readonly ({
/** address with EIP-55 checksum */
readonly "address_hash": string;
/** address with EIP-55 checksum */
readonly "address": string;
readonly "name": (string | null);
})[];
readonly "ens_domain_name": null;
readonly "metadata": null;
readonly "private_tags": readonly (unknown)[];
readonly "public_tags": readonly (unknown)[];
readonly "watchlist_names": readonly (unknown)[];
/** decimal integer */
readonly "balance": string;
/** decimal integer */
readonly "coin_balance": string;
readonly "block_number_balance_updated_at": (number | null);
readonly "exchange_rate": (string | null);
readonly "transactions_count": number;
readonly "token_transfers_count": number;
readonly "creator_hash": (string | null);
readonly "creator_address_hash": (string | null);
readonly "creation_tx_hash": (string | null);
readonly "creation_transaction_hash": (string | null);
readonly "creation_status": ("success" | "failed" | "selfdestructed" | null);
readonly "token": (components["schemas"]["TokenInfo"] | null);
readonly "has_logs": boolean;
readonly "has_tokens": boolean;
readonly "has_token_transfers": boolean;
readonly "has_validated_blocks": boolean;
readonly "has_beacon_chain_withdrawals": boolean;
readonly "watchlist_address_id": null;
};
readonly "AddressParam": {
/** address with EIP-55 checksum */
readonly "hash": string;
/** it has code, delegations (EIP-7702) included, or had it and was destroyed */
readonly "is_contract": boolean;
/** null when it is no contract */
readonly "is_verified": (boolean | null);
readonly "name": (string | null);
readonly "is_scam": boolean;
readonly "reputation": "ok" | "neutral" | "scam";
readonly "proxy_type": (string | null);
readonly "implementations": readonly ({
/** address with EIP-55 checksum */
readonly "address_hash": string;
/** address with EIP-55 checksum */
readonly "address": string;
readonly "name": (string | null);
})[];
readonly "ens_domain_name": null;
readonly "metadata": null;
readonly "private_tags": readonly (unknown)[];
readonly "public_tags": readonly (unknown)[];
readonly "watchlist_names": readonly (unknown)[];
};
readonly "Authorization": {
/** whose code */
readonly "address_hash": string;
/** the signer; null when the signature is invalid */
readonly "authority": (string | null);
/** 0 is any chain */
readonly "chain_id": number;
/** decimal integer */
readonly "nonce": string;
/** decimal integer */
readonly "r": string;
/** decimal integer */
readonly "s": string;
readonly "v": number;
/** null while the transaction waits, and where its state was pruned */
readonly "status": ("ok" | "invalid_chain_id" | "invalid_signature" | "invalid_nonce" | "invalid_code" | null);
};
readonly "Block": {
readonly "height": number;
readonly "number": number;
readonly "block_number": number;
readonly "hash": string;
readonly "parent_hash": string;
/** ISO 8601, UTC */
readonly "timestamp": string;
readonly "type": "block" | "uncle" | "reorg";
readonly "transactions_count": number;
readonly "transaction_count": number;
readonly "tx_count": number;
readonly "internal_transactions_count": number;
readonly "withdrawals_count": (number | null);
readonly "miner": components["schemas"]["AddressParam"];
/** bytes of its RLP */
readonly "size": number;
/** decimal integer */
readonly "difficulty": string;
readonly "total_difficulty": (string | null);
readonly "nonce": string;
readonly "state_root": string;
readonly "extra_data": string;
/** decimal integer */
readonly "gas_used": string;
/** decimal integer */
readonly "gas_limit": string;
readonly "base_fee_per_gas": (string | null);
readonly "burnt_fees": (string | null);
readonly "priority_fee": (string | null);
/** decimal integer */
readonly "transaction_fees": string;
readonly "gas_used_percentage": number;
readonly "gas_target_percentage": number;
readonly "burnt_fees_percentage": (number | null);
readonly "rewards": readonly ({
readonly "type": "Miner Reward" | "Uncle Reward";
/** decimal integer */
readonly "reward": string;
})[];
readonly "uncles_hashes": readonly ({
readonly "hash": string;
})[];
readonly "is_pending_update": boolean;
};
readonly "BlockPage": {
readonly "items": readonly (components["schemas"]["Block"])[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
readonly "CoinBalanceChange": {
readonly "block_number": number;
/** ISO 8601, UTC */
readonly "block_timestamp": string;
/** the last one that changed it; null when the block itself did */
readonly "transaction_hash": (string | null);
/** signed decimal integer */
readonly "delta": string;
/** decimal integer */
readonly "value": string;
};
readonly "CoinBalanceChangePage": {
readonly "items": readonly (components["schemas"]["CoinBalanceChange"])[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
readonly "DecodedInput": {
/** selector, or the first four bytes of topic 0, without 0x */
readonly "method_id": string;
/** transfer(address to, uint256 value) */
readonly "method_call": string;
readonly "parameters": readonly ({
readonly "name": string;
readonly "type": string;
/** text, or an array of values */
readonly "value": unknown;
})[];
};
readonly "DecodedLog": {
/** selector, or the first four bytes of topic 0, without 0x */
readonly "method_id": string;
/** transfer(address to, uint256 value) */
readonly "method_call": string;
readonly "parameters": readonly ({
readonly "name": string;
readonly "type": string;
/** text, or an array of values */
readonly "value": unknown;
readonly "indexed": boolean;
})[];
};
readonly "Error": {
readonly "message": string;
/** of status 422: the fault of each parameter */
readonly "errors"?: readonly ({
readonly "title": string;
readonly "source": {
/** the parameter, behind a slash */
readonly "pointer": string;
};
readonly "detail": string;
})[];
};
readonly "InternalTransaction": {
readonly "transaction_hash": string;
readonly "tx_hash": string;
readonly "transaction_index": number;
/** within the transaction, in call order */
readonly "index": number;
readonly "block_number": number;
readonly "block_index": number;
/** ISO 8601, UTC */
readonly "timestamp": string;
readonly "type": "call" | "staticcall" | "delegatecall" | "callcode" | "create" | "create2" | "selfdestruct";
readonly "from": components["schemas"]["AddressParam"];
readonly "to": (components["schemas"]["AddressParam"] | null);
readonly "created_contract": (components["schemas"]["AddressParam"] | null);
/** decimal integer */
readonly "value": string;
/** decimal integer */
readonly "gas_limit": string;
/** decimal integer */
readonly "gas_used": string;
readonly "success": boolean;
readonly "error": (string | null);
/** an enclosing call failed, so that its effects were undone */
readonly "reverted": boolean;
};
readonly "InternalTransactionPage": {
readonly "items": readonly (components["schemas"]["InternalTransaction"])[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
readonly "Log": {
readonly "transaction_hash": string;
readonly "tx_hash": string;
readonly "block_hash": string;
readonly "block_number": number;
/** ISO 8601, UTC */
readonly "block_timestamp": string;
/** within the block */
readonly "index": number;
readonly "address": components["schemas"]["AddressParam"];
/** what the transaction called */
readonly "smart_contract": (components["schemas"]["AddressParam"] | null);
/** padded with null */
readonly "topics": readonly ((string | null))[];
readonly "data": string;
readonly "decoded": (components["schemas"]["DecodedLog"] | null);
};
readonly "LogPage": {
readonly "items": readonly (components["schemas"]["Log"])[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
/** the query of the next page */
readonly "NextPageParams": {
readonly "page": number;
readonly "items_count": number;
readonly "anchor"?: number;
};
readonly "NftCollection": {
readonly "token": components["schemas"]["TokenInfo"];
/** how many different items */
readonly "amount": string;
readonly "token_instances": readonly (components["schemas"]["NftItem"])[];
};
readonly "NftCollectionPage": {
readonly "items": readonly (components["schemas"]["NftCollection"])[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
readonly "NftItem": {
/** decimal integer */
readonly "id": string;
readonly "is_unique": (boolean | null);
/** of an ERC-721 */
readonly "owner": (components["schemas"]["AddressParam"] | null);
readonly "token": (components["schemas"]["TokenInfo"] | null);
/** as the issuer wrote it; in lists with the URLs of large drawings in their place */
readonly "metadata": ({
readonly [key: string]: unknown;
} | null);
readonly "image_url": (string | null);
readonly "animation_url": (string | null);
readonly "media_url": (string | null);
/** MIME type of media_url, if known */
readonly "media_type": (string | null);
/** path of media_url on this node, if the medium is on the chain */
readonly "media_path": (string | null);
readonly "external_app_url": (string | null);
readonly "thumbnails": null;
readonly "holder_address_hash": (string | null);
readonly "token_type": "ERC-20" | "ERC-721" | "ERC-1155";
/** how many of this id */
readonly "value": string;
};
readonly "NftItemPage": {
readonly "items": readonly (components["schemas"]["NftItem"])[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
readonly "RawTrace": ({
readonly "type": "call";
readonly "action": {
readonly "from": string;
readonly "gas": string;
readonly "value": string;
readonly "callType": string;
readonly "to": (string | null);
readonly "input": string;
};
readonly "result": ({
readonly "gasUsed": string;
readonly "output": string;
} | null);
readonly "subtraces": number;
readonly "traceAddress": readonly (number)[];
readonly "transactionHash": string;
readonly "error"?: string;
} | {
readonly "type": "create";
readonly "action": {
readonly "from": string;
readonly "gas": string;
readonly "value": string;
readonly "creationMethod": string;
readonly "init": string;
};
readonly "result": ({
readonly "gasUsed": string;
readonly "address": (string | null);
readonly "code": string;
} | null);
readonly "subtraces": number;
readonly "traceAddress": readonly (number)[];
readonly "transactionHash": string;
readonly "error"?: string;
} | {
readonly "type": "selfdestruct";
readonly "action": {
readonly "address": string;
readonly "balance": string;
readonly "refundAddress": (string | null);
};
readonly "result": null;
readonly "subtraces": number;
readonly "traceAddress": readonly (number)[];
readonly "transactionHash": string;
readonly "error"?: string;
});
readonly "SearchRedirect": {
readonly "redirect": boolean;
readonly "type": ("address" | "block" | "transaction" | null);
/** address, or hash of block or transaction */
readonly "parameter": (string | null);
};
readonly "SearchResult": ({
readonly "type": "token";
readonly "name": string;
readonly "symbol": string;
/** address with EIP-55 checksum */
readonly "address_hash": string;
/** address with EIP-55 checksum */
readonly "address": string;
readonly "is_smart_contract_verified": boolean;
readonly "is_smart_contract_address": boolean;
readonly "certified": false;
readonly "reputation": "ok";
readonly "priority": 0;
readonly "token_url": string;
readonly "address_url": string;
readonly "icon_url": null;
readonly "token_type": "ERC-20" | "ERC-721" | "ERC-1155";
readonly "exchange_rate": (string | null);
readonly "total_supply": (string | null);
readonly "circulating_market_cap": null;
readonly "is_verified_via_admin_panel": false;
/** why name or symbol may be taken for those of another token */
readonly "name_warning": ("invisible_characters" | "mixed_scripts" | "lookalike_letters" | null);
} | {
readonly "type": "address" | "contract";
readonly "name": (string | null);
/** address with EIP-55 checksum */
readonly "address_hash": string;
/** address with EIP-55 checksum */
readonly "address": string;
readonly "is_smart_contract_verified": boolean;
readonly "is_smart_contract_address": boolean;
readonly "certified": false;
readonly "reputation": "ok";
readonly "priority": 0;
readonly "url": string;
readonly "ens_info": null;
} | {
readonly "type": "block";
readonly "block_number": number;
readonly "block_hash": string;
readonly "block_type": "block";
readonly "url": string;
/** ISO 8601, UTC */
readonly "timestamp": string;
readonly "priority": 0;
} | {
readonly "type": "transaction";
readonly "transaction_hash": string;
readonly "tx_hash": string;
readonly "url": string;
/** null while it waits */
readonly "timestamp": (string | null);
readonly "priority": 0;
} | {
readonly "type": "proposal";
readonly "proposal_id": number;
readonly "title": string;
readonly "url": string;
readonly "priority": 0;
});
readonly "SearchResultPage": {
readonly "items": readonly (components["schemas"]["SearchResult"])[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
readonly "SmartContract": {
readonly "proxy_type": (string | null);
readonly "implementations": readonly ({
/** address with EIP-55 checksum */
readonly "address_hash": string;
/** address with EIP-55 checksum */
readonly "address": string;
readonly "name": (string | null);
})[];
readonly "deployed_bytecode": string;
/** with the arguments; null when no message created it */
readonly "creation_bytecode": (string | null);
readonly "creation_status": "success" | "selfdestructed";
readonly "is_self_destructed": boolean;
readonly "is_verified": boolean;
readonly "is_fully_verified": boolean;
readonly "is_partially_verified": boolean;
readonly "is_verified_via_sourcify": boolean;
readonly "is_verified_via_eth_bytecode_db": boolean;
readonly "is_verified_via_verifier_alliance": boolean;
readonly "is_changed_bytecode": boolean;
/** ERC-5202 */
readonly "is_blueprint": boolean;
readonly "is_vyper_contract": boolean;
readonly "certified": boolean;
readonly "can_be_visualized_via_sol2uml": boolean;
/** a verified contract with this code, whose sources are shown when the contract is not verified itself */
readonly "verified_twin_address_hash": (string | null);
readonly "minimal_proxy_address_hash": (string | null);
readonly "sourcify_repo_url": (string | null);
readonly "name": (string | null);
readonly "language": ("solidity" | "vyper" | "yul" | null);
readonly "license_type": ("none" | "unlicense" | "mit" | "gnu_gpl_v2" | "gnu_gpl_v3" | "gnu_lgpl_v2_1" | "gnu_lgpl_v3" | "bsd_2_clause" | "bsd_3_clause" | "mpl_2_0" | "osl_3_0" | "apache_2_0" | "gnu_agpl_v3" | "bsl_1_1" | null);
readonly "compiler_version": (string | null);
readonly "evm_version": (string | null);
readonly "optimization_enabled": (boolean | null);
readonly "optimization_runs": (number | null);
readonly "compiler_settings": ({
readonly [key: string]: unknown;
} | null);
readonly "verified_at": (string | null);
readonly "abi": (readonly (unknown)[] | null);
readonly "file_path": (string | null);
readonly "source_code": (string | null);
readonly "additional_sources": readonly ({
readonly "file_path": string;
readonly "source_code": string;
})[];
readonly "external_libraries": readonly ({
readonly "name": string;
/** address with EIP-55 checksum */
readonly "address_hash": string;
})[];
readonly "constructor_args": (string | null);
readonly "decoded_constructor_args": (readonly (readonly [unknown, {
readonly "name": string;
readonly "type": string;
readonly "internalType"?: string;
}])[] | null);
};
readonly "StateChange": {
readonly "address": components["schemas"]["AddressParam"];
readonly "is_miner": boolean;
readonly "type": "coin" | "token";
readonly "balance_before": (string | null);
readonly "balance_after": (string | null);
readonly "change": (string | readonly ({
readonly "direction": "from" | "to";
readonly "total": {
/** decimal integer */
readonly "token_id": string;
readonly "token_instance": null;
};
})[]);
readonly "token": (components["schemas"]["TokenInfo"] | null);
/** of an ERC-1155 */
readonly "token_id": (string | null);
};
readonly "StateChangePage": {
readonly "items": readonly (components["schemas"]["StateChange"])[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
readonly "Token": {
/** address with EIP-55 checksum */
readonly "address_hash": string;
/** address with EIP-55 checksum */
readonly "address": string;
readonly "name": (string | null);
readonly "symbol": (string | null);
readonly "decimals": (number | null);
readonly "type": "ERC-20" | "ERC-721" | "ERC-1155";
readonly "total_supply": (string | null);
/** decimal integer */
readonly "holders_count": string;
readonly "holders": number;
readonly "exchange_rate": (string | null);
readonly "volume_24h": null;
readonly "circulating_market_cap": null;
readonly "circulating_supply": null;
readonly "icon_url": null;
readonly "reputation": "ok" | "neutral" | "scam";
/** why name or symbol may be taken for those of another token */
readonly "name_warning": ("invisible_characters" | "mixed_scripts" | "lookalike_letters" | null);
};
readonly "TokenBalance": {
readonly "token": components["schemas"]["TokenInfo"];
/** of an ERC-1155 */
readonly "token_id": (string | null);
readonly "token_instance": (components["schemas"]["TokenInstance"] | null);
/** an amount; of an ERC-721 how many items */
readonly "value": string;
};
readonly "TokenBalancePage": {
readonly "items": readonly (components["schemas"]["TokenBalance"])[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
readonly "TokenInfo": {
/** address with EIP-55 checksum */
readonly "address_hash": string;
/** address with EIP-55 checksum */
readonly "address": string;
readonly "name": (string | null);
readonly "symbol": (string | null);
readonly "decimals": (string | null);
readonly "type": "ERC-20" | "ERC-721" | "ERC-1155";
readonly "total_supply": (string | null);
/** decimal integer */
readonly "holders_count": string;
readonly "holders": number;
readonly "exchange_rate": (string | null);
readonly "volume_24h": null;
readonly "circulating_market_cap": null;
readonly "circulating_supply": null;
readonly "icon_url": null;
readonly "reputation": "ok" | "neutral" | "scam";
/** why name or symbol may be taken for those of another token */
readonly "name_warning": ("invisible_characters" | "mixed_scripts" | "lookalike_letters" | null);
};
readonly "TokenInstance": {
/** decimal integer */
readonly "id": string;
readonly "is_unique": (boolean | null);
/** of an ERC-721 */
readonly "owner": (components["schemas"]["AddressParam"] | null);
readonly "token": (components["schemas"]["TokenInfo"] | null);
/** as the issuer wrote it; in lists with the URLs of large drawings in their place */
readonly "metadata": ({
readonly [key: string]: unknown;
} | null);
readonly "image_url": (string | null);
readonly "animation_url": (string | null);
readonly "media_url": (string | null);
/** MIME type of media_url, if known */
readonly "media_type": (string | null);
/** path of media_url on this node, if the medium is on the chain */
readonly "media_path": (string | null);
readonly "external_app_url": (string | null);
readonly "thumbnails": null;
readonly "holder_address_hash": (string | null);
};
readonly "TokenInstancePage": {
readonly "items": readonly (components["schemas"]["TokenInstance"])[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
readonly "TokenPage": {
readonly "items": readonly (components["schemas"]["Token"])[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
readonly "TokenTransfer": {
readonly "transaction_hash": string;
readonly "tx_hash": string;
readonly "block_hash": string;
readonly "block_number": number;
readonly "log_index": number;
/** ISO 8601, UTC */
readonly "timestamp": string;
readonly "method": (string | null);
readonly "from": components["schemas"]["AddressParam"];
readonly "to": components["schemas"]["AddressParam"];
readonly "token": components["schemas"]["TokenInfo"];
readonly "token_type": "ERC-20" | "ERC-721" | "ERC-1155";
readonly "type": "token_transfer" | "token_minting" | "token_burning" | "token_spawning";
readonly "total": components["schemas"]["TokenTransferTotal"];
};
readonly "TokenTransferPage": {
readonly "items": readonly (components["schemas"]["TokenTransfer"])[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
readonly "TokenTransferTotal": ({
/** decimal integer */
readonly "value": string;
readonly "decimals": (string | null);
} | {
/** decimal integer */
readonly "token_id": string;
readonly "token_instance": (components["schemas"]["TokenInstance"] | null);
} | {
/** decimal integer */
readonly "token_id": string;
readonly "token_instance": (components["schemas"]["TokenInstance"] | null);
/** decimal integer */
readonly "value": string;
readonly "decimals": (string | null);
});
readonly "Transaction": {
readonly "hash": string;
readonly "block_number": (number | null);
readonly "block": (number | null);
readonly "timestamp": (string | null);
readonly "from": components["schemas"]["AddressParam"];
readonly "to": (components["schemas"]["AddressParam"] | null);
readonly "created_contract": (components["schemas"]["AddressParam"] | null);
/** decimal integer */
readonly "value": string;
/** null while it waits */
readonly "status": ("ok" | "error" | null);
/** success, pending, dropped/replaced, or what went wrong */
readonly "result": string;
readonly "gas_used": (string | null);
/** what was paid; while it waits what may be paid at most */
readonly "gas_price": string;
/** decimal integer */
readonly "gas_limit": string;
readonly "fee": {
readonly "type": "actual" | "maximum";
readonly "value": (string | null);
};
readonly "type": number;
readonly "nonce": number;
readonly "position": (number | null);
readonly "max_fee_per_gas": (string | null);
readonly "max_priority_fee_per_gas": (string | null);
readonly "base_fee_per_gas": (string | null);
readonly "priority_fee": (string | null);
readonly "transaction_burnt_fee": (string | null);
readonly "confirmations": number;
/** null: not measured, and frontends leave it out */
readonly "confirmation_duration": (readonly (number)[] | null);
readonly "method": (string | null);
readonly "transaction_types": readonly ("coin_transfer" | "contract_call" | "contract_creation" | "token_transfer" | "token_creation")[];
readonly "raw_input": string;
readonly "decoded_input": (components["schemas"]["DecodedInput"] | null);
readonly "revert_reason": (({
readonly "raw": string;
} | components["schemas"]["DecodedInput"]) | null);
/** the first 10; null in lists */
readonly "token_transfers": (readonly (components["schemas"]["TokenTransfer"])[] | null);
readonly "token_transfers_overflow": (boolean | null);
readonly "exchange_rate": (string | null);
readonly "historic_exchange_rate": (string | null);
readonly "has_error_in_internal_transactions": (boolean | null);
readonly "transaction_tag": null;
readonly "is_pending_update": boolean;
readonly "fhe_operations_count": number;
readonly "actions": readonly (unknown)[];
/** not in lists */
readonly "authorization_list"?: readonly (components["schemas"]["Authorization"])[];
/** of blob transactions only, like the next */
readonly "max_fee_per_blob_gas"?: string;
readonly "blob_versioned_hashes"?: readonly (string)[];
/** decimal integer */
readonly "blob_gas_used"?: string;
/** decimal integer */
readonly "blob_gas_price"?: string;
/** decimal integer */
readonly "burnt_blob_fee"?: string;
};
readonly "TransactionPage": {
readonly "items": readonly (components["schemas"]["Transaction"])[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
readonly "VerifiedContract": {
readonly "address": components["schemas"]["AddressParam"];
readonly "name": string;
/** decimal integer */
readonly "coin_balance": string;
readonly "compiler_version": string;
readonly "language": "solidity" | "vyper" | "yul";
readonly "has_constructor_args": boolean;
readonly "optimization_enabled": boolean;
readonly "license_type": ("none" | "unlicense" | "mit" | "gnu_gpl_v2" | "gnu_gpl_v3" | "gnu_lgpl_v2_1" | "gnu_lgpl_v3" | "bsd_2_clause" | "bsd_3_clause" | "mpl_2_0" | "osl_3_0" | "apache_2_0" | "gnu_agpl_v3" | "bsl_1_1" | null);
readonly "transactions_count": number;
readonly "transaction_count": number;
/** ISO 8601, UTC */
readonly "verified_at": string;
readonly "market_cap": null;
readonly "certified": boolean;
readonly "reputation": "ok";
};
readonly "VerifiedContractPage": {
readonly "items": readonly (components["schemas"]["VerifiedContract"])[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
readonly "Withdrawal": {
readonly "index": number;
readonly "validator_index": number;
readonly "receiver": components["schemas"]["AddressParam"];
/** decimal integer */
readonly "amount": string;
readonly "block_number": number;
/** ISO 8601, UTC */
readonly "timestamp": string;
};
readonly "WithdrawalPage": {
readonly "items": readonly (components["schemas"]["Withdrawal"])[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
readonly responses: {
/** The request cannot be read, or lacks a parameter */
readonly "BadRequest": {
readonly headers: { readonly [name: string]: unknown };
/** The request cannot be read, or lacks a parameter */
readonly content: {
readonly "application/json": components["schemas"]["Error"];
};
};
/** Needs an account; this node has none */
readonly "Unauthorized": {
readonly headers: { readonly [name: string]: unknown };
/** Needs an account; this node has none */
readonly content: {
readonly "application/json": components["schemas"]["Error"];
};
};
/** Not offered by this node */
readonly "Forbidden": {
readonly headers: { readonly [name: string]: unknown };
/** Not offered by this node */
readonly content: {
readonly "application/json": components["schemas"]["Error"];
};
};
/** There is no such record */
readonly "NotFound": {
readonly headers: { readonly [name: string]: unknown };
/** There is no such record */
readonly content: {
readonly "application/json": components["schemas"]["Error"];
};
};
/** A parameter is malformed */
readonly "UnprocessableEntity": {
readonly headers: { readonly [name: string]: unknown };
/** A parameter is malformed */
readonly content: {
readonly "application/json": components["schemas"]["Error"];
};
};
/** A fault of the node */
readonly "InternalServerError": {
readonly headers: { readonly [name: string]: unknown };
/** A fault of the node */
readonly content: {
readonly "application/json": components["schemas"]["Error"];
};
};
/** The node has too much to do, or its disk fails */
readonly "ServiceUnavailable": {
readonly headers: { readonly [name: string]: unknown };
/** The node has too much to do, or its disk fails */
readonly content: {
readonly "application/json": components["schemas"]["Error"];
};
};
};
}

export interface operations {
/** Accounts that hold coins, the richest first */
readonly getAddresses: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
readonly "sort"?: "balance";
readonly "order"?: "asc" | "desc";
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
/** address with EIP-55 checksum */
readonly "hash": string;
/** it has code, delegations (EIP-7702) included, or had it and was destroyed */
readonly "is_contract": boolean;
/** null when it is no contract */
readonly "is_verified": (boolean | null);
readonly "name": (string | null);
readonly "is_scam": boolean;
readonly "reputation": "ok" | "neutral" | "scam";
readonly "proxy_type": (string | null);
readonly "implementations": readonly ({
/** address with EIP-55 checksum */
readonly "address_hash": string;
/** address with EIP-55 checksum */
readonly "address": string;
readonly "name": (string | null);
})[];
readonly "ens_domain_name": null;
readonly "metadata": null;
readonly "private_tags": readonly (unknown)[];
readonly "public_tags": readonly (unknown)[];
readonly "watchlist_names": readonly (unknown)[];
/** decimal integer */
readonly "coin_balance": string;
/** decimal integer */
readonly "transactions_count": string;
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
readonly "exchange_rate": (string | null);
/** in whole coins: frontends divide balances in coins by it */
readonly "total_supply": (string | null);
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** The record of an address */
readonly getAddress: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["Address"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Blocks of which an address is the coinbase */
readonly getAddressBlocksValidated: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["BlockPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Blocks in which the balance of an address changed, newest first */
readonly getAddressCoinBalanceHistory: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["CoinBalanceChangePage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Balances of an address at the end of the last days */
readonly getAddressCoinBalanceHistoryByDay: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "days": number;
readonly "items": readonly ({
readonly "date": string;
/** decimal integer */
readonly "value": string;
})[];
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** The number of transactions and transfers of an address, and the gas it used */
readonly getAddressCounters: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
/** decimal integer */
readonly "transactions_count": string;
/** decimal integer */
readonly "token_transfers_count": string;
/** gas of transactions to a contract, else of those that the account sent */
readonly "gas_usage_count": string;
/** decimal integer */
readonly "validations_count": string;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Messages within transactions from an address or to it */
readonly getAddressInternalTransactions: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
readonly "filter"?: "to" | "from";
};
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["InternalTransactionPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Messages from an address or to it as CSV, 10000 at most */
readonly getAddressInternalTransactionsCsv: {
readonly parameters: {
readonly query?: {
/** ISO 8601; the first moment */
readonly "from_period"?: ((string | string) | string);
/** ISO 8601; the last moment */
readonly "to_period"?: ((string | string) | string);
/** `address`, or `topic` for logs */
readonly "filter_type"?: string;
/** `to` or `from`; of a `topic` its hash */
readonly "filter_value"?: string;
};
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "text/csv": string;
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Logs that an address has emitted */
readonly getAddressLogs: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
readonly "topic"?: string;
};
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["LogPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Logs that an address has emitted as CSV, 10000 at most */
readonly getAddressLogsCsv: {
readonly parameters: {
readonly query?: {
/** ISO 8601; the first moment */
readonly "from_period"?: ((string | string) | string);
/** ISO 8601; the last moment */
readonly "to_period"?: ((string | string) | string);
/** `address`, or `topic` for logs */
readonly "filter_type"?: string;
/** `to` or `from`; of a `topic` its hash */
readonly "filter_value"?: string;
};
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "text/csv": string;
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Single items that an address holds */
readonly getAddressNft: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
readonly "type"?: readonly ("ERC-721" | "ERC-1155" | "ERC-20" | "ERC-404")[];
};
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["NftItemPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Tokens of which an address holds items, with the first of them */
readonly getAddressNftCollections: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
readonly "type"?: readonly ("ERC-721" | "ERC-1155" | "ERC-20" | "ERC-404")[];
};
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["NftCollectionPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Lengths of the lists of an address */
readonly getAddressTabsCounters: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "transactions_count": number;
readonly "token_transfers_count": number;
readonly "token_balances_count": number;
readonly "logs_count": number;
readonly "withdrawals_count": number;
readonly "internal_transactions_count": number;
readonly "validations_count": number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Token balances of an address at once, 200 at most */
readonly getAddressTokenBalances: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": readonly (components["schemas"]["TokenBalance"])[];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Token transfers from an address or to it */
readonly getAddressTokenTransfers: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
readonly "type"?: readonly ("ERC-20" | "ERC-721" | "ERC-1155" | "ERC-404")[];
readonly "filter"?: "to" | "from";
readonly "token"?: string;
};
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["TokenTransferPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Token transfers of an address as CSV, 10000 at most */
readonly getAddressTokenTransfersCsv: {
readonly parameters: {
readonly query?: {
/** ISO 8601; the first moment */
readonly "from_period"?: ((string | string) | string);
/** ISO 8601; the last moment */
readonly "to_period"?: ((string | string) | string);
/** `address`, or `topic` for logs */
readonly "filter_type"?: string;
/** `to` or `from`; of a `topic` its hash */
readonly "filter_value"?: string;
};
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "text/csv": string;
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Token balances of an address, the largest of each type first */
readonly getAddressTokens: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
readonly "type"?: readonly ("ERC-20" | "ERC-721" | "ERC-1155" | "ERC-404")[];
};
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["TokenBalancePage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Transactions from an address, to it, or that created it */
readonly getAddressTransactions: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
readonly "filter"?: "to" | "from";
readonly "sort"?: "block_number" | "value" | "fee";
readonly "order"?: "asc" | "desc";
};
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["TransactionPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Transactions of an address as CSV, 10000 at most */
readonly getAddressTransactionsCsv: {
readonly parameters: {
readonly query?: {
/** ISO 8601; the first moment */
readonly "from_period"?: ((string | string) | string);
/** ISO 8601; the last moment */
readonly "to_period"?: ((string | string) | string);
/** `address`, or `topic` for logs */
readonly "filter_type"?: string;
/** `to` or `from`; of a `topic` its hash */
readonly "filter_value"?: string;
};
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "text/csv": string;
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Withdrawals of the consensus layer to an address */
readonly getAddressWithdrawals: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["WithdrawalPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Blocks, newest first */
readonly getBlocks: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
readonly "type"?: readonly ("block" | "uncle" | "reorg")[];
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["BlockPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** A block by number or hash */
readonly getBlock: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "block_hash_or_number_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["Block"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** The time until a block is made */
readonly getBlockCountdown: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "block_hash_or_number_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
/** decimal integer */
readonly "current_block_number": string;
/** decimal integer */
readonly "countdown_block_number": string;
/** decimal integer */
readonly "remaining_blocks_count": string;
/** decimal number */
readonly "estimated_time_in_seconds": string;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Messages within the transactions of a block, in order */
readonly getBlockInternalTransactions: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
readonly "block_hash_or_number_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["InternalTransactionPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Transactions of a block, in order */
readonly getBlockTransactions: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
readonly "type"?: readonly ("coin_transfer" | "contract_call" | "contract_creation" | "token_transfer" | "token_creation" | "blob_transaction" | "set_code_transaction")[];
};
readonly header?: never;
readonly path: {
readonly "block_hash_or_number_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["TransactionPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Withdrawals of a block, in order */
readonly getBlockWithdrawals: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
readonly "block_hash_or_number_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["WithdrawalPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Version of this program */
readonly getConfigBackendVersion: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "backend_version": string;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Limit of exported rows */
readonly getConfigCsvExport: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "limit": number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Messages within transactions, newest first */
readonly getInternalTransactions: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["InternalTransactionPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** The 4 newest blocks */
readonly getMainPageBlocks: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": (readonly (components["schemas"]["Block"])[] | components["schemas"]["BlockPage"]);
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Progress of the index: always complete, because it is written with the blocks */
readonly getMainPageIndexingStatus: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "finished_indexing": boolean;
readonly "finished_indexing_blocks": boolean;
readonly "indexed_blocks_ratio": string;
readonly "indexed_internal_transactions_ratio": string;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** The 6 newest transactions */
readonly getMainPageTransactions: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": (readonly (components["schemas"]["Transaction"])[] | components["schemas"]["TransactionPage"]);
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Not offered: transactions of watched addresses */
readonly getMainPageTransactionsWatchlist: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 401: components["responses"]["Unauthorized"];
readonly 403: components["responses"]["Forbidden"];
};
};
/** An account’s coins: spendable, delegated, unbonding, earned, locked */
readonly getNativeAddress: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
/** 0x and 40 hexadecimal digits, or bech32 with the prefix of accounts or of operators */
readonly "address": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "address": components["schemas"]["AddressParam"];
readonly "bech32": string;
/** as a validator’s operator, bech32 */
readonly "operator_address": string;
readonly "is_validator": boolean;
/** the base coin first */
readonly "balances": readonly ({
readonly "denom": string;
/** decimal integer */
readonly "amount": string;
})[];
/** base units of the balance that may be sent */
readonly "spendable": string;
/** base units of the balance that must stay */
readonly "locked": string;
/** decimal integer */
readonly "delegated": string;
/** decimal integer */
readonly "unbonding": string;
/** earned and not taken */
readonly "rewards": string;
/** of a validator’s operator: earned and not taken */
readonly "commission": (string | null);
/** where rewards go */
readonly "withdraw_address": components["schemas"]["AddressParam"];
readonly "delegations_count": number;
readonly "unbondings_count": number;
/** null for accounts whose coins do not vest */
readonly "vesting": ({
readonly "address": components["schemas"]["AddressParam"];
readonly "funder": components["schemas"]["AddressParam"];
readonly "allows_governance_clawback": boolean;
/** ISO 8601, UTC */
readonly "start_time": string;
/** base units granted */
readonly "original": string;
/** decimal integer */
readonly "vested": string;
/** what the funder may take back */
readonly "unvested": string;
/** decimal integer */
readonly "unlocked": string;
/** decimal integer */
readonly "locked": string;
/** delegated since, and not come back */
readonly "delegated": string;
/** of the whole balance */
readonly "spendable": string;
readonly "lockup": readonly ({
/** ISO 8601, UTC */
readonly "time": string;
/** base units that this step releases */
readonly "amount": string;
/** released by this step and all before it */
readonly "total": string;
readonly "is_over": boolean;
})[];
readonly "vesting": readonly ({
/** ISO 8601, UTC */
readonly "time": string;
/** base units that this step releases */
readonly "amount": string;
/** released by this step and all before it */
readonly "total": string;
readonly "is_over": boolean;
})[];
} | null);
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** An account’s delegations, in order of operator */
readonly getNativeAddressDelegations: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
/** 0x and 40 hexadecimal digits, or bech32 with the prefix of accounts or of operators */
readonly "address": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
readonly "delegator": components["schemas"]["AddressParam"];
readonly "validator": {
readonly "address": components["schemas"]["AddressParam"];
/** bech32 */
readonly "operator_address": string;
/** null when the validator is gone */
readonly "moniker": (string | null);
};
/** decimal number with 18 decimals */
readonly "shares": string;
/** base units that the shares are worth */
readonly "balance": string;
/** base units that it has earned and not taken */
readonly "rewards": string;
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Grants that an account has given or received and that are alive */
readonly getNativeAddressGrants: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
readonly "filter"?: readonly ("given" | "received")[];
};
readonly header?: never;
readonly path: {
/** 0x and 40 hexadecimal digits, or bech32 with the prefix of accounts or of operators */
readonly "address": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
readonly "granter": components["schemas"]["AddressParam"];
readonly "grantee": components["schemas"]["AddressParam"];
/** type URL */
readonly "message": string;
/** ISO 8601, UTC */
readonly "expiration": string;
readonly "seconds_left": number;
/** base units that may still be used; null: no limit */
readonly "limit": (string | null);
/** of stake grants: for whom */
readonly "validators": readonly ({
readonly "address": components["schemas"]["AddressParam"];
/** bech32 */
readonly "operator_address": string;
/** null when the validator is gone */
readonly "moniker": (string | null);
})[];
/** of transfer grants: by channel */
readonly "allocations": readonly ({
readonly "source_port": string;
readonly "source_channel": string;
readonly "spend_limit": readonly ({
readonly "denom": string;
/** decimal integer */
readonly "amount": string;
})[];
/** receivers; empty: anyone */
readonly "allow_list": readonly (string)[];
/** memos; `*`: any */
readonly "allowed_packet_data": readonly (string)[];
})[];
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** An account’s tokens that still answer for the validator they have left, in order of completion */
readonly getNativeAddressRedelegations: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
/** 0x and 40 hexadecimal digits, or bech32 with the prefix of accounts or of operators */
readonly "address": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
readonly "creation_height": number;
/** ISO 8601, UTC */
readonly "completion_time": string;
/** until the completion time, 0 when it has come */
readonly "seconds_left": number;
/** decimal integer */
readonly "initial_balance": string;
readonly "delegator": components["schemas"]["AddressParam"];
readonly "source": {
readonly "address": components["schemas"]["AddressParam"];
/** bech32 */
readonly "operator_address": string;
/** null when the validator is gone */
readonly "moniker": (string | null);
};
readonly "destination": {
readonly "address": components["schemas"]["AddressParam"];
/** bech32 */
readonly "operator_address": string;
/** null when the validator is gone */
readonly "moniker": (string | null);
};
/** of the destination */
readonly "shares": string;
/** base units that these shares are worth */
readonly "balance": string;
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** What each delegation of an account has earned and not taken, in order of operator */
readonly getNativeAddressRewards: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
/** 0x and 40 hexadecimal digits, or bech32 with the prefix of accounts or of operators */
readonly "address": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
readonly "validator": {
readonly "address": components["schemas"]["AddressParam"];
/** bech32 */
readonly "operator_address": string;
/** null when the validator is gone */
readonly "moniker": (string | null);
};
/** decimal number with 18 decimals */
readonly "rewards": string;
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
/** decimal number with 18 decimals */
readonly "total_rewards": string;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** ICS-20 transfers from an account, or to it over a channel between two ends of this chain, newest first */
readonly getNativeAddressTransfers: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
/** 0x and 40 hexadecimal digits, or bech32 with the prefix of accounts or of operators */
readonly "address": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
/** on its channel */
readonly "sequence": number;
/** error and timeout: the coins were given back */
readonly "status": "pending" | "success" | "error" | "timeout";
readonly "source": {
readonly "port": string;
readonly "channel": string;
};
readonly "destination": {
readonly "port": string;
readonly "channel": string;
};
/** with its path of ports and channels */
readonly "denom": string;
/** decimal integer */
readonly "amount": string;
readonly "sender": components["schemas"]["AddressParam"];
/** as the receiving chain writes it */
readonly "receiver": string;
/** where the other end is this chain */
readonly "receiver_address": (components["schemas"]["AddressParam"] | null);
readonly "memo": string;
readonly "timeout_height": ({
/** decimal integer */
readonly "revision": string;
/** decimal integer */
readonly "height": string;
} | null);
readonly "timeout_time": (string | null);
readonly "transaction_hash": string;
readonly "block_number": number;
/** ISO 8601, UTC */
readonly "timestamp": string;
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** An account’s tokens that are leaving their validators, in order of completion */
readonly getNativeAddressUnbondings: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
/** 0x and 40 hexadecimal digits, or bech32 with the prefix of accounts or of operators */
readonly "address": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
readonly "creation_height": number;
/** ISO 8601, UTC */
readonly "completion_time": string;
/** until the completion time, 0 when it has come */
readonly "seconds_left": number;
/** decimal integer */
readonly "initial_balance": string;
readonly "delegator": components["schemas"]["AddressParam"];
readonly "validator": {
readonly "address": components["schemas"]["AddressParam"];
/** bech32 */
readonly "operator_address": string;
/** null when the validator is gone */
readonly "moniker": (string | null);
};
/** base units that will be paid, less what was slashed */
readonly "balance": string;
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** The schedules of an account whose coins vest; 404 for any other */
readonly getNativeAddressVesting: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
/** 0x and 40 hexadecimal digits, or bech32 with the prefix of accounts or of operators */
readonly "address": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "address": components["schemas"]["AddressParam"];
readonly "funder": components["schemas"]["AddressParam"];
readonly "allows_governance_clawback": boolean;
/** ISO 8601, UTC */
readonly "start_time": string;
/** base units granted */
readonly "original": string;
/** decimal integer */
readonly "vested": string;
/** what the funder may take back */
readonly "unvested": string;
/** decimal integer */
readonly "unlocked": string;
/** decimal integer */
readonly "locked": string;
/** delegated since, and not come back */
readonly "delegated": string;
/** of the whole balance */
readonly "spendable": string;
readonly "lockup": readonly ({
/** ISO 8601, UTC */
readonly "time": string;
/** base units that this step releases */
readonly "amount": string;
/** released by this step and all before it */
readonly "total": string;
readonly "is_over": boolean;
})[];
readonly "vesting": readonly ({
/** ISO 8601, UTC */
readonly "time": string;
/** base units that this step releases */
readonly "amount": string;
/** released by this step and all before it */
readonly "total": string;
readonly "is_over": boolean;
})[];
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Votes that an account has cast, newest first, replaced ones too */
readonly getNativeAddressVotes: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
/** 0x and 40 hexadecimal digits, or bech32 with the prefix of accounts or of operators */
readonly "address": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
readonly "transaction_hash": string;
readonly "block_number": number;
/** ISO 8601, UTC */
readonly "timestamp": string;
readonly "voter": components["schemas"]["AddressParam"];
readonly "options": readonly ({
readonly "option": "yes" | "abstain" | "no" | "no_with_veto";
/** decimal number with 18 decimals */
readonly "weight": string;
})[];
readonly "proposal": {
readonly "id": number;
/** null when the proposal was cancelled */
readonly "title": (string | null);
readonly "status": ("deposit" | "voting" | "passed" | "rejected" | "failed" | null);
};
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Who voted in the commit that a block came with, and the evidence in it; no votes on a chain of one node */
readonly getNativeBlockCommit: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "block_hash_or_number_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "block_number": number;
readonly "block_hash": string;
/** that decided the block; null for a block that one node made: it has no votes */
readonly "engine": ("cometbft" | null);
/** the block before, for which the votes are */
readonly "voted_block_number": (number | null);
/** in which the block before was decided */
readonly "round": (number | null);
/** of the block, by its engine */
readonly "time": (string | null);
/** votes for the block */
readonly "signed_count": number;
/** their part of all power */
readonly "signed_power_share": string;
readonly "votes": readonly ({
/** bech32 */
readonly "consensus_address": string;
readonly "validator": ({
readonly "address": components["schemas"]["AddressParam"];
/** bech32 */
readonly "operator_address": string;
/** null when the validator is gone */
readonly "moniker": (string | null);
} | null);
/** decimal integer */
readonly "power": string;
/** for the block; for none; not in the commit */
readonly "vote": "commit" | "nil" | "absent" | "unknown";
})[];
/** misbehaviour that was proven in the block */
readonly "evidence": readonly ({
/** bech32 */
readonly "consensus_address": string;
readonly "validator": ({
readonly "address": components["schemas"]["AddressParam"];
/** bech32 */
readonly "operator_address": string;
/** null when the validator is gone */
readonly "moniker": (string | null);
} | null);
/** decimal integer */
readonly "power": string;
readonly "type": "duplicate_vote" | "light_client_attack" | "unknown";
/** of the fault */
readonly "height": number;
/** ISO 8601, UTC */
readonly "time": string;
})[];
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Denominations of coins: the base coin, then vouchers and coins of token pairs by name */
readonly getNativeDenominations: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
readonly "denom": string;
readonly "kind": "base" | "voucher" | "token";
/** units in existence */
readonly "supply": string;
/** of vouchers: the ports and channels that the coin has come through */
readonly "trace": ({
readonly "path": string;
readonly "base_denom": string;
} | null);
readonly "token_pair": ({
readonly "token": components["schemas"]["AddressParam"];
readonly "enabled": boolean;
/** module: the contract shows the coin’s own balances */
readonly "owner": "external" | "module";
readonly "name": string;
readonly "symbol": string;
readonly "decimals": number;
} | null);
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Module accounts and the escrow accounts of channels, with their coins */
readonly getNativeModules: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
/** of the module account, or `escrow port/channel` */
readonly "name": string;
readonly "address": components["schemas"]["AddressParam"];
readonly "balances": readonly ({
readonly "denom": string;
/** decimal integer */
readonly "amount": string;
})[];
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** The network of this node: its engine, peers, and whether the node catches up with them */
readonly getNativeNetwork: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
/** null on a chain of one node */
readonly "engine": ("cometbft" | null);
/** first block that the engine decided */
readonly "initial_height": (number | null);
/** null while the engine does not answer */
readonly "peers_count": (number | null);
/** null when the node has caught up */
readonly "syncing": ({
readonly "starting_block": number;
readonly "current_block": number;
readonly "highest_block": number;
} | null);
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Opcode proposals that this chain knows: what they change, and in which blocks they were active */
readonly getNativeOpcodeProposals: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
readonly "name": string;
readonly "title": string;
readonly "is_active": boolean;
/** what it changes by itself in the opcode table of the newest block */
readonly "changes": readonly ({
readonly "opcode": string;
readonly "code": number;
readonly "what": readonly (string)[];
})[];
readonly "active_blocks": readonly ({
readonly "from": number;
/** null: it is active still */
readonly "to": (number | null);
})[];
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** The parameters of all modules */
readonly getNativeParameters: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "evm": {
/** opcode proposals in order of application */
readonly "active_proposals": readonly (string)[];
};
readonly "staking": {
/** seconds */
readonly "unbonding_time": number;
readonly "max_validators": number;
readonly "max_entries": number;
/** decimal number with 18 decimals */
readonly "min_commission_rate": string;
/** tokens of a unit of voting power */
readonly "power_reduction": string;
};
/** null on chains without slashing */
readonly "slashing": ({
readonly "signed_blocks_window": number;
/** decimal number with 18 decimals */
readonly "min_signed_per_window": string;
/** seconds */
readonly "downtime_jail_duration": number;
/** decimal number with 18 decimals */
readonly "slash_fraction_double_sign": string;
/** decimal number with 18 decimals */
readonly "slash_fraction_downtime": string;
} | null);
readonly "distribution": {
/** decimal number with 18 decimals */
readonly "community_tax": string;
readonly "withdraw_addr_enabled": boolean;
};
readonly "inflation": {
/** base units */
readonly "per_block": string;
/** decimal number with 18 decimals */
readonly "staking_share": string;
};
readonly "gov": {
/** seconds */
readonly "voting_period": number;
/** seconds */
readonly "max_deposit_period": number;
/** decimal integer */
readonly "min_deposit": string;
/** decimal number with 18 decimals */
readonly "quorum": string;
/** decimal number with 18 decimals */
readonly "threshold": string;
/** decimal number with 18 decimals */
readonly "veto_threshold": string;
/** decimal number with 18 decimals */
readonly "min_initial_deposit_ratio": string;
/** decimal number with 18 decimals */
readonly "min_deposit_ratio": string;
/** decimal number with 18 decimals */
readonly "proposal_cancel_ratio": string;
/** null: it is burnt */
readonly "proposal_cancel_dest": (string | null);
/** seconds */
readonly "expedited_voting_period": number;
/** decimal number with 18 decimals */
readonly "expedited_threshold": string;
/** decimal integer */
readonly "expedited_min_deposit": string;
readonly "burn_vote_quorum": boolean;
readonly "burn_proposal_deposit_prevote": boolean;
readonly "burn_vote_veto": boolean;
};
readonly "authz": {
/** seconds */
readonly "default_expiration": number;
};
readonly "erc20": {
readonly "enabled": boolean;
};
readonly "transfer": {
readonly "send_enabled": boolean;
readonly "receive_enabled": boolean;
};
readonly "fee_market": {
readonly "burn_base_fee": boolean;
/** floor of the base fee in wei per gas; null: governance cannot set one */
readonly "min_base_fee": (string | null);
};
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Every change of a parameter, newest first, with the proposal or upgrade that caused it */
readonly getNativeParametersHistory: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
/** a proposal works at its end, an upgrade at its beginning */
readonly "block_number": number;
readonly "module": "evm" | "fee_market" | "staking" | "slashing" | "gov";
/** as in /native/parameters */
readonly "key": string;
readonly "before": (string | number | boolean | readonly (string)[] | null);
readonly "after": (string | number | boolean | readonly (string)[] | null);
readonly "cause": {
readonly "type": "proposal" | "upgrade";
readonly "proposal_id": (number | null);
/** title of the proposal, or name of the upgrade */
readonly "name": string;
};
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Stake and supply of the base coin */
readonly getNativePool: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "denom": string;
readonly "symbol": string;
readonly "decimals": number;
/** tokens of the validators that sign */
readonly "bonded_tokens": string;
/** tokens of other validators, and unbonding ones */
readonly "not_bonded_tokens": string;
/** part of the supply */
readonly "bonded_ratio": string;
/** decimal number with 18 decimals */
readonly "community_pool": string;
/** decimal integer */
readonly "supply": string;
readonly "validators_count": number;
readonly "bonded_validators_count": number;
readonly "max_validators": number;
/** null where no coins are made */
readonly "inflation": ({
/** base units */
readonly "per_block": string;
/** decimal number with 18 decimals */
readonly "staking_share": string;
} | null);
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Proposals of governance, newest first */
readonly getNativeProposals: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
readonly "status"?: readonly ("deposit" | "voting" | "passed" | "rejected" | "failed")[];
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
readonly "id": number;
readonly "status": "deposit" | "voting" | "passed" | "rejected" | "failed";
readonly "title": string;
readonly "summary": string;
readonly "metadata": string;
readonly "proposer": components["schemas"]["AddressParam"];
readonly "messages": readonly ({
/** type URL */
readonly "type": string;
/** its fields as they were submitted */
readonly "content": {
readonly [key: string]: unknown;
};
})[];
readonly "is_expedited": boolean;
/** ISO 8601, UTC */
readonly "submit_time": string;
/** ISO 8601, UTC */
readonly "deposit_end_time": string;
readonly "voting_start_time": (string | null);
readonly "voting_end_time": (string | null);
/** until the deposit or voting period ends; 0 when it is over */
readonly "seconds_left": number;
/** base units */
readonly "total_deposit": string;
/** with which voting begins */
readonly "min_deposit": string;
readonly "tally": {
/** decimal integer */
readonly "yes": string;
/** decimal integer */
readonly "abstain": string;
/** decimal integer */
readonly "no": string;
/** decimal integer */
readonly "no_with_veto": string;
readonly "is_final": boolean;
};
/** part of the bonded tokens that has voted so far; null when the vote is not open */
readonly "turnout": (string | null);
/** accounts whose vote waits to be counted */
readonly "votes_count": number;
/** why the messages of a passed proposal could not be executed */
readonly "failure": (string | null);
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** A proposal of governance */
readonly getNativeProposal: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "id": number;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "id": number;
readonly "status": "deposit" | "voting" | "passed" | "rejected" | "failed";
readonly "title": string;
readonly "summary": string;
readonly "metadata": string;
readonly "proposer": components["schemas"]["AddressParam"];
readonly "messages": readonly ({
/** type URL */
readonly "type": string;
/** its fields as they were submitted */
readonly "content": {
readonly [key: string]: unknown;
};
})[];
readonly "is_expedited": boolean;
/** ISO 8601, UTC */
readonly "submit_time": string;
/** ISO 8601, UTC */
readonly "deposit_end_time": string;
readonly "voting_start_time": (string | null);
readonly "voting_end_time": (string | null);
/** until the deposit or voting period ends; 0 when it is over */
readonly "seconds_left": number;
/** base units */
readonly "total_deposit": string;
/** with which voting begins */
readonly "min_deposit": string;
readonly "tally": {
/** decimal integer */
readonly "yes": string;
/** decimal integer */
readonly "abstain": string;
/** decimal integer */
readonly "no": string;
/** decimal integer */
readonly "no_with_veto": string;
readonly "is_final": boolean;
};
/** part of the bonded tokens that has voted so far; null when the vote is not open */
readonly "turnout": (string | null);
/** accounts whose vote waits to be counted */
readonly "votes_count": number;
/** why the messages of a passed proposal could not be executed */
readonly "failure": (string | null);
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Deposits of a proposal, oldest first, also when they were given back or burnt */
readonly getNativeProposalDeposits: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
readonly "id": number;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
readonly "transaction_hash": string;
readonly "block_number": number;
/** ISO 8601, UTC */
readonly "timestamp": string;
readonly "depositor": components["schemas"]["AddressParam"];
/** base units */
readonly "amount": string;
/** it came with the submission */
readonly "is_initial": boolean;
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** The last vote of each account on a proposal, newest first */
readonly getNativeProposalVotes: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
readonly "id": number;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
readonly "transaction_hash": string;
readonly "block_number": number;
/** ISO 8601, UTC */
readonly "timestamp": string;
readonly "voter": components["schemas"]["AddressParam"];
readonly "options": readonly ({
readonly "option": "yes" | "abstain" | "no" | "no_with_veto";
/** decimal number with 18 decimals */
readonly "weight": string;
})[];
/** null when the votes were counted: the chain forgets it then */
readonly "metadata": (string | null);
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** How all that have ever been bonded have signed, by consensus address; empty on chains without slashing */
readonly getNativeSigningInfos: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
/** block in which it was last bonded */
readonly "start_height": number;
/** since it first bonded, or was last jailed for downtime */
readonly "votes_counted": number;
/** blocks of which votes are counted */
readonly "window": number;
/** of the window */
readonly "missed_blocks": number;
/** part of the counted votes of the window that were given; null before the first */
readonly "uptime": (string | null);
/** end of its last jail for a fault */
readonly "jailed_until": (string | null);
/** jailed for ever */
readonly "tombstoned": boolean;
/** bech32 */
readonly "consensus_address": string;
/** null where it is not known: on a chain of one node */
readonly "validator": ({
readonly "address": components["schemas"]["AddressParam"];
/** bech32 */
readonly "operator_address": string;
/** null when the validator is gone */
readonly "moniker": (string | null);
} | null);
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** ICS-20 transfers that left over a channel of this chain, newest first */
readonly getNativeTransfers: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
/** on its channel */
readonly "sequence": number;
/** error and timeout: the coins were given back */
readonly "status": "pending" | "success" | "error" | "timeout";
readonly "source": {
readonly "port": string;
readonly "channel": string;
};
readonly "destination": {
readonly "port": string;
readonly "channel": string;
};
/** with its path of ports and channels */
readonly "denom": string;
/** decimal integer */
readonly "amount": string;
readonly "sender": components["schemas"]["AddressParam"];
/** as the receiving chain writes it */
readonly "receiver": string;
/** where the other end is this chain */
readonly "receiver_address": (components["schemas"]["AddressParam"] | null);
readonly "memo": string;
readonly "timeout_height": ({
/** decimal integer */
readonly "revision": string;
/** decimal integer */
readonly "height": string;
} | null);
readonly "timeout_time": (string | null);
readonly "transaction_hash": string;
readonly "block_number": number;
/** ISO 8601, UTC */
readonly "timestamp": string;
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Validators, those with the most tokens first */
readonly getNativeValidators: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
readonly "status"?: readonly ("bonded" | "unbonding" | "unbonded")[];
readonly "sort"?: "tokens" | "delegators";
readonly "order"?: "asc" | "desc";
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
/** account of the operator */
readonly "address": components["schemas"]["AddressParam"];
/** bech32 */
readonly "operator_address": string;
/** bech32 */
readonly "consensus_address": string;
/** ed25519, base64 */
readonly "consensus_pubkey": string;
readonly "moniker": string;
readonly "description": {
readonly "identity": string;
readonly "website": string;
readonly "security_contact": string;
readonly "details": string;
};
readonly "status": "bonded" | "unbonding" | "unbonded";
readonly "jailed": boolean;
/** it may not be let back before */
readonly "jailed_until": (string | null);
readonly "tombstoned": boolean;
/** base units */
readonly "tokens": string;
/** decimal number with 18 decimals */
readonly "delegator_shares": string;
/** base units that the operator itself delegates */
readonly "self_delegation": string;
/** decimal integer */
readonly "min_self_delegation": string;
readonly "commission": {
/** decimal number with 18 decimals */
readonly "rate": string;
/** decimal number with 18 decimals */
readonly "max_rate": string;
/** decimal number with 18 decimals */
readonly "max_change_rate": string;
/** ISO 8601, UTC */
readonly "updated_at": string;
};
/** units of power; zero when it does not sign */
readonly "voting_power": string;
/** part of all power */
readonly "voting_power_share": string;
readonly "delegators_count": number;
readonly "unbonding_height": (number | null);
/** end of its latest unbonding */
readonly "unbonding_time": (string | null);
/** null on chains without slashing, and for validators that never signed */
readonly "uptime": ({
/** votes of the window that were given */
readonly "signed": number;
/** blocks of which votes are counted */
readonly "window": number;
readonly "missed": number;
} | null);
/** null where `uptime` is */
readonly "signing_info": ({
/** block in which it was last bonded */
readonly "start_height": number;
/** since it first bonded, or was last jailed for downtime */
readonly "votes_counted": number;
/** blocks of which votes are counted */
readonly "window": number;
/** of the window */
readonly "missed_blocks": number;
/** part of the counted votes of the window that were given; null before the first */
readonly "uptime": (string | null);
/** end of its last jail for a fault */
readonly "jailed_until": (string | null);
/** jailed for ever */
readonly "tombstoned": boolean;
} | null);
/** base units that its delegators and operator have not taken */
readonly "outstanding_rewards": string;
/** the operator’s part of them */
readonly "accumulated_commission": string;
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** A validator */
readonly getNativeValidator: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
/** 0x and 40 hexadecimal digits, or bech32 with the prefix of accounts or of operators */
readonly "address": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
/** account of the operator */
readonly "address": components["schemas"]["AddressParam"];
/** bech32 */
readonly "operator_address": string;
/** bech32 */
readonly "consensus_address": string;
/** ed25519, base64 */
readonly "consensus_pubkey": string;
readonly "moniker": string;
readonly "description": {
readonly "identity": string;
readonly "website": string;
readonly "security_contact": string;
readonly "details": string;
};
readonly "status": "bonded" | "unbonding" | "unbonded";
readonly "jailed": boolean;
/** it may not be let back before */
readonly "jailed_until": (string | null);
readonly "tombstoned": boolean;
/** base units */
readonly "tokens": string;
/** decimal number with 18 decimals */
readonly "delegator_shares": string;
/** base units that the operator itself delegates */
readonly "self_delegation": string;
/** decimal integer */
readonly "min_self_delegation": string;
readonly "commission": {
/** decimal number with 18 decimals */
readonly "rate": string;
/** decimal number with 18 decimals */
readonly "max_rate": string;
/** decimal number with 18 decimals */
readonly "max_change_rate": string;
/** ISO 8601, UTC */
readonly "updated_at": string;
};
/** units of power; zero when it does not sign */
readonly "voting_power": string;
/** part of all power */
readonly "voting_power_share": string;
readonly "delegators_count": number;
readonly "unbonding_height": (number | null);
/** end of its latest unbonding */
readonly "unbonding_time": (string | null);
/** null on chains without slashing, and for validators that never signed */
readonly "uptime": ({
/** votes of the window that were given */
readonly "signed": number;
/** blocks of which votes are counted */
readonly "window": number;
readonly "missed": number;
} | null);
/** null where `uptime` is */
readonly "signing_info": ({
/** block in which it was last bonded */
readonly "start_height": number;
/** since it first bonded, or was last jailed for downtime */
readonly "votes_counted": number;
/** blocks of which votes are counted */
readonly "window": number;
/** of the window */
readonly "missed_blocks": number;
/** part of the counted votes of the window that were given; null before the first */
readonly "uptime": (string | null);
/** end of its last jail for a fault */
readonly "jailed_until": (string | null);
/** jailed for ever */
readonly "tombstoned": boolean;
} | null);
/** base units that its delegators and operator have not taken */
readonly "outstanding_rewards": string;
/** the operator’s part of them */
readonly "accumulated_commission": string;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Blocks whose coinbase is the operator, newest first */
readonly getNativeValidatorBlocks: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
/** 0x and 40 hexadecimal digits, or bech32 with the prefix of accounts or of operators */
readonly "address": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["BlockPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Delegations to a validator, the largest first */
readonly getNativeValidatorDelegations: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
/** 0x and 40 hexadecimal digits, or bech32 with the prefix of accounts or of operators */
readonly "address": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
readonly "delegator": components["schemas"]["AddressParam"];
readonly "validator": {
readonly "address": components["schemas"]["AddressParam"];
/** bech32 */
readonly "operator_address": string;
/** null when the validator is gone */
readonly "moniker": (string | null);
};
/** decimal number with 18 decimals */
readonly "shares": string;
/** base units that the shares are worth */
readonly "balance": string;
/** base units that it has earned and not taken */
readonly "rewards": string;
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Tokens that have moved away from a validator and still answer for its faults, in order of completion */
readonly getNativeValidatorRedelegations: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
/** 0x and 40 hexadecimal digits, or bech32 with the prefix of accounts or of operators */
readonly "address": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
readonly "creation_height": number;
/** ISO 8601, UTC */
readonly "completion_time": string;
/** until the completion time, 0 when it has come */
readonly "seconds_left": number;
/** decimal integer */
readonly "initial_balance": string;
readonly "delegator": components["schemas"]["AddressParam"];
readonly "source": {
readonly "address": components["schemas"]["AddressParam"];
/** bech32 */
readonly "operator_address": string;
/** null when the validator is gone */
readonly "moniker": (string | null);
};
readonly "destination": {
readonly "address": components["schemas"]["AddressParam"];
/** bech32 */
readonly "operator_address": string;
/** null when the validator is gone */
readonly "moniker": (string | null);
};
/** of the destination */
readonly "shares": string;
/** base units that these shares are worth */
readonly "balance": string;
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Tokens that are leaving a validator, in order of completion */
readonly getNativeValidatorUnbondings: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
/** 0x and 40 hexadecimal digits, or bech32 with the prefix of accounts or of operators */
readonly "address": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
readonly "creation_height": number;
/** ISO 8601, UTC */
readonly "completion_time": string;
/** until the completion time, 0 when it has come */
readonly "seconds_left": number;
/** decimal integer */
readonly "initial_balance": string;
readonly "delegator": components["schemas"]["AddressParam"];
readonly "validator": {
readonly "address": components["schemas"]["AddressParam"];
/** bech32 */
readonly "operator_address": string;
/** null when the validator is gone */
readonly "moniker": (string | null);
};
/** base units that will be paid, less what was slashed */
readonly "balance": string;
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** A validator’s votes for the blocks of a network, newest first; none on a chain of one node */
readonly getNativeValidatorVotes: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
/** 0x and 40 hexadecimal digits, or bech32 with the prefix of accounts or of operators */
readonly "address": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
/** the block that the vote is for */
readonly "voted_block_number": number;
/** the next one, whose commit has the vote */
readonly "block_number": number;
/** of the next one */
readonly "timestamp": string;
/** null: it was not asked to vote */
readonly "vote": ("commit" | "nil" | "absent" | "unknown" | null);
/** decimal integer */
readonly "power": string;
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Index of user operations (ERC-4337): there is none, for no version of the EntryPoint contract */
readonly getProxyAccountAbstractionStatus: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "finished_past_indexing": boolean;
readonly "v06": {
readonly "enabled": boolean;
readonly "live": boolean;
readonly "past_db_logs_indexing_finished": boolean;
readonly "past_rpc_logs_indexing_finished": boolean;
};
readonly "v07": {
readonly "enabled": boolean;
readonly "live": boolean;
readonly "past_db_logs_indexing_finished": boolean;
readonly "past_rpc_logs_indexing_finished": boolean;
};
readonly "v08": {
readonly "enabled": boolean;
readonly "live": boolean;
readonly "past_db_logs_indexing_finished": boolean;
readonly "past_rpc_logs_indexing_finished": boolean;
};
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Tokens, addresses, blocks, transactions, contracts, modules, validators and proposals that match a query */
readonly getSearch: {
readonly parameters: {
readonly query?: {
/** address, hash, block number, or words of a name */
readonly "q"?: string;
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["SearchResultPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** The one record that a query names exactly, if there is one */
readonly getSearchCheckRedirect: {
readonly parameters: {
readonly query?: {
/** address, hash, block number, or words of a name */
readonly "q"?: string;
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["SearchRedirect"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** The best of each kind, 50 at most */
readonly getSearchQuick: {
readonly parameters: {
readonly query?: {
/** address, hash, block number, or words of a name */
readonly "q"?: string;
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": readonly (components["schemas"]["SearchResult"])[];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Verified contracts, the newest first */
readonly getSmartContracts: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
/** words of the name, or an address */
readonly "q"?: string;
readonly "filter"?: "solidity" | "vyper" | "yul";
readonly "sort"?: "balance" | "transactions_count" | "txs_count";
readonly "order"?: "asc" | "desc";
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["VerifiedContractPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** The number of contracts and of verified contracts */
readonly getSmartContractsCounters: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
/** decimal integer */
readonly "smart_contracts": string;
/** decimal integer */
readonly "new_smart_contracts_24h": string;
/** decimal integer */
readonly "verified_smart_contracts": string;
/** decimal integer */
readonly "new_verified_smart_contracts_24h": string;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Compilers and methods of contract verification on this node */
readonly getSmartContractsVerificationConfig: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
/** newest first */
readonly "solidity_compiler_versions": readonly (string)[];
readonly "solidity_evm_versions": readonly (string)[];
readonly "vyper_compiler_versions": readonly (string)[];
readonly "vyper_evm_versions": readonly (string)[];
readonly "verification_options": readonly (string)[];
/** the form need not ask for what can be found out */
readonly "is_rust_verifier_microservice_enabled": boolean;
readonly "license_types": {
readonly [key: string]: number;
};
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Code of a contract, and its sources when they are verified */
readonly getSmartContract: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["SmartContract"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Audits of a contract: always empty, because this node has no source of audits */
readonly getSmartContractAuditReports: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly (unknown)[];
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Verifies a contract by a single source */
readonly postSmartContractVerificationViaFlattenedCode: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody: {
readonly headers: { readonly [name: string]: unknown };
readonly content: {
readonly "application/json": {
/** v0.8.37+commit.f401782d */
readonly "compiler_version"?: string;
/** the contract is found without it */
readonly "contract_name"?: string;
readonly "license_type"?: (string | number);
readonly "is_optimization_enabled"?: (boolean | "true" | "false");
readonly "optimization_runs"?: (((number | string) | "") | null);
readonly "evm_version"?: string;
readonly "source_code": string;
readonly "is_yul_contract"?: (boolean | "true" | "false");
readonly [key: string]: unknown;
};
};
};
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "message": string;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Verifies a contract by its source files */
readonly postSmartContractVerificationViaMultiPart: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody: {
readonly headers: { readonly [name: string]: unknown };
readonly content: {
readonly "application/json": {
/** v0.8.37+commit.f401782d */
readonly "compiler_version"?: string;
/** the contract is found without it */
readonly "contract_name"?: string;
readonly "license_type"?: (string | number);
readonly "is_optimization_enabled"?: (boolean | "true" | "false");
readonly "optimization_runs"?: (((number | string) | "") | null);
readonly "evm_version"?: string;
readonly [key: string]: unknown;
};
};
};
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "message": string;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Verifies a contract by its metadata.json and source files, which need no settings */
readonly postSmartContractVerificationViaSourcify: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody: {
readonly headers: { readonly [name: string]: unknown };
readonly content: {
readonly "application/json": {
/** v0.8.37+commit.f401782d */
readonly "compiler_version"?: string;
/** the contract is found without it */
readonly "contract_name"?: string;
readonly "license_type"?: (string | number);
readonly [key: string]: unknown;
};
};
};
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "message": string;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Verifies a contract by the compiler's standard JSON input, a file of the form */
readonly postSmartContractVerificationViaStandardInput: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody: {
readonly headers: { readonly [name: string]: unknown };
readonly content: {
readonly "application/json": {
/** v0.8.37+commit.f401782d */
readonly "compiler_version"?: string;
/** the contract is found without it */
readonly "contract_name"?: string;
readonly "license_type"?: (string | number);
readonly [key: string]: unknown;
};
};
};
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "message": string;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Verifies a contract of Vyper by a single source */
readonly postSmartContractVerificationViaVyperCode: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody: {
readonly headers: { readonly [name: string]: unknown };
readonly content: {
readonly "application/json": {
/** v0.8.37+commit.f401782d */
readonly "compiler_version"?: string;
/** the contract is found without it */
readonly "contract_name"?: string;
readonly "license_type"?: (string | number);
readonly "source_code": string;
readonly "evm_version"?: string;
readonly [key: string]: unknown;
};
};
};
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "message": string;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Verifies a contract of Vyper by its source files, with those of interfaces in a field of their own */
readonly postSmartContractVerificationViaVyperMultiPart: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody: {
readonly headers: { readonly [name: string]: unknown };
readonly content: {
readonly "application/json": {
/** v0.8.37+commit.f401782d */
readonly "compiler_version"?: string;
/** the contract is found without it */
readonly "contract_name"?: string;
readonly "license_type"?: (string | number);
readonly "evm_version"?: string;
readonly [key: string]: unknown;
};
};
};
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "message": string;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Verifies a contract by Vyper's standard JSON input, a file of the form */
readonly postSmartContractVerificationViaVyperStandardInput: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody: {
readonly headers: { readonly [name: string]: unknown };
readonly content: {
readonly "application/json": {
/** v0.8.37+commit.f401782d */
readonly "compiler_version"?: string;
/** the contract is found without it */
readonly "contract_name"?: string;
readonly "license_type"?: (string | number);
readonly [key: string]: unknown;
};
};
};
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "message": string;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Figures of the chain. Gas prices are wei; with the header `updated-gas-oracle: true` each is an object */
readonly getStats: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
/** from `first_block` on */
readonly "total_blocks": number;
/** the first block that the node has: lists, charts and figures begin with it */
readonly "first_block": number;
readonly "total_transactions": number;
readonly "total_addresses": number;
/** milliseconds, over the last 100 blocks */
readonly "average_block_time": number;
readonly "gas_prices": ({
/** decimal integer */
readonly "slow": string;
/** decimal integer */
readonly "average": string;
/** decimal integer */
readonly "fast": string;
} | {
readonly "slow": {
/** gwei */
readonly "price": number;
readonly "time": (number | null);
/** of a plain transfer */
readonly "fiat_price": (string | null);
/** gwei */
readonly "base_fee": (number | null);
/** gwei */
readonly "priority_fee": (number | null);
/** decimal integer */
readonly "wei": string;
/** decimal integer */
readonly "priority_fee_wei": string;
};
readonly "average": {
/** gwei */
readonly "price": number;
readonly "time": (number | null);
/** of a plain transfer */
readonly "fiat_price": (string | null);
/** gwei */
readonly "base_fee": (number | null);
/** gwei */
readonly "priority_fee": (number | null);
/** decimal integer */
readonly "wei": string;
/** decimal integer */
readonly "priority_fee_wei": string;
};
readonly "fast": {
/** gwei */
readonly "price": number;
readonly "time": (number | null);
/** of a plain transfer */
readonly "fiat_price": (string | null);
/** gwei */
readonly "base_fee": (number | null);
/** gwei */
readonly "priority_fee": (number | null);
/** decimal integer */
readonly "wei": string;
/** decimal integer */
readonly "priority_fee_wei": string;
};
});
/** ISO 8601, UTC */
readonly "gas_price_updated_at": string;
/** milliseconds */
readonly "gas_prices_update_in": number;
readonly "static_gas_price": null;
/** of the day (UTC) of the newest block */
readonly "transactions_today": string;
/** decimal integer */
readonly "gas_used_today": string;
/** decimal integer */
readonly "total_gas_used": string;
/** of the last 50 blocks */
readonly "network_utilization_percentage": number;
readonly "coin_price": (string | null);
readonly "coin_price_change_percentage": (number | null);
readonly "coin_image": null;
readonly "secondary_coin_price": null;
readonly "secondary_coin_image": null;
/** decimal number */
readonly "market_cap": string;
readonly "tvl": null;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Prices of the coin per day, newest day first; empty when the operator provides none */
readonly getStatsChartsMarket: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
/** decimal number */
readonly "available_supply": string;
readonly "chart_data": readonly ({
readonly "date": string;
readonly "closing_price": (string | null);
readonly "market_cap": (string | null);
readonly "tvl": null;
})[];
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Always empty: there is no second coin */
readonly getStatsChartsSecondaryCoinMarket: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "chart_data": readonly (unknown)[];
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Transactions per day, newest day first, without gaps */
readonly getStatsChartsTransactions: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "chart_data": readonly ({
readonly "date": string;
readonly "transactions_count": number;
readonly "transaction_count": number;
readonly "tx_count": number;
})[];
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Token transfers, newest first */
readonly getTokenTransfersOfChain: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
readonly "type"?: readonly ("ERC-20" | "ERC-721" | "ERC-1155" | "ERC-404")[];
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["TokenTransferPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Tokens of the network, those with the most holders first */
readonly getTokens: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
readonly "type"?: readonly ("ERC-20" | "ERC-721" | "ERC-1155" | "ERC-404")[];
/** words of name or symbol */
readonly "q"?: string;
readonly "sort"?: "holders_count" | "holder_count" | "fiat_value" | "circulating_market_cap";
readonly "order"?: "asc" | "desc";
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["TokenPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** The record of a token */
readonly getToken: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["Token"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** The number of holders and of transfers of a token */
readonly getTokenCounters: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
/** decimal integer */
readonly "token_holders_count": string;
/** decimal integer */
readonly "transfers_count": string;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Holders of a token, the largest balance first */
readonly getTokenHolders: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
readonly "address": components["schemas"]["AddressParam"];
/** an amount; of an ERC-721 how many items */
readonly "value": string;
/** of an ERC-1155, which has a row for each id and holder */
readonly "token_id": (string | null);
readonly "token": components["schemas"]["TokenInfo"];
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Holders of a token as CSV, the largest balance first, 10000 at most */
readonly getTokenHoldersCsv: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "text/csv": string;
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Items of a token, the highest id first */
readonly getTokenInstances: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
readonly "holder_address_hash"?: string;
};
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["TokenInstancePage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** The record of an item */
readonly getTokenInstance: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
readonly "token_id_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["TokenInstance"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Holders of an item, the largest amount first */
readonly getTokenInstanceHolders: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
readonly "token_id_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
readonly "address": components["schemas"]["AddressParam"];
/** decimal integer */
readonly "value": string;
/** decimal integer */
readonly "token_id": string;
readonly "token": components["schemas"]["TokenInfo"];
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** The picture, video or sound of an item whose metadata are on the chain */
readonly getTokenInstanceMedia: {
readonly parameters: {
readonly query?: {
readonly "field"?: "image" | "animation";
};
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
readonly "token_id_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "image/*": string;
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Reads the metadata of an item again; live updates tell when it is done */
readonly patchTokenInstanceRefetchMetadata: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
readonly "token_id_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "message": string;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Transfers of an item, newest first */
readonly getTokenInstanceTransfers: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
readonly "token_id_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["TokenTransferPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** The number of transfers of an item */
readonly getTokenInstanceTransfersCount: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
readonly "token_id_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "transfers_count": number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Transfers of a token, newest first */
readonly getTokenTransfers: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
readonly "address_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["TokenTransferPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Transactions, newest first: mined or pending */
readonly getTransactions: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
readonly "filter"?: "validated" | "pending";
readonly "type"?: readonly ("coin_transfer" | "contract_call" | "contract_creation" | "token_transfer" | "token_creation" | "blob_transaction" | "set_code_transaction")[];
/** names or selectors (0x and 8 digits) of methods, with commas between */
readonly "method"?: string;
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["TransactionPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Transactions of the last 24 hours, and the number of pending ones */
readonly getTransactionsStats: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
/** decimal integer */
readonly "transactions_count_24h": string;
/** decimal integer */
readonly "pending_transactions_count": string;
/** decimal integer */
readonly "transaction_fees_sum_24h": string;
/** decimal integer */
readonly "transaction_fees_avg_24h": string;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** A transaction: mined, pending, or recently dropped */
readonly getTransaction: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "transaction_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["Transaction"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Messages within a transaction, in call order */
readonly getTransactionInternalTransactions: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
readonly "transaction_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["InternalTransactionPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Logs of a transaction, in order */
readonly getTransactionLogs: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
readonly "transaction_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["LogPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** The messages of a transaction, as Parity traces */
readonly getTransactionRawTrace: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "transaction_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": readonly (components["schemas"]["RawTrace"])[];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** What a transaction changed: coins, then tokens */
readonly getTransactionStateChanges: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path: {
readonly "transaction_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["StateChangePage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Not offered: an interpretation of a transaction */
readonly getTransactionSummary: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path: {
readonly "transaction_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 401: components["responses"]["Unauthorized"];
readonly 403: components["responses"]["Forbidden"];
};
};
/** Token transfers of a transaction, in order of their logs */
readonly getTransactionTokenTransfers: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
readonly "type"?: readonly ("ERC-20" | "ERC-721" | "ERC-1155" | "ERC-404")[];
};
readonly header?: never;
readonly path: {
readonly "transaction_hash_param": string;
};
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["TokenTransferPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Validators as a Blockscout frontend lists them */
readonly getValidatorsBlackfort: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
readonly "sort"?: "address_hash";
readonly "order"?: "asc" | "desc";
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
readonly "items": readonly ({
readonly "address": components["schemas"]["AddressParam"];
readonly "name": string;
/** hundredths of a percent */
readonly "commission": number;
/** base units */
readonly "self_bonded_amount": string;
/** base units that others delegate */
readonly "delegated_amount": string;
})[];
readonly "next_page_params": (components["schemas"]["NextPageParams"] | null);
/** length of the complete list */
readonly "total_count"?: number;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** The number of validators, and of those that were created in the last 24 hours */
readonly getValidatorsBlackfortCounters: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
/** decimal integer */
readonly "validators_counter": string;
/** decimal integer */
readonly "new_validators_counter_24h": string;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** Withdrawals, newest first */
readonly getWithdrawals: {
readonly parameters: {
readonly query?: {
/** number of the page */
readonly "page"?: number;
/** items of a page; more than the maximum counts as the maximum */
readonly "items_count"?: number;
/** length of the list when its first page was read, of `next_page_params` */
readonly "anchor"?: number;
};
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": components["schemas"]["WithdrawalPage"];
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
/** The number of withdrawals and their sum */
readonly getWithdrawalsCounters: {
readonly parameters: {
readonly query?: never;
readonly header?: never;
readonly path?: never;
readonly cookie?: never;
};
readonly requestBody?: never;
readonly responses: {
readonly 200: {
readonly headers: { readonly [name: string]: unknown };
/** Success */
readonly content: {
readonly "application/json": {
/** decimal integer */
readonly "withdrawals_count": string;
/** wei */
readonly "withdrawals_sum": string;
};
};
};
readonly 400: components["responses"]["BadRequest"];
readonly 404: components["responses"]["NotFound"];
readonly 422: components["responses"]["UnprocessableEntity"];
readonly 500: components["responses"]["InternalServerError"];
readonly 503: components["responses"]["ServiceUnavailable"];
};
};
}
