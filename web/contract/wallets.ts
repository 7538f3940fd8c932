// The wallet that signs for the pages: found by EIP-6963, `window.ethereum`, or the node's own accounts. One is connected at a
// time, for all pages; the browser remembers which.
import { useEffect, useState } from 'preact/hooks'
import { CHAIN } from '../location.ts'
import { COIN } from '../parts.tsx'
import { quantity, RPC_URL, request, rpc } from '../rpc.ts'

/** EIP-1193. */
export type Provider = {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>
  on?(event: string, listener: (value: unknown) => void): void
  removeListener?(event: string, listener: (value: unknown) => void): void
}

export type Wallet = {
  /** Reverse domain name of the wallet's maker, or our own id. */
  readonly id: string
  readonly name: string
  /** A data URI. */
  readonly icon: string | undefined
  readonly provider: Provider
}

export type Connection = {
  readonly wallet: Wallet
  readonly accounts: readonly string[]
  readonly account: string
  /** The wallet's chain id, as it reports it: `0x1`. */
  readonly chainId: string
}

type State = { readonly wallets: readonly Wallet[]; readonly connection: Connection | undefined }

const REMEMBERED = 'kestrel.wallet'
const NODE = 'node'

let state: State = { wallets: [], connection: undefined }
const listeners = new Set<() => void>()
let stopWatching = () => {}

function set(changes: Partial<State>): void {
  state = { ...state, ...changes }
  for (const listener of listeners) listener()
}

/** The available wallets, and the connected one. */
export function useWallets(): State {
  const [, redraw] = useState(0)
  useEffect(() => {
    const listener = () => redraw((before) => before + 1)
    listeners.add(listener)
    discover()
    listener()
    return () => {
      listeners.delete(listener)
    }
  }, [])
  return state
}

let discovered = false

function discover(): void {
  if (discovered) return
  discovered = true
  window.addEventListener('eip6963:announceProvider', (event) => {
    const wallet = announcedBy(event)
    if (wallet !== undefined) add(wallet)
  })
  window.dispatchEvent(new Event('eip6963:requestProvider'))
  const injected: unknown = Reflect.get(window, 'ethereum')
  if (isProvider(injected) && !state.wallets.some(({ provider }) => provider === injected)) {
    add({ id: 'injected', name: 'Browser wallet', icon: undefined, provider: injected })
  }
  rpc('eth_accounts').then(
    (accounts) => {
      if (accounts.length === 0) return
      add({ id: NODE, name: 'Accounts of this node', icon: undefined, provider: { request } })
    },
    // A node without accounts may disable the method.
    () => {},
  )
}

const isProvider = (value: unknown): value is Provider =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'request') === 'function'

/** The wallet that an EIP-6963 event announces. Its data are untrusted: only data URIs with pictures are used as icons. */
function announcedBy(event: Event): Wallet | undefined {
  const detail: unknown = event instanceof CustomEvent ? event.detail : undefined
  if (typeof detail !== 'object' || detail === null) return undefined
  const info: unknown = Reflect.get(detail, 'info')
  const provider: unknown = Reflect.get(detail, 'provider')
  if (typeof info !== 'object' || info === null || !isProvider(provider)) return undefined
  const icon: unknown = Reflect.get(info, 'icon')
  return {
    id: String(Reflect.get(info, 'rdns') ?? Reflect.get(info, 'uuid')),
    name: String(Reflect.get(info, 'name')).slice(0, 60),
    icon: typeof icon === 'string' && icon.startsWith('data:image/') ? icon : undefined,
    provider,
  }
}

function add(wallet: Wallet): void {
  if (state.wallets.some(({ id }) => id === wallet.id)) return
  // An announced wallet is usually also `window.ethereum`.
  const others = state.wallets.filter(({ id, provider }) => id !== 'injected' || provider !== wallet.provider)
  set({ wallets: [...others, wallet].sort((a, b) => Number(a.id === NODE) - Number(b.id === NODE)) })
  if (state.connection === undefined && localStorage.getItem(REMEMBERED) === wallet.id) {
    // Does not prompt the user: a wallet that has not authorized this page returns no accounts.
    open(wallet, 'eth_accounts').catch(() => {})
  }
}

