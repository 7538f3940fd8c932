// A running chain with all kinds of actions for tests of the index, and the index's rows as text.
import { encodeFunctionData, type Hex, parseEther, toHex } from 'viem'
import { RANGE } from '../../src/state/keyspace.ts'
import type { KvReader } from '../../src/state/types.ts'
import { delegate, STAKING } from '../precompiles/staking-support.ts'
import { asm, call, playground } from '../support/assembler.ts'
import { account, type withClients } from '../support/chain.ts'
import { token } from '../support/contracts.ts'
import { forwarder } from '../support/forwarder.ts'

/** Every row of the indexer, as text in key order. */
export async function readerRows(store: KvReader): Promise<string[]> {
  const rows: string[] = []
  for await (const [key, value] of store.scan(RANGE.index())) rows.push(`${toHex(key)} ${toHex(value)}`)
  return rows
}

const byte = (value: number): string => value.toString(16).padStart(2, '0')
const sizeOf = (code: Hex): number => (code.length - 2) / 2

/** Init code that returns this runtime code: codecopy(0, 10, size), return(0, size). */
export const initCode = (runtime: Hex): Hex =>
  `0x60${byte(sizeOf(runtime))}600a5f3960${byte(sizeOf(runtime))}5ff3${runtime.slice(2)}`

/** Runtime code that creates a contract from init code of up to 32 bytes, and calls it with `value` wei. */
export function maker(init: Hex, value = 0): Hex {
  const size = sizeOf(init)
  const create = `${byte(0x5f + size)}${init.slice(2)}5f5260${byte(size)}60${byte(32 - size)}5ff0`
  // call(gas, address, value, 0, 0, 0, 0): the address is on the stack below the ranges and the value.
  return `0x${create}5f5f5f5f60${byte(value)}855af100`
}

/** selfdestruct(caller) */
export const MORTAL: Hex = '0x33ff'

export async function busyChain(chain: ReturnType<typeof withClients>) {
  const { contract, send } = playground(chain)
  const { rpc, bob, alice } = chain
  async function deploy(from: number): Promise<Hex> {
    const hash = await chain.walletOf(from).deployContract({ ...token, args: ['Token', parseEther('1000')] })
    return (await chain.viem.waitForTransactionReceipt({ hash })).contractAddress ?? '0x'
  }
  const coin = await deploy(0)
  const stakes = await contract(forwarder(STAKING))
  const makes = await contract(maker(initCode(MORTAL)), 100n)
  let strangers = 0xa11ce
  const stranger = (): Hex => toHex(++strangers, { size: 20 })
  const transferOf = (amount: bigint): Hex =>
    encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [bob.address, amount] })

  const actions: readonly (() => Promise<unknown>)[] = [
    () => send(bob.address, { value: 5n }),
    () => send(stranger(), { value: 1n }),
    () => send(alice.address, { value: 1n }),
    () => send(coin, { data: transferOf(3n) }),
    () => send(coin, { data: transferOf(parseEther('5000')) }), // more than the balance
    () => send(STAKING, { data: delegate(7n), gas: 500_000 }),
    () => send(stakes, { data: delegate(7n), gas: 500_000 }),
    () => send(makes),
    () => send(undefined, { data: initCode(MORTAL) }),
    () => deploy(1),
    () => rpc('anvil_setBalance', stranger(), '0x64'),
    () => rpc('anvil_setBalance', alice.address, toHex(parseEther('777'))),
    async () => contract(asm(...call(bob.address), 'POP', 'STOP')),
    () => rpc('anvil_setCode', makes, '0x'),
    () => rpc('anvil_setStorageAt', coin, '0x1', toHex(1, { size: 32 })),
    () => chain.mine(2),
    async () => {
      // A block of several transactions, the last one with an authorization (EIP-7702).
      await rpc('evm_setAutomine', false)
      await Promise.all([2, 3].map((i) => chain.walletOf(i).sendTransaction({ to: coin, value: 0n, gas: 90_000n })))
      await chain.walletOf(2).sendTransaction({ to: stranger(), value: 9n })
      const wallet = chain.walletOf(4)
      const authorization = await wallet.signAuthorization({ contractAddress: coin, executor: 'self' })
      await wallet.sendTransaction({ to: account(4).address, authorizationList: [authorization], gas: 200_000n })
      await rpc('anvil_mine')
      await rpc('evm_setAutomine', true)
    },
    async () => {
      await rpc('anvil_impersonateAccount', coin)
      await rpc('anvil_setBalance', coin, toHex(parseEther('1')))
      await rpc('eth_sendTransaction', { from: coin, to: stranger(), value: '0x1', gas: '0x5208' })
    },
  ]
  return { ...chain, coin, contract, send, stranger, actions, store: chain.node.chain.store }
}
