// Signing and sending with the node's accounts. viem's accounts from the same mnemonic are the reference: both sign by RFC
// 6979, so signatures are identical.
import { TypedDataEncoder } from 'ethers'
import { type Address, getAddress, type Hex, parseTransaction, recoverTransactionAddress, verifyMessage } from 'viem'
import { describe, expect, it } from 'vitest'
import { account, testChain } from '../support/chain.ts'

const alice = account(0)
const bob = account(1)
const from = alice.address.toLowerCase()
const to = bob.address.toLowerCase()
const stranger = '0x00000000000000000000000000000000000000aa'
/** Deploys a contract with the one-byte code `00` (STOP). */
const DEPLOY_STOP = '0x6000600053600160 00f3'.replace(' ', '')

type Sent = { type: string; nonce: string; to: string | null; gas: string; gasPrice: string; maxFeePerGas?: string }

describe('eth_accounts', () => {
  it('lists the node’s accounts and impersonated ones', async () => {
    const { rpc } = await testChain()
    const own = Array.from({ length: 10 }, (_, index) => account(index).address.toLowerCase())
    expect(await rpc('eth_accounts')).toEqual(own)
    expect(await rpc('personal_listAccounts')).toEqual(own)
    await rpc('anvil_impersonateAccount', stranger)
    expect(await rpc('eth_requestAccounts')).toEqual([...own, stranger])
  })
})

describe('eth_sendTransaction', () => {
  it('fills in missing fields, and the transaction is mined when the response comes', async () => {
    const { rpc } = await testChain()
    const hash = await rpc('eth_sendTransaction', { from, to, value: '0x1' })
    const sent = (await rpc('eth_getTransactionByHash', hash)) as Sent
    expect(sent).toMatchObject({ type: '0x2', nonce: '0x0', gas: '0x5208', to, from, value: '0x1', chainId: '0x7d' })
    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1', gasUsed: '0x5208' })
  })

  it('sends a legacy transaction for a gas price, and type 1 for an access list', async () => {
    const { rpc } = await testChain()
    const fields = { from, to, gasPrice: '0x77359400' }
    const legacy = await rpc('eth_sendTransaction', fields)
    expect(await rpc('eth_getTransactionByHash', legacy)).toMatchObject({ type: '0x0', gasPrice: '0x77359400' })
    const accessList = [{ address: to, storageKeys: [] }]
    const listed = await rpc('eth_sendTransaction', { ...fields, accessList })
    expect(await rpc('eth_getTransactionByHash', listed)).toMatchObject({ type: '0x1', accessList })
  })

  it('accepts integers as the specification writes them', async () => {
    const { rpc } = await testChain()
    const fields = { from, to, gas: 30000, gasPrice: 2_000_000_000, value: 5, data: '0x' }
    const hash = await rpc('eth_sendTransaction', fields)
    expect(await rpc('eth_getTransactionByHash', hash)).toMatchObject({
      gas: '0x7530',
      gasPrice: '0x77359400',
      value: '0x5',
    })
  })

  it('creates a contract when `to` is absent or null', async () => {
    const { rpc } = await testChain()
    for (const fields of [
      { from, data: DEPLOY_STOP },
      { from, to: null, data: DEPLOY_STOP },
    ]) {
      const hash = await rpc('eth_sendTransaction', fields)
      const receipt = (await rpc('eth_getTransactionReceipt', hash)) as { contractAddress: string; status: string }
      expect(receipt.status).toBe('0x1')
      expect(await rpc('eth_getCode', receipt.contractAddress)).toBe('0x00')
    }
  })

  it('gives concurrent sends of one account distinct nonces', async () => {
    const { rpc } = await testChain()
    const hashes = await Promise.all(Array.from({ length: 12 }, () => rpc('eth_sendTransaction', { from, to })))
    const sent = await Promise.all(hashes.map((hash) => rpc('eth_getTransactionReceipt', hash)))
    expect(sent.every((receipt) => (receipt as { status: string }).status === '0x1')).toBe(true)
    expect(await rpc('eth_getTransactionCount', from)).toBe('0xc')
  })

  it('refuses with a reason', async () => {
    const { raw, dev } = await testChain()
    const refusal = async (fields: object) => (await raw('eth_sendTransaction', fields)).error
    expect(await refusal({ from: stranger, to })).toEqual({ code: -32000, message: 'unknown account' })
    expect(await refusal({ to })).toMatchObject({ code: -32602 })
    expect(await refusal({ from })).toMatchObject({ code: -32602 })
    expect(await refusal({ from, to, data: '0x01', input: '0x02' })).toMatchObject({ code: -32602 })
    // PUSH1 0, PUSH1 0, REVERT
    await dev.setCode({ address: stranger, bytecode: '0x60006000fd' })
    expect((await refusal({ from, to: stranger }))?.message).toMatch(/^execution reverted/)
    expect(await refusal({ from, to, nonce: '0x0', gas: '0x1' })).toMatchObject({ code: -32000 })
  })
})

