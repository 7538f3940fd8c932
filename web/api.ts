// What the pages read: the node's own /api/v2, and its live updates. Only the fields that are shown are named here.
import { Socket } from 'phoenix'
import { useEffect, useState } from 'preact/hooks'

export type Party = { hash: string; name: string | null; is_contract: boolean }
export type Token = {
  address_hash: string
  name: string | null
  symbol: string | null
  decimals: string | number | null
  type: string
  total_supply: string | null
  holders_count: string
}
export type Parameter = { name: string; type: string; value: unknown }
export type Decoded = { method_call: string; parameters: Parameter[] }
export type Block = {
  height: number
  hash: string
  parent_hash: string
  timestamp: string
  transactions_count: number
  miner: Party
  size: number
  gas_used: string
  gas_limit: string
  gas_used_percentage: number
  base_fee_per_gas: string | null
  transaction_fees: string
}
export type Transaction = {
  hash: string
  block_number: number | null
  timestamp: string | null
  from: Party
  to: Party | null
  created_contract: Party | null
  value: string
  status: 'ok' | 'error' | null
  result: string
  method: string | null
  transaction_types: string[]
  fee: { value: string | null }
  gas_used: string | null
  gas_limit: string
  gas_price: string | null
  nonce: number
  position: number | null
  type: number | null
  confirmations: number
  raw_input: string
  decoded_input: Decoded | null
  revert_reason: Decoded | { raw: string } | null
  token_transfers: readonly unknown[] | null
  authorization_list?: readonly Authorization[]
}
export type Authorization = { address_hash: string; authority: string | null; status: string | null }
export type StateChange = {
  address: Party
  type: 'coin' | 'token'
  balance_before: string | null
  balance_after: string | null
  change: string | readonly { direction: 'from' | 'to'; total: { token_id?: string } }[]
  token: Token | null
  token_id: string | null
}
export type Item = { id: string; owner: Party | null }
export type Contract = {
  name: string | null
  compiler_version: string | null
  deployed_bytecode: string
  file_path: string | null
  source_code: string | null
  additional_sources: readonly { file_path: string; source_code: string }[]
}
export type Transfer = {
  type: string
  transaction_hash: string
  timestamp: string
  from: Party
  to: Party
  token: Token
  total: { value?: string; decimals?: string | null; token_id?: string }
}
export type Log = { index: number; address: Party; topics: (string | null)[]; data: string; decoded: Decoded | null }
export type Call = {
  index: number
  type: string
  from: Party
  to: Party | null
  created_contract: Party | null
  value: string
  success: boolean
  error: string | null
}
export type Account = Party & {
  coin_balance: string
  transactions_count: number
  token_transfers_count: number
  creator_address_hash: string | null
  creation_transaction_hash: string | null
  is_verified: boolean | null
  proxy_type: string | null
  implementations: readonly { address_hash: string; name: string | null }[]
  token: Token | null
}
export type Holding = { token: Token; token_id: string | null; value: string }
export type Holder = { address: Party; value: string; token_id: string | null }
export type Stats = {
  total_blocks: number
  total_transactions: number
  total_addresses: number
  average_block_time: number
  gas_prices: { average: string }
  network_utilization_percentage: number
}
export type Day = { date: string; transactions_count: number }
export type Found = {
  type: string
  name?: string | null
  symbol?: string | null
  address_hash?: string
  block_number?: number
  transaction_hash?: string
}
export type Next = Record<string, string | number> | null
export type List<T> = { items: T[]; next_page_params: Next; total_count?: number }

export class NotThere extends Error {}

/** A record of the API by its path, `/blocks/1`. Throws NotThere for what does not exist or cannot be asked for. */
export async function read<T>(path: string): Promise<T> {
  // An answer may be kept for a second; what is read because there is a new block must not be the one before.
  const response = await fetch(`/api/v2${path}`, { cache: 'no-cache' })
  if (response.status === 404 || response.status === 422) throw new NotThere(path)
  if (!response.ok) throw new Error(`The node answered with status ${response.status}.`)
  return (await response.json()) as T
}

export type Reading<T> = { data: T | undefined; error: Error | undefined }

/** A record that is read again whenever the path or the version changes; the old one stays until the new one is there. */
export function useRead<T>(path: string | undefined, version = 0): Reading<T> {
  const [reading, setReading] = useState<Reading<T> & { path: string | undefined }>({
    path,
    data: undefined,
    error: undefined,
  })
  // A new version means to read again.
  useEffect(() => {
    if (path === undefined) return
    let isCurrent = true
    read<T>(path).then(
      (data) => isCurrent && setReading({ path, data, error: undefined }),
      (error: Error) => isCurrent && setReading({ path, data: undefined, error }),
    )
    return () => {
      isCurrent = false
    }
  }, [path, version])
  return reading.path === path ? reading : { data: undefined, error: undefined }
}

let socket: Socket | undefined

/** Calls back on an event of a topic for as long as the page is shown, and once it listens: what came before it missed. */
export function useLive(topic: string, event: string, tell: () => void): void {
  useEffect(() => {
    if (socket === undefined) {
      socket = new Socket(`${location.origin.replace(/^http/, 'ws')}/socket/v2`)
      socket.connect()
    }
    const channel = socket.channel(topic, {})
    channel.on(event, tell)
    channel.join().receive('ok', tell)
    return () => {
      channel.leave()
    }
  }, [topic, event])
}

/** A number that rises with every new block, so that what is shown is read again. */
export function useBlocks(): number {
  const [version, setVersion] = useState(0)
  useLive('blocks:new_block', 'new_block', () => setVersion((before) => before + 1))
  return version
}