/** Requests a wallet's accounts. Throws the wallet's error. */
export async function connect(wallet: Wallet): Promise<void> {
  await open(wallet, 'eth_requestAccounts')
  localStorage.setItem(REMEMBERED, wallet.id)
}

async function open(wallet: Wallet, method: string): Promise<void> {
  const { provider } = wallet
  const accounts = textsIn(await provider.request({ method }))
  const [account] = accounts
  if (account === undefined) throw new Error('The wallet gives no account.')
  const chainId = String(await provider.request({ method: 'eth_chainId' }))
  stopWatching()
  stopWatching = watch(provider)
  set({ connection: { wallet, accounts, account, chainId } })
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

/** Subscribes to the wallet's account and chain changes; returns the function that unsubscribes. */
function watch(provider: Provider): () => void {
  const accountsChanged = (value: unknown) => {
    const accounts = textsIn(value)
    const [account] = accounts
    if (account === undefined) disconnect()
    else change({ accounts, account })
  }
  const chainChanged = (chainId: unknown) => change({ chainId: String(chainId) })
  provider.on?.('accountsChanged', accountsChanged)
  provider.on?.('chainChanged', chainChanged)
  return () => {
    provider.removeListener?.('accountsChanged', accountsChanged)
    provider.removeListener?.('chainChanged', chainChanged)
  }
}

function change(changes: Partial<Connection>): void {
  if (state.connection !== undefined) set({ connection: { ...state.connection, ...changes } })
}

/** Selects one of the wallet's accounts. */
export const chooseAccount = (account: string): void => change({ account })

export function disconnect(): void {
  stopWatching()
  stopWatching = () => {}
  localStorage.removeItem(REMEMBERED)
  set({ connection: undefined })
}

/** Error code of wallets for an unknown chain; some wrap the error of their extension. */
const UNKNOWN_CHAIN = 4902

/** Switches the wallet to this chain (EIP-3326), after adding the chain if the wallet does not know it (EIP-3085). */
export async function switchChain({ wallet: { provider } }: Pick<Connection, 'wallet'>): Promise<void> {
  const chainId = await rpc('eth_chainId')
  const toThis = { method: 'wallet_switchEthereumChain', params: [{ chainId }] }
  if (BigInt(String(await provider.request({ method: 'eth_chainId' }))) !== BigInt(chainId)) {
    try {
      await provider.request(toThis)
    } catch (error) {
      if (!isUnknownChain(error)) throw error
      await provider.request({ method: 'wallet_addEthereumChain', params: [describeChain(chainId)] })
      await provider.request(toThis)
    }
  }
  change({ chainId: String(await provider.request({ method: 'eth_chainId' })) })
}

const describeChain = (chainId: string) => ({
  chainId,
  chainName: CHAIN,
  nativeCurrency: { name: COIN, symbol: COIN, decimals: 18 },
  rpcUrls: [RPC_URL],
  blockExplorerUrls: [location.origin],
})

function isUnknownChain(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  if (Reflect.get(error, 'code') === UNKNOWN_CHAIN) return true
  return ['data', 'originalError'].some((name) => isUnknownChain(Reflect.get(error, name)))
}

export type Transaction = { readonly to: string; readonly data: string; readonly value: bigint }

/** Sends a transaction of the connected account on this chain; returns its hash. Throws the wallet's error. */
export async function send(connection: Connection, { to, data, value }: Transaction): Promise<string> {
  await switchChain(connection)
  const transaction = { from: connection.account, to, data, ...(value > 0n && { value: quantity(value) }) }
  const params = [transaction]
  return String(await connection.wallet.provider.request({ method: 'eth_sendTransaction', params }))
}