describe('impersonation', () => {
  it('lets an account without a key send until it is stopped', async () => {
    const { rpc, raw } = await testChain()
    await rpc('hardhat_setBalance', stranger, '0xde0b6b3a7640000')
    expect(await rpc('hardhat_impersonateAccount', stranger)).toBe(true)
    const hash = await rpc('eth_sendTransaction', { from: stranger, to, value: '0x7' })
    expect(await rpc('eth_getTransactionByHash', hash)).toMatchObject({ from: stranger, hash })
    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1', from: stranger })
    await rpc('anvil_stopImpersonatingAccount', stranger)
    expect((await raw('eth_sendTransaction', { from: stranger, to })).error?.message).toBe('unknown account')
    await rpc('anvil_autoImpersonateAccount', true)
    expect(await rpc('eth_sendTransaction', { from: stranger, to })).toMatch(/^0x[0-9a-f]{64}$/)
    expect(await rpc('eth_getTransactionCount', stranger)).toBe('0x2')
  })

  it('lets a contract send too', async () => {
    const { rpc } = await testChain()
    await rpc('anvil_setCode', stranger, '0x00')
    await rpc('anvil_setBalance', stranger, '1000000000000000000')
    const hash = await rpc('eth_sendUnsignedTransaction', { from: stranger, to, value: '0x7' })
    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  })
})

it('eth_signTransaction returns raw bytes and fields, and sends nothing', async () => {
  const { rpc } = await testChain()
  const { raw, tx } = (await rpc('eth_signTransaction', { from, to, value: '0x5', nonce: '0x3' })) as {
    raw: `0x02${string}`
    tx: { hash: string; nonce: string }
  }
  expect(await recoverTransactionAddress({ serializedTransaction: raw })).toBe(alice.address)
  expect(parseTransaction(raw)).toMatchObject({ chainId: 125, to, value: 5n, nonce: 3, gas: 21000n })
  expect(tx).toMatchObject({ nonce: '0x3', type: '0x2' })
  expect(tx).not.toHaveProperty('blockHash')
  expect(await rpc('eth_getTransactionByHash', tx.hash)).toBeNull()
})

describe('messages of eth_sign and personal_sign', () => {
  it('are signed by EIP-191', async () => {
    const { rpc } = await testChain()
    const message = { raw: '0xdeadbeef' } as const
    const expected = await alice.signMessage({ message })
    expect(await rpc('eth_sign', from, message.raw)).toBe(expected)
    expect(await rpc('personal_sign', message.raw, from)).toBe(expected)
    expect(await rpc('personal_sign', message.raw, from, 'password')).toBe(expected)
    expect(await verifyMessage({ address: alice.address, message, signature: expected })).toBe(true)
    expect(await rpc('personal_ecRecover', message.raw, expected)).toBe(from)
  })

  it('are not signed for unknown accounts, and not recovered from invalid signatures', async () => {
    const { raw } = await testChain()
    expect((await raw('eth_sign', stranger, '0x')).error).toEqual({ code: -32000, message: 'unknown account' })
    expect((await raw('personal_ecRecover', '0x', '0x01')).error?.code).toBe(-32602)
    expect((await raw('personal_ecRecover', '0x', `0x${'00'.repeat(64)}1b`)).error?.code).toBe(-32602)
  })
})

