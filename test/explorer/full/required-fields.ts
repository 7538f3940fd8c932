// Fields that the records of a path have, by Blockscout's OpenAPI document of August 2026 (version 11.2.7): those that it calls
// required. For a list they are the fields of its items.

/** Paths, and the names of the fields. */
export const REQUIRED_FIELDS: readonly (readonly [paths: readonly string[], fields: string])[] = [
  [
    [
      '/blocks/{block_hash_or_number_param}/internal-transactions',
      '/addresses/{address_hash_param}/internal-transactions',
      '/internal-transactions',
      '/transactions/{transaction_hash_param}/internal-transactions',
    ],
    'block_number created_contract error from gas_limit index success timestamp to transaction_hash ' +
      'transaction_index type value',
  ],
  [
    ['/tokens/{address_hash_param}', '/tokens'],
    'address_hash circulating_market_cap circulating_supply decimals exchange_rate holders_count icon_url ' +
      'name reputation symbol total_supply type volume_24h',
  ],
  [
    [
      '/transactions/{transaction_hash_param}',
      '/transactions',
      '/main-page/transactions',
      '/blocks/{block_hash_or_number_param}/transactions',
      '/addresses/{address_hash_param}/transactions',
    ],
    'authorization_list base_fee_per_gas block_number confirmation_duration confirmations ' +
      'created_contract decoded_input exchange_rate fee fhe_operations_count from gas_limit gas_price ' +
      'gas_used has_error_in_internal_transactions hash historic_exchange_rate is_pending_update ' +
      'max_fee_per_gas max_priority_fee_per_gas method nonce position priority_fee raw_input result ' +
      'revert_reason status timestamp to token_transfers token_transfers_overflow transaction_burnt_fee ' +
      'transaction_tag transaction_types type value',
  ],
  [
    ['/addresses/{address_hash_param}/token-balances', '/addresses/{address_hash_param}/tokens'],
    'token token_id token_instance value',
  ],
  [
    ['/blocks/{block_hash_or_number_param}/withdrawals', '/addresses/{address_hash_param}/withdrawals', '/withdrawals'],
    'amount index validator_index',
  ],
  [
    ['/tokens/{address_hash_param}/holders', '/tokens/{address_hash_param}/instances/{token_id_param}/holders'],
    'address token_id value',
  ],
  [
    [
      '/blocks/{block_hash_or_number_param}',
      '/main-page/blocks',
      '/addresses/{address_hash_param}/blocks-validated',
      '/blocks',
    ],
    'base_fee_per_gas burnt_fees burnt_fees_percentage difficulty gas_limit gas_target_percentage ' +
      'gas_used gas_used_percentage hash height internal_transactions_count is_pending_update miner nonce ' +
      'parent_hash priority_fee rewards size timestamp total_difficulty transaction_fees transactions_count ' +
      'type uncles_hashes withdrawals_count',
  ],
  [
    [
      '/addresses/{address_hash_param}/token-transfers',
      '/tokens/{address_hash_param}/transfers',
      '/tokens/{address_hash_param}/instances/{token_id_param}/transfers',
      '/token-transfers',
      '/transactions/{transaction_hash_param}/token-transfers',
    ],
    'block_hash block_number from log_index method timestamp to token token_type total transaction_hash ' + 'type',
  ],
  [
    ['/addresses/{address_hash_param}/nft'],
    'animation_url external_app_url id image_url is_unique media_type media_url metadata owner thumbnails ' +
      'token token_type value',
  ],
  [
    ['/tokens/{address_hash_param}/instances', '/tokens/{address_hash_param}/instances/{token_id_param}'],
    'animation_url external_app_url id image_url is_unique media_type media_url metadata owner thumbnails ' + 'token',
  ],
  [['/stats/hot-smart-contracts'], 'balance contract_address total_gas_used transactions_count'],
  [
    ['/smart-contracts/{address_hash_param}'],
    'conflicting_implementations creation_bytecode creation_status deployed_bytecode implementations ' + 'proxy_type',
  ],
  [
    ['/addresses/{address_hash_param}/counters'],
    'gas_usage_count token_transfers_count transactions_count validations_count',
  ],
  [['/tokens/{address_hash_param}/counters'], 'token_holders_count transfers_count'],
  [
    ['/advanced-filters'],
    'block_number created_contract fee from hash internal_transaction_index method status timestamp to ' +
      'token token_transfer_batch_index token_transfer_index total transaction_index type value',
  ],
  [
    ['/smart-contracts'],
    'address certified compiler_version has_constructor_args language license_type optimization_enabled ' +
      'reputation verified_at',
  ],
  [
    ['/addresses/{address_hash_param}/coin-balance-history'],
    'block_number block_timestamp delta transaction_hash value',
  ],
  [
    ['/transactions/{transaction_hash_param}/state-changes'],
    'address balance_after balance_before change is_miner token type',
  ],
  [
    ['/addresses/{address_hash_param}'],
    'block_number_balance_updated_at coin_balance creation_status creation_transaction_hash ' +
      'creator_address_hash ens_domain_name exchange_rate has_beacon_chain_withdrawals has_logs ' +
      'has_token_transfers has_tokens has_validated_blocks hash implementations is_contract is_scam ' +
      'is_verified metadata name proxy_type reputation token watchlist_address_id',
  ],
  [
    ['/blocks/{block_hash_or_number_param}/countdown'],
    'countdown_block_number current_block_number estimated_time_in_seconds remaining_blocks_count',
  ],
  [
    ['/addresses'],
    'coin_balance ens_domain_name hash implementations is_contract is_scam is_verified metadata name ' +
      'proxy_type reputation transactions_count',
  ],
  [['/addresses/{address_hash_param}/coin-balance-history-by-day'], 'date value'],
  [['/withdrawals/counters'], 'withdrawals_count withdrawals_sum'],
  [
    ['/addresses/{address_hash_param}/logs', '/transactions/{transaction_hash_param}/logs'],
    'address block_hash block_number block_timestamp data decoded index smart_contract topics ' + 'transaction_hash',
  ],
  [
    ['/transactions/stats'],
    'pending_transactions_count transaction_fees_avg_24h transaction_fees_sum_24h transactions_count_24h',
  ],
  [['/advanced-filters/methods'], 'method_id name'],
  [['/transactions/{transaction_hash_param}/preview'], 'from method status timestamp to'],
  [['/addresses/{address_hash_param}/nft/collections'], 'amount token token_instances'],
]
