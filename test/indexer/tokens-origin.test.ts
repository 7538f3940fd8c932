// Origins and ends of tokens: in the genesis, in native modules, by delegation, destroyed.
import { encodeAbiParameters, erc20Abi, keccak256, parseAbiParameters } from 'viem'
import { expect, it } from 'vitest'
import { RECORD } from '../../src/indexer/records.ts'
import { RANKING } from '../../src/indexer/tables.ts'
import { bigToFixed, fromHex, type Hash, hexToAddress, toHash } from '../../src/lib/hex.ts'
import { presets } from '../../src/spec/presets.ts'
import { smallSpec } from '../chain/support.ts'
import { ALICE, BOB, CAROL, tokenChain } from './token-chain.ts'

it('a token of the genesis is listed with block 0, its holders when they first appear in a log', async () => {
  const other = await tokenChain()
  const { address, abi } = await other.deploy('MortalCoin')
  const code = fromHex((await other.viem.getCode({ address })) ?? '0x')
  // Solidity's slot of Alice's balance in a mapping at slot 0.
  const slot = keccak256(encodeAbiParameters(parseAbiParameters('address, uint256'), [ALICE, 0n])) as Hash
  const account = { balance: 0n, nonce: 1n, code, storage: new Map([[slot, toHash(bigToFixed(10n, 32))]]) }
  const spec = presets.kestrel()
  const coin = { address: hexToAddress(`0x${'c0'.repeat(20)}`), abi }
  const genesis = { ...spec.genesis, alloc: new Map([...spec.genesis.alloc, [coin.address, account]]) }
  const { fact, send, tokens, holders, expectHolders } = await tokenChain({ spec: { ...spec, genesis } })
  expect(fact(coin)).toMatchObject({ type: 'ERC-20', name: undefined, symbol: undefined, decimals: 0, supply: 10n })
  expect(await tokens('all')).toEqual([coin.address])
  expect(await holders(RANKING.holders(coin.address))).toEqual([])
  await send(coin, 'die', [BOB])
  await expectHolders(coin, 'ERC-20')
})

it('a voucher is indexed as a token', async () => {
  // A voucher of channel-0; the address is that of the specification (V1).
  const face = hexToAddress('0xf36e4C1F926001CEaDa9cA97ea622B25f41e5eB2')
  const transfer = {
    loopback: [],
    sinks: [{ channel: 'channel-0', behaviour: 'ack-error' }],
    vouchers: [{ trace: 'transfer/channel-0/uatom', balances: { [ALICE]: '1000000' } }],
  }
  const spec = presets.kestrel()
  const native = spec.native && { ...spec.native, modules: { ...spec.native.modules, transfer } }
  const { fact, send, expectHolders, rows } = await tokenChain({ spec: { ...spec, native } })
  expect(fact(face)).toMatchObject({ type: 'ERC-20', name: 'Atom', symbol: 'ATOM', decimals: 6, supply: 1_000_000n })
  const voucher = { address: face, abi: erc20Abi }
  await send(voucher, 'transfer', [BOB, 5n])
  await expectHolders(voucher, 'ERC-20')
  expect(rows().map(({ from, to, amount }) => [from, to, amount])).toEqual([[ALICE, BOB, 5n]])
})

it('an account that delegates to a token’s code (EIP-7702) is not a token', async () => {
  const { deploy, walletOf, viem, fact, tokens } = await tokenChain()
  const coin = await deploy('Coin', ['Coin', 'COIN', 18, 0n])
  const wallet = walletOf(2)
  const authorization = await wallet.signAuthorization({ contractAddress: coin.address, executor: 'self' })
  const hash = await wallet.sendTransaction({ to: BOB, authorizationList: [authorization] })
  await viem.waitForTransactionReceipt({ hash })
  expect(await viem.getCode({ address: CAROL })).toBe(`0xef0100${coin.address.slice(2)}`)
  expect(fact(CAROL)).toBeUndefined()
  expect(await tokens('all')).toEqual([coin.address])
})

it('a destroyed token stays listed, with the balances of its last logs', async () => {
  const { deploy, send, viem, rpc, fact, tokens, holders, store } = await tokenChain({ spec: smallSpec('shanghai') })
  expect(await rpc('anvil_setBalance', ALICE, '0xde0b6b3a7640000')).toBeDefined()
  const coin = await deploy('MortalCoin')
  const known = { type: 'ERC-20', name: undefined, symbol: undefined, decimals: 0, supply: 10n }
  expect(fact(coin)).toMatchObject(known)
  await send(coin, 'die', [BOB])
  expect(await viem.getCode({ address: coin.address })).toBeUndefined()
  expect(fact(coin)).toMatchObject(known)
  expect(await tokens('all')).toEqual([coin.address])
  expect(await holders(RANKING.holders(coin.address))).toEqual([
    [ALICE, 6n],
    [BOB, 4n],
  ])
  expect(RECORD.holding.get(store, BOB, coin.address)).toEqual({ amount: 4n })
})