describe('typed data', () => {
  /** The example of EIP-712, with the private key that the EIP uses: keccak256("cow"). */
  const mail = {
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      Person: [
        { name: 'name', type: 'string' },
        { name: 'wallet', type: 'address' },
      ],
      Mail: [
        { name: 'from', type: 'Person' },
        { name: 'to', type: 'Person' },
        { name: 'contents', type: 'string' },
      ],
    },
    primaryType: 'Mail',
    domain: {
      name: 'Ether Mail',
      version: '1',
      chainId: 1,
      verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
    },
    message: {
      from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
      to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
      contents: 'Hello, Bob!',
    },
  }
  const COW_KEY = '0xc85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4'
  /** v, r, s of the EIP's example. */
  const COW_SIGNATURE =
    '0x4355c47d63924e8a72e509b65029052eb6c299d53a04e167c5775fd466751c9d07299936d304c153f6443dfa05f40ff007d72911b6f72307f996231605b915621c'

  it('is signed as in EIP-712, given as an object or a string, under every method name', async () => {
    const { rpc } = await testChain()
    const cow = await rpc('personal_importRawKey', COW_KEY.slice(2), 'password')
    expect(cow).toBe('0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826')
    for (const method of ['eth_signTypedData', 'eth_signTypedData_v3', 'eth_signTypedData_v4']) {
      expect(await rpc(method, cow, mail)).toBe(COW_SIGNATURE)
      expect(await rpc(method, cow, JSON.stringify(mail))).toBe(COW_SIGNATURE)
    }
  })

  it('accepts numbers as strings, arrays, and a domain without its type', async () => {
    const { rpc } = await testChain()
    const types = {
      Order: [
        { name: 'amounts', type: 'uint256[]' },
        { name: 'delta', type: 'int64' },
        { name: 'open', type: 'bool' },
        { name: 'tag', type: 'bytes4' },
        { name: 'blob', type: 'bytes' },
      ],
    }
    const domain = { name: 'Orders', chainId: '125', salt: `0x${'01'.repeat(32)}` }
    const message = { amounts: ['1', '0x2', 3], delta: '-5', open: true, tag: '0x01020304', blob: '0xabcdef' }
    const signature = (await rpc('eth_signTypedData_v4', from, { types, primaryType: 'Order', domain, message })) as Hex
    const digest = TypedDataEncoder.hash(domain, types, message) as Hex
    expect(signature).toBe(await alice.sign({ hash: digest }))
  })

  it('is refused when it does not match its types', async () => {
    const { raw } = await testChain()
    const wrong = { ...mail, message: { ...mail.message, to: { name: 'Bob', wallet: '0x12' } } }
    for (const data of [wrong, {}, 'nonsense', '{}', { ...mail, primaryType: 'Nothing' }, 5]) {
      expect((await raw('eth_signTypedData_v4', from, data)).error?.code).toBe(-32602)
    }
  })
})

describe('personal_', () => {
  it('creates accounts and sends from them', async () => {
    const { rpc, raw } = await testChain()
    const fresh = (await rpc('personal_newAccount', 'password')) as Address
    expect(getAddress(fresh).toLowerCase()).toBe(fresh)
    expect(await rpc('personal_unlockAccount', fresh, 'password', 300)).toBe(true)
    expect((await raw('personal_unlockAccount', stranger, '')).error?.message).toBe('unknown account')
    await rpc('anvil_setBalance', fresh, '0xde0b6b3a7640000')
    const hash = await rpc('personal_sendTransaction', { from: fresh, to, value: '0x1' }, 'password')
    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1', from: fresh })
    expect((await raw('personal_importRawKey', '0x00', '')).error?.code).toBe(-32602)
    expect((await raw('personal_importRawKey', `0x${'00'.repeat(32)}`, '')).error?.code).toBe(-32602)
  })

  it('is not enabled outside development, except personal_sign', async () => {
    const { rpc, raw } = await testChain({ rpc: {} })
    for (const method of ['personal_newAccount', 'personal_listAccounts', 'eth_sendUnsignedTransaction']) {
      expect((await raw(method)).error?.code, method).toBe(-32601)
    }
    expect(await rpc('personal_sign', '0x', from)).toMatch(/^0x[0-9a-f]{130}$/)
  })
})
