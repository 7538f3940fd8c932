// A browser wallet for tests: an EIP-1193 provider that announces itself by EIP-6963. It starts on another chain, does not know
// this chain, and signs with an account of the node.

/** The script that adds it to a page; its state is the global `wallet`. */
export const announcedWallet = ({ url, account }: { readonly url: string; readonly account: string }): string => `
window.wallet = { refuses: false, added: undefined, chainId: '0x1', connected: false }
const failure = (code, message) => Object.assign(new Error(message), { code })
const provider = {
  async request({ method, params }) {
    if (method === 'eth_requestAccounts') { wallet.connected = true; return ['${account}'] }
    if (method === 'eth_accounts') return wallet.connected ? ['${account}'] : []
    if (method === 'eth_chainId') return wallet.chainId
    if (method === 'wallet_addEthereumChain') { wallet.added = params[0]; return null }
    if (method === 'wallet_switchEthereumChain') {
      if (wallet.added?.chainId !== params[0].chainId) throw failure(4902, 'Unrecognized chain ID')
      wallet.chainId = params[0].chainId
      return null
    }
    if (method !== 'eth_sendTransaction') throw failure(4200, 'not supported: ' + method)
    if (wallet.refuses) throw failure(4001, 'User rejected the request.')
    if (wallet.chainId !== wallet.added?.chainId) throw failure(4901, 'not on the chain')
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = await fetch('${url}/rpc', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const { result, error } = await answer.json()
    if (error !== undefined) throw error
    return result
  },
  on() {},
  removeListener() {},
}
const info = { uuid: '350670db-19fa-4704-a166-e52e178b59d2', name: 'Test wallet', rdns: 'example.test', icon: 'data:image/gif;base64,R0lGODlhAQABAAAAACw=' }
const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }))
window.addEventListener('eip6963:requestProvider', announce)
announce()
`

/** A script that adds a legacy wallet to a page: `window.ethereum`, on this chain, not announced. */
export const injectedWallet = ({ url, account }: { readonly url: string; readonly account: string }): string => `
window.ethereum = {
  async request({ method, params }) {
    if (method === 'eth_requestAccounts' || method === 'eth_accounts') return ['${account}']
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = await fetch('${url}/rpc', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    return (await answer.json()).result
  },
}
`
